"""Snakemake's own report of a finished study: no click and no search leaves a white page.

Its page makes a toggle of a label that has two values, each in half of the results listed, unless
it is their first label; a result without that label is then looked up in vain, and nothing is left
on the page. All results of this workflow have one label, by the same name, so none is a toggle.
"""

import re
import zipfile
from contextlib import suppress

import pytest
from browsers import opened_browser, severe_errors
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from fidelity_study.config.project import figures

pytestmark = pytest.mark.minutes

ODD = [
    *(" ", "zzz", "re:", "re:^.*$", "re:\\.csv$", "re:png|csv", "*", "\\", "<script>", "a,b", "%"),
    *("'", '"', "é", "{{ 6 * 7 }}", "__proto__", "constructor", "x" * 200, "plan", "audit"),
]
MENU = "nav ul > li > a"
ROWS = "nav tbody tr"
HOME = "nav ol li:first-child a"
SUBSETS = """
const all = Object.entries(results), chosen = [all, all.slice(1), all.filter((_, i) => i % 2)];
for (const one of all) for (const other of all) if (one !== other) chosen.push([one, other]);
return chosen.map((some) => {
  const list = Object.create(SearchResults.prototype);
  list.getResults = () => some;
  const data = list.getData();
  return [some.length, data.entryLabelValues.length, data.toggleLabels.size];
});
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with opened_browser(tmp_path_factory.mktemp("downloads")) as driver:
        yield driver


@pytest.fixture(scope="module", params=["html", "zip"])
def report(request, small_study, tmp_path_factory):
    """The report as one file, or unpacked."""
    folder = tmp_path_factory.mktemp("report")
    path = folder / f"report.{request.param}"
    small_study.run("--report", path)
    if request.param == "html":
        return path
    with zipfile.ZipFile(path) as packed:
        packed.extractall(folder)
    return folder / "report" / "report.html"


@pytest.fixture
def opened(browser, report):
    """The browser with the report."""
    browser.get(report.as_uri())
    with suppress(TimeoutException):  # the page is drawn after it is loaded
        WebDriverWait(browser, 30).until(text_of)
    assert_shown(browser, "opening")
    return browser


def click(browser, selector, which=0):
    """Click the link that is at a place among those that a selector finds."""
    browser.execute_script(
        "document.querySelectorAll(arguments[0])[arguments[1]].click()", selector, which
    )


def many(browser, selector):
    return len(browser.find_elements(By.CSS_SELECTOR, selector))


def text_of(browser):
    return browser.execute_script("return document.querySelector('#app').textContent.trim()")


def assert_shown(browser, after):
    """Fail if the page is white, or the browser has noted an error."""
    assert text_of(browser), f"a white page after {after}: {severe_errors(browser)}"
    assert severe_errors(browser) == [], after


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


def results_of(browser):
    """Return each result of the report by its path."""
    return browser.execute_script("return results")


def test_every_entry_and_every_result_can_be_clicked(opened):
    listed = {}
    entries = [each.text for each in opened.find_elements(By.CSS_SELECTOR, MENU)]
    for place, entry in enumerate(entries):
        click(opened, MENU, place)
        assert_shown(opened, entry)
        listed[entry] = many(opened, ROWS)
        for row in range(listed[entry]):
            clicked_result(opened, row, entry)
        for package in range(many(opened, MENU)) if entry == "About" else ():
            click(opened, MENU, package)
            assert_shown(opened, f"package {package}")
        click(opened, HOME)
        assert_shown(opened, "home")
    assert sum(listed.values()) == len(results_of(opened)) > 40
    click(opened, "nav h1 a")
    click(opened, "div.fixed a")
    assert_shown(opened, "menu hidden and shown")


def test_every_search_finds_what_it_should(opened):
    results = results_of(opened)
    labels = [value for each in results.values() for value in each["labels"].values()]
    texts = [*labels, *results, *(each.title for each in figures().values())]
    words = sorted({word for text in texts for word in re.findall(r"\w+", text)})
    for term in [*ODD, *words]:
        box = opened.find_element(By.CSS_SELECTOR, "nav input")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(Keys.DELETE, term, Keys.ENTER)
        assert_shown(opened, f"search for {term[:40]!r}")
        if not term.startswith("re:") and term.strip():
            assert many(opened, ROWS) == sum(term in path for path in results), term
        click(opened, HOME)


def test_no_choice_of_results_makes_a_toggle_or_hides_one(opened):
    assert {tuple(each["labels"]) for each in results_of(opened).values()} == {("result",)}
    chosen = opened.execute_script(SUBSETS)
    assert len(chosen) > 1000
    assert all(rows == there and not toggles for there, rows, toggles in chosen)


def test_every_result_has_a_caption_without_faults(opened):
    for path, result in results_of(opened).items():
        assert len(result["caption"]) > 80, path
        assert "system-message" not in result["caption"], path
    captions = {path: each["caption"] for path, each in results_of(opened).items()}
    drawn = [path for path in captions if "/figures/" in path]
    assert len(drawn) > 10
    for path in drawn:
        name = path.rpartition("/")[2].removesuffix(".png")
        caption = re.sub(r"<[^>]+>|\s+", " ", captions[path])
        assert figures()[name].caption.split()[:5] == caption.split()[:5]
