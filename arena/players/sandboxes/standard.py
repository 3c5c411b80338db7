"""Limits, but no walls: contains accidents, not malice."""

import sys

from msgspec.json import encode
from msgspec.structs import replace

from arena.players.sandboxes.base import Sandbox
from arena.players.sandboxes.launcher import Policy
from arena.roster.entrant import Launch


class Standard(Sandbox, frozen=True, kw_only=True, tag="standard"):
    """Resource limits on memory, files, processes and core dumps."""

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch by way of the launcher, which limits itself before it becomes the bot."""
        policy = Policy(memory_mb=self.memory_mb)
        launcher = (sys.executable, "-s", "-P", "-m", "arena.players.sandboxes.launcher", encode(policy).decode(), *launch.command)
        return replace(launch, command=launcher)
