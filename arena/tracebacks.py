"""The lines of code in the traceback of an error, also of one that a worker process has sent."""

import traceback
from typing import NamedTuple

FRAMES = "arena_frames"  # the attribute with the traceback of an error that a worker has sent


class CodeLine(NamedTuple):
    """A line of code in a traceback."""

    module: str
    function: str
    line: int
    file: str


def frames(error: BaseException) -> tuple[CodeLine, ...]:
    """Return the traceback of an error, the innermost last; of one that a worker has sent, with the worker's."""
    here = ((frame.f_globals.get("__name__", ""), frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__))
    lines = (CodeLine(str(module), code.co_name, line, code.co_filename) for module, code, line in here)
    return (*lines, *vars(error).get(FRAMES, ()))
