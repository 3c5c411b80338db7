"""The facts about a run that head and foot of its report show; nothing here is counted."""

from collections.abc import Callable, Sequence

from msgspec.json import decode, encode

from arena.gin.rules import Rules
from arena.records import Assurance
from arena.reports.comparison import ComparisonReport
from arena.reports.report import About
from arena.review.summary import Review
from arena.roster.entrant import Entered
from arena.stats.details import Details
from arena.stats.ratings.base import Rating
from arena.stats.standings import Places
from arena.store.revisions import SpecRevised, revisions
from arena.store.store import Store

HIDDEN = "revealed when the tournament is finished"


def about(
    store: Store,
    field: Sequence[Entered],
    rules: Rules,
    rating: Rating,
    sandbox: object,
    coin_decides: Callable[[str], bool],
    places: Places | None,
    details: Details | None,
    comparison: ComparisonReport | None,
    review: Review | None,
) -> About:
    """Return the facts in ``store``, with the parts that the spec names, what the format ranks, shows and decides, and the review.

    Raises: StoreError.
    """
    facts = store.facts()
    return About(
        title=facts["title"],
        field=tuple(entrant.name for entrant in field),
        finished="finished" in facts,
        rated_by=str(rating.__struct_config__.tag),
        isolation=decode(facts["walls"], type=Assurance),
        reading=tuple(entrant.name for entrant in field if entrant.reads_while_playing),
        provenance=_provenance(store, field, rules, sandbox) | {"link": store.last_link(), "spec": _spec(store)},
        rules=rules,
        coin_decides=coin_decides,
        places=places,
        details=details,
        comparison=comparison,
        review=review,
    )


def _spec(store: Store) -> str:
    """Return the spec that is in force."""
    return [store.fact("spec"), *(one.spec for one in revisions(store))][-1]


def _provenance(store: Store, field: Sequence[Entered], rules: Rules, sandbox: object) -> dict[str, str]:
    """Return what is needed to reproduce the numbers.

    The seed is left out until the run is finished: a bot that knew it could compute every deal.
    """
    facts = store.facts()
    shown = {key: facts[key] for key in ("arena", "python", "platform", "started", "commitment")}
    grown = revisions(store)
    is_revealed = "finished" in facts or any(one.seed for one in grown)
    shown |= {"seed": facts["seed"] if is_revealed else HIDDEN}
    for number, one in enumerate(grown, 1):
        is_revealed = "finished" in facts or any(later.seed for later in grown[number:])
        shown |= _revision(one, number + 1, is_revealed=is_revealed)
    for number, event in store.rollbacks():
        shown[f"rollback at link {number}"] = f"accepted at {event.at}: the links up to {event.count} were given up"
    shown |= {"rules": encode(rules).decode(), "sandbox": encode(sandbox).decode(), "isolation": facts["walls"]}
    bots = {f"bot {entrant.name}": f"{entrant.version}, {entrant.source}, SHA-256 {entrant.digest}" for entrant in field}
    return shown | bots


def _revision(one: SpecRevised, number: int, *, is_revealed: bool) -> dict[str, str]:
    """Return what is to be known of a spec that has grown; the first one has the number 1."""
    shown = {f"spec {number}": f"since {one.at}, after {one.matches} matches; the link was {one.link}"}
    if one.seed:
        shown[f"commitment {number}"] = one.commitment or ""
        shown[f"seed {number}"] = one.seed if is_revealed else HIDDEN
    return shown
