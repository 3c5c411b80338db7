"""The notebooks run as a user runs them: in an empty folder, with the Python that has arena installed."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from msgspec import json
from support.repository.files import ROOT

NOTEBOOKS = ROOT / "tests" / "notebooks"
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  # all but those of a notebook: it returns to the start of a line

if not find_spec("nbclient"):  # to import it takes a second
    pytest.skip("a notebook needs nbclient and ipykernel", allow_module_level=True)


class Executed:
    """A notebook that was executed in a folder."""

    def __init__(self, name: str, folder: Path, instead: Mapping[str, str] | None = None) -> None:
        """Execute it with this Python, whatever kernels are installed. Raises: CalledProcessError, if a cell does.

        ``instead``: words that are replaced, so that less is played.
        """
        kernel = folder / ".kernels" / "kernels" / "python3" / "kernel.json"
        kernel.parent.mkdir(parents=True)
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        kernel.write_bytes(json.encode({"argv": argv, "display_name": "Python", "language": "python"}))
        here = folder / name
        text = (NOTEBOOKS / name).read_text(encoding="utf-8")
        for shown, used in (instead or {}).items():
            assert shown in text
            text = text.replace(shown, used)
        here.write_text(text, encoding="utf-8")
        env = os.environ | {
            "JUPYTER_PATH": str(folder / ".kernels"),
            "JUPYTER_PREFER_ENV_PATH": "0",
            "IPYTHONDIR": str(folder / ".ipython"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        command = [sys.executable, "-m", "jupyter", "execute", "--inplace", "--timeout=600", str(here)]
        subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True)
        self.cells = [cell for cell in json.decode(here.read_bytes())["cells"] if cell["cell_type"] == "code"]

    def shown(self, kind: str) -> list[str]:
        """Return what is shown in a MIME type, in order, with single spaces."""
        outputs = [output.get("data", {}) for cell in self.cells for output in cell["outputs"]]
        return [" ".join("".join(data[kind]).split()) for data in outputs if kind in data]

    def printed(self, name: str) -> str:
        """Return all that was printed on a stream, stdout or stderr."""
        outputs = [output for cell in self.cells for output in cell["outputs"]]
        return "".join("".join(output["text"]) for output in outputs if output.get("name") == name)


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    cells: list[dict[str, Any]] = json.decode(path.read_bytes())["cells"]
    assert not [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]


@pytest.mark.process
@pytest.mark.timeout(600)
def test_a_notebook_goes_from_a_tournament_to_a_table_and_a_figure(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    paper = Executed("paper.ipynb", tmp_path)
    card, table = paper.shown("text/html")  # and nothing that was not asked for
    assert "<caption>Standings</caption>" in card
    assert "knock" in table
    assert r"\toprule" in paper.printed("stdout")
    assert len(paper.shown("image/png")) == 1
    assert (tmp_path / "ratings.pdf").read_bytes().startswith(b"%PDF")
    assert re.fullmatch(r"{'matches': 12, 'hands': \d+, 'link': '[0-9a-f]{64}'}", paper.shown("text/plain")[-1])
    progress = paper.printed("stderr")
    assert "12 of 12 matches played" in progress
    assert not CONTROL.search(progress)


@pytest.mark.process
@pytest.mark.timeout(600)
def test_a_notebook_goes_from_a_class_to_the_dearest_decisions(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    bot = Executed("bot.ipynb", tmp_path)
    card, decisions = bot.shown("text/html")
    assert "Not decided whether HighCard is stronger than greedy, after 32 hands." in card
    assert "price" in decisions
    assert re.fullmatch(r"{'decisions': \d+, 'priced': \d+, 'dearest': '\w+'}", bot.shown("text/plain")[-1])
    assert not CONTROL.search(bot.printed("stderr"))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.nightly
def test_a_notebook_goes_from_nothing_to_a_bot_that_was_trained_tuned_ranked_and_reviewed(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    (tmp_path / "few.yaml").write_text("verdict: 100\n")
    instead = {
        "--hands 1000 ": "--hands 1000 --spec few.yaml ",
        "bots check sly-fox/sly_fox.py": "bots check sly-fox/sly_fox.py --hands 20",
        "target: 50}": r"target: 10}\\naudition: {hands: 20}",  # in a text in a text of JSON
    }
    train = Executed("train.ipynb", tmp_path, instead)
    printed = train.printed("stdout")
    assert "generation 2: " in printed
    assert re.search("(No other values are expected to be better than|Best values of the search:) boldness ", printed)
    assert "sly-fox/sly_fox.py passed" in printed
    assert "SlyFox@1" in printed[printed.index("Friday league: 2 matches in 1 round;") :]
    card, decisions = train.shown("text/html")
    assert "SlyFox" in card
    assert "price" in decisions
    assert re.fullmatch(r"{'priced': \d+, 'dearest': '\w+'}", train.shown("text/plain")[-1])
