"""Finds the class that reads a stored run, and holds that of a plugin to the contract of ``StoredRun``.

A run that is no tournament has the fact ``kind``. A plugin names its class by the hook ``arena_stored_kinds``; it is imported when
such a run is read.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial

from msgspec.structs import fields

from arena.errors import StoreError
from arena.plugins.checked_calls import Given
from arena.plugins.held_parts import hold
from arena.plugins.manager import installed_kinds, naming_missing
from arena.plugins.part_meanings import MEANINGS
from arena.plugins.source import Source, UnexpectedError
from arena.plugins.strangers import attribute_at, source_at
from arena.plugins.typed import data, shown, type_name
from arena.roster.entrant import Entered
from arena.runs.agreement import PLUGINS
from arena.runs.stored import StoredRun
from arena.stats.standings import Places
from arena.store.folder import Folder
from arena.store.store import Facts, Store
from arena.tournament.formats.base import Format
from arena.tournament.spec import Kinds, Spec

KIND = "kind"  # the fact that names the kind of a run; a tournament has none
PARTS = {"folder": Folder, "store": Store, "facts": Facts, "spec": Spec, "field": tuple, "shown": tuple}  # of a stored run


def kind_of(folder: Folder, facts: Facts, kinds: Kinds) -> type[StoredRun]:
    """Return the class of a run with these facts. Raises: StoreError, for a kind that no plugin adds; PluginError."""
    name = facts.get(KIND)
    if name is None:
        return StoredRun
    if name not in kinds.stored:
        why = f"the plugin that reads it is not installed{kinds.not_loaded}"
        raise StoreError(f"{folder.path}: holds a run of the kind {name!r}; {why}")
    return _held_kind(name, kinds.stored[name])


@cache
def _held_kind(name: str, where: str) -> type[StoredRun]:
    """Import the class of a kind of runs; that of a plugin is held to the contract of ``StoredRun``. Raises: PluginError."""
    source = source_at(where, f"hook arena_stored_kinds, kind {name!r}")
    found = attribute_at(where, source)
    if not (isinstance(found, type) and issubclass(found, StoredRun)):
        raise source.error(f"found {shown(found)}; expected a subclass of StoredRun")
    with source.naming():
        _check_kind(found)
    hold(found, StoredRun, source, {"read": partial(_whole, source), "places": _ranks_entrants})
    return found


def _check_kind(kind: type[StoredRun]) -> None:
    """Check the command that shows the pages of a kind, and that its fields are filled. Raises: UnexpectedError, KeyError."""
    data(kind.own_pages, str).format(folder="run")
    reader = next(one for one in kind.__mro__ if "read" in vars(one))  # whose method fills its own fields
    filled = getattr(reader, "__struct_fields__", ())
    unfilled = [one.name for one in fields(kind) if one.required and one.name not in filled]
    if unfilled:
        raise UnexpectedError(f"the field {unfilled[0]!r} without a default", "a default, or a method read that fills it")


def _whole(source: Source, run: StoredRun, given: Given) -> StoredRun:
    """Return a run whose parts have the right types; the format that its class brings is held to the contract too."""
    del given
    for name, kind in PARTS.items():
        if not isinstance(found := getattr(run, name), kind):
            raise UnexpectedError(f"{name} = {shown(found)}", type_name(kind))
    for entrant in (*run.field, *run.shown):
        data(entrant, Entered)
    hold(type(run.spec.format), Format, source.at("format"), MEANINGS[Format])
    return run


def _ranks_entrants(ranking: Places | None, given: Given) -> Places | None:
    """Return a ranking that has no entrant twice, and nobody else."""
    ranked = [name for place in ranking or () for name in place]
    for name in ranked:
        if name not in given["self"].names or ranked.count(name) > 1:
            raise UnexpectedError(f"{name!r} in the ranking {ranked}", "entrants of the run, each at most once")
    return ranking


def stored_run(folder: Folder, store: Store, kinds: Kinds) -> StoredRun:
    """Return the run that a database holds. Raises: StoreError, if it has not begun; DamagedError, SpecError, PluginError."""
    facts = store.begun_facts()
    kinds = naming_missing(kinds, facts.get(PLUGINS, ""))
    return kind_of(folder, facts, kinds).read(folder, store, facts, kinds)


@contextmanager
def open_stored(folder: Folder) -> Iterator[tuple[Store, StoredRun]]:
    """Yield the database and the stored run of a folder. Raises: as ``stored_run``."""
    with Store(folder.database) as store:
        yield store, stored_run(folder, store, installed_kinds())
