"""A spec that grew: more bots, more pairs, a later stage. The run continues, and what is on file stays as it was played.

A spec has grown if nothing but its bots and its format differ, no bot has gone, every whole number of the format is as large as
before or larger, every list is at least as long, and the format asks for all matches that are on file. It is stored as an event
(``arena/store/store.py``) in one transaction, so a run that is killed has either the one spec or the other.

The seed of a finished run is revealed, so a bot that is added could know every deal of it. What is played after that has a seed
of its own, which is committed to in the event.
"""

from msgspec import Struct, json

from arena.errors import StoreError
from arena.moments import now
from arena.roster.entrant import Entrant
from arena.runs.agreement import check_bots_and_seed, check_same, difference, plan_parts, plan_text
from arena.store.folder import Folder
from arena.store.spec_revisions import SpecRevised, TermsInForce
from arena.store.store import Store
from arena.tournament import seeds
from arena.tournament.completeness import compare, first_on_known_deals
from arena.tournament.plan import Plan

GROWING = {"bots", "format"}  # parts of a plan that may grow


class Growth(Struct, frozen=True, kw_only=True):
    """How a spec differs from the one in force."""

    changes: tuple[str, ...]  # a line for each part, with both values
    entrants: tuple[Entrant, ...]  # the new ones
    matches: int  # on file


def growth(plan: Plan, folder: Folder, store: Store, before: TermsInForce) -> Growth | None:
    """Return the growth of a plan since it was stored; None: it is the same. Raises: StoreError, for any other difference."""
    facts = before.facts
    now, then = plan_parts(plan_text(plan)), plan_parts(before.plan)
    differing = sorted(part for part in {*now, *then} if now.get(part) != then.get(part))
    if not differing or not plan.spec.format.grows or not GROWING.issuperset(differing):
        check_same(plan, folder, facts, before.field, before.plan)
        return None
    changes = tuple(difference(part, then, now) for part in differing)
    if not (set(then["bots"]) <= set(now["bots"]) and _is_more(then["format"], now["format"])):
        raise StoreError(f"{folder.path}: holds a run of another spec: {'; '.join(changes)}; it may only grow")
    check_bots_and_seed(plan, folder, facts, before.field)
    results = store.results()
    for wrong in compare(plan.spec, plan.names, results).wrong:
        raise StoreError(f"{folder.path}: {'; '.join(changes)}: that would change what was played: {wrong}")
    known = {entrant.name for entrant in before.field}
    if "finished" not in facts and (fixture := first_on_known_deals(plan, results, known)):
        raise StoreError(f"{folder.path}: {'; '.join(changes)}: {fixture.id} has deals that were played before a bot was added")
    return Growth(
        changes=changes,
        entrants=tuple(entrant for entrant in plan.field if entrant.name not in known),
        matches=len(results),
    )


def store_growth(plan: Plan, found: Growth, before: TermsInForce, store: Store) -> None:
    """Store the growth of a spec as an event; after a finished run, with a new seed. Raises: StoreError."""
    seed = None
    if "finished" in before.facts:
        seed = seeds.random_seed() if plan.seed is None else seeds.run_seed(f"{plan.seed} {len(before.revisions) + 1}")
    event = SpecRevised(
        at=now(),
        spec=plan.spec.text,
        plan=plan_text(plan),
        matches=found.matches,
        link=store.last_link(),
        seed=seed,
        commitment=seeds.commitment(seed) if seed else None,
    )
    store.revise(json.encode(event).decode(), found.entrants)


def _is_more(then: object, now: object) -> bool:
    """Tell whether a value is the same, or has only grown: a number, a list, or values of a mapping with the same keys."""
    if then == now:
        return True
    if isinstance(then, dict) and isinstance(now, dict):
        return then.keys() == now.keys() and all(_is_more(then[key], now[key]) for key in then)
    if isinstance(then, list) and isinstance(now, list):
        return len(then) <= len(now) and all(map(_is_more, then, now))
    return type(then) is int and type(now) is int and then < now
