"""The memory that the kernel works on, and functions that are macros in C; ``native.pxd`` declares both to the compiler.

Each structure is laid out as C does it, so an interpreted and a compiled kernel work on the same bytes. Sets of cards and the state
of the random generator are unsigned numbers of 64 bits; only arrays that users see, such as observations, have signed ones.
"""

from collections.abc import MutableSequence
from ctypes import POINTER, Structure, addressof, c_float, c_int8, c_int16, c_int32, c_int64, c_uint8, c_uint64, memmove, sizeof
from typing import cast

KNOCK = 52  # the action 52 + card; below it, the action is the card that is discarded
PASS, TAKE, DRAW, BIG_GIN = range(104, 108)
ACTIONS = 108

AT_UPCARD, AT_FIRST_DRAW, AT_DRAW, AT_DISCARD, AT_LAST_TAKE, AT_LAST_KNOCK, AT_LAY_OFF, OVER = range(8)  # as Phase counts
BY_KNOCK, BY_GIN, BY_BIG_GIN, BY_UNDERCUT, BY_DEAD, BY_SHOWDOWN = range(6)  # as Ending counts
CALL_KNOCK, CALL_GIN, CALL_BIG_GIN, CALL_SHOWDOWN = range(4)
RANDOM, GREEDY = range(2)  # the players of the kernel
NO_PLAYER = -1
IDLE = -1  # the action of a row that is left alone

DEADWOODS = 101  # rows of a table by deadwood, 0 to 100 points; ten cards have at most 98
CALLS = 4  # knock, gin, big gin, showdown


class HandState(Structure):
    """A hand at one moment: the fields of ``arena.gin.score.Situation`` without rules and melds, and a random generator."""

    _fields_ = (
        ("held", c_uint64 * 2),  # of seat 0 and 1
        ("took", c_uint64 * 2),  # every card that each seat has taken from the discard pile
        ("threw", c_uint64 * 2),  # every card that each seat has discarded
        ("piled", c_uint64),  # the cards of the discard pile
        ("chance", c_uint64),  # the state of the generator: decks, and the choices of random and greedy
        ("points", c_int32),  # to the winner
        ("takes", c_int16),  # from the discard pile, both seats together (R5.3)
        ("deadwood", c_int16 * 2),  # of seat 0 and 1 at the end, after lay-offs
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


class HandTerms(Structure):
    """The options of the rules that matter within a hand, and all its scores."""

    _fields_ = (
        ("most_deadwood", c_int32),  # points of deadwood (R6.1)
        ("max_takes", c_int32),  # R5.3
        ("return_taken", c_int32),  # R4.3
        ("upcard", c_int32),  # there is a pass sequence (R3.5)
        ("any_pile", c_int32),  # after two passes (R3.3)
        ("two_ended", c_int32),  # R2.4
        ("big_gin", c_int32),  # R8.1
        ("layoff_on_gin", c_int32),  # R7.2
        ("stock_out", c_int32),  # 0: dead, 1: showdown, 2: last_take (R5.2)
        ("next_dealer", c_int32),  # 0: alternate, 1: loser, 2: winner (R2.3)
        ("scores", Score * DEADWOODS * DEADWOODS * CALLS),  # by call, deadwood of the caller, deadwood of the other
    )


class HandBatch(Structure):
    """The arrays of a batch of hands; ``Hands`` owns them, and checks what users write into them."""

    _fields_ = (
        ("size", c_int64),
        ("autoreset", c_int64),
        ("learner", c_int64),  # the seat that the caller plays, if the kernel plays the other
        ("opponent", c_int64),  # RANDOM or GREEDY at the other seat; NO_PLAYER: the caller plays both
        ("terms", POINTER(HandTerms)),
        ("states", POINTER(HandState)),
        ("ended", POINTER(HandState)),  # the last hand of each row that ended
        ("actions", POINTER(c_int32)),
        ("mask", POINTER(c_uint8 * 108)),
        ("bits", POINTER(c_int64 * 8)),
        ("final", POINTER(c_int64 * 8)),  # the observation of a seat at the end
        ("rewards", POINTER(c_float * 2)),
        ("done", POINTER(c_uint8)),
    )


def batch(address: int) -> HandBatch:
    """Return the batch at an address."""
    return HandBatch.from_address(address)


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
