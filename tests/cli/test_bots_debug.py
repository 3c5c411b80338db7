"""``arena debug``, as a user calls it."""

import json
import re
from pathlib import Path
from shutil import copytree

import pytest
from support.commands.calls import arena
from support.commands.runs import finished_run, stored
from support.records.forging import forge

from arena.errors import DamagedError
from arena.protocol.codec import decode_answer, decode_message
from arena.protocol.messages import HandOver, Turn
from arena.results.recorded import RecordedDecision, ask_again
from arena.store.folder import Folder

BROKEN = "from arena.sdk import Bot\n\n\nclass Mine(Bot):\n    def answer(self, view):\n        raise ValueError\n"


@pytest.mark.process
def test_a_hand_is_shown_turn_by_turn_to_its_end() -> None:
    ended = arena("debug", "greedy", "--hand", "2", "--seed", "one")
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[0].startswith("hand 2.0 under tournament: ")
    assert any(re.match(r" +\d+ discard", line) for line in lines)
    assert any("-> knock" in line or "has laid" in line for line in lines)
    assert any("scored" in line for line in lines[-3:])


@pytest.mark.process
def test_the_turns_of_both_seats_are_numbered_together_from_1() -> None:
    shown = [arena("debug", "greedy", "--hand", "1", "--seed", "one", "--seat", seat).stdout for seat in (0, 1)]
    numbers = sorted(int(number) for text in shown for number in re.findall(r"^ +(\d+) [a-z_]+  ", text, re.MULTILINE))
    assert numbers == [*range(1, numbers[-1] + 1)]


@pytest.mark.process
def test_the_opponent_of_a_bot_against_itself_is_named_as_such() -> None:
    assert "greedy (opponent) drew from the stock" in arena("debug", "greedy", "--seed", "one").stdout


@pytest.mark.process
def test_the_same_seed_shows_the_same_hand_whatever_hands_were_asked_for() -> None:
    def costless(text: str) -> list[str]:
        return [line.partition("   (")[0] for line in text.splitlines()]

    shown = arena("debug", "cautious", "--hand", "1", "--seed", "s")
    assert costless(shown.stdout) == costless(arena("debug", "cautious", "--hand", "1", "--seed", "s").stdout)
    assert costless(shown.stdout) != costless(arena("debug", "cautious", "--hand", "0", "--seed", "s").stdout)


CHATTY = """
import subprocess, sys
from arena.sdk import Bot


class Mine(Bot):
    def __init__(self, seed=""):
        super().__init__(seed)
        child = subprocess.Popen(["sleep", "60"], start_new_session=True)
        print("child", child.pid, file=sys.stderr, flush=True)

    def answer(self, view):
        print("asked in hand", view.game, file=sys.stderr, flush=True)
        return super().answer(view)
"""


@pytest.mark.process
def test_a_hand_is_shown_with_its_own_stderr_and_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CHATTY, encoding="utf-8")
    first, later = (arena("debug", f"{tmp_path}/mine.py:Mine", "--sandbox", "none", "--hand", hand).stdout for hand in (0, 2))
    (child,) = re.findall(r"stderr: child (\d+)\n", first)
    assert "stderr: asked in hand 2\n" in later
    assert not re.search(r"stderr: (child|asked in hand [01])", later)
    assert not Path(f"/proc/{child}").exists()


@pytest.mark.process
def test_the_messages_are_shown_as_they_are_sent() -> None:
    *conversation, over = arena("debug", "greedy", "--raw").stdout.splitlines()
    assert isinstance(decode_message(over.encode()), HandOver)
    for question, answer in zip(conversation[::2], conversation[1::2], strict=True):
        assert isinstance(decode_message(question.encode()), Turn)
        assert decode_answer(answer.encode()).kind in json.loads(question)["may"]


@pytest.mark.process
def test_a_bot_may_join_a_hand_late_against_who_waits_for_it() -> None:
    options = ("--rules", "fiftieth-card", "--hand", "1", "--from", "last_take")
    ended = arena("debug", "greedy", "--against", "sparring", *options)
    assert ended.returncode == 0, ended.stderr
    refused = arena("debug", "greedy", *options)
    assert refused.returncode == 2
    assert "expected --against sparring" in refused.stderr


@pytest.mark.process
def test_a_hand_that_never_comes_to_the_phase_asked_for_says_so() -> None:
    ended = arena("debug", "greedy", "--against", "sparring", "--from", "lay_off")
    assert ended.returncode == 0
    assert "the hand never came to lay_off; another may: --hand 1\n" in ended.stdout


@pytest.mark.process
@pytest.mark.parametrize("hand", [0, 3])
def test_a_fault_of_the_opponent_is_said_to_have_ended_the_play(hand: int, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN, encoding="utf-8")
    ended = arena("debug", "greedy", "--against", tmp_path / "broken.py", "--hand", hand, "--seed", "one")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("Mine committed a fault in hand 0.0, which ended the play: crash\n")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run of two bots."""
    return finished_run(tmp_path_factory.mktemp("recorded"))


@pytest.mark.process
def test_a_bot_of_a_run_answers_a_recorded_decision_as_it_did(run: Path) -> None:
    fixture, record = next(iter(stored(run).items()))
    hand = record.hands[-1]
    for turn in (1, len(hand.actions.split())):
        name = record.fixture.seats[0]
        place = (run, fixture, f"{hand.game}.{hand.hand}", turn)
        ended = arena("debug", name, "--recorded", *place)
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.startswith(f"hand {hand.game}.{hand.hand} under ")
        assert "in the match: " not in ended.stdout
    turns = [int(number) for number in re.findall(r"^ +(\d+) [a-z_]+  ", ended.stdout, re.MULTILINE)]
    assert turns[-1] == turn


@pytest.mark.process
def test_another_bot_s_answers_stand_beside_what_was_played(run: Path) -> None:
    fixture, record = next(iter(stored(run).items()))
    longest = max(record.hands, key=lambda hand: len(hand.actions))
    place = (run, fixture, f"{longest.game}.{longest.hand}", len(longest.actions.split()))
    ended = arena("debug", "random-legal", "--recorded", *place)
    assert ended.returncode == 0, ended.stderr
    assert "in the match: " in ended.stdout


@pytest.mark.process
def test_a_bot_that_faults_too_often_before_the_hand_is_said_to_and_fails(run: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN, encoding="utf-8")
    fixture, record = next((fixture, record) for fixture, record in stored(run).items() if len(record.hands) > 3)
    place = (run, fixture, f"{record.hands[3].game}.{record.hands[3].hand}", len(record.hands[3].actions.split()))
    ended = arena("debug", tmp_path / "broken.py", "--recorded", *place)
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.startswith("fault in an earlier hand, so the bot is not asked for this one: crash")


@pytest.mark.process
def test_a_hand_that_cannot_be_replayed_is_one_clear_line(run: Path, tmp_path: Path) -> None:
    damaged = copytree(run, tmp_path / "run")
    forge(damaged, "UPDATE hand SET actions = 'draw' || substr(actions, 5) WHERE match = 1 AND game = 0 AND number = 0")
    decision = RecordedDecision(fixture=next(iter(stored(run))), hand="0.0", turn=2)
    with pytest.raises(DamagedError, match=r"0\.0: its actions cannot be replayed: draw in phase upcard"):
        ask_again("greedy", Folder(damaged), decision, "none", raw=False, show=print)


@pytest.mark.process
@pytest.mark.parametrize(("hand", "turn", "wanted"), [("9.9", 1, "no hand '9.9'"), ("0.0", 999, "no turn 999 in hand 0.0; ")])
def test_a_decision_that_is_not_on_record_is_one_clear_line(run: Path, hand: str, turn: int, wanted: str) -> None:
    ended = arena("debug", "greedy", "--recorded", run, next(iter(stored(run))), hand, turn)
    assert ended.returncode == 2
    assert wanted in ended.stderr
