"""``arena export``, as a user calls it."""

import errno
import sys
from importlib import import_module
from pathlib import Path

import pytest

from arena import disk
from arena.cli.needed_extras import needs_extra
from arena.cli.results import export
from arena.errors import InputError


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--to: found 'hands.xlsx'; expected a name in .jsonl, .csv, .parquet"):
        export(tmp_path, to=Path("hands.xlsx"))


def test_a_place_that_is_not_there_is_named_as_the_user_has_named_it(tmp_path: Path) -> None:
    wanted = tmp_path / "none" / "hands.jsonl"
    with pytest.raises(OSError, match="No such file or directory") as caught, disk.writing(wanted):
        pass
    assert caught.value.filename == str(wanted)


def test_a_disk_that_is_full_is_named_with_the_file_and_nothing_stays(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left") as caught, disk.writing(tmp_path / "hands.jsonl"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert (caught.value.filename, list(tmp_path.iterdir())) == (str(tmp_path / "hands.jsonl"), [])


def test_a_private_file_is_private_also_if_the_draft_of_a_killed_writer_was_not(tmp_path: Path) -> None:
    draft, file = tmp_path / ".key.new", tmp_path / "key"
    draft.touch()
    draft.chmod(0o644)
    disk.write(file, b"secret", private=True)
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("extra", "package"), [("data", "pyarrow"), ("remote", "websockets"), ("remote", "cryptography")])
def test_without_the_extra_it_is_said_what_to_install(extra: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    message = rf"{package} is not installed; pip install 'ginrummy-arena\[{extra}\]' brings it"
    with pytest.raises(InputError, match=message), needs_extra(extra):
        import_module(package)
