"""The copies of the bots of a league, from which they are played; a copy that is missing or was changed is never played.

Its bot plays no further round. In a round that was decided before, it loses by faults: a program takes its place that ends at once
and says why. So one bot never stops the league.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from arena.errors import RosterError, StoreError
from arena.interpreter import EXECUTABLE
from arena.league.field import Version
from arena.roster.entrant import Entrant, Launch
from arena.runs.leagues import intake


class Copies:
    """The entrants that were found so far, each once."""

    def __init__(self, league: Path) -> None:
        """Begin with the folder of the league."""
        self._league = league
        self._found: dict[str, Entrant] = {}
        self._problems: dict[str, str] = {}

    def problems(self, active: Sequence[Version], playing: Collection[str]) -> dict[str, str]:
        """Return why some of those that are to play cannot be played. Raises: StoreError, if no active version can."""
        asked = [version for version in active if version.id in playing]
        found = {version.id: problem for version in asked if (problem := self._problem(version))}
        if found and all(map(self._problem, active)):
            raise StoreError(f"no bot can be played; {next(iter(found.values()))}")
        return found

    def _problem(self, version: Version) -> str:
        self.entrant(version)
        return self._problems.get(version.id, "")

    def entrant(self, version: Version) -> Entrant:
        """Return the entrant of a version; one that fails to start, if the copy cannot be played."""
        if version.id not in self._found:
            self._found[version.id] = self._find(version)
        return self._found[version.id]

    def _find(self, version: Version) -> Entrant:
        try:
            return intake.entrant(version, self._league)
        except (RosterError, StoreError) as error:
            self._problems[version.id] = str(error)
            return stand_in(version, self._league, str(error))


def stand_in(version: Version, league: Path, problem: str) -> Entrant:
    """Return an entrant for a version that cannot be played: it fails to start, and says why."""
    failing = Launch(
        command=(EXECUTABLE, "-I", "-c", f"raise SystemExit({problem!r})"),
        folder=str((league / intake.BOTS).resolve()),
    )
    return Entrant(version.id, str(version.number), "", version.digest, failing)
