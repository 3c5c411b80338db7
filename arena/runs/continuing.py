"""An undecided duel, continued with fresh deals.

A run has one seed and one limit of hands, so more hands are another run: a *part*, in the folder ``part-2`` of the first one, with
a seed and a commitment of its own. Its format is the same with a higher limit, and receives the results of the parts before too. So
it asks for the pairs after theirs, and the bettors continue with the wealth that they had: evidence multiplies. A part keeps the
last link of the part before, so a later change of that one is found.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import InputError, StoreError
from arena.reports.verdict import decided
from arena.runs import agreement, compare, session
from arena.runs.compare import Terms
from arena.runs.parts import kinds
from arena.runs.resolve import ResolvedBot
from arena.runs.stored import stored_run
from arena.stats.sequential.betting import Verdict
from arena.store.folder import Folder, candidates
from arena.store.store import Store
from arena.tournament.formats.duel import Duel
from arena.tournament.plan import Earlier, Plan, PlayedPart

NAME = re.compile(r"part-(\d+)")


class _Stored(Struct, frozen=True):
    """What is known of a part on file."""

    limit: int  # hands
    finished: bool


def continued(field: Sequence[ResolvedBot], terms: Terms, seed: str | None, results: Path | None) -> tuple[Plan, Folder]:
    """Return the plan and the folder of the next part of a duel, or of the part that was interrupted.

    ``terms.hands`` are played in addition. Raises: InputError, if there is no undecided duel of these bots and terms in ``results``
    or below ``results/``; StoreError.
    """
    first = Folder(results) if results else _newest(field, terms)
    parts = list(parts_of(first))
    if not parts:
        raise InputError(f"{first.path}: holds no run; expected the folder of the duel to continue")
    stored = _stored(parts[-1])
    last = _plan(field, replace(terms, hands=stored.limit), parts[:-1])
    _check_same(last, parts[-1])
    if stored.finished:
        _check_undecided(last, parts)
        following = _plan(field, replace(terms, hands=stored.limit + terms.hands), parts)
        return replace(following, seed=seed), Folder(first.path / f"part-{len(parts) + 1}")
    if len(parts) == 1:
        raise InputError(f"{first.path}: this duel has not ended; the same command without --continue resumes it")
    return replace(last, seed=seed), parts[-1]


def parts_of(first: Folder) -> Iterator[Folder]:
    """Yield the parts of a duel, in order."""
    part, number = first, 1
    while part.database.is_file():
        yield part
        number += 1
        part = Folder(first.path / f"part-{number}")


def before(folder: Folder) -> Earlier:
    """Return what was played before a part; nothing before the first. Raises: StoreError."""
    named = NAME.fullmatch(folder.path.name)
    if named is None:
        return Earlier()
    return earlier([part for part, _ in zip(parts_of(Folder(folder.path.parent)), range(int(named[1]) - 1), strict=False)])


def of_run(folder: Folder, store: Store) -> Earlier:
    """Return what was played before a run that continues others; nothing for any other run. Raises: StoreError."""
    return before(folder) if agreement.CONTINUES in store.facts() else Earlier()


def earlier(parts: Sequence[Folder]) -> Earlier:
    """Return what was played in some parts. Raises: StoreError."""
    found = Earlier()
    for part in parts:
        with Store(part.database) as store:
            results = store.results()
            played = PlayedPart(str(part.path), store.fact("seed"), sum(result.hands for result in results))
            found = Earlier((*found.results, *results), (*found.parts, played), store.last_link())
    return found


def _newest(field: Sequence[ResolvedBot], terms: Terms) -> Folder:
    """Return the newest duel of these bots and terms below ``results/``. Raises: InputError."""
    title = compare.duel(field, terms).spec.title
    for folder in candidates(session.RESULTS, title, f"{datetime.now(UTC):%Y-%m-%d}"):
        if folder.database.is_file() and _is_same(field, terms, folder):
            return folder
    raise InputError(f"--continue: no duel of {field[0].name} and {field[1].name} with these options in {session.RESULTS}/")


def _is_same(field: Sequence[ResolvedBot], terms: Terms, folder: Folder) -> bool:
    try:
        _check_same(_plan(field, replace(terms, hands=_stored(folder).limit), ()), folder)
    except StoreError:
        return False
    return True


def _check_same(plan: Plan, folder: Folder) -> None:
    """Raise StoreError if a part was played by other bots or under other terms."""
    with Store(folder.database) as store:
        agreement.check_same(plan, folder, store.facts(), store.field(), store.fact("plan"))


def _check_undecided(plan: Plan, parts: Sequence[Folder]) -> None:
    """Raise InputError if a duel has a verdict."""
    assert isinstance(plan.spec.format, Duel)
    verdict = plan.spec.format.state(plan.names, earlier(parts).results).verdict
    if verdict is not Verdict.UNDECIDED:
        answer = decided(verdict, plan.spec.format.bounds)
        raise InputError(f"{parts[0].path}: this duel is decided: {answer}; only an undecided one is continued")


def _stored(folder: Folder) -> _Stored:
    with Store(folder.database) as store:
        form = stored_run(folder, store, kinds()).spec.format
        if not isinstance(form, Duel):
            raise StoreError(f"{folder.path}: holds no duel")
        return _Stored(form.hands, session.is_over(store))


def _plan(field: Sequence[ResolvedBot], terms: Terms, parts: Sequence[Folder]) -> Plan:
    """Return the plan of a duel that continues some parts, without a seed."""
    return replace(compare.duel(field, terms), earlier=earlier(parts))
