"""Whose fault it is, and what the user is told.

A bot's fault is no exception but a value in the record; an exception outside this tree is our bug.
"""


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


class DamagedError(StoreError):
    """A database that is not as it was written."""


class SandboxError(ArenaError):
    """A sandbox that this machine cannot give."""


class InputError(ArenaError):
    """A line, file or argument of a command that says nothing it could work on."""


class WorkerLost(Exception):  # noqa: N818 - it says what happened
    """The machine's fault: a worker ended under its fixture, or was too busy to judge it; play it again."""
