from pathlib import Path

import pytest
import typer
from commands import arena
from msgspec.json import decode
from typer.testing import CliRunner

from arena.cli.bench import bench
from arena.gin.core import CORE
from arena.runs import benchmarks
from arena.runs.engine_speed import Figure
from arena.runs.peers import comparison
from arena.runs.peers.comparison import Benchmark, Row

app = typer.Typer()
app.command()(bench)

ROWS = (Row("arena 1.0", 4000.0, "hands/s", 1.0), Row("other 2", 400.0, "hands/s", 10.0), Row("pipe", 8000.0, "hands/s", 0.5))


def compared() -> Benchmark:
    return Benchmark("Hands", ROWS, ("Absent: not installed",))


def test_the_core_in_use_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmarks, "MEASURES", (lambda: iter([Figure("match", 0.5, "s", "a match")]),))
    found = decode(CliRunner().invoke(app, ["--json"]).stdout)
    assert found == {"core": CORE, "match": {"value": 0.5, "unit": "s", "what": "a match"}}
    assert CliRunner().invoke(app, []).stdout.startswith(f"core: {CORE}\n")


def test_a_comparison_is_shown_as_ratios_and_drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(comparison, "BENCHMARKS", (compared,))
    shown = CliRunner().invoke(app, ["--peers", "--plot", str(tmp_path / "peers.svg")]).stdout
    for expected in ("other 2", "arena is 10 times as fast", "2 times as fast as arena", "\nAbsent: not installed\n"):
        assert expected in shown
    assert (tmp_path / "peers.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_comparison_is_given_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "BENCHMARKS", (compared,))
    found = decode(CliRunner().invoke(app, ["--peers", "--json"]).stdout)
    assert found["core"] == CORE
    assert [row["ratio"] for row in found["comparisons"][0]["rows"]] == [1.0, 10.0, 0.5]


def test_a_plot_of_nothing_and_one_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    done = arena("bench", "--plot", str(tmp_path / "peers.svg"))
    assert done.returncode == 2
    assert done.stderr == "arena: bench: --plot draws a comparison; expected --peers with it\n"
    done = arena("bench", "--peers", "--plot", str(tmp_path / "nowhere" / "peers.svg"))
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
