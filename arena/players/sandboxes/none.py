"""No walls: for one's own bots and for finding a fault."""

from arena.players.sandboxes.base import Sandbox
from arena.records import Assurance
from arena.roster.entrant import Launch


class NoSandbox(Sandbox, frozen=True, kw_only=True, tag="none"):
    """A plain process with a scrubbed environment; its results are never ranked beside others."""

    def wrap(self, launch: Launch) -> Launch:
        """Return the launch as it is."""
        return launch

    def assurance(self) -> Assurance:
        """Promise nothing."""
        return Assurance(isolated=False, profile="none")
