"""Search against an opponent that plays by a known policy, and the bot that uses it."""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from support.bots.self_play import self_play
from support.bots.simple_player import SimplePlayer, simple_action
from support.hands.builders import RULESETS, cards
from support.sizes import size

from arena.gin.actions import Action, Discard, Knock
from arena.gin.cards import each
from arena.gin.match import Phase
from arena.gin.melds import deadwood
from arena.gin.rules import Rules
from arena.gin.view import View
from arena.review.hand_walks import HandStep
from arena.sdk import Bot
from arena.sdk.positions import position
from arena.train import search
from arena.train.engine import number_of
from arena.train.native import NEVER
from arena.train.search import PossibleHands, SeenDecision, believe, worth
from arena_bots import searcher
from arena_bots.common.lookahead import Lookahead
from arena_bots.greedy import Greedy
from arena_bots.guests.events import Event, HandEvents
from arena_bots.professor import Professor
from arena_bots.searcher import Searcher, decisions


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("INITIAL", 400), ("KEPT", 40), ("STEPS", 2), ("WORLDS", 10)):
        monkeypatch.setattr(search, name, number)
    monkeypatch.setattr(searcher, "Lookahead", lambda: Lookahead(worlds=4))


class Seer(Greedy):  # type: ignore[misc] # arena_bots has no types under this name
    """Greedy that remembers what it saw, and what its opponent had decided by then."""

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self.events = HandEvents()
        self.seen: list[tuple[View, list[SeenDecision]]] = []

    def answer(self, view: View) -> Action:
        self.events.see(view)
        assert view.phase is Phase.LAY_OFF or self.events.is_complete(view)
        if view.phase is not Phase.LAY_OFF:
            self.seen.append((view, decisions(self.events)))
        action: Action = super().answer(view)
        self.events.did(view, action)
        return action


def views(opponent: Bot, hands: int) -> list[tuple[View, list[SeenDecision]]]:
    seer = Seer("a")
    for _ in self_play((seer, opponent), hands, "search"):
        pass
    return seer.seen


@pytest.mark.process
def test_possible_hands_agree_with_all_that_was_seen_and_explain_the_last_discard() -> None:
    dead = 0
    seen = views(SimplePlayer(), size(2, 6) if search.compiled else 1)
    for view, made in seen:
        possible = believe(view, made, 1)
        dead += possible.likelihood == NEVER
        for held in possible.hands.tolist():
            assert held.bit_count() == 10
            assert held & view.opponent_holds == view.opponent_holds
            assert not held & ~(view.opponent_holds | view.unseen)
            if made and made[-1].thrown is not None and not made[-1].took and view.phase is Phase.DRAW:
                assert simple_throw(view, held, made[-1].thrown) == made[-1].thrown
    assert dead < len(seen) / 10
    assert any(one.took for _, made in seen for one in made)


def simple_throw(view: View, held: int, thrown: int) -> int:
    """Return what the policy does with ten cards and the one that it threw, which is taken from the pile again."""
    before = replace(view, phase=Phase.DISCARD, pile=view.pile[:-1], may=("discard", "knock"))
    return simple_action(before, held | 1 << thrown)


@pytest.mark.usefixtures("few")
def test_what_no_hand_explains_has_no_possible_hands() -> None:
    view, _ = views(SimplePlayer(), 1)[0]
    king, ace = (next(each(view.unseen & cards(text))) for text in ("KcKdKhKs", "AcAdAhAs"))
    explained = SeenDecision(offered=None, took=False, thrown=king)
    thrown = replace(view, pile=(*view.pile, king), threw=(0, 1 << king), took=(0, 0))
    assert len(believe(thrown, [explained], 1).hands) == search.WORLDS
    # a card that was taken may not be thrown in the same turn (R4.3)
    unexplained = SeenDecision(offered=king, took=True, thrown=king)
    assert believe(replace(view, took=(0, 1 << king)), [unexplained], 1).likelihood == NEVER
    assert len(believe(view, [SeenDecision(None, took=False, thrown=ace)] * 33, 1).hands) == 0


@pytest.mark.usefixtures("few")
def test_gin_is_worth_its_bonus_and_the_deadwood_of_each_possible_hand() -> None:
    """R7.1."""
    view, _ = views(SimplePlayer(), 1)[0]
    mine = cards("2c3c4c 7d8d9d ThJhQhKh As")
    view = replace(
        view, cards=mine, may_discard=mine, pile=(next(each(cards("5s"))),), drawn=None, took=(0, 0), threw=(0, 0),
        phase=Phase.DISCARD, may=("discard", "knock"), stock=30,
    )  # fmt: skip
    possible = believe(view, [], 1)
    gin = number_of(Knock(next(each(cards("As")))))
    assert worth(view, possible, [gin], 1)[:, 0].tolist() == [25 + deadwood(held) for held in possible.hands.tolist()]


@pytest.mark.usefixtures("few")
def test_without_the_compiled_kernel_searcher_is_professor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "compiled", False)
    one, other = (list(self_play((bot, SimplePlayer()), 2, "professor")) for bot in (Searcher("a"), Professor("a")))
    assert [[step.action for step in hand] for hand in one] == [[step.action for step in hand] for hand in other]


@pytest.mark.process
@pytest.mark.usefixtures("few")
def test_searcher_searches_once_it_has_seen_that_the_policy_explains_its_opponent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "compiled", True)
    for name, number in (("INITIAL", 1600), ("KEPT", 200), ("STEPS", 4)):  # fewer do not explain most hands
        monkeypatch.setattr(search, name, number)
    asked: list[int] = []

    def note(view: View, *given: Any) -> Any:
        asked.append(view.game)
        return worth(view, *given)

    monkeypatch.setattr(search, "worth", note)
    bot = Searcher("a")
    for _ in self_play((bot, SimplePlayer()), 4, "trust"):
        pass
    assert len({*asked}) > 1
    # another opponent does what the policy never does
    bot, asked[:] = Searcher("b"), []
    monkeypatch.setattr(search, "believe", lambda *_: PossibleHands(np.zeros(0, np.uint64), NEVER))
    for _ in self_play((bot, Greedy("b")), 5, "distrust"):
        pass
    assert asked == []


def test_the_decisions_of_an_opponent_are_read_from_its_events() -> None:
    """R3.1, R3.3."""
    events = HandEvents()
    events.upcard = 5
    events.seen = [
        Event(0, "pass"), Event(1, "pass"), Event(0, "draw", 9), Event(0, "throw", 9), Event(1, "take", 9), Event(1, "throw", 7),
        Event(0, "draw", 3), Event(0, "throw", 3), Event(1, "draw"), Event(1, "throw", 2),
    ]  # fmt: skip
    assert decisions(events) == [
        SeenDecision(5, took=False, thrown=None),
        SeenDecision(9, took=True, thrown=7),
        SeenDecision(3, took=False, thrown=2),
    ]
    events.seen = [Event(1, "pass"), Event(0, "pass"), Event(1, "draw"), Event(1, "throw", 2)]
    assert decisions(events) == [SeenDecision(5, took=False, thrown=None), SeenDecision(None, took=False, thrown=2)]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    "rules",
    [pytest.param(rules, id=name, marks=() if name == "oklahoma" else pytest.mark.nightly) for name, rules in RULESETS.items()],
)
def test_searcher_plays_on_by_any_rules_where_it_trusts_and_was_started_in_the_middle_of_a_hand(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "compiled", True)
    monkeypatch.setattr(searcher, "TRUSTED", -1e9)
    for played in self_play((SimplePlayer(), Greedy("b")), size(1, 3), "joined", rules):
        for first in range(0, len(played), 5):
            for seat in (0, 1):
                bot = Searcher("a")
                for step in played[first:]:
                    if step.seat == seat:
                        assert_legal(step, bot.answer(step.view))


def assert_legal(step: HandStep, action: Action) -> None:
    """Check by playing it."""
    step.hand.play(action)


def test_a_bot_that_missed_a_part_of_a_hand_knows_it() -> None:
    class Watcher(Seer):
        def answer(self, view: View) -> Action:
            action = super().answer(view)
            joined = HandEvents()
            joined.see(view)
            assert not (view.threw[0] and joined.is_complete(view))
            return action

    for _ in self_play((Watcher("a"), SimplePlayer()), 3, "watched"):
        pass


def test_a_bot_that_is_first_asked_after_the_only_upcard_was_taken_answers() -> None:
    view = position("2c3c4c7d8d9dThJhQhKh5s", phase="discard", took=("5s", ""))
    assert isinstance(Searcher("a").answer(view), Knock | Discard)
