"""Every ruleset differs from ``tournament`` only as arena/gin/README.md says."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict
from support.hands.builders import RULESETS

import arena.gin
from arena.gin.rules import Rules

ONE_GAME = {"target": 100, "best_of": 1}
DIFFERS: dict[str, dict[str, Any]] = {
    "tournament": {},
    "standard": ONE_GAME,
    "points-list": ONE_GAME
    | {
        "first_turn": "draw",
        "gin_bonus": 20,
        "gin_deadwood": False,
        "big_gin_deadwood": False,
        "undercut_bonus": 10,
        "tie": "nothing",
    },
    "summary": ONE_GAME | {"first_turn": "draw", "tie": "nothing"},
    "boxes": ONE_GAME
    | {"next_dealer": "loser", "big_gin_bonus": None, "tie_bonus": 10, "hand_bonus": 25, "game_bonus": 100, "game_winner": "total"},
    "under-ten": ONE_GAME
    | {
        "knock_limit": 9,
        "tie": "nothing",
        "big_gin_bonus": None,
        "return_taken": True,
        "layoff_on_gin": True,
        "stock_out": "showdown",
        "after_two_passes": "any",
    },
    "classic": ONE_GAME
    | {
        "next_dealer": "loser",
        "gin_bonus": 20,
        "undercut_bonus": 10,
        "big_gin_bonus": None,
        "hand_bonus": 20,
        "game_bonus": 100,
        "shutout": "double",
    },
    "fiftieth-card": ONE_GAME | {"stock_out": "last_take", "return_taken": True, "tie": "nothing", "big_gin_bonus": None},
    "oklahoma": ONE_GAME | {"target": 150, "knock_limit": "upcard"},
    "hollywood": ONE_GAME | {"hand_bonus": 20, "game_bonus": 100, "shutout": "double", "game_winner": "total", "hollywood": True},
    "straight": ONE_GAME | {"knock_limit": 0},
}


def test_tournament_is_250_points_best_of_five_with_the_bonuses_of_the_standard_texts() -> None:
    rules = Rules()
    assert (rules.name, rules.target, rules.best_of, rules.knock_limit) == ("tournament", 250, 5, 10)
    assert (rules.gin_bonus, rules.undercut_bonus, rules.big_gin_bonus, rules.tie) == (25, 25, 31, "undercut")


def test_every_ruleset_has_an_expectation_here() -> None:
    assert RULESETS.keys() == DIFFERS.keys()


@pytest.mark.parametrize("name", DIFFERS)
def test_a_ruleset_differs_from_tournament_only_in_the_listed_options(name: str) -> None:
    plain = asdict(Rules())
    assert {option: value for option, value in asdict(RULESETS[name]).items() if value != plain[option]} == DIFFERS[name]


def test_the_readme_lists_every_ruleset_and_every_option_it_names_exists() -> None:
    readme = Path(arena.gin.__file__).with_name("README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)`[^|]*\|[^|]*\|(.*)\|$", readme, re.MULTILINE)
    assert {name for name, _ in rows} == DIFFERS.keys()
    for name, differs in rows:
        for option, value in re.findall(r"`([a-z_]+): (\S+)`", differs):
            assert str(DIFFERS[name][option]).lower() == value, (name, option)
    assert all(f"`{option}" in readme for option in asdict(Rules()))
