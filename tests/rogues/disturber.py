"""``python -m rogues.disturber STARTED ACT@STEP ...``: a bot that draws and throws, and does something hostile at some steps.

``STARTED`` is when its match was: a process that starts much later knows that it replaces one that was ended.
"""

import ctypes
import json
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

Act = Callable[[], object]
ACTS: dict[str, Act] = {}
STEPS = ("import", "hello", "ready", "first turn", "a turn", "hand over", "restart", "match over", "bye")
READY = {"type": "ready", "protocol": 1}
TURN = 9  # the number of "a turn"
SECOND_LIFE = 1.0  # seconds after the match began


def disturbs(act: Act) -> Act:
    """Register an act, by the function's name."""
    ACTS[act.__name__.replace("_", " ")] = act
    return act


def main(started: float, plan: dict[str, list[str]]) -> None:
    """Play until ``bye``."""
    replaces = time.time() > started + SECOND_LIFE

    def at(step: str) -> None:
        for act in plan.get(step, []):
            ACTS[act]()

    at("import")
    turns = 0
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            at("hello")
            if replaces:
                at("restart")
            state = message.get("state")
            _answer(READY)
            at("ready")
        elif message["type"] == "turn":
            turns += 1
            at("first turn" if turns == 1 else "a turn" if turns == TURN else "")
            if turns == TURN and "restart" in plan and not replaces:
                time.sleep(max(0.0, started + SECOND_LIFE + 0.1 - time.time()))
                os._exit(1)
            _answer(_play(message))
        elif message["type"] in ("hand_over", "match_over"):
            at(message["type"].replace("_", " "))
        elif message["type"] == "bye":
            at("bye")
            if state:
                Path(state, "learned").write_text("all hands", encoding="ascii")
            return


def _answer(message: dict[str, object]) -> None:
    os.write(1, json.dumps(message, separators=(",", ":")).encode() + b"\n")


def _play(turn: dict[str, list[str]]) -> dict[str, object]:
    kind = next(kind for kind in ("pass", "draw", "discard", "lay_off", "knock") if kind in turn["may"])
    return {"kind": kind, "card": turn["may_discard"][0]} if kind in ("discard", "knock") else {"kind": kind}


@disturbs
def ends() -> None:
    os._exit(0)


@disturbs
def fails() -> None:
    raise RuntimeError


@disturbs
def kills_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@disturbs
def aborts() -> None:
    os.kill(os.getpid(), signal.SIGABRT)


@disturbs
def reads_address_zero() -> None:
    ctypes.string_at(0)


@disturbs
def sleeps() -> None:
    time.sleep(60)


@disturbs
def spins() -> None:
    while True:
        pass


@disturbs
def spins_in_threads() -> None:
    """They go on in its opponent's turns."""
    for _ in range(3):
        with suppress(RuntimeError):
            threading.Thread(target=spins, daemon=True).start()


@disturbs
def storms() -> None:
    for _ in range(3):
        with suppress(RuntimeError):
            threading.Thread(target=_signal_without_end, daemon=True).start()


def _signal_without_end() -> None:
    while True:
        for number in (signal.SIGCONT, signal.SIGURG, signal.SIGSTOP):
            with suppress(PermissionError):
                os.kill(os.getpid(), number)


@disturbs
def closes_its_output() -> None:
    os.close(1)


@disturbs
def closes_everything() -> None:
    os.closerange(0, 64)


@disturbs
def answers_early() -> None:
    os.write(1, b'{"kind":"pass"}\n')


@disturbs
def writes_half_a_line() -> None:
    os.write(1, b'{"kind":')
    sleeps()


@disturbs
def writes_too_much() -> None:
    os.write(1, b"x" * 60_000 + b"y" * 60_000)


@disturbs
def floods_its_log() -> None:
    while True:
        os.write(2, b"x" * 60_000)


@disturbs
def uses_up_its_memory() -> None:
    held = []
    while True:
        held.append(bytearray(1 << 20))


@disturbs
def stays_at_its_limit_of_memory() -> None:
    held = globals().setdefault("held", [])
    with suppress(MemoryError):
        while True:
            held.append(bytearray(1 << 20))


@disturbs
def uses_up_page_tables() -> None:
    with suppress(OSError, MemoryError):
        for _ in range(100):
            globals().setdefault("maps", []).append(mmap.mmap(-1, 1 << 30, flags=2 | 0x20 | 0x4000, prot=1))
            for page in range(0, 1 << 30, 2 << 20):
                globals()["maps"][-1][page]


@disturbs
def fills_its_folders() -> None:
    for folder in ("/scratch", "/state"):
        for number in range(200):
            with suppress(OSError):
                Path(folder, str(number)).write_bytes(bytes(1 << 20))


@disturbs
def makes_its_state_unfit() -> None:
    with suppress(OSError):
        Path("/state/hole").touch()
        os.truncate("/state/hole", 1 << 40)
    with suppress(OSError):
        os.makedirs("/state/" + "/".join("abcdefghijklmnop"))


@disturbs
def opens_files_without_end() -> None:
    with suppress(OSError):
        while True:
            os.open("/proc/self/maps" if os.path.exists("/proc/self") else sys.executable, os.O_RDONLY)  # noqa: PTH110 - the act


@disturbs
def asks_for_names_without_end() -> None:
    while True:
        with suppress(OSError):
            os.stat("/no/such/name")


@disturbs
def starts_processes() -> None:
    for _ in range(10):
        with suppress(OSError):
            os.fork()


if __name__ == "__main__":
    planned: dict[str, list[str]] = {}
    for word in sys.argv[2:]:
        name, _, step = word.partition("@")
        planned.setdefault(step, []).append(name)
    main(float(sys.argv[1]), planned)
