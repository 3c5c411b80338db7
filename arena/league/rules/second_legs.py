"""Whether a bot plays better in the legs that it plays second: over all rounds and seasons, and all of its versions together.

A new version does not begin anew, or a bot could end the evidence against it by submitting the same files again.
"""

from arena.league.rules.events import RoundOpened
from arena.league.rules.history import History
from arena.league.rules.rounds import round_of
from arena.stats.second_legs import SecondLegs, SecondLegsBuilder


def second_legs(history: History) -> dict[str, SecondLegs]:
    """Return the gains of every bot in the legs that it played second, in the rounds in which a coin decided which these are."""
    drawn = {event.round for event in history.events if isinstance(event, RoundOpened) and event.coin}
    builder = SecondLegsBuilder(lambda version: version.rpartition("@")[0])
    for pair in history.played:
        if round_of(pair.deals) in drawn:
            builder.add(pair)
    return builder.gains()
