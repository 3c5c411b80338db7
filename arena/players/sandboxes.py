"""The best confinement that this machine has. It contains accidents; it contains malice only where `strict` is possible."""

import os

from msgspec.structs import replace

from arena.confinement.profiles import StrictProfile
from arena.confinement.sandbox import LimitedSandbox, Sandbox
from arena.errors import SandboxError
from arena.interpreter import home_packages
from arena.players import probe
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


# Confinement that withstands malice: the first profile that this machine proves.


class StrictSandbox(LimitedSandbox, frozen=True, kw_only=True, tag="strict"):
    """A bot reads its interpreter, libraries and own folder; it writes no file, starts no process and has no network.

    Needs Linux, and no root: namespaces and system-call filters (A with Landlock, B without), or Landlock and system-call filters
    (C). Attacks from inside prove each profile before the first bot starts; `arena doctor` shows what this machine can prove.
    """

    profile: StrictProfile | None = None  # None: the first of them that is proved

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch under the profile. Raises: SandboxError, if this machine does not prove it."""
        return self._prove().wrap(launch, self)

    def assurance(self) -> Assurance:
        """Return which profile was proved. Raises: SandboxError, with the reason and the remedy."""
        return self._prove().assurance(self)

    def _prove(self) -> probe.ProfileTest:
        tests = [probe.prove(self.profile)] if self.profile else list(probe.prove_in_order())
        if tests[-1].state == "PROVED":
            return tests[-1]
        reasons = "; ".join(f"{test.profile}: {test.state}, {test.reason}" for test in tests)
        raise SandboxError(
            f"this machine cannot prove a strict sandbox ({reasons}); see `arena doctor`, or use the sandbox `standard`"
        )


# No sandbox: for your own bots and for debugging.


class NoSandbox(Sandbox, frozen=True, kw_only=True, tag="none"):
    """A plain process with an empty environment; its results are never ranked beside others."""

    def wrap(self, launch: Launch) -> Launch:
        """Return the launch unchanged, but for the packages of a user's home, which no bot's interpreter searches unasked."""
        if not home_packages():
            return launch
        variables = dict(launch.environment)
        path = os.pathsep.join(filter(None, (variables.get("PYTHONPATH", ""), *home_packages())))
        return replace(launch, environment=tuple({**variables, "PYTHONPATH": path}.items()))

    def assurance(self) -> Assurance:
        """Return that nothing is guaranteed."""
        return Assurance(isolated=False, profile="none")
