"""``python -m rogues.conversations SETTING [NAME ...]``: leads two bots through every channel, in the cage.

Prints as JSON how many bits arrived in a setting. Where a channel should work, as without a sandbox or without the seal, it is
tried again after ever longer pauses, since the machine may be busy; elsewhere it has to work twice to count.
"""

import os
import random
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import replace
from rogues.channel import BITS, ChannelEntry, ChannelKind, every_channel, is_passed, message
from rogues.channels_by_file import QUIET_FILE
from rogues.process import STAGE, RogueProcess, Setting, setting, staged
from rogues.rogue import Scene

from arena.confinement import fetched_files

PATIENCE = 5.0  # seconds for an answer, on a busy machine
PAUSES = (0.0, 1.0, 3.0, 9.0)  # seconds before another try of a channel that should work: all programs share the machine's caches


class ChannelResult(Struct, frozen=True):
    """The result of testing a channel."""

    succeeded: bool
    right: int  # bits that arrived, of 64
    seconds: float
    reason: str  # the first that stopped either end
    kind: ChannelKind


def main(how: Setting, names: list[str]) -> None:
    """Try the channels, all or those named, and print the outcomes as JSON."""
    channels = every_channel()
    with ExitStack() as stack:
        scene = staged(stack)
        os.write(1, encode({name: _try(channels[name], scene, how) for name in names or channels}))


def _try(entry: ChannelEntry, scene: Scene, how: Setting) -> ChannelResult:
    """Return the result that counts: the first success where the channel should work, elsewhere the first failure."""
    wanted = how.profile is None or not how.seals or how.shares or entry.kind.unavoidable
    outcome = _conversation(entry, scene, how)
    for pause in PAUSES if wanted else (0.0,):
        if outcome.succeeded == wanted:
            break
        time.sleep(pause)
        outcome = _conversation(entry, scene, how)
    return outcome


def _conversation(entry: ChannelEntry, scene: Scene, how: Setting) -> ChannelResult:
    """Send and receive 64 random bits."""
    sent = message()
    scene = replace(scene, key=random.randrange(1, 1 << 24) << 7)
    _set_the_stage(entry)
    answers: list[str] = []
    start = time.monotonic()
    received = (_one_after_the_other if entry.lasting else _at_the_same_time)(entry, scene, sent, how, answers)
    seconds = time.monotonic() - start
    _clear_up(scene)
    reason = next((answer for answer in answers if answer not in {"done", "0", "1"}), "")
    right = sum(one == other for one, other in zip(sent, received, strict=True))
    worked = is_passed(sent, received)
    return ChannelResult(worked, right, round(seconds, 3), reason, entry.kind)


def _at_the_same_time(entry: ChannelEntry, scene: Scene, sent: str, how: Setting, answers: list[str]) -> str:
    """Return the bits that are received while both ends run."""
    sender, receiver = (RogueProcess(_end(entry), one, how, threads=entry.threads) for one in (replace(scene, bits=sent), scene))
    for bot, other in ((sender, receiver), (receiver, sender)):
        answers.append(_asked(bot, f"meet {other.pid}"))
    received = ""
    for index in range(BITS):
        answers += _asked(receiver, f"prepare {index}"), _asked(sender, f"send {index}"), _asked(receiver, f"receive {index}")
        received += _bit(answers[-1])
    sender.end()
    receiver.end()
    return received


def _one_after_the_other(entry: ChannelEntry, scene: Scene, sent: str, how: Setting, answers: list[str]) -> str:
    """Return the bits that are received by ends that start when the others have ended."""
    received = ""
    for start in range(0, BITS, entry.bits_a_leg):
        indices = range(start, start + entry.bits_a_leg)
        _send(entry, replace(scene, bits=sent), how, indices, answers)
        arrived = _receive(entry, scene, how, indices, answers)
        if entry.relayed:
            again = replace(scene, key=scene.key + BITS)
            _send(entry, replace(again, bits=arrived), how, indices, answers)
            arrived = _receive(entry, again, how, indices, answers)
        received += arrived
    return received


def _send(entry: ChannelEntry, scene: Scene, how: Setting, indices: range, answers: list[str]) -> None:
    """Have a process send bits, and end it; one that knows the bits as a bot knows its cards is sealed."""
    sender = RogueProcess(_end(entry), scene, how, threads=entry.threads)
    answers.append(_asked(sender, "meet 0"))  # it has made what it can before it is sealed
    if entry.kind.by_seal:
        sender.seal()
    if entry.short_of_memory:
        _drop_quiet_file()
    answers += [_asked(sender, f"send {index}") for index in indices]
    sender.end()


def _receive(entry: ChannelEntry, scene: Scene, how: Setting, indices: range, answers: list[str]) -> str:
    """Have a process receive bits, before it is sealed, and end it."""
    receiver = RogueProcess(_end(entry), scene, how, threads=entry.threads)
    received = [_asked(receiver, f"receive {index}") for index in indices]
    receiver.end()
    answers += received
    return "".join(map(_bit, received))


def _end(entry: ChannelEntry) -> tuple[str, ...]:
    return ("rogues.talk", entry.name)


def _asked(bot: RogueProcess, line: str) -> str:
    """Return a bot's answer."""
    return bot.asked(line, PATIENCE) or "stopped: it has ended"


def _bit(answer: str) -> str:
    """Return the bit of an answer; an answer without a bit counts as zero."""
    return "1" if answer == "1" else "0"


def _set_the_stage(entry: ChannelEntry) -> None:
    """Make access times old, set the cores, and load the file that only the bots read into memory or drop it."""
    for number in range(BITS):
        for name in (f"leaf-{number}", f"branch-{number}", f"branch-{number}/leaf"):
            os.utime(STAGE / "bots/rogue" / name, (1000, 2000))
    Path(QUIET_FILE).read_bytes()
    if entry.cold:
        _drop_quiet_file()
        fetched_files._recent.forget()  # noqa: SLF001 - it was dropped long before
    os.sched_setaffinity(0, CORES[:1] if entry.one_core else CORES)


def _drop_quiet_file() -> None:
    """Drop the file from memory, as a machine does that is short of it."""
    with Path(QUIET_FILE).open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _clear_up(scene: Scene) -> None:
    """Remove what a conversation left in the folders that all users can write."""
    for folder in ("open", "state"):
        for left in (STAGE / folder).glob(f"between-{scene.key}*"):
            left.unlink()


CORES = sorted(os.sched_getaffinity(0))

if __name__ == "__main__":
    main(setting(sys.argv[1]), sys.argv[2:])
