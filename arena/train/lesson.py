"""The memory that ``school.py`` works on: the players, and examples to learn from; ``lesson.pxd`` declares it to the compiler."""

from ctypes import POINTER, Structure, c_float, c_int8, c_int32, c_int64

from arena.train.native import HandState, HandTerms
from arena.train.rollout_memory import KernelNetwork

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
        ("terms", POINTER(HandTerms)),
        ("states", POINTER(HandState)),
        ("size", c_int64),
        ("players", c_int32 * 2),  # RANDOM, GREEDY or PUPIL
        ("pupils", Pupil * 2),
        ("examples", POINTER(Example)),
        ("room", c_int64),  # length of ``examples``
        ("count", c_int64),  # of those that are written
    )


def lesson(address: int) -> Lesson:
    """Return the lesson at an address."""
    return Lesson.from_address(address)
