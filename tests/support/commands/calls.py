"""Arena's commands as a user gives them: as processes of their own."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from msgspec import json
from support.commands.forked import source


def command(*arguments: object, python: Path = Path(sys.executable)) -> list[str]:
    """Return the command line of an arena command, as ``python`` has it installed."""
    return [str(python), "-P", "-m", "arena", *map(str, arguments)]


def arena(
    *arguments: object, folder: Path | None = None, typed: str = "", first: str = "", **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end; one that is given variables of the environment is started anew, any other is forked.

    ``first``: Python that its process runs before it, to be limited or broken.
    """
    known = {**os.environ, "COLUMNS": "80", **environment}
    if environment:
        assert not first
        return subprocess.run(command(*arguments), cwd=folder, input=typed, env=known, capture_output=True, text=True, check=False)
    line = [str(word) for word in arguments]
    ended = source().run(line, folder or Path.cwd(), known, typed, first)
    return subprocess.CompletedProcess(line, ended.code, ended.output, ended.error)


def only_small_files(most: int) -> str:
    """Return what makes a process write no file of more bytes, as if there were no room."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))"
    return f"import sys; sys.dont_write_bytecode = True; {limit}"  # a module cut short would fail in the next process


def document(*arguments: object, **options: Any) -> Any:
    """Return the one JSON document that a command prints."""
    done = arena(*arguments, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return json.decode(done.stdout.encode())
