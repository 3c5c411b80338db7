"""The memory that ``school.py`` works on: who plays, and the positions that were reached; ``lesson.pxd`` says the same."""

from ctypes import POINTER, Structure, c_float, c_int8, c_int32, c_int64

from arena.train.native import HandState, HandTerms
from arena.train.rollout_memory import KernelNetwork

INPUTS = 26  # of a position
PUPIL = -1  # the player of a seat that plays by its networks
LATER = 1000.0  # the points of an example whose hand is not over


class Pupil(Structure):
    """A player that chooses by networks."""

    _fields_ = (
        ("networks", POINTER(KernelNetwork)),  # after, before, knock
        ("explores", c_int32),  # 1: one decision of a hand is made by chance, and the positions from there on are recorded
        ("turn", c_int32),  # decisions of this hand so far
        ("when", c_int32),  # the decision that is made by chance
    )


class Example(Structure):
    """A position, and the points that followed for the seat."""

    _fields_ = (("inputs", c_float * INPUTS), ("points", c_float), ("kind", c_int8), ("seat", c_int8))


class Lesson(Structure):
    """Hands that are played to their ends by a player for each seat."""

    _fields_ = (
        ("terms", POINTER(HandTerms)),
        ("states", POINTER(HandState)),
        ("size", c_int64),
        ("players", c_int32 * 2),  # of the kernel, or PUPIL
        ("pupils", Pupil * 2),
        ("examples", POINTER(Example)),
        ("room", c_int64),  # for examples
        ("count", c_int64),
    )


def lesson(address: int) -> Lesson:
    """Return the lesson at an address."""
    return Lesson.from_address(address)
