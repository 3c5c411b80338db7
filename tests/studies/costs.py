"""Which files and tests cost most: ``PYTHONPATH=tests python tests/studies/costs.py [ARGUMENTS OF PYTEST]`` runs pytest.

Seconds of the clock depend on what else the machine does; those of the processor are the test's own and those of all that it
started and waited for. Source: getrusage(2), RUSAGE_CHILDREN. ``MOST`` in the environment: the lines of a table, 20 by default.
"""

import os
import resource
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from support.commands.forked import spent

MOST = int(os.environ.get("MOST", "20"))
CPU = "cpu seconds"


class Costs:
    """What was spent, by file and by test; the fixtures of a file or a session count where they are made first."""

    def __init__(self) -> None:
        self.clock: defaultdict[str, float] = defaultdict(float)
        self.cpu: defaultdict[str, float] = defaultdict(float)
        self.tests: Counter[str] = Counter()

    def add(self, report: pytest.TestReport) -> None:
        """Count a phase of a test: its setup, its call or its end."""
        for name in (report.nodeid, report.nodeid.partition("::")[0]):
            self.clock[name] += report.duration
            self.cpu[name] += float(str(dict(report.user_properties)[CPU]))
        self.tests[report.nodeid.partition("::")[0]] += report.when == "call"

    def tables(self) -> Iterator[str]:
        """Yield the lines of two tables: files, then tests."""
        for what, wanted in (("file", False), ("test", True)):
            named = [(cpu, name) for name, cpu in self.cpu.items() if ("::" in name) == wanted]
            yield f"\n| {what} | tests | processor, s | clock, s |\n| --- | --- | --- | --- |\n"
            for cpu, name in sorted(named, reverse=True)[:MOST]:
                yield f"| `{name.removeprefix('tests/')}` | {self.tests[name] or 1} | {cpu:.1f} | {self.clock[name]:.1f} |\n"


COSTS = Costs()
_spent = [0.0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note in a phase's report what it has spent since the one before; with workers, each does so for itself."""
    report = yield
    before, _spent[0] = _spent[0], _now()
    report.user_properties.append((CPU, _spent[0] - before))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add a phase, whichever worker it comes from."""
    COSTS.add(report)


def pytest_collection_finish() -> None:
    """Leave out what collecting has cost."""
    _spent[0] = _now()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the tables."""
    terminalreporter.write("".join(COSTS.tables()))


def _now() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both) + spent()


if __name__ == "__main__":
    folders = (Path(__file__).parent, Path(__file__).parents[1])
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    raise SystemExit(
        subprocess.run([sys.executable, "-m", "pytest", "-p", "costs", *sys.argv[1:]], env=found, check=False).returncode
    )
