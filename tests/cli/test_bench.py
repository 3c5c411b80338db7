"""``arena bench``: figures with the core that made them."""

import subprocess

import pytest
import typer
from msgspec.json import decode, encode
from typer.testing import CliRunner

from arena import interpreter
from arena.cli.docs import kind_of
from arena.cli.tools import bench
from arena.runs import benchmarks
from arena.runs.benchmarks import ROWS, Figure, Spent
from arena.runs.needs import CORE

app = typer.Typer()
app.command()(bench)


def test_the_core_in_use_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmarks, "MEASURES", (lambda: iter([Figure("match", 0.5, "s", "a match")]),))
    found = decode(CliRunner().invoke(app, ["--json"]).stdout)
    figures = {"match": {"name": "match", "value": 0.5, "unit": "s", "what": "a match"}}
    assert found == {"schema": "arena/bench/1", "core": CORE, "figures": figures}
    decode(encode(found), type=kind_of("bench"))
    assert CliRunner().invoke(app, []).stdout.startswith(f"core: {CORE}\n")


def test_the_kernel_is_measured_beside_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmarks, "SECONDS", 0.001)
    monkeypatch.setattr(benchmarks, "ROWS", 2)
    monkeypatch.setattr(benchmarks, "of_selfplay", lambda: iter([Figure("selfplay", 100.0, "hands/s", "the engine")]))
    found = decode(CliRunner().invoke(app, ["--train", "--json"]).stdout)["figures"]
    assert list(found) == ["selfplay", "train_hands", "train_hands_to_engine", "train_steps"]
    assert found["train_hands_to_engine"]["value"] == pytest.approx(found["train_hands"]["value"] / 100)


def test_the_kernel_counts_every_hand_of_its_batches() -> None:
    command = interpreter.python("-m", "arena.runs.benchmarks", "kernel", "1")
    spent = decode(subprocess.run(command, capture_output=True, check=True).stdout, type=Spent)
    assert spent.hands == ROWS


def test_a_figure_just_below_a_thousand_is_not_shown_with_an_exponent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmarks, "MEASURES", (lambda: iter([Figure("match", 999.7, "us", "a match")]),))
    assert CliRunner().invoke(app, []).stdout.splitlines()[1] == "     1,000 us           a match"
