"""A small network that was trained elsewhere: weights from a JSON file, one hidden layer, no library.

A value of thirty inputs and thirty hidden units takes some thirty microseconds, so a bot may ask for thousands a turn.
"""

from collections.abc import Sequence
from operator import mul
from pathlib import Path

from msgspec import Struct, json


class Network(Struct, frozen=True):
    """A function of several numbers: rectified sums of them, weighed and summed."""

    rows: tuple[tuple[float, ...], ...]  # a hidden unit's weight of each input
    biases: tuple[float, ...]  # of the hidden units
    weights: tuple[float, ...]  # of the hidden units in the value
    bias: float  # of the value

    def value(self, inputs: Sequence[float]) -> float:
        """Return the value of ``inputs``, as many as each row has weights."""
        total = self.bias
        for row, bias, weight in zip(self.rows, self.biases, self.weights, strict=True):
            unit = bias + sum(map(mul, row, inputs))
            if unit > 0:
                total += weight * unit
        return total


def load(path: Path) -> dict[str, Network]:
    """Return the networks of a file by their names. Raises: OSError, msgspec.DecodeError."""
    return json.decode(path.read_bytes(), type=dict[str, Network])


def save(path: Path, networks: dict[str, Network]) -> None:
    """Write networks for ``load``, a network a line. Raises: OSError."""
    lines = [f"{json.encode(name).decode()}: {json.encode(network).decode()}" for name, network in networks.items()]
    path.write_text("{" + ",\n".join(lines) + "}\n")
