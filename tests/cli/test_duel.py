"""``arena duel`` and ``arena regress``: played with real bots, in real processes."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner, Result

from arena.cli.app import build
from arena.errors import InputError, RosterError, StoreError
from arena.store.store import Store

FAST = ("--sandbox", "none", "--executor", "serial", "--seed", "duel")
BOT = """
from arena.sdk import Bot, View, deadwood, each


class Mine(Bot):
    def throws(self, view: View) -> int:
        return {how}(each(view.may_discard), key=lambda card: deadwood(view.without(card)))
"""

Arena = Callable[..., Result]


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Arena:
    """Run a command in a folder of its own, that holds a good bot, an older copy of it, and a bad one."""
    monkeypatch.chdir(tmp_path)
    for name, how in (("good", "min"), ("old", "min"), ("bad", "max")):
        (tmp_path / f"{name}.py").write_text(BOT.format(how=how))

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(build(), [*arguments, *FAST], catch_exceptions=False)

    return run


def told(result: Result) -> Any:
    return json.loads(result.stdout)


def test_the_better_bot_is_told_with_all_that_there_is_to_say(arena: Arena, tmp_path: Path) -> None:
    found = told(arena("duel", "good.py:Mine", "bad.py:Mine", "--json"))
    assert (found["a"], found["b"], found["verdict"]) == ("Mine", "Mine-2", "better")
    assert found["bounds"] == [0.0, 0.5]
    assert found["difference"]["low"] > 0
    assert found["decided"] <= found["hands"] <= 1000
    assert found["better"] >= found["proof"][0] == 20
    assert found["implied"]["games"]["value"] > 0.6
    assert found["implied"]["matches"]["value"] >= found["implied"]["games"]["value"] <= 1
    assert found["implied"]["match_wins"] > 0
    with Store(tmp_path / found["results"] / "arena.sqlite") as store:
        assert sum(len(record.hands) for record in store.records()) == found["hands"]
        assert all(hand.luck is not None for record in store.records() for hand in record.hands)


def test_a_person_reads_it_in_a_few_lines(arena: Arena) -> None:
    result = arena("duel", "good.py:Mine", "bad.py:Mine")
    first, apart, same, games, saved = result.stdout.splitlines()
    assert first.startswith("Mine is better than +0 points a hand against Mine-2, known after ")
    assert "points a hand, over" in apart
    assert "deals went the same way in both legs" in same
    assert "of games and" in games
    assert "independent match wins would take about" in saved
    assert "hands  nothing yet" in result.stderr


def test_a_bot_against_itself_goes_the_same_way_every_time(arena: Arena) -> None:
    found = told(arena("duel", "good.py:Mine", "old.py:Mine", "--json", "--hands", "80"))
    assert found["same"] == found["pairs"] == 40
    assert (found["verdict"], found["difference"]["value"], found["plain"]) == ("undecided", 0.0, 0.0)


def test_a_duel_that_is_over_says_the_same_again_without_a_hand_more(arena: Arena) -> None:
    first = told(arena("duel", "good.py:Mine", "bad.py:Mine", "--json", "--results", "here"))
    assert told(arena("duel", "good.py:Mine", "bad.py:Mine", "--json", "--results", "here")) == first


def test_a_folder_of_another_duel_is_refused(arena: Arena) -> None:
    arena("duel", "good.py:Mine", "bad.py:Mine", "--results", "here", "--hands", "40")
    with pytest.raises(StoreError, match=r"format\.hands was 40"):
        arena("duel", "good.py:Mine", "bad.py:Mine", "--results", "here", "--hands", "80")


def test_equity_plays_from_scores_that_the_bots_are_told(arena: Arena, tmp_path: Path) -> None:
    found = told(arena("duel", "good.py:Mine", "bad.py:Mine", "--statistic", "equity", "--hands", "80", "--json"))
    assert found["unit"] == "% of a game a hand"
    with Store(tmp_path / found["results"] / "arena.sqlite") as store:
        scores = [hand.score for record in store.records() for hand in record.hands]
    assert len(set(scores)) == 40, "each deal has one, the same in both legs"
    assert all(score is not None and max(score) < 250 for score in scores)


def test_pairs_of_games_are_told_by_what_the_first_has_won(arena: Arena) -> None:
    result = arena("duel", "good.py:Mine", "bad.py:Mine", "--statistic", "games", "--hands", "150")
    assert re.search(r"\n\d+ pairs over \d+ hands; \S+ won both of \d+", result.stdout)


def test_games_and_matches_are_judged_by_wins(arena: Arena) -> None:
    found = told(arena("duel", "good.py:Mine", "bad.py:Mine", "--statistic", "games", "--hands", "150", "--json"))
    assert found["unit"] == "Elo"
    assert sum(found["pentanomial"]) == found["pairs"] > 0


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--bounds", "1", "0"), "^bounds: 1 and 0; expected the first below the second, within 60 of nought"),
        (("--bounds", "nan", "0"), "bounds: nan and 0"),
        (("--alpha", "0"), "^alpha: expected a number > 0.0; found 0.0"),
        (("--alpha", "0"), "alpha"),
        (("--statistic", "matches", "--bounds", "5", "0"), "^bounds: elo0: 5, elo1: 0"),
        (("--executor", "nowhere"), "expected one of local, serial"),
        (("--sandbox", "sand"), "standard"),
    ],
)
@pytest.mark.usefixtures("arena")
def test_terms_that_make_no_sense_are_one_line_of_the_user_s_fault(arguments: tuple[str, ...], what: str) -> None:
    with pytest.raises(InputError, match=what) as raised:
        CliRunner().invoke(build(), ["duel", "greedy", "cautious", *arguments], catch_exceptions=False)
    assert "\n" not in str(raised.value)


@pytest.mark.usefixtures("arena")
def test_a_bot_has_the_threads_that_it_asks_for(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parents[2] / "bots" / "awk_counter", tmp_path / "counter")
    manifest = tmp_path / "counter" / "bot.yaml"
    manifest.write_text(manifest.read_text() + "threads: 8\n")
    walled = ["--hands", "4", "--leg", "2", "--sandbox", "standard", "--executor", "serial", "--json"]
    done = CliRunner().invoke(build(), ["duel", "counter/bot.yaml", "good.py:Mine", *walled], catch_exceptions=False)
    assert told(done)["hands"] == 4


def test_a_bot_that_breaks_is_not_passed_off_as_a_weak_one(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BOT.format(how="(lambda cards, key: 1 / 0)"))
    found = arena("duel", "broken.py:Mine", "good.py:Mine", "--hands", "40", "--leg", "4")
    lines = [line for line in found.stderr.splitlines() if line.startswith("arena: Mine committed ")]
    assert len(lines) == 1
    assert "the first: crash: " in lines[0]


def test_a_bot_that_nobody_knows_is_the_user_s_fault(arena: Arena) -> None:
    with pytest.raises(RosterError, match="no bot 'nobody'"):
        arena("duel", "greedy", "nobody")


# --- regress


def regress(arena: Arena, candidate: str, against: str, *more: str) -> tuple[int, Any]:
    result = arena("regress", f"{candidate}.py:Mine", "--against", against, "--json", *more)
    return result.exit_code, told(result)


def test_a_weaker_bot_is_told_by_exit_code_four(arena: Arena, tmp_path: Path) -> None:
    code, found = regress(arena, "bad", "good.py:Mine", "--gauntlet", "greedy", "--junit", "out.xml")
    assert (code, found["verdict"], found["baseline"]) == (4, "weaker", "Mine-baseline")
    assert len(found["parts"]) == 1, "who is weaker head to head need not meet the field"
    suite = ET.parse(tmp_path / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
    assert ["not as good" in failure.get("message", "") for failure in suite.iter("failure")] == [True]


def test_a_stronger_bot_passes_both_questions(arena: Arena) -> None:
    code, found = regress(arena, "good", "bad.py:Mine", "--gauntlet", "random-legal", "--stronger")
    assert (code, found["verdict"]) == (0, "stronger")
    head, field = found["parts"]
    assert (head["question"], head["outcome"]["bounds"]) == ("head to head", [0.0, 0.5])
    assert (field["question"], field["outcome"]["bounds"]) == ("against the field", [-0.5, 0.0])
    assert field["outcome"]["difference"]["value"] > 0


def test_what_the_limit_leaves_open_is_told_by_exit_code_five(arena: Arena, tmp_path: Path) -> None:
    code, found = regress(arena, "good", "old.py:Mine", "--hands", "80", "--junit", "out.xml")
    assert (code, found["verdict"]) == (5, "undecided")
    assert ET.parse(tmp_path / "out.xml").getroot().get("errors") == "1"


def test_baselines_are_pinned_by_their_content_and_verdicts_kept(arena: Arena, tmp_path: Path) -> None:
    first = regress(arena, "bad", "good.py:Mine", "--baselines", "baselines.json")
    kept = (tmp_path / "baselines.json").read_text()
    shutil.rmtree(tmp_path / "results")

    again = regress(arena, "bad", "good.py:Mine", "--baselines", "baselines.json")

    assert (again[0], again[1]["verdict"]) == (first[0], first[1]["verdict"]) == (4, "weaker")
    assert again[1]["parts"][0]["known"]
    assert not (tmp_path / "results").exists(), "nothing was played"
    assert (tmp_path / "baselines.json").read_text() == kept


def test_a_baseline_that_has_changed_is_the_user_s_fault(arena: Arena, tmp_path: Path) -> None:
    regress(arena, "bad", "good.py:Mine", "--baselines", "baselines.json")
    (tmp_path / "good.py").write_text((tmp_path / "good.py").read_text() + "\n# changed\n")
    with pytest.raises(InputError, match=r"baseline 'good.py:Mine' has changed"):
        regress(arena, "bad", "good.py:Mine", "--baselines", "baselines.json")


def test_a_candidate_that_has_changed_is_asked_anew(arena: Arena, tmp_path: Path) -> None:
    regress(arena, "bad", "good.py:Mine", "--baselines", "baselines.json")
    (tmp_path / "bad.py").write_text((tmp_path / "bad.py").read_text() + "\n# changed\n")
    _, found = regress(arena, "bad", "good.py:Mine", "--baselines", "baselines.json")
    assert not found["parts"][0]["known"]


@pytest.mark.parametrize("option", ["--junit", "--baselines"])
@pytest.mark.parametrize("place", ["nowhere/out.xml", "."])
def test_a_place_where_nothing_can_be_written_is_told_before_anything_is_played(
    arena: Arena, tmp_path: Path, option: str, place: str
) -> None:
    with pytest.raises(InputError, match="cannot be written; expected a file in a folder that exists"):
        regress(arena, "bad", "good.py:Mine", option, place)
    assert not (tmp_path / "results").exists()


def test_a_file_that_holds_no_baselines_is_the_user_s_fault(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "baselines.json").write_text("[]")
    with pytest.raises(InputError, match="no file of baselines"):
        regress(arena, "bad", "good.py:Mine", "--baselines", "baselines.json")
