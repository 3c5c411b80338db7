"""A table of language models: the points and errors of their bots, and what a hand cost, from the notes in the records of runs.

A bot whose model made too few of its decisions has no rank (``arena.reports.fallbacks``).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from arena.disk import real
from arena.errors import InputError
from arena.records import MatchRecord, net
from arena.reports.fallbacks import MOST_FALLBACKS, NotedDecision, decides, noted_decisions
from arena.reports.numbers import MISSING, count, error, share, signed
from arena.reports.text_table import TextTable
from arena.review.summary import Mean, mean
from arena.runs.review_cache import kept_hands
from arena.runs.stored_kinds import open_stored
from arena.sdk.model_notes import FALLBACK, Cost
from arena.stats.margin import of_blocks
from arena.stats.statements import MODEL_POINTS, TWO_ERRORS
from arena.store.folder import Folder

HEADINGS = (
    *("#", "bot", "model", "against", "hands", "points a hand", "error rate", "cost a hand", "tokens a hand", "s a move"),
    "fallbacks",
)


class ModelRow(Struct, frozen=True, kw_only=True):
    """A bot that asked a model, over all its matches. The costs are those that the bot itself has noted."""

    rank: int | None  # None: its model made too few of its decisions
    bot: str
    model: str
    against: tuple[str, ...]  # its opponents, by name
    hands: int
    points: float  # a hand, less the luck of the draws
    half: float | None  # half the 95 % interval of the points; None: one pair of legs, or few with one result
    error_rate: Mean | None  # points a hand that the reviewer's policy would score more; None: no hand was reviewed
    decisions: int  # with a noted cost
    fallbacks: int  # of these, the ones that another player made in place of the model
    noted_hands: int  # with such a decision; money and tokens are means over these
    money: float  # a hand, in the currency of the prices
    tokens: float  # a hand
    seconds: float  # a decision

    @property
    def is_models(self) -> bool:
        """Tell whether the play is that of the model, by the share of its decisions."""
        return decides(self.decisions, self.fallbacks)


class ModelTable(Struct, frozen=True, kw_only=True):
    """The models of some runs, most points a hand first; those without a rank are last."""

    models: tuple[ModelRow, ...]


class _Sums(Struct):
    """Sums over the matches of a bot with one model."""

    against: set[str] = field(default_factory=set)
    points: dict[tuple[str, str], list[float]] = field(default_factory=dict)  # of each hand, less luck, by run and pair of legs
    errors: list[float] = field(default_factory=list)  # of each reviewed hand
    cost: Cost = Cost()
    decisions: int = 0
    fallbacks: int = 0
    noted: set[tuple[str, str, int, int]] = field(default_factory=set)  # hands: run, fixture, game, hand

    def add(self, folder: Folder, record: MatchRecord, bot: str, decisions: Iterable[NotedDecision]) -> None:
        """Count a match of the bot, with its noted decisions."""
        seat = record.fixture.seats.index(bot)
        self.against.add(record.fixture.seats[1 - seat])
        points = [net(hand, seat) - (hand.luck or 0.0) * (1, -1)[seat] for hand in record.hands]
        self.points.setdefault((str(folder.path), record.fixture.pair), []).extend(points)
        for one in decisions:
            self.cost = self.cost.plus(one.noted.cost)
            self.decisions += 1
            self.fallbacks += one.noted.is_fallback
            self.noted.add((str(folder.path), record.fixture.id, one.hand.game, one.hand.hand))

    def row(self, bot: str, model: str) -> ModelRow:
        """Return the means; at least one decision with a noted cost was added."""
        noted_hands, pairs = len(self.noted), list(self.points.values())
        hands, found = sum(map(len, pairs)), of_blocks(pairs)
        return ModelRow(
            rank=None,
            bot=bot,
            model=model,
            against=tuple(sorted(self.against)),
            hands=hands,
            points=sum(map(sum, pairs)) / hands,
            half=found.half if found else None,
            error_rate=mean(self.errors) if self.errors else None,
            decisions=self.decisions,
            fallbacks=self.fallbacks,
            noted_hands=noted_hands,
            money=self.cost.money / noted_hands,
            tokens=(self.cost.asked + self.cost.said) / noted_hands,
            seconds=self.cost.seconds / self.decisions,
        )


def model_table(folders: Sequence[Folder]) -> ModelTable:
    """Return the models that played in some runs; a run that is named twice counts once.

    Raises: InputError, if no model played; StoreError, DamagedError.
    """
    sums: dict[tuple[str, str], _Sums] = {}
    for folder in {real(folder.path): folder for folder in folders}.values():
        with open_stored(folder) as (store, run):
            reviewed = kept_hands(folder, run.facts["commitment"])
            keys = _add_matches(folder, store.records(), sums)
        for hand in reviewed:
            if key := keys.get((hand.place.fixture, hand.bot)):
                sums[key].errors.append(hand.error)
    if not sums:
        places = ", ".join(str(folder.path) for folder in folders)
        raise InputError(f"{places}: no note says what a model cost; expected a run of a bot from `arena bots new --lang llm`")
    rows = sorted((one.row(*key) for key, one in sums.items()), key=_order)
    ranked = sum(row.is_models for row in rows)
    return ModelTable(models=tuple(replace(row, rank=place if place <= ranked else None) for place, row in enumerate(rows, 1)))


def _order(row: ModelRow) -> tuple[bool, float, str, str]:
    return not row.is_models, -row.points, row.bot, row.model


def _add_matches(
    folder: Folder, records: Iterable[MatchRecord], sums: dict[tuple[str, str], _Sums]
) -> Mapping[tuple[str, str], tuple[str, str]]:
    """Add the matches of a run to ``sums``, by (bot, model); return these keys by (fixture, bot)."""
    keys = {}
    for record in records:
        by_bot = defaultdict[str, list[NotedDecision]](list)
        for one in noted_decisions(record):
            by_bot[one.bot].append(one)
        for bot, decisions in by_bot.items():
            keys[record.fixture.id, bot] = key = bot, decisions[0].noted.model
            sums.setdefault(key, _Sums()).add(folder, record, bot, decisions)
    return keys


def text_table(found: ModelTable) -> TextTable:
    """Return the table for a terminal."""
    rows: list[tuple[str, ...]] = [
        (
            MISSING if row.rank is None else str(row.rank),
            row.bot,
            row.model,
            ", ".join(row.against),
            str(row.hands),
            signed(row.points, row.half),
            f"{signed(row.error_rate.points)}{error(row.error_rate.se)}" if row.error_rate else MISSING,
            f"{row.money:.6f}" if row.money else MISSING,
            f"{row.tokens:,.0f}",
            f"{row.seconds:.1f}",
            f"{row.fallbacks} of {row.decisions}",
        )
        for row in found.models
    ]
    return TextTable("Models", HEADINGS, rows, (1, 2, 3), " ".join(_notes(found)))


def _notes(found: ModelTable) -> Iterator[str]:
    yield f"{MODEL_POINTS} Error rate: {TWO_ERRORS}."
    tokens = sum(row.tokens * row.noted_hands for row in found.models)
    money = sum(row.money * row.noted_hands for row in found.models)
    yield "Compare models against the same opponents only. The costs are those that the bots themselves have noted:"
    yield f"{tokens:,.0f} tokens and {money:.6f} in all." if money else f"{tokens:,.0f} tokens in all, at no known price."
    if unranked := ", ".join(f"{row.bot} with {row.model}" for row in found.models if row.rank is None):
        yield f"No rank, because the model made fewer than {share(1 - MOST_FALLBACKS)} of the decisions: {unranked}."
    if unheard := ", ".join(row.model for row in found.models if row.fallbacks == row.decisions):
        yield f"No decision was made by {unheard}: the notes of `arena replay RUN` say why, after {FALLBACK}."
    if any(row.error_rate is None for row in found.models):
        yield "`arena review RUN` measures the error rate."
    if silent := sum(row.hands - row.noted_hands for row in found.models):
        yield f"The costs of a hand leave out {count(silent, 'hand')} without a noted cost."
