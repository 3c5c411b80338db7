"""Confinement that withstands malice: the first profile that this machine proves."""

from arena.errors import SandboxError
from arena.players.confinement import probe
from arena.players.confinement.profiles import StrictProfile
from arena.players.sandboxes.base import LimitedSandbox
from arena.records import Assurance
from arena.roster.entrant import Launch


class StrictSandbox(LimitedSandbox, frozen=True, kw_only=True, tag="strict"):
    """A bot reads its interpreter, libraries and own folder; it writes no file, starts no process and has no network.

    Needs Linux, and no root: namespaces and system-call filters (A with Landlock, B without), or Landlock and system-call filters
    (C). Attacks from inside prove each profile before the first bot starts; `arena doctor` shows what this machine can prove.
    """

    profile: StrictProfile | None = None  # None: the first of them that is proved

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch under the profile. Raises: SandboxError, if this machine does not prove it."""
        return self._proved().wrap(launch, self)

    def assurance(self) -> Assurance:
        """Return which profile was proved. Raises: SandboxError, with the reason and the remedy."""
        return self._proved().assurance(self)

    def _proved(self) -> probe.ProfileTest:
        tests = [probe.prove(self.profile)] if self.profile else list(probe.prove_in_order())
        if tests[-1].state == "PROVED":
            return tests[-1]
        reasons = "; ".join(f"{test.profile}: {test.state}, {test.reason}" for test in tests)
        raise SandboxError(
            f"this machine cannot prove a strict sandbox ({reasons}); see `arena doctor`, or use the sandbox `standard`"
        )
