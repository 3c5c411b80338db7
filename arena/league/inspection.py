"""Compares the folder of a league with its chain.

The chain has the digests of the copies of the bots, of their libraries and states, and a commitment to the secret of the season.
The tokens must at least be readable.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from arena.errors import RosterError, StoreError
from arena.league import leagues, tokens
from arena.league.intake import copies, libraries
from arena.league.leagues import EXPORTED, SPEC, STATES, OpenLeague
from arena.league.rules import learning, round_seeds
from arena.league.rules.events import AnyEvent, Withdrawn
from arena.league.rules.field import Version, fold
from arena.league.rules.rounds import Calendar, calendar
from arena.players.kept_states import KeptStates
from arena.roster.reader import Reader
from arena.runs.confined_reading import confined_reader
from arena.runs.intake_errors import refusing_errors

Kind = Literal["secret", "bot", "libraries", "state", "next-state", "old-state", "file"]


class FolderDifference(Struct, frozen=True):
    """A file or folder of a league that differs from the chain, or cannot be read."""

    kind: Kind
    about: str  # a version (of ``old-state``: VERSION:STATE), the number of a season, or a file
    found: str
    expected: str
    consequence: str

    @property
    def name(self) -> str:
        """Return its unique name among the league's differences."""
        return f"{self.kind}:{self.about}"


def holds_all(path: Path) -> bool:
    """Tell whether a folder is that of a played league, and not an export or a database alone."""
    return (path / copies.BOTS).is_dir() and not (path / EXPORTED).exists()


def differences(league: OpenLeague) -> Iterator[FolderDifference]:
    """Yield each difference of the files of a league. Raises: DamagedError, StoreError."""
    yield from _chain_differences(league)
    yield from _file_differences(league)


def _chain_differences(league: OpenLeague) -> Iterator[FolderDifference]:
    """Yield the differences of what the chain names: secret, copies, libraries and states. Raises: DamagedError, StoreError."""
    events = leagues.events_of(league.store)
    dates = calendar(events)
    yield from _secret_differences(league, dates)
    with confined_reader(league.spec.sandbox) as reader:
        for version in fold(events).versions:
            if version.state not in ("withdrawn", "submitted"):  # the loss of a withdrawn one is known
                yield from _copy_difference(league, version, reader)
    if league.spec.learning and not league.folder.is_locked():  # another process that plays removes states meanwhile
        yield from _state_differences(league, events, dates)


def _secret_differences(league: OpenLeague, dates: Calendar) -> Iterator[FolderDifference]:
    season = dates.season
    if season is None:
        return
    problem = ""
    try:
        secret = leagues.secret(league.folder, season.season)
        if secret is None:
            problem = "missing"
        elif round_seeds.commit(secret, season.rounds) != season.commitment:
            problem = "another text"
    except StoreError as error:
        problem = str(error)
    if problem:
        found, expected = f"season-{season.season}.secret: {problem}", "the text from which the seeds of the season follow"
        more = ", and the deals of the open round cannot be verified" if dates.current else ""
        yield FolderDifference("secret", str(season.season), found, expected, f"no round is played{more}")


def _copy_difference(league: OpenLeague, version: Version, reader: Reader) -> Iterator[FolderDifference]:
    plays = "it is suspended when it should play" if version.state == "active" else "it cannot be reinstated"
    consequence = f"{plays}, and its matches cannot be played again"
    try:
        with refusing_errors(version.id):
            copies.copy_of(version, league.bots / version.digest, reader)
    except (RosterError, StoreError) as error:
        expected = f"its files as they were submitted, in bots/{version.digest}"
        yield FolderDifference("bot", version.id, str(error), expected, consequence)
    try:
        if version.environment:
            libraries.check(version.environment, league.libraries.folder)
    except StoreError as error:
        expected = "its libraries as they were unpacked when it was submitted"
        yield FolderDifference("libraries", version.id, str(error), expected, consequence)


def _state_differences(league: OpenLeague, events: Sequence[AnyEvent], dates: Calendar) -> Iterator[FolderDifference]:
    """Yield the lost states of the open or next round, those that the open round has left, and those of earlier rounds."""
    terms = league.spec.learning
    assert terms
    kept = KeptStates(league.folder.path / STATES, terms)
    withdrawn = {event.version for event in events if isinstance(event, Withdrawn)}  # what they had learned then is given up
    now = {*learning.starts(events).items()}
    left = _states_left(league, dates) - now if dates.current else set()
    next_round = {(version, state) for version, state in left if version not in withdrawn or version in dict(now)}
    for version, state in sorted(now | next_round):
        if problem := _problem(kept, state):
            kind: Kind = "state" if (version, state) in now else "next-state"
            consequence = f"no {'round' if kind == 'state' else 'later round'} in which it plays can be played"
            yield FolderDifference(kind, version, problem, "what it had learned until now", consequence)
    needed = learning.needed_states(events, terms.rounds)
    known = {one for event in events for one in getattr(event, "learned", ())}
    for version, state in sorted(known - now - next_round):
        if version not in withdrawn and state in needed and (problem := _problem(kept, state)):
            about, expected = f"{version}:{state[:12]}", "what it had learned before an earlier round"
            yield FolderDifference("old-state", about, problem, expected, "matches of that round cannot be played again")


def _states_left(league: OpenLeague, dates: Calendar) -> set[tuple[str, str]]:
    """Return the states that versions have left in the open round, with which they begin the next one."""
    assert dates.current
    beginning = f"r{dates.current.round}/"
    return {one for states in league.store.left_states() if states.fixture.startswith(beginning) for one in states.by_name()}


def _problem(kept: KeptStates, state: str) -> str:
    try:
        kept.state(state)
    except StoreError as error:
        return str(error)
    return ""


def _file_differences(league: OpenLeague) -> Iterator[FolderDifference]:
    if found := league.folder.differs(SPEC, league.spec.text):
        consequence = "none for the league, which is played by the chain; a reader of the file is misled"
        yield FolderDifference("file", SPEC, found, "the spec as it is in the chain", consequence)
    try:
        tokens.stored_tokens(league.folder.path)
    except StoreError as error:
        yield FolderDifference("file", tokens.FILE, str(error), "the hashes of all tokens", "no user can sign in")
