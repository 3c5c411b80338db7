"""What is read back from a folder that a bot has filled: files and folders within limits, and nothing else."""

import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import msgpack

from arena.confinement.state_files import BLOCK, StateEntry, write
from arena.players.kept_states import EMPTY_DIGEST
from arena.players.state import EMPTY_STATE, UnfitStateError, digest, pack, read, unpack
from arena.players.state_folder import StateFolder
from arena.roster.entrant import Launch, StateLimits

LIMITS = StateLimits(size_mb=1, files=5)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    opened = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield opened
    os.close(opened)


def filled(place: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)


def test_a_state_comes_back_as_it_was_left(folder: int, tmp_path: Path) -> None:
    filled(tmp_path, {"b/inner/x": b"\x00\xff", "a": b""})
    (tmp_path / "empty").mkdir()
    state = read(folder, LIMITS)
    again = tmp_path.with_name("again")
    again.mkdir()
    opened = os.open(again, os.O_RDONLY | os.O_DIRECTORY)
    write(unpack(state, LIMITS), opened)
    assert read(opened, LIMITS) == state
    os.close(opened)
    assert sorted(str(path.relative_to(again)) for path in again.rglob("*")) == ["a", "b", "b/inner", "b/inner/x", "empty"]
    assert (again / "b/inner/x").read_bytes() == b"\x00\xff"


def test_equal_folders_have_equal_digests_whatever_their_times_and_modes(folder: int, tmp_path: Path) -> None:
    filled(tmp_path, {"one": b"1", "two": b"2"})
    before = read(folder, LIMITS)
    for name in ("one", "two"):
        (tmp_path / name).unlink()
    filled(tmp_path, {"two": b"2", "one": b"1"})
    os.utime(tmp_path / "one", (0, 0))
    (tmp_path / "two").chmod(0o777)
    assert digest(read(folder, LIMITS)) == digest(before)


def test_an_empty_folder_has_the_empty_state(folder: int) -> None:
    assert read(folder, LIMITS) == EMPTY_STATE
    assert digest(EMPTY_STATE) == EMPTY_DIGEST


def listen(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as unheard:
        unheard.bind(str(path))


def hole(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def deep(path: Path) -> None:
    path.joinpath(*"abcdefgh").mkdir(parents=True)


def twins(path: Path) -> None:
    path.write_bytes(b"x")
    path.with_name("other").hardlink_to(path)


def closed(path: Path) -> None:
    path.write_bytes(b"x")
    path.chmod(0o200)


@pytest.mark.parametrize(
    ("name", "make", "reason"),
    [
        ("link", lambda path: path.symlink_to("/etc/passwd"), "'link' is neither a file nor a folder"),
        ("link", lambda path: path.symlink_to("/etc"), "'link' is neither a file nor a folder"),
        ("dangling", lambda path: path.symlink_to("nowhere"), "'dangling' is neither a file nor a folder"),
        ("pipe", os.mkfifo, "'pipe' is neither a file nor a folder"),
        ("socket", listen, "'socket' is neither a file nor a folder"),
        ("twin", twins, "is not a file, or has several names"),
        ("hole", hole, "more than 1 MB, where holes of files count as well"),
        ("large", lambda path: path.write_bytes(bytes((1 << 20) + 1)), "more than 1 MB"),
        ("many", lambda path: filled(path, {str(number): b"" for number in range(5)}), "more than 5 files and folders"),
        ("deep", deep, "has more than 8 names"),
        ("new\nline", lambda path: path.write_bytes(b""), "printable characters"),
        (os.fsdecode(b"\xff"), lambda path: path.write_bytes(b""), "printable characters"),
        ("\x1b[2J", lambda path: path.mkdir(), "printable characters"),
        ("closed", closed, "'closed' is closed to its owner"),
        ("closed", lambda path: path.mkdir(0o300), "'closed' is closed to its owner"),
    ],
)
def test_what_is_neither_file_nor_folder_or_not_within_the_limits_is_no_state(
    folder: int, tmp_path: Path, name: str, make: Callable[[Path], object], reason: str
) -> None:
    make(tmp_path / name)
    with pytest.raises(UnfitStateError, match=reason):
        read(folder, StateLimits(size_mb=1, files=20 if name == "deep" else 5))


def test_a_folder_that_is_nested_too_deep_to_be_removed_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    state = StateFolder(Launch(command=("x",), folder="/"), LIMITS, EMPTY_STATE)
    folder = os.open(state.path, os.O_RDONLY)
    for _ in range(sys.getrecursionlimit()):
        os.mkdir("a", dir_fd=folder)
        inner = os.open("a", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    state.close()
    subprocess.run(["/bin/rm", "-rf", state.path], check=True)  # pytest could not remove it either


def test_a_device_is_not_opened(folder: int, tmp_path: Path) -> None:
    try:
        os.mknod(tmp_path / "device", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root can make a device")
    with pytest.raises(UnfitStateError, match="'device' is neither a file nor a folder"):
        read(folder, LIMITS)


@pytest.mark.parametrize("target", ["/etc/passwd", "/etc"])
def test_a_link_that_takes_the_place_of_a_file_at_the_last_moment_is_not_followed(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    place = tmp_path / "x"
    place.mkdir() if target == "/etc" else place.write_bytes(b"")
    seen = os.stat

    def swapped(path: str, **options: object) -> os.stat_result:
        found = seen(path, **options)  # type: ignore[arg-type]
        place.rmdir() if target == "/etc" else place.unlink()
        place.symlink_to(target)
        return found

    monkeypatch.setattr(os, "stat", swapped)
    with pytest.raises(UnfitStateError, match="cannot be read"):
        read(folder, LIMITS)


def test_a_file_that_grows_while_it_is_read_gives_what_it_had(folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log").write_bytes(b"then")
    measure = os.fstat

    def grown(file: int) -> os.stat_result:
        found = measure(file)
        with (tmp_path / "log").open("ab") as log:
            log.write(b" and now")
        return found

    monkeypatch.setattr(os, "fstat", grown)
    assert unpack(read(folder, LIMITS), LIMITS) == (StateEntry("log", b"then"),)


def test_what_fits_in_whole_blocks_fits_again(folder: int, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(bytes((1 << 20) - BLOCK))
    (tmp_path / "two").write_bytes(b"x")
    read(folder, LIMITS)
    (tmp_path / "three").write_bytes(b"x")
    with pytest.raises(UnfitStateError, match="more than 1 MB"):
        read(folder, LIMITS)


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"\xc1",
        msgpack.encode([["../outside", b"x"]]),
        msgpack.encode([["/outside", b"x"]]),
        msgpack.encode([["a/./b", b"x"]]),
        msgpack.encode([["", b"x"]]),
        msgpack.encode([["a\nb", b"x"]]),
        msgpack.encode([["b", b"x"], ["a", b"x"]]),
        msgpack.encode([["a", b"x"], ["a", b"y"]]),
        msgpack.encode([["a", b"x", 1]]),
        msgpack.encode([["/".join("abcdefghi"), b"x"]]),
        msgpack.encode([["a/b", b"x"]]),
        msgpack.encode([["a", b"x"], ["a/b", b"x"]]),
        msgpack.encode([["x" * 256, b"x"]]),
        msgpack.encode([["é" * 128, None]]),
        pack([StateEntry(str(number), b"") for number in range(6)]),
        pack([StateEntry("a", bytes((1 << 20) + 1))]),
    ],
)
def test_a_state_of_a_stranger_can_be_written_and_only_to_its_folder_and_within_its_limits(state: bytes) -> None:
    with pytest.raises(UnfitStateError):
        unpack(state, LIMITS)
