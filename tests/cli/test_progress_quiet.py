"""Every command with which bots play takes -q and --quiet, declared once."""

import sys

import pytest
from support.commands.every_command import leaves

from arena.cli import progress

PLAYING = (
    "run plan match duel regress race rate tune exploit diff review verify debug", "league run", "league submit", "league diff",
    "league debug", "league cup", "league practice", "bots check",
)  # fmt: skip
NAMES = [name for part in PLAYING for name in ([part] if " " in part and part.startswith(("league", "bots")) else part.split())]


@pytest.mark.parametrize("name", NAMES)
def test_a_command_with_which_bots_play_takes_quiet_with_the_same_words(name: str) -> None:
    (quiet,) = [param for param in leaves()[name].params if param.name == "quiet"]
    assert set(quiet.opts) == {"-q", "--quiet"}
    assert quiet.help == "Show no progress, only warnings and the outcome."


def test_progress_in_a_notebook_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    tell = progress.teller(quiet=False)
    for text in ("results in a very long folder", "1 of 2", "2 of 2\x1b[2J"):
        tell(text)
    shown = capsys.readouterr().err
    assert "\n" not in shown
    *_, last = shown.split("\r")
    assert last.rstrip() == "2 of 2\\x1b[2J"
    assert len(last) >= len("results in a very long folder"), "what was longer before is covered"


def test_elsewhere_each_is_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    progress.tell("1 of 2")
    assert capsys.readouterr().err == "1 of 2\n"
