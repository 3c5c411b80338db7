"""Who plays whom: newcomers at once, nobody starved, nobody twice running."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import combinations, pairwise
from random import Random
from statistics import NormalDist, mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.leagues.events import pair, versions
from support.sizes import size

from arena.league.rules.aims import Aim, TopAim
from arena.league.rules.field import Version
from arena.league.rules.focused_pairings import RatedStrength, focused_pairings
from arena.league.rules.meetings import Meetings, Pairing
from arena.league.rules.pairing import PairingPolicy, pairings
from arena.stats.pairs import Pair

POLICY = PairingPolicy()
aims = st.sampled_from(["order", TopAim(1), TopAim(2), TopAim(5)])


def paired(active: Sequence[Version], played: Sequence[Pair], number: int, aim: Aim = "order") -> tuple[Pairing, ...]:
    """Return the pairings of a round, with the mean outcome of each bot as its rating."""
    outcomes: dict[str, list[int]] = {}
    for one in played:
        outcomes.setdefault(one.entrant, []).append(one.outcome)
        outcomes.setdefault(one.opponent, []).append(-one.outcome)
    strengths = {name: RatedStrength(mean(found), len(found) ** -0.5) for name, found in outcomes.items()}
    return pairings(active, Meetings(played), strengths, number, POLICY, aim)


def play(active: list[Version], rounds: int, played: list[Pair], aim: Aim = "order") -> list[tuple[Pairing, ...]]:
    """Play rounds after those that were played, and return their pairings; the first by name is the better."""
    found = []
    start = max((int(one.deals[1:].partition("/")[0]) for one in played), default=0)
    for number in range(start + 1, start + rounds + 1):
        found.append(paired(active, played, number, aim))
        played += [pair(*both, number) for both in found[-1]]
    return found


@pytest.mark.parametrize("count", [4, 5, 6, 7, 12, 20, 33])
def test_nobody_meets_an_opponent_of_its_last_round_again(count: int) -> None:
    _, *rounds = play(versions(count), 60, [])
    for before, now in pairwise(rounds):
        assert not set(before) & set(now)


def fewest_repeats(names: Sequence[str], met: Meetings) -> int:
    """Return in how many pairings two meet again at least, of all ways to pair an even number of versions."""
    if not names:
        return 0
    first, *others = names
    return min(met.met_last(first, one) + fewest_repeats([name for name in others if name != one], met) for one in others)


@pytest.mark.parametrize("seed", range(30))
def test_where_the_field_changes_too_as_few_as_possible_meet_an_opponent_of_their_last_round_again(seed: int) -> None:
    chance, field, played = Random(seed), versions(8), list[Pair]()
    play(field, 1, played)
    for number in range(2, 6):
        active = chance.sample(field, chance.randint(2, 8))
        met, chosen = Meetings(played), paired(active, played, number)
        playing = [one for both in chosen for one in both]
        assert sum(met.met_last(*both) for both in chosen) == fewest_repeats(playing, met)
        played += [pair(*both, number) for both in chosen]


@pytest.mark.process
@pytest.mark.parametrize("count", [3, 4, 7, 20, 51])
def test_every_bot_plays_in_every_round_but_one_of_an_odd_number_which_changes(count: int) -> None:
    active = versions(count)
    _, *rounds = play(active, 40, [])
    byes: Counter[str] = Counter()
    for chosen in rounds:
        playing = [one for both in chosen for one in both]
        assert len(set(playing)) == len(playing) == count // 2 * 2
        byes.update({version.id for version in active} - set(playing))
    assert max(byes.values(), default=0) - min((byes[one.id] for one in active), default=0) <= 1


@pytest.mark.parametrize("returning", [False, True])
def test_bots_that_join_late_or_return_sit_out_no_more_often_than_the_others(*, returning: bool) -> None:
    """Five bots play 40 rounds; then two more join, or one that played in the first 20 returns with one more."""
    first, later = versions(7)[:5], [replace(version, joined=41) for version in versions(7)[5:]]
    played, byes = list[Pair](), Counter[str]()
    play([*first, versions(7)[5]] if returning else first, 20, played)
    play(first, 20, played)
    _, *rounds = play([*first, *later], 36, played)
    for chosen in rounds:
        byes.update({version.id for version in (*first, *later)} - {one for both in chosen for one in both})
    assert max(byes[version.id] for version in later) <= 36 / 7 + 1


def test_all_opponents_are_met_before_one_is_met_much_more_often() -> None:
    active = versions(8)
    met = Counter(both for chosen in play(active, 71, []) for both in chosen)
    assert len(met) == 28
    assert max(met.values()) - min(met.values()) <= 2


@pytest.mark.parametrize("count", [2, 5, 9, 30])
def test_a_newcomer_meets_its_first_opponents_in_its_first_round(count: int) -> None:
    active, played = versions(count + 1), list[Pair]()
    play(active[:-1], 10, played)
    (chosen,) = play(active, 1, played)
    assert sum(active[-1].id in both for both in chosen) == min(POLICY.newcomer, count)


@pytest.mark.parametrize(("most", "spread"), [(8, [0, 4, 8, 12, 17, 21, 25, 29]), (2, [0, 29]), (1, [15])])
def test_the_first_opponents_are_spread_over_the_table(most: int, spread: list[int]) -> None:
    active, played = versions(31), list[Pair]()
    play(active[:-1], 3, played)
    ratings = {version.id: RatedStrength(-place, 1) for place, version in enumerate(active[:-1])}
    chosen = pairings(active, Meetings(played), ratings, 4, replace(POLICY, newcomer=most), "order")
    places = sorted(-int(ratings[one].value) for both in chosen if active[-1].id in both for one in both if one in ratings)
    assert places == spread


@settings(max_examples=size(20, 150))
@given(st.integers(2, 12), st.integers(0, 1000), aims)
def test_pairings_depend_on_the_results_and_not_on_their_order(count: int, seed: int, aim: Aim) -> None:
    active, played = versions(count), list[Pair]()
    play(active, 5, played, aim)
    shuffled = played.copy()
    Random(seed).shuffle(shuffled)
    Random(seed).shuffle(active)
    assert paired(active, shuffled, 6, aim) == paired(versions(count), played, 6, aim)


def test_fewer_than_two_bots_have_nobody_to_meet() -> None:
    assert paired(versions(1), [], 1) == paired([], [], 1) == ()


def test_two_bots_meet_every_time() -> None:
    assert all(len(chosen) == 1 for chosen in play(versions(2), 5, []))


@settings(max_examples=size(15, 120), deadline=None)
@given(st.integers(2, 25), st.integers(5, 30), aims, st.randoms(use_true_random=False))
def test_every_active_bot_plays_at_least_once_in_every_eight_rounds(count: int, rounds: int, aim: Aim, chance: Random) -> None:
    field, played = versions(count), list[Pair]()
    waited = dict.fromkeys((version.id for version in field), 0)
    for number in range(1, rounds + 1):
        active = [version for version in field if version.joined <= number]
        chosen = paired(active, played, number, aim)
        playing = {one for both in chosen for one in both}
        waited = {version.id: 0 if version.id in playing else waited[version.id] + 1 for version in active}
        assert max(waited.values()) < POLICY.every
        played += [pair(*both, number, outcome=chance.choice((-1, 0, 1))) for both in chosen]


def has_another(active: Sequence[Version], met: Meetings, one: str) -> bool:
    """Tell whether a bot has an opponent that it did not meet in the last round of either."""
    return any(not met.met_last(one, version.id) for version in active if version.id != one)


@pytest.mark.process
@settings(max_examples=size(15, 120), deadline=None)
@given(st.integers(3, 25), st.integers(1, 4), st.randoms(use_true_random=False))
def test_of_the_best_nobody_meets_an_opponent_of_its_last_round_again(count: int, top: int, chance: Random) -> None:
    active, played = versions(count), list[Pair]()
    for number in range(1, 25):
        met = Meetings(played)
        chosen = paired(active, played, number, TopAim(top))
        assert not any(met.met_last(*both) and all(map(partial(has_another, active, met), both)) for both in chosen)
        played += [pair(*both, number, outcome=chance.choice((-1, 0, 1))) for both in chosen]


def test_with_the_aim_to_know_the_best_three_those_near_the_third_place_play_most() -> None:
    active, played = versions(20), list[Pair]()
    chosen = play(active, 60, played, TopAim(3))
    playing = Counter(one for some in chosen[1:] for both in some for one in both)
    most = [name for name, _ in playing.most_common(6)]
    assert set(most) <= {version.id for version in active[:8]}
    assert playing[active[2].id] > 3 * playing[active[15].id]


@pytest.mark.parametrize("seed", range(5))
def test_pairings_by_ratings_are_distinct_and_follow_the_distances_to_the_boundary_alone(seed: int) -> None:
    """The best three of twelve are separated from the rest as the best nine are where all ratings have the other sign."""
    chance, names = Random(seed), [version.id for version in versions(12)]
    ratings = {name: chance.gauss(0, 1) for name in names}

    def chosen(sign: int, shift: float, top: int, unit: float = 1.0) -> set[Pairing]:
        strengths = {name: RatedStrength(unit * (sign * rating + shift), unit) for name, rating in ratings.items()}
        return focused_pairings(names, (), Meetings(), strengths, top)

    playing = [one for both in chosen(1, 0.0, 3) for one in both]
    assert len(set(playing)) == len(playing) > 2
    assert chosen(1, 0.0, 3) == chosen(1, 50.0, 3) == chosen(-1, 0.0, 9) == chosen(1, 0.0, 3, unit=0.001)


def test_of_two_not_met_lately_the_one_met_fewer_times_is_the_better_opponent_however_long_ago() -> None:
    met = Meetings()
    for number, opponent in enumerate("ccbd", start=1):
        met.add(("a", opponent), number)
    assert min("bc", key=lambda other: met.preference("a", other)) == "b"
    assert [met.rounds("c", first) for first in (1, 2, 3)] == [2, 1, 0]


def test_each_of_an_odd_number_sits_out_once_before_one_does_twice() -> None:
    active = versions(5)
    _, *rounds = play(active, 6, [])
    playing = Counter(one for chosen in rounds for both in chosen for one in both)
    assert playing == {version.id: 4 for version in active}


@pytest.mark.parametrize(("number", "due"), [(POLICY.every + 8, False), (POLICY.every + 9, True)])
def test_a_bot_that_returns_is_due_some_rounds_after_its_return_and_not_after_its_last_match(*, number: int, due: bool) -> None:
    *first, last = versions(4)
    played = [pair(last.id, first[0].id, 1), *(pair(one.id, first[2].id, number - 1) for one in first[:2])]
    strengths = {one.id: RatedStrength(rating, 1.0) for one, rating in zip([*first, last], (0.1, 0.0, -3.0, -50.0), strict=True)}
    chosen = pairings([*first, replace(last, joined=10)], Meetings(played), strengths, number, POLICY, TopAim(1))
    assert any(last.id in both for both in chosen) == due


@pytest.mark.parametrize("last", ["a", "b"])
def test_the_third_of_three_that_are_due_plays_whom_it_has_not_met_in_the_last_round(last: str) -> None:
    met, strengths = Meetings(), {name: RatedStrength(-place, 1.0) for place, name in enumerate("abc")}
    met.add((last, "c"), 1)
    assert focused_pairings("abc", "abc", met, strengths, 1) == {("a", "b"), ("b" if last == "a" else "a", "c")}


@pytest.mark.parametrize("seed", range(20))
def test_those_meet_whose_result_lowers_most_the_variance_of_bots_that_may_stand_on_the_wrong_side(seed: int) -> None:
    chance = Random(seed)
    strengths = {name: RatedStrength(chance.gauss(0, 1), chance.uniform(0.2, 2)) for name in "abc"}
    first, second, _ = sorted((one.value for one in strengths.values()), reverse=True)

    def gain(name: str, other: str) -> float:
        rating, error = strengths[name]
        before, of_other = error**2, strengths[other].error ** 2
        after = 1 / (1 / before + 1 / of_other)  # with one exact result against the other
        return NormalDist().cdf(-abs(rating - (first + second) / 2) / error) * (before - after)

    best = max(combinations("abc", 2), key=lambda both: gain(*both) + gain(*both[::-1]))
    assert focused_pairings("abc", (), Meetings(), strengths, 1) == {best}


def test_the_two_at_the_boundary_meet_first() -> None:
    strengths = {name: RatedStrength(rating, 1.0) for name, rating in (("a", 5.0), ("b", 0.1), ("c", -0.1), ("d", -5.0))}
    assert focused_pairings("abcd", (), Meetings(), strengths, 2) == {("b", "c")}


def test_a_field_of_newcomers_shares_its_first_opponents_fairly() -> None:
    met = Counter(one for both in paired(versions(60), [], 1) for one in both)
    assert min(met.values()) == 8
    assert max(met.values()) < 16


def test_two_that_have_never_met_do_not_meet_again_whatever_the_first_round_was() -> None:
    known = Meetings()
    for both in (("a@1", "b@1"), ("c@1", "d@1")):
        known.add(both, 1)
    assert known.met_last("a@1", "b@1")
    assert not known.met_last("a@1", "c@1")
