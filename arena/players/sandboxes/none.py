"""No sandbox: for your own bots and for debugging."""

from arena.players.sandboxes.base import Sandbox
from arena.records import Assurance
from arena.roster.entrant import Launch


class NoSandbox(Sandbox, frozen=True, kw_only=True, tag="none"):
    """A plain process with an empty environment; its results are never ranked beside others."""

    def wrap(self, launch: Launch) -> Launch:
        """Return the launch unchanged."""
        return launch

    def assurance(self) -> Assurance:
        """Return that nothing is guaranteed."""
        return Assurance(isolated=False, profile="none")
