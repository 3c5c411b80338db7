"""The picture of the report page in the README, and the command that makes it."""

from pathlib import Path

import pytest
from picture import LARGEST, picture
from support.browser.driver import Browser
from support.repository.files import ROOT

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.process
def test_the_picture_of_a_report_is_a_small_png(browser: Browser, finished: Path) -> None:
    png = picture(browser, finished / "report.html")
    assert png.startswith(PNG)
    assert len(png) <= LARGEST


def test_the_picture_in_the_repository_is_a_small_png() -> None:
    png = (ROOT / ".github" / "report.png").read_bytes()
    assert png.startswith(PNG)
    assert len(png) <= LARGEST
