"""A real browser for tests: Debian's Chromium, driven by Selenium; nothing is downloaded."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import json
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
ABSENT = "Debian's chromium and chromium-driver are not installed: apt-get install chromium chromium-driver"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
MOVING = (StaleElementReferenceException, NoSuchElementException)  # what a page that is being drawn may say: ask again
BLANK = "about:blank"
LOADED = "return location.href !== arguments[0] && document.readyState === 'complete'"
PATIENCE = 200  # seconds: for a busy machine; nothing takes that long


class Browser:
    """What the tests do with a browser."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        """Open a page, whatever page was there before, and wait until its scripts have run.

        On a busy machine ``get`` can return while the page is being read.
        """
        self.driver.get(BLANK)
        if address != BLANK:
            self.driver.get(address)
            self._await_scripts()

    def reload(self) -> None:
        """Load the page again, and wait until its scripts have run."""
        self.driver.refresh()
        self._await_scripts()

    def _await_scripts(self) -> None:
        self.wait(lambda: self.run(LOADED, BLANK))

    def find(self, selector: str) -> WebElement:
        """Return the first element, as soon as it is there."""
        found: WebElement = self.wait(lambda: next(iter(self.driver.find_elements(By.CSS_SELECTOR, selector)), None))
        return found

    def text(self, selector: str) -> str:
        """Return what the first element says, as soon as it says something; a page may put another in its place meanwhile."""
        said: str = self.wait(lambda: self.driver.find_element(By.CSS_SELECTOR, selector).text)
        return said

    def click(self, selector: str) -> None:
        """Click the first element, as soon as it is there."""

        def clicked() -> bool:
            self.driver.find_element(By.CSS_SELECTOR, selector).click()
            return True

        self.wait(clicked)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of all elements, those that are hidden too."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent.trim())", selector
        )
        return found

    def wait(self, until: Callable[[], Any]) -> Any:
        """Return what ``until`` returns, once that is something."""
        return WebDriverWait(self.driver, PATIENCE, 0.05, MOVING).until(lambda _: until())

    def run(self, script: str, *arguments: object) -> Any:
        """Return what a script returns in the page."""
        return self.driver.execute_script(script, *arguments)

    def press(self, key: str) -> None:
        """Press a key wherever the focus is."""
        self.driver.switch_to.active_element.send_keys(key)

    def look(self, *, dark: bool = False, width: int = 1200, height: int = 900, calm: bool = False) -> None:
        """Be a browser of this size that prefers light or dark, and where ``calm`` less motion."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        preferences = {"color-scheme": "dark" if dark else "light", "reduced-motion": "reduce" if calm else "no-preference"}
        features = [{"name": f"prefers-{name}", "value": value} for name, value in preferences.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def complaints(self) -> list[str]:
        """Return what stands in the console since it was last asked."""
        return [entry["message"] for entry in self._log("browser")]

    def _log(self, kind: str) -> list[dict[str, str]]:
        entries: list[dict[str, str]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call] # Selenium has no types here
        return entries

    def asked_for(self) -> set[str]:
        """Every address that was asked for since this was last asked, but for those of the browser's own first page."""
        messages = [json.decode(entry["message"])["message"] for entry in self._log("performance")]
        sent = [message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        return {address for address in sent if not address.startswith(("data:", "about:", "chrome:"))}


@contextmanager
def browsing() -> Iterator[Browser]:
    """Give a browser with a profile of its own."""
    with TemporaryDirectory(prefix="arena-browser-") as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM or ""
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        try:
            yield Browser(driver)
        finally:
            driver.quit()


def address(path: Path, fragment: str = "") -> str:
    """Return the address of a file on disk."""
    return path.as_uri() + fragment
