"""The terms of a hand: what its facts change, and what a ruleset that overrides the functions of the rules may return."""

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace
from support.hands.builders import FIRST, RULESETS, dealt, played

from arena.errors import PluginError
from arena.gin.actions import IllegalActionError, Knock
from arena.gin.cards import NAMES, card
from arena.gin.deal import Deal, Deals
from arena.gin.facts import GameScore, HandFacts, Scoreline, Seat
from arena.gin.match import Hand, Match
from arena.gin.rules import HandTerms, Rules, end_of, result_of, terms_of, totals_of
from arena.gin.rulesets import Oklahoma
from arena.gin.score import Ending, HandResult, Showdown
from arena.gin.seeing import disclose, see
from arena.gin.shuffling import shuffle

DOUBLED = Oklahoma(double="spades")
HELD = "3c4c5c 7d7h7s 2h3h 4d Ac"  # with ten points of deadwood, and six without the four


def terms(rules: Rules, upcard: str) -> HandTerms:
    return terms_of(rules, HandFacts(0, card(upcard)))


@pytest.mark.rule("R6.7")
@pytest.mark.parametrize(
    ("upcard", "limit"), [("2c", 2), ("5h", 5), ("9s", 9), ("Td", 10), ("Jc", 10), ("Qh", 10), ("Ks", 10), ("Ad", 0)]
)
def test_the_value_of_the_upcard_is_the_limit_and_by_an_ace_only_gin(upcard: str, limit: int) -> None:
    assert terms(Oklahoma(), upcard) == HandTerms(limit)


@pytest.mark.rule("R6.7")
def test_an_ace_may_count_as_one() -> None:
    assert terms(Oklahoma(ace="one"), "Ah").knock_limit == 1
    assert terms(Oklahoma(ace="one"), "2h").knock_limit == 2


@pytest.mark.rule("R6.7")
def test_the_limits_of_a_thousand_upcards_are_spread_as_their_ranks() -> None:
    deals = [Deals("limits", "a").deck(0, number)[20] for number in range(5_200)]
    seen = Counter(terms(Oklahoma(), NAMES[upcard]).knock_limit for upcard in deals)
    assert seen.keys() == {0, *range(2, 11)}
    assert all(300 < seen[limit] < 500 for limit in (0, *range(2, 10)))  # a thirteenth each: 400
    assert 1_450 < seen[10] < 1_750  # four thirteenths: 1,600


@pytest.mark.rule("R6.7")
def test_a_knock_needs_the_limit_of_the_upcard_also_after_it_was_taken() -> None:
    deal = dealt(HELD, "2c2d2s 9h9c9s Jd Qs 5h 8h", "6d", "Kd Kc Kh")
    hand = played("take 6d", deal, Oklahoma(return_taken=True))
    assert "6d" not in [NAMES[one] for one in hand.pile[:-1]]
    hand = played("pass pass draw", deal, Oklahoma())
    assert "knock" not in hand.may()
    with pytest.raises(IllegalActionError, match="a knock with 10 points of deadwood; the limit is 6"):
        hand.play(Knock(card("Kd")))
    assert "knock" in played("pass pass draw", deal, Oklahoma(knock_limit=10)).may()


@pytest.mark.rule("R2.6")
@pytest.mark.parametrize(("upcard", "points"), [("6s", 36), ("6h", 18), ("6d", 18), ("6c", 18)])
def test_a_spade_doubles_the_points_of_a_hand(upcard: str, points: int) -> None:
    show = Showdown(Ending.KNOCK, 0, (6, 24))
    assert result_of(DOUBLED, show, terms(DOUBLED, upcard)).points == points


@pytest.mark.rule("R2.6")
def test_the_bonuses_of_a_hand_are_doubled_too() -> None:
    twice = terms(DOUBLED, "6s")
    assert result_of(DOUBLED, Showdown(Ending.GIN, 1, (31, 0)), twice) == HandResult(Ending.GIN, 1, 2 * (25 + 31), (31, 0))
    assert result_of(DOUBLED, Showdown(Ending.KNOCK, 0, (6, 4)), twice) == HandResult(Ending.UNDERCUT, 1, 2 * (25 + 2), (6, 4))
    assert result_of(DOUBLED, Showdown(Ending.BIG_GIN, 0, (0, 9)), twice).points == 2 * (31 + 9)


@pytest.mark.rule("R2.5")
def test_both_players_see_the_limit_and_the_multiplier_of_a_hand() -> None:
    deal = dealt("3c4c5c 7d7h7s Js Qs Ac 3h", "2c2d2s 9h9c9s Jd Qh 5h 8h", "4s", "Ks")
    before = see(played("pass pass draw", deal, DOUBLED), FIRST)
    assert (before.knock_limit, before.multiplier) == (4, 2)
    over = played("pass pass draw knock:3h lay_off", deal, DOUBLED)
    assert over.result == HandResult(Ending.KNOCK, 0, 2 * (33 - 1), (1, 33))
    outcome = disclose(over, over.result, FIRST, (0, 0), 1)
    assert (outcome.points, outcome.multiplier, outcome.score) == (64, 2, (0, 64))


@pytest.mark.rule("R2.5")
@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_the_terms_of_a_hand_stay_until_its_end(rules: Rules) -> None:
    hand = Hand.start(Deal(shuffle("terms"), 0), rules)
    assert hand.terms in {terms_of(rules, HandFacts(dealer, hand.facts.upcard)) for dealer in (0, 1)}
    assert rules.limits[0] <= hand.terms.knock_limit <= rules.limits[-1]
    assert rules.most_multiplier == 1


def test_the_limits_and_multipliers_of_hands_are_known_before_play() -> None:
    assert Rules().limits == (10,)
    assert DOUBLED.limits == (0, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    assert (DOUBLED.most_multiplier, Oklahoma().most_multiplier) == (2, 1)


@pytest.mark.rule("R3.5")
@pytest.mark.parametrize(
    ("options", "needs"), [({"knock_limit": "upcard"}, "knock_limit: upcard"), ({"double": "spades"}, "double: spades")]
)
def test_an_option_that_needs_an_upcard_is_refused_where_none_is_turned(options: dict[str, Any], needs: str) -> None:
    with pytest.raises(ValueError, match=rf"first_turn: found 'eleven', which turns no upcard; expected .* with {needs}"):
        Rules(first_turn="eleven", **options)


class Late(Rules, frozen=True, kw_only=True, tag="late"):
    """A limit of 5 once a player has 100 points, hands count as often as their number, and only the dealer's gin has a bonus."""

    def terms(self, facts: HandFacts) -> HandTerms:
        return HandTerms(5 if max(facts.before.score) >= 100 else 10, 1 + facts.before.hand)

    def score(self, show: Showdown) -> HandResult:
        result = super().score(show)
        plain = result.ending is Ending.GIN and show.caller != show.facts.dealer
        return replace(result, points=result.points - self.gin_bonus) if plain else result

    def ended_by(self, game: GameScore) -> Seat | None:
        return (0 if game.points[0] > game.points[1] else 1) if game.hands == 3 else None

    def totals(self, game: GameScore, ended_by: Seat) -> tuple[int, int]:
        zero, one = super().totals(game, ended_by)
        return zero + 7 * game.won[0], one + 7 * game.won[1]


@pytest.mark.rule("R2.5")
def test_a_ruleset_may_set_the_terms_by_the_score_and_the_number_of_the_hand() -> None:
    early, late = Deal(shuffle("late"), 0), Deal(shuffle("late"), 0, Scoreline(hand=2, score=(30, 120)))
    assert [Hand.start(deal, Late()).terms for deal in (early, late)] == [HandTerms(10, 1), HandTerms(5, 3)]


@pytest.mark.rule("R7.1")
@pytest.mark.parametrize(("dealer", "points"), [(0, 25 + 33), (1, 33)])
def test_a_ruleset_may_score_by_the_facts(dealer: Seat, points: int) -> None:
    assert Late().score(Showdown(Ending.GIN, 0, (0, 33), HandFacts(dealer))).points == points


@pytest.mark.rule("R9.1")
def test_a_ruleset_may_end_a_game_otherwise() -> None:
    match = Match.start(Late(best_of=1, hand_bonus=5), Deals("late", "a"))
    for seat, points in ((0, 10), (1, 300), (0, 20)):
        assert not match.over
        match = match.add(HandResult(Ending.KNOCK, seat, points, (0, 0)))
    assert (match.over, match.winner, match.games[0].totals) == (True, 1, (30 + 2 * 12, 300 + 12))


def broken(function: str, value: object) -> Rules:
    """Return rules of which a function returns ``value``."""

    class Broken(Rules, frozen=True, kw_only=True, tag="broken"):
        """One of its functions returns what it may not."""

        def terms(self, facts: HandFacts) -> HandTerms:
            return value if function == "terms" else super().terms(facts)  # type: ignore[return-value]

        def score(self, show: Showdown) -> HandResult:
            return value if function == "score" else super().score(show)  # type: ignore[return-value]

        def ended_by(self, game: GameScore) -> Seat | None:
            return value if function == "ended_by" else super().ended_by(game)  # type: ignore[return-value]

        def totals(self, game: GameScore, ended_by: Seat) -> tuple[int, int]:
            return value if function == "totals" else super().totals(game, ended_by)  # type: ignore[return-value]

    return Broken()


@pytest.mark.parametrize(
    ("function", "value", "expected"),
    [
        ("terms", HandTerms("ten"), "a knock_limit from 0 to 100"),  # type: ignore[arg-type]
        ("terms", HandTerms(knock_limit=True), "a knock_limit from 0 to 100"),
        ("terms", HandTerms(-1), "a knock_limit from 0 to 100"),
        ("terms", HandTerms(10, 0), "a multiplier from 1 to 100"),
        ("terms", HandTerms(10, 1.5), "a multiplier from 1 to 100"),  # type: ignore[arg-type]
        ("score", HandResult(Ending.KNOCK, 0, -3, (4, 9)), "points from 0 to 20000"),
        ("score", HandResult(Ending.KNOCK, 0, 2.5, (4, 9)), "points from 0 to 20000"),  # type: ignore[arg-type]
        ("score", HandResult(Ending.KNOCK, None, 5, (4, 9)), "points from 0 to 0"),
        ("score", HandResult(Ending.KNOCK, 2, 5, (4, 9)), r"the winner None, 0 or 1, and the deadwood \(4, 9\)"),
        ("score", HandResult(Ending.KNOCK, 0, 5, (0, 9)), r"the winner None, 0 or 1, and the deadwood \(4, 9\)"),
        ("ended_by", "nobody", "None, 0 or 1"),
        ("ended_by", 2, "None, 0 or 1"),
        ("totals", (1, -2), "whole numbers from 0 on"),
    ],
)
def test_an_impossible_value_of_a_ruleset_is_named(function: str, value: object, expected: str) -> None:
    rules, game = broken(function, value), GameScore((250, 0), (1, 0), 1)
    calls: dict[str, Any] = {
        "terms": lambda: terms_of(rules, HandFacts(0, 3)),
        "score": lambda: result_of(rules, Showdown(Ending.KNOCK, 0, (4, 9)), HandTerms(10)),
        "ended_by": lambda: end_of(rules, game),
        "totals": lambda: totals_of(rules, game),
    }
    with pytest.raises(PluginError, match=rf"ruleset 'broken': {function}\(\) returned .*; expected {expected}"):
        calls[function]()
