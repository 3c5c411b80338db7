"""A small trained network with one hidden layer, loaded from a JSON file; no library is needed.

A network of thirty inputs and thirty hidden units takes about thirty microseconds, so a bot can evaluate thousands in a turn.
"""

from collections.abc import Sequence
from operator import mul
from pathlib import Path

from msgspec import Struct, json


class Network(Struct, frozen=True):
    """A hidden layer of rectified linear units and a linear output."""

    rows: tuple[tuple[float, ...], ...]  # for each hidden unit, the weights of the inputs
    biases: tuple[float, ...]  # of the hidden units
    weights: tuple[float, ...]  # of the hidden units in the output
    bias: float  # of the output

    def value(self, inputs: Sequence[float]) -> float:
        """Return the output for ``inputs``, one number for each weight of a row."""
        total = self.bias
        for row, bias, weight in zip(self.rows, self.biases, self.weights, strict=True):
            unit = bias + sum(map(mul, row, inputs))
            if unit > 0:
                total += weight * unit
        return total


def load(path: Path) -> dict[str, Network]:
    """Return the networks of a file by name. Raises: OSError, msgspec.DecodeError."""
    return json.decode(path.read_bytes(), type=dict[str, Network])


def save(path: Path, networks: dict[str, Network]) -> None:
    """Write networks for ``load``, one on each line. Raises: OSError."""
    lines = [f"{json.encode(name).decode()}: {json.encode(network).decode()}" for name, network in networks.items()]
    path.write_text("{" + ",\n".join(lines) + "}\n")
