"""The report as tests use it: every control, what it shows, and what it may never do."""

import base64
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from browsers import requests, severe_errors
from PIL import Image
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

SECONDS = 30
REACTIONS = """
const done = arguments[0], took = {}, own = Object.values(datasets)[0];
const find = (selector) => own.section.querySelector(selector);
const next = () => new Promise((ready) => requestAnimationFrame(ready));
const frame = async () => { await next(); await next(); };
const set = (element, value, kind) => {
  element.value = value;
  element.dispatchEvent(new Event(kind, { bubbles: true }));
};
const time = async (name, act) => {
  await frame();
  const start = performance.now();
  act();
  await frame();
  took[name] = performance.now() - start;
};
(async () => {
  await time("search", () => set(find("[data-find]"), "question 9", "input"));
  await time("search for nothing", () => set(find("[data-find]"), "", "input"));
  const other = [...find("[data-who]").options].at(-1).value;
  await time("simulator", () => set(find("[data-who]"), other, "change"));
  await time("second", () => set(find("[data-second]"), other, "change"));
  await time("limit", () => set(find("[data-slider]"), 31, "input"));
  await time("question", () => find("[data-wall] [data-i]").click());
  await time("all questions", () => find("[data-more]").click());
  done(took);
})();
"""
RANKING = """
return [...arguments[0].querySelectorAll('[data-row]:not([data-row=""])')].map((row) => ({
  name: row.dataset.row,
  told: row.querySelector(".where .hidden")?.textContent ?? "",
  counts: Object.fromEntries([...row.querySelectorAll("[data-count]")]
    .map((cell) => [cell.dataset.count, Number(cell.textContent)])),
}));
"""
CARDS = """
return [...arguments[0].querySelectorAll("[data-i]")].map((card) => ({
  i: Number(card.dataset.i), hidden: card.hidden, far: card.querySelector("[data-far]").textContent,
  listed: card.querySelector("[data-listed]")?.textContent ?? "",
  options: [...card.querySelectorAll("th")].map((each) => each.textContent),
  gaps: [...card.querySelectorAll("tr")].map((row) => row.lastElementChild.textContent),
}));
"""


CUT = """
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const isShown = (e) => e.checkVisibility() && !e.closest(".hidden");
const right = (e) => e.getBoundingClientRect().right;
const isOutside = (e) => right(e) > right(e.closest("td"));
const texts = (elements) => elements.map((e) => e.textContent);
const isCut = (e) => {
  const style = getComputedStyle(e);
  const isClamped = style.webkitLineClamp !== "none" && e.scrollHeight > e.clientHeight + 1;
  return isClamped || (style.textOverflow === "ellipsis" && e.scrollWidth > e.clientWidth);
};
const heads = all(".view:not([hidden]) .ranking thead :is(.axis text, .count, .bars)");
return {
  cut: texts(all("body *").filter((e) => isShown(e) && isCut(e))),
  outside: texts(all("td .dot text").filter((e) => isShown(e) && isOutside(e))),
  hidden: texts(heads.filter((e) => !e.getBoundingClientRect().height)),
};
"""
TEXTS = """
return [...document.querySelectorAll(arguments[0])]
  .filter((e) => e.checkVisibility() && !e.closest(".hidden")).map((e) => e.textContent.trim());
"""


@dataclass
class Paper:
    """A page as it is printed, as a PDF."""

    path: Path

    @property
    def text(self) -> str:
        """All that can be read on it, without white space."""
        command = ["pdftotext", "-raw", self.path, "-"]
        text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        return "".join(text.split())

    def pictures(self, dots_per_inch: int) -> list[Image.Image]:
        """Return each sheet as a picture."""
        folder = self.path.with_suffix(".sheets")
        folder.mkdir(exist_ok=True)
        command = ["pdftoppm", "-r", str(dots_per_inch), "-png", self.path, folder / "sheet"]
        subprocess.run(command, check=True)
        return [Image.open(path).convert("RGB") for path in sorted(folder.iterdir())]


@dataclass
class Page:
    """One report in a browser."""

    browser: WebDriver
    path: Path

    def open(self, anchor: str = "") -> "Page":
        """Load it, and wait until its controls answer."""
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

    def set(self, element: WebElement, value: str | int) -> None:
        """Choose an option, type into a field in place of what is there, or move a slider."""
        self.browser.execute_script(
            "const [element, value] = arguments; element.value = value;"
            "const kind = element.tagName === 'SELECT' ? 'change' : 'input';"
            "element.dispatchEvent(new Event(kind, {bubbles: true}))",
            element,
            value,
        )
        self.settled()

    def settled(self) -> None:
        """Fail at an error or a white page."""
        errors = severe_errors(self.browser)
        assert errors == [], errors
        assert self.browser.execute_script("return document.querySelector('main').offsetHeight > 9")

    def printed(self, path: Path) -> Paper:
        """Print it; the test is skipped where no PDF can be read."""
        if not (shutil.which("pdftotext") and shutil.which("pdftoppm")):
            pytest.skip("a printed page is not read: no pdftotext and pdftoppm here")
        settings = {"printBackground": False, "paperWidth": 8.27, "paperHeight": 11.69}
        made = self.browser.execute_cdp_cmd("Page.printToPDF", settings)
        path.write_bytes(base64.b64decode(made["data"]))
        return Paper(path)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of what fits and is shown."""
        return self.browser.execute_script(TEXTS, selector)

    def cut(self) -> dict[str, list[str]]:
        """Return texts that are cut, or lie outside of their column, or should not be hidden."""
        return self.browser.execute_script(CUT)

    def ranking(self, dataset: str) -> list[dict]:
        """Return the rows of the ranking of a dataset's view that is shown."""
        root = self.one(f"#{dataset} .view:not([hidden]):not(.more)")
        return self.browser.execute_script(RANKING, root)

    def cards(self, dataset: str) -> list[dict]:
        """Return the cards of all questions of a dataset, in the order in which they stand."""
        return self.browser.execute_script(CARDS, self.one(f"#{dataset} [data-wall]"))

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
            choosers = self.all("[data-view]", section)
            for number in range(len(self.all("[data-view] option", section)) or 1):
                if choosers:
                    self.set(choosers[0], str(number))
                used += self._use(section)
        return used

    def _use(self, section: WebElement) -> int:
        used = 0
        for slider in self.all(".view:not([hidden]) [data-slider]", section):
            for step in (0, 41, 80):
                self.set(slider, step)
            self.click(self.one(".view:not([hidden]) [data-reset]", section))
            used += 1
        for select in self.all("select:not([data-view])", section):
            values = [each.get_attribute("value") for each in self.all("option", select)][:9]
            for value in [*values, values[0]]:
                self.set(select, value)
            used += 1
        for search in self.all("[data-find], .view:not([hidden]) [data-search]", section):
            for words in ("a", "nothing fits this", "<b>", "(", ""):
                self.set(search, words)
            used += 1
        for button in self.all("[data-sort], summary", section):
            self.click(button)
            used += 1
        return used

    def open_every_question(self) -> int:
        """Open each question by a click; return how many there were, each with its address."""
        many = 0
        for section in self.all("[data-dataset]"):
            cards = self.all("[data-wall] [data-i]", section)
            addresses = self.browser.execute_script(
                "return arguments[0].map((card) => { card.click(); return location.hash; })", cards
            )
            assert len(set(addresses)) == len(cards)
            assert all("?question=" in address for address in addresses)
            many += len(cards)
            self.settled()
        return many

    def assert_nothing_is_live(self) -> None:
        """Fail if a name or a text of the data acts as markup or as a program."""
        assert self.browser.title.endswith("What may these simulators be used for?")
        assert len(self.all("script")) == 2
        assert not self.all("img, iframe, object, embed, main script, main style, main b b")
        assert not self.all("[onclick], [onerror], [onload]")
        assert not self.all("a[href]:not([href^='#']):not([href^='https://'])")
        assert not self.all("a[href^='javascript']")
        self.browser.execute_script(
            "document.querySelectorAll('pre').forEach((each) => each.remove())"
        )
        words = self.one("body").text
        assert not re.search(r"\bundefined\b|\bNaN\b|\[object|None\b|\bnan\b", words), words
