"""Which class reads a stored run, and what its methods may return."""

import inspect
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.servers.runs_without_report import run_without_report

from arena.errors import PluginError, StoreError
from arena.plugins.held_parts import declared, returned
from arena.plugins.manager import installed_kinds
from arena.records import Fixture
from arena.runs.stored import RecordedFixtures, RecordedRun, StoredRun
from arena.runs.stored_kinds import KIND, kind_of, open_stored, stored_run
from arena.store.folder import Folder
from arena.store.store import Facts, Store
from arena.tournament.spec import Kinds

METHODS = [name for name in declared(StoredRun) if name not in ("read", "of_terms")]
ARGUMENTS = {"results": list, "number": 0, "fixture": "a-b/0/0", "deals": "a-b/0"}


class Forgetful(StoredRun, frozen=True, kw_only=True):
    """Forgets to return the run."""

    @classmethod
    def read(cls, *_: object) -> None:  # type: ignore[override]
        return None


class Incomplete(StoredRun, frozen=True, kw_only=True):
    """Forgets the entrants."""

    @classmethod
    def read(cls, folder: Folder, store: Store, facts: Facts, kinds: Kinds) -> "Incomplete":
        return replace(super().read(folder, store, facts, kinds), field=None)


class Named(StoredRun, frozen=True, kw_only=True):
    """Has a line of pages that no folder fits into."""

    own_pages = "arena show {run}"


class Unrated(StoredRun, frozen=True, kw_only=True):
    """Says of itself what is no yes or no."""

    rated = "no"  # type: ignore[assignment]


class Unfilled(StoredRun, frozen=True, kw_only=True):
    """Has a field that nobody fills."""

    more: int


class Twice(StoredRun, frozen=True, kw_only=True):
    """Ranks an entrant twice."""

    def places(self, results: object) -> list[list[str]]:
        return [["a"], ["a", "b"]]


class Silent(StoredRun, frozen=True, kw_only=True):
    """Yields a difference, and forgets the remarks."""

    def differences(self, complete: object) -> Iterator[str]:  # type: ignore[override]
        yield "one"


class Nameless(RecordedFixtures, frozen=True, kw_only=True, tag="nameless"):
    """A format that ranks nobody."""

    def ranking(self, field: object, played: object) -> list[list[str]]:
        return []


class Ranked(RecordedRun, frozen=True, kw_only=True):
    """Brings its own format."""

    @classmethod
    def read(cls, folder: Folder, store: Store, facts: Facts, kinds: Kinds) -> "Ranked":
        run = super().read(folder, store, facts, kinds)
        return replace(run, spec=replace(run.spec, format=Nameless(recorded=())))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(run_without_report(tmp_path / "run"))
    with sqlite3.connect(made.database) as database:
        database.execute("INSERT INTO run VALUES (?, 'odd')", [KIND])
    return made


def problem(folder: Folder, kind: type[StoredRun], use: Callable[[Any], object] = str) -> str:
    """Return what is wrong with a kind of runs, or with what ``use`` gets of such a run; a generator is read to its end."""
    globals()[kind.__name__] = kind
    known = replace(installed_kinds(), stored={"odd": f"{__name__}:{kind.__name__}"})
    with Store(folder.database) as store, pytest.raises(PluginError) as caught:
        found = use(stored_run(folder, store, known))
        list(found) if isinstance(found, Iterator) else found
    line, where = str(caught.value), f"the plugin that names '{__name__}:{kind.__name__}': hook arena_stored_kinds, kind 'odd'"
    assert line.startswith(where)
    assert "\n" not in line
    return line.removeprefix(where)


def kind_with(method: str, value: Any) -> type[StoredRun]:
    """Return a kind of runs with a method, or a property, that calls ``value``."""
    own = vars(StoredRun)[method]
    body = {"__module__": __name__, method: property(value) if isinstance(own, property) else value}
    return type(f"Odd_{method}_{value.__name__}", (StoredRun,), body, frozen=True, kw_only=True)


def call(method: str) -> Callable[[Any], object]:
    """Return what calls a method of a run with arguments of the right names, or asks for its property."""
    own = vars(StoredRun)[method]
    if isinstance(own, property):
        return lambda run: getattr(run, method)
    names = [*inspect.signature(own).parameters][1:]
    return lambda run: getattr(run, method)(*(ARGUMENTS.get(name) for name in names))


@pytest.mark.parametrize("method", METHODS)
def test_a_method_that_returns_something_else_is_named(folder: Folder, method: str) -> None:
    found = problem(folder, kind_with(method, lambda *_: object()), call(method))
    assert found.startswith(f", {method}: found <object object at 0x")
    assert "; expected " in found


@pytest.mark.parametrize("method", METHODS)
def test_an_exception_in_a_method_is_named(folder: Folder, method: str) -> None:
    def fail(*_: object) -> None:
        raise KeyError("boom")

    assert problem(folder, kind_with(method, fail), call(method)).startswith(f", {method}: KeyError: 'boom' (line ")


def test_every_method_has_a_type_that_can_be_checked() -> None:
    assert [name for name in declared(StoredRun) if returned(StoredRun, name) is None] == []


@pytest.mark.parametrize(
    ("kind", "use", "found"),
    [
        (Forgetful, str, ", read: found None; expected StoredRun"),
        (Incomplete, str, ", read: found field = None; expected tuple"),
        (Named, str, ": KeyError: 'run'"),
        (Unfilled, str, ": found the field 'more' without a default; expected a default, or a method read that fills it"),
        (Unrated, str, ": found rated = 'no'; expected bool"),
        (
            Twice,
            call("places"),
            ", places: found 'a' in the ranking ['a', 'a', 'b']; expected entrants of the run, each at most once",
        ),
        (
            Silent,
            call("differences"),
            ", differences: found None at its end; expected Sequence[str] as the value of the generator",
        ),
        (
            Ranked,
            lambda run: run.spec.format.ranking(["a"], []),
            ", format, ranking: found the ranking of nobody; expected each of a once",
        ),
    ],
)
def test_what_a_type_cannot_say_is_named(folder: Folder, kind: type[StoredRun], use: Callable[[Any], object], found: str) -> None:
    assert problem(folder, kind, use) == found


def test_right_values_are_passed_on(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    fixture = Fixture("x", ("a", "b"), "x")
    body = {
        "__module__": __name__,
        "can_replay": lambda *_: False,
        "term_differences": lambda _: iter(["seed"]),
        "runs_beside": lambda _: [],
    }
    globals()["Right"] = type("Right", (StoredRun,), body, frozen=True, kw_only=True)
    known = replace(installed_kinds(), stored={"odd": f"{__name__}:Right"})
    monkeypatch.setattr("arena.runs.stored_kinds.installed_kinds", lambda: known)
    with open_stored(folder) as (_, run):
        assert (run.can_replay(fixture), [*run.term_differences()], [*run.runs_beside()]) == (False, ["seed"], [])
        assert run.places(list) is None


@pytest.mark.parametrize(
    ("place", "error"), [("arena.nowhere:Class", PluginError), ("arena.text:shorten", PluginError), (None, StoreError)]
)
def test_a_kind_without_its_class_is_refused(place: str | None, error: type[Exception], tmp_path: Path) -> None:
    known = replace(installed_kinds(), stored={} if place is None else {"solo": place})
    with pytest.raises(error):
        kind_of(Folder(tmp_path), Facts(tmp_path, {KIND: "solo"}), known)


def test_every_kind_of_arena_meets_the_contract(tmp_path: Path) -> None:
    kinds = installed_kinds()
    assert {kind_of(Folder(tmp_path), Facts(tmp_path, {KIND: kind}), kinds).__module__ for kind in kinds.stored} == {
        where.partition(":")[0] for where in kinds.stored.values()
    }
