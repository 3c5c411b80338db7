"""A spec that grew: more bots, more pairs, a later stage. The run continues, and what is on file stays as it was played.

A spec has grown if nothing but its bots and its format differ, no bot has gone, every number of the format is as large as before or
larger, every list at least as long, and the format asks for all matches that are on file. It is stored as an event
(``arena/store/revisions.py``) in one transaction, so a run that is killed has either the one spec or the other.

The seed of a finished run is revealed, so a bot that is added could know every deal of it. What is played after that has a seed of
its own, which is committed to in the event.
"""

from collections.abc import Collection, Sequence

from msgspec import Struct, json

from arena.errors import StoreError
from arena.records import Fixture, Result
from arena.roster.entrant import Entrant
from arena.runs import agreement
from arena.runs.leagues.moments import now
from arena.store.folder import Folder
from arena.store.revisions import SpecRevised, in_force
from arena.store.store import Store
from arena.tournament import seeds
from arena.tournament.completeness import compare
from arena.tournament.plan import Plan

GROWING = {"bots", "format"}  # parts of a plan


class Growth(Struct, frozen=True, kw_only=True):
    """How a spec differs from the one in force."""

    changes: tuple[str, ...]  # a line for each, with both values
    entrants: tuple[Entrant, ...]  # that are new
    matches: int  # on file
    finished: bool  # whether the run was


def growth(plan: Plan, folder: Folder, store: Store) -> Growth | None:
    """Return how a plan has grown since it was stored; None: it is the same. Raises: StoreError, for any other difference."""
    facts = store.facts()
    agreement.check_kind(folder, facts)
    before = in_force(store)
    plan = agreement.as_on_file(plan, before.plan)
    now, then = agreement.parts(agreement.played_by(plan)), agreement.parts(before.plan)
    differing = sorted(part for part in {*now, *then} if now.get(part) != then.get(part))
    if not differing or not plan.spec.format.grows or not GROWING.issuperset(differing):
        agreement.check_same(plan, folder, facts, before.field, before.plan)
        return None
    changes = tuple(agreement.difference(part, then, now) for part in differing)
    if not (set(then["bots"]) <= set(now["bots"]) and _is_more(then["format"], now["format"])):
        raise StoreError(f"{folder.path}: holds a run of another spec: {'; '.join(changes)}; it may only grow")
    agreement.check_bots_and_seed(plan, folder, facts, plan.field, before.field)
    results = store.results()
    for wrong in compare(plan.spec, plan.names, results).wrong:
        raise StoreError(f"{folder.path}: {'; '.join(changes)}: that would change what was played: {wrong}")
    known, finished = {entrant.name for entrant in before.field}, "finished" in facts
    if not finished and (fixture := _known_before(plan, results, known)):
        raise StoreError(f"{folder.path}: {'; '.join(changes)}: {fixture.id} has deals that were played before a bot was added")
    return Growth(
        changes=changes,
        entrants=tuple(entrant for entrant in plan.field if entrant.name not in known),
        matches=len(results),
        finished=finished,
    )


def _known_before(plan: Plan, results: Sequence[Result], names: Collection[str]) -> Fixture | None:
    """Return a fixture of a bot that is not among the names, on deals whose cards are on file: the bot could know them."""
    dealt = {result.fixture.deals for result in results}
    asked = plan.spec.format.fixtures(plan.names, results)
    return next((one for one in asked if one.deals in dealt and not set(one.seats) <= set(names)), None)


def store_growth(plan: Plan, found: Growth, store: Store) -> None:
    """Store that a spec has grown. Raises: StoreError."""
    count = len(in_force(store).revisions)
    seed = None
    if found.finished:
        seed = seeds.random_seed() if plan.seed is None else seeds.run_seed(f"{plan.seed} {count + 1}")
    event = SpecRevised(
        at=now(),
        spec=plan.spec.text,
        plan=agreement.played_by(plan),
        matches=found.matches,
        link=store.last_link(),
        seed=seed,
        commitment=seeds.commitment(seed) if seed else None,
    )
    store.revise(json.encode(event).decode(), found.entrants)


def _is_more(then: object, now: object) -> bool:
    """Return whether a value is the same, or has only grown."""
    if then == now:
        return True
    if isinstance(then, dict) and isinstance(now, dict):
        return then.keys() == now.keys() and all(_is_more(then[key], now[key]) for key in then)
    if isinstance(then, list) and isinstance(now, list):
        return len(then) <= len(now) and all(map(_is_more, then, now))
    return type(then) is int and type(now) is int and then < now
