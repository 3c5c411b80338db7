"""Compiled and interpreted kernels in folders of their own: to compare them with the engine and each other, and under sanitizers.

``PYTHONPATH=.packaging:tests python -m support.kernel.compiled HANDS`` compares that number of hands of each player under each
variant of the rules, with AddressSanitizer and UndefinedBehaviorSanitizer of gcc, and runs the tests of what is refused.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import arena_build
from msgspec import json
from support.repository.files import ROOT

from arena.train.compiled import folder_of

SANITIZE = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"


def copy(folder: Path) -> Path:
    """Put the package, with its kernel as source, into a folder, and return the folder."""
    shutil.copytree(ROOT / "arena", folder / "arena", ignore=shutil.ignore_patterns("__pycache__", "compiled_*"))
    return folder


def build(folder: Path, flags: str = "-O2") -> Path:
    """Put the package, with a compiled kernel, into a folder, and return the folder. Raises: SystemExit, without a compiler."""
    arena_build.check_compiler()
    place = folder_of(copy(folder) / "arena" / "train")
    place.mkdir()
    compiler = (sysconfig.get_config_var("CC") or "cc").split()
    include, suffix = sysconfig.get_paths()["include"], sysconfig.get_config_var("EXT_SUFFIX")
    code = f"import arena_build; arena_build.kernel_extensions({str(folder)!r})"
    _run([sys.executable, "-c", code], folder, {"PYTHONPATH": str(ROOT / ".packaging")})
    for source in arena_build.KERNEL:
        made = (folder / "cython" / source).with_suffix(".c")
        library = (place / Path(source).name).with_suffix(suffix)
        _run([*compiler, "-shared", "-fPIC", *flags.split(), f"-I{include}", str(made), "-o", str(library)], folder, {})
    return folder


def compare(folder: Path, hands: int, variables: Mapping[str, str] | None = None) -> Any:
    """Return what ``games`` prints, with the kernel of a folder."""
    return json.decode(_run([sys.executable, "-P", "-m", "support.kernel.games", str(hands)], folder, variables or {}))


def review_numbers(folder: Path, variables: Mapping[str, str] | None = None) -> Any:
    """Return what ``review_numbers`` prints, with the kernel of a folder."""
    return json.decode(_run([sys.executable, "-P", "-m", "support.kernel.review_numbers"], folder, variables or {}))


def sanitizers() -> dict[str, str]:
    """Return the variables with which Python loads a library that was compiled with sanitizers."""
    libraries = [_run(["gcc", f"-print-file-name={name}"], ROOT, {}).strip() for name in ("libasan.so", "libubsan.so")]
    return {"LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}


def run_tests_of_refusals(folder: Path, variables: Mapping[str, str]) -> None:
    """Run the tests of what ``Hands`` refuses, with the kernel of a folder."""
    tests = str(ROOT / "tests" / "train" / "test_hands.py")
    options = ["-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    _run([sys.executable, "-m", "pytest", *options, tests], ROOT, {"PYTHONPATH": str(folder), **variables})


def _run(command: list[str], folder: Path, variables: Mapping[str, str]) -> str:
    paths = {"PYTHONPATH": os.pathsep.join((str(folder), str(ROOT / "tests")))}
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **paths, **variables}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        compared = compare(build(Path(name), SANITIZE), int(sys.argv[1]), sanitizers())
        run_tests_of_refusals(Path(name), sanitizers())
        assert compared["compiled"]
        sys.stdout.write(f"no error of memory in {sum(seen['decisions'] for seen in compared['seen'].values())} decisions\n")
