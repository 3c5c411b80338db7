"""Bots for tests as functions in place of processes: each start of a player makes a new one, as a process would."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest
from support.matches.in_process import Answer

from arena.gin.facts import Seat
from arena.gin.view import View
from arena.players.base import Player, Reply
from arena.players.process_player import ProcessPlayer
from arena.referee.job import Job, bot_seed
from arena.roster.entrant import Launch

KNOCKS = """
from arena.sdk import Action, Bot, Discard, Knock, View, deadwood, each


class Mine(Bot):
    def discard(self, view: View) -> Action:
        card = min(each(view.may_discard), key=lambda card: deadwood(view.without(card)))
        return Knock(card) if "knock" in view.may and deadwood(view.without(card)) <= {0} else Discard(card)
"""
THROWS = """
from arena.sdk import Bot, View, deadwood, each


class Mine(Bot):
    def throws(self, view: View) -> int:
        return {how}(each(view.may_discard), key=lambda card: deadwood(view.without(card)))
"""
GOOD, BAD = THROWS.format(how="min"), THROWS.format(how="max")

Make = Callable[[str, Seat], Answer]  # from the bot's seed and its seat


class FreshPlayer(Player):
    """A player whose bot is made when it begins."""

    def __init__(self, make: Make, seed: str) -> None:
        self._make = make
        self._seed = seed
        self._answer: Answer | None = None

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Make the bot."""
        del hands
        self._answer = self._make(self._seed, seat)

    def ask(self, view: View) -> Reply:
        """Return the bot's action."""
        assert self._answer, "asked before it has begun"
        return Reply(self._answer(view))

    def close(self) -> None:
        """Forget everything."""
        self._answer = None


def launch(name: str) -> Launch:
    """Return the launch of a bot, for ``install``."""
    return Launch(command=(name,), folder="/")


def install(monkeypatch: pytest.MonkeyPatch, bots: dict[str, Make]) -> None:
    """Have every job seat these bots, by the command of their launch."""

    def player(job: Job, seat: Seat) -> FreshPlayer:
        return FreshPlayer(bots[job.launches[seat].command[0]], bot_seed(job.seed, job.fixture.deals, seat))

    monkeypatch.setattr(Job, "player", player)


def install_files(monkeypatch: pytest.MonkeyPatch, *texts: str) -> None:
    """Play bots in this process whose file begins with a text that the test knows; others, and auditions, stay processes."""
    process = Job.player

    def player(job: Job, seat: Seat) -> FreshPlayer | ProcessPlayer:
        path, _, name = job.launches[seat].command[-1].rpartition(":")
        known = path.endswith(".py") and Path(path).is_file() and Path(path).read_text(encoding="utf-8").startswith(texts)
        if not known or job.fixture.id.startswith("audition/"):
            return process(job, seat)
        made = runpy.run_path(path)[name]
        return FreshPlayer(lambda seed, _: made(seed).answer, bot_seed(job.seed, job.fixture.deals, seat))

    monkeypatch.setattr(Job, "player", player)
