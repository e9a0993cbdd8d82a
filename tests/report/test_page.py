"""The report in a browser: its numbers are the tables', every control answers, nothing is live."""

import csv
import re
from itertools import pairwise
from types import SimpleNamespace
from urllib.parse import quote

import numpy as np
import pytest
from browsers import severe_errors
from markupsafe import Markup
from pages import Page
from selenium.webdriver.support.ui import WebDriverWait
from small_study import ECHO, QUESTION, STUDY, TWIN

from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.page.files import asset
from fidelity_study.report.page.first_screen import OptionRow, QuestionCard
from fidelity_study.report.page.render import _environment
from fidelity_study.steps.limits import STEPS

MOST_WORDS = 90


@pytest.fixture(scope="module")
def small(small_study, browser):
    return Page(browser, small_study.report())


@pytest.mark.slow
def test_every_control_works_and_every_question_opens_in_a_study_with_hostile_names(small):
    small.open().requests()
    assert small.use_every_control() > 40
    assert small.open_every_question() > 30
    small.assert_nothing_is_live()
    assert small.requests() == []


@pytest.mark.slow
def test_names_are_shown_as_they_are(small):
    words = small.open().one("body").text
    for name in (TWIN, ECHO, STUDY["datasets"]["survey"]["title"]):
        assert " ".join(name.split()) in words
    texts = [each.text.splitlines()[0] for each in small.all("#survey [data-wall] h4") if each.text]
    assert re.fullmatch(re.escape(QUESTION).replace("Q\\{\\}", r"Q\d+"), texts[0])
    assert not small.all("#survey h4 b, #survey h4 i, #survey th b, #survey th i")


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["personality", "survey"])
def test_every_number_of_the_first_screen_and_of_all_questions_is_the_tables(
    small_study, small, dataset
):
    view = Dataset(dataset, small_study.results(STUDY, dataset)).views[0]
    unit, lists = view.screen.unit, small_study.table(f"{dataset}/comparison/lists.parquet")
    means = small_study.table(f"{dataset}/comparison/mean_discrepancy.parquet")
    means = means[(means["tail"] == 1.0) & (means["target"] == "asked")]
    shown = small.open().ranking(dataset)
    assert {row["name"] for row in shown} == {own.name for own in view.of.every}
    for row in shown:
        form = view.results.main_form(row["name"])
        (mean,) = means[
            (means["simulator"] == row["name"])
            & (means["k"] == form)
            & (means["discrepancy"] == view.of.discrepancy)
            & ((form == "stated") | (means["answers"] == "drawn"))
        ].to_dict("records")
        ends = unit.range(unit.value(mean["ci_lower"]), unit.value(mean["ci_upper"]))
        assert row["told"].endswith(f"({ends})")
        own = lists[(lists["simulator"] == row["name"]) & (lists["k"] == form)]
        own = own[own["discrepancy"].eq(view.of.discrepancy) & own["tolerance"].eq(0.1)]
        if len(own):
            assert row["counts"]["beyond"] == (own["verdict"] == "beyond").sum()
            assert sum(row["counts"].values()) == len(own)
    assert_cards(small, view, dataset, shown)


def assert_cards(small, view, dataset, shown):
    """The cards of each simulator have the gaps and distances of the tables, the worst first."""
    for row in shown:
        small.set(small.one(f"#{dataset} [data-who]"), row["name"])
        own = {card.index: card for card in view.screen.cards(row["name"])}
        cards = small.cards(dataset)
        assert len(cards) == len(own) == view.results.m
        far = [own[card["i"]].distance for card in cards]
        known = [x for x in far if x is not None]
        assert known == sorted(known, reverse=True) and None not in far[: len(known)]
        for card in (card for card in cards if not card["hidden"]):
            wanted = own[card["i"]]
            assert card["options"] == [" ".join(each.label.split()) for each in wanted.options]
            gaps = [int(gap.replace("−", "-").replace("–", "0")) for gap in card["gaps"]]
            assert gaps == pytest.approx([each.gap or 0 for each in wanted.options], abs=0.501)
            if wanted.distance is not None:
                assert card["far"] == view.screen.unit.text(wanted.distance)


@pytest.mark.slow
def test_counts_filters_and_lists_agree_at_every_step_of_the_slider(small_study, small):
    limits = small_study.table("survey/comparison/limits.parquet")
    limits = limits[limits["discrepancy"] == "tv"]
    small.open()
    slider = small.one("#survey .view:not([hidden]) [data-slider]")
    assert slider.get_attribute("max") == str(STEPS - 1)
    for step in range(0, STEPS, 5):
        small.set(slider, step)
        for row in small.ranking("survey"):
            own = limits[limits["simulator"] == row["name"]]
            on = {
                way: {
                    name
                    for name, at in zip(own["scenario"], own[way], strict=True)
                    if sum(each <= step for each in at) % 2
                }
                for way in ("within", "beyond")
            }
            assert row["counts"]["within"] == len(on["within"])
            assert row["counts"]["beyond"] == len(on["beyond"] - on["within"])
    assert small.one("#survey .view:not([hidden]) [data-moved]").is_displayed()


@pytest.mark.slow
def test_an_address_holds_the_state_and_the_back_button_returns_to_it(small_study, small):
    names = small_study.table("personality/scenarios.parquet")["scenario"]
    small.open(
        f"#personality?question={quote(names.iloc[7])}&simulator=uniform&distance=1&limit=12"
    )
    assert small.one("#personality [data-open]").get_attribute("data-i") == "7"
    who = small.one("#personality [data-who]")
    assert who.get_attribute("value") == "uniform"
    small.set(who, "pooled")
    assert "simulator=uniform" not in small.browser.current_url
    small.browser.back()
    assert who.get_attribute("value") == "uniform"
    small.open("#personality?question=nobody%20asked%20this")
    said = small.one("#personality [data-said]")
    assert said.text == "This page has no item nobody asked this."


@pytest.mark.slow
def test_the_first_screen_has_few_words_and_no_third_decimal(small):
    small.open()
    told = small.browser.execute_script(
        """
        const words = [], walk = document.createTreeWalker(document.querySelector("#survey"), 4);
        while (walk.nextNode()) {
          const parent = walk.currentNode.parentElement;
          if (parent.closest("[translate=no], .hidden, option, .more, .questions, .uses")) continue;
          if (parent.checkVisibility()) words.push(walk.currentNode.textContent);
        }
        return words.join(" ");
        """
    )
    assert len(re.findall(r"[A-Za-z][\w'’-]*", told)) <= MOST_WORDS, told
    assert not re.search(r"\d\.\d{3}", told)
    assert "surely" not in told


@pytest.mark.slow
def test_without_javascript_every_picture_and_every_question_is_there(small_study, small):
    small.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        small.browser.get(small.path.as_uri())
        cards = small.all("#survey [data-wall] .card")
        assert len(cards) == len(small_study.table("survey/scenarios.parquet"))
        assert all(card.is_displayed() for card in cards)
        assert small.all("#survey .scatter")[0].is_displayed()
        assert small.all("#survey .lines path.line")
    finally:
        small.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.slow
def test_data_are_saved_and_not_what_is_displayed(small, downloads):
    for kind in ("ranking", "questions"):
        small.open()
        small.click(small.all(f"#survey [data-data={kind}]")[0])
        path = downloads / f"survey_{kind}.csv"
        WebDriverWait(small.browser, 10).until(lambda _, path=path: path.exists())
        rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
        names = {row["name" if kind == "ranking" else "simulator"] for row in rows}
        assert {TWIN, ECHO} <= names
        if kind == "ranking":
            assert all(float(row["lower"]) <= float(row["distance"]) for row in rows)
        else:
            assert all(0 <= float(row["people"]) <= 1 for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["personality", "survey", "ratings"])
def test_a_dash_in_the_findings_is_explained_once(small_study, dataset):
    text = (small_study.folder / f"results/default/{dataset}/findings.md").read_text("utf-8")
    assert text.count("A dash (–) stands for") == ("| – |" in text)
    assert dataset != "survey" or "| – |" in text


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1101, 1920])
def test_the_page_fits_every_screen_and_no_label_is_cut(small, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    small.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        small.open()
        wide = small.browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width
        assert small.cut() == {"cut": [], "outside": [], "hidden": []}
    finally:
        small.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


HEADS_AND_CELLS = ":is(.data, .rank, .matrix, .card) :is(th, td, text):not(:has(svg, .hidden))"


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, True])
def test_paper_has_every_head_axis_and_column_of_what_is_asked_for(small, tmp_path, whole):
    small.open()
    if whole:
        opening = "document.querySelectorAll('details').forEach((each) => { each.open = true })"
        small.browser.execute_script(f"window.print = () => {{}}; {opening}")
        small.browser.find_element("css selector", "[data-print]").click()
    paper = small.printed(tmp_path / "page.pdf")
    rest = "" if whole else ":not(:is(.questions, .view.more) *)"
    plain = [text for text in small.texts(HEADS_AND_CELLS + rest) if text.isascii()]
    assert len(plain) > (300 if whole else 100)
    printed = paper.text
    assert not [text for text in plain if "".join(text.split()) not in printed]
    assert ("Whoiscloserthanwhom?" in printed) == whole
    if not whole:
        assert len(paper.pictures(20)) <= 2 * len(STUDY["datasets"])
    assert severe_errors(small.browser) == []


@pytest.mark.slow
def test_paper_is_white_for_who_reads_dark_pages(small, tmp_path):
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    small.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
    try:
        for sheet in small.open().printed(tmp_path / "page.pdf").pictures(20):
            assert sheet.resize((1, 1)).getpixel((0, 0)) >= (215, 215, 215)
    finally:
        small.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.slow
def test_lines_behind_options_are_thin_lines_on_paper(browser, tmp_path):
    """People's intervals are bars, so that nothing else may look like one; no gradient is drawn."""
    options = [OptionRow(label, 0.2, 0.15, 0.25, 0.3) for label in ("agree", "disagree")]
    card = QuestionCard(0, "Buses?", "", "", 90.0, None, None, None, None, options)
    template = (
        "<!DOCTYPE html><style>{{ style }}</style><body data-ready><section class=dataset>"
        "{% import 'parts.html' as parts with context %}"
        "<div class=cards>{{ parts.card(card, screen, none, false) }}</div></section>"
    )
    known = {
        "card": card,
        "screen": SimpleNamespace(topic_texts={}),
        "style": Markup(asset("page.css")),
    }
    text = _environment(html=True).from_string(template).render(known)
    (tmp_path / "card.html").write_text(text, "utf-8")
    paper = Page(browser, tmp_path / "card.html").open().printed(tmp_path / "card.pdf")
    assert b"/ShadingType" not in paper.path.read_bytes()
    (sheet,) = paper.pictures(200)
    grey = np.asarray(sheet, int)
    is_grey = (np.ptp(grey, axis=2) < 20) & (grey.mean(2) < 235) & (grey.mean(2) > 180)
    rows = np.flatnonzero(is_grey.mean(1) > 0.05)
    lines = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    assert [1 <= len(line) <= 4 for line in lines] == [True] * len(options)


@pytest.mark.slow
def test_controls_are_labelled_and_reached_by_keyboard(small):
    small.open()
    unnamed = small.browser.execute_script(
        """
        return [...document.querySelectorAll("input, select, button")]
          .filter((each) => !each.labels?.length && !each.textContent.trim()).length
          + [...document.querySelectorAll("[tabindex]")].filter((each) => each.tabIndex > 0).length
        """
    )
    assert unnamed == 0
    assert small.browser.execute_script("return document.documentElement.lang") == "en"
    levels = [int(each.tag_name[1]) for each in small.all("h1, h2, h3, h4")]
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
