"""The facts about a run that head and foot of its report show; nothing here is counted."""

from collections.abc import Mapping, Sequence

from msgspec.json import decode, encode

from arena.gin.rules import Rules
from arena.records import Assurance
from arena.reports.comparison import ComparisonReport
from arena.reports.report import About
from arena.roster.entrant import Entered
from arena.stats.details import Details
from arena.stats.ratings.base import Rating
from arena.stats.standings import Places
from arena.store.store import Store


def about(
    store: Store,
    field: Sequence[Entered],
    rules: Rules,
    rating: Rating,
    sandbox: object,
    places: Places | None,
    details: Details | None,
    comparison: ComparisonReport | None,
) -> About:
    """Return the facts in ``store``, with the parts that the spec names and what the format ranks, shows and decides.

    Raises: StoreError.
    """
    facts = store.facts()
    return About(
        title=facts["title"],
        field=tuple(entrant.name for entrant in field),
        finished="finished" in facts,
        rated_by=str(rating.__struct_config__.tag),
        isolation=decode(facts["walls"], type=Assurance),
        provenance=_provenance(facts, field, rules, sandbox) | {"link": store.last_link(), "spec": facts["spec"]},
        rules=rules,
        places=places,
        details=details,
        comparison=comparison,
    )


def _provenance(facts: Mapping[str, str], field: Sequence[Entered], rules: Rules, sandbox: object) -> dict[str, str]:
    """Return what is needed to reproduce the numbers.

    The seed is left out until the run is finished: a bot that knew it could compute every deal.
    """
    shown = {key: facts[key] for key in ("arena", "python", "platform", "started", "commitment")}
    shown |= {"seed": facts["seed"] if "finished" in facts else "revealed when the tournament is finished"}
    shown |= {"rules": encode(rules).decode(), "sandbox": encode(sandbox).decode(), "isolation": facts["walls"]}
    bots = {f"bot {entrant.name}": f"{entrant.version}, {entrant.source}, SHA-256 {entrant.digest}" for entrant in field}
    return shown | bots
