"""``tests/studies/public_field.py``: what becomes of a player before it plays, and how results are shown."""

import subprocess
from pathlib import Path
from typing import Any

import field_players
import pytest
from field_players import PLAYERS, NotABotError, Player, Tried, check, digest_of, judge, make, try_player
from msgspec.structs import replace
from public_field import HOUSE, bots_to_play, lines, rows

PLAYER = Player("fox", "ann/fox", "0123456789abcdef", ("src",), "")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    source = tmp_path / "ann+fox" / "src"
    source.mkdir(parents=True)
    (source / "Fox.java").write_text("class Fox {}", encoding="utf-8")
    return source.parent


def step(name: str, *, passed: bool) -> dict[str, Any]:
    return {"step": name, "passed": passed, "summary": f"{name} in one line"}


def test_the_digest_is_of_the_names_and_contents_of_the_java_files_given(clone: Path) -> None:
    before = digest_of(clone, PLAYER.files)
    (clone / "src" / "notes.txt").write_text("nothing", encoding="utf-8")
    assert digest_of(clone, PLAYER.files) == before == digest_of(clone, ("src/Fox.java",))
    (clone / "src" / "Fox.java").rename(clone / "src" / "Dog.java")
    assert digest_of(clone, PLAYER.files) != before


def test_a_player_of_other_files_than_those_that_were_tried_is_not_built(clone: Path) -> None:
    found = try_player(replace(PLAYER, digest="f" * 16), clone.parent)
    assert found.reason == f"digest {digest_of(clone, PLAYER.files)}; expected {'f' * 16}"
    assert not (clone.parent / "bots").exists()


def test_a_player_that_was_not_fetched_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotABotError, match="not fetched"):
        make(PLAYER, tmp_path)


def test_a_player_that_is_excluded_is_not_built(clone: Path) -> None:
    found = try_player(replace(PLAYER, excluded="a copy of baseline"), clone.parent)
    assert (found.verdict, found.reason) == ("", "a copy of baseline")
    assert not (clone.parent / "bots").exists()


def test_a_bot_that_cannot_be_checked_gives_the_reason_and_is_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = subprocess.CompletedProcess((), 2, stdout="", stderr="arena: bot.yaml: not found\n")
    monkeypatch.setattr(field_players, "arena", lambda *_: said)
    with pytest.raises(NotABotError, match=r"^bot\.yaml: not found$"):
        check(PLAYER, tmp_path / "bots" / "fox", tmp_path)
    assert not (tmp_path / "verdicts" / "fox.json").exists()


def test_a_player_plays_if_it_fails_no_step_but_the_one_about_its_seed() -> None:
    unseeded = judge(PLAYER, {"steps": [step("hands", passed=True), step("same play", passed=False)]})
    illegal = judge(PLAYER, {"steps": [step("hands", passed=False)]})
    assert judge(PLAYER, {"steps": [step("hands", passed=True)]}) == Tried(PLAYER, "passed")
    assert (unseeded.verdict, unseeded.reason) == ("unseeded: passed up to *same play*", "")
    assert (illegal.verdict, illegal.reason) == ("failed hands", "hands in one line")


def test_the_house_bots_play_and_every_player_without_a_reason_not_to(tmp_path: Path) -> None:
    refused = Tried(replace(PLAYER, name="dog"), "", "not fetched")
    assert [*bots_to_play([Tried(PLAYER, "passed"), refused], tmp_path)] == [*HOUSE, "fox"]


def test_a_row_has_rating_result_faults_and_the_time_of_a_decision() -> None:
    counts: dict[str, Any] = {"matches_won": 7, "matches_lost": 3, "hands": 50, "points_for": 300, "points_against": 250}
    counts |= {"decisions": 500, "cpu": 1.0}
    standing = {"entrant": "fox", "counts": {**counts, "faults": {"timeout": 2}}, "rating": {"value": 10, "low": -5, "high": 25}}
    row = rows({"batches": False, "standings": [standing]})["fox"]
    assert (row.rating, row.won, row.milliseconds) == ("+10.0 (-5.0 to +25.0)", "7 of 10, 2 faults", 2.0)
    assert rows({"batches": True, "standings": [standing]})["fox"].won == "+1.0, 50 hands, 2 faults"


def test_the_table_says_why_a_player_does_not_play() -> None:
    assert list(lines([Tried(PLAYER, "", "not fetched")], {}))[-1].endswith("| not built: not fetched |")


def test_each_player_has_a_name_and_a_digest_of_its_own() -> None:
    assert len({player.name for player in PLAYERS}) == len({player.digest for player in PLAYERS}) == len(PLAYERS)
