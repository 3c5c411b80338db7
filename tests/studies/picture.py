"""A picture of the report page for the README.

    PYTHONPATH=tests python tests/studies/picture.py RUN_DIR .github/report.png

It shows the first screen of ``report.html``: standings, ratings and rank chances.
"""

import base64
import sys
from pathlib import Path

from support.browser.driver import ABSENT, CHROMIUM, DRIVER, Browser, address, browsing

WIDTH, HEIGHT = 1000, 1050  # CSS pixels
LARGEST = 150_000  # bytes: a README must load fast


def picture(browser: Browser, page: Path) -> bytes:
    """Return the top of a page as PNG, once its first chart is drawn."""
    browser.look(width=WIDTH)
    browser.open(address(page))
    browser.find("#chart-ratings svg")
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": 1}
    shot = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True})
    return base64.b64decode(shot["data"])


def main(run: Path, target: Path) -> None:
    """Write the picture of a run's report. Exits with a message if the browser is missing or the picture is too large."""
    if not (CHROMIUM and DRIVER):
        sys.exit(ABSENT)
    with browsing() as browser:
        png = picture(browser, run / "report.html")
    if len(png) > LARGEST:
        sys.exit(f"the picture has {len(png)} bytes; expected at most {LARGEST}")
    target.write_bytes(png)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
