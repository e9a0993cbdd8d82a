"""The section on groups of people: its numbers are the tables', and it says what these settle."""

import re
from types import SimpleNamespace

import pytest

from fidelity_study.report.page.groups import group_section, sentences
from fidelity_study.report.page.render import _environment
from fidelity_study.report.units import Unit
from fidelity_study.tables.ingest import BETWEEN

AGES = ("18-29", "30-49", "65+")
FORM = {"simulator": "model", "discrepancy": "tv", "k": "50"}


def row(group, low, high, near, grouping="age", answers="true", *, alike=False):
    """Return a row of by_group whose interval reaches .02 beyond its bounds."""
    return {
        **FORM,
        "answers": answers,
        "grouping": grouping,
        "group": group,
        "lower": low,
        "upper": high,
        "ci_lower": low - 0.02,
        "ci_upper": high + 0.02,
        "may_be_nearest": near,
        "alike": alike,
    }


def pair(group, other, farther, grouping="age", answers="true"):
    names = {"grouping": grouping, "group": group, "other": other, "farther": farther}
    return {**FORM, "answers": answers, **names}


def results_of(by_group, between_groups):
    return SimpleNamespace(
        by_group=by_group,
        between_groups=between_groups,
        is_conjoint=False,
        condition="arm",
        main_form=lambda name: "50",
        named=lambda name: name,
        kind="categorical",
        scale=(0.0, 1.0),
        level="95 %",
    )


def ages(*near, alike=False):
    far = {"18-29": 0.04, "30-49": 0.06, "65+": 0.3}
    return [row(age, far[age], far[age] + 0.03, age in near, alike=alike) for age in AGES]


def pairs(*farther):
    ends = ("18-29", "30-49"), ("18-29", "65+"), ("30-49", "65+")
    return [pair(*two, far) for two, far in zip(ends, farther, strict=True)]


def said(rows, between, **options):
    found = sentences(results_of(rows, between), "tv", "model", **options)
    return [re.sub("[\u2068\u2069]", "", text) for text in found]


@pytest.mark.parametrize(
    ("near", "farther", "alike", "text"),
    [
        (AGES[:2], (None, "65+", "65+"), False, "model is farther from 65+ than from 18-29 and"),
        (AGES[:2], (None, "65+", None), False, "from some other group; 18-29 or 30-49 may be near"),
        (AGES, (None, None, None), False, "From which group by age model is farther is not settl"),
        (AGES[:2], (None, "65+", "65+"), True, "may be nearest to 18-29 or 30-49, not to 65+."),
        (AGES, (None, None, None), True, "model (the same answers for all) resembles is not settl"),
    ],
)
def test_the_sentence_says_what_is_settled(near, farther, alike, text):
    (sentence,) = said(ages(*near, alike=alike), pairs(*farther))
    assert text in sentence


def test_conditions_of_an_experiment_are_not_groups_of_people():
    rows = [
        row(group, 0.1, 0.2, True, grouping)
        for grouping in ("arm", "age and arm")
        for group in AGES
    ]
    rows = [{**one, "grouping": one["grouping"].replace(" and ", BETWEEN)} for one in rows]
    assert not list(said(rows, []))
    assert len(list(said([*rows, *ages("18-29")], []))) == 1


def test_groups_that_are_not_compared_are_not_called_alike():
    (sentence,) = said([row(age, 0.1, 0.2, None) for age in AGES], [])
    assert "not compared with each other" in sentence


def test_what_is_behind_the_draws_decides_not_the_luck_of_few_draws():
    drawn = [{**one, "answers": "drawn", "may_be_nearest": True} for one in ages(*AGES)]
    rows, between = ages(*AGES[:2]), pairs(None, "65+", "65+")
    both = [*drawn, *rows], [*(pair(*AGES[:2], "30-49", answers="drawn"),), *between]
    assert said(*both) == said(rows, between) != said(drawn, between)


def test_groups_of_several_columns_are_left_out_of_the_verdict():
    cells = [row(f"{age} | north", 0.1, 0.2, near=True, grouping="age | region") for age in AGES]
    rows = [*ages(*AGES), *cells]
    between = [*pairs(None, None, None), pair("a | north", "b | north", None, "age | region")]
    assert len(said(rows, between)) == 2 and len(said(rows, between, most=1)) == 1
    assert "by age × region" in said(rows, between)[1]


def test_intervals_of_the_page_are_those_of_the_table():
    rows = ages(*AGES[:2])
    table = SimpleNamespace(
        results=results_of(rows, pairs(None, "65+", "65+")),
        discrepancy="tv",
        tested=[SimpleNamespace(name="model", label="model"), SimpleNamespace(name="b", label="b")],
    )
    section = group_section(table)
    (panel,) = section.panels  # of b there are no rows
    for group, one in zip(panel.groupings["age"], rows, strict=True):
        assert group.label == one["group"]
        ends = 100 * one["ci_lower"], 100 * one["ci_upper"]
        assert group[1:] == pytest.approx((50 * (one["lower"] + one["upper"]), *ends))
        assert group.upper < section.drawn_to
    view = SimpleNamespace(
        groups=section,
        results=table.results,
        screen=SimpleNamespace(unit=Unit.of(table.results, "tv")),
    )
    each = SimpleNamespace(results=SimpleNamespace(colour=lambda name: "#123456"))
    page = _environment(html=True).get_template("groups.html").render(view=view, each=each)
    assert re.findall(r'class="hidden">([^<]*)<', page) == ["6 (2–9)", "8 (4–11)", "32 (28–35)"]
    assert "answers of 100 to change" in page


def test_without_groups_there_is_no_section():
    table = SimpleNamespace(results=results_of([], []), discrepancy="tv", tested=[])
    assert group_section(table) is None
