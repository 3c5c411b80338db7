"""Players that wrap another player."""

from support.matches.in_process import SHORT, by_chance, greedy, match, seated

from arena.gin.match import Phase
from arena.gin.view import Outcome, View
from arena.players.base import InlinePlayer, LateJoiner, ObservedPlayer, PlayerFaultError, Reply, RestartedPlayer


class Counting:
    """A player that counts how often it is begun and closed."""

    def __init__(self) -> None:
        self.inner = seated(greedy("0"))
        self.begun: list[tuple[int, int | None]] = []
        self.closed = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def begin(self, seat: int, hands: int | None) -> None:
        self.begun.append((seat, hands))

    def close(self) -> None:
        self.closed += 1


def test_an_observed_player_plays_the_same_hands() -> None:
    observed = ObservedPlayer(seated(greedy("0")))
    assert match(observed, hands=6) == match(hands=6)
    assert observed.phases[Phase.DISCARD] > 6
    assert len(observed.costs) == observed.phases.total()
    assert isinstance(observed.view, View)


def test_a_restarted_player_begins_again_in_the_same_seat_before_every_hand() -> None:
    player = Counting()
    record = match(RestartedPlayer(player), hands=5)  # type: ignore[arg-type] # the rest of a player is reached by __getattr__
    assert player.begun == [(0, 5)] * 5
    assert player.closed == 5 + 1
    assert record.hands == match(hands=5).hands


class NotRunning(Counting):
    """A player that must not be called while it is closed, and whose start with the number ``fails`` fails."""

    def __init__(self, fails: int = 0) -> None:
        super().__init__()
        self.fails = fails
        self.running = False

    def begin(self, seat: int, hands: int | None) -> None:
        super().begin(seat, hands)
        if len(self.begun) == self.fails:
            raise PlayerFaultError("crash", "does not start")
        self.running = True

    def hand_over(self, outcome: Outcome) -> None:
        assert self.running
        self.inner.hand_over(outcome)

    def close(self) -> None:
        self.running = False


def test_a_restarted_player_that_fails_to_start_is_begun_once_for_the_next_hand() -> None:
    player = NotRunning(fails=2)
    record = match(RestartedPlayer(player), hands=4)  # type: ignore[arg-type] # as above
    assert len(record.faults) == 1
    assert len(player.begun) == 4


class FailsAtOnce(InlinePlayer):
    """A player that faults at its first turn of each hand."""

    def ask(self, view: View) -> Reply:
        if view.phase is Phase.UPCARD:
            raise PlayerFaultError("crash", "at once")
        return super().ask(view)


def test_a_restarted_player_is_not_called_for_a_hand_that_ended_before_its_turn() -> None:
    record = match(RestartedPlayer(NotRunning()), FailsAtOnce(greedy("0")), hands=3)  # type: ignore[arg-type] # as above
    assert record.faults


def test_a_late_joiner_plays_from_its_phase_to_the_end_of_each_hand() -> None:
    late = LateJoiner(seated(greedy("0")), by_chance("stand-in"), Phase.LAY_OFF)
    record = match(late, hands=12, rules=SHORT)
    knocked = sum("lay_off" in hand.actions for hand in record.hands)
    assert set(late.phases) == {Phase.LAY_OFF}
    assert 0 < late.phases.total() <= knocked


class FailsOnce(InlinePlayer):
    """A player that faults at its first turn, and has the phases of its later turns."""

    def __init__(self) -> None:
        super().__init__(greedy("0"))
        self.phases: list[Phase] = []
        self.failed = False

    def ask(self, view: View) -> Reply:
        if not self.failed:
            self.failed = True
            raise PlayerFaultError("crash", "once")
        self.phases.append(view.phase)
        return super().ask(view)


def test_a_late_joiner_that_has_failed_joins_the_next_hand_late_again() -> None:
    player = FailsOnce()
    record = match(LateJoiner(player, by_chance("stand-in"), Phase.LAY_OFF), hands=12, rules=SHORT)
    assert len(record.faults) == 1
    assert set(player.phases) == {Phase.LAY_OFF}
