"""Headline, first screen, findings and verdict.json say what the tables of that study say.

Small studies are drawn and made by the product's own steps. What their sentences claim is held
against their tables, by rules written out here; a sentence that no rule knows fails.
"""

import re
import shutil
from dataclasses import dataclass
from functools import cached_property
from html import unescape

import numpy as np
import pandas as pd
import pytest
from drawn_studies import drawn, made
from pages import Page

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity_study.report.page import machine
from fidelity_study.report.page.provenance import provenance
from fidelity_study.report.page.render import Study, _environment, findings
from fidelity_study.report.page.render import page as html
from fidelity_study.report.page.words import plain

DRAWN, IN_A_CHANGE = 300, 20
QUICK = 0, 1, 212  # 212 has effects
MOST_WORDS = 95
UNANSWERED = 0.1
FIRST_SCREEN = '{% import "parts.html" as parts with context %}{% include "first_screen.html" %}'


def text_of(html: str) -> str:
    """Return the words of HTML, on one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).replace("\u00a0", " ").split())


def page_of(dataset, view) -> dict[str, str]:
    """Return headline, leads, next step and tendency of a first screen, as a reader sees them."""
    page = _environment(html=True).from_string(FIRST_SCREEN).render(view=view, each=dataset)
    found = {"page": page}
    for name, pattern in {
        "headline": r"<h2.*?</h2>",
        "leads": r'<p class="lead.*</p>(?=\s*<p class="todo)',
        "todo": r'<p class="todo">.*?</p>',
        "tendency": r"<figcaption><h3 data-tendency.*?</figcaption>",
    }.items():
        match = re.search(pattern, page, re.DOTALL)
        found[name] = text_of(match[0]) if match else ""
    return found


def on_list(p: np.ndarray, level: float, *, dependent: bool) -> int:
    """Return how many are on a list of Benjamini and Hochberg, or of Yekutieli."""
    m, ordered = len(p), np.sort(p)
    times = (1 / np.arange(1, m + 1)).sum() if dependent else 1.0
    fits = ordered * m * times / np.arange(1, m + 1) <= level
    return int(np.flatnonzero(fits).max(initial=-1) + 1)


@dataclass
class Facts:
    """What the tables of a study say of its simulators, by one discrepancy and tolerance."""

    results: object
    discrepancy: str
    tolerance: float

    def table(self, name: str) -> pd.DataFrame:
        """Return a table; an empty one where it was not made."""
        paths = self.results.files.get(name, [])
        paths = paths if isinstance(paths, list) else [paths]
        tables = [pd.read_csv(p) if p.endswith("csv") else pd.read_parquet(p) for p in paths]
        return pd.concat(tables) if tables else pd.DataFrame()

    def shown(self, table: pd.DataFrame, name: str) -> pd.DataFrame:
        """Return the rows of a simulator: what it states, else all of its draws."""
        rows = table[(table["simulator"] == name) & (table["discrepancy"] == self.discrepancy)]
        forms = [*rows["k"].unique()]
        form = "stated" if "stated" in forms else max(forms, key=int, default="")
        return rows[rows["k"] == form]

    @staticmethod
    def as_given(rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows on what was stated, or on the very answers that were drawn."""
        return rows[(rows["k"] == "stated") | (rows["answers"] == "drawn")]

    @cached_property
    def means(self) -> dict[str, dict]:
        """The row of each simulator's mean over these questions."""
        table = self.table("mean_discrepancy")
        table = table[(table["target"] == "asked") & (table["tail"] == 1.0)]
        found = {}
        for name in self.results.simulators:
            rows = self.shown(table, name)
            found[name] = {**self.as_given(rows).iloc[0]}
        return found

    @cached_property
    def counts(self) -> dict[str, tuple[int, int, int]]:
        """Within, open and beyond, by lists made anew of the p-values."""
        lists = self.table("lists")
        repeat = self.results.respondents_repeat is not False
        found = {}
        for name in self.results.simulators:
            rows = self.shown(lists, name)
            rows = rows[np.isclose(rows["tolerance"], self.tolerance)]
            dependent = repeat or name == "pooled"
            level = 0.05 / len(self.results.simulators)
            near = on_list(rows["p_within"].to_numpy(), level, dependent=dependent)
            far = on_list(rows["p_beyond"].to_numpy(), 0.05, dependent=dependent)
            found[name] = near, len(rows) - near - far, far
        return found

    @cached_property
    def unanswered(self) -> dict[str, float]:
        """The share that each left out."""
        rows = self.table("nonresponse").groupby("source")[["asked", "answered"]].sum()
        return (1 - rows["answered"] / rows["asked"]).to_dict()

    def closer(self, one: str, two: str) -> bool:
        """Whether a row of the differences says that one simulator is closer than another."""
        rows = self.table("mean_differences")
        rows = rows[(rows["discrepancy"] == self.discrepancy) & (rows["target"] == "asked")]
        pairs = zip(rows["simulator"], rows["other"], strict=True)
        both = rows[[{*pair} == {one, two} for pair in pairs]]
        return bool(len(both)) and (both["closer"] == one).any()


def under_test(facts: Facts) -> list[str]:
    """Return the simulators that are no baselines."""
    return [name for name in facts.results.simulators if name not in ("uniform", "pooled")]


PHRASES = {
    "shares": r"(?:shares of|mean) answers to these questions(?: in (?:groups|conditions))?",
    "new_questions": r"new questions(?: in (?:groups|conditions))?",
    "groups": "differences between groups",
    "relations": "relations between answers",
    "regressions": "regressions",
    "effects": "sizes of effects",
    "choices": "choosing a message",
    "persons": "telling persons apart",
    "interviews": "fewer interviews",
    "probabilities": "probabilities that come true",
}


OF_A_GUESS = {"shares", "new_questions"}


def by_holm(p: list[float], level: float) -> set[int]:
    """Return the places that Holm's method rejects."""
    found = set()
    for rank, place in enumerate(np.argsort(p, kind="stable")):
        if p[place] * (len(p) - rank) > level:
            break
        found.add(int(place))
    return found


def beside_guess(facts: Facts, first: str, use: str) -> int | None:
    """Return -1 if a simulator is closer than a naive answer, 1 if farther, 0 if open."""
    if use == "effects":
        rows = facts.table("effect_summary")
        here = (rows["simulator"] == first) & (rows["target"] == "these") & (rows["group"] == "")
        low, high = rows.loc[here, ["over_no_effect_lower", "over_no_effect_upper"]].iloc[0]
        return None if np.isnan(low) else -1 if high < 0 else int(low > 0)
    if use in OF_A_GUESS and "uniform" in facts.means:
        return int(facts.closer("uniform", first)) - int(facts.closer(first, "uniform"))
    return None


def hold_card(headline: str, record, facts: Facts, first: str) -> None:
    """Fail unless verdicts on uses are Holm's, and the headline names those of one simulator."""
    table = facts.table("uses")
    table = table[table["verdict"] != "not measured"].reset_index(drop=True)
    within = by_holm(table["p_within"].tolist(), 0.025)
    beyond = by_holm(table["p_beyond"].tolist(), 0.025)
    for place, row in table.iterrows():
        expected = "within" if place in within else "beyond" if place in beyond else "open"
        assert row["verdict"] == expected, row
        ends = row["lower"] > row["limit"], row["upper"] < row["limit"]
        alone = "beyond" if ends[0] else "within" if ends[1] else "open"
        assert row["alone"] == alone
        assert alone == expected or expected == "open"
    own = table[table["simulator"] == first].set_index("use")["verdict"].to_dict()
    told = {use.use: use.verdict for use in record.uses if use.simulator == first}
    assert {use: verdict for use, verdict in told.items() if verdict != "not measured"} == own
    who = facts.results.named(first)
    settled = dict.fromkeys(("within", "beyond", "as naive"), "")
    for part in headline.removesuffix(".").split("; "):
        is_not = part.startswith(("not for ", "Don't use "))
        settled["as naive" if " may do as well" in part else "beyond" if is_not else "within"] += (
            part
        )
    assert who in headline
    beside = {use: beside_guess(facts, first, use) for use in own}
    for use, verdict in own.items():
        if verdict == "within":
            own[use] = {1: "no use", 0: "as naive"}.get(beside[use], verdict)
    if set(own.values()) == {"no use"}:
        assert re.fullmatch(
            f"A (uniform guess|guess of 0) is closer to people than {who}.", headline
        )
        return
    own = {use: "beyond" if verdict == "no use" else verdict for use, verdict in own.items()}
    if set(own.values()) <= {"open"}:
        assert re.fullmatch(
            r"What .* may be used for (is not settled|was not measured)\.", headline
        )
        settled = dict.fromkeys(settled, "")
    for verdict, words in settled.items():
        words = words.replace(who, "")
        named = {use for use, phrase in PHRASES.items() if re.search(rf"\b{phrase}\b", words)}
        assert named == {use for use, one in own.items() if one == verdict}, (headline, own)


def hold_lead(lead: str, facts: Facts, view) -> None:
    """Fail unless numbers and words of a lead hold."""
    first, unit = view.screen.shown.name, view.screen.unit
    row = facts.means[first]
    shown = unit.range(unit.value(row["ci_lower"]), unit.value(row["ci_upper"]))
    assert f" {shown} " in lead or f" {shown};" in lead or f" {shown}." in lead
    near, between, far = facts.counts[first]
    m = near + between + far
    at = re.escape(unit.text(view.screen.limit))
    counted = rf"within on {near} of {m}(?: answered)? [^,.]+, open on {between}, beyond on {far}"
    assert re.search(rf"By question, with a limit of {at}: {counted}", lead)
    if "a uniform guess" in lead:
        as_close = not (facts.closer(first, "uniform") or facts.closer("uniform", first))
        assert ("may be as close" in lead) == as_close


def hold_todo(todo: str, facts: Facts, first: str) -> None:
    """Fail unless the next step fits what is open."""
    table = facts.table("uses")
    own = table[(table["simulator"] == first) & (table["verdict"] == "open")]
    if more := re.search(r"([\d.]+) times the .* would settle ([^.]*)\.", todo):
        (use,) = (use for use, phrase in PHRASES.items() if re.fullmatch(phrase, more[2]))
        times = own.set_index("use").loc[use, "times"]
        assert times <= float(more[1]) <= max(times + 1, 1.1) and times == own["times"].min()
    elif "check again when the model changes" in todo or "keep asking people" in todo:
        assert own.empty


def hold_sentences(sentences: list[str], facts: Facts, best: str) -> None:
    """Fail unless sentences of findings and of verdict.json hold."""
    said = " ".join(sentences)
    row = facts.means[best]
    ends = [
        float(x) for x in re.search(r"([\d.]+) to ([\d.]+) from people on average", said).groups()
    ]
    np.testing.assert_allclose(ends, [row["ci_lower"], row["ci_upper"]], atol=6e-4)
    for words, is_closer in (("closest", True), ("has the smallest distance", False)):
        if f"{words} of " in said:
            answering = [x for x in under_test(facts) if facts.unanswered[x] <= UNANSWERED]
            rivals = [x for x in answering if x != best]
            assert all(facts.closer(best, x) for x in rivals) == is_closer
            if not DISCREPANCIES[row["discrepancy"]].is_square:
                middles = {x: facts.means[x]["lower"] + facts.means[x]["upper"] for x in answering}
                least = max(min(middles.values()), 0.0)  # below 0 all are as near
                assert max(middles[best], 0.0) <= least + 1e-9


def hold(dataset, own: float) -> set[str]:
    """Fail unless all that one study says holds; return its verdicts.

    Words are counted at its own tolerance.
    """
    record = machine.verdict_of(Study("drawn", [dataset], None), "0").datasets[0]
    words = " ".join(findings(dataset).replace("\\", "").replace("**", "").split())
    for view, written in zip(dataset.views, record.views, strict=True):
        facts = Facts(dataset.results, view.of.discrepancy, view.of.tolerance)
        page = page_of(dataset, view)
        assert plain(written.headline) in words  # one headline, in all three
        assert page["headline"] == written.headline.removesuffix(".")
        first = view.screen.shown.name
        hold_card(written.headline, record, facts, first)
        if not dataset.results.is_conjoint:
            hold_lead(page["leads"], facts, view)
        hold_todo(page["todo"], facts, first)
        words_shown = len(f"{page['headline']} {page['leads']}".split())
        assert words_shown <= MOST_WORDS or view.of.tolerance != own
        hold_sentences(written.sentences, facts, view.of.best.name)
        for sentence in [*written.sentences, *written.open]:
            assert " ".join(sentence.split()) in words, sentence
        for one in written.simulators:
            hold_simulator(one, facts)
    return {use.verdict for use in record.uses}


def hold_simulator(one, facts: Facts) -> None:
    """Fail unless what verdict.json says of a simulator holds."""
    row, (near, _, far) = facts.means[one.name], facts.counts[one.name]
    assert (len(one.within), len(one.beyond)) == (near, far)
    mean = [
        row[f"ci_{end}"] if np.isfinite(row[f"ci_{end}"]) else None for end in ("lower", "upper")
    ]
    assert [one.lower, one.upper] == mean
    if one.topics:
        rows = facts.as_given(facts.shown(facts.table("by_cluster"), one.name))
        for end in ("lower", "upper"):  # of the same answers, so that they average to the mean
            assert np.average(rows[end], weights=rows["m"]) == pytest.approx(row[end], abs=1e-9)
            told = {topic.name: getattr(topic, end) for topic in one.topics}
            expected = rows.set_index("cluster")[f"ci_{end}"].to_dict()
            assert told == {name: x if np.isfinite(x) else None for name, x in expected.items()}


@pytest.mark.sampled
@pytest.mark.parametrize("seed", QUICK)
def test_sentences_of_small_studies_hold_against_their_tables(tmp_path, seed):
    hold(*drawn(tmp_path, seed))


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(IN_A_CHANGE), marks=pytest.mark.minutes),
        pytest.param(range(IN_A_CHANGE, DRAWN), marks=pytest.mark.release),
    ],
    ids=str,
)
def test_sentences_of_many_small_studies_hold_against_their_tables(tmp_path, seeds):
    """At three or four tolerances each; all kinds of verdict occur but the best."""
    seen, wrong = set(), {}
    for seed in {*seeds} - {*QUICK}:
        try:
            seen |= hold(*drawn(tmp_path / str(seed), seed))
        except AssertionError as error:
            wrong[seed] = str(error)[:300]
        shutil.rmtree(tmp_path / str(seed))
    assert not wrong, wrong
    assert seen >= {"within", "beyond", "open", "not measured"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shares", "left", "tolerance", "headline"),
    [
        ({"model": 0.0}, {}, 0.1, "Use model for shares of answers to these questions."),
        (
            {"far": 0.3, "near": 0.0},
            {"near": 0.12},
            0.1,
            "Don't use far for shares of answers to these questions or new questions.",
        ),
        (
            {"model": 0.3},
            {},
            0.1,
            "Don't use model for shares of answers to these questions or new questions.",
        ),
    ],
)
def test_a_headline_gives_the_reason_that_holds(tmp_path, shares, left, tolerance, headline):
    """12 questions with people's very shares, or far from them, and answers left out."""
    people, rows = [], []
    for j in range(12):
        yes = 0.66 - 0.02 * j
        people += [(f"q{j}", "yes", 1000 * yes), (f"q{j}", "no", 1000 * (1 - yes))]
        for name, far in shares.items():
            for value, share in (("yes", yes - far), ("no", 1 - yes + far)):
                rows.append((f"q{j}", name, value, round(6000 * share)))
            rows.append((f"q{j}", name, "NA", round(6000 * left.get(name, 0) / 0.88)))
    columns = ["question", "value", "count"]
    pd.DataFrame(people, columns=columns).round().to_csv(tmp_path / "human.csv", index=False)
    table = pd.DataFrame(rows, columns=["question", "simulator", "value", "count"])
    table.to_csv(tmp_path / "simulated.csv", index=False)
    settings = {
        "missing": ["NA"],
        "respondents_repeat": False,
        "outcome": {"kind": "binary"},
        "cluster": "none",
        "simulators": [*shares, "uniform", "pooled"],
        "gamma": "envelope",
    }
    dataset = made(tmp_path, settings)
    (view,) = dataset.views
    page = page_of(dataset, view)
    record = machine.verdict_of(Study("drawn", [dataset], None), "0").datasets[0]
    assert record.headline == headline and page["headline"] == headline.removesuffix(".")
    assert headline in findings(dataset).replace("**", "")
    assert "any simulator" not in page["todo"]


CORNERS = "return document.querySelector('.scatter .band').getAttribute('d')"
SHOWN = """
return [...document.querySelectorAll("[data-unmoved]")].filter((one) => !one.hidden).length;
"""


@pytest.mark.slow
def test_nothing_that_rests_on_the_limit_stays_when_the_limit_is_moved(browser, tmp_path):
    """The next step is hidden, and the scatter's band is as wide as the limit."""
    dataset, _ = drawn(tmp_path, 0, tolerances=())
    screen = dataset.views[0].screen
    top = screen.scatter(screen.shown.name).x.high
    path = tmp_path / "report.html"
    path.write_text(html(Study("drawn", [dataset], provenance({}, {}, "results"))), "utf-8")
    limit = round(200 * dataset.views[0].of.tolerance)

    def width(corners: str) -> float:
        (x0, _), _, _, (x1, _), _, (x, _) = (
            map(float, corner.split()) for corner in corners[1:].split("L")
        )
        return 100 * top * (x - x0) / (x1 - x0)

    shown = Page(browser, path).open()
    (slider,) = shown.all("[data-slider]")
    before, first = browser.execute_script(CORNERS), browser.execute_script(SHOWN)
    assert first and width(before) == pytest.approx(limit / 2, abs=0.3)
    for step in (0, 7, 60):
        shown.set(slider, step)
        assert width(browser.execute_script(CORNERS)) == pytest.approx(step / 2, abs=0.3)
        assert not browser.execute_script(SHOWN)
        assert "before" in shown.one(".headline").get_attribute("class")
        assert "Next" not in shown.one(".todo").text
    shown.click(shown.one("[data-reset]"))
    assert width(browser.execute_script(CORNERS)) == pytest.approx(width(before), abs=0.1)
    assert browser.execute_script(SHOWN) == first and "Next" in shown.one(".todo").text
