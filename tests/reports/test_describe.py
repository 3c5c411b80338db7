"""What happens at the table, in words."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

import pytest
from msgspec.structs import replace
from support.hands.builders import FIRST, cards, dealt, melds, played
from support.leagues.events import pair

from arena.errors import SpecError
from arena.gin.rules import Rules
from arena.gin.rulesets import Oklahoma
from arena.gin.score import Ending
from arena.gin.seeing import see
from arena.gin.view import Outcome
from arena.plugins.manager import installed_kinds
from arena.records import Fixture, MatchRecord, Result, lost_record, result
from arena.reports.describe import (
    ScoreTerm,
    ended_words,
    ending_words,
    hand_terms,
    lay_off_lines,
    margin_words,
    match_ended,
    no_lay_off,
    opponent_did,
    score_terms,
    standing,
)
from arena.reports.pair_words import pair_ended
from arena.sdk.named_moves import defence
from arena.sdk.positions import position
from arena.stats.pairs import Pair
from arena.testing import batch_record, match_record
from arena.tournament.formats.base import Format

DEAL = dealt("3c4c5c 7d7h7s JhQhKh Ac", "6c8c9d Qc 2d4d9s Ts5h3h", "Kd", "2s8d")


def all_kinds_of(kind: type[Format]) -> Iterator[Format]:
    """Yield a format with matches and with batches, as far as its options allow."""
    for options in ({}, {"hands": 2000}):
        with suppress(TypeError, ValueError):
            yield kind(**options)


def test_each_lay_off_says_where_it_goes_and_why_it_may() -> None:
    hand = played("pass pass draw knock:2s", DEAL)
    view = see(hand, FIRST)
    best = defence(view)
    assert view.knocker
    lines = list(lay_off_lines(best.lay_offs, view.knocker.melds))
    assert "6c on 3c 4c 5c: it carries the run on" in lines
    assert best.deadwood < sum(min(card % 13 + 1, 10) for card in range(52) if view.cards >> card & 1)
    assert best.melds == ()


def test_the_fourth_of_a_set_is_called_so() -> None:
    (line,) = lay_off_lines(((cards("7c").bit_length() - 1, 0),), melds("7d7h7s"))
    assert line == "7c on 7d 7h 7s: the fourth 7 of the set"


def test_against_gin_it_is_shown_that_nothing_may_be_laid_off() -> None:
    hand = played("pass pass draw 2s draw 8d", dealt("3c4c5c 7d7h7s JhQhKh Ac", "6c8c9d 7c 2d4d9s Ts5h3h", "Kd", "2s8d"))
    assert no_lay_off(see(hand, FIRST)) == ""
    laid = see(played("pass pass draw knock:2s", DEAL), FIRST)
    assert laid.knocker
    assert no_lay_off(replace(laid, knocker=replace(laid.knocker, deadwood=0, lay_offs=False))).endswith("on gin")


def test_what_the_opponent_did_is_read_from_two_turns() -> None:
    start = see(played("pass", DEAL), FIRST)
    assert opponent_did(None, start) == []
    before = see(played("pass pass draw", DEAL), FIRST)
    now = see(played("pass pass draw 2s draw 8d", DEAL), FIRST)
    assert opponent_did(before, now) == ["drew from the stock", "threw 8d"]
    taken = see(played("pass pass draw 2s take 9d", DEAL), FIRST)
    assert opponent_did(before, taken) == ["took 2s from the pile", "threw 9d"]


def test_big_gin_is_shown_as_what_it_is() -> None:
    deal = dealt("3c4c5c 7d7h7s JhQhKhTh", "6h8c9d Qc 2d4d9s Ts5h3h", "Kd", "6c")
    view = see(played("pass pass draw big_gin", deal), FIRST)
    assert opponent_did(None, view) == ["drew from the stock", "went big gin"]
    assert no_lay_off(view) == "nothing may be laid off on big gin"


def test_a_match_that_was_drawn_is_won_by_nobody() -> None:
    assert match_ended("greedy", won=True, games=(3, 1)) == "You won the match, 3 games to 1."
    assert match_ended("greedy", won=False, games=(1, 3)) == "greedy won the match, 3 games to 1."
    assert match_ended("greedy", won=None, games=(0, 0), hands=20) == "The 20 hands are over."
    assert match_ended("greedy", won=None, games=(1, 1)) == "The match was drawn, 1 game to 1."


def outcome(ending: Ending, points: int, deadwood: tuple[int, int], *, won: bool | None) -> Outcome:
    return Outcome(
        game=0,
        hand=0,
        ending=ending,
        won=won,
        points=points,
        cards=(0, 0),
        melds=((), ()),
        lay_offs=(),
        deadwood=deadwood,
        score=(0, 0),
        games=(0, 0),
    )


KNOCK = outcome(Ending.KNOCK, 22, (2, 24), won=True)
GIN = outcome(Ending.GIN, 49, (24, 0), won=False)
UNDERCUT = outcome(Ending.UNDERCUT, 28, (6, 9), won=True)
BARE_GIN = outcome(Ending.GIN, 20, (0, 24), won=True)
BARE = Rules(gin_deadwood=False, gin_bonus=20)
SHOWDOWN = outcome(Ending.SHOWDOWN, 49, (0, 24), won=True)
DEAD = outcome(Ending.DEAD, 0, (6, 9), won=None)
FAULT = outcome(Ending.FAULT, 100, (6, 9), won=True)
TWICE, TWICE_GIN, BARE_TWICE = (replace(over, points=2 * over.points, multiplier=2) for over in (UNDERCUT, GIN, BARE_GIN))
REWARDED = outcome(Ending.KNOCK, 37, (2, 24), won=True)  # by the ruleset of a plugin
YOURS, THEIRS = "your deadwood", "greedy's deadwood"
COUNTS_TWICE = ("×", 2, "the points count twice")


@pytest.mark.parametrize(
    ("over", "rules", "expected"),
    [
        (KNOCK, Rules(), "a knock: you scored 24 − 2 = 22."),
        (GIN, Rules(), "gin: greedy scored 24 − 0 + 25 bonus = 49."),
        (UNDERCUT, Rules(), "an undercut: you scored 9 − 6 + 25 bonus = 28."),
        (BARE_GIN, BARE, "gin: you scored 20."),
        (KNOCK, None, "a knock: you scored 22."),
        (TWICE, Rules(), "an undercut: you scored (9 − 6 + 25 bonus) × 2 = 56."),
        (BARE_TWICE, BARE, "gin: you scored 20 × 2 = 40."),
        (REWARDED, Rules(), "a knock: you scored 24 − 2 + 15 bonus = 37."),
    ],
)
def test_the_sum_of_a_score_is_shown(over: Outcome, rules: Rules | None, expected: str) -> None:
    assert ending_words(over, "greedy", rules) == f"The hand ended with {expected}"


@pytest.mark.parametrize(
    ("over", "rules", "terms"),
    [
        (KNOCK, Rules(), [("", 24, THEIRS), ("−", 2, YOURS)]),
        (GIN, Rules(), [("", 24, YOURS), ("−", 0, THEIRS), ("+", 25, "gin bonus")]),
        (UNDERCUT, Rules(), [("", 9, THEIRS), ("−", 6, YOURS), ("+", 25, "undercut bonus")]),
        (BARE_GIN, BARE, [("", 20, "gin bonus")]),
        (SHOWDOWN, Rules(), [("", 24, THEIRS), ("−", 0, YOURS), ("+", 25, "gin bonus")]),
        (DEAD, Rules(), []),
        (FAULT, Rules(), []),
        (TWICE_GIN, Rules(), [("", 24, YOURS), ("−", 0, THEIRS), ("+", 25, "gin bonus"), COUNTS_TWICE]),
        (BARE_TWICE, BARE, [("", 20, "gin bonus"), COUNTS_TWICE]),
        (REWARDED, Rules(), [("", 24, THEIRS), ("−", 2, YOURS), ("+", 15, "bonus")]),
    ],
)
def test_the_terms_of_a_score_have_words_and_sum_to_its_points(
    over: Outcome, rules: Rules, terms: list[tuple[str, int, str]]
) -> None:
    assert score_terms(over, "greedy", rules) == tuple(ScoreTerm(*term) for term in terms)
    total = sum({"−": -1, "×": 0}.get(sign, 1) * points for sign, points, _ in terms)
    assert total * over.multiplier == (over.points if terms else 0)


@pytest.mark.rule("R2.5")
def test_what_is_special_about_a_hand_stands_beside_its_score() -> None:
    held = position("6c9c 2d8d 5h8h9h 2s9sQs", pile="Kd", rules=Oklahoma(), knock_limit=6, multiplier=2)
    special = "a knock may leave at most 6 points and the points count twice"
    assert standing(held, "greedy").endswith(f"games 0 to 0; {special}")
    assert list(hand_terms(replace(held, columns=((43, 12), (18, 0), (0, 0))))) == [
        "three games at once: 43–12, 18–0, 0–0",
        special,
    ]
    assert list(hand_terms(position("6c9c 2d8d 5h8h9h 2s9sQs", pile="Kd"))) == []


@pytest.mark.rule("R3.5")
def test_an_opponent_that_throws_one_of_eleven_dealt_cards_has_drawn_nothing() -> None:
    assert opponent_did(None, see(played("Kd", DEAL, Rules(first_turn="eleven")), FIRST)) == ["threw Kd"]


def test_a_card_that_the_opponent_takes_and_throws_a_second_time_is_shown_again() -> None:
    line = "pass pass draw 2s draw 9d take Kh draw 3h draw 9d take 5h draw"
    before, thrown = see(played(line, DEAL), FIRST), see(played(f"{line} Ac draw 9d", DEAL), FIRST)
    assert opponent_did(before, thrown) == ["drew from the stock", "threw 9d"]
    line += " Ac draw 9d take Qh draw Ts draw"
    before, taken = see(played(line, DEAL), FIRST), see(played(f"{line} 9d take 9s", DEAL), FIRST)
    assert opponent_did(before, taken) == ["took 9d from the pile", "threw 9s"]


def test_what_the_opponent_did_before_ones_own_first_turn_is_shown_too() -> None:
    assert opponent_did(None, see(played("take Ac", DEAL), FIRST)) == ["took Kd from the pile", "threw Ac"]


def test_between_a_draw_and_the_throw_after_it_the_opponent_does_nothing() -> None:
    line = "pass pass draw 2s draw 9d"
    assert opponent_did(see(played(line, DEAL), FIRST), see(played(f"{line} draw", DEAL), FIRST)) == []


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (match_record("a", "b", points=[9, -3], winner=0), "a beat b"),
        (match_record("a", "b", points=[9, -3], winner=1), "b beat a"),
        (replace(match_record("a", "b", points=[9], winner=1), forfeit=0), "b beat a, because a forfeited"),
        (match_record("a", "b", points=[3, -3], winner=None), "a drew with b"),
        (batch_record("a", "b", [-210]), "b scored more than a"),
        (batch_record("a", "b", [9, -3]), "a scored more than b"),
        (batch_record("a", "b", [3, -3]), "a scored as much as b"),
        (replace(batch_record("a", "b", [-3]), forfeit=1), "b scored more than a, because b forfeited"),
        (lost_record(batch_record("a", "b", []).fixture, "killed"), "a did not get to play b"),
    ],
)
def test_how_a_fixture_ended_is_said_by_what_it_is(record: MatchRecord, words: str) -> None:
    assert ended_words(record) == words
    assert ended_words(result(record)) == words.partition(",")[0]


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (pair("ann", "ben", 1), "ann won, 2–0 in matches"),
        (pair("ann", "ben", 1, outcome=-1), "ben won, 2–0 in matches"),
        (replace(pair("ann", "ben", 1, outcome=0), games=(3, 2)), "ann won, 3–2 in games"),
        (pair("ann", "ben", 1, outcome=0), "drawn, 1–1 in matches"),
        (replace(pair("ann", "ben", 1), batch=True, matches=(0, 0), points=(1200, 90)), "ann scored more, 1,200–90 in points"),
        (replace(pair("ann", "ben", 1), batch=True, matches=(0, 0), points=(10, 10)), "level, 10–10 in points"),
    ],
)
def test_how_a_pair_ended_is_said_by_what_decided_it(ended: Pair, words: str) -> None:
    assert pair_ended(ended) == words


def test_a_match_won_by_games_with_fewer_points_shows_both() -> None:
    won = Result(fixture=Fixture("f", ("ann", "ben"), "d"), winner=1, games=(2, 3), points=(1943, 875), hands=60)
    assert margin_words(won) == "3–2 in games, 875–1,943 points"
    batch = Result(fixture=Fixture("f", ("ann", "ben"), "d", 10), winner=None, games=(0, 0), points=(30, 50), hands=10)
    assert margin_words(batch) == "50–30 points"


def first_fixtures(chosen: Format) -> list[Fixture]:
    """Return the first fixtures of a format; some formats have two entrants."""
    with suppress(SpecError):
        return [*islice(chosen.fixtures(list("abcdefgh"), ()), 4)]
    return [*islice(chosen.fixtures(["a", "b"], ()), 4)]


FORMATS = [made for kind in installed_kinds().formats for made in all_kinds_of(kind)]


@pytest.mark.parametrize("chosen", FORMATS, ids=repr)
def test_no_batch_of_any_format_is_called_won_or_drawn(chosen: Format) -> None:
    for fixture in first_fixtures(chosen):
        words = ended_words(MatchRecord(fixture=fixture, winner=None, hands=(), games=()))
        assert ("drew" in words) == (fixture.hands is None)
