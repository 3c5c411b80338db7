"""Whatever walls this machine has: contains accidents, and malice only where it has what `strict` needs."""

from arena.players.sandboxes import probe
from arena.players.sandboxes.base import Limited
from arena.players.sandboxes.walls import behind
from arena.records import Assurance
from arena.roster.entrant import Launch


class Standard(Limited, frozen=True, kw_only=True, tag="standard"):
    """The walls of `strict` if they can be proved; else limits on memory, time, files and what else works, and a warning."""

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch behind the best walls there are."""
        return behind(launch, probe.best().profile, self)

    def assurance(self) -> Assurance:
        """Say which walls there are, and which are missing."""
        return probe.best().assurance()
