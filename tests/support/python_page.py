"""The part of the page of ``import arena`` that is generated from the classes of results: every field, with what it holds."""

import inspect
import re
from collections.abc import Iterator

from msgspec import Struct

from arena.api import Comparison
from arena.reports.report import Report
from arena.results.data import DecisionData, MatchData
from arena.results.frames import columns_of
from arena.results.hands import COLUMNS
from arena.stats.duels import Implied
from arena.stats.estimate import Estimate
from arena.stats.standings import Standing
from arena.stats.tally import Counts
from arena.stats.wealth import Interval

BEGIN = "## Fields of results\n"
OF: dict[str, type[Struct]] = {
    "A `Comparison`, of `duel` and `regress`": Comparison,
    "Its `difference`, and each of `implied`": Interval,
    "Its `implied`": Implied,
    "`run.report`": Report,
    "One of `run.standings`": Standing,
    "Its `counts`": Counts,
    "Its `rating`": Estimate,
}
FIELD = re.compile(r"^    (?P<name>\w+): (?P<type>[^#=\n]+?)(?: = [^#\n]+?)?(?:  # (?P<comment>.*))?$", re.MULTILINE)


def generated() -> str:
    """Return the generated part, which begins with its heading."""
    rows = {"`run.matches()`": columns_of(MatchData), "`run.hands()`": COLUMNS, "`run.decisions()`": columns_of(DecisionData)}
    sections = [f"**{title}**\n\n" + "\n".join(fields(kind)) for title, kind in OF.items()]
    for title, columns in rows.items():
        sections.append(f"**A row of {title}**\n\n" + "\n".join(f"- `{one.name}`: {one.description}" for one in columns))
    return "\n".join([BEGIN, "\n\n".join(sections), ""])


def fields(kind: type[Struct]) -> Iterator[str]:
    """Yield a line for each field of a class and its bases, with its type and its comment."""
    found = {match["name"]: match for base in kind.__mro__ if base is not object for match in FIELD.finditer(source(base))}
    for name in kind.__struct_fields__:
        match = found[name]
        yield f"- `{name}` ({match['type'].replace('|', 'or')}){': ' + match['comment'] if match['comment'] else ''}"


def source(kind: type) -> str:
    """Return the source of a class without its methods; empty: it is built in."""
    try:
        return inspect.getsource(kind).partition("\n    def ")[0].partition("\n    @")[0]
    except (OSError, TypeError):
        return ""
