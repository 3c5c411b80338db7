"""Commands that are shown to be typed again."""

import shlex
from collections.abc import Iterator, Sequence


def folded(command: Sequence[str], before: str, width: int) -> Iterator[str]:
    """Yield a command in lines of at most ``width`` characters, unless one word is longer; a shell reads them as one command.

    ``before`` is what stands before it in the first line; the others are indented a little more than that line.
    """
    indent = " " * (len(before) - len(before.lstrip()) + 4)
    line = before
    for number, part in enumerate(map(shlex.quote, command)):
        if number and len(line) + len(part) + 2 > width:  # a space and the backslash
            yield f"{line}\\"
            line = indent
        line += f"{part} "
    yield line.rstrip()
