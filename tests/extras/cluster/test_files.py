"""Bots on their way to a worker: which files they consist of, and how they are started from a copy."""

import fcntl
import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from msgspec.structs import replace
from support.repository.distributions import install_wheel

from arena.confinement.read_access import package_folders
from arena.errors import RosterError, StoreError
from arena.extras.cluster.files import (
    LIMIT_VARIABLE,
    BotCache,
    CopyGoneError,
    Piece,
    UnfitError,
    digest,
    library_pieces,
    local_launch,
    pieces,
    shipment_of,
)
from arena.roster.entrant import Launch
from arena.roster.finder import find


def sent(launch: Launch, cache: BotCache) -> Launch:
    """Send a bot as a director does, and return its launch on the worker."""
    one = shipment_of(launch)
    if cache.lacks(one.digest):
        cache.write("draft", pieces(launch, one))
        cache.complete("draft", one.digest)
    return local_launch(launch, one, cache.folder)


@pytest.fixture
def cache(tmp_path: Path) -> BotCache:
    return BotCache(tmp_path / "cache")


@pytest.fixture
def program(tmp_path: Path) -> Launch:
    folder = tmp_path / "bot"
    (folder / "data").mkdir(parents=True)
    (folder / "run").write_text("#!/bin/sh\n", encoding="ascii")
    (folder / "run").chmod(0o755)
    (folder / "data" / "weights.bin").write_bytes(bytes(range(256)))
    (folder / "link").symlink_to("data/weights.bin")
    (folder / "bot.yaml").write_text("name: bot\ncommand: [./run, data/weights.bin]\n", encoding="ascii")
    return find(str(folder / "bot.yaml")).launch


def test_a_program_is_started_from_the_copy_with_its_links_and_its_rights(program: Launch, cache: BotCache) -> None:
    here = sent(program, cache)
    assert here.folder == str(cache.folder / shipment_of(program).digest)
    assert here.command == (f"{here.folder}/run", "data/weights.bin")
    assert Path(here.folder, "link").read_bytes() == bytes(range(256))
    assert os.access(here.command[0], os.X_OK)
    assert not os.access(f"{here.folder}/bot.yaml", os.X_OK)


@pytest.mark.parametrize("bot", ["greedy", "guest-openspiel-simple", "awk-counter"])
def test_an_installed_bot_is_imported_from_the_copy(bot: str, cache: BotCache) -> None:
    try:
        launch = find(bot).launch
    except RosterError as error:
        pytest.skip(str(error))
    here = sent(launch, cache)
    copy = str(cache.folder / shipment_of(launch).digest)
    assert Path(here.folder).is_relative_to(copy)
    assert all(Path(file).is_relative_to(copy) and Path(file).exists() for file in here.files)
    if here.files:
        assert dict(here.environment)["PYTHONPATH"] == copy
        module = here.command[-1].partition(":")[0]
        code = f"import {module} as m; print(m.__file__)"
        imported = subprocess.check_output([sys.executable, "-P", "-c", code], env={"PYTHONPATH": copy}, text=True)
        assert imported.strip() in here.files


MINE = "\nfrom arena.sdk import Bot\n\nclass Mine(Bot): pass\n"
DISTRIBUTIONS = {  # by the module of their bot
    "duo.inner.player": {
        "duo/__init__.py": "",
        "duo/inner/__init__.py": "",
        "duo/inner/player.py": f"import duo_tables, trio.tables\nfrom .. import common{MINE}",
        "duo/common.py": "",
        "duo_tables.py": "",
        "trio/__init__.py": "",
        "trio/tables.py": "",
    },
    "space.solo.player": {
        "space/solo/__init__.py": "",
        "space/solo/player.py": f"from . import rest{MINE}",
        "space/solo/rest.py": "",
    },
    "single": {"single.py": f"import single_tables{MINE}", "single_tables.py": ""},
    "whole": {"whole/__init__.py": f"from . import rest{MINE}", "whole/rest.py": ""},
}


@pytest.mark.process
@pytest.mark.parametrize("module", DISTRIBUTIONS)
def test_a_bot_of_several_packages_and_modules_has_each_where_its_imports_look(
    module: str, tmp_path: Path, cache: BotCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path / "site")
    install_wheel(tmp_path / "site", "mine", DISTRIBUTIONS[module], f"[arena.bots]\nmine = {module}:Mine\n")
    here = sent(find("mine").launch, cache)
    copy = Path(dict(here.environment)["PYTHONPATH"])
    assert {path.relative_to(copy).as_posix() for path in copy.rglob("*.py")} == set(DISTRIBUTIONS[module])
    code = f"import sys, {module} as module; print(module.__file__)"
    assert (
        subprocess.check_output([sys.executable, "-P", "-c", code], env={"PYTHONPATH": str(copy)}, text=True).strip() in here.files
    )


def test_the_digest_depends_on_places_rights_and_contents(program: Launch) -> None:
    digests = [shipment_of(program).digest]
    (Path(program.folder) / "run").chmod(0o644)
    digests.append(shipment_of(program).digest)
    (Path(program.folder) / "run").write_text("#!/bin/sh\nexit\n", encoding="ascii")
    digests.append(shipment_of(program).digest)
    (Path(program.folder) / "run").rename(Path(program.folder) / "walk")
    digests.append(shipment_of(program).digest)
    assert len(set(digests)) == 4


def test_a_large_file_is_sent_in_pieces(program: Launch, cache: BotCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.extras.cluster.files.PIECE", 100)
    parts = [piece for piece in pieces(program, shipment_of(program)) if piece.place == "data/weights.bin"]
    assert [(len(part.content), part.begins) for part in parts] == [(100, True), (100, False), (56, False)]
    assert Path(sent(program, cache).folder, "data/weights.bin").read_bytes() == bytes(range(256))


def test_what_arrives_with_another_digest_is_thrown_away(program: Launch, cache: BotCache) -> None:
    one = shipment_of(program)
    cache.write("draft", [*pieces(program, one), Piece("more", "-", b"", begins=True)])
    with pytest.raises(StoreError, match="what arrived has the digest"):
        cache.complete("draft", one.digest)
    assert cache.lacks(one.digest)
    assert [path.name for path in cache.folder.iterdir()] == []


def test_a_copy_that_was_changed_is_sent_again(program: Launch, cache: BotCache) -> None:
    here = sent(program, cache)
    (Path(here.folder) / "run").write_text("#!/bin/sh\ncheat\n", encoding="ascii")
    again = BotCache(cache.folder)  # another process
    assert again.lacks(shipment_of(program).digest)
    assert sent(program, again) == here
    assert (Path(here.folder) / "run").read_text(encoding="ascii") == "#!/bin/sh\n"


def test_two_workers_may_receive_a_bot_at_once(program: Launch, cache: BotCache) -> None:
    one = shipment_of(program)
    for draft in ("mine", "yours"):
        cache.write(draft, pieces(program, one))
    for draft in ("mine", "yours"):
        cache.complete(draft, one.digest)
    assert sorted(path.name for path in cache.folder.iterdir()) == sorted([".lock", one.digest])


def test_copies_can_be_read_by_the_user_that_bots_run_as(program: Launch, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        here = sent(program, BotCache(tmp_path / "cache"))
    finally:
        os.umask(before)
    for path in (Path(here.folder), *Path(here.folder).rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o004
    bots_are_others = os.geteuid() == 0
    assert bool((tmp_path / "cache").stat().st_mode & 0o001) == bots_are_others


def test_a_full_disk_is_one_line_that_names_the_draft_and_keeps_nothing_of_it(cache: BotCache) -> None:
    limits, before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(StoreError, match=r"/\.new-draft: cannot be written: File too large"):
            cache.write("draft", [Piece("weights", "-", bytes(1000), begins=True)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert list(cache.folder.iterdir()) == []


def test_a_file_that_was_removed_after_its_bot_was_read_is_one_line(program: Launch) -> None:
    launch = replace(program, files=(f"{program.folder}/run",))
    shipment = shipment_of(launch)
    Path(program.folder, "run").unlink()
    with pytest.raises(RosterError, match="/run: cannot be read: No such file or directory"):
        list(pieces(launch, shipment))


@pytest.mark.parametrize("place", ["/etc/passwd", "../out", "a/../../out", ""])
def test_nothing_is_written_outside_of_the_folder(place: str, cache: BotCache) -> None:
    with pytest.raises(StoreError, match="expected a place inside the bot's folder"):
        cache.write("draft", [Piece(place, "-", b"", begins=True)])


def test_a_folder_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(StoreError, match="expected a folder that belongs to this user"):
        BotCache(tmp_path / "open")


def test_a_cache_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"/file: cannot be made: File exists"):
        BotCache(tmp_path / "file")


def test_a_worker_without_the_program_or_the_library_of_a_bot_is_unfit(program: Launch, cache: BotCache) -> None:
    shipment = shipment_of(program)
    with pytest.raises(UnfitError, match="it has no program no-such-program"):
        local_launch(replace(program, command=("/usr/bin/no-such-program",)), shipment, cache.folder)
    library = f"{min(package_folders())}/no_such_library-1.0.dist-info"
    with pytest.raises(UnfitError, match=r"it has no no_such_library-1\.0\.dist-info"):
        local_launch(replace(program, reads=(library,)), shipment, cache.folder)


def test_a_library_is_read_where_the_worker_has_it(program: Launch, cache: BotCache) -> None:
    shipment = replace(shipment_of(program), packages=("/there/site-packages",))
    here = local_launch(replace(program, reads=("/there/site-packages/msgspec", "/usr/lib/x.so")), shipment, cache.folder)
    assert Path(here.reads[0]).name == "msgspec"
    assert Path(here.reads[0]).exists()
    assert here.reads[1] == "/usr/lib/x.so"


def test_a_bot_in_a_folder_of_its_own_imports_from_the_copy(program: Launch, cache: BotCache) -> None:
    environment = (("PYTHONPATH", program.folder),)
    launch = replace(program, command=("/there/python", "-m", "arena.sdk", "bot:Mine"), environment=environment)
    here = sent(launch, cache)
    assert here.command == (sys.executable, "-m", "arena.sdk", "bot:Mine")
    assert here.environment == (("PYTHONPATH", here.folder),)


@pytest.fixture
def with_libraries(program: Launch, tmp_path: Path) -> Launch:
    """A bot with a folder of libraries, as a league gives it."""
    libraries = tmp_path / "environments" / "library"
    (libraries / "counting").mkdir(parents=True)
    (libraries / "counting" / "__init__.py").write_text("TWO = 2\n", encoding="ascii")
    (libraries / "counting" / "fast.cpython-311-x86_64-linux-gnu.so").write_bytes(b"\x7fELF")
    environment = (("PYTHONPATH", f"{program.folder}:{libraries}"),)
    return replace(program, environment=environment, reads=(str(libraries),))


def equip(launch: Launch, cache: BotCache) -> Launch:
    """Send a bot and its libraries, and return its launch on the worker."""
    for one in shipment_of(launch).environments:
        if cache.lacks(one.digest):
            cache.write("libraries", library_pieces(one))
            cache.complete("libraries", one.digest)
    return sent(launch, cache)


def test_the_libraries_of_a_bot_are_sent_with_it_and_are_all_that_it_may_read(with_libraries: Launch, cache: BotCache) -> None:
    here = equip(with_libraries, cache)
    [libraries] = here.reads
    assert here.environment == (("PYTHONPATH", f"{here.folder}:{libraries}"),)
    assert Path(libraries).parent == cache.folder
    code = "import counting; print(counting.TWO)"
    assert subprocess.check_output([sys.executable, "-P", "-c", code], env=dict(here.environment), text=True) == "2\n"


def test_bots_with_the_same_libraries_share_one_copy(with_libraries: Launch, cache: BotCache, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "run").write_text("#!/bin/sh\n", encoding="ascii")
    environment = (("PYTHONPATH", with_libraries.reads[0]),)
    command, folder = (str(tmp_path / "other" / "run"),), str(tmp_path / "other")
    other = replace(with_libraries, command=command, folder=folder, environment=environment)
    assert equip(with_libraries, cache).reads == equip(other, cache).reads
    assert len([copy for copy in cache.folder.iterdir() if len(copy.name) == 64]) == 3


def test_libraries_that_are_compiled_are_known_as_such(with_libraries: Launch) -> None:
    assert [one.compiled for one in shipment_of(with_libraries).environments] == [True]
    next(Path(with_libraries.reads[0]).rglob("*.so")).unlink()
    assert [one.compiled for one in shipment_of(with_libraries).environments] == [False]


def test_a_folder_that_may_hold_more_than_libraries_is_not_sent(program: Launch) -> None:
    with pytest.raises(RosterError, match="imports from /there/everything, which does not hold its libraries"):
        shipment_of(replace(program, environment=(("PYTHONPATH", f"{program.folder}:/there/everything"),)))


@pytest.mark.parametrize("text", ["8 GiB", "-1", "", "1.5"])
def test_a_limit_that_is_not_a_valid_number_is_named(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, text)
    with pytest.raises(StoreError, match=f"ARENA_BOT_CACHE_MIB: found '{text}'; expected a number of mebibytes"):
        BotCache(tmp_path / "cache")


def test_a_copy_that_cannot_get_its_name_is_one_line(program: Launch, cache: BotCache) -> None:
    (cache.folder / ".lock").mkdir()
    with pytest.raises(StoreError, match=r"\.lock: cannot be written: Is a directory"):
        equip(program, cache)


def test_the_copies_that_were_not_used_for_longest_make_room(with_libraries: Launch, tmp_path: Path) -> None:
    small = BotCache(tmp_path / "cache", limit=1)
    equip(with_libraries, small)
    assert not small.lacks(shipment_of(with_libraries).digest)
    [libraries] = shipment_of(with_libraries).environments
    assert small.lacks(libraries.digest)
    with pytest.raises(CopyGoneError), small.using([libraries.digest]):
        pass


def test_a_copy_that_is_played_with_stays(with_libraries: Launch, tmp_path: Path) -> None:
    small = BotCache(tmp_path / "cache", limit=1)
    [libraries] = shipment_of(with_libraries).environments
    small.write("libraries", library_pieces(libraries))
    small.complete("libraries", libraries.digest)
    with BotCache(small.folder, limit=1).using([libraries.digest]):
        sent(with_libraries, small)
        assert not small.lacks(libraries.digest)
    assert small.lacks(shipment_of(with_libraries).digest) is False


PLAYING = """
import sys
from pathlib import Path
from arena.extras.cluster.files import BotCache
with BotCache(Path(sys.argv[1])).using([sys.argv[2]]):
    print("playing", flush=True)
    sys.stdin.read()
"""


@contextmanager
def playing(cache: BotCache, digest: str) -> Iterator[subprocess.Popen[str]]:
    """Give another worker's process that plays with a copy until it is killed."""
    line = [sys.executable, "-c", PLAYING, str(cache.folder), digest]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        assert worker.stdout.readline() == "playing\n"
        yield worker
        worker.kill()


def hidden(cache: BotCache) -> set[str]:
    """Return what is beside the copies."""
    return {place.name for place in cache.folder.iterdir() if place.name.startswith(".")} - {".lock"}


def test_what_a_killed_worker_played_with_makes_room_and_leaves_no_lock(with_libraries: Launch, tmp_path: Path) -> None:
    small = BotCache(tmp_path / "cache", limit=1)
    [libraries] = shipment_of(with_libraries).environments
    small.write("libraries", library_pieces(libraries))
    small.complete("libraries", libraries.digest)
    with playing(small, libraries.digest) as worker, playing(small, libraries.digest):
        worker.kill()
        worker.wait()
        bot = shipment_of(with_libraries).digest
        sent(with_libraries, small)  # the other worker plays with the libraries still
        assert not small.lacks(libraries.digest)
    small.write("new", [Piece("some", "-", b"some", begins=True)])
    new = digest((path, path.name) for path in (small.folder / ".new-new").iterdir())
    small.complete("new", new)
    assert {place.name for place in small.folder.iterdir()} == {".lock", new}
    assert small.lacks(bot)


def test_a_lock_that_was_removed_while_somebody_waited_for_it_holds_nothing(
    program: Launch, cache: BotCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent(program, cache)
    one = shipment_of(program).digest
    lock, flock = cache.folder / f".use-{one}", fcntl.flock

    def remove_before(file: IO[str], how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        lock.unlink()
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", remove_before)
    with cache.using([one]), lock.open("w") as file, pytest.raises(BlockingIOError):
        flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_draft_that_nobody_adds_to_any_more_is_removed(program: Launch, cache: BotCache) -> None:
    for draft in ("left", "growing"):
        cache.write(draft, [Piece("some", "-", b"some", begins=True)])
    os.utime(cache.folder / ".new-left", (0, 0))
    (cache.folder / ".old-left").mkdir()
    os.utime(cache.folder / ".old-left", (0, 0))
    sent(program, cache)
    assert hidden(cache) - {f".use-{shipment_of(program).digest}"} == {".new-growing"}
