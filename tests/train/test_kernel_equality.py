"""The kernel is equal to the engine: masks, what a seat sees, endings, points, deadwoods and refusals under every ruleset."""

import pytest
from support.hands.sampled import corners, pairs
from support.hands.sampled import hands as sampled
from support.kernel.games import PLAYERS, VARIANTS, Players, differences, kept
from support.kernel.source import interpreted
from support.sizes import mostly_nightly

from arena.gin.melds import arrange, best_throws, deadwood, is_run, is_set, openings, union
from arena.plugins import builtin

melds = interpreted("melds")


def test_every_ruleset_is_compared() -> None:
    assert {ruleset() for ruleset in builtin.arena_rulesets()} <= {*VARIANTS.values()}


@pytest.mark.parametrize("players", PLAYERS, ids=lambda players: players.name)
@pytest.mark.parametrize("name", mostly_nightly(VARIANTS, *list(VARIANTS)[::2]))
def test_whole_hands_are_equal(name: str, players: Players) -> None:
    seen = differences(VARIANTS[name], players, 4, seed=len(name))
    assert seen["decisions"] >= 4


def test_the_deadwood_and_the_best_throws_are_equal() -> None:
    for held in sampled(11, 1500):
        assert melds.deadwood(held) == deadwood(held)
        assert melds.best_throws(held, held) == best_throws(held, held)[1]


def test_the_melds_that_a_caller_lays_are_equal() -> None:
    for held in sampled(10, 800):
        melds.choose(held)
        laid = arrange(held)
        assert melds.CHOICE[1:] == [union(tuple(filter(is_run, laid))), openings(tuple(filter(is_set, laid)))]


def test_what_a_defender_keeps_after_its_lay_offs_is_equal() -> None:
    for caller, defender in (*pairs(250), *corners(100)):
        assert melds.after_lay_offs(caller, defender) == kept(caller, defender)
