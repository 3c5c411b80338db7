"""What holds for every format that is played in rounds: swiss, knockout, divisions and stages."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json
from support import refusals
from support.matches.outcomes import all_results, by_chance, rounds
from support.sizes import size

from arena.errors import SpecError
from arena.plugins import manager
from arena.stats.format_details import Details
from arena.tournament import spec
from arena.tournament.completeness import compare
from arena.tournament.formats.base import Format, details, places
from arena.tournament.formats.divisions import Divisions
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.round_robin import Batches, RoundRobin
from arena.tournament.formats.stages import SpecStage, Stages
from arena.tournament.formats.swiss import Swiss

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
    return spec.spec_from_values({"bots": [{"bot": name} for name in field], "format": league}, KINDS)


@pytest.mark.process
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


@settings(max_examples=size(15, 300))
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
    played = len(all_results(league, field, by_chance(seed)))
    assert 0 < league.least(len(field)) <= played
    assert not league.is_fixed or league.least(len(field)) == played


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


UNFIT = {  # with the number of entrants
    "swiss": (Swiss(rounds=8), 8),
    "divisions": (Divisions(divisions=3), 5),
    "moves": (Divisions(moves=3), 8),
    "top": (Stages(stages=(SpecStage(format=Swiss()), SpecStage(format=Knockout(), top=5))), 4),
    "later stage": (Stages(stages=(SpecStage(format=Swiss()), SpecStage(format=Swiss(rounds=4), top=4))), 8),
}
WRONG = [
    "{name: swiss, rounds: 0}",
    "{name: swiss, tie_breaks: [games, games]}",
    "{name: divisions, tie_breaks: [games, games]}",
    "{name: swiss, tie_breaks: [gmes]}",
    "{name: swiss, tie_breaks: [[games]]}",
    "{name: stages, stages: [{format: {name: swiss, tie_breaks: [pints]}}, {format: knockout}]}",
    "{name: knockout, elimination: double, third_place: yes}",
    "{name: stages, stages: [{format: swiss, top: 3}, {format: knockout}]}",
    "{name: stages, stages: [{format: swiss}, {format: knokout}]}",
    "{name: stages, stages: [{format: swiss}, {format: knockout, top: 1}]}",
    "{name: stages, stages: [swiss, knockout]}",
    "{name: stages, stages: swiss}",
]


def begin(league: Format, size: int) -> None:
    next(iter(league.fixtures([f"b{number}" for number in range(size)], [])))


def test_options_that_do_not_fit_the_field_are_refused(golden: Callable[[str, str], None]) -> None:
    golden("messages/field.txt", refusals.page(SpecError, {case: partial(begin, *of_size) for case, of_size in UNFIT.items()}))


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_option_is_reported_with_its_place(text: str) -> None:
    with pytest.raises(SpecError) as raised:
        of_format(text)
    assert (raised.value.path, raised.value.line) == ("cup.yaml", 2)


def of_format(text: str) -> spec.Spec:
    return spec.parse_spec(f"bots: [a, b, c, d]\nformat: {text}\n", KINDS, "cup.yaml")


def test_a_wrong_option_is_one_line_that_says_what_was_found_and_what_was_expected(golden: Callable[[str, str], None]) -> None:
    golden("messages/formats.txt", refusals.page(SpecError, {text: partial(of_format, text) for text in WRONG}))


def test_the_formats_of_stages_can_be_given_by_their_names_alone() -> None:
    read = spec.parse_spec(
        "bots: [a, b]\nformat: {name: stages, stages: [{format: swiss}, {format: knockout}]}\n", KINDS, "cup.yaml"
    )
    assert read.format == Stages(stages=(SpecStage(format=Swiss()), SpecStage(format=Knockout())))
