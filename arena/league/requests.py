"""What an author asks for beside uploads: a comparison of two versions of a bot, and a practice match."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from msgspec import json
from msgspec.structs import replace

from arena.disk import inside
from arena.errors import MALFORMED
from arena.league.jobs import DAY, HOUR, LONGEST_REASON, NO_RESULT, JobLimits, JobQueue, ServerJob
from arena.league.leagues import JOBS
from arena.league.rules.field import Version
from arena.league.rules.side_matches import names_in_run
from arena.moments import now
from arena.runs.background import EndedCommand
from arena.runs.difference_words import SHOWN
from arena.runs.differences import Difference
from arena.store.folder import Folder

RUN = "run"  # the folder of a practice match, in that of its job
COMPARED_HANDS = 50  # that the old version plays against itself
COMPARISONS = JobLimits(waiting=2, recent=12, period=HOUR, kept=50, seconds=300.0)
PRACTICE = JobLimits(waiting=2, recent=10, period=DAY, kept=20, seconds=600.0)

_DIFFERENCE = json.Decoder(Difference)


class VersionChange(ServerJob, frozen=True, kw_only=True, tag="comparison"):
    """A comparison of two versions: how the decisions have changed."""

    things: ClassVar[str] = "comparisons"

    old: str  # version
    new: str  # version
    digests: tuple[str, str]  # of both
    difference: Difference | None = None  # None: it is not done
    warnings: tuple[str, ...] = ()

    def command(self, league: Path) -> Sequence[str | Path]:
        """Return the words of the command that compares them."""
        return ("league", "diff", league, self.old, self.new, "--hands", str(COMPARED_HANDS), "--workers", "1", "--json")

    def after_command(self, ended: EndedCommand) -> "VersionChange":
        """Return it with its result."""
        if ended.code not in (0, 1):  # 1: decisions differ
            return self.failing(ended.reason or NO_RESULT)
        try:
            found = _DIFFERENCE.decode(ended.output)
        except MALFORMED:
            return self.failing(NO_RESULT)
        shown = replace(found, positions=found.positions[:SHOWN])
        warnings = tuple(line[:LONGEST_REASON] for line in ended.error_lines[:SHOWN])
        return replace(self, state="done", difference=shown, warnings=warnings)


def find_comparison(jobs: JobQueue, old: Version, new: Version) -> VersionChange | None:
    """Return the last comparison of two versions; None: there is none."""
    return jobs.last(VersionChange, lambda one: one.digests == (old.digest, new.digest))


def ask_comparison(jobs: JobQueue, author: str, old: Version, new: Version) -> VersionChange:
    """Return the comparison of two versions, which is asked for if there is none that has not failed.

    Raises: TooManyRequestsError, StoreError.
    """
    known = find_comparison(jobs, old, new)
    if known and not known.has_failed:
        return known
    return jobs.ask(VersionChange(author=author, at=now(), old=old.id, new=new.id, digests=(old.digest, new.digest)))


class PracticeMatch(ServerJob, frozen=True, kw_only=True, tag="practice"):
    """A practice match, which the league does not record: two legs on the same deals."""

    things: ClassVar[str] = "practice matches"

    mine: str  # version
    opponent: str  # version

    @property
    def entrants(self) -> dict[str, str]:
        """Return the versions by the names under which they play in it."""
        return names_in_run([self.mine, self.opponent])

    def run(self, league: Path) -> Folder:
        """Return the folder of its run."""
        return Folder(inside(league, JOBS, self.id, RUN))

    def command(self, league: Path) -> Sequence[str | Path]:
        """Return the words of the command that plays it."""
        return ("league", "practice", league, self.mine, self.opponent, "--results", self.run(league).path, "--quiet")
