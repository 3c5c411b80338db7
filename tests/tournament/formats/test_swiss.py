"""Swiss tournaments: who meets whom, byes, and the ranking."""

import re
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.matches.outcomes import all_results, by_chance, by_strength, level, rounds

from arena.records import Result
from arena.stats.format_details import Encounter, Encounters
from arena.stats.score_ranking import BUCHHOLZ, POINTS
from arena.tournament.formats.swiss import Swiss

fields = st.integers(2, 14).map(lambda size: [f"b{number}" for number in range(size)])


def meetings(results: list[Result]) -> list[frozenset[str]]:
    return [frozenset(result.fixture.seats) for result in results if result.fixture.id.endswith("/0/0")]


@given(field=fields, seed=st.integers(0, 1000))
def test_nobody_meets_twice_in_the_first_half_of_the_possible_rounds(field: list[str], seed: int) -> None:
    league = Swiss(rounds=max(1, len(field) // 2))  # so many rounds are always possible without a rematch (Dirac, 1952)
    met = meetings(all_results(league, field, by_chance(seed)))
    assert len({*met}) == len(met)


@pytest.mark.process
@given(field=fields, seed=st.integers(0, 1000))
def test_in_every_round_each_entrant_plays_once_or_has_the_bye(field: list[str], seed: int) -> None:
    league = Swiss(rounds=len(field) - 1)
    byes: Counter[str] = Counter()
    for each in rounds(league, field, by_chance(seed)):
        playing = [name for met in meetings(each) for name in met]
        assert len({*playing}) == len(playing)
        byes.update({*field} - {*playing})
    assert sum(byes.values()) == len(field) % 2 * league.rounds if league.rounds else True
    assert max(byes.values(), default=0) <= 1


def test_all_meet_once_in_as_many_rounds_as_there_are_opponents_if_results_allow() -> None:
    met = meetings(all_results(Swiss(rounds=3), ["a", "b", "c", "d"], by_strength("abcd")))
    assert len({*met}) == 6


def test_the_upper_half_meets_the_lower_half_in_the_first_round() -> None:
    first = rounds(Swiss(rounds=1), list("abcdef"), by_strength("abcdef"))[0]
    assert meetings(first) == [frozenset("ad"), frozenset("be"), frozenset("cf")]


def test_winners_meet_winners_in_the_second_round() -> None:
    second = rounds(Swiss(rounds=2), list("abcdefgh"), by_strength("abcdefgh"))[1]
    assert meetings(second) == [frozenset("ac"), frozenset("bd"), frozenset("eg"), frozenset("fh")]


def test_the_last_in_the_table_has_the_bye_and_the_next_round_another() -> None:
    one, two = rounds(Swiss(rounds=2), list("abcde"), by_strength("abcde"))
    assert [{*"abcde"} - {name for met in meetings(each) for name in met} for each in (one, two)] == [{"e"}, {"d"}]


def test_a_bye_scores_as_a_win() -> None:
    table = Swiss(rounds=1).details(list("abc"), all_results(Swiss(rounds=1), list("abc"), by_strength("abc"))).tables[0]
    assert table.columns[0].cells == {"a": "1", "b": "0", "c": "1"}
    met = {"a": Encounter("b", "2–0", 1), "b": Encounter("a", "0–2", -1), "c": Encounter("", outcome=1)}
    assert table.encounters == [Encounters("round 1", met)]


def test_by_default_just_enough_rounds_are_played_for_one_to_win_all() -> None:
    assert [Swiss().least(size) // (2 * (size // 2)) for size in (2, 3, 4, 5, 8, 9)] == [1, 2, 2, 3, 3, 4]


def test_the_strongest_of_any_field_wins() -> None:
    field = [f"b{number}" for number in range(13)]
    order = Random(5).sample(field, 13)
    league = Swiss(rounds=6)
    assert league.ranking(field, all_results(league, field, by_strength(order)))[0] == [order[0]]


def test_entrants_that_nothing_separates_share_a_place() -> None:
    results = all_results(Swiss(rounds=1), list("abcd"), level)
    assert Swiss(rounds=1).ranking(list("abcd"), results) == [["a", "b", "c", "d"]]


def test_the_table_has_the_tie_breaks_of_the_spec_in_its_order() -> None:
    league = Swiss(rounds=1, tie_breaks=(POINTS, BUCHHOLZ))
    table = league.details(["a", "b"], []).tables[0]
    assert [column.name for column in table.columns] == ["score", "points", "Buchholz"]
    assert table.title == "Swiss, round 1 of 1"


@pytest.mark.parametrize("size", range(3, 13))
def test_nobody_meets_twice_in_as_many_rounds_as_are_possible_or_a_few_less(size: int) -> None:
    field, most = [f"b{number}" for number in range(size)], size - 1 + size % 2
    for number in range(max(1, most - 2), most + 1):
        for seed in range(3):
            met = meetings(all_results(Swiss(rounds=number), field, by_chance(seed)))
            assert len({*met}) == len(met)


def test_the_plan_promises_no_opponents_that_a_large_field_with_many_rounds_may_not_meet() -> None:
    said = [line for line in Swiss(rounds=25).explain(40) if line.startswith("each entrant meets")]
    assert said == ["each entrant meets at most 25 of its 39 opponents: the first and the last places are the most reliable"]
    assert "meets 20 of" in "".join(Swiss(rounds=20).explain(40))


@pytest.mark.process
@pytest.mark.parametrize("size", [250, 251])
def test_a_large_field_is_paired_without_a_rematch(size: int) -> None:
    field = [f"b{number}" for number in range(size)]
    met = meetings(all_results(Swiss(rounds=4), field, by_chance(1)))
    assert len({*met}) == len(met) == 4 * 125


@pytest.mark.parametrize(
    ("league", "size", "played"),
    [
        (Swiss(), 8, "3 rounds of 4 pairings, each 1 pair of matches; "),
        (Swiss(pairs=2), 3, "2 rounds of 1 pairing, each 2 pairs of matches, and one entrant has a bye; "),
        (Swiss(rounds=1), 9, "1 round of 4 pairings, each 1 pair of matches, and one entrant has a bye; "),
    ],
)
def test_the_plan_counts_rounds_and_pairings(league: Swiss, size: int, played: str) -> None:
    assert next(league.explain(size)) == f"{played}a round begins when the one before it is over"
    assert league.least(size) == len(all_results(league, [f"b{number}" for number in range(size)], by_chance(1)))


@pytest.mark.parametrize("size", range(3, 12))
@pytest.mark.parametrize("most", [False, True], ids=["default", "most"])
def test_the_plan_says_how_many_opponents_each_meets_also_of_an_odd_number(size: int, *, most: bool) -> None:
    league, field = Swiss(rounds=size - 1 + size % 2 if most else None), [f"b{number:02}" for number in range(size)]
    met = meetings(all_results(league, field, by_strength(field)))
    opponents = {len([1 for both in met if name in both]) for name in field}
    said = next(line for line in league.explain(size) if line.startswith("each entrant meets"))
    some, _, of_all = said.partition(" of its ")
    assert opponents == {int(number) for number in re.findall(r"\d+", some)}
    assert of_all.startswith(f"{size - 1} opponents")
    assert max(opponents) <= size - 1
