"""One fixture between two players: what the rules forbid, what a fault costs, who is told what."""

from collections.abc import Callable

import pytest
from builders import RULESETS, melds
from matches import SHORT, by_chance, greedy, match, once, plain

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import card, each
from arena.gin.hand import Phase
from arena.gin.melds import arrange, deadwood
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.view import Outcome, View
from arena.players.base import PlayerFault, Reply
from arena.players.inline import InlinePlayer
from arena.referee.faults import FaultCosts

Odd = Callable[[View], Action | None]


def at(phase: Phase, action: Action, when: Callable[[View], bool] = lambda _: True) -> Odd:
    return lambda view: action if view.phase is phase and when(view) else None


def discarding(odd: Odd) -> Odd:
    return lambda view: odd(view) if view.phase is Phase.DISCARD else None


def knocking(declared: Callable[[View], Knock]) -> Odd:
    return lambda view: declared(view) if "knock" in view.may else None


def best(view: View) -> int:
    return min(each(view.may_discard), key=lambda one: deadwood(view.without(one)))


def with_melds(text: str) -> Odd:
    return knocking(lambda view: Knock(best(view), melds(text)))


def not_held(view: View) -> Action:
    return Discard(next(each(~view.cards & (1 << 52) - 1)))


def just_taken(view: View) -> Action | None:
    return Discard(view.drawn) if view.drawn is not None and not view.may_discard >> view.drawn & 1 else None


def meld_twice(view: View) -> Knock:
    thrown = best(view)
    laid = arrange(view.without(thrown))
    return Knock(thrown, (*laid, *laid[:1]))


DRAWS = Rules(target=50, best_of=1, first_turn="draw")
ILLEGAL: list[tuple[str, Odd, Rules]] = [
    ("R3.4", at(Phase.UPCARD, Draw()), SHORT),
    ("R3.4", at(Phase.DRAW, Pass()), SHORT),
    ("R3.1", at(Phase.UPCARD, Discard(card("7h")), lambda view: not view.dealer), SHORT),
    ("R3.2", at(Phase.UPCARD, Discard(card("7h")), lambda view: view.dealer), SHORT),
    ("R3.3", at(Phase.FIRST_DRAW, Take()), SHORT),
    ("R4.1", at(Phase.DRAW, BigGin()), SHORT),
    ("R4.2", at(Phase.DISCARD, Draw()), SHORT),
    ("R4.2", discarding(not_held), SHORT),
    ("R4.3", discarding(just_taken), SHORT),
    ("R6.1", discarding(lambda view: None if "knock" in view.may else Knock(best(view))), SHORT),
    ("R6.2", with_melds("2c3c4c5c6c7c8c9cTcJcQcKc"), SHORT),
    ("R1.5", knocking(meld_twice), SHORT),
    ("R6.3", at(Phase.LAY_OFF, LayOff((), ((card("7h"), 9),))), SHORT),
    ("R6.3", at(Phase.LAY_OFF, Draw()), SHORT),
    ("R8.1", at(Phase.DISCARD, BigGin()), SHORT),
    ("R8.1", at(Phase.DISCARD, BigGin()), Rules(target=50, best_of=1, big_gin_bonus=None)),
    ("R4.1", at(Phase.DRAW, Discard(card("7h"))), DRAWS),
]


@pytest.mark.parametrize(
    ("clause", "odd", "rules"), ILLEGAL, ids=[f"{number}-{clause}" for number, (clause, _, _) in enumerate(ILLEGAL)]
)
def test_what_a_clause_forbids_is_a_fault_that_names_it_and_what_was_allowed(clause: str, odd: Odd, rules: Rules) -> None:
    passing: Odd = at(Phase.UPCARD, Pass())
    record = match(once(odd, once(passing, always=True)), once(passing, plain("1"), always=True), rules=rules, hands=300)
    assert len(record.faults) == 1
    fault = record.faults[0]
    assert (fault.seat, fault.kind, fault.clause) == (0, "illegal", clause)
    assert "allowed: " in fault.detail
    assert "\n" not in fault.detail
    ended = record.hands[fault.game]
    assert (ended.ending, ended.winner, ended.points) == (Ending.FAULT, 1, 50)


def test_nothing_is_laid_off_on_gin() -> None:
    def on_gin(view: View) -> Action | None:
        laid = view.knocker
        return LayOff(None, ((next(each(view.cards)), 0),)) if laid and not laid.lay_offs else None

    record = match(once(on_gin), greedy("1"), hands=300)
    assert [fault.clause for fault in record.faults] == ["R7.2"]


def faulty(hands: set[int]) -> Callable[[View], Action]:
    """Return a player that plays by greed, but answers nonsense in the hands with these numbers."""
    plays = greedy("faulty")
    return lambda view: Knock(card("7h"), ()) if view.game + view.hand in hands and view.phase is Phase.UPCARD else plays(view)


def counted(record_hands: int, costs: FaultCosts) -> tuple[int, int | None, int | None, int]:
    record = match(lambda _: BigGin(), greedy("1"), costs=costs, rules=Rules(target=120, best_of=3), hands=record_hands or None)
    return len(record.faults), record.forfeit, record.winner, len(record.hands)


@pytest.mark.parametrize(
    ("costs", "at_most", "faults", "forfeit", "hands"),
    [
        ("hand", 3, 3, 0, 3),  # the third fault loses the match
        ("hand", 1, 1, 0, 1),
        ("hand", 100, 6, None, 6),  # three hands of 50 points make a game of 120
        ("game", 100, 2, None, 2),  # each fault loses a game
        ("match", 100, 1, 0, 1),
    ],
)
def test_a_fault_costs_what_the_spec_says(costs: str, at_most: int, faults: int, forfeit: int | None, hands: int) -> None:
    price = FaultCosts(costs=costs, at_most=at_most)  # type: ignore[arg-type] # the table above holds the three words
    assert counted(0, price) == (faults, forfeit, 1, hands)


def test_in_a_batch_a_forfeit_loses_every_hand_that_is_left_and_nobody_wins_the_batch() -> None:
    record = match(lambda _: BigGin(), greedy("1"), hands=10)
    assert (len(record.faults), record.forfeit, record.winner) == (3, 0, None)
    assert len(record.hands) == 10
    assert {(hand.winner, hand.points) for hand in record.hands if hand.ending is Ending.FAULT} == {(1, 50)}
    assert record.hands[-1].actions == ""


def test_a_fault_is_worth_the_points_that_the_spec_says() -> None:
    record = match(lambda _: BigGin(), greedy("1"), costs=FaultCosts(points=7), hands=1)
    assert record.hands[0].points == 7


class Breaks(InlinePlayer):
    """Breaks at chosen questions, and counts how often it was started, closed and told."""

    def __init__(self, at_questions: set[int], *, seats_badly: int = 0) -> None:
        super().__init__(greedy("breaks"))
        self.at_questions = at_questions
        self.seats_badly = seats_badly
        self.asked = self.begun = self.closed = self.started = 0
        self.outcomes: list[Outcome] = []
        self.over: list[bool | None] = []

    def start(self) -> None:
        self.started += 1

    def begin(self, seat: int, hands: int | None) -> None:
        self.begun += 1
        if self.begun <= self.seats_badly:
            raise PlayerFault("crash", "ended with exit code 1 without an answer")

    def ask(self, view: View) -> Reply:
        self.asked += 1
        if self.asked in self.at_questions:
            spent = {"cpu": 0.25, "wall": 0.5}
            raise PlayerFault("timeout", "no answer", question=b"the turn", answer=b"half \x1b", stderr="last words", **spent)
        return super().ask(view)

    def hand_over(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        self.over.append(won)

    def close(self) -> None:
        self.closed += 1


def test_a_player_that_broke_is_started_anew_and_the_match_goes_on() -> None:
    player = Breaks({2})
    record = match(player, greedy("1"), hands=5)
    fault = record.faults[0]
    assert (fault.kind, fault.turn, fault.answer, fault.stderr) == ("timeout", "the turn", "half \\x1b", "last words")
    assert player.begun == 2
    assert player.closed == 2  # after the fault, and at the end
    assert len(record.hands) == 5
    assert [hand.ending for hand in record.hands].count(Ending.FAULT) == 1


def test_what_a_fault_cost_is_in_the_usage_but_is_no_decision() -> None:
    player = Breaks({2})
    record = match(player, greedy("1"), hands=1)
    assert (record.usage[0].decisions, record.usage[0].cpu, record.usage[0].wall) == (1, 0.25, 0.5)


def test_an_illegal_action_is_recorded_with_the_last_words_too() -> None:
    class Talks(InlinePlayer):
        def log(self) -> str:
            return "thinking of a card"

    record = match(Talks(lambda _: BigGin()), greedy("1"), hands=1)
    assert [fault.stderr for fault in record.faults] == ["thinking of a card"]


def test_who_broke_is_told_nothing_of_the_hand_that_it_lost() -> None:
    player = Breaks({2})
    match(player, greedy("1"), hands=5)
    assert len(player.outcomes) == 4
    assert player.over == [None]


def test_a_player_that_cannot_sit_down_loses_its_hands_and_in_the_end_the_match() -> None:
    player = Breaks(set(), seats_badly=99)
    record = match(player, greedy("1"), rules=Rules())
    assert [fault.kind for fault in record.faults] == ["crash"] * 3
    assert (record.forfeit, record.winner) == (0, 1)
    assert all(hand.actions == "" for hand in record.hands)


def test_after_an_illegal_action_the_player_stays_and_is_told_how_the_hand_ended() -> None:
    heard: list[Outcome] = []
    done = iter([BigGin()])
    plays = greedy("0")
    match(InlinePlayer(lambda view: next(done, None) or plays(view), heard.append), greedy("1"), hands=2)
    assert (heard[0].ending, heard[0].won, heard[0].points) == (Ending.FAULT, False, 50)


def test_both_players_are_closed_even_if_the_referee_is_stopped() -> None:
    class Stopped(Breaks):
        def ask(self, view: View) -> Reply:
            raise KeyboardInterrupt

    zero, one = Stopped(set()), Breaks(set())
    with pytest.raises(KeyboardInterrupt):
        match(zero, one)
    assert (zero.closed, one.closed) == (1, 1)


def test_an_error_of_our_own_is_not_taken_for_a_fault() -> None:
    def broken(_: View) -> Action:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        match(broken, greedy("1"))


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_every_ruleset_is_played_to_its_end(rules: Rules) -> None:
    record = match(greedy("0"), plain("1"), rules=rules)
    assert record.winner in (0, 1)
    assert record.faults == ()
    assert sum(game.winner == record.winner for game in record.games) == rules.games_to_win


def test_the_loser_is_told_so_and_the_winner_too() -> None:
    zero, one = Breaks(set()), Breaks(set())
    record = match(zero, one)
    assert (zero.over, one.over) == ([record.winner == 0], [record.winner == 1])


def test_the_same_players_and_deals_give_the_same_record() -> None:
    assert match(by_chance("x"), greedy("1")) == match(by_chance("x"), greedy("1"))


def test_what_the_hands_scored_is_what_the_last_game_says() -> None:
    record = match(greedy("0"), plain("1"), rules=Rules(target=100, best_of=1))
    scored = [sum(hand.points for hand in record.hands if hand.winner == seat) for seat in (0, 1)]
    assert record.games[-1].totals == tuple(scored)
