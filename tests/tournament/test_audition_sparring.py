"""The opponent in auditions."""

import pytest
from support.hands.builders import RULESETS
from support.matches.in_process import match, seated
from support.sizes import mostly_nightly

from arena.gin.match import Phase
from arena.gin.rules import Rules
from arena.players.base import ObservedPlayer
from arena.tournament import sparring


@pytest.mark.parametrize("rules", mostly_nightly(RULESETS.values(), RULESETS["tournament"], RULESETS["oklahoma"]), ids=RULESETS)
def test_it_plays_legally_under_every_ruleset(rules: Rules) -> None:
    assert match(sparring.partner("a"), sparring.partner("b"), rules=rules, hands=60).faults == ()


@pytest.mark.process
def test_its_hands_end_in_every_way() -> None:
    played = match(sparring.partner("a"), sparring.partner("b"), rules=Rules(), hands=150)
    assert {hand.ending.value for hand in played.hands} >= {"knock", "gin", "undercut", "dead"}


def test_two_patient_partners_reach_the_last_take_and_the_last_knock() -> None:
    watched = ObservedPlayer(seated(sparring.patient_partner("a")))
    played = match(watched, sparring.patient_partner("b"), rules=RULESETS["fiftieth-card"], hands=12)
    assert played.faults == ()
    assert watched.phases[Phase.LAST_TAKE] >= 3
    assert watched.phases[Phase.LAST_KNOCK] >= 1


def test_the_same_hands_are_played_again() -> None:
    once, again = match(sparring.partner("a"), hands=9), match(sparring.partner("a"), hands=9)
    assert once.hands == again.hands
