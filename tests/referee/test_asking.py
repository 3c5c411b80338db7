"""A bot that is asked for the recorded decisions of another."""

import pytest
from support.matches.in_process import SEED, Answer, greedy, match, once, plain

from arena.gin.actions import Action, BigGin, Discard, Knock
from arena.gin.cards import each
from arena.gin.rules import Rules
from arena.gin.view import Outcome, View
from arena.players.base import InlinePlayer, PlayerFaultError
from arena.records import MatchRecord
from arena.referee.asking import AskedDecision, RecordedHand, ask, recorded_hands

RULES = Rules(target=50, best_of=1)


def hands_of(record: MatchRecord) -> list[RecordedHand]:
    return list(recorded_hands(record, RULES, SEED))


def asked(answer: Answer, seat: int, record: MatchRecord, at_most: int = 1) -> list[AskedDecision]:
    return list(ask(InlinePlayer(answer), seat, hands_of(record), RULES, batch=record.fixture.hands, at_most=at_most))


def watching(answer: Answer, views: list[View]) -> Answer:
    def watched(view: View) -> Action:
        views.append(view)
        return answer(view)

    return watched


@pytest.mark.parametrize("hands", [None, 6])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_sees_what_the_seat_saw_and_gives_the_same_answers(hands: int | None, seat: int) -> None:
    seen: tuple[list[View], list[View]] = ([], [])
    record = match(watching(greedy("0"), seen[0]), watching(greedy("1"), seen[1]), rules=RULES, hands=hands)
    found = asked(greedy(str(seat)), seat, record)
    assert [one.view for one in found] == seen[seat]
    assert all(one.same for one in found)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_learns_the_results_that_the_seat_learnt(seat: int) -> None:
    learnt: tuple[list[Outcome], list[Outcome]] = ([], [])
    record = match(*(InlinePlayer(greedy("0"), learn=outcomes.append) for outcomes in learnt), rules=RULES)
    again: list[Outcome] = []
    list(ask(InlinePlayer(greedy("0"), learn=again.append), seat, hands_of(record), RULES, batch=None))
    assert again == learnt[seat]


def test_after_an_illegal_answer_a_bot_learns_the_result_of_the_hand_too() -> None:
    record = match(greedy("0"), rules=RULES, hands=3)
    learnt: list[Outcome] = []
    bot = InlinePlayer(lambda view: BigGin() if view.game == 0 else greedy("0")(view), learn=learnt.append)
    list(ask(bot, 0, hands_of(record), RULES, batch=3, at_most=2))
    assert len(learnt) == len(record.hands) == 3


def test_the_answers_that_differ_are_named_and_the_hand_continues_as_recorded() -> None:
    views: list[View] = []
    record = match(watching(plain(), views), rules=RULES, hands=20)

    def wanted(view: View) -> bool:
        return view.phase == "discard" and view.stock % 5 == 0 and plain()(view) != Discard(max(each(view.may_discard)))

    def patched(view: View) -> Action:
        return Discard(max(each(view.may_discard))) if wanted(view) else plain()(view)

    found = asked(patched, 0, record)
    assert [one.view for one in found if not one.same] == [view for view in views if wanted(view)] != []
    assert len(found) == len(views)


def test_melds_left_to_the_referee_are_the_same_as_those_it_finds() -> None:
    record = match(greedy("0"), rules=RULES, hands=20)
    plays = greedy("0")

    def undeclared(view: View) -> Action:
        action = plays(view)
        return Knock(action.card) if isinstance(action, Knock) else action

    found = asked(undeclared, 0, record)
    assert any(isinstance(one.recorded, Knock) and one.recorded.melds is not None for one in found)
    assert all(one.same for one in found)


def crash(_: View) -> Action:
    raise PlayerFaultError("crash", "gone")


@pytest.mark.parametrize(
    ("odd", "fault"),
    [(crash, "crash: gone"), (lambda _: BigGin(), "illegal: big_gin: big_gin in phase"), (lambda _: Discard(0), "illegal: ")],
)
def test_a_fault_is_an_answer_that_differs_and_ends_the_questions_of_its_hand(odd: Answer, fault: str) -> None:
    record = match(greedy("0"), rules=RULES, hands=4)
    whole = asked(greedy("0"), 0, record)
    found = asked(once(lambda view: odd(view) if view.game == 1 else None, greedy("0")), 0, record, at_most=2)
    faults = [one for one in found if one.answer is None]
    assert [one.hand for one in faults] == [1]
    assert faults[0].fault.startswith(fault)
    assert not faults[0].same
    assert [one.hand for one in found if one.hand != 1] == [one.hand for one in whole if one.hand != 1]


def test_a_fault_at_a_start_is_no_answer_to_a_turn() -> None:
    class Failing(InlinePlayer):
        def begin(self, seat: int, hands: int | None) -> None:
            raise PlayerFaultError("crash", "gone")

    (found,) = ask(Failing(crash), 0, hands_of(match(greedy("0"), rules=RULES, hands=4)), RULES, batch=4)
    assert found.fault == "crash while it started: gone"


def test_a_bot_that_faults_too_often_is_not_asked_any_more() -> None:
    class Counting(InlinePlayer):
        begun = closed = 0

        def begin(self, seat: int, hands: int | None) -> None:
            self.begun += 1

        def close(self) -> None:
            self.closed += 1

    bot, record = Counting(crash), match(greedy("0"), rules=RULES, hands=10)
    found = list(ask(bot, 0, hands_of(record), RULES, batch=10, at_most=3))
    assert [one.hand for one in found] == [0, 1, 2]
    assert (bot.begun, bot.closed) == (3, 4), "after each fault, and at the end"


def test_a_hand_that_ended_by_a_fault_is_asked_up_to_it() -> None:
    record = match(once(lambda view: crash(view) if view.game == 1 and view.phase == "discard" else None), rules=RULES, hands=3)
    assert len(record.faults) == 1
    assert {one.hand for one in asked(greedy("1"), 1, record)} >= {0, 2}
