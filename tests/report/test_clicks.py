"""Nothing that a reader clicks or searches in Snakemake's own report leaves a white page.

That report is made when asked for, by ``snakemake --report``. A search for a regular expression
that is none (``re:[``) leaves a white page in every report of Snakemake's; no workflow can mend it.
"""

import re
from copy import deepcopy

import pytest
from browsers import opened_browser, severe_errors
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from small_study import REPOSITORY, STUDY

from fidelity_study.config.project import figures

ODD = [
    *(" ", "zzz", "re:^.*$", "re:\\.csv$", "re:png|csv", "*", "\\"),
    *("<script>", "a,b", "%", "'", '"', "é", "{{ 6 * 7 }}", "__proto__", "constructor", "x" * 200),
]
STYLE = REPOSITORY / "workflow" / "report" / "style.css"
FIVE = ["curves", "curves_by_n", "gamma", "guarantees", "pairwise"]
SHORT = {"n": [40, "all"], "k": [20], "gamma": [0.5, 0.9], "discrepancy": ["tv"], "replicates": 1}
SURVEY = {"ingest": "survey", "outcome": {"kind": "categorical"}, "cluster": "topic", "draws": 60}
SURVEY |= {"simulators": STUDY["datasets"]["survey"]["simulators"], "grid": SHORT}
SURVEY |= {"comparison": {"n": ["all"]}}
FEW_FIGURES = {
    "seed": 50,
    "audit": {**STUDY["audit"], "tests": False},
    "datasets": {
        "survey": {**SURVEY, "title": "Five figures", "figures": FIVE},
        "grades": {**SURVEY, "title": "Two figures", "figures": ["curves", "error_bars"]},
    },
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with opened_browser(tmp_path_factory.mktemp("downloads")) as driver:
        yield driver


@pytest.fixture(scope="module")
def few_figures(small_study, tmp_path_factory):
    """Two datasets of the same survey: one has as many figures as tables, one has two."""
    folder = tmp_path_factory.mktemp("few_figures")
    config = deepcopy(FEW_FIGURES)
    config["datasets"]["grades"]["outcome"] = {"kind": "ordinal"}
    project = small_study.elsewhere(folder, config)
    project.run()
    return project


def click(browser, selector, which=0):
    """Click the link that is at a place among those that a selector finds."""
    browser.execute_script(
        "document.querySelectorAll(arguments[0])[arguments[1]].click()", selector, which
    )


def many(browser, selector):
    return len(browser.find_elements(By.CSS_SELECTOR, selector))


def assert_shown(browser, after):
    """Fail if the page is white, or the browser has noted an error."""
    text = browser.execute_script("return document.querySelector('#app').textContent")
    assert text.strip(), f"a white page after {after}: {severe_errors(browser)}"
    assert severe_errors(browser) == [], after


MENU = "nav ul > li > a"
ROWS = "nav tbody tr"
HOME = "nav ol li:first-child a"


def clicked_result(browser, row, of):
    """Show a result, what is said of it, and its rule; go back to the list."""
    click(browser, f"{ROWS}:nth-child({row + 1}) a[iconname=eye]")
    assert_shown(browser, f"result {row} of {of}")
    click(browser, f"{ROWS}:nth-child({row + 1}) a[iconname=information-circle]")
    assert_shown(browser, f"what is said of result {row} of {of}")
    click(browser, "nav li a[type=button]")
    assert_shown(browser, f"the rule of result {row} of {of}")
    assert many(browser, "nav ol li > a") >= 4
    click(browser, "nav ol li:nth-child(5) a")
    assert_shown(browser, f"back to {of}")


def clicked_all(browser, rows):
    """Click every entry and its first rows and the last; return how many rows each entry lists."""
    listed = {}
    entries = [each.text for each in browser.find_elements(By.CSS_SELECTOR, MENU)]
    for place, entry in enumerate(entries):
        click(browser, MENU, place)
        assert_shown(browser, entry)
        listed[entry] = many(browser, ROWS)
        for row in [
            *range(listed[entry])[:rows],
            *range(listed[entry])[rows or listed[entry] :][-1:],
        ]:
            clicked_result(browser, row, entry)
        for package in range(many(browser, MENU)) if entry == "About" else ():
            click(browser, MENU, package)
            assert_shown(browser, f"package {package}")
        click(browser, HOME)
        assert_shown(browser, "home")
    click(browser, "nav h1 a")
    click(browser, "div.fixed a")
    assert_shown(browser, "menu hidden and shown")
    return listed


def searched(browser, term):
    """Search, and return the rows that are found."""
    click(browser, HOME)
    box = browser.find_element(By.CSS_SELECTOR, "nav input")
    box.send_keys(Keys.CONTROL, "a")
    box.send_keys(Keys.DELETE, term, Keys.ENTER)
    assert_shown(browser, f"search for {term[:40]!r}")
    return [each.text for each in browser.find_elements(By.CSS_SELECTOR, ROWS)]


def results_of(browser):
    """Return path and labels of each result of the report."""
    return browser.execute_script(
        "return Object.fromEntries(Object.entries(results).map(([p, r]) => [p, r.labels]))"
    )


def words_of(browser, results):
    """Return every word of titles and labels."""
    categories = browser.execute_script("return Object.keys(categories)")
    labels = [value for each in results.values() for value in each.values()]
    texts = [*categories, *labels, *(each.title for each in figures().values())]
    return sorted({word for text in texts for word in [*text.split(), *re.findall(r"\w+", text)]})


@pytest.mark.minutes
@pytest.mark.parametrize(
    ("study", "rows", "every"), [("few_figures", None, 5), ("small_study", 6, 25)]
)
def test_no_click_and_no_search_leaves_a_white_page(request, browser, tmp_path, study, rows, every):
    """All rows of a small report; of large ones the first ones and the last one of each entry."""
    project = request.getfixturevalue(study)
    path = tmp_path / "report.html"
    project.run("--report", path, "--report-stylesheet", STYLE)
    browser.get(path.as_uri())
    assert_shown(browser, "opening")
    results = results_of(browser)
    assert sum(clicked_all(browser, rows).values()) == len(results)
    for term in [*ODD, *words_of(browser, results)[::every]]:
        found = searched(browser, term)
        if not term.startswith("re:") and term.strip():
            assert len(found) == sum(term in path for path in results), term
