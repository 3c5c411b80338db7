"""Small networks: their output and their file."""

from pathlib import Path

import msgspec
import pytest

from arena.sdk.network import Network, load, save

NETWORK = Network(rows=((1.0, -1.0), (0.5, 0.5)), biases=(0.0, -1.0), weights=(2.0, 4.0), bias=10.0)


@pytest.mark.parametrize(("inputs", "value"), [((3.0, 1.0), 18.0), ((1.0, 3.0), 14.0), ((0.0, 0.0), 10.0)])
def test_the_output_is_the_weighted_sum_of_rectified_sums(inputs: tuple[float, ...], value: float) -> None:
    assert NETWORK.value(inputs) == value


def test_networks_are_read_back_from_their_file(tmp_path: Path) -> None:
    save(tmp_path / "weights.json", {"one": NETWORK, "two": NETWORK})
    assert load(tmp_path / "weights.json") == {"one": NETWORK, "two": NETWORK}


def test_a_file_without_networks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "weights.json").write_text('{"one": 1}')
    with pytest.raises(msgspec.ValidationError, match="Expected `object`"):
        load(tmp_path / "weights.json")
