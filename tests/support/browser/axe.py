"""Checks of a page in a browser by axe-core (MPL-2.0, in the package axe-core-python), at three widths, light and dark."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec

import pytest
from support.browser.driver import Browser

needs_axe = pytest.mark.skipif(find_spec("axe_core_python") is None, reason="axe-core-python is not installed")
VIOLATIONS = """
const [rules, done] = arguments;
const nodes = (one) => one.nodes.map((node) => `${one.id}: ${node.html}`);
axe.run(document, { resultTypes: ["violations"], ...rules }).then((found) => done(found.violations.flatMap(nodes)));
"""
COLOURS = {"runOnly": ["color-contrast"]}  # nothing else depends on light and dark


def found(browser: Browser) -> Iterator[str]:
    """Yield what is wrong with the page that is open, at each width, then in the dark."""
    browser.run(files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    for width in (390, 800, 1400):
        browser.look(width=width, calm=True)
        yield from (f"{width} {one}" for one in browser.driver.execute_async_script(VIOLATIONS, {}))
    browser.look(dark=True, calm=True)
    yield from (f"dark {one}" for one in browser.driver.execute_async_script(VIOLATIONS, COLOURS))


def check(browser: Browser) -> None:
    assert list(found(browser)) == []
