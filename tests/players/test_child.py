"""The life of a bot's process, where it does not even begin."""

import pickle
import sys

import pytest

from arena.players.child import Child
from arena.players.sandboxes.birth import Stillborn
from arena.roster.entrant import Launch

FAILS = """
import os
os.write(int(os.environ["ARENA_STATUS"]), b"failed files: [Errno 13] Permission denied: '/secret'\\n")
"""


def test_a_bot_whose_walls_could_not_be_raised_has_ended() -> None:
    child = Child(Launch(command=(sys.executable, "-I", "-S", "-c", FAILS), folder="/", reports=True))
    with pytest.raises(Stillborn, match=r"failed at files: .*Permission denied: '/secret'"):
        child.born()
    assert child.over(0)
    assert child.end().code


def test_a_worker_can_send_what_kept_a_bot_from_being_born() -> None:
    sent = pickle.loads(pickle.dumps(Stillborn("files", "no such file")))  # noqa: S301 - our own bytes
    assert (sent.wall, sent.reason, str(sent)) == ("files", "no such file", "the sandbox's launcher failed at files: no such file")
