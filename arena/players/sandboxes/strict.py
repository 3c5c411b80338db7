"""Walls that hold against malice: the first profile that this machine can prove."""

from arena.errors import SandboxError
from arena.players.sandboxes import probe
from arena.players.sandboxes.base import Limited
from arena.players.sandboxes.walls import StrictProfile, behind
from arena.records import Assurance
from arena.roster.entrant import Launch


class Strict(Limited, frozen=True, kw_only=True, tag="strict"):
    """A bot reads its interpreter, libraries and own folder, writes nothing, starts nothing and reaches nobody.

    Needs Linux, and no root: namespaces and system-call filters (A with Landlock, B without), or Landlock and system-call filters
    (C). Each wall is proved by attacks from inside before the first bot starts; `arena doctor` shows what this machine can prove.
    """

    profile: StrictProfile | None = None  # None: the first of them that can be proved

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch behind the walls. Raises: SandboxError, if this machine cannot prove them."""
        return behind(launch, self._proved().profile, self)

    def assurance(self) -> Assurance:
        """Say which walls were proved. Raises: SandboxError, with the reason and the remedy."""
        return self._proved().assurance()

    def _proved(self) -> probe.Trial:
        trials = [probe.tried(profile) for profile in ([self.profile] if self.profile else probe.until_proved())]
        if trials[-1].state == "PROVED":
            return trials[-1]
        reasons = "; ".join(f"{trial.profile}: {trial.state}, {trial.reason}" for trial in trials)
        raise SandboxError(
            f"this machine cannot prove a strict sandbox ({reasons}); see `arena doctor`, or use the sandbox `standard`"
        )
