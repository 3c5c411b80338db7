"""A copy of a league's folder that is consistent, also while the league is played and served.

The database is copied by SQLite's own backup, so it is that of one moment. A file that may be behind the database is copied before
it: the witness, an upload that joins a moment later (the next server recognises the bot), the number of events that plugins have
received (they receive some twice rather than never). A file that may be ahead of it is copied after it, and only if the copied
chain names it: copies of bots, libraries, states, the runs of events and of people. Their databases are copied in the same way.

The process that plays removes states that it needs no more, and may do so between the two. So the copy is compared with its chain,
and made again if something is missing.
"""

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena import publishing
from arena.disk import real
from arena.errors import InputError, StoreError, naming_errors
from arena.league import course, jobs, leagues, notices, tokens
from arena.league.inspection import FolderDifference, differences
from arena.league.intake import copies
from arena.league.leagues import JOBS, SPEC, STATES, OpenLeague
from arena.league.pair_cache import RESULTS_CACHE
from arena.league.positions import POSITIONS_FILE
from arena.league.requests import RUN
from arena.league.rules import learning
from arena.league.rules.events import AnyEvent, SideOpened, Submitted
from arena.league.side_matches import run_folder, seed_file
from arena.publishing import WORK
from arena.store.file import SIDE_FILES
from arena.store.folder import DATABASE, existing
from arena.store.store import Store
from arena.store.witness import WITNESS_FILE

ATTEMPTS = 3
LOGS = "logs"
# before the database: what may be behind it
EARLIER = (SPEC, tokens.FILE, tokens.SESSIONS, POSITIONS_FILE, course.STORED, notices.FILE)
# not copied: locks, and the write-ahead logs, which are in the copied databases
SKIPPED = ("arena.lock", *(f"{DATABASE}{end}" for end in SIDE_FILES), RESULTS_CACHE, WORK, WITNESS_FILE, DATABASE)


class Backup(Struct, frozen=True, kw_only=True):
    """A copy of a league that was made."""

    folder: str
    matches: int
    versions: int
    link: str  # the last of its chain
    differences: tuple[FolderDifference, ...]  # between the copy and its chain; those of the league itself, if there are any


def back_up(league: Path, place: Path) -> Backup:
    """Copy a league to a new or empty folder, which only its owner may read. Raises: InputError, StoreError."""
    source = existing(league).path
    if real(place).is_relative_to(real(source)):
        raise InputError(f"{place}: lies in the league's folder; expected a folder outside of it")
    with publishing.replacing(place, "none at all", lambda _: False) as copy:
        copy.chmod(0o700)
        for _ in range(ATTEMPTS):
            for one in copy.iterdir():
                shutil.rmtree(one) if one.is_dir() else one.unlink()
            found = _copy(source, copy)
            if not found.differences:
                break
        return replace(found, folder=str(place))


def _copy(source: Path, copy: Path) -> Backup:
    for name in EARLIER:
        _copy_tree(source / name, copy / name)
    _copy_tree(source / JOBS, copy / JOBS, _is_left_out)
    _copy_database(source, copy)
    with leagues.open_league(copy) as made:
        for path in _named(made, source):
            _copy_tree(path, copy / path.relative_to(source))
        _copy_tree(source / LOGS, copy / LOGS)
        made.bots.mkdir(exist_ok=True)
        return Backup(
            folder=str(copy),
            matches=made.store.count(),
            versions=len(leagues.field(made.store).versions),
            link=made.store.last_link(),
            differences=tuple(differences(made)),
        )


def _named(league: OpenLeague, source: Path) -> Iterator[Path]:
    """Yield what the chain of a copy names, as paths in the folder from which it is made."""
    events = leagues.events_of(league.store)
    yield from sorted(source.glob("season-*.secret"))
    for folder, names in _named_entries(league, events).items():
        yield from (source / folder / name for name in sorted(names))
    for event in events:
        if isinstance(event, SideOpened):
            yield from (run_folder(source, event).path, seed_file(source, event))


def _named_entries(league: OpenLeague, events: Sequence[AnyEvent]) -> Mapping[str, Collection[str]]:
    """Return the names that events give entries of the folders of copies, of libraries and of states."""
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


def _is_left_out(path: Path) -> bool:
    """Tell whether a part of the jobs is not copied: a draft, or a run whose database cannot be read yet; it is played again."""
    if path.parent.name == JOBS:
        return path.name.startswith(jobs.DRAFT)
    return path.name == RUN and path.parent.parent.name == JOBS and not _is_readable(path / DATABASE)


def _is_readable(database: Path) -> bool:
    try:
        with Store(database):
            return True
    except StoreError:
        return False


def _copy_tree(source: Path, copy: Path, is_left_out: Callable[[Path], bool] = lambda _: False) -> None:
    """Copy a file or folder with its modes and links; what is gone by then is left out. Raises: StoreError."""
    with naming_errors(source, "cannot be copied"), suppress(FileNotFoundError):
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not source.is_dir() or source.is_symlink():
            shutil.copy2(source, copy, follow_symlinks=False)
            return
        copy.mkdir(exist_ok=True)
        if (source / DATABASE).is_file():
            _copy_database(source, copy)
        for one in sorted(source.iterdir()):
            if one.name not in SKIPPED and not is_left_out(one):
                _copy_tree(one, copy / one.name, is_left_out)
        shutil.copystat(source, copy)


def _copy_database(source: Path, copy: Path) -> None:
    """Copy the database of a run, after its witness. Raises: StoreError."""
    _copy_tree(source / WITNESS_FILE, copy / WITNESS_FILE)
    with Store(source / DATABASE) as store:
        store.copy(copy / DATABASE)
