"""Compares the folder of a league with its chain, and changes nothing.

The chain has the digests of the copies of the bots, of their libraries and states, and a commitment to the secret of the season.
Other files of the folder, as uploads and tokens, must at least be readable.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from arena.disk import real
from arena.errors import RosterError, StoreError
from arena.league import folder as leagues
from arena.league import tokens, uploads
from arena.league.folder import SPEC, STATES, OpenLeague
from arena.league.intake import copies, libraries
from arena.league.intake.scratch import try_exclusive_lock
from arena.league.rules import history, learning
from arena.league.rules.events import AnyEvent, Submitted
from arena.league.rules.field import Version, fold
from arena.league.rules.history import Calendar, calendar
from arena.league.uploads import Upload
from arena.players.state import EMPTY_DIGEST, KeptStates
from arena.publishing import WORK
from arena.roster.manifest import Reader
from arena.runs import witnesses
from arena.runs.confined_reading import confined_reader, refusing_errors
from arena.runs.witnesses import EXPORTED
from arena.store.folder import DATABASE, Folder

Kind = Literal["database", "witness", "secret", "bot", "libraries", "state", "next-state", "old-state", "upload", "file", "orphan"]


class FolderDifference(Struct, frozen=True):
    """A file or folder of a league that differs from the chain, is not needed, or cannot be read."""

    kind: Kind
    about: str  # a version (of ``old-state``: VERSION:STATE), the number of a season or an upload, a path, or ``rollback``
    found: str
    expected: str
    consequence: str
    remedies: tuple[str, ...] = ()  # other than to restore it from a copy; the first is the usual one
    digest: str = ""  # of what is lost; empty: it has none

    @property
    def name(self) -> str:
        """Return its unique name among the league's differences."""
        return f"{self.kind}:{self.about}"

    @property
    def restorable(self) -> bool:
        """Tell whether it can be restored from a copy."""
        return self.kind not in ("database", "witness", "file", "orphan") or self.about == tokens.FILE


def holds_all(path: Path) -> bool:
    """Tell whether a folder is that of a played league, and not an export or a database alone."""
    return (path / copies.BOTS).is_dir() and not (path / EXPORTED).exists()


def differences(league: OpenLeague) -> Iterator[FolderDifference]:
    """Yield each difference of a league's folder; if its database was changed, only that. Raises: StoreError, DamagedError."""
    if problem := next(league.store.changes(), ""):
        consequence = "nothing is played; put a backup of the database in its place, and accept the rollback"
        yield FolderDifference("database", DATABASE, problem, "what was stored, unchanged", consequence)
        return
    if rollback := witnesses.rollback(league.store):
        expected, consequence = "a database with every link that was seen", "nothing is played or submitted"
        yield FolderDifference("witness", "rollback", rollback, expected, consequence, ("accept",))
    yield from chain_differences(league)
    yield from _upload_differences(league)
    yield from file_differences(league)
    yield from _orphans(league)


def chain_differences(league: OpenLeague) -> Iterator[FolderDifference]:
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
        elif history.commit(secret, season.rounds) != season.commitment:
            problem = "another text"
    except StoreError as error:
        problem = str(error)
    if problem:
        found, expected = f"season-{season.season}.secret: {problem}", "the text from which the seeds of the season follow"
        more = ", and the deals of the open round cannot be verified" if dates.current else ""
        remedy = "take-out" if dates.current else "end-season"
        yield FolderDifference("secret", str(season.season), found, expected, f"no round is played{more}", (remedy,))


def _copy_difference(league: OpenLeague, version: Version, reader: Reader) -> Iterator[FolderDifference]:
    plays = "it is suspended when it should play" if version.state == "active" else "it cannot be reinstated"
    consequence = f"{plays}, and its matches cannot be played again"
    try:
        with refusing_errors(version.id):
            copies.copy_of(version, league.bots / version.digest, reader)
    except (RosterError, StoreError) as error:
        expected = f"its files as they were submitted, in bots/{version.digest}"
        yield FolderDifference("bot", version.id, str(error), expected, consequence, ("withdraw",), version.digest)
    try:
        if version.environment:
            libraries.check(version.environment, league.libraries.folder)
    except StoreError as error:
        digest = version.environment.digest if version.environment else ""
        expected = "its libraries as they were unpacked when it was submitted"
        yield FolderDifference("libraries", version.id, str(error), expected, consequence, ("fetch", "withdraw"), digest)


def _state_differences(league: OpenLeague, events: Sequence[AnyEvent], dates: Calendar) -> Iterator[FolderDifference]:
    """Yield the lost states of the open or next round, those that the open round has left, and those of earlier rounds."""
    terms = league.spec.learning
    assert terms
    kept, given_up = KeptStates(league.folder.path / STATES, terms), learning.lost_states(events)
    now = {*learning.starts(events).items()}
    next_round = (_states_left(league, dates) if dates.current else set()) - now - given_up
    for version, state in sorted(now | next_round):
        if state != EMPTY_DIGEST and (problem := _problem(kept, state)):
            kind: Kind = "state" if (version, state) in now else "next-state"
            remedies = ("earlier", "empty") if _earlier(events, kept, version, state) else ("empty",)
            consequence = f"no {'round' if kind == 'state' else 'later round'} in which it plays can be played"
            yield FolderDifference(kind, version, problem, "what it had learned until now", consequence, remedies, state)
    known = {(name, state) for event in events for name, state in getattr(event, "learned", ())}
    needed = learning.needed_states(events, terms.rounds)
    for version, state in sorted(known - now - next_round - given_up):
        if state in needed and state != EMPTY_DIGEST and (problem := _problem(kept, state)):
            about, expected = f"{version}:{state[:12]}", "what it had learned before an earlier round"
            consequence = "matches of that round cannot be played again"
            yield FolderDifference("old-state", about, problem, expected, consequence, ("forget",), state)


def _states_left(league: OpenLeague, dates: Calendar) -> set[tuple[str, str]]:
    """Return the states that versions have left in the open round, with which they begin the next one."""
    assert dates.current
    beginning = f"r{dates.current.round}/"
    return {one for states in league.store.left_states() if states.fixture.startswith(beginning) for one in states.by_name()}


def earlier_state(league: OpenLeague, version: str, state: str) -> str:
    """Return the last intact state of a version other than the lost ``state``; the empty one, if there is none."""
    assert league.spec.learning
    kept = KeptStates(league.folder.path / STATES, league.spec.learning)
    return _earlier(leagues.events_of(league.store), kept, version, state) or EMPTY_DIGEST


def _earlier(events: Sequence[AnyEvent], kept: KeptStates, version: str, state: str) -> str:
    had = [one for event in events for name, one in getattr(event, "learned", ()) if name == version and one != state]
    return next((one for one in reversed(had) if one != EMPTY_DIGEST and not _problem(kept, one)), "")


def _problem(kept: KeptStates, state: str) -> str:
    try:
        kept.state(state)
    except StoreError as error:
        return str(error)
    return ""


# --- files that the chain does not name


def _upload_differences(league: OpenLeague) -> Iterator[FolderDifference]:
    """Yield the uploads that cannot be read or tested, and those that joined as a version that the chain does not have."""
    known = leagues.field(league.store).by_id
    for folder in sorted((league.folder.path / uploads.FOLDER).glob("[0-9]*")):
        remedy = "refuse"
        try:
            problem, consequence = upload_problem(uploads.read(folder / uploads.RECORD), folder, known)
        except StoreError as error:
            problem, consequence, remedy = str(error), "no server takes submissions for this league", "set-aside"
        if problem:
            expected = "what its author has sent, with its verdict"
            yield FolderDifference("upload", folder.name, problem, expected, consequence, (remedy,))


def upload_problem(upload: Upload, folder: Path, known: Collection[str]) -> tuple[str, str]:
    """Return the problem of an upload in a folder and its consequence; empty: none. ``known`` are the versions in the chain."""
    body = folder / uploads.BODY / upload.file
    if upload.ended is None and not body.is_file():
        return f"{body}: missing", "it is refused when it should be tested"
    if upload.state == "joined" and upload.version not in known:
        return f"{upload.version} joined by it, and the chain does not know that version", f"{upload.author} believes that it plays"
    return "", ""


def file_differences(league: OpenLeague) -> Iterator[FolderDifference]:
    """Yield the differences of the spec, the tokens and the cached results. Raises: DamagedError, StoreError."""
    if found := league.folder.differs(SPEC, league.spec.text):
        consequence = "none for the league, which is played by the chain; a reader of the file is misled"
        yield FolderDifference("file", SPEC, found, "the spec as it is in the chain", consequence, ("rewrite",))
    try:
        tokens.stored_tokens(league.folder.path)
    except StoreError as error:
        yield FolderDifference("file", tokens.FILE, str(error), "the hashes of all tokens", "no user can sign in", ("set-aside",))
    for problem in leagues.cache_differences(league.folder, league.store):
        expected = "what follows from the records"
        yield FolderDifference("file", leagues.RESULTS_CACHE, problem, expected, "tables are wrong", ("remove",))


def _orphans(league: OpenLeague) -> Iterator[FolderDifference]:
    """Yield files that nothing needs: left by killed processes, or put there by a person."""
    path = league.folder.path
    # a submission shares the lock of ``bots`` until its event is stored, and that covers its libraries too
    with try_exclusive_lock(league.bots) as is_exclusive:
        known = known_entries(league)
        free = {copies.BOTS: is_exclusive, copies.ENVIRONMENTS: is_exclusive, STATES: not league.folder.is_locked()}
        there = [one for folder in known if free[folder] and (path / folder).is_dir() for one in sorted((path / folder).iterdir())]
    for one in there:
        if one.name not in known[one.parent.name]:
            yield _orphan(str(one.relative_to(path)))
    with confined_reader(league.spec.sandbox) as reader:
        for version in leagues.field(league.store).versions:
            yield from map(_orphan, _strange_files(league, version, reader))
    for draft in sorted(path.glob(".*.new")):
        yield _orphan(draft.name)
    if (path / WORK).exists():
        yield _orphan(WORK)
    if not Folder(path / uploads.FOLDER).is_locked():  # by a server that receives them
        for draft in sorted((path / uploads.FOLDER).glob(f"{uploads.DRAFT}*")):
            yield _orphan(f"{uploads.FOLDER}/{draft.name}")


def known_entries(league: OpenLeague) -> Mapping[str, Collection[str]]:
    """Return the names that events give entries of the folders of copies, of libraries and of states."""
    events = leagues.events_of(league.store)
    submitted = [event for event in events if isinstance(event, Submitted)]
    states = set[str]()
    if terms := league.spec.learning:
        left = {state for one in league.store.left_states() for _, state in one.by_name()}
        states = learning.needed_states(events, terms.rounds) | left
    return {
        copies.BOTS: {event.digest for event in submitted},
        copies.ENVIRONMENTS: {event.environment.digest for event in submitted if event.environment},
        STATES: states,
    }


def _strange_files(league: OpenLeague, version: Version, reader: Reader) -> list[str]:
    """Return the files beside a copy that are not in its digest; none for a bot whose launch lists no files."""
    place = league.bots / version.digest
    try:
        with refusing_errors(version.id):
            own = {real(Path(name)) for name in copies.copy_of(version, place, reader).launch.files}
    except (RosterError, StoreError):
        return []
    there = (one for one in sorted(place.rglob("*")) if one.is_file() and "__pycache__" not in one.parts)
    return [str(one.relative_to(league.folder.path)) for one in there if own and real(one) not in own]


def _orphan(place: str) -> FolderDifference:
    return FolderDifference("orphan", place, place, "nothing: the chain does not name it", "none; it takes room", ("remove",))
