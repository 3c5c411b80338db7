"""The sandboxes `standard`, `strict` and `none`: the best confinement that is proved on this machine, or none.

`standard` contains accidents; it contains malice only where `strict` is possible.
"""

import os

from msgspec.structs import replace

from arena.confinement.profiles import LimitedSandbox, Sandbox, StrictProfile
from arena.errors import SandboxError
from arena.interpreter import home_packages
from arena.players.proofs import ProfileTest, best, prove, prove_in_order
from arena.records import Assurance
from arena.roster.entrant import Launch


class StandardSandbox(LimitedSandbox, frozen=True, kw_only=True, tag="standard"):
    """The same as `strict` where that is proved; elsewhere limits on memory, time and files, whatever else works, and a warning."""

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch under the best profile of this machine. Raises: SandboxError."""
        return best().wrap(launch, self)

    def assurance(self) -> Assurance:
        """Return which profile applies, and which layers are missing. Raises: SandboxError, if a required seal is."""
        return best().assurance(self)


class StrictSandbox(LimitedSandbox, frozen=True, kw_only=True, tag="strict"):
    """A bot reads its interpreter, libraries and own folder; it writes only to folders granted to it, and has no network.

    It starts no process, and threads only if they are granted.
    Needs Linux but no root rights: namespaces and system-call filters (A with Landlock, B without), or Landlock and system-call
    filters (C). Attacks from inside prove the profile before the first bot starts; `arena doctor` shows what this machine can
    prove.
    """

    profile: StrictProfile | None = None  # None: the first of them that is proved

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch under the profile. Raises: SandboxError, if this machine does not prove it."""
        return self._prove().wrap(launch, self)

    def assurance(self) -> Assurance:
        """Return which profile was proved. Raises: SandboxError, with the reason and the remedy."""
        return self._prove().assurance(self)

    def _prove(self) -> ProfileTest:
        tests = [prove(self.profile)] if self.profile else list(prove_in_order())
        if tests[-1].state == "PROVED":
            return tests[-1]
        reasons = "; ".join(f"{test.profile}: {test.state}, {test.reason}" for test in tests)
        raise SandboxError(
            f"this machine cannot prove a strict sandbox ({reasons}); see `arena doctor`, or use the sandbox `standard`"
        )


FOR_BOTS = "ARENA_BOT_"  # the beginning of the variables that bots without a sandbox get: see arena/sdk/endpoint.py


class NoSandbox(Sandbox, frozen=True, kw_only=True, tag="none"):
    """A plain process; of the user's environment it has only the variables ARENA_BOT_*. Results are never ranked beside others."""

    def wrap(self, launch: Launch) -> Launch:
        """Return the launch with the variables for bots, and the user's home packages, which ``-s`` in its command leaves out.

        It is called where the bot starts, so that a key in such a variable is in no job and in no record.
        """
        variables = dict(launch.environment) | {name: text for name, text in os.environ.items() if name.startswith(FOR_BOTS)}
        if home_packages():
            variables["PYTHONPATH"] = os.pathsep.join(filter(None, (variables.get("PYTHONPATH", ""), *home_packages())))
        return replace(launch, environment=tuple(variables.items()), may_end_run=True)

    def assurance(self) -> Assurance:
        """Return that nothing is guaranteed."""
        return Assurance(isolated=False, profile="none")
