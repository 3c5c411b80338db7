"""How Scholar learns: from nothing, the same way every time."""

from pathlib import Path
from random import Random

import pytest

from arena.sdk.network import load
from arena_bots.scholar import LEARNED, Scholar
from arena_bots.training import learn
from arena_bots.training.measure import bot, measure


def test_a_fitted_network_comes_close_to_what_it_was_told() -> None:
    chance = Random(1)
    inputs = [[chance.uniform(-1, 1), chance.uniform(-1, 1)] for _ in range(30_000)]
    notes = learn.Notes()
    for one, other in inputs:
        notes.add([one, other], 20 * max(one, other))
    network = learn.fit([notes], 8)
    errors = [abs(network.value([one, other]) - 20 * max(one, other)) for one, other in inputs]
    assert sum(errors) / len(errors) < 1.5


def test_no_hand_teaches_more_than_sixty_points() -> None:
    notes = learn.Notes()
    notes.add([0.0], 93)
    notes.add([0.0], -93)
    assert notes.points == [60, -60]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_beginner_already_plays_better_than_greedy() -> None:
    strength = measure(Scholar("seed", learn.beginner()), bot("greedy"), 400)
    assert strength.mean > strength.error


def test_the_same_lessons_come_of_the_same_hands() -> None:
    once, again = (learn.study(learn.beginner(), 5, "seed") for _ in range(2))
    assert once == again
    assert all(notes.inputs for notes in once.values())


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_same_command_teaches_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [tmp_path / "once.json", tmp_path / "again.json"]
    for file in files:
        monkeypatch.setattr("sys.argv", ["learn", str(file), "--rounds", "2", "--hands", "20"])
        learn.main()
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_shipped_networks_have_the_shape_that_is_taught() -> None:
    learned, taught = load(LEARNED), learn.beginner()
    assert learned.keys() == taught.keys()
    for name, network in learned.items():
        assert len(network.weights) == learn.UNITS[name]
        assert {len(row) for row in network.rows} == {len(taught[name].rows[0])}
