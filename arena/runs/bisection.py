"""Which test of a bisection a command is: a search asks several times, so each test gets a share of the chances to be wrong.

The first test is that of the last commit, made before ``git bisect start``: if the bot is not weaker there, there is nothing to
find. The k-th test has the share 1 / (k (k + 1)) of alpha and beta, which add up to 1 however long the search is.
"""

import subprocess
from pathlib import Path

ANSWERS = ("git bisect good", "git bisect bad")  # lines of git's log for a commit that was tested; a skipped one has no verdict


def number() -> int:
    """Return the number of the test that is made now, from 1: that of the last commit, as no search is under way."""
    try:
        asked = ["git", "rev-parse", "--git-path", "BISECT_LOG"]
        place = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - a constant
        lines = Path(place).read_text(encoding="utf-8").splitlines()
    except (OSError, subprocess.CalledProcessError):
        return 1
    return 2 + sum(line.startswith(ANSWERS) for line in lines)


def share(test: int) -> float:
    """Return the share of the chances to be wrong that a test gets."""
    return 1 / (test * (test + 1))
