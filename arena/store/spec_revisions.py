"""Changes of a tournament under way, as its spec grows: each is stored as an event, in the chain of the records.

What was stored when the run began never changes: the facts, with the first spec, stay as they are, and the last revision is in
force. A finished run has revealed its seed, so a run that grows then gets a new seed, which is committed to before anything is
played with it; matches that were stored before keep their seed.
"""

from typing import Annotated

from msgspec import Meta, Struct, json

from arena.errors import MALFORMED, DamagedError
from arena.moments import Moment
from arena.records import Hash, Long
from arena.roster.entrant import Entered
from arena.store.store import Facts, Store


class SpecRevised(Struct, frozen=True, kw_only=True, tag_field="event", tag="spec-revised", forbid_unknown_fields=True):
    """The spec of a tournament has grown."""

    at: Moment
    spec: Long  # YAML, as it was read
    plan: Long  # all that decides what is played, as JSON
    matches: Annotated[int, Meta(ge=0)]  # stored before it
    link: Hash  # the last link before it, as a report of the run shows
    seed: Hash | None = None  # for what is played from now on; None: as before
    commitment: Hash | None = None  # the SHA-256 of that seed


class _PlanNames(Struct):
    bots: tuple[str, ...]


class TermsInForce(Struct, frozen=True, kw_only=True):
    """The spec, plan, seed and entrants of a tournament, after all revisions."""

    spec: str
    plan: str
    seed: str  # for what is played from now on
    commitment: str
    field: tuple[Entered, ...]  # in the order of the spec
    revisions: tuple[SpecRevised, ...]
    facts: Facts  # of the database: those stored when it began, and ``finished`` if it is


_DECODER = json.Decoder(SpecRevised)


def revisions(store: Store, facts: Facts) -> tuple[SpecRevised, ...]:
    """Return every revision of a run with these facts, the first one first; none for a league. Raises: DamagedError."""
    if "kind" in facts:
        return ()
    try:
        return tuple(map(_DECODER.decode, store.events()))
    except MALFORMED as error:
        raise DamagedError(f"event: {' '.join(str(error).split())}") from None


def in_force(store: Store, facts: Facts) -> TermsInForce:
    """Return the terms in force of a tournament with these facts, which has begun. Raises: DamagedError."""
    changes = revisions(store, facts)
    seed, commitment = facts["seed"], facts["commitment"]
    for change in changes:
        seed, commitment = change.seed or seed, change.commitment or commitment
    plan = changes[-1].plan if changes else facts["plan"]
    return TermsInForce(
        spec=changes[-1].spec if changes else facts["spec"],
        plan=plan,
        seed=seed,
        commitment=commitment,
        field=_in_plan_order(store.field(), plan) if changes else store.field(),
        revisions=changes,
        facts=facts,
    )


def later_seeds(store: Store, facts: Facts) -> dict[str, str]:
    """Return the seed of each stored fixture, by id, that was not played with the first seed. Raises: DamagedError."""
    found: dict[str, str] = {}
    for number, one in enumerate(revisions(store, facts)):
        if one.seed:
            found.update(dict.fromkeys(store.fixtures_after(number), one.seed))
    return found


def _in_plan_order(field: tuple[Entered, ...], plan: str) -> tuple[Entered, ...]:
    """Return the entrants in the order of a plan. Raises: DamagedError, unless the plan names the same entrants."""
    entrants = {entrant.name: entrant for entrant in field}
    try:
        names = json.decode(plan, type=_PlanNames).bots
    except MALFORMED as error:
        raise DamagedError(f"event: plan: {' '.join(str(error).split())}") from None
    if sorted(names) != sorted(entrants):
        raise DamagedError(f"event: the plan names {', '.join(names)}; the entrants are {', '.join(entrants)}")
    return tuple(entrants[name] for name in names)
