"""Environments of their own, into which what the repository builds is installed."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest


def ran(*command: object, folder: Path, code: int = 0, seconds: float = 300, variables: Mapping[str, str] | None = None) -> str:
    """Run a command in a folder, without Python's own environment variables, and return its output."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "ARENA_"))}
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env=inherited | dict(variables or {}),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def environment(folder: Path, *needed: object) -> Path:
    """Return the folder of programs of a new environment with these packages."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    ran(folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", *needed, folder=folder)
    return folder / "bin"


def environment_or_skip(folder: Path, *tools: object) -> Path:
    """Return an environment with published tools, or skip the test where no packages can be installed."""
    try:
        return environment(folder, *tools)
    except AssertionError as error:
        pytest.skip(f"no packages can be installed here: {str(error).splitlines()[0]}")
