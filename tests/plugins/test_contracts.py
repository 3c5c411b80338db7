"""What plugins return is held to the contracts of all hooks: one line names the plugin, the hook, what was found and expected."""

import inspect
import pickle
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Executor as Pool
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import Struct, convert
from support.commands.calls import arena
from support.repository import every_kind
from support.repository.distributions import install

from arena import publishing
from arena.errors import PluginError, SandboxError
from arena.league import course, leagues, notices, pair_cache, tokens
from arena.league.intake import copies
from arena.league.rules.events import SIDE_KINDS
from arena.plugins import door, hookspecs, manager, typed
from arena.plugins.contracts import HOOKS, PART_HOOKS
from arena.plugins.held_parts import declared, returned
from arena.plugins.hookspecs import hookimpl
from arena.plugins.part_contracts import PARTS, TIE_BREAKS
from arena.records import Fixture, result
from arena.roster.entrant import Launch
from arena.runs import review_cache
from arena.stats.estimate import Estimate
from arena.stats.format_details import Bracket, Column, Details, PlaceTable
from arena.stats.score_ranking import TieBreak
from arena.store import witness
from arena.store.folder import DATABASE, Folder, is_own
from arena.testing import match_record
from arena.tournament.formats.base import Format
from arena.tournament.formats.round_robin import RoundRobin

HERE = __name__
SPECIFIED = [name for name in vars(hookspecs) if name.startswith("arena_")]
MODELS: dict[str, type[Struct]] = {
    "arena_rulesets": every_kind.Sprint,
    "arena_formats": every_kind.Once,
    "arena_sandboxes": every_kind.Bare,
    "arena_executors": every_kind.Processes,
    "arena_ratings": every_kind.Wins,
    "arena_reports": every_kind.Winner,
}
METHODS = [(hook, method) for hook, base in PARTS.items() for method in declared(base)]
RECORDS = [match_record("a", "b", winner=0), match_record("b", "a", winner=1)]
ARGUMENTS = {"field": ["a", "b"], "played": [result(RECORDS[0])], "records": RECORDS, "number": 0}


def plugin(hook: str, added: object) -> object:
    """Return a plugin of one hook: a function, or what the function returns."""
    function = added if inspect.isfunction(added) else lambda: added
    return type("Stranger", (), {"__module__": HERE, hook: staticmethod(hookimpl(specname=hook)(function))})()


def plugins_with(hook: str, added: object) -> door.PluginManager:
    """Return a manager with such a plugin."""
    plugins = manager.load(entry_points=False)
    plugins.register(plugin(hook, added), "'stranger' of strange 1.2")
    return plugins


def registered(hook: str, part: type[Struct]) -> Any:
    """Return the default instance of a part, as a spec gets it."""
    plugins = plugins_with(hook, [part])
    parts = manager.by_name(getattr(plugins.hook, hook)()[0])
    return convert({"name": manager.name_of(part)}, parts[manager.name_of(part)])


def part_with(hook: str, **methods: Any) -> Any:
    """Return the default instance of a part with these methods, and those that every part of its kind must have."""
    complete = {**vars(MODELS[hook]), **methods}
    own = {name: complete[name] for name in ("file", *declared(PARTS[hook])) if name in complete}
    body = {"__module__": HERE, **own}
    return registered(hook, type("Odd", (PARTS[hook],), body, frozen=True, kw_only=True, tag="odd"))


def call(part: Any, hook: str, method: str) -> Any:
    """Call a method with arguments of the right names, and take all values of an iterator."""
    own = vars(PARTS[hook])[method]
    if isinstance(own, property):
        return getattr(part, method)
    names = [*inspect.signature(own).parameters][1:]
    value = getattr(part, method)(*(ARGUMENTS.get(name) for name in names))
    return list(value) if isinstance(value, Iterator) else value


def line_of(run: Callable[[], object]) -> str:
    """Return the line of the error that a call raises."""
    with pytest.raises(PluginError) as caught:
        run()
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith("plugin 'stranger' of strange 1.2: hook arena_")
    return line


# Every hook and method has a check.


def test_every_hook_of_the_specification_has_a_check() -> None:
    assert set(HOOKS) == set(SPECIFIED)
    others = ("tie_breaks", "commands", "documents", "pages", "stored_kinds", "recorded", "event", "round")
    assert set(PARTS) | {f"arena_{name}" for name in others} == set(SPECIFIED)


@pytest.mark.parametrize("hook", SPECIFIED)
def test_a_hook_that_returns_something_else_is_named(hook: str) -> None:
    plugins = plugins_with(hook, object())
    names = inspect.signature(vars(hookspecs)[hook]).parameters
    line = line_of(lambda: getattr(plugins.hook, hook)(**dict.fromkeys(names)))
    assert re.search(rf"hook {hook}: found <object object at 0x\w+>; expected ", line)


@pytest.mark.parametrize(("hook", "method"), METHODS)
def test_a_method_that_returns_something_else_is_named(hook: str, method: str) -> None:
    odd: Any = lambda *_: object()  # noqa: E731 - a property or a method
    own = vars(PARTS[hook])[method]
    part = part_with(hook, **{method: property(odd) if isinstance(own, property) else odd})
    line = line_of(lambda: call(part, hook, method))
    assert re.search(rf"hook {hook}, part 'odd', {method}: found <object object at 0x\w+>; expected \w+", line)


@pytest.mark.parametrize("error", [KeyError("boom"), SystemExit(0), KeyboardInterrupt(), MemoryError(), RecursionError("deep")])
@pytest.mark.parametrize(("hook", "method"), METHODS)
def test_an_exception_in_a_method_is_named(hook: str, method: str, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("signal.getsignal", lambda _: None)  # arena handles Ctrl-C, as in its commands
    own = vars(PARTS[hook])[method]
    part = part_with(hook, **{method: property(fail) if isinstance(own, property) else fail})
    line = line_of(lambda: call(part, hook, method))
    assert f"hook {hook}, part 'odd', {method}: {type(error).__name__}" in line
    assert __file__ in line


def test_every_method_has_a_type_that_can_be_checked() -> None:
    assert [name for hook, name in METHODS if returned(PARTS[hook], name) is None] == []


def test_an_interrupt_by_the_user_is_passed_on() -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        part_with("arena_reports", render=interrupted).render(None)


def test_an_error_that_a_contract_allows_is_passed_on() -> None:
    def cannot(*_: object) -> Launch:
        raise SandboxError("no such thing here")

    with pytest.raises(SandboxError, match=r"^no such thing here$"):
        part_with("arena_sandboxes", wrap=cannot).wrap(None)


# What a type cannot say.

ONE = Fixture("x/0", ("a", "b"), "x")
TABLE = PlaceTable(title="t", places=[["a"], ["b"]], columns=[Column("score", {"a": "1", "b": "0"})])
WRONG = [
    ("arena_formats", "fixtures", None, "found None; expected Iterable[Fixture]"),
    ("arena_formats", "fixtures", "x/0", "found 'x/0'; expected Iterable[Fixture]"),
    ("arena_formats", "fixtures", [("x/0", ("a", "b"), "x")], "found ('x/0', ('a', 'b'), 'x'); expected Fixture"),
    ("arena_formats", "fixtures", [ONE, ONE], "found fixture 'x/0' again; expected an id that is not repeated"),
    ("arena_formats", "fixtures", [RECORDS[0].fixture], f"found fixture {RECORDS[0].fixture.id!r} again"),
    ("arena_formats", "fixtures", [Fixture("y", ("nobody", "a"), "y")], "found 'nobody' in fixture 'y'; expected one of a, b"),
    (
        "arena_formats",
        "fixtures",
        [Fixture("y", ("a", "b"), "y", hands=0)],
        "(hands: expected a whole number >= 1)",
    ),
    ("arena_formats", "fixtures", [Fixture("", ("a", "b"), "y")], "expected an id and a key of the deals"),
    (
        "arena_formats",
        "fixtures",
        [Fixture("\udcff", ("a", "b"), "y")],
        r"found text with '\udcff'; expected text that UTF-8 can hold",
    ),
    ("arena_formats", "ranking", [["a"]], "found the ranking a; expected each of a, b once"),
    ("arena_formats", "ranking", [["a", "b"], ["a"]], "found the ranking a = b > a; expected each of a, b once"),
    ("arena_formats", "ranking", [], "found the ranking of nobody; expected each of a, b once"),
    ("arena_formats", "ranking", ["a", "b"], "found ['a', 'b']; expected Sequence[Sequence[str]] | None"),
    ("arena_formats", "least", -1, "found -1; expected 0 or more"),
    ("arena_formats", "least", True, "found True; expected int"),
    ("arena_formats", "details", Details(tables=[PlaceTable(title="t", places=[["x"]], columns=[])]), "found 'x' in table 't'"),
    (
        "arena_formats",
        "details",
        Details(tables=[PlaceTable(title="t", places=[["a"], ["b"]], columns=[Column("score", {"a": "1"})])]),
        "found no cell for 'b' in column 'score'",
    ),
    ("arena_formats", "details", Details(brackets=[Bracket("cup", [])]), "found bracket 'cup' without a tie"),
    ("arena_formats", "judged_by", "1", "found '1'; expected int"),
    ("arena_formats", "explain", ["one", 2], "found 2; expected str"),
    ("arena_ratings", "rate", None, "found None; expected dict[str, Estimate]"),
    ("arena_ratings", "rate", {"a": 1.0}, "found {'a': 1.0}; expected dict[str, Estimate]"),
    ("arena_ratings", "rate", {"a": Estimate(float("nan"), 0, 1)}, "found nan [0.0, 1.0] for 'a'; expected finite numbers"),
    ("arena_ratings", "rate", {"a": Estimate(float("inf"), 0, float("inf"))}, "for 'a'; expected finite numbers"),
    ("arena_ratings", "rate", {"a": Estimate(0, 0, 1, ranks=(float("nan"),))}, "expected finite numbers"),
    ("arena_ratings", "rate", {"a": Estimate(2, 0, 1)}, "expected a value between its ends"),
    (
        "arena_ratings",
        "rate",
        {"nobody": Estimate(0, 0, 0)},
        "found an estimate of 'nobody'; expected one of the players: a, b",
    ),
    ("arena_ratings", "rate_scheduled", {"a": Estimate(float("nan"), 0, 1)}, "for 'a'; expected finite numbers"),
    ("arena_reports", "render", b"bytes", "found b'bytes'; expected str"),
    ("arena_reports", "render", "\udcff", r"found text with '\udcff'; expected text that UTF-8 can hold"),
    ("arena_sandboxes", "wrap", Launch(command=(), folder="/"), "found a launch without a command"),
    ("arena_sandboxes", "granting", None, "found None; expected Sandbox"),
    ("arena_executors", "workers", 0, "found 0; expected 1 or more"),
    ("arena_executors", "open", map, "expected Executor"),
]


@pytest.mark.parametrize(("hook", "method", "value", "problem"), WRONG)
def test_a_wrong_value_is_named_with_what_was_found_and_expected(hook: str, method: str, value: Any, problem: str) -> None:
    own = vars(PARTS[hook])[method]
    part = part_with(hook, **{method: property(lambda _: value) if isinstance(own, property) else lambda *_: value})
    assert problem in line_of(lambda: call(part, hook, method))


@pytest.mark.parametrize(
    ("hook", "method", "value"),
    [
        ("arena_formats", "fixtures", [ONE]),
        ("arena_formats", "ranking", [["a"], ["b"]]),
        ("arena_formats", "under", RoundRobin(pairs=7)),
        ("arena_formats", "details", Details(tables=[TABLE])),
        ("arena_ratings", "rate", {"a": Estimate(0, 0, 0)}),
        ("arena_reports", "render", "ok"),
        ("arena_sandboxes", "wrap", Launch(command=("/bin/\udcff",), folder="/")),
    ],
)
def test_a_right_value_is_passed_on(hook: str, method: str, value: Any) -> None:
    assert call(part_with(hook, **{method: lambda *_: value}), hook, method) == value


def test_numbers_of_numpy_become_numbers_of_python() -> None:
    rated = part_with("arena_ratings", rate=lambda *_: {"a": Estimate(np.float64(1), np.float32(0), np.int64(2))}).rate(RECORDS)  # type: ignore[arg-type]
    assert rated == {"a": Estimate(1.0, 0.0, 2.0)}
    assert {type(number) for number in (rated["a"].value, rated["a"].low, rated["a"].high)} == {float}


def test_an_error_in_the_midst_of_a_generator_is_named() -> None:
    def some(*_: object) -> Iterator[Fixture]:
        yield ONE
        raise KeyError("boom")

    fixtures = part_with("arena_formats", fixtures=some).fixtures(["a", "b"], [])
    assert next(fixtures) == ONE
    assert "part 'odd', fixtures: KeyError: 'boom' (line " in line_of(lambda: next(fixtures))


def test_a_generator_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> Iterator[Fixture]:
        number = 0
        while number := number + 1:
            yield Fixture(str(number), ("a", "b"), str(number))

    monkeypatch.setattr(typed, "MOST", 5)
    part = part_with("arena_formats", fixtures=endless, explain=lambda *_: iter(lambda: "and so on", ""))
    assert "fixtures: found more than 5 values; expected an end before" in line_of(lambda: list(part.fixtures(["a", "b"], [])))
    assert "explain: found more than 5 values" in line_of(lambda: list(part.explain(2)))


def test_the_records_that_a_rating_does_not_read_are_read_after_it() -> None:
    read = []
    records = (read.append(record) or record for record in RECORDS)  # type: ignore[func-returns-value] # to count them
    part_with("arena_ratings", rate=lambda *_: {"b": Estimate(0, 0, 0)}).rate(records)
    assert len(read) == 2


# Executors: the pool, its futures, and their records.


class Deferred(Pool):
    """A pool whose futures have a fixed value."""

    def __init__(self, value: object) -> None:
        self._value = value

    def submit(self, *_: Any, **__: Any) -> "Future[Any]":
        """Return a future that is done."""
        future: Future[Any] = Future()
        future.set_result(self._value)
        return future


def test_a_future_without_the_record_of_its_fixture_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class SomeJob(Struct):
        fixture: Fixture

    monkeypatch.setattr("arena.plugins.pool.Job", SomeJob)
    for value in (None, RECORDS[1]):
        pool = part_with("arena_executors", open=lambda *_, value=value: Deferred(value)).open(1, lambda: None)
        line = line_of(pool.submit(print, SomeJob(RECORDS[0].fixture)).result)
        assert "part 'odd', open: found " in line
        assert line.endswith(f"expected the record of {RECORDS[0].fixture.id}")
    good = part_with("arena_executors", open=lambda *_: Deferred(RECORDS[0])).open(1, lambda: None)
    assert good.submit(print, SomeJob(RECORDS[0].fixture)).result() == RECORDS[0]


def test_a_pool_that_returns_no_future_is_an_error() -> None:
    class Eager(Pool):
        def submit(self, *_: Any, **__: Any) -> Any:
            return 3

    pool = part_with("arena_executors", open=lambda *_: Eager()).open(1, lambda: None)
    assert "found 3; expected a concurrent.futures.Future" in line_of(lambda: pool.submit(print))


def test_a_pool_passes_values_errors_and_cancelled_calls_on() -> None:
    with part_with("arena_executors", open=lambda *_: ThreadPoolExecutor(1)).open(1, lambda: None) as pool:
        assert pool.submit(max, 1, 2).result() == 2
        with pytest.raises(ValueError, match="empty"):
            pool.submit(max, ()).result()
        pool.shutdown(cancel_futures=True)


# Parts, before they are used.


class Once(Format, frozen=True, kw_only=True, tag="once"):
    """One match."""

    def fixtures(self, field: Any, played: Any) -> Any:
        """Return the match, until it is played."""
        return [] if played else [ONE]


@pytest.mark.parametrize(
    ("file", "is_right"),
    [
        *((name, False) for name in ("arena.sqlite", "Arena.SQLITE", "arena.sqlite-wal", "spec.yaml", "witness.jsonl", "states")),
        *((name, False) for name in ("../../x", "a/b", "/x", "", ".", "..", ".hidden", "x\n", "results.json", "tokens.json", 3)),
        *((name, True) for name in (None, "headline.txt", "übersicht.html")),
    ],
)
def test_a_report_writes_a_plain_name_that_the_run_does_not_use(file: Any, is_right: bool) -> None:  # noqa: FBT001 - any; a column
    if is_right:
        assert part_with("arena_reports", file=file).file == file
    else:
        problem = f"part 'odd': found file = {file!r}; expected None, or the plain name of a file that a run does not write itself"
        assert problem in line_of(lambda: part_with("arena_reports", file=file))


def test_every_name_that_arena_uses_in_a_folder_is_its_own() -> None:
    constants = (tokens.FILE, course.STORED, leagues.JOBS, *SIDE_KINDS)
    league = (leagues.SPEC, leagues.STATES, pair_cache.RESULTS_CACHE, notices.FILE, copies.BOTS, copies.ENVIRONMENTS)
    run = (DATABASE, witness.WITNESS_FILE, review_cache.PRICES_FILE, review_cache.SHOWN_FILE, publishing.WORK)
    own = (Folder(Path()).log, Folder(Path()).spec, Folder(Path()).unreported_mark, Folder(Path()).unfinished_match)
    files = [part.file for part in manager.kinds(manager.load(entry_points=False)).reports if part.file]
    names = (*constants, *league, *run, *(path.name for path in own), *files, "season-2.secret", "part-2")
    assert [name for name in names if not is_own(name)] == []


@pytest.mark.parametrize("hook", [hook for hook in PARTS if hook != "arena_rulesets"])
def test_a_part_without_what_its_kind_needs_is_refused_where_it_is_chosen(hook: str) -> None:
    bare = type("Bare", (PARTS[hook],), {"__module__": HERE}, frozen=True, kw_only=True, tag="bare")
    assert re.search(r"part 'bare': found no (\w+); expected a method \1$", line_of(lambda: registered(hook, bare)))


def test_a_refused_part_does_not_hinder_the_others() -> None:
    bad = type("Bad", (Once,), {"__module__": HERE, "grows": "no"}, frozen=True, kw_only=True, tag="bad")
    plugins = plugins_with("arena_formats", [bad, Once])
    by_name = manager.by_name(manager.kinds(plugins).formats)
    assert list(convert({"name": "once"}, by_name["once"]).fixtures(["a", "b"], [])) == [ONE]
    line = line_of(lambda: convert({"name": "bad", "pairs": 2}, by_name["bad"]))
    assert "found grows = 'no'; expected bool" in line
    assert manager.refused(plugins) == [line]


def test_an_option_of_a_type_that_no_spec_can_have_is_refused() -> None:
    body = {"__module__": HERE, "__annotations__": {"values": list[int] | dict[int, str] | list[str]}}
    odd = type("Odd", (Once,), body, frozen=True, kw_only=True, tag="odd")
    line = line_of(lambda: registered("arena_formats", odd))
    assert "part 'odd': TypeError: Type unions may not contain more than one array-like" in line


@pytest.mark.parametrize("tag", ["", "a b", "x/y", "\udcff", 3])
def test_a_part_has_a_name_that_a_spec_can_have(tag: Any) -> None:
    part = type("Odd", (Once,), {"__module__": HERE}, frozen=True, kw_only=True, tag=tag)
    line = line_of(plugins_with("arena_formats", [part]).hook.arena_formats)
    assert "as the name of a part; expected letters, digits and _.-" in line


def test_a_part_that_is_registered_twice_is_wrapped_once() -> None:
    for _ in range(2):
        once = registered("arena_formats", Once)
    assert not hasattr(Once.fixtures.__wrapped__, "__wrapped__")  # type: ignore[attr-defined] # of functools.wraps
    assert type(pickle.loads(pickle.dumps(once))) is Once  # noqa: S301 - our own bytes


def test_parts_of_arena_are_left_as_they_are() -> None:
    plugins_with("arena_formats", [RoundRobin]).hook.arena_formats()
    assert not hasattr(RoundRobin.fixtures, "__wrapped__")


def test_a_hook_may_not_wrap_those_of_others() -> None:
    def wrapper() -> Iterator[None]:
        yield

    added = type("Wrapper", (), {"__module__": HERE, "arena_formats": staticmethod(hookimpl(wrapper=True)(wrapper))})()
    plugins = manager.load(entry_points=False)
    with pytest.raises(PluginError, match=r"^plugin 'wraps': found a wrapper of arena_formats; expected a function"):
        plugins.register(added, "'wraps'")


# Tie-breaks, commands and reactions.


@pytest.mark.parametrize("value", [0.5, "a", float("nan")])
def test_a_tie_break_without_a_whole_number_is_named(value: object) -> None:
    odd: Any = TieBreak("odd", "odd: none", lambda *_: value)  # type: ignore[arg-type] # the mistake
    (held,) = plugins_with("arena_tie_breaks", [odd]).hook.arena_tie_breaks()[0]
    assert f"hook arena_tie_breaks, tie-break 'odd': found {value!r}; expected int | None" in line_of(
        lambda: held.value(None, "a", ["a"])
    )


@pytest.mark.parametrize("added", [{"shout": 3}, {"a b": print}, {3: print}])
def test_a_command_needs_a_name_and_a_function(added: object) -> None:
    plugins = plugins_with("arena_commands", added)
    assert "hook arena_commands: found " in line_of(lambda: door.commands(plugins))


def test_a_reaction_that_exits_is_named() -> None:
    def exits(record: object) -> None:
        del record
        raise SystemExit(0)

    plugins = plugins_with("arena_recorded", exits)
    assert "hook arena_recorded: SystemExit: 0 (line " in line_of(lambda: plugins.hook.arena_recorded(record=RECORDS[0]))


# In a run.

BREAKS = '''
from typing import ClassVar
from arena.plugins.hookspecs import hookimpl
from arena.reports.base import Renderer
from arena.tournament.formats.base import Format

class Nothing(Format, frozen=True, kw_only=True, tag="nothing"):
    """Plays nothing, by mistake."""
    def fixtures(self, field, played): return None

class Exits(Format, frozen=True, kw_only=True, tag="exits"):
    """Exits where nobody expects it."""
    def __post_init__(self): raise SystemExit(0)
    def fixtures(self, field, played): return []

class Over(Renderer, frozen=True, kw_only=True, tag="over"):
    """Writes over the run."""
    file: ClassVar = "arena.sqlite"
    def render(self, report): return "x"

@hookimpl
def arena_formats(): return [Nothing, Exits]

@hookimpl
def arena_reports(): return [Over]
'''


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        pytest.param(
            "format: nothing",
            "hook arena_formats, part 'nothing', fixtures: found None; expected Iterable[Fixture]",
            marks=pytest.mark.process,
        ),
        pytest.param("format: exits", "__post_init__, line 13 of ", marks=pytest.mark.process),
        ("reports: [over]", "hook arena_reports, part 'over': found file = 'arena.sqlite'; expected None, or the plain name"),
    ],
)
def test_a_run_with_a_wrong_part_is_refused_in_one_line(tmp_path: Path, line: str, problem: str) -> None:
    install(tmp_path, "strange", {"strange.py": BREAKS}, "[arena]\nstranger = strange\n")
    (tmp_path / "league.yaml").write_text(f"bots: [greedy, cautious]\nsandbox: none\n{line}\n")
    done = arena("run", "league.yaml", "--results", "run", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("arena: plugin 'stranger' of strange 1.2: ")
    assert problem in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_every_hook_of_parts_has_a_contract() -> None:
    assert {*PART_HOOKS} == {*PARTS, TIE_BREAKS}
