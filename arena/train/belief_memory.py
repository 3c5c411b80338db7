"""The memory that ``beliefs.py`` works on; ``belief_memory.pxd`` says the same to the compiler."""

import math
from ctypes import POINTER, Structure, addressof, c_double, c_int8, c_int64, c_uint8, c_uint64, memmove, sizeof
from typing import Any

from arena.train.native import HandState

MOST_DECISIONS = 32  # of a player in a hand, as far as they are believed
NO_CARD = -1
NEVER = -1e9  # the likelihood of what nothing explains

Decisions = Any  # a pointer to several decisions


class PublicDecision(Structure):
    """What the other seat did in one of its turns, as all see it."""

    _fields_ = (
        ("offered", c_int8),  # the upcard that it could take, or NO_CARD
        ("took", c_int8),  # 1: it took it
        ("thrown", c_int8),  # its discard, or NO_CARD: it passed
    )


class Particle(Structure):
    """Cards that the other seat may have been dealt and may have drawn since: they explain all its decisions."""

    _fields_ = (
        ("dealt", c_uint64),  # ten cards
        ("used", c_uint64),  # the dealt cards, and all that it drew
        ("held", c_uint64),  # what it holds after the decisions so far
        ("drew", c_uint8 * MOST_DECISIONS),  # the card that it drew from the stock before each decision
    )


class BeliefBatch(Structure):
    """What is believed of the other seat's cards. ``arena.train.search`` owns the arrays."""

    _fields_ = (
        ("possible", c_uint64),  # the cards that it may have been dealt or have drawn: unseen ones, and its own discards
        ("decisions", c_int64),
        ("made", POINTER(PublicDecision)),
        ("limit", c_int64),  # points of deadwood with which it knocks
        ("begun", c_int64),  # particles that are dealt
        ("kept", c_int64),  # those that are kept after each decision
        ("steps", c_int64),  # exchanges of each particle after each decision
        ("chance", POINTER(HandState)),  # one state, whose generator is used
        ("particles", POINTER(Particle)),  # ``begun`` of them; at the end, the first ``kept`` explain all decisions
        ("scratch", POINTER(Particle)),  # as many
        ("weights", POINTER(c_double)),  # as many
        ("likelihood", c_double),  # the logarithm of that of all decisions; NEVER: no particle explains them
    )


def beliefs(address: int) -> BeliefBatch:
    """Return the beliefs at an address."""
    return BeliefBatch.from_address(address)


def copy_particle(to: Particle, of: Particle) -> None:
    """Overwrite a particle."""
    memmove(addressof(to), addressof(of), sizeof(Particle))


def log(number: float) -> float:
    """Return the natural logarithm of a positive number."""
    return math.log(number)
