"""The matches, hands and decisions of a run as typed rows, read one record at a time, for iteration and data frames."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from arena.gin.actions import read_actions, word
from arena.gin.cards import NAMES, text
from arena.gin.match import Hand, walk
from arena.gin.melds import deadwood
from arena.records import HandRecord, MatchRecord, dealt_hands, net, result
from arena.reports.replays import replaying
from arena.review.summary import ListedDecision
from arena.runs.stored import StoredRun

Name = Annotated[str, Meta(description="the entrant's name")]
FixtureId = Annotated[str, Meta(description="the match or batch, unique in the run")]
GameNumber = Annotated[int, Meta(description="number of the game in its match, from 0")]
HandNumber = Annotated[int, Meta(description="number of the hand in its game or batch, from 0")]


class MatchData(Struct, frozen=True, kw_only=True):
    """A match, or a batch of single hands."""

    fixture: FixtureId
    deals: Annotated[str, Meta(description="key of the deals, which both legs of a pair share")]
    bot0: Annotated[str, Meta(description="the entrant in seat 0")]
    bot1: Annotated[str, Meta(description="the entrant in seat 1")]
    winner: Annotated[str | None, Meta(description="the entrant that won; null: a batch, or a drawn match")]
    games0: Annotated[int, Meta(description="games that seat 0 won")]
    games1: Annotated[int, Meta(description="games that seat 1 won")]
    points0: Annotated[int, Meta(description="points that seat 0 scored in its hands, without bonuses of a game")]
    points1: Annotated[int, Meta(description="points that seat 1 scored in its hands, without bonuses of a game")]
    hands: Annotated[int, Meta(description="number of hands")]
    faults: Annotated[int, Meta(description="faults of both bots")]
    forfeit: Annotated[str | None, Meta(description="the entrant that lost by its faults; null: neither")]


class DecisionData(Struct, frozen=True, kw_only=True):
    """A decision, with what its seat could see. Cards are written as ``3c`` or, several, as ``3c4c5c``."""

    fixture: FixtureId
    game: GameNumber
    hand: HandNumber
    turn: Annotated[int, Meta(description="number of the action in its hand, from 1, as `arena replay` counts")]
    seat: Annotated[int, Meta(description="the seat that decides, 0 or 1")]
    bot: Name
    opponent: Name
    dealer: Annotated[bool, Meta(description="whether the seat deals")]
    score: Annotated[int, Meta(description="points of the seat in the game, before the hand")]
    opponent_score: Annotated[int, Meta(description="points of the opponent in the game, before the hand")]
    phase: Annotated[str, Meta(description="upcard, first_draw, draw, discard, lay_off, last_take or last_knock")]
    cards: Annotated[str, Meta(description="the cards that the seat holds")]
    deadwood: Annotated[int, Meta(description="points of deadwood in these cards, arranged best")]
    drawn: Annotated[str | None, Meta(description="the card that was drawn or taken in this turn; null: none")]
    pile: Annotated[str, Meta(description="the discard pile, its top last")]
    stock: Annotated[int, Meta(description="cards in the stock")]
    took: Annotated[str, Meta(description="cards that the seat has taken from the discard pile")]
    threw: Annotated[str, Meta(description="cards that the seat has discarded")]
    opponent_took: Annotated[str, Meta(description="cards that the opponent has taken from the discard pile")]
    opponent_threw: Annotated[str, Meta(description="cards that the opponent has discarded")]
    may: Annotated[tuple[str, ...], Meta(description="the kinds of action that are legal")]
    may_discard: Annotated[str, Meta(description="the cards that may be discarded; empty where nothing may")]
    action: Annotated[str, Meta(description="the decision, in the notation of transcripts")]
    microseconds: Annotated[int | None, Meta(description="processor time of the answer, in microseconds; null: not measured")]
    note: Annotated[str | None, Meta(description="what the bot noted with its answer; null: nothing")]
    points: Annotated[int, Meta(description="points of the seat in the hand, negative if the opponent scored")]
    price: Annotated[float | None, Meta(description="what the best alternative gains, in points a hand; null: not reviewed")]
    best: Annotated[str | None, Meta(description="the best alternative; null: not reviewed")]


def match_row(record: MatchRecord) -> MatchData:
    """Return the row of a match."""
    seats, found = record.fixture.seats, result(record)
    return MatchData(
        fixture=record.fixture.id,
        deals=record.fixture.deals,
        bot0=seats[0],
        bot1=seats[1],
        winner=None if record.winner is None else seats[record.winner],
        games0=found.games[0],
        games1=found.games[1],
        points0=found.points[0],
        points1=found.points[1],
        hands=found.hands,
        faults=len(record.faults),
        forfeit=None if record.forfeit is None else seats[record.forfeit],
    )


def decision_rows(
    record: MatchRecord, run: StoredRun, priced: Mapping[tuple[str, str, int], ListedDecision] = {}
) -> Iterator[DecisionData]:
    """Yield the decisions of a match of a run in their order. Raises: DamagedError, for a hand that cannot be replayed.

    ``priced``: reviewed decisions by fixture, hand (as ``0.3``) and turn, from 1.
    """
    rules = run.spec.rules
    for hand, deal in dealt_hands(record, rules, run.seed_of(record.fixture.id)):
        with replaying(record.fixture.id, hand):
            actions = read_actions(hand.actions)
            before = list(walk(deal, rules, actions))[:-1]
        for turn, (state, action) in enumerate(zip(before, actions, strict=True), 1):
            reviewed = priced.get((record.fixture.id, f"{hand.game}.{hand.hand}", turn))
            yield _decision(record, hand, state, turn, word(action), deal.before.score, reviewed)


def _decision(
    record: MatchRecord,
    hand: HandRecord,
    state: Hand,
    turn: int,
    action: str,
    score: tuple[int, int],
    priced: ListedDecision | None,
) -> DecisionData:
    seat = state.seat
    discards = state.phase.value in ("discard", "last_knock")
    notes = [note.text for note in hand.notes if note.turn == turn - 1]
    return DecisionData(
        fixture=record.fixture.id,
        game=hand.game,
        hand=hand.hand,
        turn=turn,
        seat=seat,
        bot=record.fixture.seats[seat],
        opponent=record.fixture.seats[1 - seat],
        dealer=hand.dealer == seat,
        score=score[seat],
        opponent_score=score[1 - seat],
        phase=state.phase.value,
        cards=text(state.cards[seat]),
        deadwood=deadwood(state.cards[seat]),
        drawn=None if state.drawn is None else NAMES[state.drawn],
        pile="".join(NAMES[card] for card in state.pile),
        stock=state.stock,
        took=text(state.took[seat]),
        threw=text(state.threw[seat]),
        opponent_took=text(state.took[1 - seat]),
        opponent_threw=text(state.threw[1 - seat]),
        may=state.may(),
        may_discard=text(state.may_discard()) if discards else "",
        action=action,
        microseconds=hand.spent[turn - 1] if hand.spent else None,
        note=notes[0] if notes else None,
        points=net(hand, seat),
        price=priced.price if priced else None,
        best=priced.best if priced else None,
    )
