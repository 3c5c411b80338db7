"""The memory of rollouts and of walks, and the constants of the policy; ``rollout_memory.pxd`` declares them to the compiler."""

from ctypes import POINTER, Structure, c_double, c_int32, c_int64, c_uint64
from typing import Any

from arena.gin.melds import partners
from arena.train.native import HandState, HandTerms

POLICY, SCHOLAR, HABITS, SIMPLE = range(4)  # the players
ASK = -1  # in place of a first action: the seat's player chooses it
TURNS = 20  # of a seat that are told apart; takes can make more, which all count as the last
NOISES = 2048  # rows of the table of random parts
FACTS = 15  # counts of cards in a hand, ``arena.review.worlds.FACTS``
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
        ("terms", POINTER(HandTerms)),
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
        ("useful", c_uint64 * 4),  # cards that it refused recently, refused earlier, threw recently, threw earlier
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


def rollouts(address: int) -> RolloutBatch:
    """Return the rollouts at an address."""
    return RolloutBatch.from_address(address)


def throws(address: int) -> ThrowBatch:
    """Return the throws at an address."""
    return ThrowBatch.from_address(address)


def walks(address: int) -> WalkBatch:
    """Return the walks at an address."""
    return WalkBatch.from_address(address)


def part(share: float, count: int) -> int:
    """Return the integer part of ``share`` times ``count``."""
    return int(share * count)


PARTNERS = [two for card in range(52) for two in [*partners(card), 0, 0, 0][:6]]  # six pairs of each card, 0 for missing ones
