"""Archives of strangers: what is honest arrives whole, and nothing else is written, anywhere."""

import errno
import tarfile
from pathlib import Path

import pytest
from support.hostile.archives import ATTACKS, bomb
from support.hostile.submissions import LIMITS, TarMode, entry, tar_of, unpacked, zip_of

from arena.errors import ArenaError, RosterError, StoreError
from arena.league.intake import archives, packed_bots
from arena.league.intake.archives import UnpackLimits
from arena.league.intake.entry_names import EntryNames
from arena.league.intake.packed_bots import PackedName
from arena.players.sandboxes import NoSandbox

FILES = {"mine/bot.yaml": b"name: mine\n", "mine/a/b.txt": b"x" * 200_000, "mine/empty": b""}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_archive_that_holds_more_than_files_of_its_own_is_refused_with_the_reason(attack: str, tmp_path: Path) -> None:
    make, message = ATTACKS[attack]
    path = make(tmp_path / "hostile")
    with pytest.raises(RosterError, match=message) as refusal:
        unpacked(path, tmp_path / "files")
    assert len(str(refusal.value).splitlines()) == 1
    assert {one.name for one in tmp_path.iterdir()} == {path.name, "files", "report"}


def test_an_honest_zip_arrives_whole(tmp_path: Path) -> None:
    assert unpacked(zip_of(tmp_path / "mine.zip", {**FILES}), tmp_path / "files") == FILES


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
def test_an_honest_tar_arrives_whole(mode: TarMode, tmp_path: Path) -> None:
    folder = (entry("mine", tarfile.DIRTYPE), b"")
    path = tar_of(tmp_path / "mine.tar", [folder, *((entry(name), content) for name, content in FILES.items())], mode)
    assert unpacked(path, tmp_path / "files") == FILES


def test_an_executable_file_stays_executable_and_no_other_mode_is_kept(tmp_path: Path) -> None:
    program, other = entry("run"), entry("other")
    program.mode, other.mode = 0o6777, 0o000
    unpacked(tar_of(tmp_path / "a.tar", [(program, b"#!"), (other, b"")]), tmp_path / "files")
    assert [(tmp_path / "files" / name).stat().st_mode & 0o7777 for name in ("run", "other")] == [0o755, 0o644]


@pytest.mark.process
@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (LIMITS, r"more than 20 MB; the limit is 20 MB"),
        (UnpackLimits(size=1 << 40), r"more than \d+ MB, 200 times its size"),
    ],
)
def test_a_bomb_is_refused_when_it_has_filled_its_limit_and_not_later(limits: UnpackLimits, message: str, tmp_path: Path) -> None:
    (tmp_path / "packed").mkdir()
    path = bomb(tmp_path / "packed" / "archive.zip", 200)
    with pytest.raises(RosterError, match=message):
        archives.unpack_files(path, "bomb.zip", tmp_path / "files", limits, NoSandbox())
    assert sum(file.stat().st_size for file in (tmp_path / "files").iterdir()) <= 60 << 20


def test_a_zip_of_zips_is_unpacked_once(tmp_path: Path) -> None:
    inner = zip_of(tmp_path / "inner.zip", {"a": b"x"}).read_bytes()
    assert unpacked(zip_of(tmp_path / "outer.zip", {"inner.zip": inner}), tmp_path / "files") == {"inner.zip": inner}


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06", b"\x1f\x8b" + bytes(100), b"BZh9", b"random text" * 1000])
@pytest.mark.parametrize("suffix", [".zip", ".tar"])
def test_what_is_no_archive_is_refused_in_one_line(content: bytes, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(content)
    with pytest.raises(RosterError, match="cannot be unpacked"):
        unpacked(path, tmp_path / "files")


def test_an_archive_that_ends_in_the_middle_of_a_file_is_refused(tmp_path: Path) -> None:
    path = tar_of(tmp_path / "whole.tar", [(entry("a"), b"x" * 100_000)])
    path.write_bytes(path.read_bytes()[:50_000])
    with pytest.raises(RosterError, match="cannot be unpacked"):
        unpacked(path, tmp_path / "files")


@pytest.mark.process
@pytest.mark.parametrize(("kind", "reason"), [(tarfile.REGTYPE, "is longer than 400 bytes"), (tarfile.SYMTYPE, "is a link")])
def test_a_long_name_does_not_hide_the_reason_of_a_refusal(kind: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "packed").mkdir()
    path = tar_of(tmp_path / "packed" / "archive.tar", [(entry("a" * 200_000, kind), b"")])
    with pytest.raises(RosterError, match=reason):
        archives.unpack_files(path, "mine.tar", tmp_path / "files", LIMITS, NoSandbox())


@pytest.mark.parametrize("end", [1 << 20, 3172])
def test_a_damaged_or_cut_header_is_not_the_end_of_an_archive(end: int, tmp_path: Path) -> None:
    path = tar_of(tmp_path / "whole.tar", [(entry(name), b"x" * 600) for name in "abc"])
    content = bytearray(path.read_bytes()[:end])  # each entry has 1536 bytes
    content[3072] = ord("x")  # the name of the last
    path.write_bytes(content)
    with pytest.raises(RosterError, match=r"cannot be unpacked: (bad checksum|truncated header)"):
        unpacked(path, tmp_path / "files")


@pytest.mark.parametrize(("error", "refusal"), [(errno.ENOSPC, StoreError), (errno.EINVAL, RosterError)])
def test_a_full_disk_refuses_no_archive(
    error: int, refusal: type[ArenaError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(error, "no")

    (tmp_path / "report").write_bytes(b'["a", "file", false]\n')
    with (tmp_path / "report").open("rb") as source:
        monkeypatch.setattr(Path, "open", fail)
        with pytest.raises(refusal, match=r"mine.zip: 'a' cannot be written: no"):
            archives.receive(source.fileno(), "mine.zip", tmp_path / "files", LIMITS, 100)
    with pytest.raises(refusal, match=r"mine.zip: cannot be copied: no"):
        packed_bots.unpack_all(PackedName(Path("mine.zip"), ""), tmp_path, LIMITS, NoSandbox())


@pytest.mark.parametrize(
    "report", [b"", b"[1]\n", b'["a", "file", false]\n\xff\xff\xff\xff', b'["a", "file", false]\n\x00\x00\x00\x05x', b"x" * 300_000]
)
def test_a_reader_that_was_taken_over_cannot_do_more_than_an_archive(report: bytes, tmp_path: Path) -> None:
    (tmp_path / "report").write_bytes(report)
    with (tmp_path / "report").open("rb") as source, pytest.raises(RosterError, match="has failed"):
        archives.receive(source.fileno(), "a.zip", tmp_path / "files", LIMITS, 100)


def test_names_are_relative_and_plain() -> None:
    names = EntryNames("a.zip")
    assert [str(names.add_file(name)) for name in ("./a/b", "a/c.d", "é")] == ["a/b", "a/c.d", "é"]
    for folder in (".", "a", "z/y"):
        names.add_folder(folder)
    with pytest.raises(RosterError):
        names.add_file("z")
