"""Checks a record by replaying it: every hand is dealt again from the seed and its actions are played through the rules."""

from collections.abc import Iterator

from arena.gin.actions import IllegalActionError
from arena.gin.hand import Hand, replay
from arena.gin.match import Contest
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult
from arena.gin.transcript import read
from arena.records import Fault, GameRecord, HandRecord, MatchRecord
from arena.referee.faults import FaultCosts, forfeit, forfeited, settle
from arena.referee.job import contest


def differences(record: MatchRecord, rules: Rules, costs: FaultCosts, seed: str) -> Iterator[str]:
    """Yield each difference between a record and its replay. Later differences may be effects of the first."""
    if record.lost is not None:
        if record.games or record.faults:
            yield f"{record.fixture.id}: lost with its worker, but it has games or faults"
        return
    match = contest(record.fixture, rules, seed)
    for hand in record.hands:
        where = f"{record.fixture.id} hand {hand.game}.{hand.hand}"
        if match.over:
            yield f"{where}: played after the end of the match"
            return
        yield from (f"{where}: {what}" for what in _hand_differences(hand, match, rules, costs, record))
        match = settle(match, _recorded(hand), costs)
    yield from (f"{record.fixture.id}: {what}" for what in _match_differences(record, match))
    yield from (f"{record.fixture.id}: {what}" for what in _fault_differences(record, costs))


def _hand_differences(hand: HandRecord, match: Contest, rules: Rules, costs: FaultCosts, record: MatchRecord) -> Iterator[str]:
    standing, deal = match.standing, match.deal()
    if (hand.game, hand.hand) != (standing.game, standing.hand):
        yield f"expected hand {standing.game}.{standing.hand}"
    if hand.dealer != deal.dealer:
        yield f"dealer {hand.dealer}; expected {deal.dealer}"
    try:
        replayed = replay(deal, rules, read(hand.actions))
    except (IllegalActionError, ValueError) as error:
        yield str(error)
        return
    expected = _result(replayed, hand, costs, record)
    if expected is None:
        yield f"ended as {hand.ending}; expected another action, in phase {replayed.phase}"
    elif expected != _recorded(hand):
        yield f"recorded {_describe(_recorded(hand))}; expected {_describe(expected)}"


def _result(replayed: Hand, hand: HandRecord, costs: FaultCosts, record: MatchRecord) -> HandResult | None:
    """Return the result of a replayed hand: of its play, or of the recorded fault that ended it; None: it has not ended."""
    if replayed.result or hand.ending is not Ending.FAULT:
        return replayed.result
    at_fault = [fault.seat for fault in record.faults if (fault.game, fault.hand) == (hand.game, hand.hand)]
    seat = at_fault[0] if at_fault else record.forfeit
    return None if seat is None else forfeited(replayed, seat, costs)


def _recorded(hand: HandRecord) -> HandResult:
    return HandResult(hand.ending, hand.winner, hand.points, hand.deadwood)


def _describe(result: HandResult) -> str:
    zero, one = result.deadwood
    return f"{result.ending.value}, winner {result.winner}, {result.points} points, deadwood {zero} and {one}"


def _match_differences(record: MatchRecord, match: Contest) -> Iterator[str]:
    games = tuple(GameRecord(game.winner, game.totals) for game in match.games)
    if record.games != games:
        yield f"recorded {len(record.games)} games as {record.games}; expected {games}"
    if record.forfeit is None and not match.over:
        yield "recorded as over; expected another hand"
    forfeited_match = record.forfeit is not None and record.fixture.hands is None
    winner = 1 - (record.forfeit or 0) if forfeited_match else match.winner
    if record.winner != winner:
        yield f"recorded winner {record.winner}; expected {winner}"


def _fault_differences(record: MatchRecord, costs: FaultCosts) -> Iterator[str]:
    """Yield differences between the faults, the hands that were lost by a fault, and the forfeit."""
    forfeiter = forfeit(record.faults, costs)
    if record.forfeit != forfeiter:
        yield f"recorded forfeit {record.forfeit}; expected {forfeiter}"
    late = [] if forfeiter is None else [hand for hand in record.hands if (hand.game, hand.hand) > _place(record.faults[-1])]
    if late and record.fixture.hands is None:
        yield "played on after the forfeit"
    expected = [(*_place(fault), fault.seat) for fault in record.faults] + [(*_place(hand), forfeiter) for hand in late]
    lost = [(*_place(hand), 1 - (hand.winner or 0)) for hand in record.hands if hand.ending is Ending.FAULT]
    if lost != expected:
        yield f"hands lost by a fault, as game, hand and seat: {lost}; expected from the faults: {expected}"


def _place(played: Fault | HandRecord) -> tuple[int, int]:
    return played.game, played.hand
