"""A bot's process whose launch fails."""

import errno
import os
import pickle
import sys
from pathlib import Path

import pytest

from arena.confinement.starting_bots import of_this_thread
from arena.confinement.status import LaunchFailedError
from arena.players import child as child_module
from arena.players.child import Child
from arena.roster.entrant import Launch

FAILS = """
import os
os.write(int(os.environ["ARENA_STATUS"]), b"failed files: [Errno 13] Permission denied: '/secret'\\n")
"""


def test_a_bot_whose_launch_failed_has_ended() -> None:
    child = Child(Launch(command=(sys.executable, "-I", "-S", "-c", FAILS), folder="/", reports=True))
    with pytest.raises(LaunchFailedError, match=r"failed at files: .*Permission denied: '/secret'"):
        child.wait_ready()
    assert child.ends_within(0)
    assert child.end().code


def test_a_bot_without_descriptors_for_its_pipes_leaves_none_open(monkeypatch: pytest.MonkeyPatch) -> None:
    opened, make = list[int](), os.pipe

    def pipe() -> tuple[int, int]:
        if len(opened) == 4:
            raise OSError(errno.EMFILE, "Too many open files")
        ends = make()
        opened.extend(ends)
        return ends

    monkeypatch.setattr(os, "pipe", pipe)
    with pytest.raises(OSError, match="Too many open files"):
        Child(Launch(command=(sys.executable,), folder="/"))

    for end in opened:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(end)


def test_a_bot_for_which_no_pipe_number_can_be_skipped_leaves_no_descriptor_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def skip() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(child_module, "skip_pipe_numbers", skip)
    of_this_thread()  # has a descriptor of its own
    before = [*Path("/dev/fd").iterdir()]
    with pytest.raises(OSError, match="Too many open files"):
        Child(Launch(command=(sys.executable,), folder="/", reports=True))

    assert len([*Path("/dev/fd").iterdir()]) == len(before)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EAGAIN, errno.ENOMEM])
def test_a_machine_that_can_start_no_process_is_no_fault_of_the_bot(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def start(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(child_module, "_start", start)
    with pytest.raises(OSError, match=os.strerror(number)):
        Child(Launch(command=(sys.executable,), folder="/"))


def test_a_failed_launch_can_be_pickled_by_a_worker() -> None:
    copy = pickle.loads(pickle.dumps(LaunchFailedError("files", "no such file")))  # noqa: S301 - our own bytes
    assert (copy.step, copy.reason, str(copy)) == ("files", "no such file", "the sandbox's launcher failed at files: no such file")
