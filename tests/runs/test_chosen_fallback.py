"""On a machine that cannot prove `strict`, bots that come with arena run under `standard`, and strangers' bots are refused."""

from pathlib import Path

import pytest

from arena.cli import app
from arena.errors import SandboxError
from arena.players import sandboxes
from arena.players.proofs import ProfileTest
from arena.players.sandboxes import NoSandbox, StandardSandbox, StrictSandbox
from arena.roster.finder import find
from arena.runs import named_parts
from arena.runs.sandbox_fallback import comes_with_arena, usable

SPEC = "title: Here\nbots: [greedy, {second}]\nformat: batches\nrules: {{target: 20}}\nreports: [console]\n"


@pytest.fixture
def _unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the machine prove no strict profile."""
    refused = ProfileTest(profile="A", layers="namespaces", state="REFUSED", reason="no user namespaces")
    monkeypatch.setattr(sandboxes, "prove_in_order", lambda: iter([refused]))
    limits = ProfileTest(profile="limits", layers="limits", state="HOLES", missing=("namespaces: refused",))
    monkeypatch.setattr(sandboxes, "best", lambda: limits)


@pytest.fixture
def stranger(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text("from arena.sdk import Bot\n\n\nclass Mine(Bot):\n    pass\n")
    return f"{path}:Mine"


@pytest.mark.parametrize(("bot", "own"), [("greedy", True), ("awk-counter", True), ("monte-carlo", True)])
def test_the_bots_in_arenas_own_package_come_with_arena(bot: str, own: bool) -> None:  # noqa: FBT001 - an expectation
    assert comes_with_arena(find(bot).launch) is own


def test_a_bot_elsewhere_does_not_come_with_arena(stranger: str) -> None:
    assert not comes_with_arena(find(stranger).launch)


@pytest.mark.usefixtures("_unproved")
def test_own_bots_get_standard_with_the_limits_of_the_default() -> None:
    found = usable(StrictSandbox(memory_mb=99, threads=2), [find("greedy").launch])
    assert found == StandardSandbox(memory_mb=99, threads=2)


@pytest.mark.usefixtures("_unproved")
def test_a_strangers_bot_is_refused_with_the_reason(stranger: str) -> None:
    with pytest.raises(SandboxError, match=r"cannot prove a strict sandbox .*no user namespaces"):
        named_parts.sandbox(None, [find("greedy").launch, find(stranger).launch])


@pytest.mark.usefixtures("_unproved")
def test_a_sandbox_that_the_user_names_is_not_replaced() -> None:
    assert isinstance(named_parts.sandbox("strict", [find("greedy").launch]), StrictSandbox)
    assert named_parts.sandbox("none", [find("greedy").launch]) == NoSandbox()


def test_a_default_that_is_proved_is_kept() -> None:
    default = NoSandbox()
    assert usable(default, [find("greedy").launch]) is default


@pytest.mark.process
@pytest.mark.usefixtures("_unproved")
def test_a_run_ends_with_a_ranked_table_and_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "here.yaml"
    spec.write_text(SPEC.format(second="cautious").replace("format: batches", "format: {name: batches, hands: 4}"))
    monkeypatch.setattr("sys.argv", ["arena", "run", str(spec), "--results", str(tmp_path / "run"), "--executor", "serial"])
    assert _main() == 0
    shown = capsys.readouterr()
    assert "Standings" in shown.out
    assert "the bots are not isolated" in shown.err
    assert "NOT ISOLATED: profile limits" in " ".join(shown.out.split())


@pytest.mark.usefixtures("_unproved")
def test_a_run_with_a_strangers_bot_is_refused(
    tmp_path: Path, stranger: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "here.yaml"
    spec.write_text(SPEC.format(second=stranger))
    monkeypatch.setattr("sys.argv", ["arena", "run", str(spec), "--results", str(tmp_path / "run")])
    assert _main() == 2
    assert "cannot prove a strict sandbox" in capsys.readouterr().err


def _main() -> int:
    try:
        app.main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0
