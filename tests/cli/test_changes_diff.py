"""``arena diff``, as a user calls it."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from support.commands.calls import arena
from support.matches.in_process import Answer
from support.sizes import mostly_nightly

from arena.gin.actions import Action, Discard, Knock
from arena.gin.cards import each
from arena.gin.rules import Rules
from arena.gin.view import View
from arena.limits import FaultCosts
from arena.players.base import InlinePlayer
from arena.referee.job import play_between
from arena.runs import debugging
from arena.runs.differences import BATCH
from arena.sdk import Bot
from arena.sdk.named_moves import defence

OLD = '''
"""A bot."""
from arena.gin.actions import LayOff
from arena.sdk import Bot, Discard, Draw, Take, each


class Mine(Bot):
    def answer(self, view):
        {planted}
        return super().answer(view)
'''
PLANTED = {
    "draw": "if view.phase == 'draw' and view.stock == 21: return Draw() if isinstance(super().answer(view), Take) else Take()",
    "discard": "if view.phase == 'discard' and view.stock in (25, 26): return Discard(max(each(view.may_discard)))",
    "knock": "if 'knock' in view.may: return Discard(max(each(view.may_discard)))",
    "lay_off": "if view.phase == 'lay_off': return LayOff((), ())",
}
FAST = ("--sandbox", "none", "--executor", "serial")


def write(folder: Path, name: str, planted: str = "pass") -> str:
    (folder / f"{name}.py").write_text(OLD.format(planted=planted))
    return f"{name}.py:Mine"


def diff(folder: Path, *arguments: str) -> tuple[int, Any]:
    ended = arena("diff", *arguments, "--json", *FAST, folder=folder)
    assert ended.returncode in (0, 1), ended.stderr
    return ended.returncode, json.loads(ended.stdout)


def own_turns(hands: int) -> list[tuple[str, int, int, int, View, Action]]:
    """Return seed, hand, turn, seat, view and action of each decision of the bot against itself."""
    made: list[tuple[str, int, int, int, View, Action]] = []

    def watched(seat: int, seed: str) -> Answer:
        plays = Bot(seed).answer

        def answer(view: View) -> Action:
            turn = sum(one[0] == seed and one[1] == view.game for one in made)
            made.append((seed, view.game, turn, seat, view, plays(view)))
            return made[-1][-1]

        return answer

    for number, first in enumerate(range(0, hands, BATCH)):
        seed, rules = f"diff-{number}", Rules()
        players = (InlinePlayer(watched(0, seed)), InlinePlayer(watched(1, seed)))
        play_between(players, debugging.fixture(rules, min(BATCH, hands - first)), rules, FaultCosts(), seed)
    return made


def changed(kind: str, view: View, action: Action) -> bool:
    highest = Discard(max(each(view.may_discard))) if view.may_discard else None
    match kind:
        case "draw":
            return view.phase == "draw" and view.stock == 21
        case "discard":
            return view.phase == "discard" and view.stock in (25, 26) and not isinstance(action, Knock) and action != highest
        case "knock":
            return isinstance(action, Knock)
        case _:
            laid = defence(view) if view.phase == "lay_off" else None
            return laid is not None and bool(laid.melds or laid.lay_offs)


@pytest.mark.process
@pytest.mark.parametrize("kind", mostly_nightly(PLANTED, next(iter(PLANTED))))
def test_a_planted_patch_is_listed_at_exactly_the_planted_positions(kind: str, tmp_path: Path) -> None:
    code, found = diff(tmp_path, write(tmp_path, "old"), write(tmp_path, "new", PLANTED[kind]), "--hands", "30")
    turns = own_turns(30)
    planted = [(*one[:2], one[2] + 1, one[3]) for one in turns if changed(kind, one[4], one[5])]
    listed = [(one["seed"], one["hand"], one["turn"], one["seat"]) for one in found["positions"] if one["kind"] == kind]
    assert code == 1
    assert sorted(listed) == sorted(planted) != []
    if kind != "discard":  # a discard may also be of a card with which the bot would have knocked
        assert found["differ"] == found["kinds"][kind] == len(planted)
    assert found["decisions"] == len(turns)


@pytest.mark.process
def test_a_docstring_changes_nothing_and_the_document_has_its_keys(tmp_path: Path) -> None:
    write(tmp_path, "old")
    (tmp_path / "new.py").write_text((tmp_path / "old.py").read_text().replace("A bot", "The same bot"))
    code, found = diff(tmp_path, "old.py:Mine", "new.py:Mine", "--hands", "10")
    assert (code, list(found)) == (0, ["schema", "decisions", "differ", "kinds", "positions"])
    assert found["decisions"] > 100
    assert found["kinds"] == {"draw": 0, "discard": 0, "knock": 0, "lay_off": 0}
    assert (found["differ"], found["positions"]) == (0, [])


@pytest.mark.process
def test_the_command_of_a_position_shows_the_old_answer_again(tmp_path: Path) -> None:
    _, found = diff(tmp_path, write(tmp_path, "old"), write(tmp_path, "new", PLANTED["draw"]), "--hands", "10")
    position = found["positions"][-1]
    program, *words = shlex.split(position["replay"])
    shown = arena(*words, "--sandbox", "none", folder=tmp_path)
    assert (program, shown.returncode) == ("arena", 0), shown.stderr
    lines = shown.stdout.splitlines()
    assert all(line in lines for line in position["view"].splitlines())
    after = lines.index(position["view"].splitlines()[-1]) + 1
    assert lines[after].strip().startswith(f"-> {position['old']} ")


@pytest.mark.process
def test_a_person_reads_positions_and_then_the_counts(tmp_path: Path) -> None:
    old, new = write(tmp_path, "old"), write(tmp_path, "new", PLANTED["draw"])
    ended = arena("diff", old, new, "--hands", "10", *FAST, folder=tmp_path)
    assert (ended.returncode, ended.stderr) == (1, "")
    first, *_, last = ended.stdout.splitlines()
    assert re.fullmatch(r"draw or take: Mine (draw, Mine-new take|take, Mine-new draw)", first)
    assert " decisions differ: draw or take " in last
    assert "    see this hand: arena debug " in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 80


@pytest.mark.process
def test_an_explanation_prices_each_position_and_names_the_planted_kind(tmp_path: Path) -> None:
    old, new = write(tmp_path, "old"), write(tmp_path, "new", PLANTED["lay_off"])
    code, found = diff(tmp_path, old, new, "--hands", "6", "--explain")
    explained = found["explanation"]
    gains = [one["gain"] for one in explained["decisions"]]
    assert code == 1
    assert (len(gains), explained["unpriced"]) == (found["differ"], 0)
    assert explained["kinds"]["lay_off"]["gain"] == explained["gain"] == pytest.approx(sum(gains) / 12)
    assert explained["gain"] < 0


@pytest.mark.process
def test_a_bot_that_draws_its_choices_from_the_system_makes_differences_chance(tmp_path: Path) -> None:
    by_chance = "import os; return Draw() if view.phase == 'draw' and os.urandom(1)[0] < 128 else super().answer(view)"
    moody = write(tmp_path, "moody", by_chance)
    for pair in ((moody, write(tmp_path, "steady")), ("steady.py:Mine", moody)):
        ended = arena("diff", *pair, "--hands", "10", *FAST, folder=tmp_path)
        assert "decisions when asked twice: differences may be chance" in ended.stderr
        assert ended.stderr.count("\n") == 1


@pytest.mark.process
def test_a_bot_that_dies_when_asked_is_reported_in_one_line_and_counted_once_a_hand(tmp_path: Path) -> None:
    old, new = (
        write(tmp_path, "old"),
        write(tmp_path, "new", "import os; view.stock == 27 and view.phase == 'discard' and os._exit(3)"),
    )
    code, found = diff(tmp_path, old, new, "--hands", "3")
    ended = arena("diff", old, new, "--hands", "3", *FAST, folder=tmp_path)
    places = [(one["seed"], one["hand"], one["seat"]) for one in found["positions"]]
    assert code == 1
    assert len(places) == len(set(places)) > 0
    assert all(one["new"].startswith("crash: ") for one in found["positions"])
    assert found["decisions"] < len(own_turns(3))
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith("arena: Mine-new: crash: ended with exit code 3 without an answer")


@pytest.mark.process
def test_a_bot_that_does_not_start_is_the_user_s_fault(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("from arena.sdk import Bot\n\n1 / 0\n\n\nclass Mine(Bot):\n    pass\n")
    ended = arena("diff", write(tmp_path, "old"), "broken.py:Mine", "--hands", "2", *FAST, folder=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "cannot be started" in ended.stderr
    assert ended.stderr.count("\n") == 1
