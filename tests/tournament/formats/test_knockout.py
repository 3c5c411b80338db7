"""Knockouts: who meets whom, when a tie is decided, and the ranking."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.matches.outcomes import all_results, by_chance, by_strength, level, rounds, won

from arena.records import Fixture, Result
from arena.stats.format_details import Tie
from arena.tournament.formats.knockout import Knockout, seeding

DOUBLE = Knockout(elimination="double")
fields = st.integers(2, 20).map(lambda size: [f"b{number}" for number in range(size)])


def pairings(results: list[Result]) -> list[str]:
    return [":".join(result.fixture.seats) for result in results if result.fixture.id.endswith("/0/0")]


def ties(league: Knockout, field: list[str], results: list[Result]) -> dict[str, list[Tie]]:
    """Return the ties by the title of their round."""
    brackets = league.details(field, results).brackets
    return {one.title: one.ties for bracket in brackets for one in bracket.rounds}


@pytest.mark.parametrize("size", [2, 4, 8, 16, 64])
def test_the_best_seeds_meet_as_late_as_possible(size: int) -> None:
    order = seeding(size)
    assert sorted(order) == list(range(size))
    while len(order) > 1:
        assert all(one + other == len(order) - 1 for one, other in zip(order[::2], order[1::2], strict=True))
        order = [min(both) for both in zip(order[::2], order[1::2], strict=True)]


def test_eight_play_three_rounds_and_the_better_seeds_meet_in_the_final() -> None:
    played = rounds(Knockout(), list("abcdefgh"), by_strength("abcdefgh"))
    assert [pairings(each) for each in played] == [["a:h", "d:e", "b:g", "c:f"], ["a:d", "b:c"], ["a:b"]]


def test_the_best_seeds_have_the_byes() -> None:
    played = rounds(Knockout(), list("abcde"), by_strength("abcde"))
    assert [pairings(each) for each in played] == [["d:e"], ["a:d", "b:c"], ["a:b"]]


def test_the_last_three_rounds_have_names_and_those_before_them_numbers() -> None:
    field = [f"b{number:02}" for number in range(20)]
    titles = list(ties(Knockout(third_place=True), field, []))
    assert titles == ["Round 1", "Round 2", "Quarter-finals", "Semi-finals", "Final", "Third place"]
    lower = ["Round 1", "Round 2", "Round 3", "Round 4"]
    assert list(ties(DOUBLE, field[:8], [])) == ["Quarter-finals", "Semi-finals", "Final", "Grand final", *lower]


def test_the_beaten_finalist_is_second_and_those_out_in_one_round_share_a_place() -> None:
    results = all_results(Knockout(), list("abcdefgh"), by_strength("dabcefgh"))
    assert Knockout().ranking(list("abcdefgh"), results) == [["d"], ["b"], ["a", "c"], ["e", "f", "g", "h"]]


def test_a_match_for_the_third_place_is_played_with_the_final() -> None:
    league = Knockout(third_place=True)
    *_, last = rounds(league, list("abcd"), by_strength("abcd"))
    assert pairings(last) == ["a:b", "d:c"]
    assert league.ranking(list("abcd"), all_results(league, list("abcd"), by_strength("abcd"))) == [["a"], ["b"], ["c"], ["d"]]


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_a_match_for_the_third_place_needs_two_that_lost_a_semi_final(size: int) -> None:
    league, field = Knockout(third_place=True), list("abcde"[:size])
    assert league.least(size) == len(all_results(league, field, by_strength(field))) == 2 * (size - 1 + (size > 3))


def test_in_double_elimination_the_loser_of_the_lower_final_is_third() -> None:
    results = all_results(DOUBLE, list("abcd"), by_strength("abcd"))
    assert DOUBLE.ranking(list("abcd"), results) == [["a"], ["b"], ["c"], ["d"]]
    assert len(results) == 2 * 6


@given(field=fields, seed=st.integers(0, 1000), league=st.sampled_from([Knockout(third_place=True), DOUBLE]))
def test_all_but_the_winner_play_until_they_have_lost_as_often_as_it_takes(field: list[str], seed: int, league: Knockout) -> None:
    results = all_results(league, field, by_chance(seed))
    shown = [bracket for bracket in league.details(field, results).brackets if bracket.title != "Third place"]
    lost = Counter[str]()
    for tie in (tie for bracket in shown for each in bracket.rounds for tie in each.ties if tie.has_both_entrants):
        assert tie.winner is not None
        lost[tie.slots[1 - tie.winner].entrant] += 1
    losses = 2 if league.elimination == "double" else 1
    first, second, *_ = league.ranking(field, results)
    assert (len(first), len(second)) == (1, 1)
    assert all(lost[name] == losses for name in field if name != first[0])
    assert lost[first[0]] < losses


@pytest.mark.parametrize("size", range(2, 34))
def test_a_tie_depends_on_earlier_waves_alone(size: int) -> None:
    field = [f"b{number}" for number in range(size)]
    for league in (Knockout(third_place=True), DOUBLE):
        played = rounds(league, field, by_strength(field))
        waves = [sorted({int(result.fixture.id.partition("/")[0][1:]) for result in each}) for each in played]
        assert waves == sorted([wave] for wave in {wave for each in waves for wave in each})


def beaten_once(fixture: Fixture) -> Result:
    """Let b beat a once, in the grand final."""
    return by_strength("ba" if fixture.id.startswith("r2/") else "ab")(fixture)


def test_the_winner_of_the_lower_bracket_has_to_win_the_final_twice() -> None:
    assert [pairings(each) for each in rounds(DOUBLE, ["a", "b"], beaten_once)] == [["a:b"], ["a:b"], ["a:b"]]
    assert list(ties(DOUBLE, ["a", "b"], all_results(DOUBLE, ["a", "b"], beaten_once))) == ["Final", "Grand final", "Decider"]


def test_no_decider_is_played_or_shown_if_the_winner_of_the_upper_bracket_wins() -> None:
    results = all_results(DOUBLE, ["a", "b"], by_strength("ab"))
    assert list(ties(DOUBLE, ["a", "b"], results)) == ["Final", "Grand final"]
    assert DOUBLE.ranking(["a", "b"], results) == [["a"], ["b"]]


def with_games(fixture: Fixture) -> Result:
    """Return a level tie in which b wins more games."""
    return replace(level(fixture), games=(3, 0) if fixture.seats[0] == "b" else (3, 2))


def with_points(fixture: Fixture) -> Result:
    """Return a level tie in which b scores more points."""
    return replace(level(fixture), points=(200, 50) if fixture.seats[0] == "b" else (100, 50))


@pytest.mark.parametrize(
    ("play", "winner", "note"),
    [(with_games, "b", "by games, 5–3"), (with_points, "b", "by points, 250–150"), (level, "a", "by seed")],
)
def test_a_level_tie_is_decided_by_games_then_points_then_seed(play: Callable[[Fixture], Result], winner: str, note: str) -> None:
    league = Knockout(replays=0)
    results = all_results(league, ["a", "b"], play)
    assert (league.ranking(["a", "b"], results)[0], len(results)) == ([winner], 2)
    assert [tie.note for tie in ties(league, ["a", "b"], results)["Final"]] == [note]


def test_a_level_tie_is_replayed_on_new_deals_until_it_is_decided() -> None:
    def play(fixture: Fixture) -> Result:
        return won(fixture, fixture.seats.index("b")) if "/1/" in fixture.id else level(fixture)

    league = Knockout(replays=5)
    results = all_results(league, ["a", "b"], play)
    assert [result.fixture.deals for result in results] == ["r1/a:b/0", "r1/a:b/0", "r1/a:b/1", "r1/a:b/1"]
    assert league.ranking(["a", "b"], results) == [["b"], ["a"]]


def test_after_the_last_replay_the_tie_is_decided_by_games_of_all_pairs() -> None:
    results = all_results(Knockout(replays=2), ["a", "b"], with_games)
    assert len(results) == 2 * 3
    assert ties(Knockout(replays=2), ["a", "b"], results)["Final"][0].note == "by games, 15–9"


def test_a_second_replay_waits_for_all_first_replays() -> None:
    played = rounds(Knockout(replays=2), list("abcd"), level)
    assert [{result.fixture.deals.rpartition("/")[2] for result in each} for each in played[:3]] == [{"0"}, {"1"}, {"2"}]
    assert [len(each) for each in played] == [4, 4, 4, 2, 2, 2]


def test_ties_that_are_not_decided_show_who_is_known() -> None:
    field = list("abcde")
    results = rounds(DOUBLE, field, by_strength("abcde"))[0]
    shown = ties(DOUBLE, field, results)
    assert [tuple(slot.entrant for slot in tie.slots) for tie in shown["Semi-finals"]] == [("a", "d"), ("b", "c")]
    assert [tuple(slot.seed for slot in tie.slots) for tie in shown["Semi-finals"]] == [(1, 4), (2, 3)]
    assert [slot.label for slot in shown["Round 4"][0].slots] == ["", "loser, final"]
    assert shown["Grand final"][0].winner is None


@pytest.mark.parametrize(
    ("form", "size", "line"),
    [
        (Knockout(pairs=1), 3, "single elimination of 3, 1 bye for the best seeds; each tie is 1 pair of matches"),
        (Knockout(pairs=2), 5, "single elimination of 5, 3 byes for the best seeds; each tie is 2 pairs of matches"),
        (Knockout(pairs=1), 6, "single elimination of 6, 2 byes for the best seeds; each tie is 1 pair of matches"),
        (Knockout(pairs=2, replays=1), 4, "single elimination of 4; each tie is 2 pairs of matches"),
        (Knockout(replays=0, elimination="double"), 8, "double elimination of 8; each tie is 1 pair of matches"),
    ],
)
def test_what_is_played_is_counted_in_words(form: Knockout, size: int, line: str) -> None:
    first, level_tie, _ = form.explain(size)
    assert first == line
    again = {0: "", 1: "replayed at most 1 time, then ", 2: "replayed at most 2 times, then "}[form.replays]
    assert level_tie == f"a level tie is {again}decided by games, then points, then the better seed"


def test_the_winner_of_the_grand_final_is_the_first_side_of_the_decider() -> None:
    shown = ties(DOUBLE, ["a", "b"], all_results(DOUBLE, ["a", "b"], beaten_once))
    (final,), (decider,) = shown["Grand final"], shown["Decider"]
    assert final.winner == 1
    assert [slot.entrant for slot in decider.slots] == ["b", "a"]
    assert decider.slots[decider.winner or 0].entrant == "a"


def test_an_entrant_with_one_loss_is_still_in_double_elimination() -> None:
    field = list("abcdefgh")
    results = all_results(DOUBLE, field, by_strength(field))
    stages = [DOUBLE.details(field, results[:played]).stage for played in (8, 16, 28)]
    assert stages == ["semi-finals, all 8 are still in", "round 2, 6 of 8 are still in", ""]
    assert list(DOUBLE.explain(8))[-1].endswith("two unlucky ties can put the best out")


@pytest.mark.parametrize(("order", "result"), [("ab", "the final against b, 2–0"), ("ba", "the final against a, 2–0")])
def test_the_result_of_the_last_tie_has_its_winner_first(order: str, result: str) -> None:
    results = all_results(Knockout(), ["a", "b"], by_strength(order))
    assert Knockout().details(["a", "b"], results).decided == f"{result} in matches"


def test_the_first_place_is_not_decided_while_a_semi_final_is_open() -> None:
    first, _ = rounds(Knockout(), list("abcd"), by_strength("abcd"))
    assert Knockout().details(list("abcd"), [result for result in first if "b" in result.fixture.seats]).decided == ""
