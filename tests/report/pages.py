"""The report as tests use it: every control, what it draws, and what it may never do."""

import re
from dataclasses import dataclass
from pathlib import Path

from browsers import requests, severe_errors
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

SECONDS = 30
DRAWN = "return arguments[0].querySelectorAll('svg path[d], svg line, svg text').length"
REACTIONS = """
const done = arguments[0], took = {};
const all = (selector) => [...document.querySelectorAll(selector)];
const next = () => new Promise((ready) => requestAnimationFrame(ready));
const frame = async () => { await next(); await next(); };
const drawn = () => Object.values(pages)[0].views[0].curves.drawing;
const set = (element, value, kind) => {
  element.value = value;
  element.dispatchEvent(new Event(kind, { bubbles: true }));
};
const time = async (name, act) => {
  await frame();
  const start = performance.now();
  act();
  await drawn();
  await frame();
  took[name] = performance.now() - start;
};
(async () => {
  await time("search", () => set(all("[data-find]")[0], "question 9", "input"));
  await time("search for nothing", () => set(all("[data-find]")[0], "", "input"));
  const fifth = all("[data-who] option")[5].value;
  await time("simulator", () => set(all("[data-who]")[0], fifth, "change"));
  await time("order", () => set(all("[data-order]")[0], "upper-", "change"));
  await time("sort", () => all("[data-sort]")[0].click());
  await time("slider", () => set(all("[data-tau]")[0], 50, "input"));
  await time("layer", () => all("[data-layer=lower]")[0].click());
  await time("curve", () => all("[data-show]")[7].click());
  await time("question", () => all("[data-i]")[7].click());
  await time("all questions", () => all("[data-all]")[0].click());
  done(took);
})();
"""


@dataclass
class Page:
    """One report in a browser."""

    browser: WebDriver
    path: Path

    def open(self, anchor: str = "") -> "Page":
        """Load it, and wait until all is drawn."""
        self.browser.get("about:blank")
        self.browser.get(f"{self.path.as_uri()}{anchor}")
        WebDriverWait(self.browser, SECONDS).until(
            lambda browser: browser.execute_script("return 'ready' in document.body.dataset")
        )
        return self

    def all(self, selector: str, within: WebElement | None = None) -> list[WebElement]:
        """Return all elements that fit."""
        return (within or self.browser).find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str, within: WebElement | None = None) -> WebElement:
        """Return the only element that fits."""
        (found,) = self.all(selector, within)
        return found

    def click(self, element: WebElement) -> None:
        """Click, wherever on the page it is."""
        self.browser.execute_script("arguments[0].click()", element)
        self.settled()

    def choose(self, element: WebElement, value: str) -> None:
        """Choose an option."""
        self._set(element, value, "change")
        assert element.get_property("value") == value
        self.settled()

    def _set(self, element: WebElement, value: str, event: str) -> None:
        self.browser.execute_script(
            "const [element, value, event] = arguments;"
            "element.value = value; element.dispatchEvent(new Event(event, {bubbles: true}))",
            element,
            value,
            event,
        )

    def type(self, element: WebElement, words: str) -> None:
        """Type into a search field in place of what is there."""
        self._set(element, words, "input")
        self.settled()

    def settled(self) -> None:
        """Wait until what is drawn is drawn; fail at an error or a white page."""
        self.browser.execute_async_script(
            "const done = arguments[0];"
            "const views = Object.values(pages).flatMap((own) => own.views);"
            "Promise.all(views.map((view) => view?.curves.drawing))"
            ".then(() => requestAnimationFrame(() => done()))"
        )
        errors = severe_errors(self.browser)
        assert errors == [], errors
        assert (
            self.browser.execute_script("return document.querySelector('main').offsetHeight") > 300
        )

    @property
    def views(self) -> list[WebElement]:
        """The views that are shown, of all datasets."""
        return self.all(".view:not([hidden])")

    def drawn(self, element: WebElement) -> int:
        """Return how many marks and texts a chart has."""
        return self.browser.execute_script(DRAWN, element)

    def reactions(self) -> dict[str, float]:
        """Return after how many milliseconds the page shows what each of its controls does."""
        return self.browser.execute_async_script(REACTIONS)

    def requests(self) -> list[str]:
        """Return what was asked of anything but this machine's files since it was last asked."""
        return requests(self.browser)

    def use_every_control(self) -> int:
        """Use each control of each view of each dataset once; return how many there were."""
        used = 0
        for section in self.all("[data-dataset]"):
            chooser = self.all("[data-view]", section)
            values = [
                each.get_attribute("value") for each in self.all("[data-view] option", section)
            ]
            for value in values or [None]:
                if value is not None:
                    self.choose(chooser[0], value)
                for view in self.all(".view:not([hidden])", section) or [section]:
                    used += self._use(view)
        return used

    def _use(self, view: WebElement) -> int:
        used = 0
        for box in self.all("input[type=checkbox]", view):
            self.click(box)
            self.click(box)
            used += 1
        for chart in self.all("[data-chart]", view):
            assert self.drawn(chart) > 5
        for slider in self.all("input[type=range]", view):
            for key in (Keys.HOME, Keys.END, Keys.ARROW_LEFT):
                slider.send_keys(key)
                self.settled()
            used += 1
        for select in self.all("select:not([data-view])", view):
            values = [each.get_attribute("value") for each in self.all("option", select)]
            for value in [*values, values[0]]:
                self.choose(select, value)
            used += 1
        for search in self.all("input[type=search]", view):
            if search.is_displayed():
                for words in ("a", "nothing fits this", "<b>", "(", ""):
                    self.type(search, words)
                used += 1
        for button in self.all("button[data-sort], button[data-preset], summary", view):
            self.click(button)
            used += 1
        return used

    def open_every_question(self) -> int:
        """Open each question of the views that are shown by a click; return how many there were."""
        opened = 0
        for view in self.views:
            rows = self.one("[data-rows]", view)
            for more in self.all("[data-all]", rows):
                self.click(more)
            told = self.browser.execute_script(
                """
                const [rows, detail] = arguments;
                return [...rows.querySelectorAll("[data-i]")].map((row) => {
                  row.click();
                  return [row.firstElementChild.textContent,
                    detail.querySelector("h4").textContent,
                    detail.querySelectorAll(".track").length, decodeURIComponent(location.hash)];
                });
                """,
                rows,
                self.one("[data-detail]", view),
            )
            for shown, heading, bars, address in told:
                assert heading in shown
                assert bars > 0
                assert "/" in address
            opened += len(told)
            self.settled()
        return opened

    def assert_nothing_is_live(self) -> None:
        """Fail if a name or a text of the data acts as markup or as a program."""
        assert self.browser.title.endswith("can simulators stand in for people?")
        assert len(self.all("script")) == 3
        assert not self.all(
            "img, iframe, object, embed, main script, main style, main b b, main i b"
        )
        assert not self.all("[onclick], [onerror], [onload]")
        assert not self.all("a[href^='javascript']")
        words = self.one("body").text
        assert not re.search(r"\bundefined\b|\bNaN\b|\[object|None\b|\bnan\b", words), words
