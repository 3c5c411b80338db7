"""Placements: whom the bot plays, that its rating is found, and that they resume exactly."""

import re
from collections.abc import Sequence
from random import Random

import pytest
from msgspec.structs import replace

from arena.errors import SpecError
from arena.records import Fixture, Result, SingleHand
from arena.tournament.formats.placement import NEAREST, Placement

RATINGS = tuple(float(rating) for rating in range(-30, 13, 3))
OPPONENTS = tuple(f"bot{place}" for place in range(len(RATINGS)))
FORM = Placement(ratings=RATINGS, hands=2_000)
FIELD = ("mine", *OPPONENTS)


def play(fixture: Fixture, strength: float) -> Result:
    """Return a result in which every entrant wins what its rating says, and luck that is measured."""
    rated = {**dict(zip(OPPONENTS, RATINGS, strict=True)), FIELD[0]: strength}
    edge = rated[fixture.seats[0]] - rated[fixture.seats[1]]
    chance = Random(fixture.id)
    luck = [chance.gauss(0, 20) for _ in range(fixture.hands or 0)]
    singles = tuple(SingleHand(round(edge + one + chance.gauss(0, 10)), one) for one in luck)
    return Result(fixture=fixture, winner=None, games=(0, 0), points=(0, 0), hands=len(singles), singles=singles)


def place(strength: float, form: Placement = FORM) -> list[Result]:
    results: list[Result] = []
    while fixtures := list(form.fixtures(FIELD, results)):
        results += [play(one, strength) for one in fixtures]
    return results


def opponents(results: Sequence[Result]) -> list[str]:
    return [next(name for name in one.fixture.seats if name != FIELD[0]) for one in results]


@pytest.mark.parametrize("strength", [-40.0, -29.0, -8.5, 0.0, 11.0, 20.0])
def test_the_rating_of_any_strength_is_found(strength: float) -> None:
    found = FORM.rating(FIELD, place(strength))
    assert found is not None
    assert found.half is not None
    assert abs(found.mean - strength) < 1.6 * found.half < 2.6


def test_few_pairs_with_one_result_have_no_interval() -> None:
    form, field = Placement(ratings=(0.0, 0.0), hands=40), ("mine", "one", "other")
    found = [
        Result(fixture=one, winner=None, games=(0, 0), points=(0, 0), hands=10, singles=10 * (SingleHand(0),))
        for one in form.fixtures(field, ())
    ]
    assert form.details(field, found).answer.startswith("mine is rated +0.00 points a hand: ")


@pytest.mark.parametrize(("strength", "near"), [(20.0, OPPONENTS[-2:]), (-9.0, ("bot6", "bot7", "bot8")), (-50.0, OPPONENTS[:2])])
def test_pairs_with_opponents_of_about_its_strength_count_and_with_the_two_nearest_always(
    strength: float, near: Sequence[str]
) -> None:
    results = place(strength)
    found = FORM.rating(FIELD, results)
    assert found is not None
    assert found.blocks == sum(name in near for name in opponents(results)) / 2
    *_, hands = FORM.details(FIELD, results).tables[0].columns
    assert hands.cells == {name: f"{opponents(results).count(name) * FORM.leg:,}" for name in OPPONENTS}


def test_every_opponent_is_played_once_and_then_the_nearest_ones() -> None:
    results = place(-8.5)
    first, rest = results[: 2 * len(OPPONENTS)], results[2 * len(OPPONENTS) :]
    assert sorted(opponents(first)) == sorted(2 * OPPONENTS)
    assert len({*opponents(rest)}) <= NEAREST + 2
    assert all(abs(RATINGS[OPPONENTS.index(name)] + 8.5) < 10 for name in opponents(rest))


def test_the_hands_are_those_of_the_option_up_to_a_round() -> None:
    hands = sum(one.hands for one in place(2.0))
    assert FORM.hands <= hands < FORM.hands + NEAREST * 2 * 2 * FORM.leg
    one_round = replace(FORM, hands=len(OPPONENTS) * 2 * FORM.leg)
    assert sum(one.hands for one in place(2.0, one_round)) == one_round.hands
    one_pair_more = replace(FORM, hands=one_round.hands + 2 * FORM.leg)
    assert sum(one.hands for one in place(2.0, one_pair_more)) > one_round.hands


def test_a_placement_that_was_stopped_anywhere_plays_the_same() -> None:
    whole = place(-3.0)
    for stopped in (0, 1, 17, len(whole) // 2, len(whole) - 1):
        results = whole[:stopped]
        while fixtures := list(FORM.fixtures(FIELD, results)):
            results += [play(one, -3.0) for one in reversed(fixtures)]
        assert {one.fixture.id: one for one in results} == {one.fixture.id: one for one in whole}
        assert FORM.rating(FIELD, results) == FORM.rating(FIELD, whole)


def test_deals_do_not_depend_on_the_name_of_the_bot() -> None:
    mine, other = ({one.deals for one in FORM.fixtures((name, *OPPONENTS), [])} for name in ("mine", "other"))
    assert mine == other


def test_the_answer_names_the_neighbours_and_the_ranking_is_by_rating() -> None:
    results = place(-8.5)
    said = FORM.details(FIELD, results)
    rated = r"mine is rated -8\.\d\d \(-\d\.\d\d to -\d\.\d\d\) points a hand: rank 8 of 16, below bot8 and above bot7"
    assert re.fullmatch(rf"{rated}; it may be as strong as bot7\.", said.answer)
    assert (said.settled, said.rivals) == (None, ("mine", "bot7")), "a rating is no verdict, and a duel would tell more"
    assert list(said.intervals) == ["mine", "bot8", "bot7"], "its interval is drawn above those of its neighbours"
    assert said.intervals["mine"].low < said.intervals["mine"].value < said.intervals["mine"].high
    order = [name for (name,) in FORM.ranking(FIELD, results)]
    assert order.index("bot8") < order.index("mine") < order.index("bot7")


@pytest.mark.parametrize(("value", "between"), [(-9.0, ("bot7", "bot8")), (-8.9, ("bot7", "bot8")), (-9.1, ("bot6", "bot7"))])
def test_an_opponent_with_the_same_rating_is_the_neighbour_below(value: float, between: tuple[str, str]) -> None:
    assert FORM.neighbours(FIELD, value) == between


def test_before_a_rating_the_bot_is_last_and_the_answer_says_so() -> None:
    said = FORM.details(FIELD, [])
    assert said.answer == "mine has no rating yet."
    assert list(FORM.ranking(FIELD, []))[-1] == ["mine"]


def test_it_has_no_rating_until_the_first_round_is_complete() -> None:
    first = FORM.fixtures(FIELD, [])
    results = [play(one, 0.0) for one in first]
    assert FORM.rating(FIELD, results)
    assert FORM.rating(FIELD, results[:-1]) is None


def test_a_field_without_a_rating_for_each_opponent_is_refused() -> None:
    with pytest.raises(SpecError, match="15 ratings for 3 bots; expected one fewer"):
        list(FORM.fixtures(FIELD[:3], []))


def test_every_opponent_is_played_even_if_the_hands_are_fewer_than_a_pair_of_legs() -> None:
    few = replace(FORM, hands=FORM.leg)
    assert len(place(2.0, few)) == 2 * len(OPPONENTS)
    assert few.rating(FIELD, place(2.0, few)) is not None
