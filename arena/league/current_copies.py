"""The copies of the bots of a league, from which they are played; a copy that is missing or was changed is never played.

Its bot plays no further round. In a round that was decided before, it loses by faults: a program takes its place that ends at once
and says why. So one bot never stops the league.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from arena.confinement.sandbox import Sandbox
from arena.errors import RosterError, StoreError
from arena.interpreter import EXECUTABLE
from arena.league.intake import copies
from arena.league.places import without_places
from arena.league.rules.field import Version
from arena.league.rules.reasons import Reason
from arena.roster.entrant import Entrant, Launch
from arena.roster.reading import Reader
from arena.runs.confined_reading import confined_reader, refusing_errors
from arena.system import real

UNUSABLE = "its copy is missing, was changed or cannot be read"


class Copies:
    """The entrants that were found so far, each once."""

    def __init__(self, league: Path, sandbox: Sandbox) -> None:
        """Begin with the folder of the league, and the sandbox in which its copies are read."""
        self._league = league
        self._sandbox = sandbox
        self._found: dict[str, Entrant] = {}
        self._problems: dict[str, Reason] = {}

    def problems(self, active: Sequence[Version], playing: Collection[str]) -> dict[str, Reason]:
        """Return why some of those that are to play cannot be played. Raises: StoreError, if no active version can."""
        asked = [version for version in active if version.id in playing]
        self._find_all(asked)
        found = {version.id: problem for version in asked if (problem := self._problem(version))}
        if found and all(map(self._problem, active)):
            raise StoreError(f"no bot can be played; {next(iter(found.values())).detail}")
        return found

    def _problem(self, version: Version) -> Reason | None:
        self.entrant(version)
        return self._problems.get(version.id)

    def entrant(self, version: Version) -> Entrant:
        """Return the entrant of a version; one that fails to start, if the copy cannot be played."""
        self._find_all([version])
        return self._found[version.id]

    def _find_all(self, versions: Sequence[Version]) -> None:
        """Find what was not found yet, by one process that reads the copies, and has ended when they are played."""
        with confined_reader(self._sandbox) as reader:
            for version in versions:
                if version.id not in self._found:
                    self._found[version.id] = self._find(version, reader)

    def _find(self, version: Version, reader: Reader) -> Entrant:
        try:
            with refusing_errors(version.id, self._league):
                return copies.entrant(version, self._league, reader)
        except (RosterError, StoreError) as error:
            self._problems[version.id] = Reason(UNUSABLE, without_places(self._league, str(error))[:10_000])
            return stand_in(version, self._league, UNUSABLE)


def stand_in(version: Version, league: Path, problem: str) -> Entrant:
    """Return an entrant for a version that cannot be played: it fails to start, and says why."""
    failing = Launch(
        command=(EXECUTABLE, "-I", "-c", f"raise SystemExit({problem!r})"),
        folder=str(real(league / copies.BOTS)),
    )
    return Entrant(version.id, str(version.number), "", version.digest, failing)
