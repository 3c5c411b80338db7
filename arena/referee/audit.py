"""A record judged again: every hand dealt from the seed and played through the rules, by anyone who has the record."""

from collections.abc import Iterator

from arena.gin.actions import IllegalAction
from arena.gin.hand import Hand, replay
from arena.gin.match import Contest
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult
from arena.gin.transcript import read
from arena.records import Fault, GameRecord, HandRecord, MatchRecord
from arena.referee.faults import FaultCosts, forfeit, forfeited, settle
from arena.referee.job import contest


def differences(record: MatchRecord, rules: Rules, costs: FaultCosts, seed: str) -> Iterator[str]:
    """Yield each thing in a record that the rules give otherwise; the first is the cause, what follows may be its effect."""
    match = contest(record.fixture, rules, seed)
    for hand in record.hands:
        where = f"{record.fixture.id} game {hand.game} hand {hand.hand}"
        if match.over:
            yield f"{where}: played after the end of the match"
            return
        yield from (f"{where}: {what}" for what in _hand_differences(hand, match, rules, costs, record))
        match = settle(match, _said(hand), costs)
    yield from (f"{record.fixture.id}: {what}" for what in _match_differences(record, match))
    yield from (f"{record.fixture.id}: {what}" for what in _fault_differences(record, costs))


def _hand_differences(hand: HandRecord, match: Contest, rules: Rules, costs: FaultCosts, record: MatchRecord) -> Iterator[str]:
    standing, deal = match.standing, match.deal()
    if (hand.game, hand.hand) != (standing.game, standing.hand):
        yield f"expected game {standing.game} hand {standing.hand}"
    if hand.dealer != deal.dealer:
        yield f"dealer {hand.dealer}; expected {deal.dealer}"
    try:
        judged = replay(deal, rules, read(hand.actions))
    except (IllegalAction, ValueError) as error:
        yield str(error)
        return
    expected = _result(judged, hand, costs, record)
    if expected is None:
        yield f"ended as {hand.ending}; expected it to go on, in phase {judged.phase}"
    elif expected != _said(hand):
        yield f"recorded {_told(_said(hand))}; judged {_told(expected)}"


def _result(judged: Hand, hand: HandRecord, costs: FaultCosts, record: MatchRecord) -> HandResult | None:
    """Return the result of a replayed hand: a fault's, if one is on record for it and nobody has ended it by play."""
    if judged.result or hand.ending is not Ending.FAULT:
        return judged.result
    guilty = [fault.seat for fault in record.faults if (fault.game, fault.hand) == (hand.game, hand.hand)]
    seat = guilty[0] if guilty else record.forfeit
    return None if seat is None else forfeited(judged, seat, costs)


def _said(hand: HandRecord) -> HandResult:
    return HandResult(hand.ending, hand.winner, hand.points, hand.deadwood)


def _told(result: HandResult) -> str:
    zero, one = result.deadwood
    return f"{result.ending.value}, winner {result.winner}, {result.points} points, deadwood {zero} and {one}"


def _match_differences(record: MatchRecord, match: Contest) -> Iterator[str]:
    games = tuple(GameRecord(game.winner, game.totals) for game in match.games)
    if record.games != games:
        yield f"recorded {len(record.games)} games as {record.games}; judged {games}"
    if record.forfeit is None and not match.over:
        yield "recorded as over; expected another hand"
    forfeited_match = record.forfeit is not None and record.fixture.hands is None
    winner = 1 - (record.forfeit or 0) if forfeited_match else match.winner
    if record.winner != winner:
        yield f"recorded winner {record.winner}; judged {winner}"


def _fault_differences(record: MatchRecord, costs: FaultCosts) -> Iterator[str]:
    """Yield where the faults, the hands that ended by one, and the forfeit do not bear each other out."""
    out = forfeit(record.faults, costs)
    if record.forfeit != out:
        yield f"recorded forfeit {record.forfeit}; judged {out}"
    late = [] if out is None else [hand for hand in record.hands if (hand.game, hand.hand) > _place(record.faults[-1])]
    if late and record.fixture.hands is None:
        yield "played on after the forfeit"
    charged = [(*_place(fault), fault.seat) for fault in record.faults] + [(*_place(hand), out) for hand in late]
    ended = [(*_place(hand), 1 - (hand.winner or 0)) for hand in record.hands if hand.ending is Ending.FAULT]
    if ended != charged:
        yield f"lost by a fault, as game, hand and seat: {ended}; by the faults on record {charged}"


def _place(played: Fault | HandRecord) -> tuple[int, int]:
    return played.game, played.hand
