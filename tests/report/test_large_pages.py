"""Reports on thousands of questions and many simulators in a browser: whole, small and quick."""

import generated
import pytest
from pages import Page
from small_study import copy_project

MEGABYTE = 1_000_000
REACTION = 100
FIRST_PAINT = 500
LOOP = """const start = performance.now(); let sum = 0;
for (let i = 0; i < 2e7; i++) sum += Math.sqrt(i);
return performance.now() - start;"""
ALONE = 100  # milliseconds of the loop on a processor of 2023 by itself

pytestmark = pytest.mark.minutes


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("copy"))


def assert_whole(shown: Page, questions: int) -> None:
    """Fail unless every control and every question answers, and nothing is asked of others."""
    shown.requests()
    assert shown.use_every_control() > 10
    assert shown.open_every_question() == questions
    shown.assert_nothing_is_live()
    assert shown.requests() == []


def assert_quick(shown: Page) -> None:
    """Fail unless the page is drawn, and shows what each control does, at once.

    Where other work slows the browser down, a loop beside it takes longer, too.
    """
    rounds = []
    for _ in range(4):
        paints = shown.browser.execute_script(
            "return performance.getEntriesByType('paint').map((each) => each.startTime)"
        )
        took = {"first paint": max(paints), **shown.reactions()}
        slower = max(shown.browser.execute_script(LOOP) / ALONE, 1.0)
        rounds.append({name: each / slower for name, each in took.items()})
        shown.open()
    took = {name: min(each[name] for each in rounds) for name in rounds[0]}
    assert took.pop("first paint") <= FIRST_PAINT
    assert max(took.values()) <= REACTION, took


def test_the_default_study(default_study, browser):
    assert default_study.report().stat().st_size <= 1.2 * MEGABYTE
    shown = Page(browser, default_study.report()).open()
    assert_quick(shown)
    assert_whole(shown, 941)


@pytest.mark.release
@pytest.mark.parametrize(("simulators", "megabytes"), [(6, 2), (20, 5)])
def test_a_large_page_is_small_and_reacts_at_once(
    project, browser, tmp_path, simulators, megabytes
):
    """1,000 questions: what a control does grows with them, the study's time with pairs, too."""
    (tmp_path / "data").mkdir()
    study = project.elsewhere(tmp_path, generated.write(tmp_path / "data", 1000, simulators))
    study.run()
    assert study.report().stat().st_size <= megabytes * MEGABYTE
    shown = Page(browser, study.report()).open()
    assert_quick(shown)
    assert_whole(shown, 1000)
