"""The report in a browser: every control, every question, at every width, and nothing live."""

import csv
import json
import os
import re
import shutil
from itertools import pairwise
from pathlib import Path

import generated
import numpy as np
import pandas as pd
import pytest
import yaml
from browsers import opened_browser, severe_errors
from pages import Page
from small_study import ECHO, QUESTION, REPOSITORY, STUDY, TWIN

from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.page.provenance import provenance
from fidelity_study.report.page.render import Study, page

# A copy of what the data's authors published; what is not there is downloaded.
MIRROR = Path(os.environ.get("FIDELITY_DATA_MIRROR", REPOSITORY.parent / "shared" / "data"))
WIDTHS = {390: 844, 1400: 900, 1920: 1080}
MEGABYTE = 1_000_000
REACTION = 200
FIRST_PAINT = 1000


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def browser(downloads):
    """A browser without a window."""
    with opened_browser(downloads) as driver:
        driver.set_script_timeout(60)
        yield driver


def report_of(project, study="default"):
    return project.folder / "results" / study / "report.html"


@pytest.fixture(scope="module")
def small(small_study, browser):
    return Page(browser, report_of(small_study))


@pytest.fixture(scope="module")
def large(small_study, tmp_path_factory):
    """A study of 1,000 questions and 20 simulators."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "data").mkdir()
    project = small_study.elsewhere(folder, generated.write(folder / "data", 1000, 20))
    project.run()
    return project


def drawn_of(project, config, folder):
    """Return the page of datasets that were run to their findings only."""
    shown = [Dataset(name, project.results(config, name)) for name in config["datasets"]]
    path = folder / "report.html"
    path.write_text(page(Study("default", shown, provenance({}, {}, "results"))), "utf-8")
    return path


@pytest.mark.slow
def test_every_control_works_and_every_question_opens_in_a_study_with_hostile_names(small):
    small.open().requests()
    assert small.use_every_control() > 60
    assert small.open_every_question() > 30
    small.assert_nothing_is_live()
    assert small.requests() == []


@pytest.mark.slow
def test_names_are_shown_as_they_are(small):
    small.open()
    words = small.one("body").text
    for name in (TWIN, ECHO, STUDY["datasets"]["survey"]["title"]):
        assert " ".join(name.split()) in words
    texts = small.browser.execute_script(
        "return [...document.querySelectorAll('#survey .what')].map((each) => each.textContent)"
    )
    assert re.fullmatch(re.escape(QUESTION).replace("Q\\{\\}", r"Q\d+"), texts[0])
    assert not small.all("#survey i b, #survey table b")


@pytest.mark.slow
def test_a_dot_of_the_curve_opens_its_question(small):
    small.open()
    shown = small.browser.execute_async_script(
        """
        const done = arguments[0], view = pages.personality.views[0];
        view.curves.drawing.then(() => {
          const dot = document.querySelector("#personality [data-chart] .mark-symbol path");
          dot.dispatchEvent(new MouseEvent("click", { bubbles: true }));
          setTimeout(() => done([dot.__data__.datum.title, location.hash]), 300);
        });
        """
    )
    detail = small.all("#personality [data-detail] h4")[0].text
    assert shown[0].startswith(detail)
    assert shown[1].startswith("#personality/")


@pytest.mark.slow
def test_a_link_leads_to_its_question(small_study, small):
    names = small_study.table("personality/scenarios.parquet")["scenario"]
    small.open(f"#personality/{names.iloc[7]}")
    assert small.all("#personality [data-detail] dd")[-1].text == names.iloc[7]


def slide(page, view, share):
    """Move the slider of a view to a share of the scenarios; return what is read there."""
    page.browser.execute_script(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))",
        page.one("[data-tau]", view),
        share,
    )
    return page.one("[data-reading]", view).text


@pytest.mark.slow
def test_the_slider_reads_the_bounds_that_hold_with_confidence_and_no_estimate(small_study, small):
    small.open()
    curves = small_study.table("personality/envelope/curves.parquet")
    first = curves[curves["cluster"].isna() & (curves["confidence_set"] == "witness")]
    first = first[(first["discrepancy"] == "squared") & (first["k"] == "stated")]
    for share in (90, 50, 5):
        told = slide(small, small.views[0], share)
        at = first[(first["tau"] - share / 100).abs() < 1e-9].set_index("simulator")
        bounds = {name: at["familywise_upper"][name] for name in ("uniform", "pooled")}
        if not any(bound < np.inf for bound in bounds.values()):
            assert told.startswith(f"No bound is known on {share} % of all items")
            continue
        assert f"On {share} % of all items" in told and "95 % confidence: " in told
        for bound in bounds.values():
            assert f"at most {bound:.3f}" in told if bound < np.inf else "no bound" in told
    assert {"estimate", "bound, 95 % confidence"} <= {
        each.text.strip() for each in small.all("[data-curve] label", small.views[0])
    }


@pytest.mark.slow
def test_a_curve_of_the_same_people_is_read_as_no_bound(small):
    """The same people rate all; the survey's are others in each question."""
    small.open()
    for name in ("ratings", "survey"):
        view = small.one(f"#{name} .view:not([hidden])")
        (note,) = [each.text for each in small.all("figcaption .note", view)]
        assert "estimates, which may be too low" in note
        assert ("No bound is certain here" in note) == (name == "ratings")
        assert bool(small.all(".certain details", view)) == (name == "survey")
        for share in (90, 30):
            if name == "ratings":
                assert slide(small, view, share).startswith("No bound is known on")


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["personality", "survey", "ratings"])
def test_a_dash_in_the_findings_is_explained_once(small_study, dataset):
    text = (small_study.folder / f"results/default/{dataset}/findings.md").read_text("utf-8")
    assert text.count("A dash (–) stands for") == ("| – |" in text)
    assert dataset != "survey" or "| – |" in text


@pytest.mark.slow
def test_tables_are_sorted_searched_and_saved(small, downloads):
    small.open()
    block = small.one("#survey .view:not([hidden]) .pairs .block")
    table = small.one("table", block)
    (heading,) = [each for each in small.all("th", table) if each.text.startswith("Difference")]
    for sign in (1, -1):
        small.click(small.one("button", heading))
        column = [small.all("td", row)[2] for row in small.all("tbody tr", table)]
        values = [float(each.get_attribute("data-value")) for each in column]
        assert values == sorted(values, reverse=sign < 0)
    small.type(small.one("input", block), "nobody is called so")
    assert not any(row.is_displayed() for row in small.all("tbody tr", table))
    small.type(small.one("input", block), "")
    assert all(row.is_displayed() for row in small.all("tbody tr", table))
    small.click(small.one("[data-csv]", block))
    path = downloads / "survey_pairs.csv"
    for _ in range(100):
        if path.exists():
            break
        small.browser.execute_async_script("setTimeout(arguments[0], 50)")
    rows = list(csv.reader(path.read_text("utf-8-sig").splitlines()))
    assert rows[0][:4] == ["Simulator", "Other", "By", "Difference"]
    assert {len(row) for row in rows} == {6}
    assert {TWIN, ECHO} & {cell for row in rows for cell in row}


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_fits_every_screen(small, width):
    size = {"width": width, "height": WIDTHS[width], "deviceScaleFactor": 1, "mobile": False}
    small.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        small.open()
        wide = small.browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width
        known = small.one("#survey .view:not([hidden]) .certain .two .scroll")
        clipped = "return arguments[0].scrollWidth - arguments[0].clientWidth"
        assert width < 1400 or small.browser.execute_script(clipped, known) == 0
    finally:
        small.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.slow
def test_every_chart_is_there_in_print(small):
    small.open()
    made = small.browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert len(made["data"]) > 50_000
    assert severe_errors(small.browser) == []


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


@pytest.mark.slow
def test_the_page_is_the_same_from_the_same_tables(small_study):
    studies = [
        page(
            Study(
                "default",
                [Dataset(name, small_study.results(STUDY, name)) for name in STUDY["datasets"]],
                provenance({}, {}, "results/default"),
            )
        )
        for _ in range(2)
    ]
    assert studies[0] == studies[1]


@pytest.mark.slow
def test_datasets_of_other_kinds_are_shown(other_kinds, browser, tmp_path):
    config = yaml.safe_load((other_kinds.folder / "config" / "config.yaml").read_text("utf-8"))
    shown = Page(browser, drawn_of(other_kinds, config, tmp_path)).open()
    assert shown.use_every_control() > 20
    assert shown.open_every_question() > 10
    shown.assert_nothing_is_live()


@pytest.mark.minutes
def test_one_dataset_with_two_figures(small_study, browser, tmp_path, config):
    settings = config["datasets"]["personality"] | {"figures": ["curves", "means"]}
    project = small_study.elsewhere(tmp_path, {**config, "datasets": {"only": settings}})
    project.run()
    shown = Page(browser, report_of(project)).open()
    assert shown.use_every_control() > 20
    shown.assert_nothing_is_live()
    made = {path.name for path in (report_of(project).parent / "only" / "figures").glob("*.png")}
    assert made == {"curves.png", "means.png"}


@pytest.mark.minutes
@pytest.mark.parametrize("name", ["example", "config", "llm"])
def test_the_studies_that_come_with_the_project(small_study, browser, tmp_path, name):
    project = small_study.elsewhere(tmp_path, {"datasets": {}})
    shutil.copytree(REPOSITORY / "config", tmp_path / "config", dirs_exist_ok=True)
    mirrored = [f"data_mirror={MIRROR}"] if MIRROR.is_dir() else []
    project.run("--configfile", f"config/{name}.yaml", *["--config"][: len(mirrored)], *mirrored)
    study = "default" if name == "config" else name
    path = report_of(project, study)
    shown = Page(browser, path).open()
    shown.requests()
    assert shown.use_every_control() > 30
    opened = shown.open_every_question()
    shown.assert_nothing_is_live()
    assert shown.requests() == []
    assert opened == {"example": 8, "config": 834, "llm": 402}[name]
    if name == "config":
        seconds = pd.read_csv(project.folder / "benchmarks/default/report.tsv", sep="\t")["s"][0]
        assert path.stat().st_size <= 3 * MEGABYTE
        print(f"{path.stat().st_size / MEGABYTE:.2f} MB, {seconds:.1f} s")


@pytest.mark.minutes
def test_many_simulators(small_study, browser, tmp_path):
    (tmp_path / "data").mkdir()
    project = small_study.elsewhere(tmp_path, generated.write(tmp_path / "data", 243, 18))
    project.run()
    shown = Page(browser, report_of(project)).open()
    assert_lists_agree(shown)
    assert_colours_are_kept(shown)
    assert shown.use_every_control() > 60
    assert shown.open_every_question() == 243
    shown.assert_nothing_is_live()


def assert_lists_agree(shown):
    """Of each simulator, the table counts as many questions as the filter finds."""
    view = shown.views[0]
    shown.choose(shown.one("[data-list]", view), "within")
    counted = []
    for row in shown.all("[data-simulator]", view):
        shown.choose(shown.one("[data-who]", view), row.get_attribute("data-simulator"))
        (cell,) = [each.text for each in shown.all("td", row) if " of " in each.text]
        counted.append(int(cell.split(" of ")[0]))
        assert shown.one("[data-count]", view).text.split()[0] == str(counted[-1])
    assert max(counted) > 0
    shown.choose(shown.one("[data-list]", view), "")


def assert_colours_are_kept(shown):
    """Who is shown keeps its colour while others are hidden and shown."""
    boxes = shown.all("[data-show]", shown.views[0])
    colours = "return pages.generated.views[0].curves.view.simulators.filter((each) => each.name"
    last = boxes[-2].get_attribute("data-show")
    own = f"{colours} === '{last}')[0].colour"
    before = shown.browser.execute_script(own)
    for box in (boxes[0], boxes[5], boxes[0]):
        shown.click(box)
        assert shown.browser.execute_script(own) == before


@pytest.mark.minutes
def test_a_large_page_is_small_and_reacts_at_once(large, browser):
    path = report_of(large)
    assert path.stat().st_size <= 6 * MEGABYTE
    shown = Page(browser, path).open()
    paints = browser.execute_script(
        "return JSON.stringify(performance.getEntriesByType('paint').map((each) => each.startTime))"
    )
    rounds = [shown.reactions(), *(shown.open().reactions() for _ in range(2))]
    took = {name: min(each[name] for each in rounds) for name in rounds[0]}
    took["first paint"] = max(json.loads(paints))
    print(took)
    assert took.pop("first paint") <= FIRST_PAINT
    assert max(took.values()) <= REACTION, took
    assert shown.open_every_question() == 1000


@pytest.mark.slow
def test_no_advice_is_refused_when_it_is_taken(other_kinds):
    """A tolerance and a plan are advised for the discrepancies that can have one."""
    config = yaml.safe_load((other_kinds.folder / "config" / "config.yaml").read_text("utf-8"))
    views = Dataset("grades", other_kinds.results(config, "grades")).views
    for view in views:
        advised = " ".join(view.advice)
        can_have = view.of.discrepancy in ("absolute", "squared", "tv", "w1")
        assert ("comparison: tolerance" in advised) == can_have
        assert ("add a discrepancy" in advised) != can_have
        assert ("the config names no tolerance" in view.verdict.headline) == can_have
        assert "plan: {}" not in advised or view.of.discrepancy in ("absolute", "tv", "w1")
    assert {view.of.discrepancy for view in views} == {"w1", "kl", "mmd_laplace"}
