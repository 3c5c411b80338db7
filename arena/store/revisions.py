"""Changes of a tournament under way: its spec has grown, or a person has accepted that its database was rolled back.

Each is stored as an event, in the chain of the records.

What was stored when the run began never changes: the facts, with the first spec, stay as they are, and the last revision is what is
in force. A finished run has revealed its seed, so one that grows gets another, which is committed to before anything is played
with it; the matches that were stored before keep the first.
"""

from typing import Annotated

from msgspec import DecodeError, Meta, Struct, json

from arena.errors import DamagedError
from arena.roster.entrant import Entered
from arena.store.rows import Digest, Long
from arena.store.store import Facts, Store
from arena.store.witness import RollbackAccepted

Secret = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class SpecRevised(Struct, frozen=True, kw_only=True, tag_field="event", tag="spec-revised", forbid_unknown_fields=True):
    """The spec of a tournament has grown."""

    at: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")]  # UTC
    spec: Long  # YAML, as it was read
    plan: Long  # all that decides what is played, as JSON
    matches: Annotated[int, Meta(ge=0)]  # on file
    link: Digest  # of the run until then, as a report of it shows
    seed: Secret | None = None  # for what is played from now on; None: as before
    commitment: Digest | None = None  # the SHA-256 of that seed


class _PlanNames(Struct):
    bots: tuple[str, ...]


class TermsInForce(Struct, frozen=True, kw_only=True):
    """What a tournament is played by, after all revisions."""

    spec: str
    plan: str
    seed: str  # for what is played from now on
    commitment: str
    field: tuple[Entered, ...]  # in the order of the spec
    revisions: tuple[SpecRevised, ...]
    facts: Facts  # that were stored when it began, and whether it is finished


_DECODER: json.Decoder[SpecRevised | RollbackAccepted] = json.Decoder(SpecRevised | RollbackAccepted)


def revisions(store: Store, facts: Facts) -> tuple[SpecRevised, ...]:
    """Return every revision of a run with these facts, the first one first; none for a league. Raises: DamagedError."""
    return tuple(event for event in _events(store, facts) if isinstance(event, SpecRevised))


def _events(store: Store, facts: Facts) -> tuple[SpecRevised | RollbackAccepted, ...]:
    """Return all events of a tournament, the first one first; none for a league. Raises: DamagedError."""
    if "kind" in facts:
        return ()
    try:
        return tuple(map(_DECODER.decode, store.events()))
    except (DecodeError, RecursionError) as error:
        raise DamagedError(f"event: {' '.join(str(error).split())}") from None


def in_force(store: Store, facts: Facts) -> TermsInForce:
    """Return the terms in force of a tournament with these facts, which has begun. Raises: DamagedError."""
    every = revisions(store, facts)
    seed, commitment = facts["seed"], facts["commitment"]
    for one in every:
        seed, commitment = one.seed or seed, one.commitment or commitment
    plan = every[-1].plan if every else facts["plan"]
    return TermsInForce(
        spec=every[-1].spec if every else facts["spec"],
        plan=plan,
        seed=seed,
        commitment=commitment,
        field=_in_order(store.field(), plan) if every else store.field(),
        revisions=every,
        facts=facts,
    )


def later_seeds(store: Store, facts: Facts) -> dict[str, str]:
    """Return the seed of each fixture on record that was not played with the first one. Raises: DamagedError."""
    found: dict[str, str] = {}
    for number, one in enumerate(_events(store, facts)):
        if isinstance(one, SpecRevised) and one.seed:
            found.update(dict.fromkeys(store.fixtures_after(number), one.seed))
    return found


def _in_order(field: tuple[Entered, ...], plan: str) -> tuple[Entered, ...]:
    """Return the entrants in the order of a plan. Raises: DamagedError, if they are others."""
    entrants = {entrant.name: entrant for entrant in field}
    try:
        names = json.decode(plan, type=_PlanNames).bots
    except (DecodeError, RecursionError) as error:
        raise DamagedError(f"event: plan: {' '.join(str(error).split())}") from None
    if sorted(names) != sorted(entrants):
        raise DamagedError(f"event: the plan names {', '.join(names)}; the entrants are {', '.join(entrants)}")
    return tuple(entrants[name] for name in names)
