"""The guarantee of a verdict is stated with all of its assumptions, in the same sentence everywhere."""

import re
from pathlib import Path

import pytest
from support.commands.calls import arena
from support.repository.files import ROOT, tracked

from arena.stats.duels import guarantee_of_race
from arena.stats.statements import VERDICT

GUARANTEE = VERDICT(held="±40 points")
RACE = guarantee_of_race(0.05)
PAGES = ("README.md", "arena/stats/README.md", "tournaments/README.md", "arena/cli/compare.py")
OTHERWISE = re.compile(
    r"one time in twenty|wrong at most|right for every bot|error rates? holds?\b|whenever (?:it|you) stops?",
    re.IGNORECASE,
)
SUFFIXES = {".md", ".py", ".html", ".js", ".yaml", ".yml", ".toml"}
KEPT = {"arena/stats/statements.py"}  # the sentence itself, in pieces


def plain(path: Path) -> str:
    """Return a text in one line, so that it does not matter where it is folded."""
    return " ".join((ROOT / path).read_text(encoding="utf-8").split())


def _filled(text: str) -> str:
    """Return a text with the numbers of today in the templates of ``arena.stats.statements``."""
    return text.replace("{held}", "±40 points").replace("at most {chance}", "at most 5 %")


RACES = ("arena/compare/README.md", "arena/cli/compare.py")


@pytest.mark.parametrize(("sentence", "page"), [*((GUARANTEE, page) for page in PAGES), *((RACE, page) for page in RACES)])
def test_a_page_that_states_the_guarantee_or_what_a_race_promises_has_the_sentence(sentence: str, page: str) -> None:
    assert sentence in plain(Path(page))


def test_the_sentence_names_the_mean_and_every_assumption() -> None:
    for part in ("hands held to ±40 points", "decks are independent and secret", "share nothing", "conditions do not change"):
        assert part in GUARANTEE
        assert part in RACE


@pytest.mark.process
def test_no_text_states_the_guarantee_in_other_words() -> None:
    texts = [path for path in tracked() if path.suffix in SUFFIXES and path.parts[0] != "tests" and "vendor" not in path.parts]
    found = {
        str(path): OTHERWISE.findall(_filled(plain(path)).replace(GUARANTEE, "").replace(RACE, ""))
        for path in texts
        if str(path) not in KEPT
    }
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize(("command", "sentence"), [("duel", GUARANTEE), ("regress", GUARANTEE), ("race", RACE)])
def test_a_help_text_has_the_sentence(command: str, sentence: str) -> None:
    shown = re.sub(r"[^\S ]+|[│╭╮╰╯─]", " ", arena(command, "--help").stdout)
    assert sentence in " ".join(shown.split())
