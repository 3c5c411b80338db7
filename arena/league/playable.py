"""The copies of bots that a league has accepted, as they play; and stand-ins for those that cannot."""

from collections.abc import Collection, Sequence
from pathlib import Path

from arena.confinement.profiles import Sandbox
from arena.disk import real
from arena.errors import RosterError, StoreError
from arena.league.intake import copies
from arena.league.redaction import redact_paths
from arena.league.rules.events import LONGEST_TEXT, Reason
from arena.league.rules.field import Version
from arena.roster.entrant import Entrant, failing_launch
from arena.runs.confined_reading import confined_reader
from arena.runs.intake_errors import refusing_errors

UNUSABLE = "its copy is missing, was changed or cannot be read"


class Copies:
    """The copies of the bots of a league, from which they are played, each checked before its first round.

    A bot whose copy is missing or was changed plays no further round, until it is reinstated; then its copy is checked again. In a
    round that was decided before, it loses by faults: a program takes its place that ends at once and says why. So one bot never
    stops the league.
    """

    def __init__(self, league: Path, sandbox: Sandbox) -> None:
        """Begin with the folder of the league, and the sandbox in which its copies are read."""
        self._league = league
        self._sandbox = sandbox
        self._found: dict[str, tuple[Entrant, Reason | None]] = {}  # with why a copy cannot be played

    def problems(self, candidates: Sequence[Version], chosen: Collection[str]) -> dict[str, Reason]:
        """Return why some of the ``chosen`` candidates cannot be played; those are checked anew at the next call.

        Raises: StoreError, if no candidate can be played.
        """
        asked = [version for version in candidates if version.id in chosen]
        self._find_all(asked)
        found = {version.id: problem for version in asked if (problem := self._problem(version))}
        if found and all(map(self._problem, candidates)):
            raise StoreError(f"no bot can be played; {next(iter(found.values())).detail}")
        for name in found:
            del self._found[name]
        return found

    def _problem(self, version: Version) -> Reason | None:
        self._find_all([version])
        return self._found[version.id][1]

    def entrant(self, version: Version) -> Entrant:
        """Return the entrant of a version; if its copy cannot be played, one that fails to start."""
        self._find_all([version])
        return self._found[version.id][0]

    def _find_all(self, versions: Sequence[Version]) -> None:
        """Find the versions that were not found yet, with a confined reader that ends before they are played."""
        with confined_reader(self._sandbox) as reader:
            for version in versions:
                if version.id in self._found:
                    continue
                try:
                    with refusing_errors(version.id, self._league):
                        self._found[version.id] = copies.entrant(version, self._league, reader), None
                except (RosterError, StoreError) as error:
                    problem = Reason(UNUSABLE, redact_paths(self._league, str(error))[:LONGEST_TEXT])
                    self._found[version.id] = stand_in(version, self._league, UNUSABLE), problem


def stand_in(version: Version, league: Path, problem: str) -> Entrant:
    """Return an entrant for a version that cannot be played: it fails to start, and says why."""
    failing = failing_launch(str(real(league / copies.BOTS)), problem)
    return Entrant(name=version.id, version=str(version.number), source="", digest=version.digest, launch=failing)
