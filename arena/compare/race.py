"""Several versions of a bot, and which of them is best: ``arena race``."""

from collections.abc import Sequence

from msgspec import Struct

from arena.compare.duel import STOCK
from arena.runs import choice, plans
from arena.tournament.formats.tested import LEG
from arena.tournament.plan import Plan


class RaceTerms(Struct, frozen=True, kw_only=True):
    """What a race asks, and how much it may cost."""

    within: float = 0.5  # points a hand
    alpha: float = 0.05
    hands: int = 100_000
    leg: int = LEG
    rules: str = "tournament"  # a ruleset's name, or as in a spec
    time: str = "{}"  # limits, as in a spec
    sandbox: str | None = None  # a name, or as in a spec; None: as specs have it by default


def race(versions: Sequence[str], opponents: Sequence[str], terms: RaceTerms, seed: str | None) -> Plan:
    """Return the plan of a race between two versions or more. Raises: RosterError; InputError, for terms that make no sense."""
    asked = (*versions, *opponents)
    field = choice.resolve(asked, [str(number) for number in range(1, len(asked) + 1)])
    values = {
        "title": f"Race of {field[0].name} and {len(versions) - 1} more",
        "rules": plans.ruleset(terms.rules, STOCK),
        "time": plans.time_limits(terms.time),
        "format": {
            "name": "race",
            "opponents": len(opponents),
            "within": terms.within,
            "alpha": terms.alpha,
            "hands": terms.hands,
            "leg": terms.leg,
        },
        "sandbox": plans.sandbox(terms.sandbox, [bot.entrant.launch for bot in field]),
    }
    return plans.from_values(values, field, seed)
