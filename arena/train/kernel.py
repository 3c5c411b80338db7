"""The rules of a hand on many hands at once, in a form that compiles to C.

The annotations of functions are their types in C too: ``int`` is a number of 64 bits, ``Cards`` an unsigned one, and a structure is
passed by its address. Those of variables are in ``kernel.pxd``. All modules of the kernel are written so.

``arena/gin`` judges; this kernel plays for training and search, and tests show that both are equal. Most functions get a hand
``t`` (:class:`arena.train.native.HandState`) and the ``terms`` of its rules. Only :mod:`arena.train.hands` calls the functions that
take the address of a :class:`arena.train.native.HandBatch`: it owns the arrays of the batch, and has checked what users gave.
"""

import arena.train.melds as melds  # noqa: PLR0402 - the compiler knows this form alone
import arena.train.native as native  # noqa: PLR0402
from arena.gin.cards import Cards

GOLDEN, MIX, MIX_AGAIN = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of SplitMix64


# --- the deal


def random_below(t: native.HandState, below: int) -> int:
    """Return a random number from 0 to ``below`` - 1. Source: SplitMix64; Lemire 2019 for the range."""
    t.chance = native.low64(t.chance + GOLDEN)
    mixed = native.low64((t.chance ^ t.chance >> 30) * MIX)
    mixed = native.low64((mixed ^ mixed >> 27) * MIX_AGAIN)
    return ((mixed ^ mixed >> 31) >> 32) * below >> 32


def shuffle(t: native.HandState) -> None:
    """Shuffle the deck (Fisher and Yates)."""
    for left in range(51):
        last = 51 - left
        other = random_below(t, last + 1)
        card = t.deck[last]
        t.deck[last] = t.deck[other]
        t.deck[other] = card


def start(t: native.HandState, terms: native.KernelTerms) -> None:
    """Deal ten cards each, the non-dealer first, and turn up the 21st or deal it to the non-dealer. Rule: R2.1, R2.5, R3.5."""
    first = 1 - t.dealer
    upcard = upcard_of(t, terms)
    for seat in range(2):
        t.held[seat] = t.took[seat] = t.threw[seat] = t.deadwood[seat] = 0
    for place in range(20):
        t.held[first ^ place & 1] |= native.bit(t.deck[place])
    if upcard == native.NO_UPCARD:
        t.held[first] |= native.bit(t.deck[20])
        t.pile_count = t.piled = 0
        t.phase = native.AT_DISCARD
    else:
        t.pile[0] = upcard
        t.pile_count = 1
        t.piled = native.bit(upcard)
        t.phase = native.AT_UPCARD if terms.first_turn == native.UPCARD_FIRST else native.AT_DRAW
    t.knock_limit = terms.knock_limits[t.dealer][upcard]
    t.multiplier = terms.multipliers[t.dealer][upcard]
    t.top = 21
    t.bottom = 52
    t.seat = first
    t.passes = t.takes = t.taken = t.points = 0
    t.drawn = t.ending = t.winner = -1


def upcard_of(t: native.HandState, terms: native.KernelTerms) -> int:
    """Return the first upcard of a hand, or NO_UPCARD. Rule: R3.5."""
    return native.NO_UPCARD if terms.first_turn == native.ELEVEN_FIRST else t.deck[20]


def table_of(t: native.HandState, terms: native.KernelTerms, caller: int) -> int:
    """Return the number of the table with the scores of a hand that a seat ends."""
    return terms.tables[t.dealer ^ caller][upcard_of(t, terms)]


def deal_next(t: native.HandState, terms: native.KernelTerms) -> None:
    """Shuffle and deal the next hand; ``t`` holds the one that is over. Rule: R2.3."""
    if terms.next_dealer == 0:
        t.dealer = 1 - t.dealer
    elif t.winner >= 0:
        t.dealer = t.winner if terms.next_dealer == 2 else 1 - t.winner
    shuffle(t)
    start(t, terms)


# --- what is legal


def throwable(t: native.HandState, terms: native.KernelTerms) -> Cards:
    """Return the cards that may be discarded, openly or with a knock. Rule: R4.2, R4.3."""
    held = t.held[t.seat]
    return held & ~native.bit(t.drawn) if t.taken and not terms.return_taken else held


def knocks(held: Cards, throws: Cards, limit: int) -> Cards:
    """Return those of the cards ``throws`` with which a knock is legal. Rule: R6.1."""
    found = 0
    over = melds.deadwood(held) - limit  # points that a discard must remove, at least; a king removes ten
    while throws and over <= 10:
        low = throws & -throws
        throws ^= low
        if melds.points(low) >= over and melds.deadwood(held ^ low) <= limit:
            found |= low
    return found


def may_big_gin(t: native.HandState, terms: native.KernelTerms) -> bool:
    """Tell whether big gin is legal after a draw. Rule: R8.1."""
    return terms.big_gin != 0 and melds.deadwood(t.held[t.seat]) == 0


def may_take_last(t: native.HandState, terms: native.KernelTerms) -> bool:
    """Tell whether the last discard may be taken to knock. Rule: R5.2, ``last_take``."""
    card = native.bit(t.pile[t.pile_count - 1])
    held = t.held[t.seat] | card
    if terms.big_gin and melds.deadwood(held) == 0:
        return True
    return knocks(held, held if terms.return_taken else held ^ card, t.knock_limit) != 0


def may_throw(t: native.HandState, terms: native.KernelTerms, action: int) -> bool:
    """Tell whether an action is legal after a draw or a take. Rule: R4.2, R5.2, R6.1, R8.1."""
    if action >= native.PASS:
        return action == native.BIG_GIN and may_big_gin(t, terms)
    card = native.bit(action % native.KNOCK)
    if action < 0 or not throwable(t, terms) & card:
        return False
    if action < native.KNOCK:
        return t.phase == native.AT_DISCARD  # after the last take, only a knock
    return melds.deadwood(t.held[t.seat] ^ card) <= t.knock_limit


def is_legal(t: native.HandState, terms: native.KernelTerms, action: int) -> bool:
    """Tell whether an action of the acting seat is legal; after the end of a hand every action is, and is ignored."""
    if t.phase == native.OVER:
        return True
    if t.phase in (native.AT_DISCARD, native.AT_LAST_KNOCK):
        return may_throw(t, terms, action)
    if action == native.TAKE:
        return (t.phase == native.AT_LAST_TAKE and may_take_last(t, terms)) or t.phase in (native.AT_UPCARD, native.AT_DRAW)
    if action == native.DRAW:
        return t.phase in (native.AT_FIRST_DRAW, native.AT_DRAW)
    return action == native.PASS and t.phase in (native.AT_UPCARD, native.AT_LAST_TAKE)


def write_mask(t: native.HandState, terms: native.KernelTerms, mask: native.Mask) -> None:
    """Write 1 for each legal action of the acting seat, 0 for the others. Rule: R3-R8."""
    for action in range(native.ACTIONS):
        mask[action] = 0
    if t.phase in (native.AT_DISCARD, native.AT_LAST_KNOCK):
        throws = throwable(t, terms)
        knocking = knocks(t.held[t.seat], throws, t.knock_limit)
        while knocking:
            mask[native.KNOCK + native.lowest(knocking)] = 1
            knocking &= knocking - 1
        while throws and t.phase == native.AT_DISCARD:
            mask[native.lowest(throws)] = 1
            throws &= throws - 1
        mask[native.BIG_GIN] = may_big_gin(t, terms)
    elif t.phase == native.AT_LAST_TAKE:
        mask[native.PASS] = 1
        mask[native.TAKE] = may_take_last(t, terms)
    elif t.phase != native.OVER:
        mask[native.PASS] = t.phase == native.AT_UPCARD
        mask[native.TAKE] = t.phase != native.AT_FIRST_DRAW
        mask[native.DRAW] = t.phase != native.AT_UPCARD


# --- what each action does


def play(t: native.HandState, terms: native.KernelTerms, action: int) -> None:
    """Play a legal action of the acting seat."""
    if action < native.KNOCK:
        discard(t, terms, action)
    elif action < native.PASS:
        t.held[t.seat] ^= native.bit(action - native.KNOCK)
        call = native.CALL_KNOCK if melds.deadwood(t.held[t.seat]) else native.CALL_GIN  # R7.3
        lay_down(t, terms, call)
    elif action == native.PASS:
        pass_by(t, terms)
    elif action == native.TAKE:
        take(t)
    elif action == native.DRAW:
        draw(t, terms)
    else:
        lay_down(t, terms, native.CALL_BIG_GIN)


def pass_by(t: native.HandState, terms: native.KernelTerms) -> None:
    """Rule: R3.1-R3.3; R5.2, ``last_take``."""
    if t.phase == native.AT_LAST_TAKE:
        end_dead(t)
        return
    t.seat = 1 - t.seat
    t.passes += 1
    if t.passes == 2:
        t.phase = native.AT_DRAW if terms.any_pile else native.AT_FIRST_DRAW


def take(t: native.HandState) -> None:
    """Rule: R3.1, R4.1; R5.2, ``last_take``."""
    t.pile_count -= 1
    card = t.pile[t.pile_count]
    taken = native.bit(card)
    t.piled ^= taken
    t.held[t.seat] |= taken
    t.took[t.seat] |= taken
    t.drawn = card
    t.taken = 1
    t.takes += 1
    t.phase = native.AT_LAST_KNOCK if t.phase == native.AT_LAST_TAKE else native.AT_DISCARD


def draw(t: native.HandState, terms: native.KernelTerms) -> None:
    """Rule: R2.4, R4.1."""
    if terms.two_ended and t.seat == t.dealer:
        t.bottom -= 1
        t.drawn = t.deck[t.bottom]
    else:
        t.drawn = t.deck[t.top]
        t.top += 1
    t.held[t.seat] |= native.bit(t.drawn)
    t.taken = 0
    t.phase = native.AT_DISCARD


def discard(t: native.HandState, terms: native.KernelTerms, card: int) -> None:
    """Rule: R4.2, R5."""
    thrown = native.bit(card)
    t.held[t.seat] ^= thrown
    t.threw[t.seat] |= thrown
    t.piled |= thrown
    t.pile[t.pile_count] = card
    t.pile_count += 1
    t.drawn = -1
    t.taken = 0
    if t.bottom - t.top > 2:
        if t.takes >= terms.max_takes:  # R5.3
            end_dead(t)
        else:
            t.phase = native.AT_DRAW
    elif terms.stock_out == 0:
        end_dead(t)
    elif terms.stock_out == 1:
        lay_down(t, terms, native.CALL_SHOWDOWN)
    else:
        t.phase = native.AT_LAST_TAKE
    t.seat = 1 - t.seat


def end_dead(t: native.HandState) -> None:
    """Rule: R5.1, R5.3."""
    t.deadwood[0] = melds.deadwood(t.held[0])
    t.deadwood[1] = melds.deadwood(t.held[1])
    t.ending = native.BY_DEAD
    t.phase = native.OVER


def lay_down(t: native.HandState, terms: native.KernelTerms, call: int) -> None:
    """Lay the melds of both seats, the acting one first, and score them. Rule: R5.2, R6.2-R8.1."""
    caller = t.seat
    left = melds.deadwood(t.held[caller])
    theirs = melds.deadwood(t.held[1 - caller])
    if call in (native.CALL_KNOCK, native.CALL_SHOWDOWN) or (call == native.CALL_GIN and terms.layoff_on_gin):
        theirs = melds.after_lay_offs(t.held[caller], t.held[1 - caller])
    score = terms.scores[table_of(t, terms, caller)].scores[call][left][theirs]
    t.deadwood[caller] = left
    t.deadwood[1 - caller] = theirs
    t.points = score.points * t.multiplier
    t.ending = score.ending
    t.winner = -1 if score.won < 0 else score.won ^ caller
    t.drawn = -1
    t.taken = 0
    t.phase = native.OVER


# --- what a seat sees


def write_bits(t: native.HandState, seat: int, bits: native.Bits) -> None:
    """Write the observation of a seat: what it sees, without the order of the discard pile. Rule: R4.4."""
    own, other = t.held[seat], 1 - seat
    bits[0] = own
    bits[1] = t.piled
    bits[2] = t.took[other] & ~own & ~t.piled
    bits[3] = t.took[seat]
    bits[4] = t.took[other]
    bits[5] = t.threw[seat]
    bits[6] = t.threw[other]
    upcard = t.pile[t.pile_count - 1] + 1 if t.pile_count else 0
    drawn = t.drawn + 1 if seat == t.seat else 0
    taken = t.taken if seat == t.seat else 0
    dealt = 1 if seat == t.dealer else 0
    terms = native.bit(24) * t.knock_limit + native.bit(31) * t.multiplier  # a shift of a small number would have 32 bits
    bits[7] = t.phase | upcard << 4 | drawn << 10 | taken << 16 | t.bottom - t.top << 17 | dealt << 23 | terms


# --- players


def random_card(t: native.HandState, cards: Cards) -> int:
    """Return a random card of a set that is not empty."""
    return nth_card(cards, random_below(t, native.count(cards)))


def nth_card(cards: Cards, place: int) -> int:
    """Return the card at a place, from 0, in the ascending order of a set."""
    for _ in range(place):
        cards &= cards - 1
    return native.lowest(cards)


def choose(t: native.HandState, terms: native.KernelTerms, player: int) -> int:
    """Return the action of a player of the kernel, as ``bots/greedy.py`` and ``bots/random_legal.py`` choose it."""
    if t.phase == native.AT_FIRST_DRAW:
        return native.DRAW
    if t.phase in (native.AT_DISCARD, native.AT_LAST_KNOCK):
        return throw_greedily(t, terms) if player == native.GREEDY else throw_randomly(t, terms)
    if wants(t, terms, player):
        return native.TAKE
    return native.DRAW if t.phase == native.AT_DRAW else native.PASS


def wants(t: native.HandState, terms: native.KernelTerms, player: int) -> bool:
    """Tell whether a player takes the upcard: greedy if that does not raise its deadwood, or to knock; random with chance 1/2."""
    if t.phase == native.AT_LAST_TAKE and not may_take_last(t, terms):
        return False
    if player == native.RANDOM:
        return random_below(t, 2) == 0
    held = t.held[t.seat]
    more = melds.deadwood(held | native.bit(t.pile[t.pile_count - 1]))
    return t.phase == native.AT_LAST_TAKE or more <= melds.deadwood(held)


def throw_greedily(t: native.HandState, terms: native.KernelTerms) -> int:
    """Return big gin, or else a knock or a discard with a random one of the cards that leave the least deadwood."""
    held = t.held[t.seat]
    if may_big_gin(t, terms):
        return native.BIG_GIN
    card = random_card(t, melds.best_throws(held, throwable(t, terms)))
    if t.phase == native.AT_LAST_KNOCK or melds.deadwood(held & ~native.bit(card)) <= t.knock_limit:
        return native.KNOCK + card
    return card


def throw_randomly(t: native.HandState, terms: native.KernelTerms) -> int:
    """Return a random legal action, each with the same chance."""
    throws = throwable(t, terms)
    knocking = knocks(t.held[t.seat], throws, t.knock_limit)
    discards = native.count(throws) if t.phase == native.AT_DISCARD else 0
    ends = discards + native.count(knocking)
    place = random_below(t, ends + 1 if may_big_gin(t, terms) else ends)
    if place < discards:
        return nth_card(throws, place)
    return native.KNOCK + nth_card(knocking, place - discards) if place < ends else native.BIG_GIN


# --- many hands


def settle(b: native.HandBatch, row: int, t: native.HandState, terms: native.KernelTerms) -> None:
    """Report a hand that ended, deal the next, and play the actions of the kernel's opponent, until the learner is to act.

    Without ``autoreset`` no hand is dealt. A new hand that ends before the learner acts is skipped; its points are not reported.
    """
    while True:
        if t.phase == native.OVER:
            if not b.done[row]:
                b.done[row] = 1
                native.copy(b.ended[row], t)
                if t.winner >= 0:
                    b.rewards[row][t.winner] = t.points
                    b.rewards[row][1 - t.winner] = -t.points
            if not b.autoreset:
                return
            deal_next(t, terms)
        elif b.opponent == native.NO_PLAYER or t.seat == b.learner:
            return
        else:
            play(t, terms, choose(t, terms, b.opponent))


def clear_results(b: native.HandBatch) -> None:
    """Set ``done`` and ``rewards`` to 0."""
    for row in range(b.size):
        b.done[row] = 0
        b.rewards[row][0] = b.rewards[row][1] = 0


def begin(address: int, fresh: bool) -> None:  # noqa: FBT001 - a flag of the compiled function
    """Start each hand: with a random deck and dealer if ``fresh``, else with those in its state."""
    b = native.batch(address)
    clear_results(b)
    for row in range(b.size):
        t = b.states[row]
        if fresh:
            t.dealer = random_below(t, 2)
            shuffle(t)
        start(t, b.terms[0])
        settle(b, row, t, b.terms[0])
    if b.autoreset:  # a hand that ended before the learner acted was replaced by a new one
        clear_results(b)


def look(address: int) -> None:
    """Write the masks and the observations of the acting seats."""
    b = native.batch(address)
    for row in range(b.size):
        write_mask(b.states[row], b.terms[0], b.mask[row])
        write_bits(b.states[row], b.states[row].seat, b.bits[row])


def look_back(address: int, seat: int) -> None:
    """Write the observation of a seat at the end of the last hand that ended in each row."""
    b = native.batch(address)
    for row in range(b.size):
        write_bits(b.ended[row], seat, b.final[row])


def step(address: int, first: bool) -> int:  # noqa: FBT001
    """Play the action of each row and return -1. If an action is illegal, play none and return the first such row.

    A row whose action is IDLE is left alone; one whose hand is over is only marked as done. ``first`` clears the results of the
    last step; without it, this call continues that step.
    """
    b = native.batch(address)
    for row in range(b.size):
        if b.actions[row] != native.IDLE and not is_legal(b.states[row], b.terms[0], b.actions[row]):
            return row
    if first:
        clear_results(b)
    for row in range(b.size):
        t = b.states[row]
        if b.actions[row] != native.IDLE and t.phase == native.OVER:
            b.done[row] = 1
        elif b.actions[row] != native.IDLE:
            play(t, b.terms[0], b.actions[row])
            settle(b, row, t, b.terms[0])
    return -1


def ask(address: int, player: int) -> None:
    """Write the action that a player of the kernel chooses in each row; IDLE where the hand is over."""
    b = native.batch(address)
    for row in range(b.size):
        t = b.states[row]
        b.actions[row] = native.IDLE if t.phase == native.OVER else choose(t, b.terms[0], player)


def let_opponent_act(address: int) -> None:
    """Let the kernel's opponent, if there is one, act until it is the learner's turn in every hand that is not over."""
    b = native.batch(address)
    for row in range(b.size):
        t = b.states[row]
        if t.phase != native.OVER:
            settle(b, row, t, b.terms[0])


def finish(address: int, zero: int, one: int) -> int:
    """Play each hand to its end with a player for each seat, settle it, and return the number of decisions."""
    b = native.batch(address)
    clear_results(b)
    decisions = 0
    for row in range(b.size):
        t = b.states[row]
        while t.phase != native.OVER:
            play(t, b.terms[0], choose(t, b.terms[0], one if t.seat else zero))
            decisions += 1
        settle(b, row, t, b.terms[0])
    return decisions


def deadwoods(address: int, size: int) -> None:
    """Overwrite each set of cards with its points of deadwood."""
    sets = native.sets_at(address, size)
    for place in range(size):
        sets[place] = melds.deadwood(sets[place])
