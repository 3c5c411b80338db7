"""Fixtures for the tests of pages: one browser, which is checked after each test, and a finished run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.browser.driver import ABSENT, CHROMIUM, DRIVER, Browser, browsing
from support.commands.calls import arena
from support.commands.runs import league


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not (CHROMIUM and DRIVER):
        pytest.skip(ABSENT)
    with browsing() as browser:
        yield browser


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """Yield a browser; the test fails if the console has a message or a page requested another address."""
    chromium.look()
    chromium.complaints()
    chromium.asked_for()
    yield chromium
    assert chromium.complaints() == []
    assert {one for one in chromium.asked_for() if not one.startswith(("file:", "http://127.0.0.1:"))} == set()


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished run of three bots."""
    folder = tmp_path_factory.mktemp("finished")
    spec = league(folder, "format: {name: round-robin, pairs: 3}")
    text = spec.read_text(encoding="utf-8").replace("name: two}]", "name: two}, greedy]")
    spec.write_text(text, encoding="utf-8")
    done = arena("run", spec, "--results", folder / "results" / "run", "--seed", "s")
    assert done.returncode == 0, done.stderr
    return folder / "results" / "run"
