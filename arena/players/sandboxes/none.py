"""No sandbox: for your own bots and for debugging."""

import os

from msgspec.structs import replace

from arena.interpreter import home_packages
from arena.players.sandboxes.base import Sandbox
from arena.records import Assurance
from arena.roster.entrant import Launch


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
