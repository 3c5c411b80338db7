"""Outputs of several files: killed or without room at any system call, all of the earlier or all of the new ones are there."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.processes.syscalls import Interruption, interrupted_everywhere, needs_ptrace
from support.sizes import mostly_nightly

from arena import publishing
from arena.errors import StoreError

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # pytest-xdist has threads
OLD = {"index.html": "old", "bots/a.html": "old", "gone.html": "old"}
NEW = {"index.html": "new", "bots/a.html": "new", "bots/b.html": "new"}
Publish = Callable[[Path, dict[str, str]], None]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in memory, where waiting for the disk takes no time."""
    memory = Path("/dev/shm")  # noqa: S108 - below a folder of its own
    with TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as made:
        yield Path(made)


def is_own(path: Path) -> bool:
    return path.name == "bots" or path.suffix == ".html"


def publish(place: Path, files: dict[str, str]) -> None:
    with publishing.replacing(place, "an earlier one", is_own) as draft:
        for name, text in files.items():
            (draft / name).parent.mkdir(exist_ok=True)
            (draft / name).write_text(text)


def found(place: Path) -> dict[str, str]:
    return {path.relative_to(place).as_posix(): path.read_text() for path in place.rglob("*") if path.is_file()}


def without_exchange(place: Path, files: dict[str, str]) -> None:
    """Publish as on a system that cannot exchange folders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publishing, "_exchange", lambda *_: False)
        publish(place, files)


def at_a_mount_point(place: Path, files: dict[str, str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os.path, "ismount", lambda path: Path(path) == place)
        publish(place, files)


def begin_and_fail(place: Path, publish: Publish) -> None:
    """Begin a publication that fails for a reason of its own."""
    with suppress(StoreError):
        publish(place, {"x" * 300: "too long a name"})


def nothing_is_left(folder: Path) -> bool:
    return not [path for path in folder.rglob("*") if publishing.WORK in path.name]


@pytest.mark.parametrize("publish", [publish, without_exchange, at_a_mount_point])
def test_a_folder_is_replaced_by_a_new_one(folder: Path, publish: Publish) -> None:
    place = folder / "public"
    place.mkdir(mode=0o750)
    for files in (OLD, NEW):
        publish(place, files)
        assert found(place) == files
    assert place.stat().st_mode & 0o777 == 0o750
    assert nothing_is_left(folder)


@pytest.mark.parametrize("publish", [publish, at_a_mount_point])
def test_only_what_was_published_is_replaced(folder: Path, publish: Publish) -> None:
    place = folder / "public"
    publish(place, OLD)
    (place / "mine.txt").write_text("mine")
    with pytest.raises(StoreError, match=r"holds 'mine\.txt'; expected a new or empty folder, or an earlier one"):
        publish(place, NEW)
    assert found(place) == OLD | {"mine.txt": "mine"}


def test_what_comes_into_a_folder_at_the_last_moment_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, exchange = folder / "public", publishing._exchange  # noqa: SLF001 - the moment between the check and the exchange
    publish(place, OLD)

    def too_late(new: Path, place: Path) -> bool:
        (place / "mine.txt").write_text("mine")
        return exchange(new, place)

    monkeypatch.setattr(publishing, "_exchange", too_late)
    publish(place, NEW)
    assert found(place) == NEW | {"mine.txt": "mine"}


def test_a_link_to_a_folder_stays_a_link_and_the_folder_of_this_process_its_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "www").mkdir()
    (folder / "public").symlink_to(folder / "www")
    publish(folder / "public", NEW)
    assert (folder / "public").is_symlink()
    assert found(folder / "www") == NEW
    monkeypatch.chdir(folder / "www")
    publish(Path(), OLD)
    assert found(Path()) == found(folder / "www") == OLD


def test_a_link_to_nothing_leads_to_a_new_folder_and_a_link_to_itself_is_refused(folder: Path) -> None:
    (folder / "public").symlink_to(folder / "srv" / "www")
    publish(folder / "public", NEW)
    assert (folder / "public").is_symlink()
    assert found(folder / "srv" / "www") == NEW
    (folder / "loop").symlink_to(folder / "loop")
    for place in (folder / "loop", folder / "loop" / "public"):
        with pytest.raises(StoreError, match=r"loop is a link to itself; expected a folder"):
            publish(place, NEW)


@pytest.mark.process
@needs_ptrace
@pytest.mark.parametrize("how", mostly_nightly(Interruption, next(iter(Interruption))))
@pytest.mark.parametrize("publish", [publish, without_exchange, at_a_mount_point])
def test_a_folder_is_old_or_new_wherever_its_publication_ends(folder: Path, publish: Publish, how: Interruption) -> None:
    place, atomic, ends = folder / "public", publish is globals()["publish"], set[str]()

    def prepare() -> None:
        for path in folder.iterdir():
            shutil.rmtree(path)
        publish(place, OLD)

    for stop in interrupted_everywhere(lambda: publish(place, NEW), prepare, how):
        if not atomic:
            begin_and_fail(place, publish)
        assert found(place) in (OLD, NEW) or (not atomic and found(place) == NEW | {"gone.html": "old"}), stop
        ends.add(found(place)["index.html"])
        if how is Interruption.FULL and atomic:
            assert nothing_is_left(folder), stop
        publish(place, NEW)
        assert found(place) == NEW, stop
        assert nothing_is_left(folder), stop
    assert ends == {"old", "new"}


@pytest.mark.process
@needs_ptrace
@pytest.mark.parametrize("how", Interruption)
def test_files_among_others_are_old_or_new_wherever_their_publication_ends(folder: Path, how: Interruption) -> None:
    place, ends = folder / "run", set[str]()
    old, new = (dict.fromkeys(("report.md", "results.json", "a/b.csv"), text) for text in ("old", "new"))

    def prepare() -> None:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / "arena.sqlite").write_text("stays")
        publishing.write_together(place, old)

    for stop in interrupted_everywhere(lambda: publishing.write_together(place, new), prepare, how):
        begin_and_fail(place, publishing.write_together)
        stays = {"arena.sqlite": "stays"}
        assert found(place) in (old | stays, new | stays), stop
        ends.add(found(place)["report.md"])
        publishing.write_together(place, new)
        assert found(place) == new | stays, stop
    assert ends == {"old", "new"}
    assert nothing_is_left(folder)


def test_a_folder_in_the_place_of_a_file_is_reported_before_any_file_is_written(folder: Path) -> None:
    (folder / "run" / "report.md").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"run/report\.md: cannot be written: Is a directory"):
        publishing.write_together(folder / "run", {"a.csv": "new", "report.md": "new"})
    assert [path.name for path in (folder / "run").iterdir()] == ["report.md"]


def publish_often(place: Path, text: str) -> None:
    for number in range(40):
        publish(place, dict.fromkeys(NEW, f"{text} {number}"))


def test_publishers_wait_for_each_other_and_a_reader_sees_one_moment(folder: Path) -> None:
    place, seen = folder / "public", set[str]()
    publish(place, dict.fromkeys(NEW, "first"))
    several = [get_context("fork").Process(target=publish_often, args=(place, text)) for text in ("one", "other")]
    for one in several:
        one.start()
    while any(one.is_alive() for one in several):
        opened = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        with suppress(FileNotFoundError):  # the folder that was opened is removed by now
            texts = {read(opened, name) for name in NEW}
            assert len(texts) == 1
            seen |= texts
        os.close(opened)
    assert [one.exitcode for one in several] == [0, 0]
    assert len(seen) > 1
    assert found(place).keys() == NEW.keys()
    assert nothing_is_left(folder)


def test_a_publisher_tries_again_where_another_removes_its_working_folder_at_that_moment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, tried = os.mkdir, list[str]()

    def mkdir(path: str, mode: int = 0o777) -> None:
        if Path(path).name == ".publishing-public" and not tried:
            tried.append(path)
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)  # and it is gone before anybody can look
        real(path, mode)

    monkeypatch.setattr(os, "mkdir", mkdir)
    publish(folder / "public", NEW)
    assert found(folder / "public") == NEW
    assert nothing_is_left(folder)


def test_a_publisher_lets_go_of_its_working_folder_only_when_it_has_removed_its_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The next one that gets the lock writes files of the same names there, which the end of the first must not remove.
    real, locked = shutil.rmtree, list[bool]()

    def rmtree(path: Path, *, ignore_errors: bool = False) -> None:
        real(path, ignore_errors=ignore_errors)
        locked.append((folder / ".publishing-public" / "lock").exists())

    publish(folder / "public", NEW)
    monkeypatch.setattr(shutil, "rmtree", rmtree)
    publish(folder / "public", NEW)
    assert locked
    assert all(locked)


def read(opened: int, name: str) -> str:
    with open(os.open(name, os.O_RDONLY, dir_fd=opened)) as file:  # noqa: PTH123 - relative to an open folder
        return file.read()


@pytest.mark.parametrize("publish", [publishing.complete, lambda run: publishing.write_together(run, {"x": "y"})])
def test_what_a_killed_process_left_is_neither_taken_from_elsewhere_nor_put_there(
    publish: Callable[[Path], None], folder: Path
) -> None:
    for run, ready, link in (("from", "ready", ".publishing/ready"), ("to", "ready/sub", "sub"), ("work", "", ".publishing")):
        outside = folder / f"outside-{run}"
        outside.mkdir()
        (outside / "mine").write_text("mine")
        place = folder / run / (".publishing" if ready else "")
        (place / ready).mkdir(parents=True)
        (place / ready / "evil").write_text("evil")
        if run == "from":
            shutil.rmtree(place / ready)
        (folder / run / link).symlink_to(outside)
        with pytest.raises(StoreError, match=rf"/{run}/{link}: is a link; "):
            publish(folder / run)
        assert {path.name: path.read_text() for path in outside.iterdir()} == {"mine": "mine"}
