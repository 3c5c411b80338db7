"""The opponents that a bot has met last."""

from support.leagues.events import pair
from support.leagues.small_league import league

from arena.league import show


def test_a_bot_is_shown_with_the_opponents_that_it_has_met_last() -> None:
    numbers = [*range(1, show.MEETINGS + 2), 1]  # the first of them is met again at the end
    history = league(played=tuple(pair("ann@1", f"b{number}@1", place) for place, number in enumerate(numbers, 1)))
    shown = show._meetings(history, history.field().version("ann@1"))  # noqa: SLF001 - without the folder of a league
    assert [one.opponent for one in shown] == [f"b{number}@1" for number in numbers[2:]]
    assert shown[-1].pairs == 2
