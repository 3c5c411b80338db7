"""What holds for every format that is played in rounds: swiss, knockout, divisions and stages."""

import itertools
from collections import defaultdict
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from support.matches.outcomes import all_results, by_chance, rounds

from arena.errors import SpecError
from arena.plugins import manager
from arena.stats.standings import Details
from arena.tournament import spec
from arena.tournament.formats.base import Format, details, places
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.round_robin import Batches, RoundRobin
from arena.tournament.formats.stages import Divisions, SpecStage, Stages
from arena.tournament.formats.swiss import Swiss
from arena.tournament.plan import compare

if TYPE_CHECKING:
    from arena.records import Fixture, Result

KINDS = manager.kinds(manager.load(entry_points=False))

swiss = st.builds(Swiss, rounds=st.none() | st.integers(1, 3), pairs=st.integers(1, 2))
knockout = st.builds(Knockout, third_place=st.booleans(), pairs=st.integers(1, 2), replays=st.integers(0, 2))
knockout |= st.builds(Knockout, elimination=st.just("double"), replays=st.integers(0, 2))
divisions = st.builds(Divisions, divisions=st.integers(1, 2), seasons=st.integers(1, 3))
single_stage = st.one_of(swiss, knockout, divisions, st.builds(RoundRobin), st.builds(Batches, hands=st.just(4)))
stages = st.builds(
    lambda first, second, top: Stages(stages=(SpecStage(format=first), SpecStage(format=second, top=top))),
    single_stage,
    single_stage,
    st.none() | st.integers(4, 4),
)
formats = st.one_of(swiss, knockout, divisions, stages)
fields = st.integers(4, 9).map(lambda size: [f"b{number}" for number in range(size)])
seeds = st.integers(0, 1000)


def entered(field: Sequence[str], league: Format) -> spec.Spec:
    return spec.from_values({"bots": [{"bot": name} for name in field], "format": league}, KINDS)


@given(league=formats, field=fields, seed=seeds)
def test_the_same_fixtures_are_played_after_any_interruption(league: Format, field: list[str], seed: int) -> None:
    whole, chance = all_results(league, field, by_chance(seed)), Random(seed)
    played: list[Result] = []
    while asked := list(league.fixtures(field, played)):
        played += [by_chance(seed)(fixture) for fixture in chance.sample(asked, chance.randint(1, len(asked)))]
        chance.shuffle(played)
    assert {result.fixture for result in played} == {result.fixture for result in whole}
    assert league.ranking(field, played) == league.ranking(field, whole)


@given(league=formats, field=fields, seed=seeds)
def test_each_deal_is_played_from_both_seats_and_only_by_two(league: Format, field: list[str], seed: int) -> None:
    by_deals: defaultdict[str, list[Fixture]] = defaultdict(list)
    played = all_results(league, field, by_chance(seed))
    for result in played:
        by_deals[result.fixture.deals].append(result.fixture)
    assert len({result.fixture.id for result in played}) == len(played)
    for one, other in by_deals.values():
        assert one.seats == (other.seats[1], other.seats[0])


@given(league=formats, field=fields, seed=seeds)
def test_every_entrant_has_one_place_at_any_time(league: Format, field: list[str], seed: int) -> None:
    played: list[Result] = []
    for results in [[], *rounds(league, field, by_chance(seed))]:
        for result in results:
            ranked = places(league, field, lambda: played)
            assert ranked is not None  # ``places`` raises for a wrong field
            played.append(result)
    assert sum(map(len, places(league, field, lambda: played) or [])) == len(field)


@given(league=formats, field=fields, seed=seeds, cut=st.integers(0, 200))
def test_records_are_complete_at_the_end_and_right_at_any_time(league: Format, field: list[str], seed: int, cut: int) -> None:
    whole = all_results(league, field, by_chance(seed))
    at_the_end, before = compare(entered(field, league), field, whole), compare(entered(field, league), field, whole[:cut])
    assert (at_the_end.missing, at_the_end.wrong, at_the_end.played) == (0, (), len(whole))
    assert (before.wrong, before.missing == 0) == ((), cut >= len(whole))


@given(league=formats, field=fields, seed=seeds)
def test_a_record_of_another_round_is_found(league: Format, field: list[str], seed: int) -> None:
    whole = all_results(league, field, by_chance(seed))
    first, *rest = whole
    found = compare(entered(field, league), field, rest)
    assert found.first_missing == first.fixture.id


@given(league=formats, field=fields, seed=seeds)
def test_at_least_the_least_number_of_fixtures_is_played(league: Format, field: list[str], seed: int) -> None:
    assert 0 < league.least(len(field)) <= len(all_results(league, field, by_chance(seed)))


@given(league=formats, field=fields)
def test_a_round_lists_different_deals_next_to_each_other(league: Format, field: list[str]) -> None:
    asked = [fixture.deals for fixture in league.fixtures(field, [])]
    if isinstance(league, Swiss | Knockout) and len({*asked}) > 1:
        assert all(one != other for one, other in itertools.pairwise(asked))


@given(league=formats, field=fields, seed=seeds, cut=st.integers(0, 200))
def test_details_can_be_stored_and_read_at_any_time(league: Format, field: list[str], seed: int, cut: int) -> None:
    shown = details(league, field, lambda: all_results(league, field, by_chance(seed))[:cut])
    assert shown is not None
    assert json.decode(json.encode(shown), type=Details) == shown


@given(league=formats, field=fields)
def test_a_plan_explains_what_is_played_and_what_it_tells(league: Format, field: list[str]) -> None:
    lines = list(league.explain(len(field)))
    assert len(lines) >= 2
    assert all(line == line.strip() and "\n" not in line for line in lines)


@pytest.mark.parametrize(
    ("league", "size", "message"),
    [
        (Swiss(rounds=8), 8, "format swiss: 8 rounds for 8 bots; expected at most 7, in which all can meet once"),
        (Divisions(divisions=3), 5, "format divisions: 3 divisions for 5 bots; expected at most 2, with two bots each"),
        (Divisions(moves=3), 8, "format divisions: 3 moves in a division of 4 bots; expected at most 2"),
        (
            Stages(stages=(SpecStage(format=Swiss()), SpecStage(format=Knockout(), top=5))),
            4,
            "format stages: stage 2 has top: 5 of 4 entrants; expected 2 to 4",
        ),
        (
            Stages(stages=(SpecStage(format=Swiss()), SpecStage(format=Swiss(rounds=4), top=4))),
            8,
            "format swiss: 4 rounds for 4 bots; expected at most 3, in which all can meet once",
        ),
    ],
    ids=["swiss", "divisions", "moves", "top", "later stage"],
)
def test_options_that_do_not_fit_the_field_are_refused_in_one_line(league: Format, size: int, message: str) -> None:
    with pytest.raises(SpecError, match=f"^{message}$"):
        next(iter(league.fixtures([f"b{number}" for number in range(size)], [])))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{name: swiss, rounds: 0}", "format.rounds: expected a whole number >= 1; found 0"),
        ("{name: swiss, tie_breaks: [games, games]}", "format.tie_breaks: 'games' is named 2 times; expected once"),
        ("{name: divisions, tie_breaks: [games, games]}", "format.tie_breaks: 'games' is named 2 times; expected once"),
        ("{name: swiss, tie_breaks: [gmes]}", "format.tie_breaks.0: found 'gmes'; did you mean 'games'?"),
        ("{name: swiss, tie_breaks: [[games]]}", "format.tie_breaks.0: expected a string; found a list of 1"),
        (
            "{name: stages, stages: [{format: {name: swiss, tie_breaks: [pints]}}, {format: knockout}]}",
            "format.stages.0.format.tie_breaks.0: found 'pints'; did you mean 'points'?",
        ),
        ("{name: knockout, elimination: double, third_place: yes}", "format.third_place: expected elimination: single;"),
        ("{name: stages, stages: [{format: swiss, top: 3}, {format: knockout}]}", "format.stages: the first has the key top;"),
        (
            "{name: stages, stages: [{format: swiss}, {format: knokout}]}",
            "format.stages.1.format.name: found 'knokout'; did you mean",
        ),
        (
            "{name: stages, stages: [{format: swiss}, {format: knockout, top: 1}]}",
            "format.stages.1.top: expected a whole number >= 2",
        ),
        ("{name: stages, stages: [swiss, knockout]}", "format.stages.0: expected a mapping; found 'swiss'"),
        ("{name: stages, stages: swiss}", "format.stages: expected a list; found 'swiss'"),
    ],
)
def test_a_wrong_option_is_reported_with_its_place(text: str, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        spec.parse(f"bots: [a, b, c, d]\nformat: {text}\n", KINDS, "cup.yaml")
    assert str(raised.value).startswith(f"cup.yaml:2: {message}")


def test_the_formats_of_stages_can_be_given_by_their_names_alone() -> None:
    read = spec.parse("bots: [a, b]\nformat: {name: stages, stages: [{format: swiss}, {format: knockout}]}\n", KINDS, "cup.yaml")
    assert read.format == Stages(stages=(SpecStage(format=Swiss()), SpecStage(format=Knockout())))
