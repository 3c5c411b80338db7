"""Rates a bot on a scale that is the same on every machine: ``arena rate``.

The scale consists of anchors: bots that come with arena, from random play to the strongest, each with its rating. Neighbours differ
by at most 3 points a hand, so each bot finds opponents of its own strength. The ratings are the least squares fit of what
neighbours won from each other, with greedy at 0 (``tests/studies/anchors.py``). A published version never changes, neither a rating
nor a bot.

A bot plays the anchors by the format ``placement``. The seed is that of the scale, so all bots get the same deals, and a bot that
uses no random numbers but those of its seed gets the same rating on every machine. A bot that cheats could know these deals: a
rating is for its author and for papers; leagues have secret deals.
"""

from collections.abc import Iterator
from functools import cache
from importlib import resources

from msgspec import Struct, json
from msgspec.structs import replace

from arena.compare.dueling import STOCK, model_plays
from arena.errors import RosterError
from arena.reports.fallbacks import why_not_judged
from arena.reports.numbers import count
from arena.roster.entrant import Entrant
from arena.roster.finder import find
from arena.runs import chosen, named_parts, planning
from arena.runs.chosen import ResolvedBot
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.formats.placement import Placement
from arena.tournament.plan import Plan

SEED = "arena rate, scale {version}: a seed that everyone knows"
HANDS = 4_000
VERSION = 1  # of the scale


class ScaleAnchor(Struct, frozen=True, kw_only=True):
    """A bot with a known rating."""

    name: str  # in a run
    bot: str  # as in a spec
    digest: str  # SHA-256 of its files
    rating: float  # points a hand
    error: float  # standard error of the difference from greedy, when it was measured


class RatingScale(Struct, frozen=True, kw_only=True):
    """The anchors, the weakest first."""

    version: int
    anchors: tuple[ScaleAnchor, ...]


@cache
def read_scale() -> RatingScale:
    """Return the scale."""
    content = resources.files("arena.extras.rate").joinpath(f"scale_{VERSION}.json").read_bytes()
    return json.decode(content, type=RatingScale)


def entrants(scale: RatingScale) -> list[Entrant]:
    """Return the anchors as entrants. Raises: RosterError, if one is missing or is not the bot that was rated."""
    found = [find(anchor.bot, name=anchor.name) for anchor in scale.anchors]
    for anchor, entrant in zip(scale.anchors, found, strict=True):
        if entrant.digest != anchor.digest:
            raise RosterError(
                f"{anchor.bot}: found digest {entrant.digest[:12]}, expected {anchor.digest[:12]}: not the bot by which scale"
                f" {scale.version} was measured"
            )
    return found


class RatedBot(Struct, frozen=True, kw_only=True):
    """The rating of a bot."""

    bot: str
    digest: str
    scale: int  # its version
    rating: float  # points a hand
    low: float  # of the 95 % interval
    high: float
    below: str  # the anchor next below it; empty: there is none
    above: str  # the anchor next above it; empty: there is none
    hands: int
    faults: int  # of the bot
    milliseconds: float  # of processor time for a decision, on average
    slowest: float  # likewise, of the slowest decision
    results: str
    void: str = ""  # why this is no rating: the decisions of the bot were not its model's; empty: it is one

    def lines(self) -> Iterator[str]:
        """Yield the scale, the time of a decision, and the faults."""
        if self.void:
            yield f"No rating: {self.void}."
        yield f"Scale {self.scale}, greedy at 0; the deals are the same for every bot that is rated, and known."
        yield f"A decision took {self.milliseconds:.2g} ms of processor time, the slowest {self.slowest:.2g} ms."
        if self.faults:
            yield f"{count(self.faults, 'fault')}, each of which costs a hand; `arena bots check` looks for the cause."


def plan_rating(bot: str, hands: int, sandbox: str | None) -> Plan:
    """Return the plan that rates a bot. Raises: RosterError, InputError, SandboxError."""
    scale = read_scale()
    (found,) = chosen.resolve((bot,), suffixes=("",))
    anchors = entrants(scale)
    if found.name in {anchor.name for anchor in anchors}:
        found = replace(found, entrant=replace(found.entrant, name=f"{found.name}-rated"))
    field = (found, *(ResolvedBot(anchor.bot, entrant) for anchor, entrant in zip(scale.anchors, anchors, strict=True)))
    values = {
        "title": f"Rating of {found.name}",
        "rules": named_parts.ruleset("tournament", STOCK),  # its option ``stock``, as in a duel
        "format": {"name": "placement", "ratings": [anchor.rating for anchor in scale.anchors], "hands": hands},
        "sandbox": named_parts.sandbox(sandbox, [one.entrant.launch for one in field]),
    }
    return planning.from_values(values, field, SEED.format(version=scale.version))


def read_rating(plan: Plan, folder: Folder) -> RatedBot:
    """Return the rating from a finished run. Raises: StoreError."""
    form, bot = plan.spec.format, plan.field[0]
    assert isinstance(form, Placement)
    with Store(folder.database) as store:
        results = store.results()
        used = [record.usage[record.fixture.seats.index(bot.name)] for record in store.records()]
        void = why_not_judged(model_plays(store))
        faults = sum(1 for name, _, _ in store.faults() if name == bot.name)
    found = form.rating(plan.names, results)
    assert found is not None
    below, above = form.neighbours(plan.names, found.mean)
    return RatedBot(
        bot=bot.name,
        digest=bot.digest,
        scale=VERSION,
        rating=round(found.mean, 2),
        low=round(found.low, 2),
        high=round(found.high, 2),
        below=below,
        above=above,
        hands=sum(one.hands for one in results),
        faults=faults,
        milliseconds=round(1000 * sum(one.cpu for one in used) / max(sum(one.decisions for one in used), 1), 3),
        slowest=round(1000 * max(one.slowest for one in used), 2),
        results=str(folder.path),
        void=void,
    )
