"""The memory that ``beliefs.py`` works on; ``belief_memory.pxd`` declares it to the compiler."""

import math
from ctypes import POINTER, Structure, addressof, c_double, c_int8, c_int64, c_uint8, c_uint64, memmove, sizeof
from typing import Any

from arena.train.native import HandState

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


def beliefs(address: int) -> BeliefBatch:
    """Return the beliefs at an address."""
    return BeliefBatch.from_address(address)


def copy_particle(target: Particle, source: Particle) -> None:
    """Overwrite a particle with another."""
    memmove(addressof(target), addressof(source), sizeof(Particle))


def log(number: float) -> float:
    """Return the natural logarithm of a positive number."""
    return math.log(number)
