"""What a run says of itself, for the head and the foot of its report."""

from collections.abc import Mapping, Sequence

from msgspec.json import decode, encode

from arena.gin.rules import Rules
from arena.records import Assurance
from arena.reports.report import About
from arena.roster.entrant import Entered
from arena.stats.ratings.base import Rating


def about(facts: Mapping[str, str], field: Sequence[Entered], rules: Rules, rating: Rating, sandbox: object) -> About:
    """Return it, from the facts on file and the parts that the spec names."""
    return About(
        title=facts["title"],
        field=tuple(entrant.name for entrant in field),
        finished="finished" in facts,
        rated_by=str(rating.__struct_config__.tag),
        walls=decode(facts["walls"], type=Assurance),
        provenance=_provenance(facts, field, rules, sandbox),
        rules=rules,
    )


def _provenance(facts: Mapping[str, str], field: Sequence[Entered], rules: Rules, sandbox: object) -> dict[str, str]:
    """Return where the numbers come from; the seed only when no bot can profit from it any more."""
    shown = {key: facts[key] for key in ("arena", "python", "platform", "started", "commitment")}
    shown |= {"seed": facts["seed"] if "finished" in facts else "revealed when the tournament is finished"}
    shown |= {"rules": encode(rules).decode(), "sandbox": encode(sandbox).decode(), "walls": facts["walls"]}
    bots = {f"bot {entrant.name}": f"{entrant.version}, {entrant.source}, SHA-256 {entrant.digest}" for entrant in field}
    return shown | bots | {"spec": facts["spec"]}
