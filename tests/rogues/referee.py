"""``python -m rogues.referee SETTING [NAME ...]``: runs every rogue in a setting, in the cage.

The referee does not rely on what a rogue prints: it also looks for marks that an attack leaves in files, signals, limits and
processes.
"""

import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.json import encode
from rogues.process import STAGE, RogueProcess, Setting, setting, staged
from rogues.rogue import Rogue, Scene, every_rogue

from arena.confinement.prefork import is_template

PATIENCE = 4.0  # seconds for a rogue
_signals: list[int] = []


class AttackResult(Struct, frozen=True):
    """The result of an attack."""

    succeeded: bool
    how: str
    root_only: bool
    known_under_c: bool


def main(how: Setting, names: list[str]) -> None:
    """Run the rogues, all or those named, and print the results as JSON."""
    signal.signal(signal.SIGUSR1, lambda number, _: _signals.append(number))
    signal.signal(signal.SIGIO, lambda number, _: _signals.append(number))
    with ExitStack() as stack:
        scene = staged(stack)
        pristine = {
            path: (path.read_bytes(), path.stat().st_mtime_ns)
            for path in STAGE.rglob("*")
            if path.is_file() and not path.is_symlink()
        }
        rogues = every_rogue()
        outcomes = {name: _played(rogues[name], scene, how, pristine) for name in names or rogues}
    os.write(1, encode(outcomes))


def _played(rogue: Rogue, scene: Scene, how: Setting, pristine: dict[Path, tuple[bytes, int]]) -> AttackResult:
    """Run one rogue, restore what it changed and judge it."""
    before = _marks()
    output = _output(rogue, scene, how)
    left = _end_orphans()
    after = _marks()
    changed = sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
    if changed:
        _clear_up(pristine, before)
    proofs = {
        "it reported success": output == "succeeded" or output.endswith("\nsucceeded"),
        f"{left} processes were left running": left > 0,
        f"it left marks: {', '.join(changed)}": bool(changed),
    }
    proved = [how for how, is_so in proofs.items() if is_so]
    return AttackResult(bool(proved), "; ".join(proved) or output, rogue.root_only, rogue.known_under_c)


def _output(rogue: Rogue, scene: Scene, how: Setting) -> str:
    """Return what the rogue prints; for one that only spins, whether its limit ended it."""
    bot = RogueProcess(("rogues.play", rogue.subject, rogue.name), scene, how, rogue.cpu_seconds)
    if rogue.cpu_seconds > 1:
        return bot.output(PATIENCE)
    return "stopped: by its limit" if bot.is_stopped_in_time() else "succeeded"


def _marks() -> dict[str, Any]:
    """Return the state of everything that a rogue might change."""
    own = os.getpid()
    _let_handlers_run()
    return {
        "signals": len(_signals),
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "limits": [resource.getrlimit(kind) for kind in range(16)],
        "cores": sorted(os.sched_getaffinity(0)),
        "scheduler": os.sched_getscheduler(0),
        "oom": Path(f"/proc/{own}/oom_score_adj").read_text(encoding="ascii"),
        **{path: mark for root in (str(STAGE), "/dev/shm") for path, mark in _below(root)},  # noqa: S108 - the cage's
        **{f"/tmp/{name}": True for name in os.listdir("/tmp")},  # noqa: S108 - the cage's
    }


def _below(folder: str) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield the path and the mark of everything below a folder: a thousand, twice for each rogue, so each is read only once."""
    entries: list[os.DirEntry[str]] = []
    with suppress(PermissionError, FileNotFoundError):  # a rogue has closed it, or one that is ending has removed it
        entries = list(os.scandir(folder))
    for entry in entries:
        with suppress(FileNotFoundError):
            mark = _mark(entry)
            yield entry.path, mark
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path)


def _mark(entry: os.DirEntry[str]) -> tuple[object, ...]:
    seen = entry.stat(follow_symlinks=False)
    content = () if entry.is_dir(follow_symlinks=False) else (seen.st_size, seen.st_nlink, seen.st_mtime_ns)
    attributes = () if entry.is_symlink() else tuple(os.listxattr(entry.path))
    return (seen.st_mode, seen.st_uid, *content, *attributes)


def _let_handlers_run() -> None:
    """Let the handlers of pending signals run: Python runs them between two instructions."""
    time.sleep(0.002)


def _end_orphans() -> int:
    """End the processes that rogues left running, and return their number."""
    found = [int(name) for name in os.listdir("/proc") if name.isdigit() and _alive(name)]
    orphans = [pid for pid in found if pid not in {1, os.getpid()} and not is_template(pid)]
    for orphan in orphans:
        try:
            os.kill(orphan, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return len(orphans)


def _alive(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] not in {"Z", "X"}
    except OSError:
        return False


def _clear_up(pristine: dict[Path, tuple[bytes, int]], before: dict[str, Any]) -> None:
    """Restore every file, and remove new ones."""
    for name in _marks().keys() - before.keys():
        path = Path(name)
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    for path, (content, modified) in pristine.items():
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
        mode = 0o777 if path.name == "program" else 0o666
        if path.stat().st_uid != os.geteuid():
            os.chown(path, os.geteuid(), os.getegid())
        if path.stat().st_mode & 0o7777 != mode:
            path.chmod(mode)
        for attribute in os.listxattr(path):
            os.removexattr(path, attribute)
        os.utime(path, ns=(modified, modified))  # otherwise Python recompiles the package, which looks like a mark
    os.setpriority(os.PRIO_PROCESS, 0, max(0, os.getpriority(os.PRIO_PROCESS, 0)))


if __name__ == "__main__":
    main(setting(sys.argv[1]), sys.argv[2:])
