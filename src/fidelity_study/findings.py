"""The report's words about one dataset: what the tables say, in plain sentences (reStructuredText).

Names that come from data are escaped character by character, so that none of them can act as
markup, as a template or as HTML.
"""

from collections import Counter

import numpy as np
import pyarrow.compute as pc

from fidelity.confidence_set import CONFIDENCE_SETS
from fidelity.coverage import parse_sides
from fidelity_study import single_answers, tables
from fidelity_study.arrays import among, codes, numbers
from fidelity_study.results import STATED, Results, having
from fidelity_study.tables import HUMAN, REASONS

WORST = 0.1
LISTED = 5
LEVELS = {
    "paper": "by the paper's Theorem 3.1",
    "exact": "by the exact bound",
    "simultaneous": "by the bound for all points of the curve at once",
    "design_effect": "by the exact bound corrected for clusters (approximate)",
}


def findings(results: Results, pseudo_discrepancy: str) -> str:
    """Return the section of a dataset; ``pseudo_discrepancy`` is the table at the largest n."""
    parts = [_heading(results.step["title"], "-"), _design(results)]
    asked = [_missing_answers(results), _elsewhere(results)]
    if single_answers.are_few(results):
        scores = single_answers.section(results, single_answers.Marks(escape, _list_table))
        return "\n".join([*parts, scores, *asked])
    parts += [_of_discrepancy(results, each, pseudo_discrepancy) for each in results.pairs]
    return "\n".join([*parts, _worth(results), _next_study(results), *asked])


def escape(text: str) -> str:
    """Return ``text`` with every character that could mean something to a parser escaped."""
    flat = " ".join(text.split())
    return "".join(each if each.isalnum() or each == " " else f"\\{each}" for each in flat)


def _heading(text: str, line: str) -> str:
    escaped = escape(text)
    return f"{escaped}\n{line * max(4, 2 * len(escaped))}\n"


def _design(results: Results) -> str:
    missing = [
        f"{escape(name)} answers in {results.scenarios_of(name)}"
        for name in results.simulators
        if results.scenarios_of(name) < results.m
    ]
    lacking = f" Not every simulator answers everywhere: {'; '.join(missing)}." if missing else ""
    short = dict.fromkeys(
        f"{escape(row['simulator'])} has fewer than {row['k']} answers in {row['k_short']}"
        for row in results.summary
        if int(row["k_short"])
    )
    lacking += f" All that there are were taken: {'; '.join(short)} scenarios." if short else ""
    weights = f" {results.weights_note}" if results.weighted else ""
    smoothed = f" {escape(results.smoothing_note)}" if results.smoothing_note else ""
    repeated = f" **{results.dependence_note}**" if results.respondents_repeat else ""
    return (
        f"{results.m} scenarios, in clusters by {escape(results.step['cluster'])};"
        f" {escape(results.sizes(results.ns[-1]))}.{lacking}{weights}{smoothed}{repeated}\n"
    )


def _of_discrepancy(results: Results, discrepancy: str, path: str) -> str:
    texts = [f"**{escape(results.discrepancy_name(discrepancy))}**\n"]
    for form in results.main_forms:
        rows = _rows_of(results, discrepancy, form)
        texts.append(_closest(results, rows, form))
        texts.append(_certain(results, rows[0], form))
        texts.append(_table(rows))
        texts.append(_shares(results, rows[0]))
        for row in _of_interest(results, rows):
            texts.append(_worst(results, row, path))
    return "\n".join(texts)


def _rows_of(results: Results, discrepancy: str, form: str) -> list[dict]:
    """Return the headline rows of the summary, the closest simulator first."""
    rows = results.summary_rows(
        n=results.ns[-1],
        k=form,
        confidence_set=results.headline_set(discrepancy),
        gamma=results.gammas[0],
        discrepancy=discrepancy,
    )
    return sorted(rows, key=lambda row: float(row["auc"]))


def _of_interest(results: Results, rows: list[dict]) -> list[dict]:
    """Return the row of the first simulator of the config and that of the closest one."""
    first = min(rows, key=lambda row: results.simulators.index(row["simulator"]))
    return [first] if first is rows[0] else [first, rows[0]]


def _closest(results: Results, rows: list[dict], form: str) -> str:
    best = rows[0]
    level = float(best["guarantee_level"])
    how = "stated probabilities" if form == STATED else f"{form} draws per scenario"
    there = int(best["m"])
    where = "" if there == results.m else f" (on the {there} scenarios that it answers)"
    at_90 = min(rows, key=lambda row: float(row["var_90"]))
    nearer = (
        f" There **{escape(at_90['simulator'])}** is nearer: at most {float(at_90['var_90']):.3f}."
        if float(at_90["var_90"]) < float(best["var_90"])
        else ""
    )
    return (
        f"With {how}, **{escape(best['simulator'])}** is closest on average{where}: the mean of its"
        f" curve is {float(best['auc']):.3f}. Its discrepancy is at most"
        f" {float(best['var_90']):.3f} on 90 % of the scenarios, and {float(best['cvar_90']):.3f}"
        f" on average over the worst 10 % (CVaR).{nearer} The 90 % are an asymptotic value; at this"
        f" number of scenarios it is {level:.0%} of them with probability 0.95"
        f" ({best['guarantee']} guarantee, for a simulator chosen in advance and independent"
        " scenarios).\n"
    )


def _certain(results: Results, best: dict, form: str) -> str:
    """Say what each guarantee makes of the 90 % point, and how much clusters matter."""
    keys = ("simulator", "confidence_set", "gamma", "discrepancy")
    levels = results.levels(k=form, **{key: best[key] for key in keys})
    said = [
        f"{levels[name]['level']:.0%} {what}" for name, what in LEVELS.items() if name in levels
    ]
    text = f"With probability 0.95 that bound covers, of all scenarios, {'; '.join(said)}."
    if CONFIDENCE_SETS[best["confidence_set"]].guarantee != "proven":
        text += " The set's own coverage is approximate, and so is all of this."
    if "held_out" in levels:
        held = levels["held_out"]
        text += (
            f" On scenarios held out, it covered {held['level']:.0%} against what everyone"
            " answered."
        )
    known = levels["simultaneous"]
    if known["icc"] is not None:
        text += (
            f" Intraclass correlation of the upper discrepancy in {known['n_clusters']} clusters:"
            f" {known['icc']:.2f}, design effect {known['design_effect']:.1f}."
        )
    return f"{text}\n"


def _worth(results: Results) -> str:
    """Say how many people each simulator is worth."""
    worth = "; ".join(
        f"{escape(row['simulator'])} {row['kappa_hat']:.0f}"
        + (" or more" if row["k_hat"] == row["k_max"] else "")
        for row in results.sample_sizes
    )
    if not worth:
        return ""
    return (
        f"**Equivalent human sample size** (intervals by Hoeffding's inequality, dilated by 3):"
        f" {worth}.\n"
    )


def _next_study(results: Results) -> str:
    """Say what a study of the closest simulator costs that comes as near as any planned one can.

    The simulator is that of the first planned discrepancy's first sentence.
    """
    if not results.step["plan"]:
        return ""
    plan = results.step["plan"]
    discrepancy = next(iter(plan["pairs"]))
    closest = _rows_of(results, discrepancy, results.main_forms[0])[0]["simulator"]
    chosen = results.plan_set(discrepancy)
    cell = {"simulator": closest, "discrepancy": discrepancy, "confidence_set": chosen}
    rows = having(results.plans, cell)
    if not rows:
        return ""
    tail = "" if plan["tail"] == 1 else f" over the worst {100 * plan['tail']:g} %"
    what = f"mean{tail} ({'CVaR' if tail else 'AUC'})"
    reached = [row for row in rows if row["cheapest"]]
    known = f"**The next study.** To know the {what} of {escape(closest)}"
    approximate = (
        " Approximate, with this study's shares as the population; scenarios are independent, each"
        " with people of its own.\n"
    )
    if not reached:
        nearest = min(row["smallest_width"] for row in rows)
        return (
            f"{known} within {max(plan['width']):g}, no number of scenarios is enough: the nearest"
            f" that studies with the grid's γ come is {nearest:.2g}.{approximate}"
        )
    row = min(reached, key=lambda row: row["width"])
    draws = "" if row["k"] == STATED else f" and {row['k']} draws"
    return (
        f"{known} within {row['width']:g} with probability {row['probability']:g}, m = {row['m']:,}"
        f" scenarios with n = {row['n']:,} people{draws} each would do (γ = {row['gamma']},"
        f" cost {row['cost']:,.0f}).{approximate}"
    )


def _missing_answers(results: Results) -> str:
    """Say who left how many answers out."""
    lacking = [row for row in results.nonresponse if float(row["nonresponse"]) > 0]
    if not lacking:
        return ""
    rows = [
        [
            escape("people" if row["source"] == HUMAN else row["source"]),
            f"{float(row['asked']):,.0f}",
            f"{float(row['nonresponse']):.1%}",
            "; ".join(
                f"{reason} {float(row[reason]):,.0f}" for reason in REASONS if float(row[reason])
            ),
            f"{float(row['worst_nonresponse']):.1%} in {escape(row['worst_scenario'])}",
        ]
        for row in lacking
    ]
    return (
        "**Missing answers.** Whoever leaves answers out is judged by those given; nothing is known"
        " of the others.\n\n"
    ) + _list_table(["source", "asked", "missing", "why", "most"], rows)


def _elsewhere(results: Results) -> str:
    """Say how much of its probability a language model gave to none of the options."""
    shares = {
        row["source"]: float(row["elsewhere"]) for row in results.nonresponse if row["elsewhere"]
    }
    if not shares:
        return ""
    told = "; ".join(f"{escape(name)} {share:.0%}" for name, share in shares.items())
    return (
        "**Beside the options.** A model's stated probabilities are those of the options' letters, "
        f"made to sum to one. All other tokens had, on average: {told}.\n"
    )


def _table(rows: list[dict]) -> str:
    header = ["simulator", "mean (AUC)", "90 % below", "worst 10 % (CVaR)", "scenarios"]
    return _list_table(
        header,
        [
            [
                escape(row["simulator"]),
                *(f"{float(row[key]):.3f}" for key in ("auc", "var_90", "cvar_90")),
                row["m"],
            ]
            for row in rows
        ],
    )


def _list_table(header: list[str], rows: list[list[str]]) -> str:
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for cells in [header, *rows]:
        lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(cells)]
    return "\n".join([*lines, ""])


def _shares(results: Results, best: dict) -> str:
    n = str(results.step["comparison"]["n"][-1])
    rows = results.pair_rows(n, best["k"], best["discrepancy"])
    pairs = "; ".join(
        f"as {escape(row['other'])} on {float(row['share']):.0%}"
        f" ({float(row['plugin_share']):.0%} by plug-in)"
        for row in rows
        if row["simulator"] == best["simulator"]
    )
    if not pairs:
        return ""
    return (
        f"{escape(best['simulator'])} is at least as close to people {pairs} of the scenarios."
        " The first number is guaranteed asymptotically, for each pair by itself; the plug-in"
        " has no guarantee.\n"
    )


def _worst(results: Results, row: dict, path: str) -> str:
    """Name the scenarios on which a simulator may be farthest from people."""
    table = tables.read(path, tables.PSEUDO_DISCREPANCY)
    cell = {key: row[key] for key in ("simulator", "k", "confidence_set", "discrepancy")}
    cell["gamma"] = parse_sides(results.step["gamma"][0]).upper.label
    for key, label in cell.items():
        table = table.filter(among(table[key], [label]))
    table = table.filter(pc.equal(table["replicate"], 0))
    upper = numbers(table["upper"])
    many = max(1, round(WORST * len(upper)))
    worst = np.argsort(-upper, kind="stable")[:many]
    place = codes(table["scenario"], results.scenario_names)[worst]
    clusters = Counter(results.clusters[j] for j in place)
    spread = ", ".join(f"{escape(name)} {many}" for name, many in clusters.most_common(6))
    lines = [
        f"The worst 10 % of the scenarios for **{escape(row['simulator'])}**, by"
        f" {escape(results.step['cluster'])}: {spread}. The worst of them:",
        "",
    ]
    for j, i in list(zip(place, worst, strict=True))[:LISTED]:
        lines.append(f"- {escape(results.descriptions[j])}: at most {upper[i]:.3f}")
    return "\n".join([*lines, ""])
