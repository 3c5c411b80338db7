"""The positions in which the bots of a league are compared: they tell policies apart, and are the league's own."""

import re
from importlib import import_module
from itertools import combinations
from pathlib import Path

import pytest
from msgspec import json
from support.repository.pages import ROOT
from support.sizes import size

import arena_bots.tutorial
from arena.gin.match import walk
from arena.gin.rules import Rules
from arena.gin.rulesets import Boxes, FiftiethCard, UnderTen
from arena.gin.seeing import see
from arena.league import position_answers, position_making, positions
from arena.league.positions import PositionSet
from arena.league.rules.likeness import LikenessRule
from arena.league.suspects import position_words
from arena.league.templates import OWN_TEMPLATES, own_templates
from arena.sdk import Bot, Card, View, deadwood, each
from arena.sdk.odds import danger, expected, turn

RULES = Rules()


@pytest.fixture(scope="module")
def made() -> PositionSet:
    return position_making.make(Rules(), "a seed")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have sets made of few hands."""
    monkeypatch.setattr(position_making, "TRIED", 8)
    monkeypatch.setattr(position_making, "HANDS", 4)


def answers(policy: type[Bot], known: PositionSet, rules: Rules = RULES) -> list[str]:
    """Return the answers of a bot in this process, in both seats and in the order of the hands, as it would be asked."""
    given: dict[tuple[int, int, int], str] = {}
    for seat in (0, 1):
        bot = policy(positions.ID)
        for number, recorded in enumerate(known.hands):
            for place, hand in enumerate(walk(recorded.deal, rules, recorded.actions[:-1])):
                if hand.seat == seat:
                    given[seat, number, place] = position_answers.action_word(bot.answer(see(hand, recorded.deal.before)))
    return [given[place] for place in known.places]


def equal(one: list[str], other: list[str]) -> int:
    return sum(first == second for first, second in zip(one, other, strict=True))


@pytest.mark.process
@pytest.mark.usefixtures("few")
def test_a_set_is_that_of_its_seed_and_of_no_other() -> None:
    once, again, other = (position_making.make(Rules(), seed).digest for seed in ("a seed", "a seed", "another"))
    assert once == again != other


def test_a_set_has_some_hundred_positions(made: PositionSet) -> None:
    assert 200 <= len(made.places) <= position_making.MOST
    assert len(made.hands) == position_making.HANDS


@pytest.mark.process
def test_every_policy_is_distinguished_from_every_other(made: PositionSet) -> None:
    given = [answers(policy, made) for policy in position_making.POLICIES]
    least = LikenessRule().share * len(made.places)
    assert [(one, other) for one, other in combinations(range(len(given)), 2) if equal(given[one], given[other]) >= least] == []


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("rules", [Boxes(), UnderTen(), FiftiethCard()])
def test_a_set_is_made_under_any_rules(rules: Rules) -> None:
    made = position_making.make(rules, "a seed")
    assert len(set(answers(Bot, made, rules))) > 10
    assert position_words(0, rules, made)


@pytest.mark.usefixtures("few")
def test_a_league_keeps_its_set_where_only_its_owner_may_read_it(tmp_path: Path) -> None:
    assert positions.load(tmp_path, Rules()) is None
    made = position_making.load_or_make(tmp_path, Rules())
    assert position_making.load_or_make(tmp_path, Rules()) == made
    assert (tmp_path / positions.POSITIONS_FILE).stat().st_mode & 0o777 == 0o600
    assert position_making.load_or_make(tmp_path, Rules()).digest != position_making.make(Rules()).digest, "its seed is random"


@pytest.mark.process
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("text", ["", "{}", '{"hands":[],"places":3}', "cut"])
def test_a_file_that_is_damaged_is_replaced_by_a_new_set(tmp_path: Path, text: str) -> None:
    whole = positions.text(position_making.make(Rules()))
    (tmp_path / positions.POSITIONS_FILE).write_text(whole[: len(whole) // 2] if text == "cut" else text)
    assert positions.load(tmp_path, Rules()) is None
    assert position_making.load_or_make(tmp_path, Rules()).places


@pytest.mark.usefixtures("few")
def test_a_hand_that_the_rules_forbid_is_no_set(tmp_path: Path) -> None:
    stored = json.decode(positions.text(position_making.make(Rules())))
    stored["hands"][0]["actions"] = stored["hands"][0]["actions"].rpartition(" ")[0]
    (tmp_path / positions.POSITIONS_FILE).write_bytes(json.encode(stored))
    assert positions.load(tmp_path, Rules()) is None


class Idiom(Bot):
    """Writes what ``Bot`` does in a student's words."""

    def throws(self, view: View) -> Card:
        """Discard what leaves least deadwood."""
        return min(each(view.may_discard), key=lambda card: deadwood(view.without(card)))


def test_the_idiomatic_line_is_the_plain_bot_of_the_sdk(made: PositionSet) -> None:
    assert answers(Idiom, made) == answers(arena_bots.tutorial.Plain, made)


@pytest.mark.process
def test_arenas_own_templates_are_bots_that_can_be_found() -> None:
    assert len({(bot.digest, bot.launch.command[-1]) for bot in own_templates().values()}) == len(OWN_TEMPLATES)


def test_the_bots_of_the_sdks_page_are_those_of_the_page() -> None:
    page = (ROOT / "arena/sdk/README.md").read_text(encoding="utf-8")
    module = (ROOT / "bots/tutorial.py").read_text(encoding="utf-8")
    for name in ("First", "Second", "Third"):
        (text,) = re.findall(rf"```python\n([^`]*class {name}\(Bot\):[^`]*)```", page)
        lines = [line for line in text.splitlines() if "return " in line]
        assert [line for line in lines if line not in module] == []


HOUSE = {
    "card_counter": "CardCounter",
    "cautious": "Cautious",
    "challenger": "Challenger",
    "early_bird": "EarlyBird",
    "gin_hunter": "GinHunter",
    "greedy": "Greedy",
    "reader": "Reader",
    "scholar": "Scholar",
    "score_keeper": "ScoreKeeper",
    "two_way": "TwoWay",
    "professor": "Professor",
}


def variant(fear: float, last: int, most: int, draws: int) -> type[Bot]:
    """Return a student's bot: the third of the SDK's page with other numbers."""

    class Variant(Bot):
        def throws(self, view: View) -> Card:
            return min(each(view.may_discard), key=lambda card: expected(view, card, draws=draws) + fear * danger(view, card))

        def knocks(self, view: View, left: int) -> bool:
            return turn(view) < last or left <= most

    return Variant


@pytest.mark.slow
@pytest.mark.nightly
def test_at_most_one_in_a_hundred_pairs_of_different_bots_looks_alike() -> None:
    """Among the house bots, simple policies and twelve variants of the page's third bot; at night over more leagues."""
    variants = [(2.0, 4, 0, 7), (2.5, 3, 0, 7), (1.0, 5, 0, 7), (2.0, 3, 5, 7), (3.0, 9, 0, 52), (0.5, 2, 2, 52)]
    variants += [(2.0, 0, 8, 7), (1.5, 6, 3, 52), (4.0, 3, 0, 52), (0.0, 4, 4, 7), (2.0, 99, 0, 7), (5.0, 1, 1, 20)]
    bots = [getattr(import_module(f"arena_bots.{module}"), name) for module, name in HOUSE.items()]
    bots += [*position_making.POLICIES, *(variant(*numbers) for numbers in variants), arena_bots.tutorial.First]
    alike, compared = 0, 0
    for seed in "abcde"[: size(1, 5)]:
        made = position_making.make(Rules(), seed)
        given = [answers(bot, made) for bot in bots]
        shares = [equal(one, other) / len(made.places) for one, other in combinations(given, 2)]
        alike, compared = alike + sum(share >= LikenessRule().share for share in shares), compared + len(shares)
    assert alike / compared <= 0.01, f"{alike} of {compared}"
