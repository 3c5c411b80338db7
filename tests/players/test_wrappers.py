"""Players that wrap another player."""

from matches import SHORT, by_chance, greedy, match, seated

from arena.gin.match import Phase
from arena.gin.view import View
from arena.players.base import LateJoiner, ObservedPlayer, RestartedPlayer


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


def test_a_late_joiner_plays_from_its_phase_to_the_end_of_each_hand() -> None:
    late = LateJoiner(seated(greedy("0")), by_chance("stand-in"), Phase.LAY_OFF)
    record = match(late, hands=12, rules=SHORT)
    knocked = sum("lay_off" in hand.actions for hand in record.hands)
    assert set(late.phases) == {Phase.LAY_OFF}
    assert 0 < late.phases.total() <= knocked
