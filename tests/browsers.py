"""A browser without a window, in which tests open reports as their readers do."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ARGUMENTS = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-ipc-flooding-protection",  # else a page has 200 new addresses in 10 seconds at most
    "--window-size=1400,1000",
]
LOCAL = ("file:", "data:", "blob:", "about:", "chrome:")


@contextmanager
def opened_browser(downloads: Path) -> Iterator[webdriver.Chrome]:
    """Start a browser, and end it; the test is skipped where there is none."""
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in programs.items() if path is None]
    if missing:
        pytest.skip(f"the report is not opened in a browser: no {' and no '.join(missing)} here")
    options = webdriver.ChromeOptions()
    options.binary_location = programs["chromium"]
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    for argument in ARGUMENTS:
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(programs["chromedriver"]))
    try:
        yield driver
    finally:
        driver.quit()


def severe_errors(browser: webdriver.Chrome) -> list[str]:
    """Return the errors that the browser has noted since it was last asked."""
    return [each["message"] for each in browser.get_log("browser") if each["level"] == "SEVERE"]


def requests(browser: webdriver.Chrome) -> list[str]:
    """Return what was asked of anything but this machine's files since it was last asked."""
    messages = [json.loads(each["message"]) for each in browser.get_log("performance")]
    sent = [
        each["message"]["params"]["request"]["url"]
        for each in messages
        if each["message"]["method"] == "Network.requestWillBeSent"
    ]
    return [url for url in sent if not url.startswith(LOCAL)]
