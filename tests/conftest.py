"""What every test may use: the golden files, and how they are rewritten."""

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support.sizes import size

GOLDEN = Path(__file__).parent / "golden"
COMPILED = ".pytest_cache/compiled"  # for who keeps bytecode out of the tree

# No deadline: the machine's load is not what a property is about. The same examples every time: a red run can be run again.
settings.register_profile(
    "arena", deadline=None, derandomize=True, max_examples=size(30, 300), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("arena")

# A shell has what it starts in the background ignore Ctrl-C, and so would every program that the tests start and stop by it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # likewise, under nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the files under tests/golden with what the code gives now"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Make a folder for all folders of the tests, unless one is given: pytest's own is closed, again and again, to other users."""
    if not config.option.basetemp and not hasattr(config, "workerinput"):
        config.option.basetemp = tempfile.mkdtemp(prefix="arena-tests-")
        config.add_cleanup(lambda: _remove_unless_failed(config))
        if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
            # To compile arena and the tests takes half a minute, so the next run has it too, as it has where bytecode is written.
            os.environ["PYTHONPYCACHEPREFIX"] = str(config.rootpath / COMPILED)
            config.add_cleanup(lambda: _forget_compiled(config))


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Collect without a search for garbage: what is collected stays until the end."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what was collected, some 400,000 objects, out of every search for garbage that the tests cause."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that may take longest, so that all workers have something to do until the end."""
    items.sort(key=_limit, reverse=True)


def _limit(item: pytest.Item) -> float:
    marked = item.get_closest_marker("timeout")
    return float(marked.args[0]) if marked and marked.args else 0.0


def _forget_compiled(config: pytest.Config) -> None:
    """Remove what was compiled of files that only this run had."""
    only_here = Path(config.option.basetemp)
    shutil.rmtree(config.rootpath / COMPILED / only_here.relative_to(only_here.anchor), ignore_errors=True)


def _remove_unless_failed(config: pytest.Config) -> None:
    """Remove the folder of all folders; after a failure it stays, to be looked at."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not (reporter and (reporter.stats.get("failed") or reporter.stats.get("error"))):
        shutil.rmtree(config.option.basetemp, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def _open_folders(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let others enter the folders above those of the tests, as far as they are this user's and not the system's."""
    made = tmp_path_factory.getbasetemp()
    for folder in (made, *made.parents):
        if folder == Path(tempfile.gettempdir()) or folder.stat().st_uid != os.geteuid():
            break
        folder.chmod(folder.stat().st_mode | 0o055)


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """Return a folder that others may read: a bot that root starts runs as another user."""
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file under tests/golden, or rewrite the file under ``--update-golden``."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text, f"{path} differs; if the change is meant: pytest --update-golden"

    return check
