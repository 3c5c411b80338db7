"""Players around players."""

from matches import SHORT, by_chance, greedy, match, seated

from arena.gin.hand import Phase
from arena.gin.view import View
from arena.players.watched import Forgetful, Late, Watched


class Counting:
    """A player that counts how often it is begun and closed."""

    def __init__(self) -> None:
        self.inside = seated(greedy("0"))
        self.begun: list[tuple[int, int | None]] = []
        self.closed = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self.inside, name)

    def begin(self, seat: int, hands: int | None) -> None:
        self.begun.append((seat, hands))

    def close(self) -> None:
        self.closed += 1


def test_a_watched_player_plays_as_it_does_unwatched() -> None:
    watched = Watched(seated(greedy("0")))
    assert match(watched, hands=6) == match(hands=6)
    assert watched.phases[Phase.DISCARD] > 6
    assert len(watched.costs) == watched.phases.total()
    assert isinstance(watched.view, View)


def test_a_forgetful_player_begins_anew_in_the_same_seat_before_every_hand() -> None:
    player = Counting()
    record = match(Forgetful(player), hands=5)  # type: ignore[arg-type] # the rest of a player is reached by __getattr__
    assert player.begun == [(0, 5)] * 5
    assert player.closed == 5 + 1
    assert record.hands == match(hands=5).hands


def test_a_late_player_joins_every_hand_at_its_phase_and_plays_on_from_there() -> None:
    late = Late(seated(greedy("0")), by_chance("stand-in"), Phase.LAY_OFF)
    record = match(late, hands=12, rules=SHORT)
    knocked = sum("lay_off" in hand.actions for hand in record.hands)
    assert set(late.phases) == {Phase.LAY_OFF}
    assert 0 < late.phases.total() <= knocked
