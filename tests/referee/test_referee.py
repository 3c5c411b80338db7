"""The referee: illegal actions, the penalties for faults, restarts of players, and the messages to each player."""

from collections.abc import Callable

import pytest
from support.hands.builders import RULESETS, melds
from support.matches.in_process import SEED, SHORT, by_chance, fixture, greedy, match, once, plain

from arena.errors import WorkerLostError
from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import card, each
from arena.gin.match import Phase
from arena.gin.melds import arrange, deadwood
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.view import Outcome, View
from arena.limits import FaultCosts
from arena.players.base import InlinePlayer, PlayerFaultError, Reply
from arena.referee.job import contest
from arena.referee.referee import Referee

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
def test_an_illegal_action_is_a_fault_that_names_the_clause_and_the_legal_actions(clause: str, odd: Odd, rules: Rules) -> None:
    passing: Odd = at(Phase.UPCARD, Pass())
    record = match(once(odd, once(passing, always=True)), once(passing, plain("1"), always=True), rules=rules, hands=60)
    assert len(record.faults) == 1
    fault = record.faults[0]
    assert (fault.seat, fault.kind, fault.clause) == (0, "illegal", clause)
    assert "allowed: " in fault.detail
    assert "\n" not in fault.detail
    ended = record.hands[fault.game]
    assert (ended.ending, ended.winner, ended.points) == (Ending.FAULT, 1, 50)


def test_a_lay_off_on_gin_is_illegal() -> None:
    def on_gin(view: View) -> Action | None:
        laid = view.knocker
        return LayOff(None, ((next(each(view.cards)), 0),)) if laid and not laid.lay_offs else None

    record = match(once(on_gin), greedy("1"), hands=300)
    assert [fault.clause for fault in record.faults] == ["R7.2"]


def faulty(hands: set[int]) -> Callable[[View], Action]:
    """Return a greedy player that answers illegally in the hands with these numbers."""
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
    price = FaultCosts(costs=costs, at_most=at_most)  # type: ignore[arg-type] # the table above has only valid values
    assert counted(0, price) == (faults, forfeit, 1, hands)


def test_in_a_batch_a_forfeit_loses_every_remaining_hand_and_nobody_wins_the_batch() -> None:
    record = match(lambda _: BigGin(), greedy("1"), hands=10)
    assert (len(record.faults), record.forfeit, record.winner) == (3, 0, None)
    assert len(record.hands) == 10
    assert {(hand.winner, hand.points) for hand in record.hands if hand.ending is Ending.FAULT} == {(1, 50)}
    assert record.hands[-1].actions == ""


def test_a_fault_gives_the_opponent_the_points_of_the_spec_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    record = match(lambda _: BigGin(), greedy("1"), costs=FaultCosts(points=7), hands=1)
    assert record.hands[0].points == 7
    (message,) = caplog.messages
    assert message.startswith(f"{record.fixture.id} game 0 hand 0: seat 0: illegal: ")


class Failing(InlinePlayer):
    """Fails at chosen questions, and counts the calls to it."""

    def __init__(self, at_questions: set[int], *, failing_begins: int = 0) -> None:
        super().__init__(greedy("failing"))
        self.at_questions = at_questions
        self.failing_begins = failing_begins
        self.asked = self.begun = self.closed = self.started = 0
        self.outcomes: list[Outcome] = []
        self.over: list[bool | None] = []

    def start(self) -> None:
        self.started += 1

    def begin(self, seat: int, hands: int | None) -> None:
        self.begun += 1
        if self.begun <= self.failing_begins:
            raise PlayerFaultError("crash", "ended with exit code 1 without an answer")

    def ask(self, view: View) -> Reply:
        self.asked += 1
        if self.asked in self.at_questions:
            spent = {"cpu": 0.25, "wall": 0.5}
            raise PlayerFaultError(
                "timeout", "no answer", question=b"the turn", answer=b"half \x1b", stderr="about to fail", **spent
            )
        return super().ask(view)

    def hand_over(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        self.over.append(won)

    def close(self) -> None:
        self.closed += 1


LOST = "was killed from outside"


class Lost(Failing):
    """Loses its process at chosen questions, by nobody's provable fault."""

    def ask(self, view: View) -> Reply:
        self.asked += 1
        if self.asked in self.at_questions:
            raise PlayerFaultError("lost", LOST, question=b"the turn", cpu=0.25)
        return InlinePlayer.ask(self, view)


class NotLaunched(Failing):
    """The machine cannot start its process the first times."""

    def begin(self, seat: int, hands: int | None) -> None:
        self.begun += 1
        if self.begun <= self.failing_begins:
            raise WorkerLostError("the sandbox's launcher failed")


class Hog(Failing):
    """Uses the processor while its opponent has to answer."""

    def overspent(self) -> PlayerFaultError:
        detail = "used 9.000 s of processor time while its opponent had to answer"
        return PlayerFaultError("timeout", detail, question=b"the last one", cpu=9.0)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_that_uses_the_processor_during_its_opponents_turn_commits_the_fault(seat: int) -> None:
    starved, hog = Lost({2}), Hog(set())
    record = match(*((starved, hog) if seat == 0 else (hog, starved)), hands=5)
    assert [(fault.seat, fault.kind, fault.turn) for fault in record.faults] == [(1 - seat, "timeout", "")]
    assert (starved.begun, hog.begun) == (2, 2), "both are restarted"
    assert (starved.closed, hog.closed) == (2, 2), "after the fault, and at the end"
    assert len(record.hands) == 5


def test_the_first_lost_processes_of_a_seat_cost_nothing_and_each_further_one_its_hand() -> None:
    undisturbed, player = match(Failing(set()), greedy("1"), hands=5), Lost({2, 4, 6})
    record = match(player, greedy("1"), hands=5)
    assert [(fault.seat, fault.kind, fault.detail, fault.turn) for fault in record.excused] == [(0, "lost", LOST, "the turn")] * 2
    assert [fault.kind for fault in record.faults] == ["lost"]
    assert [hand.ending for hand in record.hands].count(Ending.FAULT) == 1
    assert [hand for hand in record.hands if hand.ending is not Ending.FAULT] == [
        hand for hand, other in zip(undisturbed.hands, record.hands, strict=True) if other.ending is not Ending.FAULT
    ]
    assert player.begun == 4
    assert record.usage[0].cpu == 0.75


def test_a_player_that_the_machine_cannot_launch_is_launched_again_and_then_the_fixture_is_void() -> None:
    record = match(NotLaunched(set(), failing_begins=2), greedy("1"), hands=2)
    assert (len(record.hands), record.faults, record.excused) == (2, (), ())
    with pytest.raises(WorkerLostError, match="launcher failed"):
        match(NotLaunched(set(), failing_begins=3), greedy("1"), hands=2)


def test_an_opponent_that_takes_the_processor_from_a_launch_commits_the_fault() -> None:
    record = match(NotLaunched(set(), failing_begins=3), Hog(set()), hands=5)
    assert [(fault.seat, fault.kind) for fault in record.faults] == [(1, "timeout")] * 3


def test_a_player_that_fails_is_restarted_and_the_match_continues() -> None:
    player = Failing({2})
    record = match(player, greedy("1"), hands=5)
    fault = record.faults[0]
    assert (fault.kind, fault.turn, fault.answer, fault.stderr) == ("timeout", "the turn", "half \\x1b", "about to fail")
    assert player.begun == 2
    assert player.closed == 2  # after the fault, and at the end
    assert len(record.hands) == 5
    assert [hand.ending for hand in record.hands].count(Ending.FAULT) == 1


def test_the_time_of_a_fault_counts_in_the_usage_but_not_as_a_decision() -> None:
    player = Failing({2})
    record = match(player, greedy("1"), hands=1)
    assert (record.usage[0].decisions, record.usage[0].cpu, record.usage[0].wall) == (1, 0.25, 0.5)


def test_an_illegal_action_is_recorded_with_the_end_of_stderr() -> None:
    class Talks(InlinePlayer):
        def log(self) -> str:
            return "thinking of a card"

    record = match(Talks(lambda _: BigGin()), greedy("1"), hands=1)
    assert [fault.stderr for fault in record.faults] == ["thinking of a card"]


def test_a_failed_player_gets_no_outcome_of_the_hand_that_it_lost() -> None:
    player = Failing({2})
    match(player, greedy("1"), hands=5)
    assert len(player.outcomes) == 4
    assert player.over == [None]


def test_a_player_that_cannot_begin_loses_its_hands_and_forfeits_the_match() -> None:
    player = Failing(set(), failing_begins=99)
    record = match(player, greedy("1"), rules=Rules())
    assert [fault.kind for fault in record.faults] == ["crash"] * 3
    assert (record.forfeit, record.winner) == (0, 1)
    assert all(hand.actions == "" for hand in record.hands)


def test_after_an_illegal_action_the_player_keeps_running_and_gets_the_outcome() -> None:
    outcomes: list[Outcome] = []
    done = iter([BigGin()])
    plays = greedy("0")
    match(InlinePlayer(lambda view: next(done, None) or plays(view), outcomes.append), greedy("1"), hands=2)
    assert (outcomes[0].ending, outcomes[0].won, outcomes[0].points) == (Ending.FAULT, False, 50)


def test_both_players_are_closed_when_the_referee_is_interrupted() -> None:
    class Stopped(Failing):
        def ask(self, view: View) -> Reply:
            raise KeyboardInterrupt

    zero, one = Stopped(set()), Failing(set())
    with pytest.raises(KeyboardInterrupt):
        match(zero, one)
    assert (zero.closed, one.closed) == (1, 1)


def test_any_other_exception_is_not_treated_as_a_fault() -> None:
    def raises(_: View) -> Action:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        match(raises, greedy("1"))


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_a_match_ends_under_every_ruleset(rules: Rules) -> None:
    record = match(greedy("0"), plain("1"), rules=rules)
    assert record.winner in (0, 1)
    assert record.faults == ()
    assert sum(game.winner == record.winner for game in record.games) == rules.games_to_win


def test_both_players_get_the_result_of_the_match() -> None:
    zero, one = Failing(set()), Failing(set())
    record = match(zero, one)
    assert (zero.over, one.over) == ([record.winner == 0], [record.winner == 1])


def test_the_same_players_and_deals_give_the_same_record() -> None:
    assert match(by_chance("x"), greedy("1")) == match(by_chance("x"), greedy("1"))


def test_the_totals_of_the_last_game_are_the_sums_of_its_hands() -> None:
    record = match(greedy("0"), plain("1"), rules=Rules(target=100, best_of=1))
    scored = [sum(hand.points for hand in record.hands if hand.winner == seat) for seat in (0, 1)]
    assert record.games[-1].totals == tuple(scored)


def test_the_dealer_sees_its_cards_before_the_other_seat_acts() -> None:
    class Watching(InlinePlayer):
        def watch(self, view: View) -> None:
            seen.append((view, "watch"))

        def ask(self, view: View) -> Reply:
            seen.append((view, "act"))
            return super().ask(view)

    seen: list[tuple[View, str]] = []
    match(Watching(greedy("0")), Watching(greedy("1")), hands=2)
    for game in (0, 1):
        first, second, *rest = [(view.dealer, view.may == (), what) for view, what in seen if view.game == game]
        assert (first, second) == ((True, True, "watch"), (False, False, "act"))
        assert {what for _, _, what in rest} == {"act"}


def test_both_players_are_started_before_either_has_to_be_ready() -> None:
    class Starting(InlinePlayer):
        def start(self) -> None:
            calls.append("start")

        def begin(self, seat: int, hands: int | None) -> None:
            calls.append(f"begin {seat} {hands}")

    calls: list[str] = []
    match(Starting(greedy("0")), Starting(greedy("1")), hands=1)
    assert calls == ["start", "start", "begin 0 1", "begin 1 1"]


def test_a_player_that_fails_to_start_is_closed_and_begins_anew() -> None:
    class Late(Failing):
        def start(self) -> None:
            raise PlayerFaultError("crash", "ended with exit code 1 without an answer")

    late = Late(set())
    assert match(late, greedy("1"), hands=1).faults == ()
    assert (late.begun, late.closed) == (1, 2), "after the start, and at the end"


def test_each_hand_is_reported_before_the_players_learn_how_it_ended() -> None:
    reported: list[object] = []
    known: list[int] = []
    learning = InlinePlayer(greedy(), lambda _: known.append(len(reported)))
    players = (learning, InlinePlayer(greedy()))
    record = Referee(fixture(), SHORT, contest(fixture(), SHORT, SEED), players, FaultCosts(), tell=reported.append).play()
    assert tuple(reported) == record.hands
    assert known == list(range(1, len(record.hands) + 1))
