"""Makes bots of players in Java that were written for the Gin Rummy EAAI Undergraduate Research Challenge, as they are published.

Nothing of theirs is run: their sources are compiled, and class files are read. The compiler is given one player and finds what that
needs, so a whole repository may be given of which a part needs libraries that are not there. Players in files that were named come
first, and the challenge's own samples last.
"""

import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Final

from msgspec import Struct

from arena.errors import InputError
from arena.runs.challenge import class_files
from arena.runs.challenge.class_files import JavaClass
from arena.runs.challenge.construction import find_construction
from arena.runs.challenge.given import INTERFACE, NAME, PACKAGE, Files, GivenFiles, JavaSource, gather
from arena.runs.challenge.project import JavaPlayer, bot_files, compile_player

CLASS_BYTES: Final = 1 << 20
UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError, RuntimeError)  # a jar
MOST_SHOWN: Final = 3  # players that were not taken, in an error
SAMPLES: Final = (f"{PACKAGE}.SimpleGinRummyPlayer", f"{PACKAGE}.SimpleFileGinRummyPlayer")


class AdoptedBot(Struct, frozen=True):
    """The files of a bot, and a line for each step that led to them."""

    files: Files
    notes: list[str]


class PlayerCandidate(Struct, frozen=True):
    """A class that seems to be a player."""

    name: str
    rank: tuple[bool, int]  # the least comes first
    find: Callable[[], JavaPlayer]  # raises InputError


def adopt(template: Files, paths: Iterable[Path]) -> AdoptedBot:
    """Return a bot for the player in some files. Raises: InputError.

    ``template``: the files of the bridge, with its Makefile and its manifest.
    """
    given = gather(paths)
    candidates = sorted((*_in_sources(template, given), *_in_jars(given)), key=lambda one: one.rank)
    failures = list[str]()
    for place, candidate in enumerate(candidates):
        try:
            player = candidate.find()
        except InputError as error:
            failures.append(f"{candidate.name}: {error}")
            continue
        where = player.source.path if player.source else "the jar"
        notes = [*given.notes, *failures, f"the player is {player.name} in {where}, constructed {player.construction}"]
        if others := [other.name for other in candidates[place + 1 :]]:
            notes.append(f"other players: {', '.join(others)}; for one of these name its file first")
        return AdoptedBot(bot_files(template, given, player), notes)
    seen = "; ".join(failures[:MOST_SHOWN]) or "none"
    more = f"; and {len(failures) - MOST_SHOWN} more" if len(failures) > MOST_SHOWN else ""
    raise InputError(f"--from: expected a class that implements {INTERFACE} and can be constructed; found {seen}{more}")


def _in_sources(template: Files, given: GivenFiles) -> Iterator[PlayerCandidate]:
    names, count = {INTERFACE}, 0
    while len(names) > count:  # until no class extends one of them that is not among them
        count = len(names)
        names |= {source.name for source in given.sources if source.parents & names}
    for source in given.sources:
        if source.parents & names:
            rank = (not source.is_named, _samples_place(source.class_name))
            yield PlayerCandidate(source.class_name, rank, _compiled(template, given, source))


def _samples_place(name: str) -> int:
    """Return 0, or for the challenge's own samples a higher number."""
    return SAMPLES.index(name) + 1 if name in SAMPLES else 0


def _compiled(template: Files, given: GivenFiles, source: JavaSource) -> Callable[[], JavaPlayer]:
    def find() -> JavaPlayer:
        known = [*compile_player(template, given, source), *chain.from_iterable(map(_classes, given.jars.values()))]
        found = next((one for one in known if one.name == source.class_name), None)
        if found is None:
            raise InputError("is declared in no file of its name")
        return _player(found, known, given, source)

    return find


def _in_jars(given: GivenFiles) -> Iterator[PlayerCandidate]:
    known = list(chain.from_iterable(map(_classes, given.jars.values())))
    for one in known:
        if one.has_objects and _interface(one, known):
            yield PlayerCandidate(one.name, (False, _samples_place(one.name)), _packed(one, known, given))


def _packed(one: JavaClass, known: Sequence[JavaClass], given: GivenFiles) -> Callable[[], JavaPlayer]:
    return lambda: _player(one, known, given, None)


def _classes(jar: bytes) -> Iterator[JavaClass]:
    """Yield the classes in a jar, without those that cannot be read."""
    with suppress(*UNREADABLE), zipfile.ZipFile(BytesIO(jar)) as archive:
        for entry in archive.infolist():
            if entry.filename.endswith(".class") and not entry.filename.startswith("META-INF/"):
                with suppress(ValueError, *UNREADABLE), archive.open(entry) as file:
                    yield class_files.parse(file.read(CLASS_BYTES))


def _player(found: JavaClass, known: Sequence[JavaClass], given: GivenFiles, source: JavaSource | None) -> JavaPlayer:
    interface = _interface(found, known)
    if not found.has_objects or not interface:
        raise InputError("is abstract" if interface else f"does not implement {INTERFACE}")
    if not re.fullmatch(rf"(?:{NAME}\.)*{INTERFACE}", interface, re.ASCII):  # it becomes a path in the Makefile
        raise InputError(f"implements {interface}; expected a package of letters, digits and _")
    arguments, construction = find_construction(found, given.sources)
    return JavaPlayer(name=found.name, interface=interface, arguments=arguments, construction=construction, source=source)


def _interface(one: JavaClass, known: Sequence[JavaClass]) -> str:
    """Return the name of the challenge's interface that a class implements, itself or by a parent; empty: it does not."""
    by_name = {other.name: other for other in known}
    waiting, seen = [one.parent, *one.interfaces], set[str]()
    while waiting:
        name = waiting.pop()
        if name.rpartition(".")[2] == INTERFACE:
            return name
        if name in by_name and name not in seen:
            waiting += (by_name[name].parent, *by_name[name].interfaces)
        seen.add(name)
    return ""
