"""Builders for the tests of plugins and bots: cards, hands, records, a run without processes, and a report.

arena/plugins/README.md has an example.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from arena.cli import built_pages
from arena.gin.actions import read_actions
from arena.gin.cards import bits, card, each, parse
from arena.gin.deal import Deal
from arena.gin.facts import HandFacts, Seat
from arena.gin.match import FinishedGame, Hand, Phase, replay
from arena.gin.rules import Rules, terms_of
from arena.gin.score import Ending
from arena.limits import FaultCosts
from arena.players.base import InlinePlayer
from arena.records import UNUSED, Assurance, Fault, Fixture, HandRecord, MatchRecord, Usage, result
from arena.referee.job import bot_seed, play_between
from arena.reports.report import About, Report
from arena.reports.report_builder import make
from arena.runs.manual_links import broken_links
from arena.sdk import Bot
from arena.stats.estimate import Rating
from arena.stats.ratings import BradleyTerry
from arena.tournament.formats.base import Format, details, places

SEED = "arena.testing"  # of the deals
SHORT = Rules(target=50, best_of=1)  # a match of a few hands

Bots = Mapping[str, Callable[[str], Bot]]  # an SDK class for each entrant, which is called with a seed

# --- hands


def in_order(cards: str) -> tuple[int, ...]:
    """Return the cards of a text such as ``3c4c5c 7d``, in its order."""
    packed = "".join(cards.split())
    return tuple(card(packed[at : at + 2]) for at in range(0, len(packed), 2))


def deal(first: str, dealer: str, upcard: str, stock: str = "", *, bottom: str = "", seat: Seat = 0) -> Deal:
    """Return a deal with the ten cards ``first`` for the non-dealer, in ``seat``, and the ten cards ``dealer`` for the dealer.

    The stock begins with the cards ``stock`` and ends with the cards ``bottom``; all others lie between them in deck order. Cards
    are written as ``3c4c5c 7d``. Raises: ValueError, unless both have ten cards and no card is given twice.
    """
    non_dealers, dealers = in_order(first), in_order(dealer)
    if (len(non_dealers), len(dealers)) != (10, 10):
        raise ValueError(f"hands of {len(non_dealers)} and {len(dealers)} cards; expected ten each")
    hands = tuple(one for pair in zip(non_dealers, dealers, strict=True) for one in pair)
    named, below = (*hands, *in_order(upcard), *in_order(stock)), in_order(bottom)
    rest = tuple(one for one in range(52) if one not in {*named, *below})
    deck = (*named, *rest, *below)
    if sorted(deck) != list(range(52)):
        raise ValueError("a card is given twice; expected each once")
    return Deal(deck, 1 - seat)


def hand_after(actions: str, dealt: Deal, rules: Rules | None = None) -> Hand:
    """Return the hand after the actions of a transcript such as ``pass pass draw Kd``. Raises: IllegalActionError."""
    return replay(dealt, rules or Rules(), read_actions(actions))


def hand_holding(
    cards: str, *, phase: Phase = Phase.DISCARD, drawn: str = "", taken: bool = False, rules: Rules | None = None
) -> Hand:
    """Return a hand in which seat 0, the non-dealer, holds ``cards`` and is to act.

    Seat 1 holds ten arbitrary other cards, one is the discard pile, and the rest is the stock.
    """
    mine = parse(cards)
    rest = [one for one in range(52) if not mine >> one & 1]
    other, left = rest[-10:], rest[:-10]
    deck = (*each(mine), *other, *left)
    ruleset, facts = rules or Rules(), HandFacts(1, left[0])
    hand = Hand(
        rules=ruleset,
        facts=facts,
        terms=terms_of(ruleset, facts),
        deck=deck,
        phase=phase,
        seat=0,
        cards=(mine, bits(other)),
        pile=(left[0],),
        top=mine.bit_count() + 11,
    )
    return replace(hand, drawn=card(drawn) if drawn else None, taken=taken)


# --- records


def match_record(
    zero: str,
    one: str,
    *,
    deals: str = "d",
    winner: Seat | None = 0,
    points: Sequence[int] = (),
    games: Sequence[Seat] = (),
    endings: Sequence[Ending] = (),
    faults: Sequence[Fault] = (),
    usage: tuple[Usage, Usage] = UNUSED,
) -> MatchRecord:
    """Return the record of a match; ``points`` are those of its hands, positive for seat 0, negative for seat 1, 0 for a dead hand.

    ``games`` are the winners of its games; ``deals`` is the key that both legs of a pair share.
    """
    return MatchRecord(
        fixture=Fixture(f"{deals}/{zero}-{one}", (zero, one), deals),
        winner=winner,
        hands=hand_records(points, endings),
        games=tuple(FinishedGame(seat, (0, 0)) for seat in games),
        faults=tuple(faults),
        usage=usage,
    )


def batch_record(zero: str, one: str, points: Sequence[int], *, deals: str = "d") -> MatchRecord:
    """Return the record of a batch of single hands; ``points`` as in ``match_record``."""
    fixture = Fixture(f"{deals}/{zero}-{one}", (zero, one), deals, len(points))
    return MatchRecord(fixture=fixture, winner=None, hands=hand_records(points), games=())


def hand_records(points: Sequence[int], endings: Sequence[Ending] = ()) -> tuple[HandRecord, ...]:
    """Return hands with these ``endings``; any others end by a knock, or dead if their points are 0."""
    kinds = [*endings, *(Ending.KNOCK if net else Ending.DEAD for net in points[len(endings) :])]
    return tuple(hand_record(number, net, ending) for number, (net, ending) in enumerate(zip(points, kinds, strict=True)))


def hand_record(number: int, points: int, ending: Ending) -> HandRecord:
    """Return a hand without actions, won by seat 0 if ``points`` are positive and by seat 1 if they are negative."""
    winner = None if points == 0 else int(points < 0)
    return HandRecord(
        game=0, hand=number, dealer=number % 2, actions="", ending=ending, winner=winner, points=abs(points), deadwood=(0, 0)
    )


# --- runs and reports


def play(league: Format, bots: Bots, *, rules: Rules = SHORT, seed: str = SEED) -> list[MatchRecord]:
    """Play a whole tournament in this process, without sandbox, clock or database, and return its records.

    As in a real run, the format is asked for more fixtures until it returns none. An exception in a bot ends the run. Raises:
    AssertionError, if the format asks for a fixture that was already played.
    """
    played: dict[str, MatchRecord] = {}
    while wanted := list(league.fixtures(list(bots), [result(record) for record in played.values()])):
        for fixture in wanted:
            if fixture.id in played:
                raise AssertionError(f"the format asked again for {fixture.id!r}, which was already played")
            played[fixture.id] = play_fixture(fixture, bots, rules=rules, seed=seed)
    return list(played.values())


def play_fixture(fixture: Fixture, bots: Bots, *, rules: Rules = SHORT, seed: str = SEED) -> MatchRecord:
    """Play one fixture in this process and return its record."""
    zero, one = (bots[name](bot_seed(seed, fixture.deals, seat)) for seat, name in enumerate(fixture.seats))
    players = (InlinePlayer(zero.answer, zero.hand_over), InlinePlayer(one.answer, one.hand_over))
    return play_between(players, fixture, rules, FaultCosts(), seed)


def report(
    records: Iterable[MatchRecord],
    *,
    title: str = "League",
    league: Format | None = None,
    rating: Rating | None = None,
    rules: Rules = SHORT,
    seed: str = SEED,
) -> Report:
    """Return the report on a finished tournament, as a renderer gets it.

    ``league`` ranks the entrants if it has a ranking; the default ``rating`` is ``bradley-terry``. Raises: PluginError.
    """
    played, rated = list(records), rating or BradleyTerry()
    results = [result(record) for record in played]
    field = tuple(dict.fromkeys(name for record in played for name in record.fixture.seats))
    about = About(
        title=title,
        field=field,
        finished=True,
        rated_by=str(rated.__struct_config__.tag),
        isolation=Assurance(isolated=True, profile="A", sealed=True),
        provenance={"seed": seed},
        rules=rules,
        places=places(league, field, lambda: results) if league else None,
        details=details(league, field, lambda: results) if league else None,
    )
    return make(
        enumerate(played),
        find={record.fixture.id: record for record in played}.__getitem__,
        about=about,
        rating=rated,
        seed_of=lambda _: seed,
    )


def check_page(path: Path) -> None:
    """Make sure that every link of a page of the manual leads somewhere. Raises: AssertionError, with a line for each other one."""
    if broken := broken_links(path, built_pages.markdown):
        raise AssertionError("\n".join(broken))
