"""The step that judges the uses that other steps measured, and the card that is made of it."""

from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest
import two_questions

from fidelity.structure import Interval
from fidelity.uses import USES, as_normal, card, judged_together
from fidelity.uses.joint import deciding_ends
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.report.page.uses import SHOWN, Card
from fidelity_study.report.summaries import Counts
from fidelity_study.report.units import Unit
from fidelity_study.steps.structure import REPLICATES
from fidelity_study.steps.uses import use_tables
from fidelity_study.tables.common import as_read
from fidelity_study.tables.uses import CARD, FORMS, HEADINGS, JudgedUse, measured

NEAR, FAR, OPEN = Interval(0.02, 0.0, 0.04), Interval(0.3, 0.25, 0.35), Interval(0.09, 0.06, 0.12)


def step(declared=(), limits=None, simulators=("a", "b")):
    return {
        "simulators": [*simulators, "uniform"],
        "uses": {"declared": list(declared), "limits": limits or {}},
        "test": {"alpha": 0.05},
    }


def use(name, interval):
    limit = 0.1
    return USES[name].judged(as_normal(interval), limit)


def rows_of(found, settings=None):
    """Return the rows of the table by simulator and use; ``found`` has their intervals."""
    parts = [
        [measured(simulator, use(name, interval)) for (simulator, name), interval in found.items()]
    ]
    made, _ = use_tables(parts, settings or step())["uses"]
    return {(row["simulator"], row["use"]): row for row in as_read(made, CARD)}


FOUND = {
    ("a", "shares"): NEAR,
    ("a", "regressions"): FAR,
    ("a", "relations"): OPEN,
    ("b", "shares"): OPEN,
    ("uniform", "shares"): NEAR,
}


def test_verdicts_are_those_of_the_library():
    rows = rows_of(FOUND)
    listed = {
        simulator: [use(name, one) for (who, name), one in FOUND.items() if who == simulator]
        for simulator in ("a", "b")
    }
    expected = {(row.simulator, row.use.name): row.verdict for row in card(listed)}
    assert {key: rows[key]["verdict"] for key in expected} == expected
    assert not any(simulator == "uniform" for simulator, _ in rows)
    assert len(rows) == 2 * (len(USES) - 1), "that of scores is of evaluations"
    absent = rows["b", "persons"]
    assert absent["verdict"] == "not measured" and "same persons" in absent["needs"]


def test_only_declared_uses_count_and_the_fewer_the_surer():
    interval = Interval(0.05, 0.0, 0.094)  # within by itself
    many = {(name, use): interval for name in "ab" for use in ("shares", "relations", "groups")}
    alone = rows_of(many, step(["shares"], simulators=["a"]))
    assert alone["a", "shares"]["verdict"] == "within"
    assert alone["a", "relations"]["verdict"] == "not asked"
    assert not alone["a", "relations"]["is_chosen"]
    every = rows_of(many)
    assert every["a", "shares"]["verdict"] == "open" and every["a", "shares"]["alone"] == "within"


def test_a_bar_within_its_limit_that_is_open_reaches_beyond_it_among_all():
    near = Interval(0.05, 0.0, 0.094)
    (row,) = card_of({(name, "groups"): near for name in "ab"}).rows
    assert (row.verdict, row.texts["verdict"]) == ("open", "open (within by itself)")
    assert row.upper < row.limit < row.last
    assert card_of({("a", "groups"): near}, ["groups", "shares"]).rows[1].last > row.limit
    assert not card_of({("b", "groups"): near}, ["groups"]).rows[0].ends


def test_what_is_declared_counts_where_it_was_not_measured():
    interval = Interval(0.05, 0.0, 0.0985)
    found = {("a", "shares"): interval}
    one = rows_of(found, step(["shares"], simulators=["a"]))
    two = rows_of(found, step(["shares", "persons"], simulators=["a"]))
    assert one["a", "shares"]["verdict"] == "within" and two["a", "shares"]["verdict"] == "open"


@pytest.mark.parametrize("p", [[], [0.02], [0.02, 0.03], [0.001, 0.02, 0.9]])
def test_judged_together_is_holm(p):
    found = judged_together(p, np.ones(len(p)))
    order, expected = np.argsort(p), ["open"] * len(p)
    for rank, place in enumerate(order):
        if p[place] * (len(p) - rank) > 0.025:
            break
        expected[place] = "within"
    assert found == expected
    if p:
        assert judged_together(p, np.ones(len(p)), tests=100) == ["open"] * len(p)


@pytest.mark.parametrize("seed", range(4))
def test_deciding_ends_are_on_the_side_of_the_limit_that_the_verdict_says(seed):
    """Of normal errors without being put there, whatever the number of uses."""
    rng = np.random.default_rng(seed)
    known = [Interval(at, at - by, at + by) for at, by in rng.uniform(0, [0.3, 0.1], (9, 2))]
    verdicts = [
        row.verdict for row in card({str(i): [use("shares", at)] for i, at in enumerate(known)})
    ]
    many = tuple(9 - verdicts.count(verdict) for verdict in ("within", "beyond"))
    assert {*verdicts} == {"within", "open", "beyond"}
    for interval, verdict in zip(known, verdicts, strict=True):
        lower, upper = deciding_ends(interval, 0.1, verdict, many)
        assert (upper < 0.1, lower > 0.1) == (verdict == "within", verdict == "beyond")
        assert lower <= max(0.0, interval.lower) and upper >= interval.upper
    assert deciding_ends(Interval(0.05, 0.0, 0.098), 0.1, "within", (9, 9))[1] == 0.1
    assert deciding_ends(OPEN, 0.1, "open", (1, 1)) == pytest.approx(OPEN[1:])


CLOSER = {"farther": ("a", "uniform"), "closer": ("uniform", "a")}


def card_of(found, declared=(), counts=(8, 2, 0), guess="farther"):
    """Return the card of simulator a; ``guess`` tells where a uniform guess is beside it."""
    settings = step(declared)
    rows = rows_of(found, settings)
    results = SimpleNamespace(
        uses=list(rows.values()),
        nouns="questions",
        clustered=False,
        step=settings,
        scale=(0.0, 1.0),
        kind="categorical",
        named=str,
        simulators=["a", "b", "uniform"],
        relations=lambda name: {"slope": 0.98},
        structure=[],
        regressions=[
            {
                "simulator": "a",
                "regression": None,
                "lacking": None,
                "slopes": 4,
                "opposite": 2,
                "same": 1,
            }
        ],
        effect_summary=[],
        twins=[],
    )
    table = SimpleNamespace(
        tested=[SimpleNamespace(name="a"), SimpleNamespace(name="b")],
        named=lambda name: SimpleNamespace(unanswered=0.0),
        baselines=[],
        certainly_closer=lambda one, two: CLOSER.get(guess) == (one, two),
        has_named_tolerance=False,
        counts=lambda summary: Counts(*counts) if counts else None,
    )
    return Card(results, "a", table, Unit.of(results, "tv"))


def test_the_headline_names_what_it_is_for_and_what_not():
    made = card_of(FOUND)
    assert (
        made.headline("a") == "Use a for shares of answers to these questions; not for regressions."
    )
    assert [row.verdict for row in made.rows] == ["within", "open", "beyond"]
    shares, relations, regressions = made.rows
    assert (shares.title, shares.ends) == ("Shares of answers to these questions", "0–4")
    assert shares.line == "by question: 8 within, 2 open, 0 beyond"
    assert regressions.line == "2 of 4 slopes have the wrong sign"
    assert relations.line.endswith(" times the people and simulated answers")
    assert shares.limit == pytest.approx(33.33) and regressions.upper == 100.0
    assert all(len(row.line.split()) <= 8 for row in made.rows)
    assert shares.last < shares.limit < relations.last and regressions.first > regressions.limit


@pytest.mark.parametrize(
    ("found", "headline"),
    [
        ({("a", "shares"): FAR}, "Don't use a for shares of answers to these questions."),
        ({("a", "shares"): OPEN}, "What a may be used for is not settled."),
        ({("b", "shares"): NEAR}, "What a may be used for was not measured."),
        (
            {("a", "shares"): NEAR, ("a", "groups"): NEAR},
            "Use a for shares of answers to these questions and ",
        ),
    ],
)
def test_headlines_of_other_cards(found, headline):
    assert card_of(found).headline("a").startswith(headline)


def test_what_a_uniform_guess_does_better_is_no_use():
    made = card_of(FOUND, guess="closer")
    assert (
        made.headline("a") == "Don't use a for shares of answers to these questions or regressions."
    )
    assert made.rows[0].line == "no use: a uniform guess is closer"
    alone = card_of({("a", "shares"): NEAR}, guess="closer")
    assert alone.headline("a") == "A uniform guess is closer to people than a."
    assert alone.todo == "keep asking people, or correct it."


@pytest.mark.parametrize(
    ("found", "upper", "line"),
    [
        (NEAR, 0.09, "a uniform guess is within, too"),
        (FAR, 0.09, "a uniform guess is within"),
        (NEAR, 0.2, "by question: 8 within, 2 open, 0 beyond"),
    ],
)
def test_a_guess_that_is_within_the_limit_is_told(found, upper, line):
    made = card_of({("a", "shares"): found})
    made.table.baselines.append(SimpleNamespace(name="uniform", interval=(0.0, upper)))
    assert [row.line for row in made.rows] == [line]


def test_a_naive_answer_that_may_do_as_well_is_told_in_the_headline():
    made = card_of(FOUND, guess="as close")
    shares = "for shares of answers to these questions"
    assert (
        made.headline("a")
        == f"Don't use a for regressions; {shares} a uniform guess may do as well."
    )
    assert made.rows[0].line == "but a uniform guess may do as well"
    alone = card_of({("a", "shares"): NEAR}, guess="as close")
    assert alone.headline("a") == f"F{shares[1:]} a uniform guess may do as well as a."
    both = card_of({("a", "shares"): NEAR, ("a", "groups"): NEAR}, guess="as close")
    use = "Use a for differences between groups"
    assert both.headline("a") == f"{use}; {shares} a uniform guess may do as well."


def test_a_column_with_a_heading_is_on_the_card_and_in_findings(monkeypatch):
    assert {column.name for column in fields(JudgedUse)} - {"counts"} <= {*CARD.names}
    without, beside = card_of(FOUND).as_table, [row.beside for row in card_of(FOUND).rows]
    monkeypatch.setitem(HEADINGS, "times", "so many times")
    monkeypatch.setitem(FORMS, "times", "{:.0f}")
    texts = ["–", "18", "–"]
    expected = [[*old, ("so many times", text)] for old, text in zip(beside, texts, strict=True)]
    assert [row.beside for row in card_of(FOUND).rows] == expected
    shown = card_of(FOUND).as_table
    assert shown.header == [*without.header[:-1], "so many times", ""]
    rows = zip(without.rows, texts, strict=True)
    assert shown.rows == [[*row[:-1], text, row[-1]] for row, text in rows]


def test_the_card_says_what_was_not_asked_and_what_to_bring():
    made = card_of(FOUND, ["shares", "persons"])
    assert [row.use for row in made.rows] == ["shares", "persons"]
    assert made.rows[1].line == "bring twins of the same persons" and made.rows[1].ends == ""
    assert made.not_asked == ["Relations between answers", "Regressions"]
    titles, cells = card_of(FOUND).matrix
    assert titles[0] == "Shares of answers to these questions"
    assert cells == [
        ("a", ["within", "open", "beyond"]),
        ("b", ["open", "not measured", "not measured"]),
    ]
    assert ("telling persons apart", "twins of the same persons") in card_of(FOUND).lacking
    made = card_of({("a", "shares"): NEAR})
    assert ("relations between answers", "answers by person on both sides") in made.lacking
    made.results.structure.append({"lacking": REPLICATES})
    assert ("relations between answers", REPLICATES) in made.lacking


def test_every_use_of_the_library_is_shown():
    assert {*SHOWN} == {*USES}


def config(**settings):
    return Study(two_questions.config("town", **settings)).datasets["town"]["uses"]


def test_a_config_declares_uses_with_or_without_limits():
    assert config() == {"declared": [], "limits": {}}
    assert config(uses=["shares", "groups"]) == {"declared": ["shares", "groups"], "limits": {}}
    found = config(uses={"regressions": 0.2, "shares": None})
    assert found == {"declared": ["regressions", "shares"], "limits": {"regressions": 0.2}}
    with pytest.raises(DataError, match="uses"):
        config(uses=["share"])
