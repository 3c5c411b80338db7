"""How runs end: two that were played differently, with the same records, standings and reports."""

import csv
import re
from pathlib import Path

from support.commands.calls import arena
from support.commands.runs import stored


def same_end(one: Path, other: Path) -> None:
    """Assert that two runs have the same records and reports, times aside, and that the first one verifies."""
    assert stored(one) == stored(other)
    for name in ("report.md", "results.json", "standings.csv"):
        assert untimed(one / name) == untimed(other / name)
    done = arena("verify", one)
    assert re.fullmatch(r"link [0-9a-f]{64}\nwitness: \S+ has seen .*\n\d+ hands, 0 differences\n", done.stdout), done


def untimed(path: Path) -> object:
    """Return a file of a report without the times, which differ from run to run, and the link, which covers them."""
    text = path.read_text()
    if path.suffix == ".csv":
        return [{key: value for key, value in row.items() if key != "cpu_a_decision"} for row in csv.DictReader(text.splitlines())]
    if path.suffix == ".json":
        return re.sub(r'"cpu": [^,\n]+|"(started|link)": "[^"]+"', "…", text)
    return re.sub(
        r"(?<=\| )[0-9.]+ \|$|started.* UTC|^- link: .*", "…", text, flags=re.MULTILINE
    )  # the last column of the table of play
