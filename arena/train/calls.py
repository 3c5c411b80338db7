"""Fills the structures of the kernel with arrays, whose types and layout it checks, and calls its rollouts, walks and beliefs."""

from collections.abc import Mapping, Sequence
from ctypes import POINTER, Structure, addressof, c_double, cast, pointer
from functools import cache
from types import FunctionType
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.train import beliefs, rollouts, walks
from arena.train.native import INPUTS, BeliefBatch, HandBatch, KernelNetwork, KernelTerms, RolloutBatch, ThrowBatch, WalkBatch

Arrays = Mapping[str, NDArray[Any]]
_Batch = TypeVar("_Batch", bound=Structure)

COMPILED: Final = not isinstance(walks.walk, FunctionType)


class Networks:
    """Networks in the memory of the kernel: after a discard, before a draw, and for a knock."""

    def __init__(self, networks: Sequence[tuple[ArrayLike, ArrayLike, ArrayLike, float]]) -> None:
        """Copy three networks, or none: of each, the weights of its inputs (hidden x inputs), biases, weights and output bias.

        Raises: ValueError, for another number or shape.
        """
        shapes = [[np.shape(part) for part in network[:3]] for network in networks]
        fit = [len(rows) == 2 and rows[1] <= INPUTS and biases == weights == rows[:1] for rows, biases, weights in shapes]
        if len(networks) not in (0, 3) or not all(fit):
            raise ValueError(f"networks of shapes {shapes}; expected three, of at most {INPUTS} inputs, or none")
        self._kept = [[np.array(part, np.float64, order="C") for part in network[:3]] for network in networks]
        self.array = (KernelNetwork * len(networks))(
            *(
                # a matrix is hidden x inputs; the structure begins with inputs, hidden, bias
                KernelNetwork(*reversed(parts[0].shape), network[3], *(part.ctypes.data_as(POINTER(c_double)) for part in parts))
                for network, parts in zip(networks, self._kept, strict=True)
            )
        )


def play_out(arrays: Arrays, terms: KernelTerms, networks: Networks, **numbers: int) -> None:
    """Play hands to their ends. ``arrays`` and ``numbers`` are fields of :class:`RolloutBatch`.

    ``networks`` are those of the bot ``scholar``; none if it does not play.
    """
    batch = _rollouts(arrays, terms, networks, numbers)
    rollouts.play_out(addressof(batch))


def ask(arrays: Arrays, terms: KernelTerms, networks: Networks, **numbers: int) -> None:
    """Write into ``actions`` what the acting seats of ``states`` choose; the arguments are those of :func:`play_out`."""
    batch = _rollouts(arrays, terms, networks, numbers)
    rollouts.ask(addressof(batch))


def judge(arrays: Arrays, **numbers: int) -> None:
    """Write the features and costs of throws; ``arrays`` and ``numbers`` are the fields of :class:`ThrowBatch`."""
    batch = fill(ThrowBatch, arrays, **numbers)
    rollouts.judge(addressof(batch))


def _rollouts(arrays: Arrays, terms: KernelTerms, networks: Networks, numbers: Mapping[str, int]) -> Structure:
    learned = cast(networks.array, POINTER(KernelNetwork))
    return fill(RolloutBatch, arrays, terms=pointer(terms), networks=learned, **numbers)


def believe(arrays: Arrays, **numbers: int) -> float:
    """Find particles that explain decisions, and return their log-likelihood; the arguments are fields of :class:`BeliefBatch`."""
    batch = fill(BeliefBatch, arrays, **numbers)
    beliefs.believe(addressof(batch))
    return float(batch.likelihood)


def walk(arrays: Arrays, **numbers: int) -> None:
    """Take the steps of walks; ``arrays`` and ``numbers`` are the fields of :class:`WalkBatch`."""
    batch = fill(WalkBatch, arrays, **numbers)
    walks.walk(addressof(batch))


def weigh(arrays: Arrays, **numbers: int) -> None:
    """Write the facts and log-likelihoods of hands; ``arrays`` and ``numbers`` are fields of :class:`WalkBatch`."""
    batch = fill(WalkBatch, arrays, **numbers)
    walks.weigh(addressof(batch))


def fill(kind: type[_Batch], arrays: Arrays, **fields: Any) -> _Batch:  # noqa: ANN401
    """Return a structure that points to arrays. Raises: ValueError, for another dtype, or if one is not C-contiguous."""
    pointers: dict[str, Any] = {}
    for name, array in arrays.items():
        expected = _KINDS[kind][name]
        element = _element(expected._type_)
        if array.dtype != element or not array.flags.c_contiguous:
            raise ValueError(f"{name}: dtype {array.dtype}; expected {element} without gaps")
        pointers[name] = array.ctypes.data_as(expected)
    return kind(**pointers, **fields)


@cache
def _element(kind: Any) -> np.dtype[Any]:  # noqa: ANN401
    """Return the dtype of one number or structure of a ctypes array, however deep it is nested."""
    found = np.dtype(kind)
    return found if found.subdtype is None else _element(found.subdtype[0])


_KINDS: Final[dict[type[Structure], dict[str, Any]]] = {
    kind: {name: field for name, field, *_ in kind._fields_ if isinstance(field, type(POINTER(kind)))}
    for kind in (BeliefBatch, HandBatch, RolloutBatch, ThrowBatch, WalkBatch)
}
