"""A match that was stopped after any action continues as if it had not been."""

import pytest
from msgspec import json
from support.matches.in_process import SEED, SHORT, fixture, greedy, once, seated

from arena.errors import DamagedError
from arena.gin.actions import Action, Draw
from arena.gin.rules import Rules
from arena.gin.view import View
from arena.limits import FaultCosts
from arena.players.base import InlinePlayer
from arena.records import NOT_BEGUN, HandAction, MatchRecord, MatchSoFar
from arena.referee.job import contest
from arena.referee.referee import Referee

RULES = {"one game": SHORT, "three games": Rules(target=30, best_of=3)}
COSTS = {"hand": FaultCosts(), "game": FaultCosts(costs="game")}


def forgetful(view: View) -> Action:
    """Answer by greed, whatever was asked before."""
    return greedy()(view)


def continued(so_far: MatchSoFar, kept: list[MatchSoFar], rules: Rules, costs: FaultCosts, *, erring: bool = False) -> MatchRecord:
    """Play a match on, with one illegal action in its first hand where it is ``erring``, and note what is kept."""
    zero = once(lambda view: Draw() if "draw" not in view.may else None, forgetful) if erring else forgetful
    players = (seated(zero), seated(forgetful))
    played = fixture()
    return Referee(played, rules, contest(played, rules, SEED), players, costs, so_far=so_far, keep=kept.append).play()


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("costs", COSTS.values(), ids=COSTS)
@pytest.mark.parametrize("erring", [False, True])
def test_a_match_ends_in_the_same_way_wherever_it_was_stopped(rules: Rules, costs: FaultCosts, erring: bool) -> None:  # noqa: FBT001 - a table's row
    kept: list[MatchSoFar] = []
    whole = continued(NOT_BEGUN, kept, rules, costs, erring=erring)
    assert len(kept) >= sum(len(hand.actions.split()) for hand in whole.hands)
    assert bool(whole.faults) is erring
    later = [one for one in kept if one.faults or not erring]  # an earlier one would err again
    for one in later[:: max(1, len(later) // 40)] + later[-1:]:
        stored = json.decode(json.encode(one), type=MatchSoFar)
        assert continued(stored, [], rules, costs) == whole  # also as often asked


def test_of_a_match_that_was_stopped_after_its_last_hand_the_players_learn_the_end() -> None:
    kept: list[MatchSoFar] = []
    whole = continued(NOT_BEGUN, kept, SHORT, FaultCosts())
    ends = []

    class Listening(InlinePlayer):
        def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
            ends.append((won, games))

    players = (Listening(greedy()), Listening(greedy()))
    record = Referee(fixture(), SHORT, contest(fixture(), SHORT, SEED), players, FaultCosts(), so_far=kept[-1]).play()
    assert record.hands == whole.hands
    assert sorted(ends, key=str) == [(False, (0, 1)), (True, (1, 0))]


@pytest.mark.parametrize(("word", "why"), [("nonsense", "'nonsense' is not an action"), ("draw", "R3.4")])
def test_actions_that_nobody_can_have_played_are_named(word: str, why: str) -> None:
    so_far = MatchSoFar(actions=(HandAction("pass"), HandAction(word)))
    with pytest.raises(DamagedError, match=rf"^a-b/0/0: action 2 of the hand in progress: .*{why}"):
        continued(so_far, [], SHORT, FaultCosts())
