"""``python -m arena.players.sandboxes.launcher POLICY COMMAND ...``: limits itself, then becomes the bot.

A launcher limits itself because the harness must not run code between fork and exec, where a lock that another thread holds
would never be released.
"""

import os
import resource
import runpy
import sys

from msgspec import Struct
from msgspec.json import decode


class Policy(Struct, frozen=True):
    """What the launcher applies, sent to it as JSON."""

    memory_mb: int


def main(policy: Policy, command: list[str]) -> None:
    """Apply the limits and become the bot: in this very interpreter, if it is a Python bot."""
    limit(resource.RLIMIT_DATA, policy.memory_mb << 20)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_FSIZE, 16 << 20)
    limit(resource.RLIMIT_NOFILE, 64)
    if command[:4] == [sys.executable, "-s", "-P", "-m"]:
        sys.argv = command[4:]
        runpy.run_module(command[4], run_name="__main__", alter_sys=True)
    else:
        os.execv(command[0], command)  # noqa: S606 - becoming the bot is the point


def limit(kind: int, value: int) -> None:
    """Set a soft and hard limit, never above the one in force."""
    _, hard = resource.getrlimit(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


if __name__ == "__main__":
    main(decode(sys.argv[1], type=Policy), sys.argv[2:])
