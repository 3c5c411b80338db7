"""Events of a league in words, a line each."""

from arena.league.rules.events import (
    Activated,
    AnyEvent,
    Auditioned,
    Challenged,
    Reinstated,
    Retired,
    SeasonClosed,
    SeasonOpened,
    SeasonStopped,
    SideClosed,
    SideOpened,
    Suspended,
    Withdrawn,
)
from arena.league.rules.side_matches import winners_of
from arena.reports.numbers import count


def describe(event: AnyEvent) -> str:
    """Return an event in one line; empty: it is not shown, as a round, or follows from another event."""
    match event:
        case SeasonOpened():
            return f"season {event.season} opened, of at most {count(event.rounds, 'round')}"
        case SeasonStopped():
            return f"season {event.season} was ended{_by(event.by)}{_because(event.reason)}"
        case SeasonClosed():
            return f"season {event.season} closed"
        case Challenged():
            return f"{event.version} challenged {event.opponent} to a rated match"
        case _:
            return _describe_beside(event) or _describe_entrants(event)


def _describe_beside(event: AnyEvent) -> str:
    """Return an event about what is played beside the rounds, in one line."""
    match event:
        case SideOpened() if event.person:
            return f"{event.person}, a person, began a rated match against {event.version}: match {event.name} of people"
        case SideOpened():
            return f"the cup {event.name} was decided: {event.title}, of the best {len(event.entrants)}"
        case SideClosed(kind="people"):
            return f"match {event.name} of people is {f'void: {event.void}' if event.void else 'over'}"
        case SideClosed():
            winners = winners_of(event)
            return f"{winners} won the cup {event.name}" if winners else f"the cup {event.name} is over"
        case _:
            return ""


def _describe_entrants(event: AnyEvent) -> str:
    """Return an event about a version in one line."""
    line = ""
    match event:
        case Auditioned(passed=False):
            line = f"{_refusal(event)}: {event.reason}"
        case Activated():
            line = f"{event.version} joined{', and waits for the next season' if event.waits else ''}"
        case Suspended():
            place = f" (see {event.fixture})" if event.fixture else ""
            line = f"{event.version} was suspended{_by(event.by)}: {event.reason}{place}"
        case Retired() | Reinstated():
            line = f"{event.version} was {event.__struct_config__.tag}{_by(event.by)}{_because(event.reason)}"
        case Withdrawn():
            line = f"{event.version} was withdrawn{_because(event.reason)}"
    return line


def describe_to_all(event: AnyEvent) -> str:
    """Return an event in one line, without the details of reasons."""
    match event:
        case Auditioned(passed=False):
            return _refusal(event)
        case Suspended():
            return f"{event.version} was suspended{_by(event.by)}{_because(event.reason.public)}"
        case _:
            return describe(event)


def _refusal(event: Auditioned) -> str:
    """Return the line of a refused submission; it has no version, because another bot may have that version now."""
    return f"a submission of {event.version.rpartition('@')[0]} was refused"


def _by(name: str) -> str:
    return f" by {name}" if name else ""


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""
