"""Checks a record: replays its hands by the rules, from the seed or its own decks; or has its bots play the fixture again."""

from collections.abc import Iterator

from arena.gin.actions import IllegalActionError, read_actions
from arena.gin.match import Contest, FinishedGame, Hand, replay
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult
from arena.limits import FaultCosts
from arena.records import EXCUSED, Fault, FaultLists, HandRecord, MatchRecord, deals_of
from arena.referee.fault_costs import forfeit, lost_hand, settle
from arena.referee.job import contest_on


def differences(record: MatchRecord, rules: Rules, costs: FaultCosts, seed: str | None) -> Iterator[str]:
    """Yield each difference between a record and its replay. Later differences may be effects of the first.

    ``seed`` is that of its run; None: the record was imported, and holds its decks.
    """
    for hand, difference in differences_by_hand(record, rules, costs, seed):
        yield f"{record.fixture.id}{f' hand {hand.game}.{hand.hand}' if hand else ''}: {difference}"


def differences_by_hand(
    record: MatchRecord, rules: Rules, costs: FaultCosts, seed: str | None
) -> Iterator[tuple[HandRecord | None, str]]:
    """Yield each difference with the hand that differs; None: the difference is in the whole record."""
    if record.lost is not None:
        if record.hands or record.games or record.faults or record.excused or (record.winner, record.forfeit) != (None, None):
            yield None, "lost with its worker, but it has hands, games, faults or a result"
        return
    match = contest_on(deals_of(record, seed), record.fixture, rules)
    for hand in record.hands:
        if match.over:
            yield hand, "played after the end of the match"
            return
        if (hand.deck is None) is (seed is None):
            yield hand, "its deck is missing" if hand.deck is None else "its deck is stored, and need not follow from the seed"
            return
        for difference in _hand_differences(hand, match, rules, costs, record):
            yield hand, difference
        match = settle(match, hand.result, costs)
    yield from ((None, difference) for difference in _match_differences(record, match))
    yield from ((None, difference) for difference in _fault_differences(record, costs))


def _hand_differences(hand: HandRecord, match: Contest, rules: Rules, costs: FaultCosts, record: MatchRecord) -> Iterator[str]:
    standing = match.standing
    if (hand.game, hand.hand) != (standing.game, standing.hand):
        yield f"expected hand {standing.game}.{standing.hand}"
        return
    deal = match.deal()
    if hand.dealer != deal.dealer:
        yield f"dealer {hand.dealer}; expected {deal.dealer}"
    try:
        replayed = replay(deal, rules, read_actions(hand.actions))
    except (IllegalActionError, ValueError) as error:
        yield str(error)
        return
    expected = _result(replayed, hand, costs, record)
    if expected is None:
        yield f"ended as {hand.ending}; expected another action, in phase {replayed.phase}"
    elif expected != hand.result:
        yield f"recorded {_describe(hand.result)}; expected {_describe(expected)}"


def _result(replayed: Hand, hand: HandRecord, costs: FaultCosts, record: MatchRecord) -> HandResult | None:
    """Return the result of a replayed hand: by its actions, or by the recorded fault that ended it; None: it has not ended."""
    if replayed.result or hand.ending is not Ending.FAULT:
        return replayed.result
    at_fault = [fault.seat for fault in record.faults if _place(fault) == _place(hand)]
    seat = at_fault[0] if at_fault else record.forfeit
    return None if seat is None else lost_hand(replayed, seat, costs)


def _describe(result: HandResult) -> str:
    zero, one = result.deadwood
    return f"{result.ending.value}, winner {result.winner}, {result.points} points, deadwood {zero} and {one}"


def _describe_games(games: tuple[FinishedGame, ...]) -> str:
    return ", ".join(f"{game.totals[0]}–{game.totals[1]} for seat {game.winner}" for game in games) or "none"


def _match_differences(record: MatchRecord, match: Contest) -> Iterator[str]:
    if record.games != match.games:
        yield f"recorded games: {_describe_games(record.games)}; expected {_describe_games(match.games)}"
    forfeited_match = record.forfeit is not None and record.fixture.hands is None
    if not forfeited_match and not match.over:
        yield "recorded as over; expected another hand"
    winner = 1 - (record.forfeit or 0) if forfeited_match else match.winner
    if record.winner != winner:
        yield f"recorded winner {record.winner}; expected {winner}"


def _fault_differences(record: MatchRecord, costs: FaultCosts) -> Iterator[str]:
    """Yield differences between the faults, the hands that were lost by a fault, and the forfeit."""
    forfeiter = forfeit(record.faults, costs)
    if record.forfeit != forfeiter:
        yield f"recorded forfeit {record.forfeit}; expected {forfeiter}"
    late = [] if forfeiter is None else [hand for hand in record.hands if _place(hand) > _place(record.faults[-1])]
    if late and record.fixture.hands is None:
        yield "played on after the forfeit"
    expected = [(*_place(fault), fault.seat) for fault in record.faults] + [(*_place(hand), forfeiter) for hand in late]
    lost = [(*_place(hand), 1 - (hand.winner or 0)) for hand in record.hands if hand.ending is Ending.FAULT]
    if lost != expected:
        yield f"hands lost by a fault, as game, hand and seat: {lost}; expected from the faults: {expected}"
    yield from _excuse_differences(record)


def _excuse_differences(record: MatchRecord) -> Iterator[str]:
    """Yield differences between the faults that are excused and those that may be."""
    found = FaultLists.of((*record.excused, *record.faults))
    if (found.excused, found.costly) != (record.excused, record.faults):
        yield f"{len(record.excused)} faults are excused; expected the first {EXCUSED} of kind 'lost' of each seat, and no others"
    elsewhere = [fault for fault in record.excused if _place(fault) not in set(map(_place, record.hands))]
    yield from (f"an excused fault in hand {fault.game}.{fault.hand}, which was not played" for fault in elsewhere)


def _place(played: Fault | HandRecord) -> tuple[int, int]:
    return played.game, played.hand
