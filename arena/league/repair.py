"""Repairs the folder of a league: restores files from other copies, or stores their loss as events.

Each remedy is one transaction or one rename, or can be begun again; so the same command continues a repair that was killed, and
a repair without differences changes nothing. A file that a person may still need is set aside, not deleted.
"""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena import disk, publishing
from arena.errors import ArenaError, InputError, RosterError, StoreError
from arena.league import folder as leagues
from arena.league import inspection, tokens, uploads
from arena.league.folder import SPEC, STATES, OpenLeague, add
from arena.league.inspection import FolderDifference
from arena.league.intake import copies, libraries
from arena.league.intake.scratch import move_into_place, scratch, try_exclusive_lock
from arena.league.rules import history
from arena.league.rules.events import Event, RoundOpened, SeasonClosed, SeasonStopped, StateLost, Submitted, Withdrawn, encode
from arena.league.rules.field import Version
from arena.league.rules.history import calendar
from arena.moments import now
from arena.players.state import EMPTY_DIGEST, digest
from arena.publishing import WORK
from arena.runs import review_cache, witnesses
from arena.runs.confined_reading import confined_reader, refusing_errors
from arena.store.chain import RollbackAccepted
from arena.store.folder import Folder

FIRST = ("witness", "secret")  # kinds whose remedies may change which other differences there are
LOST = "lost"  # begins the name of a file or folder that is set aside

Put = Callable[[], None]  # restores a file or folder


class Sources:
    """The given paths, and the files of uploads, from which lost files are restored."""

    def __init__(self, league: OpenLeague, paths: Sequence[Path]) -> None:
        """Take the paths. Raises: InputError, for one that is neither a file nor a folder, such as a device."""
        if odd := [path for path in paths if not (path.is_file() or path.is_dir())]:
            raise InputError(f"--from {odd[0]}: neither a file nor a folder")
        own = sorted((league.folder.path / uploads.FOLDER).glob(f"[0-9]*/{uploads.BODY}/*"))
        self._league = league
        self._paths = [*paths, *own]
        self._field = leagues.field(league.store)
        self._known: dict[str, bool] = {}  # by the name of a difference: whether a source has what is lost

    def has(self, one: FolderDifference) -> bool:
        """Tell whether a source has what is lost."""
        if one.name not in self._known:
            self._known[one.name] = self._use(one, lambda _: None)
        return self._known[one.name]

    def restore(self, one: FolderDifference) -> None:
        """Put what is lost back in its place. Raises: StoreError, also if no source has it."""
        if not self._use(one, lambda put: put()):
            raise StoreError(f"{one.name}: not found in what was given")

    def _use(self, one: FolderDifference, use: Callable[[Put], None]) -> bool:
        """Call ``use`` with the function that restores from the first source that fits, and return whether one does."""
        find = {
            "bot": self._bot,
            "libraries": self._libraries,
            "state": self._state,
            "next-state": self._state,
            "old-state": self._state,
            "secret": self._secret,
            "upload": self._upload,
            "file": self._file,
        }[one.kind]
        for path in self._paths:
            with ExitStack() as stack:
                try:
                    put = stack.enter_context(find(one, path))
                except (ArenaError, OSError, disk.TooLargeError):  # the path has something else
                    continue
                if put is not None:
                    use(put)
                    return True
        return False

    @contextmanager
    def _bot(self, one: FolderDifference, path: Path) -> Iterator[Put | None]:
        version, league = self._field.version(one.about), self._league
        copy = path / copies.BOTS / version.digest
        with ExitStack() as stack:
            stack.enter_context(refusing_errors(path.name))
            reader = stack.enter_context(confined_reader(league.spec.sandbox))
            if copy.is_dir():
                copies.copy_of(version, copy, reader)  # raises, if it is another bot
                yield lambda: _put(copy, league.bots / version.digest, lambda place: copies.copy_of(version, place, reader))
                return
            submissions = league.spec.submissions
            taken = stack.enter_context(copies.copy_in(str(path), league.bots, submissions, league.spec.sandbox))
            same = libraries.identity(taken.files, version.environment) == version.digest and taken.entry == version.entry
            yield (lambda: copies.restore_copy(taken, version, league.folder.path, reader)) if same else None

    @contextmanager
    def _libraries(self, one: FolderDifference, path: Path) -> Iterator[Put | None]:
        environment, folder = self._field.version(one.about).environment, self._league.libraries.folder
        assert environment
        libraries.check(environment, path / copies.ENVIRONMENTS)
        source = path / copies.ENVIRONMENTS / environment.digest
        yield lambda: _put(source, folder / environment.digest, lambda place: libraries.check(environment, place.parent))

    @contextmanager
    def _state(self, one: FolderDifference, path: Path) -> Iterator[Put | None]:
        file = path / STATES / one.digest if path.is_dir() else path
        content = disk.read(file, 1 << 32)
        yield (lambda: _write(_place(self._league, STATES, one.digest), content)) if digest(content) == one.digest else None

    @contextmanager
    def _secret(self, one: FolderDifference, path: Path) -> Iterator[Put | None]:
        season = calendar(leagues.events_of(self._league.store)).season
        assert season
        file = path / f"season-{one.about}.secret" if path.is_dir() else path
        text = disk.read(file, 1000).decode("ascii", "replace").strip()
        same = history.commit(text, season.rounds) == season.commitment
        yield (lambda: leagues.write_secret(self._league.folder, season.season, text)) if same else None

    @contextmanager
    def _upload(self, one: FolderDifference, path: Path) -> Iterator[Put | None]:
        source = path / uploads.FOLDER / one.about
        place = _place(self._league, uploads.FOLDER, one.about)
        problem, _ = inspection.upload_problem(uploads.read(source / uploads.RECORD), source, self._field.by_id)

        def put() -> None:
            with Folder(place.parent).lock():
                set_aside(place)
                _put(source, place, lambda _: None)

        yield None if problem else put

    @contextmanager
    def _file(self, one: FolderDifference, path: Path) -> Iterator[Put | None]:
        tokens.stored_tokens(path)  # raises, if they cannot be read; no other file is restored
        content = disk.read(path / one.about, 1 << 24)
        yield lambda: _write(_place(self._league, one.about), content)


def _place(league: OpenLeague, *names: str) -> Path:
    """Return the path of what a difference names, to which no link leads. Raises: UnsafeFileError."""
    *folders, last = Path(*names).parts
    return league.folder.inside(*folders) / last


def _put(source: Path, place: Path, check: Callable[[Path], object]) -> None:
    """Copy a folder to a place, in one step, unless ``check`` accepts what is there. Raises: StoreError."""
    with suppress(StoreError, RosterError, FileNotFoundError):
        if place.exists():
            check(place)
            return
    with scratch(place.parent) as folder:
        shutil.copytree(source, folder / place.name, symlinks=True)
        if place.exists():
            shutil.rmtree(place)
        move_into_place(folder / place.name, place)


def _write(path: Path, content: bytes) -> None:
    disk.make_folder(path.parents[1], path.parent.name, mode=0o700)
    disk.write(path, content, private=True)


def set_aside(path: Path) -> None:
    """Rename a file or folder, to a name that nothing else has."""
    if path.exists():
        number = next(number for number in range(1, 10_000) if not path.with_name(f"{LOST}-{number}-{path.name}").exists())
        path.rename(path.with_name(f"{LOST}-{number}-{path.name}"))


RESTORE = "restore"
REMEDIES = {  # what each does, for the user
    RESTORE: "take it from --from",
    "accept": "continue without what is missing; that is stored in the chain",
    "withdraw": "have the version play no more; that is stored in the chain",
    "fetch": "download its libraries again",
    "earlier": "have it begin with its last state that is here; that is stored in the chain",
    "empty": "have it begin with nothing; that is stored in the chain",
    "forget": "do without; that is stored in the chain",
    "end-season": "end the season; the next one has a new secret",
    "take-out": "take the open round out of the chain with its matches, and end the season",
    "refuse": "refuse the upload, so that its author sends it again",
    "set-aside": "rename it",
    "rewrite": "write it again from the chain",
    "remove": "remove it",
}


class RepairedDifference(Struct, frozen=True, kw_only=True):
    """A difference, its remedies, and the one that was applied."""

    name: str
    found: str
    expected: str
    consequence: str
    remedies: tuple[str, ...]  # the first is the usual one
    done: str = ""  # the remedy that was applied
    problem: str = ""  # why the remedy failed


def differences(path: Path, sources: Sequence[Path]) -> list[RepairedDifference]:
    """Return the differences of a league, with the remedies that are possible with the ``sources``.

    Raises: InputError, for a source that is neither a file nor a folder; StoreError, SpecError, RosterError.
    """
    with leagues.open_league(path) as league:
        known = Sources(league, sources)
        return [_describe(one, known) for one in inspection.differences(league)]


def repair(path: Path, sources: Sequence[Path], chosen: Mapping[str, str], *, usual: bool) -> list[RepairedDifference]:
    """Apply the ``chosen`` remedies, by the name of their difference, and the ``usual`` one of the others; return what was found.

    Raises: BusyError, while the league is played; InputError, for a remedy that is not offered and for a source as above;
    StoreError, SpecError.
    """
    with Folder(path).lock(), leagues.open_league(path, write=True, repair=True) as league:
        known = Sources(league, sources)
        found = list(inspection.differences(league))
        _check_chosen(found, known, chosen, usual=usual)
        first = [_apply(one, known, league, chosen, usual=usual) for one in found if one.kind in FIRST]
        if any(one.done for one in first):
            found, known = list(inspection.differences(league)), Sources(league, sources)
        return first + [_apply(one, known, league, chosen, usual=usual) for one in found if one.kind not in FIRST]


def _check_chosen(found: Sequence[FolderDifference], known: Sources, chosen: Mapping[str, str], *, usual: bool) -> None:
    by_name = {one.name: one for one in found}
    for one in found:
        if one.kind == "witness" and not usual and one.name not in chosen:
            raise InputError(f"{one.found}; nothing else is repaired before that is accepted: --remedy {one.name}=accept")
    for name, remedy in chosen.items():
        if name not in by_name:
            expected = f"one of {', '.join(by_name)}" if by_name else "none, because there is no difference"
            raise InputError(f"no difference {name!r}; expected {expected}")
        if remedy not in (offered := _offers(by_name[name], known)):
            raise InputError(f"{name}: found the remedy {remedy!r}; expected one of {', '.join(offered) or 'none'}")


def _offers(one: FolderDifference, known: Sources) -> tuple[str, ...]:
    return (RESTORE, *one.remedies) if one.restorable and known.has(one) else one.remedies


def _describe(one: FolderDifference, known: Sources) -> RepairedDifference:
    return RepairedDifference(
        name=one.name, found=one.found, expected=one.expected, consequence=one.consequence, remedies=_offers(one, known)
    )


def _apply(
    one: FolderDifference, known: Sources, league: OpenLeague, chosen: Mapping[str, str], *, usual: bool
) -> RepairedDifference:
    """Apply the remedy chosen for a difference, or with ``usual`` its first; without either only describe it."""
    listed = _describe(one, known)
    remedy = chosen.get(one.name) or (next(iter(listed.remedies), "") if usual else "")
    if not remedy:
        return listed
    done, problem = remedy, ""
    try:
        if remedy == RESTORE:
            known.restore(one)
        else:
            ACTIONS[remedy](league, one)
    except (ArenaError, OSError) as error:
        done, problem = "", str(error)
    return replace(listed, done=done, problem=problem)


# --- remedies without a source


def _version(league: OpenLeague, one: FolderDifference) -> Version:
    return leagues.field(league.store).version(one.about)


def _store(league: OpenLeague, event: Event) -> None:
    with league.store.deciding():
        add(league.store, event)


def _accept(league: OpenLeague, one: FolderDifference) -> None:
    del one
    with league.store.deciding():
        witnesses.accept_in(league.store, "arena league repair")


def _withdraw(league: OpenLeague, one: FolderDifference) -> None:
    if _version(league, one).state != "withdrawn":
        what = "its copy is lost" if one.kind == "bot" else "its libraries are lost"
        _store(league, Withdrawn(at=now(), version=one.about, reason=what))


def _fetch(league: OpenLeague, one: FolderDifference) -> None:
    """Resolve the same versions again, and keep them if they are the same files."""
    environment, folder = _version(league, one).environment, league.libraries.folder
    assert environment
    pinned = tuple(f"{library.name}=={library.version}" for library in environment.libraries)
    with libraries.prepare_libraries(pinned, league.libraries, (), league.spec.sandbox) as found:
        if found.digest != environment.digest:
            raise StoreError(f"{one.about}: the index has other files than those that were chosen")
        place = folder / environment.digest
        if place.exists():
            shutil.rmtree(place)
        libraries.store_environment(found, folder)


def _begin_with(league: OpenLeague, one: FolderDifference, state: str | None) -> None:
    version = one.about.partition(":")[0]  # an older state is named after it
    _store(league, StateLost(at=now(), version=version, state=one.digest, instead=state, reason="its file is lost"))


def _end_season(league: OpenLeague, one: FolderDifference) -> None:
    with league.store.deciding():
        _add_end(league, one)


def _add_end(league: OpenLeague, one: FolderDifference) -> None:
    if not calendar(leagues.events_of(league.store)).stopped:
        add(league.store, SeasonStopped(at=now(), season=int(one.about), reason="its secret is lost"))
    add(league.store, SeasonClosed(at=now(), season=int(one.about)))


def _take_out(league: OpenLeague, one: FolderDifference) -> None:
    """Cut the chain before the open round, store its later events again except those of lost states, and end the season."""
    store = league.store
    with store.deciding():
        events, seen = leagues.events_of(store), store.seen_link()
        assert seen
        opened = max(place for place, event in enumerate(events) if isinstance(event, RoundOpened))
        entrants = {entrant.name: entrant for entrant in store.entrants()}
        store.cut(opened)
        reason = f"the secret of season {one.about} is lost, and the open round is taken out"
        add(store, RollbackAccepted(at=now(), count=seen.count, link=seen.link, reason=reason))
        for event in events[opened + 1 :]:
            if isinstance(event, Submitted) and event.version in entrants:
                store.add_event(encode(event), entrants[event.version])
            elif not isinstance(event, SeasonStopped | StateLost):
                add(store, event)
        _add_end(league, one)
    (league.folder.path / review_cache.SHOWN_FILE).unlink(missing_ok=True)  # reviews of hands that are played anew


def _refuse(league: OpenLeague, one: FolderDifference) -> None:
    path = league.folder.inside(uploads.FOLDER, one.about)
    with _without_server(path):
        uploads.refuse(path, "it was lost by the server; send it again")


def _set_aside_file(league: OpenLeague, one: FolderDifference) -> None:
    path = _place(league, uploads.FOLDER, one.about) if one.kind == "upload" else _place(league, one.about)
    with _without_server(path):
        set_aside(path)


def _rewrite(league: OpenLeague, one: FolderDifference) -> None:
    del one
    set_aside(league.folder.path / SPEC)
    league.folder.write(SPEC, league.spec.text)


def _remove(league: OpenLeague, one: FolderDifference) -> None:
    """Remove what nothing needs, unless a process is just writing it. Raises: StoreError, BusyError."""
    path = _place(league, one.about)
    with try_exclusive_lock(league.bots) as is_exclusive, _without_server(path):
        if not is_exclusive or _is_being_written(path):
            raise StoreError(f"{path}: another process is writing it; try again later")
        if path.name in inspection.known_entries(league).get(path.parent.name, ()):
            return  # a bot has been submitted since that needs it
        if path.name == WORK:  # a publication that was killed: it is completed, which removes its folder
            publishing.complete(path.parent)
        elif path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _without_server(path: Path) -> AbstractContextManager[None]:
    """Keep a server from receiving uploads while a path in their folder is changed. Raises: BusyError."""
    return Folder(path.parent).lock() if path.parent.name == uploads.FOLDER else nullcontext()


def _is_being_written(draft: Path) -> bool:
    """Tell whether a process writes a draft (:mod:`arena.disk`)."""
    if not draft.is_file() or draft.suffix != ".new":
        return False
    handle = os.open(draft, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


ACTIONS: dict[str, Callable[[OpenLeague, FolderDifference], None]] = {
    "accept": _accept,
    "withdraw": _withdraw,
    "fetch": _fetch,
    "earlier": lambda league, one: _begin_with(league, one, inspection.earlier_state(league, one.about, one.digest)),
    "empty": lambda league, one: _begin_with(league, one, EMPTY_DIGEST),
    "forget": lambda league, one: _begin_with(league, one, None),
    "end-season": _end_season,
    "take-out": _take_out,
    "refuse": _refuse,
    "set-aside": _set_aside_file,
    "rewrite": _rewrite,
    "remove": _remove,
}
