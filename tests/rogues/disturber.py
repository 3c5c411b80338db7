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
GRANTED = 4  # threads
TURN = 9  # the number of "a turn"
SECOND_LIFE = 0.4  # seconds after the match began


def disturbs(act: Act) -> Act:
    """Register an act, by the function's name."""
    ACTS[act.__name__.replace("_", " ")] = act
    return act


class Life:
    """The life of one process."""

    def __init__(self, started: float, plan: dict[str, list[str]]) -> None:
        self._second_life = started + SECOND_LIFE
        self._replaces = time.time() > self._second_life
        self._plan = plan
        self._turns = 0
        self._state: str | None = None

    def live(self) -> None:
        """Play until ``bye``."""
        self._at("import")
        for line in sys.stdin:
            message = json.loads(line)
            if message["type"] == "turn":
                self._take(message)
            elif message["type"] == "hello":
                self._greet(message)
            else:
                self._at(message["type"].replace("_", " "))
                if message["type"] == "bye":
                    break
        if self._state:
            Path(self._state, "learned").write_text("all hands", encoding="ascii")

    def _at(self, step: str) -> None:
        for act in self._plan.get(step, []):
            ACTS[act]()

    def _greet(self, hello: dict[str, str]) -> None:
        self._at("hello")
        if self._replaces:
            self._at("restart")
        self._state = hello.get("state")
        _answer(READY)
        self._at("ready")

    def _take(self, turn: dict[str, list[str]]) -> None:
        self._turns += 1
        self._at("first turn" if self._turns == 1 else "a turn" if self._turns == TURN else "")
        if self._turns == TURN and "restart" in self._plan and not self._replaces:
            time.sleep(max(0.0, self._second_life - time.time()))
            os._exit(1)
        _answer(_play(turn))


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
def starts_its_threads() -> None:
    """As an honest bot does, which is at fault without them."""
    for _ in range(GRANTED - 1):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


@disturbs
def takes_every_thread() -> None:
    threading.stack_size(64 << 10)
    with suppress(RuntimeError):
        while True:
            starts_its_threads()


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
            os.open("/proc/self/maps" if os.path.exists("/proc/self") else sys.executable, os.O_RDONLY)


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
    Life(float(sys.argv[1]), planned).live()
