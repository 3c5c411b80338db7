"""The best confinement that this machine has. It contains accidents; it contains malice only where `strict` is possible."""

from arena.players.confinement import probe
from arena.players.sandboxes.base import LimitedSandbox
from arena.records import Assurance
from arena.roster.entrant import Launch


class StandardSandbox(LimitedSandbox, frozen=True, kw_only=True, tag="standard"):
    """The same as `strict` where that is proved; elsewhere limits on memory, time and files, whatever else works, and a warning."""

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch under the best profile of this machine. Raises: SandboxError."""
        return probe.best().wrap(launch, self)

    def assurance(self) -> Assurance:
        """Return which profile applies, and which of its layers are missing. Raises: SandboxError, if the required seal is."""
        return probe.best().assurance(self)
