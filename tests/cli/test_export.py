"""``arena export`` and ``arena import``, as a user calls them."""

import sys
from pathlib import Path

import pytest
from commands import arena, league

from arena.cli.export import export
from arena.cli.extra import needs_data
from arena.errors import InputError


@pytest.mark.process
def test_a_run_is_exported_imported_and_taken_by_the_commands_that_take_a_run(tmp_path: Path) -> None:
    for line in (
        ("run", league(tmp_path, "format: {pairs: 1}", "sandbox: none"), "--results", "run", "--seed", "s"),
        ("export", "run", "--to", "hands.jsonl"),
        ("import", "hands.jsonl", "--results", "imported"),
        ("verify", "imported"),
        ("report", "imported"),
        ("replay", "imported", "one:two/0/0", "0.0"),
        ("review", "imported", "--hands", "1"),
        ("export", "imported", "--to", "again.jsonl"),
    ):
        done = arena(*line, folder=tmp_path)
        assert done.returncode == 0, done
    first, again = ((tmp_path / name).read_bytes().splitlines()[1:] for name in ("hands.jsonl", "again.jsonl"))
    assert first == again
    done = arena("verify", "imported", "--replay", folder=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "its bots are not here to play again" in done.stderr
    done = arena("import", "hands.jsonl", "--results", "imported", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "expected a new or empty folder, or another name" in done.stderr


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--to: found 'hands.xlsx'; expected a name in .jsonl, .csv, .parquet"):
        export(tmp_path, to=Path("hands.xlsx"))


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pyarrow is not installed; pip install 'ginrummy-arena\[data\]' brings it"), needs_data():
        import pyarrow as pa  # noqa: F401, PLC0415 - what a user without the extra has
