"""Races between several versions of a bot: ``arena race``."""

from collections.abc import Sequence

from arena.compare.dueling import PlayConditions
from arena.runs import chosen
from arena.tournament.formats.tested import LEG
from arena.tournament.plan import Plan


class RaceTerms(PlayConditions, frozen=True, kw_only=True):
    """The question of a race, its level and its limit."""

    within: float = 0.5  # points a hand: at the end, no version left is better than the winner by this or more
    alpha: float = 0.05
    hands: int = 100_000
    leg: int = LEG


def plan_race(versions: Sequence[str], opponents: Sequence[str], terms: RaceTerms, seed: str | None) -> Plan:
    """Return the plan of a race between two versions or more. Raises: RosterError; InputError, for terms that make no sense."""
    asked = (*versions, *opponents)
    field = chosen.resolve(asked, [str(number) for number in range(1, len(asked) + 1)])
    options = {name: getattr(terms, name) for name in ("within", "alpha", "hands", "leg")}
    form = {"name": "race", "opponents": len(opponents), **options}
    return terms.plan(f"Race of {field[0].name} and {len(versions) - 1} more", form, field, seed)
