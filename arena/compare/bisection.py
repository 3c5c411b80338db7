"""The number of a test in a bisection: a search asks several times, so each test gets a share of the error probabilities.

The first test is that of the last commit, made before ``git bisect start``: if the bot is not weaker there, there is nothing to
find. A skipped commit counts: its test had no verdict, but it could have had a wrong one.
"""

import subprocess
from pathlib import Path


def bisection_test() -> int:
    """Return the number of the current test; 1 if no bisection is under way: then the last commit is tested."""
    try:
        command = ["git", "rev-parse", "--git-path", "BISECT_LOG"]
        log = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - a constant
        lines = Path(log).read_text(encoding="utf-8", errors="replace").splitlines()  # subjects have any encoding
    except (OSError, subprocess.CalledProcessError):
        return 1
    marks = [line for line in lines if line.startswith("git bisect ") and not line.startswith("git bisect start")]
    return 2 + len(marks)  # ``good``, ``bad``, ``skip`` or the user's own terms; all other lines are comments


def error_share(test: int) -> float:
    """Return the share of alpha and beta that a test gets; those of all tests add up to 1. ``test``: its number, from 1."""
    return 1 / (test * (test + 1))
