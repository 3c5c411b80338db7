"""What was added to a run after some of it was played, in a sentence of its answer."""

from collections.abc import Iterator, Sequence

from arena.errors import DamagedError
from arena.reports.numbers import MOMENT, count, day_words, names
from arena.runs.agreement import CONTINUES, Parts, plan_parts
from arena.runs.stored import StoredRun
from arena.store.spec_revisions import SpecRevised


def grown_words(run: StoredRun, revisions: Sequence[SpecRevised], *, is_of_batches: bool) -> str:
    """Return what was added to a run, when and after how much, without a full stop; empty: nothing was. Raises: DamagedError."""
    if CONTINUES in run.facts:
        return f"Continued on {_day(run.facts['started'])} with fresh deals; earlier figures were of fewer hands"
    if not revisions:
        return ""
    last = revisions[-1]
    added = ", ".join(_additions(plan_parts(run.facts["plan"]), plan_parts(last.plan)))
    if not added or not last.matches:
        return ""
    played = count(last.matches, *(("batch", "batches") if is_of_batches else ("match", "matches")))
    steps = f" in {len(revisions)} steps, the last" if len(revisions) > 1 else ""
    return f"Grown{steps} on {_day(last.at)} after {played}: {added}"


def _additions(then: Parts, now: Parts) -> Iterator[str]:
    """Yield what a plan has more than an earlier one: ``early-bird joined``, ``pairs raised from 2 to 4``."""
    if added := [name for name in now["bots"] if name not in then["bots"]]:
        yield f"{names(added)} joined"
    yield from _larger("", then["format"], now["format"])


def _larger(name: str, then: object, now: object) -> Iterator[str]:
    """Yield each number and list in the options of a format, or in one called ``name``, that is larger or longer."""
    if then == now:
        return
    if isinstance(then, dict) and isinstance(now, dict):
        for option, value in now.items():
            yield from _larger(option.replace("_", " "), then.get(option), value)
    elif isinstance(then, list) and isinstance(now, list):
        if len(now) > len(then):
            yield f"{len(now)} {name} instead of {len(then)}"
        for one, other in zip(then, now, strict=False):
            yield from _larger(name, one, other)
    elif isinstance(then, int) and isinstance(now, int):
        yield f"{name} raised from {then:,} to {now:,}"


def _day(moment: str) -> str:
    """Return the day of a stored moment in words: ``29 November 2026``. Raises: DamagedError."""
    found = MOMENT.fullmatch(moment)
    if not found:
        raise DamagedError(f"found {moment!r}; expected a moment as 2026-01-31T12:00:00Z")
    return day_words(found)
