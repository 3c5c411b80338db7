"""The files of the repository as git knows them, whatever else was left in the working tree."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def tracked() -> list[Path]:
    """Return every file under version control that exists, relative to the root; a copy without git's data skips the test."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this copy of the repository has no git data, or git is not installed")
    listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(name) for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def copied(folder: Path) -> Path:
    """Copy the tracked files to a folder, as a fresh clone would hold them, and return the folder."""
    for path in tracked():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path)
    return folder
