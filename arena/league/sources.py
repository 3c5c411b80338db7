"""What a person says that lost things of a league may be taken from: copies of its folder, bots, states, secrets."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from arena import system
from arena.errors import ArenaError, InputError, RosterError, StoreError
from arena.league import folder as leagues
from arena.league import tokens, uploads
from arena.league.folder import OpenLeague
from arena.league.inspection import FolderDifference
from arena.league.intake import copies, libraries
from arena.league.intake.scratch import scratch, settle
from arena.league.rules import rounds
from arena.league.rules.rounds import calendar
from arena.league.states import FOLDER as STATES
from arena.players.state import digest
from arena.runs.confined_reading import confined_reader, refusing_errors
from arena.store.folder import Folder

LOST = "lost"  # how the name of what is set aside begins

Put = Callable[[], None]  # puts what was found in its place


class Sources:
    """The paths that were given, and the uploads that wait."""

    def __init__(self, league: OpenLeague, paths: Sequence[Path]) -> None:
        """Take the paths. Raises: InputError, for one that is neither a file nor a folder, as a device without an end."""
        if odd := [path for path in paths if not (path.is_file() or path.is_dir())]:
            raise InputError(f"--from {odd[0]}: neither a file nor a folder")
        own = sorted((league.folder.path / uploads.FOLDER).glob(f"[0-9]*/{uploads.BODY}/*"))
        self._league = league
        self._paths = [*paths, *own]
        self._field = leagues.field(league.store)
        self._known: dict[str, bool] = {}  # by the name of a difference: whether there is what it lacks

    def has(self, one: FolderDifference) -> bool:
        """Tell whether there is what a difference lacks."""
        if one.name not in self._known:
            self._known[one.name] = self._use(one, lambda _: None)
        return self._known[one.name]

    def restore(self, one: FolderDifference) -> None:
        """Put it in its place. Raises: StoreError."""
        if not self._use(one, lambda put: put()):
            raise StoreError(f"{one.name}: not found in what was given")

    def _use(self, one: FolderDifference, use: Callable[[Put], None]) -> bool:
        """Pass on what puts the first thing that fits in its place, and return whether there is one."""
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
                except (ArenaError, OSError, system.TooLargeError):  # it is something else
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
                copies.copy_of(version, copy, reader)
                yield lambda: _put(copy, league.bots / version.digest, lambda place: copies.copy_of(version, place, reader))
                return
            submissions = league.spec.submissions
            taken = stack.enter_context(copies.copy_in(str(path), league.bots, submissions, league.spec.sandbox))
            same = libraries.identity(taken.files, version.environment) == version.digest and taken.entry == version.entry
            yield (lambda: copies.keep_again(taken, version, league.folder.path, reader)) if same else None

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
        content = system.read(file, 1 << 32)
        yield (lambda: _write(self._league.folder.path / STATES / one.digest, content)) if digest(content) == one.digest else None

    @contextmanager
    def _secret(self, one: FolderDifference, path: Path) -> Iterator[Put | None]:
        season = calendar(leagues.events_of(self._league.store)).season
        assert season
        file = path / f"season-{one.about}.secret" if path.is_dir() else path
        text = system.read(file, 1000).decode("ascii", "replace").strip()
        same = rounds.commit(text, season.rounds) == season.commitment
        yield (lambda: leagues.write_secret(self._league.folder, season.season, text)) if same else None

    @contextmanager
    def _upload(self, one: FolderDifference, path: Path) -> Iterator[Put | None]:
        source = path / uploads.FOLDER / one.about
        place = self._league.folder.path / uploads.FOLDER / one.about
        uploads.read(source / uploads.RECORD)

        def put() -> None:
            with Folder(place.parent).lock():
                set_aside(place)
                _put(source, place, lambda _: None)

        yield put

    @contextmanager
    def _file(self, one: FolderDifference, path: Path) -> Iterator[Put | None]:
        tokens.stored_tokens(path)
        content = system.read(path / one.about, 1 << 24)
        yield lambda: _write(self._league.folder.path / one.about, content)


def _put(source: Path, place: Path, check: Callable[[Path], object]) -> None:
    """Copy a folder to a place, in one step, unless what ``check`` expects is there. Raises: StoreError."""
    with suppress(StoreError, RosterError, FileNotFoundError):
        if place.exists():
            check(place)
            return
    with scratch(place.parent) as folder:
        shutil.copytree(source, folder / place.name, symlinks=True)
        if place.exists():
            shutil.rmtree(place)
        settle(folder / place.name, place)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    system.write(path, content, private=True)


def set_aside(path: Path) -> None:
    """Rename a file or folder, to a name that nothing else has."""
    if path.exists():
        number = next(number for number in range(1, 10_000) if not path.with_name(f"{LOST}-{number}-{path.name}").exists())
        path.rename(path.with_name(f"{LOST}-{number}-{path.name}"))
