"""OpenSpiel's own hands under its Oklahoma parameter: each has the points that OpenSpiel gave."""

import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.sizes import size

from arena.extras.importer.convert import CannotConvertError, ForeignHand, LeftOut, judge
from arena.extras.importer.openspiel import KNOCK, read_openspiel
from arena.gin.cards import VALUES

LOG = Path(__file__).parent / "logs" / "openspiel-oklahoma.txt"
RETURNS = [-31, 39, 42, 0, -47, -26, -43, 64]  # to player 0, as OpenSpiel's state.returns()


def hands_of(text: str) -> list[ForeignHand]:
    found = [hand for hand in read_openspiel(text.splitlines()) if not isinstance(hand, LeftOut)]
    assert found
    return found


def net(hand: ForeignHand) -> int:
    """Return the points of player 0 by the referee's engine. Raises: CannotConvertError."""
    result = judge(hand)
    return 0 if result.winner is None else result.points if result.winner == 0 else -result.points


def outcome(hand: ForeignHand) -> tuple[int, str]:
    """Return the points of player 0 and the ending; a hand that is not over by arena's rules has no points in OpenSpiel."""
    try:
        return net(hand), str(judge(hand).ending)
    except CannotConvertError as why:
        return 0, re.match(r"it is not over", str(why))[0]  # type: ignore[index]  # None: refused for another reason


@pytest.mark.rule("R6.7")
def test_recorded_hands_have_the_points_that_openspiel_gave() -> None:
    hands = hands_of(LOG.read_text(encoding="utf-8"))
    assert [net(hand) for hand in hands] == RETURNS
    assert {judge(hand).ending for hand in hands} == {"knock", "gin", "undercut", "dead"}
    assert {hand.rules.knock_limit for hand in hands} == {"upcard"}
    assert 1 in [VALUES[hand.upcard] for hand in hands]


def played(pyspiel: Any, game: Any, chance: Random) -> Any:
    """Return the end of a hand, mostly by OpenSpiel's simple bot; melds and lay-offs are at random."""
    state, careless, knocked = game.new_initial_state(), chance.random() * 0.3, False
    while not state.is_terminal():
        legal = state.legal_actions() if not state.is_chance_node() else [action for action, _ in state.chance_outcomes()]
        action = chance.choice(legal)
        if not (state.is_chance_node() or knocked or chance.random() < careless):
            simple = pyspiel.make_simple_gin_rummy_bot(game.get_parameters(), state.current_player())
            advised = KNOCK if KNOCK in legal else simple.step(state)
            action = advised if advised in legal else action
        knocked = knocked or action == KNOCK
        state.apply_action(action)
    return state


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "options",
    [{}, {"gin_bonus": 20, "undercut_bonus": 10}, {"knock_card": 5}],
    ids=["plain", "bonuses", "unused limit"],
)
def test_every_hand_of_openspiel_has_the_points_that_it_gave(options: dict[str, int]) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed here: pip install 'ginrummy-arena[openspiel]'")
    game, chance, seen = pyspiel.load_game("gin_rummy", {"oklahoma": True, **options}), Random("oklahoma"), Counter[str]()
    for _ in range(size(200, 2000)):
        state = played(pyspiel, game, chance)
        (hand,) = hands_of(pyspiel.serialize_game_and_state(game, state))
        points, ending = outcome(hand)
        seen[ending] += 1
        assert state.returns() == [points, -points]
    assert {"knock", "gin", "dead", "it is not over"} <= seen.keys()
