"""Copies all files of a submitted bot into a folder of its own, and finds the bot there again.

Nothing of the bot runs here. The copy is played, so the author may change or remove the original.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from os.path import isfile
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.confinement.profiles import Sandbox
from arena.disk import real
from arena.errors import RosterError, StoreError
from arena.league.intake import libraries
from arena.league.intake.archives import MEGABYTE, UnpackLimits
from arena.league.intake.packed_bots import FILES, SDIST, UnpackedBot, packed_name, unpack
from arena.league.intake.scratch import move_into_place, scratch
from arena.league.intake.wheels import one_bot
from arena.league.rules.field import Version
from arena.league.rules.spec import SubmissionTerms
from arena.players.shortened_paths import shorten_paths
from arena.roster.bot_classes import NotOneBotError, list_names
from arena.roster.entrant import Entrant
from arena.roster.finder import SDK, find, find_whole, module_of
from arena.roster.manifest_folder import MANIFEST
from arena.roster.reader import Reader
from arena.runs.confined_reading import ConfinedReader, confined_reader
from arena.runs.requirements import REQUIREMENTS_FILE, requirement_lines

BOTS = "bots"  # folder of the copies, in a league's
ENVIRONMENTS = "environments"  # folder of their libraries
SINGLE = "bot.py"  # the copy of a bot that is one file
IN_TEXT = re.compile(rf"(?<![\w./-]){re.escape(SINGLE)}(?![\w.-])")


class Intake(Struct, frozen=True, kw_only=True):
    """A bot that was copied."""

    name: str  # the bot's own
    entry: str  # as in ``Submitted``
    folder: Path
    entrant: Entrant  # the copy
    requirements: tuple[str, ...] = ()  # of libraries
    sent: str = ""  # the name of its only file, of which the copy is called ``SINGLE``; empty: it has several

    def as_sent(self, text: str) -> str:
        """Return what the copy wrote with the name of the author's own file, which the copy does not have."""
        return IN_TEXT.sub(lambda _: self.sent, text) if self.sent else text

    @property
    def files(self) -> str:
        """Return the digest of its files."""
        return self.entrant.digest


@contextmanager
def copy_in(bot: str, bots: Path, terms: SubmissionTerms, sandbox: Sandbox) -> Iterator[Intake]:
    """Copy a bot into a new folder below ``bots``, which is removed at the end unless it was stored.

    ``bot`` is what ``find`` finds, an archive of a file, a folder or a package, or a wheel. Raises: RosterError, StoreError,
    SandboxError, ReadingError.
    """
    with scratch(bots) as folder, confined_reader(sandbox) as reader:
        if archive := packed_name(bot):
            with scratch(bots) as stage, _naming(archive.path.name, stage, folder):
                limits = UnpackLimits(size=terms.archive_mb * MEGABYTE)
                taken = _take_in(unpack(archive, stage, limits, sandbox, reader), folder, reader)
        else:
            taken = _copy(_original(bot, reader), folder, reader)
        reader.close()  # an audition takes much longer
        yield taken


@contextmanager
def _naming(archive: str, stage: Path, folder: Path) -> Iterator[None]:
    """Name files in errors by their paths in an archive. Raises: RosterError."""
    try:
        yield
    except RosterError as error:
        text = shorten_paths(str(error), (str(stage / FILES), str(stage), str(folder)))
        raise RosterError(text if text.startswith(archive) else f"{archive}: {text}") from None


def store_copy(taken: Intake, digest: str, bots: Path) -> None:
    """Move a copy to its place, ``bots/DIGEST``, with its files read-only, unless the same bot is there. Raises: StoreError."""
    place = bots / digest
    for path in taken.folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.chmod(path.stat().st_mode & 0o555 | 0o444)
    move_into_place(taken.folder, place)


def entrant(version: Version, league: Path, reader: Reader) -> Entrant:
    """Return the entrant of a version from its copy in a league's folder.

    Raises: RosterError; StoreError, if the copy or its libraries were changed; what the reader raises.
    """
    found, environment = copy_of(version, league / BOTS / version.digest, reader), version.environment
    if environment:
        found = libraries.with_libraries(found, libraries.check(environment, league / ENVIRONMENTS))
    return replace(found, digest=version.digest)


def copy_of(version: Version, place: Path, reader: Reader) -> Entrant:
    """Return a version as it is in a folder, without its libraries.

    Raises: RosterError; StoreError, if its files are not those that were submitted; what the reader raises.
    """
    folder = real(place)
    found = _find_bot(version.entry, version.id, folder, reader)
    if libraries.identity(found.digest, version.environment) != version.digest:
        raise StoreError(f"{folder}: changed since {version.id} was submitted: its digest is now {found.digest[:12]}")
    return found


def restore_copy(taken: Intake, version: Version, league: Path, reader: Reader) -> None:
    """Replace the copy of a version by ``taken``, if it is missing or was changed. Raises: StoreError; what the reader raises."""
    place = league / BOTS / version.digest
    try:
        copy_of(version, place, reader)
    except (RosterError, StoreError):
        if place.exists():
            shutil.rmtree(place)
        store_copy(taken, version.digest, league / BOTS)


def _find_bot(entry: str, name: str, folder: Path, reader: Reader) -> Entrant:
    """Return the bot ``entry``, as in ``Submitted``, in a folder; of a module all files of the folder. Raises: RosterError."""
    module, colon, _ = entry.rpartition(":")
    is_module = colon and not module.endswith(".py")
    return find_whole(entry, name, folder, reader) if is_module else find(entry, name, folder, reader)


def as_named(bot: str) -> str | None:
    """Return a submission as other commands name the bot; None: it is an archive, which those do not accept."""
    return None if packed_name(bot) else bot


def _original(bot: str, reader: Reader) -> Entrant:
    """Return a bot that is not in an archive. Raises: RosterError, also for a folder that would have to be built."""
    path = Path(bot)
    if isfile(path / "pyproject.toml") and not isfile(path / MANIFEST):
        raise RosterError(f"{path}: found pyproject.toml: {SDIST}")
    try:
        return find(bot, reader=reader)
    except NotOneBotError as error:
        raise RosterError(f"{bot}: {list_names(error.bots)}; {one_bot(path.name, next(iter(error.bots), 'Class'))}") from None


def _take_in(bot: UnpackedBot, folder: Path, reader: ConfinedReader) -> Intake:
    """Copy a bot that was unpacked. Raises: RosterError, StoreError."""
    if bot.module:
        entry = bot.module
        _copy_tree(bot.folder, folder)
        found = find_whole(entry, bot.module.rpartition(":")[2], folder, reader)
        taken = Intake(name=found.name, entry=entry, folder=folder, entrant=found)
    else:
        taken = _copy(find(bot.source, reader=reader), folder, reader)
    return replace(taken, name=bot.name or taken.name, requirements=bot.requirements)


def _copy(original: Entrant, folder: Path, reader: ConfinedReader) -> Intake:
    """Copy all files of a bot to a folder. Raises: RosterError, StoreError."""
    try:
        if original.launch.files:
            entry = _copy_files(original, folder)
        else:  # a whole folder; links stay links, and the finder refuses those that lead out of it
            _copy_tree(Path(original.launch.folder), folder)
            entry = _entry(original)
    except OSError as error:
        raise StoreError(f"{error.filename or folder}: cannot be copied: {error.strerror}") from None
    required = () if original.launch.files else reader.requirements(requirement_lines(folder), REQUIREMENTS_FILE)
    found = _find_bot(entry, original.name, folder, reader)
    sent = (module_of(original)[0] or Path()).name if entry.startswith(f"{SINGLE}:") else ""
    return Intake(name=original.name, entry=entry, folder=folder, entrant=found, requirements=required, sent=sent)


def _entry(original: Entrant) -> str:
    """Return how the copy of a whole folder names its bot: by its manifest, or by module and class; with values of parameters."""
    target = original.launch.command[-1]
    return target if original.launch.command[:-1] == SDK else Path(original.source).name


def _copy_tree(source: Path, folder: Path) -> None:
    """Copy a folder without ``__pycache__``. Raises: StoreError; OSError."""
    try:
        shutil.copytree(source, folder, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    except shutil.Error as error:  # of several files
        raise StoreError(f"{source}: cannot be copied: {error.args[0][0][2]}") from None


def _copy_files(original: Entrant, folder: Path) -> str:
    """Copy the files of a Python bot, each to the same place in its package, and return the copy's module and class.

    A bot in one file is copied under a fixed name: the same bot in a renamed file stays the same.
    """
    module, attribute = module_of(original)
    assert module, "it has files"
    if {real(Path(name)) for name in original.launch.files} == {real(module)}:
        shutil.copyfile(module, folder / SINGLE)
        return f"{SINGLE}:{attribute}"
    root = _root(module)
    for name in original.launch.files:
        path = Path(name)
        if path.is_relative_to(root):
            place = folder / path.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
    return f"{module.relative_to(root)}:{attribute}"


def _root(module: Path) -> Path:
    """Return the folder above the outermost package around a module."""
    folder = module.parent
    while isfile(folder / "__init__.py"):
        folder = folder.parent
    return folder
