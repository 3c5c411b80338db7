"""The schedule: never two fixtures on the same deals, each exactly once, the legs of a pair as a coin says."""

import tracemalloc
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.leagues.events import round_opened

from arena.league.rules.rounds import fixtures
from arena.records import Fixture
from arena.tournament.formats import growing_rounds, tested
from arena.tournament.formats.base import Format, leg_by_leg
from arena.tournament.formats.divisions import Divisions
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.round_robin import Batches, RoundRobin
from arena.tournament.formats.swiss import Swiss
from arena.tournament.order import LOOK_AHEAD, Schedule, by_coin, goes_first, out_of_order


def fixture(number: int, deals: str) -> Fixture:
    return Fixture(str(number), ("a", "b"), deals)


@given(st.lists(st.sampled_from("abcdefg")), st.integers(1, 9), st.data())
def test_no_two_fixtures_on_the_same_deals_are_in_play_and_all_are_played_once(
    keys: list[str], ahead: int, data: st.DataObject
) -> None:
    fixtures = [fixture(number, key) for number, key in enumerate(keys)]
    schedule, playing, played = Schedule(iter(fixtures)), list[Fixture](), list[str]()
    losses = 0
    while True:
        while len(playing) < ahead and (started := schedule.start()):
            playing.append(started)
        in_play = Counter(one.deals for one in playing)
        assert max(in_play.values(), default=1) == 1
        if not playing:
            break
        ended = playing.pop(data.draw(st.integers(0, len(playing) - 1)))
        if losses < 5 and data.draw(st.booleans()):
            losses += 1
            schedule.again(ended)
        else:
            schedule.done(ended)
            played.append(ended.id)
    assert sorted(played) == sorted(one.id for one in fixtures)


def test_a_waiting_fixture_does_not_delay_those_behind_it() -> None:
    one, same, other = fixture(0, "a"), fixture(1, "a"), fixture(2, "b")
    schedule = Schedule(iter([one, same, other]))
    assert [schedule.start(), schedule.start(), schedule.start()] == [one, other, None]
    schedule.done(one)
    assert schedule.start() == same


def test_the_iterator_is_read_only_as_far_as_needed() -> None:
    read = []

    def fixtures() -> Iterator[Fixture]:
        for number in range(100):
            read.append(number)
            yield fixture(number, str(number // 2))

    schedule = Schedule(fixtures())
    schedule.start()
    schedule.start()
    assert read == [0, 1, 2]


def test_the_number_of_waiting_fixtures_is_limited() -> None:
    fixtures = (fixture(number, "the same") for number in range(100 * LOOK_AHEAD))
    schedule = Schedule(fixtures)
    tracemalloc.start()
    first = schedule.start()
    assert schedule.start() is None
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    assert first
    schedule.done(first)
    second = schedule.start()
    assert second
    assert second.id == "1"


def pair(number: int, entrants: tuple[str, str] = ("a", "b")) -> list[Fixture]:
    """Return both legs of a pair on deals of its own."""
    one, other = entrants
    return [Fixture(f"{number}/{leg}", seats, str(number)) for leg, seats in enumerate([(one, other), (other, one)])]


@given(st.permutations([leg for number in range(6) for leg in pair(number)]), st.text("0123456789abcdef", min_size=8))
def test_the_coin_decides_which_leg_of_a_pair_comes_first_and_moves_nothing_else(listed: list[Fixture], seed: str) -> None:
    drawn = list(by_coin(listed, seed))
    assert [one.deals for one in drawn] == [one.deals for one in listed]
    assert sorted(one.id for one in drawn) == sorted(one.id for one in listed)
    for number in range(6):
        assert next(one for one in drawn if one.deals == str(number)) == next(leg for leg in pair(number) if goes_first(leg, seed))


def test_the_coin_is_fair_and_another_for_each_seed_deals_and_pair() -> None:
    def heads(seed: str, entrants: tuple[str, str]) -> list[bool]:
        return [goes_first(pair(number, entrants)[0], seed) for number in range(2000)]

    coins = [heads("one seed", ("a", "b")), heads("another seed", ("a", "b")), heads("one seed", ("a", "c"))]
    for mine in coins:
        assert abs(sum(mine) - 1000) < 100  # 4.5 standard errors
        for others in coins:
            assert mine is others or abs(sum(map(bool.__eq__, mine, others)) - 1000) < 100


def test_of_two_legs_one_goes_first_whichever_of_them_is_asked_about_and_whoever_is_named_first() -> None:
    for number in range(20):
        one, other = pair(number)
        assert goes_first(one, "seed") is not goes_first(other, "seed")


def test_a_leg_whose_other_leg_was_played_or_does_not_exist_keeps_its_place() -> None:
    late = [next(leg for leg in pair(number) if not goes_first(leg, "seed")) for number in range(5)]
    assert list(by_coin(late, "seed")) == late


def test_matches_of_a_bot_against_itself_have_no_coin() -> None:
    both = [leg for number in range(5) for leg in pair(number, ("a", "a"))]
    assert list(by_coin(both, "seed")) == both


def test_legs_further_apart_than_can_wait_are_played_as_they_are_listed() -> None:
    late, early = sorted(pair(0), key=lambda leg: goes_first(leg, "seed"))
    between = (fixture(number, f"other {number}") for number in range(LOOK_AHEAD))
    assert next(by_coin(chain([late], between, [early]), "seed")) == late


LARGE = [
    (RoundRobin(pairs=3), 40),
    (Batches(hands=400), 20),
    (Swiss(pairs=30), 100),
    (Divisions(divisions=5, pairs=2), 100),
    (Duel(hands=400_000, leg=2), 2),
    (Gauntlet(hands=200_000), 9),
]


@pytest.mark.parametrize(("form", "size"), LARGE, ids=lambda one: getattr(one.__class__, "__name__", "") if one else "")
def test_the_formats_list_both_legs_near_enough_for_the_coin(form: Format, size: int) -> None:
    field = [f"b{number:03}" for number in range(size)]
    if isinstance(form, tested.Tested):  # of its largest round
        first, end = list(pairwise(growing_rounds.round_ends(form.most_sets(field), form.first_round)))[-1]
        listed = list(leg_by_leg(form.legs(field, number) for number in range(first, end)))
    else:
        listed = list(form.fixtures(field, []))
    assert not list(out_of_order(by_coin(listed, "seed"), partial(goes_first, seed="seed")))
    assert list(out_of_order(listed, partial(goes_first, seed="seed")))


@pytest.mark.process
def test_a_league_lists_both_legs_near_enough_for_the_coin() -> None:
    names = [f"b{number:03}@1" for number in range(300)]
    opened = round_opened(1, [(one, other) for place, one in enumerate(names) for other in names[place + 1 : place + 60]])
    assert len(opened.pairings) > LOOK_AHEAD
    drawn = by_coin(fixtures(opened), "seed")
    assert not list(out_of_order(drawn, partial(goes_first, seed="seed")))


def test_a_bot_that_reads_while_it_plays_never_plays_both_legs_of_one_deal_and_the_coin_decides_still() -> None:
    opened = replace(round_opened(1, [("a@1", "b@1"), ("b@1", "c@1"), ("c@1", "d@1")]), separate_deals=("a@1",), pairs=40)
    listed = list(fixtures(opened))
    legs = [leg for leg in listed if "a@1" in leg.seats]
    assert len({leg.deals for leg in legs}) == len(legs) == 80
    assert not {leg.deals for leg in legs} & {leg.deals for leg in listed if "a@1" not in leg.seats}
    assert len({leg.pair for leg in legs}) == 40
    drawn = [leg for leg in by_coin(listed, "seed") if "a@1" in leg.seats]
    assert {one.seats[0] for one, _ in zip(drawn[::2], drawn[1::2], strict=True)} == {"a@1", "b@1"}
    assert not list(out_of_order(drawn, partial(goes_first, seed="seed")))
