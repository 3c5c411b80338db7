"""Plays hands to train networks on, and records examples, in a form that compiles to C.

A pupil that explores plays as :mod:`arena.train.learned` does, except for one random decision in each hand. Its positions from
there on are examples, with the points of the hand. In every turn with a legal knock that is not gin, the best knock is an example
too, with the points that it would score.
"""

import arena.train.kernel as kernel  # noqa: PLR0402 - the compiler knows this form alone
import arena.train.learned as learned  # noqa: PLR0402
import arena.train.melds as melds  # noqa: PLR0402
import arena.train.native as native  # noqa: PLR0402
from arena.gin.cards import Cards

DECISIONS = 20  # the random decision is one of the first 20 of a seat; a shorter hand may have none


def record(b: native.Lesson, kind: int, seat: int, points: float) -> None:
    """Write ``INPUT`` as an example, unless there is no room; a network with fewer inputs reads the first of them."""
    if b.count >= b.room:
        return
    for number in range(native.INPUTS):
        b.examples[b.count].inputs[number] = learned.INPUT[number]
    b.examples[b.count].points = points
    b.examples[b.count].kind = kind
    b.examples[b.count].seat = seat
    b.count += 1


def knock_points(t: native.HandState, terms: native.KernelTerms, laid: Cards, left: int) -> float:
    """Return the points of the acting seat if it knocks and keeps the cards ``laid``; negative for an undercut."""
    theirs = melds.after_lay_offs(laid, t.held[1 - t.seat])
    score = terms.scores[kernel.table_of(t, terms, t.seat)].scores[native.CALL_KNOCK][left][theirs]
    points = score.points * t.multiplier
    if score.won < 0:  # neither seat
        return 0.0
    return -points if score.won else points  # 1: the other seat; 0: the acting seat, which called


def takes(t: native.HandState, b: native.Lesson, p: native.Pupil) -> bool:
    """Tell whether a pupil takes the upcard, at random if the decision is its random one and the card makes a meld.

    From that decision on, each position of an exploring pupil that leaves the upcard is an example.
    """
    taken = 1 if learned.wants(p.networks, t) else 0
    if p.explores and p.turn == p.random_turn and melds.completes(t.held[t.seat]) & native.bit(t.pile[t.pile_count - 1]):
        taken = kernel.random_below(t, 2)
    if not taken and p.explores and p.turn >= p.random_turn:
        learned.write_position(t, t.held[t.seat], -1, native.INPUTS)
        record(b, learned.BEFORE, t.seat, native.PENDING)
    p.turn += 1
    return taken != 0


def throw(t: native.HandState, terms: native.KernelTerms, b: native.Lesson, p: native.Pupil) -> int:
    """Return a pupil's discard, knock or big gin, and record examples; its random decision is one of the best discards."""
    if kernel.may_big_gin(t, terms):
        return native.BIG_GIN
    action = learned.throw(p.networks, t, terms)
    if not p.explores or t.phase == native.AT_LAST_KNOCK:
        return action
    held = t.held[t.seat]
    knock = learned.best_knock(t, terms)
    laid = held & ~native.bit(knock)
    left = melds.deadwood(laid)
    if left == 0:
        return action
    if left <= t.knock_limit:
        learned.write_knock(t, knock, left)
        record(b, learned.KNOCKING, t.seat, knock_points(t, terms, laid, left))
    if p.turn == p.random_turn:
        count = learned.rank_throws(p.networks[learned.AFTER], t, held, kernel.throwable(t, terms))
        action = learned.BEST[kernel.random_below(t, count)]
    if action < native.KNOCK and p.turn >= p.random_turn:
        learned.write_position(t, held & ~native.bit(action), action, native.INPUTS)
        record(b, learned.AFTER, t.seat, native.PENDING)
    p.turn += 1
    return action


def choose(t: native.HandState, terms: native.KernelTerms, b: native.Lesson, seat: int) -> int:
    """Return the action of the player of a seat."""
    if b.players[seat] != native.PUPIL:
        return kernel.choose(t, terms, b.players[seat])
    if t.phase == native.AT_FIRST_DRAW:
        return native.DRAW
    if t.phase in (native.AT_DISCARD, native.AT_LAST_KNOCK):
        return throw(t, terms, b, b.pupils[seat])
    if t.phase == native.AT_LAST_TAKE:
        return native.TAKE if kernel.may_take_last(t, terms) else native.PASS
    if takes(t, b, b.pupils[seat]):
        return native.TAKE
    return native.DRAW if t.phase == native.AT_DRAW else native.PASS


def play_one(b: native.Lesson, t: native.HandState, terms: native.KernelTerms) -> None:
    """Play a hand to its end, and write its points into its examples."""
    first = b.count
    for seat in range(2):
        start_pupil(t, b.pupils[seat])
    while t.phase != native.OVER:
        kernel.play(t, terms, choose(t, terms, b, t.seat))
    for number in range(first, b.count):
        if b.examples[number].points == native.PENDING:
            b.examples[number].points = 0 if t.winner < 0 else t.points if t.winner == b.examples[number].seat else -t.points


def start_pupil(t: native.HandState, p: native.Pupil) -> None:
    """Reset a pupil for a new hand, and draw the number of its random decision."""
    p.turn = 0
    if p.explores:
        p.random_turn = kernel.random_below(t, DECISIONS)


def play_all(address: int) -> None:
    """Play every hand of a lesson to its end."""
    b = native.lesson(address)
    b.count = 0
    for row in range(b.size):
        play_one(b, b.states[row], b.terms[0])
