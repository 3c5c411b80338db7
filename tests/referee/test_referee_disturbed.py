"""Whatever a bot does at whatever step of a match, its opponent's result is never worse than an undisturbed one."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from support.matches.in_process import SEED, SHORT, fixture, greedy

from arena.errors import WorkerLostError
from arena.gin.actions import BigGin
from arena.gin.score import Ending
from arena.gin.view import View
from arena.limits import FaultCosts
from arena.players.base import InlinePlayer, PlayerFaultError, Reply
from arena.records import EXCUSED, FaultKind, HandRecord, MatchRecord, net
from arena.referee.audit import differences
from arena.referee.job import contest
from arena.referee.referee import LAUNCHES, Referee

HANDS = 5
COSTS = FaultCosts()
KINDS: tuple[FaultKind, ...] = ("timeout", "crash", "malformed", "memory", "lost", "lost", "lost")


class Act(Struct, frozen=True):
    """What a player does at a step, the ``time``-th time that it comes."""

    step: str
    time: int
    what: str  # the kind of a fault, "illegal", or "launch": the machine cannot start it


acts = st.builds(
    Act,
    step=st.sampled_from(("start", "begin", "ask", "overspent")),
    time=st.integers(1, 12),
    what=st.sampled_from((*KINDS, "illegal", "launch")),
)


class Disturbed(InlinePlayer):
    """Plays by greed, except for what is planned, and counts its starts."""

    def __init__(self, planned: list[Act], name: str) -> None:
        super().__init__(greedy(name))
        self.begun = 0
        self._acts = {(act.step, act.time): act.what for act in planned}
        self._steps = Counter[str]()

    def _act(self, step: str) -> str:
        """Raise what is planned at a step; return ``illegal``, or nothing."""
        self._steps[step] += 1
        what = self._acts.get((step, self._steps[step]), "")
        if what == "launch":
            if step == "ask":
                return ""  # a process that runs was launched
            raise WorkerLostError("the launcher failed")
        if what and what != "illegal":
            raise PlayerFaultError(next(kind for kind in KINDS if kind == what), "as planned")
        return what

    def start(self) -> None:
        self._act("start")

    def begin(self, seat: int, hands: int | None) -> None:
        self._act("begin")
        self.begun += 1

    def ask(self, view: View) -> Reply:
        return Reply(BigGin()) if self._act("ask") else super().ask(view)

    def overspent(self) -> PlayerFaultError | None:
        try:
            self._act("overspent")
        except PlayerFaultError:
            return PlayerFaultError("timeout", "used too much processor time")
        return None


def played(hostile: Disturbed, innocent: Disturbed, seat: int) -> MatchRecord:
    """Return a batch of hands with the hostile player in a seat."""
    pair = (hostile, innocent)
    named = fixture(hands=HANDS)
    return Referee(named, SHORT, contest(named, SHORT, SEED), pair if seat == 0 else pair[::-1], COSTS).play()


UNDISTURBED = {seat: played(Disturbed([], "0"), Disturbed([], "1"), seat) for seat in (0, 1)}
lost_turns = st.lists(st.builds(Act, step=st.just("ask"), time=st.integers(1, 30), what=st.just("lost")), max_size=EXCUSED)


@given(st.lists(acts, max_size=8), lost_turns, st.sampled_from((0, 1)))
def test_no_act_of_a_bot_makes_a_hand_worse_for_its_opponent(planned: list[Act], lost: list[Act], seat: int) -> None:
    """The machine may lose the opponent's process now and then, while the bot does not take the processor."""
    innocent = Disturbed(lost, "1")
    try:
        record = played(Disturbed(planned, "0"), innocent, seat)
    except WorkerLostError:
        assert sum(act.what == "launch" for act in planned) >= LAUNCHES, "only the machine voids a fixture"
        return

    assert {fault.seat for fault in record.faults} <= {seat}
    for hand, undisturbed in zip(record.hands, UNDISTURBED[seat].hands, strict=True):
        if hand.ending is Ending.FAULT:
            assert net(hand, 1 - seat) == COSTS.points
        else:
            assert moves(hand) == moves(undisturbed)
    assert innocent.begun <= 1 + len(lost), "it is started again only if its own process was lost"
    assert all(sum(fault.seat == one for fault in record.excused) <= EXCUSED for one in (0, 1))
    assert list(differences(record, SHORT, COSTS, SEED)) == []


def moves(hand: HandRecord) -> tuple[object, ...]:
    return (hand.actions, hand.result)


@given(lost_turns)
def test_a_turn_whose_process_was_lost_is_asked_again_and_nothing_is_played_twice(planned: list[Act]) -> None:
    record = played(Disturbed(planned, "0"), Disturbed([], "1"), 0)

    assert record.hands == UNDISTURBED[0].hands
    assert record.faults == ()
