"""Players of OpenSpiel as bots of arena."""

from typing import Any

import pytest
from support.bots.simple_player import simple_action
from support.hands.builders import RULESETS
from support.matches.in_process import match

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed here: pip install 'ginrummy-arena[openspiel]'")

from arena.gin.cards import NAMES, Cards  # noqa: E402
from arena.gin.melds import deadwood  # noqa: E402
from arena.gin.rules import Rules  # noqa: E402
from arena.gin.view import View  # noqa: E402
from arena.sdk import Action, Take  # noqa: E402
from arena.train.engine import number_of  # noqa: E402
from arena_bots.guests.openspiel import OpenSpielBot, Simple, Uniform, card_of, number  # noqa: E402 - only where pyspiel is

PLAIN = Rules(big_gin_bonus=None)  # OpenSpiel has no big gin
ASKED = ("upcard", "draw", "discard")


class Followed(Simple):  # type: ignore[misc] # arena_bots has no types under this name
    """Records the states that OpenSpiel received, and its actions."""

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self.turns: list[tuple[View, Action]] = []
        self.shown: list[tuple[Cards, str]] = []  # my cards, and the state as OpenSpiel prints it

    def make(self, game: Any, player: int) -> Any:
        simple, followed = super().make(game, player), self

        class Shown:
            def step(self, state: Any) -> int:
                if len(followed.shown) < len(followed.turns) + 1:
                    followed.shown.append((followed.held, str(state)))
                return int(simple.step(state))

        return Shown()

    def answer(self, view: View) -> Action:
        self.held = view.cards
        action: Action = super().answer(view)
        if view.phase in ASKED:
            self.turns.append((view, action))
        return action


def test_card_numbers_convert_both_ways() -> None:
    state = pyspiel.load_game("gin_rummy").new_initial_state()
    names = {action: state.action_to_string(state.current_player(), action) for action in state.legal_actions()}
    for card in range(52):
        assert names[number(card)].endswith(NAMES[card])
        assert card_of(number(card)) == card


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
@pytest.mark.parametrize("made", [Simple, Uniform])
def test_it_plays_legal_hands_under_every_ruleset(made: type[OpenSpielBot], rules: Rules) -> None:
    record = match(made("seed").answer, made("other").answer, rules=rules, hands=12)
    assert record.faults == ()


def test_openspiel_decides_every_turn_that_its_game_contains() -> None:
    followed = Followed("seed")
    match(followed.answer, hands=40, rules=PLAIN)
    assert len(followed.shown) == len(followed.turns) > 300


def test_openspiel_receives_the_true_cards_pile_and_stock() -> None:
    followed = Followed("seed")
    match(followed.answer, hands=40, rules=PLAIN)
    for (held, state), (view, _) in zip(followed.shown, followed.turns, strict=True):
        player = int(view.dealer)
        if view.phase != "discard":
            assert f"Player{player}: Deadwood={deadwood(held)}\n" in state
            assert f"Upcard: {NAMES[view.upcard]}" in state
        assert f"Stock size: {view.stock} " in state


def test_the_simple_bot_takes_cards_that_lower_its_deadwood_and_wins_about_half_against_greedy() -> None:
    followed = Followed("seed")
    record = match(followed.answer, hands=100, rules=PLAIN)
    takes = [view for view, action in followed.turns if action == Take()]
    assert takes
    assert 30 < sum(hand.winner == 0 for hand in record.hands) < 70


def test_the_kernels_copy_of_the_simple_bot_decides_as_it_does() -> None:
    followed = Followed("seed")
    match(followed.answer, hands=60, rules=PLAIN)
    several = [(simple_action(view), number_of(action)) for view, action in followed.turns]
    assert [kernel for kernel, _ in several] == [bot for _, bot in several]
    assert len({kernel for kernel, _ in several}) > 50
