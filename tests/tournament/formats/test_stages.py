"""Stages: who advances, as which seed, and the ranking of all."""

from support.matches.outcomes import all_results, by_strength, level, rounds

from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.round_robin import Batches, RoundRobin
from arena.tournament.formats.stages import SpecStage, Stages
from arena.tournament.formats.swiss import Swiss

FIELD = list("hgfedcba")
CUP = Stages(stages=(SpecStage(format=Swiss(rounds=3)), SpecStage(format=Knockout(third_place=True), top=4)))


def test_the_best_of_a_stage_enter_the_next_as_its_seeds() -> None:
    played = rounds(CUP, FIELD, by_strength("abcdefgh"))
    four = [
        name
        for place in Swiss(rounds=3).ranking(FIELD, all_results(Swiss(rounds=3), FIELD, by_strength("abcdefgh")))
        for name in place
    ][:4]
    first = [result.fixture.seats for result in played[3] if result.fixture.id.endswith("/0")]
    assert first == [(four[0], four[3]), (four[1], four[2])]


def test_ids_and_deals_begin_with_the_number_of_the_stage() -> None:
    results = all_results(CUP, FIELD, by_strength("abcdefgh"))
    assert {result.fixture.id[:3] for result in results} == {"s1/", "s2/"}
    assert all(result.fixture.id.startswith(result.fixture.deals) for result in results)


def test_those_who_did_not_advance_rank_behind_in_the_order_of_their_stage() -> None:
    ranked = CUP.ranking(FIELD, all_results(CUP, FIELD, by_strength("abcdefgh")))
    swiss = Swiss(rounds=3).ranking(FIELD, all_results(Swiss(rounds=3), FIELD, by_strength("abcdefgh")))
    assert ranked[0] == ["a"]
    assert [len(place) for place in ranked[:4]] == [1, 1, 1, 1]
    behind = [name for place in ranked[4:] for name in place]
    assert behind == [name for place in swiss for name in place][4:]


def test_a_stage_without_a_ranking_of_its_own_is_ranked_by_matches_won() -> None:
    league = Stages(stages=(SpecStage(format=RoundRobin()), SpecStage(format=RoundRobin(), top=2)))
    played = rounds(league, list("dcba"), by_strength("abcd"))
    assert {name for result in played[1] for name in result.fixture.seats} == {"a", "b"}
    assert league.ranking(list("dcba"), [result for each in played for result in each]) == [["a"], ["b"], ["c"], ["d"]]


def test_of_equal_entrants_the_better_seeds_advance() -> None:
    league = Stages(stages=(SpecStage(format=RoundRobin()), SpecStage(format=Knockout(), top=2)))
    played = rounds(league, list("cab"), level)
    assert {name for result in played[1] for name in result.fixture.seats} == {"c", "a"}


def test_a_stage_of_single_hands_keeps_their_number() -> None:
    league = Stages(stages=(SpecStage(format=Batches(hands=4)), SpecStage(format=Knockout(), top=2)))
    assert {fixture.hands for fixture in league.fixtures(list("abc"), [])} == {2}


def test_the_details_of_every_stage_are_shown_the_latest_first() -> None:
    shown = CUP.details(FIELD, all_results(CUP, FIELD, by_strength("abcdefgh")))
    assert [bracket.title for bracket in shown.brackets] == ["Stage 2: Knockout", "Stage 2: Third place"]
    assert [table.title for table in shown.tables] == ["Stage 1: Swiss, round 3 of 3"]


def test_the_least_number_of_fixtures_is_that_of_all_stages() -> None:
    assert CUP.least(8) == Swiss(rounds=3).least(8) + Knockout(third_place=True).least(4) == 24 + 8


def test_a_plan_explains_each_stage_with_the_number_of_its_entrants() -> None:
    first, *rest = CUP.explain(8)
    assert first == "stage 1: swiss, with all"
    assert [line for line in rest if ", with " in line] == ["stage 2: knockout, with the best 4"]
    assert [line.partition(": ")[2] for line in rest if line.startswith("stage 1")] == list(Swiss(rounds=3).explain(8))
