"""Lists of the fields of values, from the source of their classes, for the pages that authors of programs and plugins read."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, get_origin

from msgspec import Struct

from arena import records
from arena.compare.dueling import DuelAnswer
from arena.records import Fixture, Result
from arena.reports.report import Report
from arena.results.data import DecisionData, MatchData
from arena.results.frames import columns_of
from arena.results.hands import COLUMNS, TableColumn
from arena.stats.duels import Implied
from arena.stats.estimate import Estimate
from arena.stats.scales import Interval
from arena.stats.standings import Standing
from arena.stats.tally import Counts

RESULTS: Mapping[str, type[Struct]] = {
    "A `Comparison`, of `duel` and `regress`": DuelAnswer,
    "Its `difference`, and each of `implied`": Interval,
    "Its `implied`": Implied,
    "`run.report`": Report,
    "One of `run.standings`": Standing,
    "Its `counts`": Counts,
    "Its `rating`": Estimate,
}
OF_PARTS: Mapping[str, type[Struct]] = {"`Fixture`": Fixture, "`Result`": Result, "`Report`": Report}
FIELD = re.compile(r"^    (?P<name>\w+): (?P<type>[^#=\n]+?)(?: = [^#\n]+?)?(?:  # (?P<comment>.*))?$", re.MULTILINE)
# the names of types with bounds, and what is within these
BOUNDED = {name: one.__origin__.__name__ for name, one in vars(records).items() if get_origin(one) is Annotated}


def of_results() -> str:
    """Return the fields of everything that ``import arena`` returns."""
    rows = {"`run.matches()`": columns_of(MatchData), "`run.hands()`": COLUMNS, "`run.decisions()`": columns_of(DecisionData)}
    return _sections({**_of_classes(RESULTS), **{f"A row of {name}": _of_columns(columns) for name, columns in rows.items()}})


def of_parts() -> str:
    """Return the fields of the values that parts of plugins get."""
    return _sections(_of_classes(OF_PARTS))


def of_hands() -> str:
    """Return the columns of exported hands."""
    return _sections({"The columns": _of_columns(COLUMNS)})


def _sections(lines: Mapping[str, Iterable[str]]) -> str:
    return "\n\n".join(f"**{title}**\n\n" + "\n".join(each) for title, each in lines.items()) + "\n"


def _of_classes(kinds: Mapping[str, type[Struct]]) -> dict[str, Iterator[str]]:
    return {title: fields(kind) for title, kind in kinds.items()}


def _of_columns(columns: Iterable[TableColumn]) -> Iterator[str]:
    return (f"- `{one.name}`: {one.description}" for one in columns)


def fields(kind: type[Struct]) -> Iterator[str]:
    """Yield a line for each field of a class and its bases, with its type and its comment."""
    found = {match["name"]: match for base in kind.__mro__ if base is not object for match in FIELD.finditer(_source(base))}
    for name in kind.__struct_fields__:
        match = found[name]
        plain = re.sub(r"\w+", lambda word: BOUNDED.get(word[0], word[0]), match["type"])
        yield f"- `{name}` ({plain.replace('|', 'or')}){': ' + match['comment'] if match['comment'] else ''}"


def _source(kind: type) -> str:
    """Return the source of a class without its methods; empty: it is built in."""
    try:
        return inspect.getsource(kind).partition("\n    def ")[0].partition("\n    @")[0]
    except (OSError, TypeError):
        return ""
