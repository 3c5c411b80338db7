"""The audition, with bots that fail at each step."""

import json
import re
from pathlib import Path

import pytest
from support.hands.builders import RULESETS

from arena.gin.rules import Rules
from arena.limits import TimeLimits
from arena.players.base import InlinePlayer, ObservedPlayer
from arena.players.sandboxes import NoSandbox, StandardSandbox
from arena.records import Fixture, MatchRecord
from arena.roster.entrant import Launch
from arena.roster.finder import find
from arena.tournament.audition import Audition, Finding, Trial
from arena.tournament.sparring import partner

RULES = (Rules(), RULESETS["fiftieth-card"])

BOTS = """
import random, sys, time
from arena.sdk import *

class Fine(Bot):
    pass

class Ignorant(Bot):
    def last_take(self, view):
        return Take()

class Aborts(Bot):
    def __init__(self, seed):
        import os
        os.abort()

class Illegal(Bot):
    def throws(self, view):
        return view.pile[-1] if view.pile else super().throws(view)

class Lucky(Bot):
    def upcard(self, view):
        return random.choice([Take(), Pass()])

class Remembers(Bot):
    hands = 0
    def hand_over(self, outcome):
        self.hands += 1
    def wants(self, view):
        return bool(self.hands % 2)

class Counts(Bot):
    def hand_over(self, outcome):
        self.last = outcome
    def draw(self, view):
        return Take() if view.game and self.last.won and self.wants(view) else Draw()

class Connects(Bot):
    def draw(self, view):
        import socket
        socket.socket().connect(("127.0.0.1", 9))

class Spins(Bot):
    def draw(self, view):
        while True:
            pass

class Greedy4Memory(Bot):
    def __init__(self, seed=""):
        super().__init__(seed)
        self.table = bytearray(10**9)

class Slow(Bot):
    def draw(self, view):
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        return super().draw(view)

class Misspelt(Bot):
    def thorws(self, view):
        return super().throws(view)

class Seedless(Bot):
    def __init__(self):
        super().__init__()

class Forgets(Bot):
    def draw(self, view):
        super().draw(view)

class Alien:
    def answer(self, view):
        return Draw()

class Talks(Bot):
    print("at import", flush=True)
    def __init__(self, seed):
        super().__init__(seed)
        print("at the start " * 20_000)
        import atexit
        atexit.register(print, "at exit " * 20_000)
    def draw(self, view):
        sys.stdout.close()
        print("with standard output closed")
        sys.__stdout__.write("unended")
        return super().draw(view)
    def hand_over(self, outcome):
        print("at the end of a hand " * 20_000)

class Lingers(Bot):
    def hand_over(self, outcome):
        import atexit, os
        atexit.register(os._exit, 3)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write the bots."""
    (tmp_path / "bots.py").write_text(BOTS, encoding="utf-8")
    return tmp_path


def audition(folder: Path, name: str, time: TimeLimits | None = None) -> list[Finding]:
    launch = find(f"{folder}/bots.py:{name}").launch
    trial = Audition(launch=launch, rules=RULES, sandbox=StandardSandbox(), time=time or TimeLimits(), hands=16)
    return list(trial.findings())


@pytest.mark.process
def test_one_ruleset_is_counted_as_one(folder: Path) -> None:
    launch = find(f"{folder}/bots.py:Fine").launch
    trial = Audition(launch=launch, rules=RULES[:1], sandbox=StandardSandbox(), time=TimeLimits(), hands=16)
    assert "hands under 1 ruleset, " in next(finding for finding in trial.findings() if finding.step == "hands").summary


@pytest.mark.process
def test_a_good_bot_passes_every_step(folder: Path) -> None:
    findings = audition(folder, "Fine")
    assert [finding.step for finding in findings] == ["start", "hands", "same play", "restart", "time", "memory", "sandbox"]
    assert all(finding.passed for finding in findings)
    assert "calls itself 'Fine'" in findings[0].summary
    assert "never reached" not in findings[1].summary


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "step", "summary", "advice"),
    [
        ("Missing", "start", "crash: ended with exit code 1", ""),
        ("Seedless", "start", "crash: ended with exit code 1", ""),
        ("Alien", "start", "crash: ended with exit code 1", ""),
        ("Aborts", "start", "crash: ended with SIG", ""),
        ("Forgets", "hands", "crash: tournament, hand 0", ""),
        ("Greedy4Memory", "start", "memory: ran out of memory; allowed: 256 MB", "RLIMIT_DATA"),
        ("Illegal", "hands", "illegal: tournament, hand 0", "may_discard"),
        ("Connects", "hands", "crash: tournament, hand 0", "opened a socket: not allowed"),
        ("Spins", "hands", "timeout: tournament, hand 0: no answer within 0.300 s of processor time", "end the loop there"),
        ("Lucky", "same play", "the same seed gave different play in hand", "self.random"),
        ("Counts", "restart", "crash: tournament, hand 1", ""),
        ("Slow", "time", "for a long match; limit 2 s", "match_cpu"),
    ],
)
def test_a_bad_bot_fails_at_its_step_with_a_reason_and_a_remedy(
    folder: Path, name: str, step: str, summary: str, advice: str
) -> None:
    *before, last = audition(folder, name, TimeLimits(per_turn=0.3, per_match=2.0))
    assert all(finding.passed for finding in before)
    assert (last.step, last.passed) == (step, False)
    assert summary in last.summary
    assert advice in " ".join(last.advice)


def test_the_turn_at_which_a_bot_failed_is_reported(folder: Path) -> None:
    broken = audition(folder, "Illegal")[-1]
    assert json.loads(broken.turn)["phase"] == "discard"
    assert json.loads(broken.answer)["kind"] == "discard"
    assert broken.replay == ("--against", "sparring", "--rules", "tournament", "--hand", "0", "--seed", "audition")


def test_a_phase_that_the_bots_own_play_never_reaches_is_tested(folder: Path) -> None:
    broken = audition(folder, "Ignorant")[-1]
    assert json.loads(broken.turn)["phase"] == "last_take"
    assert broken.replay[-2:] == ("--from", "last_take")


@pytest.mark.process
def test_remembering_hands_is_reported_and_passes(folder: Path) -> None:
    findings = {finding.step: finding for finding in audition(folder, "Remembers")}
    assert findings["restart"].passed
    assert "it remembers hands" in findings["restart"].summary


def test_a_mistake_in_a_class_is_reported_with_its_line(folder: Path) -> None:
    mistake = r"BotError: Forgets.draw \(bots.py:\d+\) returned None; expected Draw\(\) or Take\(\)"
    assert re.search(mistake, audition(folder, "Forgets")[-1].stderr)


@pytest.mark.process
def test_a_misspelt_method_is_reported_and_passes(folder: Path) -> None:
    start = audition(folder, "Misspelt")[0]
    assert start.passed
    (warning,) = start.advice
    assert re.fullmatch(r"warning: Misspelt.thorws \(bots.py:\d+\) is never called; did you mean throws\?", warning)


@pytest.mark.process
def test_printing_anywhere_changes_neither_the_play_nor_the_exit_code(folder: Path) -> None:
    findings = {finding.step: finding for finding in audition(folder, "Talks")}
    assert all(finding.passed for finding in findings.values())
    assert findings["memory"].advice == ()


@pytest.mark.process
def test_a_bot_with_a_wrong_exit_code_gets_advice(folder: Path) -> None:
    findings = {finding.step: finding for finding in audition(folder, "Lingers")}
    assert findings["memory"].passed
    assert "exit code 3" in findings["memory"].advice[0]


def test_of_few_turns_none_is_said_to_be_slower_than_the_slowest() -> None:
    limits = TimeLimits()
    checked = Audition(launch=Launch(command=(), folder=""), rules=RULES, sandbox=NoSandbox(), time=limits)
    bot = ObservedPlayer(InlinePlayer(partner("")))
    bot.costs = [0.001, 0.002, 0.005]
    record = MatchRecord(fixture=Fixture("1", ("a", "b"), "1", 1), winner=None, hands=(), games=())
    assert "1 in 100 above 5.0 ms, 5.0 ms at most" in checked._in_time([Trial(record, bot, None)]).summary  # noqa: SLF001
