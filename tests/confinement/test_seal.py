"""A bot that is ready is sealed: what would outlast it is refused, and its fault names what was refused."""

import ctypes
import errno
import gc
import mmap
import os
import re
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from msgspec import convert
from msgspec.structs import replace
from support.bots.players import asked, begun, fault
from support.bots.programs import AT_ITS_TURN, GREETS

from arena.confinement import fetched_files, process_files, schedstat, seal
from arena.confinement.folder_calls import PATHS
from arena.confinement.process_files import ProcFolder
from arena.confinement.profiles import StrictProfile
from arena.confinement.status import LaunchFailedError
from arena.confinement.syscalls import ALLOWED, SEALED, THREADED, WRITING
from arena.errors import SandboxError
from arena.players import child, proofs, sandboxes
from arena.players.base import PlayerFaultError
from arena.players.proofs import STRICT, ProfileTest, prove
from arena.players.sandboxes import NoSandbox, StandardSandbox, StrictSandbox
from arena.roster.entrant import Launch
from arena.roster.finder import find

Make = Callable[..., Launch]
TRIES = """
def error(attempt, *arguments):
    try:
        attempt(*arguments)
    except OSError as error:
        return error.strerror
"""
NOTES = 'print(json.dumps({"kind": "pass", "note": json.dumps(found)}), flush=True); sys.stdin.read()\n'


@pytest.fixture(params=[f"{profile} {start}" for profile in STRICT for start in ("template", "launcher")])
def confined(request: pytest.FixtureRequest) -> Callable[[Launch], Launch]:
    """Return what confines a launch under each profile, by a template and by a launcher."""
    name, _, start = str(request.param).partition(" ")
    profile = convert(name, StrictProfile)
    proved = prove(profile)
    if proved.state != "PROVED" or proved.unsealed:
        pytest.skip(f"profile {profile} is {proved.state} here: {proved.reason or proved.unsealed}")

    def wrap(launch: Launch) -> Launch:
        sandbox = StrictSandbox(profile=profile, threads=4, scratch_mb=1)
        wrapped = sandbox.wrap(replace(launch, reads_while_playing=False))
        return replace(wrapped, prefork=wrapped.prefork and start == "template")

    return wrap


def sdk_bot(folder: Path, text: str, top: str = "") -> Launch:
    """Return the launch of a bot of the SDK whose first decision runs a text, and whose module begins with another one."""
    body = "\n        ".join(text.strip().splitlines())
    methods = "\n    ".join(
        f"def {name}(self, view):\n        {body}\n        return None" for name in ("upcard", "draw", "discard")
    )
    (folder / "late.py").write_text(
        f"{top}\nimport sys\nfrom arena.sdk import Bot\nclass Late(Bot):\n    {methods}\n", encoding="utf-8"
    )
    return find(f"{folder}/late.py:Late").launch


@pytest.mark.process
def test_calls_that_would_outlast_a_bot_are_refused_once_it_is_ready(
    confined: Callable[[Launch], Launch], python_bot: Make, bot_folder: Path
) -> None:
    own = f"{bot_folder}/some_bot.py"
    found = f"""
found = {{
    "open": error(open, {own!r}), "missing": error(os.stat, "/usr/no-such-name"), "access": os.access({own!r}, os.R_OK),
    "list": error(os.listdir, {str(bot_folder)!r}), "pipe": error(os.pipe), "in a folder": error(os.open, "x", 0),
}}
"""
    launch = confined(python_bot(f"{TRIES}\n{AT_ITS_TURN}{found}{NOTES}", threads=2))

    refused = "Operation not permitted"
    assert asked(launch).note == (
        f'{{"open": "{refused}", "missing": "{refused}", "access": false, "list": "{refused}", "pipe": "{refused}",'
        f' "in a folder": "{refused}"}}'
    )


@pytest.mark.process
def test_what_a_bot_has_open_and_its_other_threads_serve_it_on(confined: Callable[[Launch], Launch], python_bot: Make) -> None:
    before = f"""
import threading, queue
file = open(__file__)
asks, answers = queue.Queue(), queue.Queue()
threading.Thread(target=lambda: answers.put((asks.get(), error(open, __file__))), daemon=True).start()
{TRIES}
"""
    after = "asks.put(1)\nfound = [len(file.readline()), answers.get(timeout=20)]\n"

    assert asked(confined(python_bot(f"{before}{AT_ITS_TURN}{after}{NOTES}", threads=4))).note == (
        '[1, [1, "Operation not permitted"]]'
    )


def test_the_fault_names_the_first_refused_calls_and_the_remedy(confined: Callable[[Launch], Launch], python_bot: Make) -> None:
    caught = fault(confined(python_bot(f"{AT_ITS_TURN}open('/usr/weights.txt')\n")))

    assert caught.kind == "crash"
    assert re.search(r"refused after `ready`: openat(, \w+)* \(open and load before what you need\)", caught.detail)
    assert "refused after `ready`: openat /usr/weights.txt" in caught.stderr


@pytest.mark.process
def test_a_bot_that_goes_on_asking_gets_the_same_answer_from_the_kernel(
    confined: Callable[[Launch], Launch], python_bot: Make
) -> None:
    many = "found = {error(os.stat, f'/usr/name-{number}') for number in range(1000)}\nfound = sorted(found)\n"

    assert asked(confined(python_bot(f"{TRIES}\n{AT_ITS_TURN}{many}{NOTES}"))).note == (
        '["Function not implemented", "Operation not permitted"]'
    )


@pytest.mark.process
def test_a_late_import_is_a_fault_that_names_the_module_and_the_remedy(
    confined: Callable[[Launch], Launch], bot_folder: Path
) -> None:
    caught = fault(confined(sdk_bot(bot_folder, "import colorsys")))

    assert caught.kind == "crash"
    assert (
        "ImportError: import of 'colorsys' after `ready`: a bot opens no file then; import it at the top of the bot's module"
        in (caught.stderr)
    )
    assert "import colorsys" in caught.stderr  # the line of the traceback, though the file cannot be opened


@pytest.mark.process
def test_what_numpy_imports_when_it_is_first_used_is_there(confined: Callable[[Launch], Launch], bot_folder: Path) -> None:
    uses = "np.random.default_rng(1).random(3); np.fft.fft(np.ones(4)); np.linalg.inv(np.eye(3)); raise RuntimeError('all there')"
    launch = confined(sdk_bot(bot_folder, uses, top="import numpy as np"))

    assert "RuntimeError: all there" in fault(launch).stderr


@pytest.mark.process
def test_a_late_import_is_refused_without_a_sandbox_too(bot_folder: Path) -> None:
    assert (
        "ImportError: import of 'colorsys' after `ready`" in fault(NoSandbox().wrap(sdk_bot(bot_folder, "import colorsys"))).stderr
    )


@pytest.mark.process
def test_a_late_import_that_the_bot_catches_is_named_in_its_log(confined: Callable[[Launch], Launch], bot_folder: Path) -> None:
    caught = fault(confined(sdk_bot(bot_folder, "try: import colorsys\nexcept ImportError: pass\nraise RuntimeError('later')")))

    assert "RuntimeError: later" in caught.stderr
    assert "import of 'colorsys' after `ready`" in caught.stderr


ENTERS = 'import os; os.chdir(os.environ["TMPDIR"])'
WORKS = """
def content(name):
    with open(name) as file:
        return file.read()
with open("one", "w") as file:
    file.write("x" * 10)
with open("one", "a") as file:
    file.write("y")
os.mkdir("folder")
os.rename("one", "folder/two")
os.replace("folder/two", os.environ["TMPDIR"] + "/folder/three")
os.makedirs("deep/er")
os.rmdir("deep/er")
status = os.stat("folder/three")
found = [
    content("folder/../folder/three"), status.st_size, os.path.isdir("folder"), os.path.exists("one"), sorted(os.listdir(".")),
    sorted(os.listdir("folder")), os.access("folder/three", os.R_OK), os.access("folder/none", os.R_OK),
    error(open, "none"), error(os.mkdir, "folder"), error(open, "../etc/passwd"), error(open, "/proc/self/maps"),
    error(os.symlink, "/usr", "link"), error(open, b"/scratch/../usr/lib/os-release"),
]
os.unlink("folder/three")
found.append(os.path.exists("folder/three"))
"""


@pytest.mark.process
@pytest.mark.parametrize("profile", ["A", "B"])
@pytest.mark.parametrize("prefork", [True, False])
def test_a_private_folder_can_still_be_written_to_and_read(profile: StrictProfile, python_bot: Make, prefork: bool) -> None:  # noqa: FBT001
    if prove(profile).state != "PROVED":
        pytest.skip(f"profile {profile} is {prove(profile).state} here: {prove(profile).reason}")
    bot = replace(python_bot(f"{TRIES}\n{ENTERS}\n{AT_ITS_TURN}{WORKS}{NOTES}", scratch_mb=1), reads_while_playing=False)
    launch = replace(StrictSandbox(profile=profile, scratch_mb=1).wrap(bot), prefork=prefork)

    assert asked(launch).note == (
        '["xxxxxxxxxxy", 11, true, false, ["deep", "folder"], ["three"], true, false, "No such file or directory", "File exists",'
        ' "Operation not permitted", "Operation not permitted", "Operation not permitted", "Operation not permitted", false]'
    )


@pytest.mark.process
@pytest.mark.parametrize(
    "access", ["file = open('weights', 'rb')", "import mmap; file = mmap.mmap(os.open('weights', 0), 0, prot=1)"]
)
def test_every_page_of_a_file_that_a_sealed_bot_can_read_is_in_memory(python_bot: Make, bot_folder: Path, access: str) -> None:
    if (best := proofs.best()).unsealed or best.state != "PROVED":
        pytest.skip(f"this machine cannot seal bots: {best.unsealed or best.reason}")
    weights = bot_folder / "weights"
    weights.write_bytes(os.urandom(16 << 20))  # more than the kernel reads ahead
    with weights.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    bot = python_bot(f"import os; os.chdir({str(bot_folder)!r}); {access}\n{AT_ITS_TURN}")

    with begun(StandardSandbox().wrap(replace(bot, reads_while_playing=False))):
        assert pages_in_memory(weights) > 4000  # of 4096: a machine that is short of memory may drop some again


@pytest.mark.process
def test_a_bot_cannot_move_a_file_from_descriptor_to_descriptor_while_its_files_are_read(
    python_bot: Make, bot_folder: Path
) -> None:
    if (best := proofs.best()).unsealed or best.state != "PROVED":
        pytest.skip(f"this machine cannot seal bots: {best.unsealed or best.reason}")
    weights = bot_folder / "weights"
    weights.write_bytes(os.urandom(16 << 20))
    moves = "while True:\n    os.dup2(40, 41); os.close(40); os.dup2(41, 40); os.close(41)\n"
    bot = python_bot(f"import os; os.chdir({str(bot_folder)!r}); os.dup2(os.open('weights', 0), 40)\n{GREETS}{moves}")
    launch = StandardSandbox().wrap(replace(bot, reads_while_playing=False))

    for _ in range(5):
        with weights.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        fetched_files._recent.forget()  # noqa: SLF001 - the machine has dropped it
        with begun(launch):
            assert pages_in_memory(weights) > 4000


def test_a_file_is_read_once_for_all_its_descriptors_and_for_later_bots(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    read, fetch = list[int](), fetched_files._fetch  # noqa: SLF001

    def noting(file: fetched_files.FileIdentity, path: str, deadline: float) -> None:
        read.append(file.inode)
        fetch(file, path, deadline)

    monkeypatch.setattr(fetched_files, "_fetch", noting)
    (tmp_path / "weights").write_bytes(bytes(1 << 20))

    with ExitStack() as opened:
        for _ in range(20):
            opened.enter_context((tmp_path / "weights").open("rb"))
        inode = (tmp_path / "weights").stat().st_ino
        for _ in range(2):
            fetched_files.fetch(ProcFolder(os.getpid()))
        assert read.count(inode) == 1
        (tmp_path / "weights").write_bytes(bytes(2 << 20))  # the same inode with another content
        fetched_files.fetch(ProcFolder(os.getpid()))
        assert read.count(inode) == 2
        monkeypatch.setattr(fetched_files, "FRESH", 0.0)
        fetched_files.fetch(ProcFolder(os.getpid()))
        assert read.count(inode) == 3


@pytest.mark.parametrize(
    ("module", "limit", "value", "problem"),
    [
        (fetched_files, "MOST_BYTES", 0, r"its open and mapped files have [0-9.]+ GB; allowed: 0\.0 GB"),
        (fetched_files, "MOST_SECONDS", -1, "its open and mapped files could not be read within -1 s"),
        (process_files, "LONGEST_TABLE", -1, "the table of its mapped memory has more than -1 MB"),
    ],
)
def test_the_reading_of_a_bots_files_is_bounded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: ModuleType, limit: str, value: int, problem: str
) -> None:
    fetched_files._recent.forget()  # noqa: SLF001
    (tmp_path / "weights").write_bytes(bytes(1 << 20))
    monkeypatch.setattr(module, limit, value)

    with (tmp_path / "weights").open("rb"), pytest.raises(OSError, match=problem):
        fetched_files.fetch(ProcFolder(os.getpid()))


def test_a_wait_for_a_core_is_not_held_against_the_bot_whose_files_are_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fetched_files._recent.forget()  # noqa: SLF001
    (tmp_path / "weights").write_bytes(bytes(1 << 20))
    waits, seconds = tmp_path / "schedstat", count(0, 100)  # a reading takes 100 s, in which other processes run

    def monotonic() -> float:
        now = next(seconds)
        waits.write_text(f"0 {now * 10**9} 1\n")
        return float(now)

    monkeypatch.setattr(fetched_files, "WAITS", str(waits))
    monkeypatch.setattr(fetched_files, "time", SimpleNamespace(monotonic=monotonic))
    with (tmp_path / "weights").open("rb"):
        with pytest.raises(TimeoutError):
            monkeypatch.setattr(fetched_files, "WAITS", str(tmp_path / "none"))
            fetched_files.fetch(ProcFolder(os.getpid()))
        fetched_files._recent.forget()  # noqa: SLF001
        monkeypatch.setattr(fetched_files, "WAITS", str(waits))
        fetched_files.fetch(ProcFolder(os.getpid()))


def test_a_machine_without_descriptors_for_the_count_of_waits_is_not_a_late_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(schedstat, "open", refuse, raising=False)
    with pytest.raises(OSError, match="Too many open files"):
        fetched_files._usable_time()  # noqa: SLF001


@pytest.mark.process
@pytest.mark.parametrize(
    ("module", "limit", "value", "kind", "detail"),
    [
        (fetched_files, "MOST_BYTES", 0, "crash", r"cannot be sealed: its open and mapped files have [0-9.]+ GB; allowed: 0\.0 GB"),
        (child, "STOP", -1.0, "timeout", "cannot be sealed: its threads did not stop within -1 s of `ready`"),
        (seal, "MOST_CALLS", 5, "timeout", "not ready after [0-9,]+ system calls for files, pipes and sockets"),
    ],
)
def test_a_bot_that_asks_too_much_of_the_harness_before_its_first_turn_is_at_fault(
    monkeypatch: pytest.MonkeyPatch, python_bot: Make, module: ModuleType, limit: str, value: float, kind: str, detail: str
) -> None:
    if (best := proofs.best()).unsealed or best.state != "PROVED":
        pytest.skip(f"this machine cannot seal bots: {best.unsealed or best.reason}")
    monkeypatch.setattr(module, limit, value)
    if limit == "STOP":
        monkeypatch.setattr(child.Child, "_stops_within", lambda *_: False)
    launch = StandardSandbox().wrap(replace(python_bot(AT_ITS_TURN), reads_while_playing=False))

    with pytest.raises(PlayerFaultError, match=detail) as fault, begun(launch):
        pass
    assert fault.value.kind == kind


@pytest.mark.process
def test_a_machine_without_descriptors_for_the_seal_is_no_fault_of_the_bot(
    monkeypatch: pytest.MonkeyPatch, python_bot: Make
) -> None:
    if (best := proofs.best()).unsealed or best.state != "PROVED":
        pytest.skip(f"this machine cannot seal bots: {best.unsealed or best.reason}")

    def apply(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(seal.Seal, "apply", apply)
    launch = StandardSandbox().wrap(replace(python_bot(AT_ITS_TURN), reads_while_playing=False))

    with pytest.raises(LaunchFailedError, match="failed at seal: Too many open files"), begun(launch):
        pass


def pages_in_memory(path: Path) -> int:
    """Return how many pages of a file are in memory. Source: mincore(2)."""
    size = path.stat().st_size
    found = ctypes.create_string_buffer(size // mmap.PAGESIZE)
    with path.open("rb") as file, mmap.mmap(file.fileno(), size, flags=mmap.MAP_PRIVATE) as content:
        address = ctypes.addressof(ctypes.c_char.from_buffer(content))
        assert ctypes.CDLL(None).mincore(ctypes.c_void_p(address), ctypes.c_size_t(size), found) == 0
        gc.collect()
    return sum(state & 1 for state in found.raw)


@pytest.mark.process
def test_a_bot_that_reads_while_it_plays_is_not_sealed(profile: StrictProfile, python_bot: Make) -> None:
    launch = StrictSandbox(profile=profile).wrap(python_bot(f"{TRIES}\n{AT_ITS_TURN}found = error(open, __file__)\n{NOTES}"))

    assert asked(launch).note == "null"


@pytest.mark.process
@pytest.mark.parametrize("kind", [StrictSandbox, StandardSandbox])
def test_a_sandbox_that_requires_the_seal_refuses_a_bot_that_reads_while_it_plays(
    kind: type[StrictSandbox | StandardSandbox], python_bot: Make
) -> None:
    if proofs.best().unsealed:
        pytest.skip(f"this machine cannot seal bots: {proofs.best().unsealed}")
    reading = python_bot("pass")

    with pytest.raises(SandboxError, match=r"asks to open files while it plays .* the spec's sandbox has `sealed: required`"):
        kind(sealed="required").wrap(reading)
    assert kind(sealed="required").wrap(replace(reading, reads_while_playing=False)).seals


@pytest.mark.process
@pytest.mark.parametrize("kind", [StrictSandbox, StandardSandbox])
def test_a_machine_that_cannot_seal_says_so_in_the_record_and_is_refused_where_the_seal_is_required(
    monkeypatch: pytest.MonkeyPatch, kind: type[StrictSandbox | StandardSandbox], python_bot: Make
) -> None:
    test = ProfileTest(profile="A", state="PROVED", layers="", unsealed="Device or resource busy")
    monkeypatch.setattr(proofs, "prove", lambda _: test)
    monkeypatch.setattr(sandboxes, "best", lambda: test)

    assert not kind().assurance().sealed
    assert not kind().wrap(replace(python_bot("pass"), reads_while_playing=False)).seals
    for refused in (kind(sealed="required").assurance, lambda: kind(sealed="required").wrap(python_bot("pass"))):
        with pytest.raises(SandboxError, match=r"cannot seal bots under profile A \(Device or resource busy\).*see `arena doctor`"):
            refused()


def test_a_profile_whose_seal_leaks_is_proved_but_not_sealed(monkeypatch: pytest.MonkeyPatch, profile: StrictProfile) -> None:
    monkeypatch.setattr(proofs, "_run", lambda launch: proofs.Attacks((), ("calls open when sealed",) if launch.seals else (), ()))

    test = proofs.prove.__wrapped__(profile)

    assert (test.state, test.unsealed) == ("PROVED", "calls open when sealed")


def test_every_allowed_call_that_takes_a_path_is_sealed() -> None:
    assert {*PATHS} & {*ALLOWED, *THREADED, *WRITING} <= {*SEALED}
    assert {*SEALED} - {*PATHS} == {"pipe", "pipe2", "socketpair"}
