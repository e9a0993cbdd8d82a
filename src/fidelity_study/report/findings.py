"""The report's words about one dataset: what the tables say, in plain sentences (reStructuredText).

All numbers are those of the first replicate, since the guarantees are about one. Names that come
from data are escaped character by character, so that none of them can act as markup, as a template
or as HTML.
"""

from collections import Counter

import numpy as np

from fidelity.baselines.base import BASELINES
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.gamma import parse_sides
from fidelity_study.report import single_answers
from fidelity_study.report.results import Results, having, span
from fidelity_study.steps.arrays import codes, first_replicate, numbers, only
from fidelity_study.steps.cluster_warning import FEW
from fidelity_study.steps.draws import STATED_FORM, is_from_people
from fidelity_study.tables.ingest import HUMAN, REASONS
from fidelity_study.tables.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.read_write import read

WORST = 0.1
LISTED = 5
MOST_NAMED = 5
MOST_CLUSTERS = 6
SAME = 1e-9
LEVELS = {
    "exact": "by the exact bound for this point of the curve",
    "simultaneous": "by the bound for all points of the curve at once",
    "paper": "by the paper's Theorem 3.1",
}


def findings(results: Results, pseudo_discrepancy: str) -> str:
    """Return the section of a dataset; ``pseudo_discrepancy`` is the table at the largest n."""
    parts = [_heading(results.step["title"], "-"), _design(results)]
    asked = [_missing_answers(results), _elsewhere(results)]
    if single_answers.are_few(results):
        scores = single_answers.section(results, single_answers.Marks(escape, _list_table))
        return "\n".join([*parts, scores, *asked])
    parts += [
        _of_form(results, each, form, pseudo_discrepancy)
        for each in results.pairs
        for form in results.main_forms
    ]
    return "\n".join([*parts, _worth(results), _next_study(results), *asked])


def escape(text: str) -> str:
    """Return ``text`` with every character that could mean something to a parser escaped."""
    flat = " ".join(text.split())
    return "".join(each if each.isalnum() or each == " " else f"\\{each}" for each in flat)


def _heading(text: str, line: str) -> str:
    escaped = escape(text)
    return f"{escaped}\n{line * max(4, 2 * len(escaped))}\n"


def _design(results: Results) -> str:
    cluster = escape(results.step["cluster"])
    grouped = f" in {results.n_clusters} clusters (by {cluster})" if results.clustered else ""
    missing = [
        f"{escape(name)} in {results.scenarios_of(name)}"
        for name in results.simulators
        if results.scenarios_of(name) < results.m
    ]
    dependence = escape(results.dependence_note)
    of_bounds = [
        f"**{dependence}**" if results.respondents_repeat else dependence,
        escape(results.cluster_note),
        f"Bounds are those of the first of {results.replicates} replicates; summary\\.csv has the"
        " means over all."
        if results.replicates > 1
        else "",
    ]
    single = [escape(results.cluster_note)] if results.one_cluster else []
    notes = [
        f"{results.m} scenarios{grouped}, answered by {escape(results.sizes(results.ns[-1]))}.",
        f"Not every simulator answers everywhere: {'; '.join(missing)}." if missing else "",
        escape(results.weights_note),
        escape(results.smoothing_note),
        *(single if single_answers.are_few(results) else of_bounds),
    ]
    return f"{_sentences(notes)}\n"


def _sentences(parts: list[str]) -> str:
    return " ".join(each for each in parts if each)


def _of_form(results: Results, discrepancy: str, form: str, path: str) -> str:
    """Say what was found with one discrepancy, for one way of answering."""
    rows = _rows_of(results, discrepancy, form)
    lead = _lead(results, rows)
    texts = [
        _settings(results, rows, form),
        _table(results, rows, form),
        _means(results, rows),
        _closest(results, rows),
        _certain(results, lead),
        _shares(results, lead),
        *(_worst(results, row, path) for row in _of_interest(results, rows)),
    ]
    return "\n".join(each for each in texts if each)


def _rows_of(results: Results, discrepancy: str, form: str) -> list[dict]:
    """Return the headline rows of the summary, the lowest curve first."""
    rows = results.summary_rows(
        n=results.ns[-1],
        k=form,
        confidence_set=results.headline_set(discrepancy),
        gamma=results.gammas[0],
        discrepancy=discrepancy,
    )
    return sorted(rows, key=lambda row: row["auc"])


def _lead(results: Results, rows: list[dict]) -> dict:
    """Return the row of the simulator under test whose curve is lowest."""
    names = results.under_test([row["simulator"] for row in rows])
    return next(row for row in rows if row["simulator"] in names)


def _of_interest(results: Results, rows: list[dict]) -> list[dict]:
    """Return the rows of the first simulator under test, and of the one whose curve is lowest.

    Where there are baselines only, of the latter alone.
    """
    lead = _lead(results, rows)
    tested = [row for row in rows if row["simulator"] not in BASELINES] or [lead]
    first = min(tested, key=lambda row: results.simulators.index(row["simulator"]))
    return [first] if first is lead else [first, lead]


def _settings(results: Results, rows: list[dict], form: str) -> str:
    """Name what the rows were computed with."""
    row = rows[0]
    how = "stated probabilities"
    if form != STATED_FORM:
        more = any(row["k"] != STATED_FORM and int(row["k"]) > int(form) for row in results.summary)
        how = f"{int(form):,} draws per scenario" + (", the most that all gave" if more else "")
        how = f"at most {how}" if any(row["k_short"] for row in rows) else how
    name = escape(results.discrepancy_name(row["discrepancy"]))
    return (
        f"**{name[0].upper()}{name[1:]}, {escape(how)}.** Bounds of people's discrepancy from each"
        f" simulator by the confidence set {escape(row['confidence_set'])} with coverage"
        f" γ \\= {escape(row['gamma'])}, lowest mean first:\n"
    )


def _table(results: Results, rows: list[dict], form: str) -> str:
    header = ["simulator", "mean (AUC)", "90 % below", "worst 10 % (CVaR)", "scenarios"]
    cells = [
        [
            escape(row["simulator"]),
            *(_number(row[key]) for key in ("auc", "var_90", "cvar_90")),
            str(row["m"]),
        ]
        for row in rows
    ]
    if form != STATED_FORM:
        header.append("draws in each")
        cells = [[*each, results.draws(row)] for each, row in zip(cells, rows, strict=True)]
    unlike = len({row["m"] for row in rows}) > 1
    note = "Rows that rest on different scenarios do not compare simulators.\n" if unlike else ""
    return f"{_list_table(header, cells)}\n{note}"


def _number(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "∞"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _at_least(share: float) -> str:
    """Return a lower bound in per cent, rounded down."""
    return _percent(np.floor(100 * share + SAME) / 100)


def _list_table(header: list[str], rows: list[list[str]]) -> str:
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for cells in [header, *rows]:
        lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(cells)]
    return "\n".join([*lines, ""])


def _means(results: Results, rows: list[dict]) -> str:
    """Say how far each simulator is on average, and who is closer, without any coverage."""
    form, discrepancy = rows[0]["k"], rows[0]["discrepancy"]
    found = [
        (row["simulator"], results.mean_of(row["simulator"], form, discrepancy)) for row in rows
    ]
    known = [(name, mean) for name, mean in found if mean.get("ci_upper") is not None]
    known = [(name, mean) for name, mean in known if np.isfinite(mean["ci_upper"])]
    if not known:
        return ""
    level = f"{100 * (1 - results.step['test']['alpha']):g} %"
    about = "about " if results.weighted else ""
    means = "; ".join(
        f"{escape(name)} {mean['ci_lower']:.3f} to {mean['ci_upper']:.3f}" for name, mean in known
    )
    cell = {"k": form, "discrepancy": discrepancy, "target": "asked"}
    pairs = having(results.mean_differences, cell)
    closer: dict[str, list[str]] = {}
    for pair in pairs:
        if pair["closer"]:
            names = {pair["simulator"], pair["other"]} - {pair["closer"]}
            closer.setdefault(pair["closer"], []).extend(names)
    settled = "; ".join(
        f"**{escape(name)}** is closer than {_named(others)}" for name, others in closer.items()
    )
    compared = f" All pairs at once: {settled}." if settled else " No pair of them is settled."
    return (
        f"**Mean over these scenarios**, between bounds that need no coverage, with {about}{level}"
        f" confidence: {means}.{compared if pairs else ''}\n"
    )


def _closest(results: Results, rows: list[dict]) -> str:
    """Say which simulator is closest, as far as the comparison of all pairs settles it."""
    if len(rows) < 2:
        return ""
    cell = rows[0]["k"], rows[0]["discrepancy"], results.gammas[0]
    found = [(row["simulator"], results.rank(*cell, row["simulator"], "upper")) for row in rows]
    ranks = {name: rank for name, rank in found if rank}
    if not ranks:
        return (
            "Which simulator is closest on average is not tested: there are no two with finite"
            " bounds in the same scenarios.\n"
        )
    first = [name for name, rank in ranks.items() if rank["first"] == 1]
    infinite = [escape(name) for name, rank in found if not rank]
    m = next(iter(ranks.values()))["m"]
    some = _any_of(first) if len(first) < max(len(ranks), MOST_NAMED) else "any of them"
    others = [name for name in ranks if name not in first]
    farther = f"; {_named(others)} is not" if len(others) == 1 else ""
    farther = f"; {_named(others)} are not" if len(others) > 1 else farther
    over = " over scenarios of new clusters" if results.clustered else ""
    over = " over scenarios of this cluster" if results.one_cluster else over
    said = f"Which simulator is closest on average{over} is not settled: {some} may be{farther}."
    if len(first) == 1 and ranks[first[0]]["last"] == 1:
        said = f"**{escape(first[0])}** is closest on average{over}: rank 1 of {len(ranks)}."
    said += (
        f" Compared are the means of the bounds themselves, all pairs at once, on the {m} scenarios"
        f" that all answer, at the approximate level {results.step['test']['alpha']:g}."
    )
    effective = next(iter(ranks.values()))["effective_clusters"]
    if results.clustered and effective < FEW:
        said += (
            f" With few clusters ({effective:.3g} effective ones) this holds if the clusters' means"
            " are about normally distributed."
        )
    left = f" Left out, as bounds are infinite: {', '.join(infinite)}." if infinite else ""
    return f"{said}{left}\n"


def _any_of(names: list[str]) -> str:
    return _named(names, " or ")


def _named(names: list[str], last: str = " and ") -> str:
    bold = [f"**{escape(name)}**" for name in names]
    return last.join(filter(None, [", ".join(bold[:-1]), bold[-1]]))


def _approximate(results: Results, row: dict) -> bool:
    """Return whether the coverage of a row's bounds is approximate."""
    return results.weighted or CONFIDENCE_SETS[row["confidence_set"]].guarantee != "proven"


def _certain(results: Results, row: dict) -> str:
    """Say what the 90 % point of a simulator means, and what each guarantee makes of it."""
    name = escape(row["simulator"])
    if not np.isfinite(row["var_90"]):
        return f"For **{name}** there is no finite bound on 90 % of the scenarios.\n"
    same = results.of_clusters
    text = (
        f"With {escape(row['confidence_set'])} at γ \\= {escape(row['gamma'])}, **{name}** is at"
        f" most {row['var_90']:.3f} from people on 90 % of the scenarios, and at most"
        f" {_number(row['cvar_90'])} on average over the worst 10 % (CVaR)."
    )
    if results.all_share_people:
        return (
            f"{text} These are values for many scenarios with people of their own. People who"
            " answer several link all of these, so that neither is certain.\n"
        )
    if is_from_people(row["simulator"]):
        return (
            f"{text} Both hold as scenarios{same} become many. As **{name}** is fitted to people's"
            f" answers in other scenarios, the {row['m']} at hand make neither certain.\n"
        )
    text += f" Both hold as scenarios{same} become many."
    keys = ("simulator", "k", "confidence_set", "gamma", "discrepancy")
    levels = results.levels(**{key: row[key] for key in keys})
    said = [
        (_at_least(levels[each]["level"]), what) for each, what in LEVELS.items() if each in levels
    ]
    if said and max(levels[each]["level"] for each in LEVELS if each in levels) > 0:
        (share, how), *others = said
        unknown = results.respondents_repeat is None
        own = " and people answer one scenario each" if unknown else ""
        text += (
            f" From the {row['m']} at hand it is at most {row['var_90']:.3f} on at least {share} of"
            f" all scenarios{same}, {how}: with probability 0.95, if the simulator was chosen in"
            f" advance{own}."
        )
        if others:
            text += f" It is {', and '.join(f'{level} {which}' for level, which in others)}."
    else:
        text += f" From the {row['m']} at hand nothing is certain."
    text += _of_new_clusters(results, levels)
    text += _of_envelope(results, row, levels)
    if _approximate(results, row):
        text += " The confidence set's own coverage is approximate, and so is all of this."
    return f"{text}\n"


def _of_envelope(results: Results, row: dict, levels: dict) -> str:
    """Say within what a simulator certainly is on 90 % of the scenarios, whatever γ is best.

    Where they are too few for that, how likely it is of one new scenario, at the first γ.
    """
    keys = ("simulator", "k", "confidence_set", "discrepancy")
    bound = results.certified(**{key: row[key] for key in keys}).get("certified_var_90")
    if bound is None:
        chance = levels.get("marginal", {}).get("level", 0.0)
        if chance < 0.01:
            return ""
        return (
            f" Of one new scenario it is at most that with a probability of {_at_least(chance)} or"
            " more, over studies like this one."
        )
    return (
        f" With 95 % confidence it is within {bound:.3f} on at least 90 % of all"
        f" scenarios{results.of_clusters}, whatever γ would have been best."
    )


def _of_new_clusters(results: Results, levels: dict) -> str:
    """Say on what share of the scenarios of new clusters the bound holds."""
    if not results.clustered:
        return ""
    if "design_effect" in levels:
        level = _at_least(levels["design_effect"]["level"])
        return f" Of scenarios of new clusters, it holds on approximately {level} or more."
    if "new_cluster" in levels and levels["new_cluster"]["level"] >= 0.01:
        level = _at_least(levels["new_cluster"]["level"])
        return f" Of scenarios of new clusters, it holds on at least {level}."
    if results.shared_people > 1:
        return " Of scenarios of new clusters nothing is certain, since clusters share people."
    if "new_cluster" in levels:
        few = results.n_clusters
        return f" Of scenarios of new clusters nothing is certain: {few} clusters are too few."
    return ""


def _shares(results: Results, lead: dict) -> str:
    """Say on how many scenarios a simulator is as close as others: in the sample, and for sure."""
    n = str(results.step["comparison"]["n"][-1])
    rows = [
        row
        for row in results.pair_rows(n, lead["k"], lead["discrepancy"])
        if row["simulator"] == lead["simulator"]
    ]
    if not rows:
        return ""
    sample = "; ".join(
        f"as {escape(row['other'])} on {_percent(float(row['plugin_share']))}" for row in rows
    )
    certain = "; ".join(
        f"as {escape(row['other'])} on at least {_at_least(float(row['certified_share']))}"
        for row in rows
        if float(row["certified_share"]) >= 0.01
    )
    clusters = [int(row["clusters"]) for row in rows if row["clusters"]]
    whose, few = f"of all scenarios{results.of_clusters}", ""
    if clusters:
        whose = "of scenarios of new clusters"
        few = f" from {span(np.array(clusters))} clusters"
    about = "about " if _approximate(results, lead) else ""
    said = (
        f"Certified {whose}, with probability {about}0.95 for all pairs at once: it is as close"
        f" {certain}."
        if certain
        else f"No share {whose} can be certified{few}."
    )
    return (
        f"**{escape(lead['simulator'])}** is at least as close to people, in this sample:"
        f" {sample} of the scenarios that both answer. {said}\n"
    )


def _worst(results: Results, row: dict, path: str) -> str:
    """Name the scenarios on which a simulator may be farthest from people; ties are no list."""
    table = read(path, PSEUDO_DISCREPANCY)
    cell = {key: row[key] for key in ("simulator", "k", "confidence_set", "discrepancy")}
    cell["gamma"] = parse_sides(results.step["gamma"][0]).upper.label
    table = first_replicate(only(table, **cell))
    upper = numbers(table["upper"])
    order = np.argsort(-upper, kind="stable")
    place = codes(table["scenario"], results.scenario_names)[order]
    upper = upper[order]
    name = f"**{escape(row['simulator'])}**"
    listed = _above_ties(upper, LISTED)
    if listed == 0:
        many = int((upper >= upper[0] - SAME).sum())
        return (
            f"No scenario is the worst for {name}: {many} of {len(upper)} share the largest bound,"
            f" {_number(upper[0])}.\n"
        )
    about = "about " if _approximate(results, row) else ""
    chance = f"each bound holds with probability {about}{escape(row['gamma'])}"
    lines = [f"The scenarios with the largest bounds for {name} ({chance}):", ""]
    lines += [
        f"- {escape(results.descriptions[j])}: bound {_number(bound)}"
        for j, bound in zip(place[:listed], upper[:listed], strict=True)
    ]
    many = _above_ties(upper, max(1, round(WORST * len(upper))))
    if results.clustered and many > 1:
        found = Counter(escape(results.clusters[j]) for j in place[:many]).most_common()
        spread = ", ".join(f"{cluster} {number}" for cluster, number in found[:MOST_CLUSTERS])
        rest = found[MOST_CLUSTERS:]
        spread += f", {sum(number for _, number in rest)} in {len(rest)} others" if rest else ""
        lines += ["", f"The worst {many} of its {len(upper)} scenarios, by cluster: {spread}."]
    return "\n".join([*lines, ""])


def _above_ties(ordered: np.ndarray, most: int) -> int:
    """Return how many of the ``most`` largest are not tied with one that is left out.

    ``ordered`` falls. All that there are can be taken.
    """
    if most >= len(ordered):
        return len(ordered)
    return int((ordered[:most] > ordered[most] + SAME).sum())


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
        "**Equivalent human sample size.** To learn people's mean score, the answers of each"
        " simulator are worth those of about so many people, as these scenarios are (Hoeffding"
        f' intervals, dilated by 3; "or more" where no more draws were tried): {worth}.\n'
    )


def _next_study(results: Results) -> str:
    """Say what a study costs that comes as near as any planned one can.

    Of the simulator under test whose curve is lowest, for the first planned discrepancy.
    """
    if not results.step["plan"]:
        return ""
    plan = results.step["plan"]
    discrepancy = next(iter(plan["pairs"]))
    lead = _lead(results, _rows_of(results, discrepancy, results.main_forms[0]))["simulator"]
    chosen = results.plan_set(discrepancy)
    cell = {"simulator": lead, "discrepancy": discrepancy, "confidence_set": chosen}
    rows = having(results.plans, cell)
    if not rows:
        return ""
    tail = "" if plan["tail"] == 1 else f" over the worst {100 * plan['tail']:g} %"
    what = f"mean{tail} ({'CVaR' if tail else 'AUC'})"
    reached = [row for row in rows if row["cheapest"]]
    form = "stated probabilities" if rows[0]["k"] == STATED_FORM else "drawn answers"
    known = (
        f"**The next study.** To know the {what} of {escape(lead)}'s {form} by the set"
        f" {escape(chosen)}"
    )
    pilot = rows[0]["pilot_scenarios"]
    whose = f"{pilot} of this study's scenarios" if pilot < results.m else "this study"
    approximate = (
        f" Approximate, with the shares of {whose} as the population; scenarios are independent,"
        " each with people of its own.\n"
    )
    if not reached:
        nearest = min(row["smallest_width"] for row in rows)
        return (
            f"{known} within {max(plan['width']):g}, no number of scenarios is enough: the nearest"
            f" that studies with the grid's γ come is {nearest:.2g}.{approximate}"
        )
    row = min(reached, key=lambda row: row["width"])
    draws = "" if row["k"] == STATED_FORM else f" and {int(row['k']):,} draws"
    people = "effective people" if results.weighted else "people"
    return (
        f"{known} within {row['width']:g} with probability {row['probability']:g}, m = {row['m']:,}"
        f" scenarios with n = {row['n']:,} {people}{draws} each would do (γ = {row['gamma']},"
        f" cost {row['cost']:,.0f}, with {plan['costs']['answer']:g} for a person's"
        f" answer).{approximate}"
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
        "**Missing answers.** Each source is judged by the answers that it gave.\n\n"
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
