"""The report as a reader meets it: in a browser, with figures that show and names as they are."""

import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from browsers import opened_browser, severe_errors
from docutils.core import publish_parts
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2 import Environment
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from small_study import ECHO, QUESTION, STUDY, TWIN, figures_of

from fidelity_study.report.findings import escape, findings

WORD_JOINER = "\u2060"
TITLES = {name: each["title"] for name, each in STUDY["datasets"].items()}
LARGEST_K = {"personality": "30", "survey": "30", "ratings": "20"}
GAMMA = {"personality": "0.5", "survey": "0.5", "ratings": "0.5, lower 0.9"}
WORST_BY = {
    "personality": ("tv", "witness", "pooled"),
    "survey": ("kl", "multinomial_kl", TWIN),
    "ratings": ("absolute", "witness", "rule"),
}
SECONDS = 10


class Text(HTMLParser):
    """Collects a page's text and the names of its elements."""

    def __init__(self, page):
        """Read the page."""
        super().__init__()
        self.words, self.elements = [], set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        """Remember the element."""
        self.elements.add(tag)

    def handle_data(self, data):
        """Remember the text."""
        self.words += data.split()


def rendered(text):
    """Turn the report's words into a page as Snakemake does; any warning is an error."""
    filled = Environment().from_string(text).render()
    strict = {"halt_level": 2, "report_level": 2, "warning_stream": False}
    return Text(publish_parts(filled, writer="html", settings_overrides=strict)["html_body"])


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]), min_size=1))
@example(TWIN)
@example(QUESTION)
@example("{{ 6 * 7 }}{% raw %}{# gone #}")
@example("see http://example.org/a_b or me@example.org")
@example("a_ `b`__ |c| [1]_ *d* **e** ``f`` :math:`x`")
@example("\\")
@example("1. first")
@example(".. image:: x.png")
@example("<!-- & &amp; -->")
def test_an_escaped_name_is_shown_as_it_is(name):
    shown = " ".join(name.split())
    if not shown:
        return
    text = f"With all, **{escape(name)}** is closest.\n\n- {escape(name)}: at most 1\n"
    page = rendered(text)
    told = f"With all, {shown} is closest. {shown}: at most 1"
    assert "".join(page.words) == "".join(told.split())
    assert page.elements <= {"div", "p", "strong", "ul", "li"}


def titled(small_study, title):
    """Return the results of the personality items as if they had another title."""
    settings = STUDY["datasets"]["personality"] | {"title": title}
    return small_study.results({**STUDY, "datasets": {"personality": settings}}, "personality")


@pytest.mark.slow
@pytest.mark.parametrize("title", [TITLES["survey"], "x", "日本の総合的社会調査", "= Übersicht ="])
def test_the_findings_of_a_dataset_have_its_title_as_heading(small_study, title):
    table = small_study.folder / "results/default/personality/pseudo_discrepancy/nall.parquet"
    page = rendered(f"Page\n====\n\n{findings(titled(small_study, title), table)}")
    assert page.words[1 : 1 + len(title.split())] == title.split()
    assert {"h1", "table", "ul"} <= page.elements


@pytest.fixture(scope="module")
def browser(small_study, tmp_path_factory):
    """The report's first page in a browser without a window."""
    with opened_browser(tmp_path_factory.mktemp("downloads")) as driver:
        driver.get((small_study.folder / "results" / "default" / "report.html").as_uri())
        driver.implicitly_wait(SECONDS)
        yield driver


@pytest.fixture(scope="module")
def first_page(browser):
    """What a reader sees first; runs of white space as one space."""
    headings = [each.text for each in browser.find_elements(By.TAG_NAME, "h1")]
    assert "Can these simulators stand in for people?" in headings
    return re.sub(r"\s+", " ", browser.find_element(By.TAG_NAME, "body").text)


def scenarios_of(small_study, dataset):
    return small_study.table(f"{dataset}/scenarios.parquet").set_index("scenario")


@pytest.mark.slow
@pytest.mark.parametrize("dataset", TITLES)
def test_the_first_page_says_what_was_found(small_study, first_page, dataset):
    """Of the first replicate: all rows in the table, the lowest curve in words."""
    summary = small_study.table(f"{dataset}/quantile/summary_nall.parquet")
    cells = summary.query("replicate == 0")
    cells = cells[(cells["gamma"] == GAMMA[dataset]) & (cells["k"] == LARGEST_K[dataset])]
    headline = cells[cells["confidence_set"].isin(["witness", "multinomial_kl", "w1"])]
    assert set(headline["discrepancy"]) == set(summary["discrepancy"])
    for _, rows in headline.groupby("discrepancy"):
        best = rows.loc[rows["auc"].idxmin()]
        assert (
            f"{best['simulator']} is at most {best['var_90']:.3f} from people on 90 % of the "
            f"scenarios, and at most {best['cvar_90']:.3f} on average over the worst 10 % (CVaR)"
        ) in first_page
        for row in rows.to_dict("records"):
            told = [f"{row[key]:.3f}" for key in ("auc", "var_90", "cvar_90")]
            cells = " ".join([row["simulator"], *told, str(row["m"]), LARGEST_K[dataset]])
            assert cells in first_page
    assert f" {TITLES[dataset]} {len(scenarios_of(small_study, dataset))} scenarios" in first_page


@pytest.mark.slow
@pytest.mark.parametrize("dataset", TITLES)
def test_the_first_page_names_the_worst_scenario(small_study, first_page, dataset):
    cells = small_study.table(f"{dataset}/pseudo_discrepancy/nall.parquet")
    discrepancy, confidence_set, simulator = WORST_BY[dataset]
    cell = {
        "simulator": simulator,
        "k": LARGEST_K[dataset],
        "confidence_set": confidence_set,
        "gamma": "0.5",
        "discrepancy": discrepancy,
        "replicate": 0,
    }
    rows = cells[(cells[list(cell)] == pd.Series(cell)).all(axis=1)]
    worst = rows.loc[rows["upper"].idxmax()]
    description = scenarios_of(small_study, dataset).loc[worst["scenario"], "description"]
    assert f"{description}: bound {worst['upper']:.3f}" in first_page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dataset", "warning"),
    [
        ("personality", "People answer several scenarios, which links up to 25 of them"),
        ("survey", "It is not known whether the same people answer several scenarios"),
        ("ratings", "People answer several scenarios, which links all of them"),
    ],
)
def test_the_first_page_warns_where_the_same_people_may_answer_several_scenarios(
    small_study, first_page, dataset, warning
):
    m = len(scenarios_of(small_study, dataset))
    _, heading, section = first_page.partition(f" {TITLES[dataset]} {m} scenarios")
    assert heading
    assert warning in section[:500]


@pytest.mark.slow
def test_names_with_markup_are_shown_as_they_are(browser, first_page):
    assert TITLES["survey"] in first_page
    assert f"{TWIN} is at most" in first_page or f"{ECHO} is at most" in first_page
    assert re.search(re.escape(QUESTION).replace("Q\\{\\}", r"Q\d+"), first_page)
    assert browser.title == "Snakemake Report"
    assert "problematic" not in browser.page_source
    assert "system-message" not in browser.page_source
    assert TWIN in [each.text for each in browser.find_elements(By.TAG_NAME, "strong")]


def listed(browser):
    """Return the rows of the shown list of results."""
    return browser.find_elements(By.CSS_SELECTOR, "table:not(.docutils) tbody tr")


def open_dataset(browser, dataset):
    browser.refresh()
    menu = [
        each
        for each in browser.find_elements(By.CSS_SELECTOR, "nav span, nav a, span")
        if each.text.replace(WORD_JOINER, "") == TITLES[dataset]
    ]
    menu[0].click()
    WebDriverWait(browser, SECONDS).until(
        lambda _: len(listed(browser)) >= len(figures_of(dataset))
    )


@pytest.mark.slow
@pytest.mark.parametrize("dataset", TITLES)
def test_every_figure_shows_when_it_is_clicked(small_study, browser, dataset):
    open_dataset(browser, dataset)
    numbered = small_study.study(STUDY).report_titles(dataset)
    assert list(numbered) == figures_of(dataset)
    titles = [row.text.split("\n")[0] for row in listed(browser)]
    assert [each for each in titles if "(figure, " in each] == [
        f"{title.strip()} (figure, {dataset})" for title in numbered.values()
    ]
    sizes = []
    for row in range(len(titles)):
        if "(figure, " in titles[row]:
            listed(browser)[row].find_element(By.CSS_SELECTOR, "a[iconname=eye]").click()
            sizes.append(WebDriverWait(browser, SECONDS).until(shown_picture(sizes)))
    assert len(sizes) == len(figures_of(dataset))


def shown_picture(before):
    """Return a condition that gives source and width of a picture that was not shown before."""

    def condition(browser):
        for image in browser.find_elements(By.CSS_SELECTOR, "img"):
            shown = image.get_attribute("src"), int(image.get_property("naturalWidth"))
            if image.is_displayed() and shown[1] > 0 and shown not in before:
                return shown
        return None

    return condition


@pytest.mark.slow
def test_the_browser_reports_no_error(browser):
    assert severe_errors(browser) == []
