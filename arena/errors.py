"""Whose fault it is, and what the user is told.

A bot's fault is no exception but a value in the record; an exception outside this tree is our bug.
"""

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def in_one_line(text: str) -> str:
    """Return a text that stays on its line and does nothing to a terminal: control characters are escaped."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


class ArenaError(Exception):
    """Something the user can mend: one line that says what was found, where, and what was expected."""


class SpecError(ArenaError):
    """A tournament spec that cannot be played as it stands."""


class RosterError(ArenaError):
    """A bot that cannot be found or entered."""


class PluginError(ArenaError):
    """A plugin that cannot be loaded."""


class StoreError(ArenaError):
    """A results folder that cannot be read, written or gone on with."""


class SandboxError(ArenaError):
    """A sandbox that this machine cannot give."""


class InputError(ArenaError):
    """A line, file or argument of a command that says nothing it could work on."""


class WorkerLost(Exception):  # noqa: N818 - it says what happened
    """The machine's fault: a worker ended under its fixture, or was too busy to judge it; play it again."""
