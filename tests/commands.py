"""The command line as a user has it: a process of its own."""

import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess


def arena(*arguments: str | Path, folder: Path | None = None) -> CompletedProcess[str]:
    """Return what came of ``arena`` with some arguments, started in a folder."""
    command = [sys.executable, "-m", "arena", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
