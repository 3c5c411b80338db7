"""``arena match``, as a user calls it."""

import json
import re
from pathlib import Path

import pytest
from support.commands.calls import arena

CRASHES = "from arena.sdk import Bot\n\nclass Crashes(Bot):\n    def draw(self, view):\n        raise SystemExit(7)\n"
MISTAKES = """
from arena.sdk import Bot, Discard

class Slips(Bot):
    '''Throws a card that it has not, late in a hand in which it has the first two cards of the deck.'''

    def discard(self, view):
        if view.cards & 3 == 3 and view.stock < 25:
            return Discard(next(card for card in range(52) if not view.cards >> card & 1))
        return super().discard(view)
"""


@pytest.mark.process
def test_the_better_bot_is_named_with_an_interval() -> None:
    ended = arena("match", "greedy", "random-legal", "--hands", "50", "--seed", "one")
    assert ended.returncode == 0, ended.stderr
    assert re.match(r"greedy \+\d+\.\d\d points a hand against random-legal, 95 % interval .*: greedy is stronger", ended.stdout)
    assert "50 hands, 25 deals from both seats; repeat them with --seed one" in ended.stdout
    missed = "this test would miss a bot that plays differently in fewer than 12.00 % of its blocks"
    assert ended.stdout.endswith(f"25 fresh blocks: {missed}.\n")


@pytest.mark.process
def test_no_bot_is_called_stronger_after_too_few_blocks() -> None:
    ended = arena("match", "greedy", "random-legal", "--hands", "20", "--seed", "one")
    assert ": too few hands to call a bot stronger; that needs 50 or more" in ended.stdout


@pytest.mark.process
def test_the_same_seed_gives_the_same_figures_whatever_the_order_of_the_bots() -> None:
    forth = json.loads(arena("match", "greedy", "cautious", "--hands", "120", "--seed", "s", "--json").stdout)
    back = json.loads(arena("match", "greedy", "cautious", "--hands", "120", "--seed", "s", "--json").stdout)
    assert forth["points_a_hand"] == back["points_a_hand"]
    assert forth["won"] == back["won"]
    assert (forth["hands"], forth["points_a_hand"]["deals"]) == (120, 60)


@pytest.mark.process
def test_a_bot_plays_alike_to_itself() -> None:
    ended = arena("match", "greedy", "greedy", "--hands", "12")
    assert "greedy +0.00 points a hand against greedy-2, the same result on every deal: too few hands" in ended.stdout
    assert "0.00 to" not in ended.stdout
    assert "mood" not in ended.stdout
    assert "greedy-2" in ended.stdout


@pytest.mark.process
def test_a_file_is_a_bot_without_being_packaged(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("from arena.sdk import Bot\n\nclass Mine(Bot):\n    pass\n", encoding="utf-8")
    ended = arena("match", "./bot.py:Mine", "greedy", "--hands", "8", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("Mine ")


@pytest.mark.process
def test_faults_are_shown_with_what_to_do_about_them(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(MISTAKES, encoding="utf-8")
    ended = arena("match", "bot.py:Slips", "greedy", "--hands", "60", "--seed", "slips", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "1 fault; " in ended.stdout or "faults; " in ended.stdout
    assert re.search(r"\nSlips: (\d+ × )?illegal: .* \(R\d.\d\); .*in .*, hand \d+\.0, asked to discard", ended.stdout)
    assert "arena bots check" in ended.stdout


@pytest.mark.process
def test_nothing_is_claimed_of_the_strength_of_a_bot_that_breaks(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(CRASHES, encoding="utf-8")
    ended = arena("match", "bot.py:Crashes", "greedy", "--hands", "16", folder=tmp_path)
    assert ended.returncode == 1
    assert ended.stdout.startswith("Crashes against greedy: no comparison, because Crashes had too many faults\n")
    assert "is stronger" not in ended.stdout


@pytest.mark.process
def test_a_bot_that_cannot_start_is_shown_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(f"{CRASHES}\nNobody = None\n", encoding="utf-8")
    ended = arena("match", "bot.py:Nobody", "greedy", folder=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.fullmatch(r"arena: a bot cannot be started: 'Nobody': .*\n", ended.stderr)


def test_a_mistake_of_the_user_is_one_line() -> None:
    for arguments, message in [
        (("greedy", "gredy"), "did you mean 'greedy'?"),
        (("greedy", "cautious", "--rules", "clasic"), "--rules: found 'clasic'; did you mean 'classic'?"),
        (("greedy", "cautious", "--sandbox", "non"), "--sandbox: found 'non'; did you mean 'none'?"),
    ]:
        ended = arena("match", *arguments)
        assert ended.returncode == 2
        assert ended.stderr.count("\n") == 1
        assert message in ended.stderr
