"""Training of Scholar's networks: it is reproducible, and the initial networks play."""

from pathlib import Path
from random import Random

import pytest

from arena.sdk.network import load
from arena_bots.scholar import LEARNED, Scholar
from arena_bots.training import learn
from arena_bots.training.measure import bot, measure


@pytest.mark.process
def test_a_fitted_network_approximates_its_examples() -> None:
    chance = Random(1)
    inputs = [[chance.uniform(-1, 1), chance.uniform(-1, 1)] for _ in range(30_000)]
    examples = learn.Examples()
    for one, other in inputs:
        examples.add([one, other], 20 * max(one, other))
    network = learn.fit([examples], 8)
    errors = [abs(network.value([one, other]) - 20 * max(one, other)) for one, other in inputs]
    assert sum(errors) / len(errors) < 1.5


def test_points_of_an_example_are_capped_at_sixty() -> None:
    examples = learn.Examples()
    examples.add([0.0], 93)
    examples.add([0.0], -93)
    assert examples.points == [60, -60]


@pytest.mark.slow
def test_the_initial_networks_play_better_than_greedy() -> None:
    strength = measure(Scholar("seed", learn.beginner()), bot("greedy"), 400)
    assert strength.mean > strength.error


@pytest.mark.process
def test_the_same_hands_give_the_same_examples() -> None:
    once, again = (learn.study(learn.beginner(), 5, "seed") for _ in range(2))
    assert once == again
    assert all(examples.inputs for examples in once.values())


@pytest.mark.slow
def test_the_same_command_gives_the_same_networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [tmp_path / "once.json", tmp_path / "again.json"]
    for file in files:
        monkeypatch.setattr("sys.argv", ["learn", str(file), "--rounds", "2", "--hands", "20"])
        learn.main()
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_shipped_networks_have_the_shape_that_training_gives() -> None:
    learned, taught = load(LEARNED), learn.beginner()
    assert learned.keys() == taught.keys()
    for name, network in learned.items():
        assert len(network.weights) == learn.UNITS[name]
        assert {len(row) for row in network.rows} == {len(taught[name].rows[0])}
