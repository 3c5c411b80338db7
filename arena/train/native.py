"""The memory that the kernel works on, and functions that are macros in C.

The compiler has the numbers and structures from this module itself, by ``.packaging/arena_build.py``, and the functions from
``native.pxd``.

Each structure is laid out as C does it, so an interpreted and a compiled kernel work on the same bytes. Sets of cards and the state
of the random generator are unsigned numbers of 64 bits; only arrays that users see, such as observations, have signed ones.
"""

import math
from collections.abc import MutableSequence
from ctypes import (
    POINTER,
    Structure,
    addressof,
    c_double,
    c_float,
    c_int8,
    c_int16,
    c_int32,
    c_int64,
    c_uint8,
    c_uint64,
    memmove,
    sizeof,
)
from typing import Any, cast

KNOCK = 52  # the action 52 + card; below it, the action is the card that is discarded
PASS, TAKE, DRAW, BIG_GIN = range(104, 108)
ACTIONS = 108

AT_UPCARD, AT_FIRST_DRAW, AT_DRAW, AT_DISCARD, AT_LAST_TAKE, AT_LAST_KNOCK, AT_LAY_OFF, OVER = range(8)  # as Phase counts
BY_KNOCK, BY_GIN, BY_BIG_GIN, BY_UNDERCUT, BY_DEAD, BY_SHOWDOWN = range(6)  # as Ending counts
CALL_KNOCK, CALL_GIN, CALL_BIG_GIN, CALL_SHOWDOWN = range(4)
RANDOM, GREEDY = range(2)  # the players of the kernel
NO_PLAYER = -1
IDLE = -1  # the action of a row that is left alone

UPCARD_FIRST, DRAW_FIRST, ELEVEN_FIRST = range(3)  # how a hand begins (R3.5)
UPCARDS = 53  # rows of a table by upcard; the last is for hands without one
NO_UPCARD = 52

DEADWOODS = 101  # rows of a table by deadwood, 0 to 100 points; ten cards have at most 98
CALLS = 4  # knock, gin, big gin, showdown


class HandState(Structure):
    """A hand at one moment: the fields of ``arena.gin.situation.Situation`` without rules and melds, and a random generator."""

    _fields_ = (
        ("held", c_uint64 * 2),  # of seat 0 and 1
        ("took", c_uint64 * 2),  # every card that each seat has taken from the discard pile
        ("threw", c_uint64 * 2),  # every card that each seat has discarded
        ("piled", c_uint64),  # the cards of the discard pile
        ("chance", c_uint64),  # the state of the generator: decks, and the choices of random and greedy
        ("points", c_int32),  # to the winner
        ("takes", c_int16),  # from the discard pile, both seats together (R5.3)
        ("deadwood", c_int16 * 2),  # of seat 0 and 1 at the end, after lay-offs
        ("knock_limit", c_int16),  # of this hand (R6.1, R6.7)
        ("multiplier", c_int16),  # of this hand's points (R2.5)
        ("deck", c_uint8 * 52),
        ("pile", c_uint8 * 32),  # the discard pile, its top at pile_count - 1
        ("pile_count", c_uint8),
        ("phase", c_int8),  # the number of a Phase
        ("seat", c_int8),  # that acts next
        ("dealer", c_int8),
        ("top", c_int8),  # deck[top:bottom] is the stock
        ("bottom", c_int8),
        ("passes", c_int8),  # in the upcard sequence
        ("drawn", c_int8),  # the card drawn or taken in this turn, or -1
        ("taken", c_int8),  # drawn came from the discard pile
        ("ending", c_int8),  # the number of an Ending, or -1
        ("winner", c_int8),  # or -1
    )


class Score(Structure):
    """The result of a hand by its call and the deadwood of both seats."""

    _fields_ = (("points", c_int16), ("ending", c_int8), ("won", c_int8))  # won: 0 by the caller, 1 by the other seat, or -1


class ScoreTable(Structure):
    """The scores of hands by call, deadwood of the caller, and deadwood of the other seat."""

    _fields_ = (("scores", Score * DEADWOODS * DEADWOODS * CALLS),)


class KernelTerms(Structure):
    """The options of the rules that matter within a hand, and all its terms and scores, by dealer and upcard."""

    _fields_ = (
        ("max_takes", c_int32),  # R5.3
        ("return_taken", c_int32),  # R4.3
        ("first_turn", c_int32),  # UPCARD_FIRST, DRAW_FIRST or ELEVEN_FIRST (R3.5)
        ("any_pile", c_int32),  # after two passes (R3.3)
        ("two_ended", c_int32),  # R2.4
        ("big_gin", c_int32),  # R8.1
        ("layoff_on_gin", c_int32),  # R7.2
        ("stock_out", c_int32),  # 0: dead, 1: showdown, 2: last_take (R5.2)
        ("next_dealer", c_int32),  # 0: alternate, 1: loser, 2: winner (R2.3)
        ("knock_limits", c_int16 * UPCARDS * 2),  # of a hand with this dealer and upcard
        ("multipliers", c_int16 * UPCARDS * 2),
        ("tables", c_int16 * UPCARDS * 2),  # the number of its table of scores, by whether the caller dealt
        ("scores", POINTER(ScoreTable)),
    )


Mask = MutableSequence[int]  # a pointer to the bytes of a row of ``HandBatch.mask``
Bits = MutableSequence[int]  # a pointer to the numbers of an observation


class HandBatch(Structure):
    """The arrays of a batch of hands; ``Hands`` owns them, and checks what users write into them."""

    _fields_ = (
        ("size", c_int64),
        ("autoreset", c_int64),
        ("learner", c_int64),  # the seat that the caller plays, if the kernel plays the other
        ("opponent", c_int64),  # RANDOM or GREEDY at the other seat; NO_PLAYER: the caller plays both
        ("terms", POINTER(KernelTerms)),
        ("states", POINTER(HandState)),
        ("ended", POINTER(HandState)),  # the last hand of each row that ended
        ("actions", POINTER(c_int32)),
        ("mask", POINTER(c_uint8 * 108)),
        ("bits", POINTER(c_int64 * 8)),  # the observation of the seat that acts (``kernel.write_bits``)
        ("final", POINTER(c_int64 * 8)),  # that of a seat at the end of a hand
        ("rewards", POINTER(c_float * 2)),
        ("done", POINTER(c_uint8)),
    )


# --- rollouts and walks, and the constants of the policy

POLICY, SCHOLAR, HABITS, SIMPLE = range(4)  # the players of rollouts
ASK = -1  # in place of a first action: the seat's player chooses it
TURNS = 20  # of a seat that are told apart; takes can make more, which all count as the last
NOISES = 2048  # rows of the table of random parts
FACTS = 15  # counts of cards in a hand, ``arena.review.likelihood.FACTS``
FEATURES = 7  # features of a throw

OUTS = 600  # thousandths of a point that the policy gains by each live card that would make a meld
PAIR = 75  # cost of each two unseen cards that would make a meld with the throw
KNOWN_PAIR = 800  # further cost, if the other seat is known to hold one of the two
DEAREST_FIRST = 60  # gain by each point of the thrown card's value


class KernelNetwork(Structure):
    """A network with one hidden layer, as ``arena.sdk.network.Network`` holds it."""

    _fields_ = (
        ("inputs", c_int64),
        ("hidden", c_int64),
        ("bias", c_double),  # of the output
        ("rows", POINTER(c_double)),  # (hidden x inputs) weights of the inputs
        ("biases", POINTER(c_double)),  # of the hidden units
        ("weights", POINTER(c_double)),  # of the hidden units in the output
    )


NetworkArray = Any  # a pointer to several networks


class RolloutBatch(Structure):
    """Hands to play to their ends, each from a first action. The caller owns the arrays."""

    _fields_ = (
        ("size", c_int64),
        ("player", c_int64),  # of seat 0: POLICY or SCHOLAR
        ("other", c_int64),  # of seat 1: HABITS, SIMPLE or SCHOLAR
        ("terms", POINTER(KernelTerms)),
        ("scratch", POINTER(HandState)),  # one hand
        ("states", POINTER(HandState)),
        ("places", POINTER(c_int64)),  # the number of the state in which each hand begins
        ("actions", POINTER(c_int32)),  # the first action of each
        ("chance", POINTER(c_double * TURNS)),  # (states x TURNS) random numbers, one for each turn, which both seats share
        ("knocking", POINTER(c_double * 101 * TURNS)),  # the chance of a knock by seat, turn and deadwood
        ("throwing", POINTER(c_double)),  # the weights of the features of a throw for seat 1
        ("noise", POINTER(c_double * 52)),  # random parts of utilities, a row for each of NOISES random numbers
        ("networks", POINTER(KernelNetwork)),  # of scholar: after, before, knock
        ("points", POINTER(c_double)),  # of seat 0
    )


class ThrowBatch(Structure):
    """Hands of eleven cards, and the features and costs of their throws. ``arena.review.rollouts`` owns the arrays."""

    _fields_ = (
        ("size", c_int64),
        ("held", POINTER(c_int64)),
        ("dead", POINTER(c_int64)),  # the discard pile
        ("known", POINTER(c_int64)),  # cards that the other seat took and holds
        ("cards", POINTER(c_int64 * 11)),  # the throws, ascending
        ("features", POINTER(c_double * FEATURES * 11)),  # the features of each throw
        ("costs", POINTER(c_int64 * 11)),  # to the policy, in thousandths of a point
    )


class WalkSight(Structure):
    """What a seat knows of the other's cards: the sets with which the facts of a hand are counted, and the habits of the other."""

    _fields_ = (
        ("known", c_uint64),
        ("live", c_uint64),
        ("declined", c_uint64 * 4),  # cards that it refused recently, refused earlier, threw recently, threw earlier
        ("dearer", c_uint64 * 2),  # cards dearer than its last throw, and than the one before
        ("with_dropped", c_uint64),  # cards that go with what this seat threw
        ("with_shown", c_uint64),  # cards that go with what this seat took and holds
        ("evidence", c_double * FACTS),  # subtracted from the log-likelihood for each card that a fact counts
        ("weights", c_double * 101),  # log-likelihood of each deadwood
    )


class WalkBatch(Structure):
    """Walks of single exchanges; ``arena.review.worlds`` owns the arrays."""

    _fields_ = (
        ("size", c_int64),
        ("steps", c_int64),
        ("width", c_int64),  # of a row of ``order``
        ("sights", POINTER(WalkSight)),
        ("places", POINTER(c_int64)),  # the number of the sight of each walk
        ("hidden", POINTER(c_int64)),  # number of cards of the other seat that are not known
        ("unseen", POINTER(c_int64)),  # number of cards in ``order``
        ("held", POINTER(c_uint64)),  # the other seat's cards
        ("order", POINTER(c_int64)),  # (walks x width) the unseen cards, the hidden ones first
        ("likely", POINTER(c_double)),  # the log-likelihood of ``held``
        ("facts", POINTER(c_int64 * FACTS)),  # of ``held``
        ("numbers", POINTER(c_double * 3)),  # (walks * steps) shares that choose the two cards, log of a random number
    )


# --- beliefs about the other seat's cards

MOST_DECISIONS = 32  # of one player in a hand, for which a particle has room
NO_CARD = -1
NEVER = -1e9  # the log-likelihood of decisions that no particle explains

Decisions = Any  # a pointer to several decisions


class PublicDecision(Structure):
    """A turn of the other seat, as both players saw it."""

    _fields_ = (
        ("offered", c_int8),  # the upcard that it could take, or NO_CARD
        ("took", c_int8),  # 1: it took the upcard
        ("thrown", c_int8),  # its discard; NO_CARD: it passed
    )


class Particle(Structure):
    """One guess of the cards that the other seat was dealt and has drawn since."""

    _fields_ = (
        ("dealt", c_uint64),  # ten cards
        ("used", c_uint64),  # the dealt cards and those drawn from the stock
        ("held", c_uint64),  # what it holds after the decisions so far
        ("drew", c_uint8 * MOST_DECISIONS),  # the card that it drew from the stock before each decision
    )


class BeliefBatch(Structure):
    """A belief about the other seat's cards. ``arena.train.search`` owns the arrays."""

    _fields_ = (
        ("possible", c_uint64),  # cards that it may have been dealt or have drawn: unseen ones, and discards that it never took
        ("decisions", c_int64),  # number of them in ``made``
        ("made", POINTER(PublicDecision)),
        ("limit", c_int64),  # points of deadwood with which it knocks, at most
        ("initial", c_int64),  # number of particles that are dealt
        ("kept", c_int64),  # number of them that are kept after each decision
        ("steps", c_int64),  # exchanges of each particle after each decision
        ("chance", POINTER(HandState)),  # one state, of which only the random generator is used
        ("particles", POINTER(Particle)),  # ``initial`` of them; after a decision, the first ``kept`` explain all so far
        ("scratch", POINTER(Particle)),  # as many
        ("weights", POINTER(c_double)),  # as many
        ("likelihood", c_double),  # the log-likelihood of all decisions; NEVER: no particle explains them
    )


# --- lessons: the players, and examples to learn from

INPUTS = 26  # of a network, at most
PUPIL = -1  # the player of a seat that plays by its networks
PENDING = 1000.0  # in place of the points of an example until its hand is over


class Pupil(Structure):
    """A player that chooses by networks."""

    _fields_ = (
        ("networks", POINTER(KernelNetwork)),  # after, before, knock
        ("explores", c_int32),  # 1: one decision of a hand is random, and examples are recorded
        ("turn", c_int32),  # decisions of this hand so far, if it explores
        ("random_turn", c_int32),  # the number of the random decision
    )


class Example(Structure):
    """The inputs of a network, and the points that followed for the seat."""

    _fields_ = (
        ("inputs", c_float * INPUTS),
        ("points", c_float),
        ("kind", c_int8),  # the network: AFTER, BEFORE or KNOCKING of learned.py
        ("seat", c_int8),
    )


class Lesson(Structure):
    """Hands that are played to their ends by a player for each seat."""

    _fields_ = (
        ("terms", POINTER(KernelTerms)),
        ("states", POINTER(HandState)),
        ("size", c_int64),
        ("players", c_int32 * 2),  # RANDOM, GREEDY or PUPIL
        ("pupils", Pupil * 2),
        ("examples", POINTER(Example)),
        ("room", c_int64),  # length of ``examples``
        ("count", c_int64),  # of those that are written
    )


# --- functions that are macros in C

log = math.log

# the structure at an address
batch = HandBatch.from_address
rollouts = RolloutBatch.from_address
throws = ThrowBatch.from_address
walks = WalkBatch.from_address
beliefs = BeliefBatch.from_address
lesson = Lesson.from_address


def sets_at(address: int, size: int) -> MutableSequence[int]:
    """Return the sets of cards at an address."""
    return cast("MutableSequence[int]", (c_uint64 * size).from_address(address))


def count(cards: int) -> int:
    """Return the number of cards in a set."""
    return cards.bit_count()


def lowest(cards: int) -> int:
    """Return the first card of a set that is not empty."""
    return (cards & -cards).bit_length() - 1


def bit(card: int) -> int:
    """Return the set of one card."""
    return 1 << card


def copy(target: HandState, source: HandState) -> None:
    """Overwrite a state with another."""
    memmove(addressof(target), addressof(source), sizeof(HandState))


def low64(number: int) -> int:
    """Return the lowest 64 bits of a number, as C keeps them."""
    return number & 0xFFFFFFFFFFFFFFFF


def part(share: float, count: int) -> int:
    """Return the integer part of ``share`` times ``count``."""
    return int(share * count)


def copy_particle(target: Particle, source: Particle) -> None:
    """Overwrite a particle with another."""
    memmove(addressof(target), addressof(source), sizeof(Particle))
