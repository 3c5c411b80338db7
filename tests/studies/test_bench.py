"""``tests/studies/bench.py``: figures with the core that made them."""

import subprocess

import bench
import pytest
from bench import ROWS, Figure, Spent, lines
from msgspec.json import decode

from arena import interpreter
from arena.runs.installed import CORE


def test_the_core_in_use_is_named_and_a_figure_just_below_a_thousand_has_no_exponent() -> None:
    core, line = lines((lambda: iter([Figure("match", 999.7, "us", "a match")]),))
    assert (core, line) == (f"core: {CORE}", "     1,000 us           a match")


def test_the_kernel_is_measured_beside_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "SECONDS", 0.001)
    monkeypatch.setattr(bench, "ROWS", 2)
    monkeypatch.setattr(bench, "of_selfplay", lambda: iter([Figure("selfplay", 100.0, "hands/s", "the engine")]))
    found = {figure.name: figure.value for measure in bench.TRAINING for figure in measure()}
    assert list(found) == ["selfplay", "train_hands", "train_hands_to_engine", "train_steps"]
    assert found["train_hands_to_engine"] == pytest.approx(found["train_hands"] / 100)


def test_the_kernel_counts_every_hand_of_its_batches() -> None:
    command = interpreter.python(bench.__file__, "kernel", "1")
    spent = decode(subprocess.run(command, capture_output=True, check=True).stdout, type=Spent)
    assert spent.hands == ROWS
