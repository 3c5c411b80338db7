"""Bots that a template starts: as confined as those of a launcher, and strangers to each other."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.json import decode, encode
from msgspec.structs import replace
from support.processes.waiting import until

from arena.confinement import prefork, template
from arena.confinement.launch_policy import Policy
from arena.confinement.profiles import StrictProfile
from arena.confinement.starting_bots import StartingBots
from arena.confinement.status import LaunchFailedError
from arena.players import child as child_module
from arena.players import proofs
from arena.players.child import Child
from arena.players.orphans import ending_orphans
from arena.players.proofs import Attacks
from arena.players.sandboxes import StrictSandbox
from arena.roster.entrant import Launch

Make = Callable[..., Launch]
Live = Callable[..., Any]  # conftest's Life
WAITS = "import sys; print('started', flush=True); sys.stdin.read()"
CHECKOUT = Path(__file__).parents[2]


@contextmanager
def started(launch: Launch) -> Iterator[Child]:
    child = Child(launch)
    try:
        child.wait_ready()
        yield child
    finally:
        child.end()


def templates() -> set[int]:
    """Return the children of this process that are templates."""
    return {pid for task in Path("/proc/self/task").iterdir() for pid in children(task) if prefork.is_template(pid)}


def children(task: Path) -> list[int]:
    try:
        return [int(pid) for pid in (task / "children").read_text().split()]
    except FileNotFoundError:  # the thread has ended
        return []


def gone(processes: Iterable[int]) -> bool:
    """Wait until processes have ended; return that they did."""
    waiting = list(processes)
    until(lambda: not any(is_alive(pid) for pid in waiting))
    return True


def is_alive(pid: int) -> bool:
    """Return whether a process still holds anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] not in {"Z", "X"}
    except OSError:
        return False


def test_a_python_bot_is_started_by_a_template_and_a_program_is_not(
    profile: StrictProfile, python_bot: Make, bot_folder: Path
) -> None:
    sandbox = StrictSandbox(profile=profile)

    assert sandbox.wrap(python_bot("")).prefork
    assert not sandbox.wrap(Launch(command=("/bin/true",), folder=str(bot_folder))).prefork


@pytest.mark.process
def test_a_profile_that_a_templates_bot_escapes_starts_bots_by_launchers(
    monkeypatch: pytest.MonkeyPatch, profile: StrictProfile, python_bot: Make
) -> None:
    monkeypatch.setattr(proofs, "_run", lambda launch: Attacks(("inherits a descriptor",) if launch.prefork else (), (), ()))

    test = proofs.prove.__wrapped__(profile)

    assert (test.state, test.templates) == ("PROVED", "inherits a descriptor")
    assert not test.wrap(python_bot(""), StrictSandbox(profile=profile)).prefork


def test_a_template_that_cannot_start_a_bot_is_a_reason_not_to_use_templates(
    monkeypatch: pytest.MonkeyPatch, profile: StrictProfile
) -> None:
    def run(launch: Launch) -> Attacks:
        if launch.prefork:
            raise LaunchFailedError("namespaces", "[Errno 28] No space left on device")
        return Attacks((), (), ())

    monkeypatch.setattr(proofs, "_run", run)

    assert proofs.prove.__wrapped__(profile).templates == "namespaces: [Errno 28] No space left on device"


@pytest.mark.process
def test_a_templates_bot_has_the_environment_and_arguments_of_a_launchers(
    profile: StrictProfile, live: Live, python_bot: Make
) -> None:
    text = """
import os, signal, sys, threading
print(sorted(os.environ.items()), sys.argv, sys.path[:2], sys.flags, os.getcwd(), hash("gin"), os.getuid() == 0)
print(os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid(), sorted(os.sched_getaffinity(0)), threading.active_count())
print([signal.getsignal(number) for number in range(1, 32)], signal.pthread_sigmask(signal.SIG_BLOCK, ()))
for stream in (sys.stdin, sys.stdout):
    print(stream.fileno(), stream.encoding, stream.errors, stream.line_buffering, stream.buffer.seekable())
"""
    sandbox = StrictSandbox(profile=profile)
    launch = python_bot(text)

    by_template = live(sandbox, launch)
    by_launcher = live(StrictSandbox(profile=profile), launch, prefork=False)

    assert by_template.log == by_launcher.log == ""
    assert by_template.output == by_launcher.output


@pytest.mark.process
def test_a_template_runs_what_a_bot_registers_for_its_end(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    life = live(
        StrictSandbox(profile=profile), python_bot("import atexit; atexit.register(print, 'left', end=''); print('playing')")
    )

    assert (life.output, life.exit_code) == ("playing\nleft", 0)


@pytest.mark.process
@pytest.mark.parametrize(("text", "code"), [("raise SystemExit(7)", 7), ("1 / 0", 1), ("import os; os.abort()", -6)])
def test_the_exit_code_of_a_templates_bot_is_its_own(
    text: str, code: int, profile: StrictProfile, live: Live, python_bot: Make
) -> None:
    if code < 0 and profile != "C":
        pytest.skip("the first process of a namespace ignores its own signals")

    assert live(StrictSandbox(profile=profile), python_bot(text)).exit_code == code


@pytest.mark.process
def test_bots_of_one_template_have_other_random_numbers(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    launch = python_bot("import random; print(random.random())")

    assert len({live(StrictSandbox(profile=profile), launch).output for _ in range(3)}) == 3


SEARCHES = """
import ctypes, re, sys
first, second = sys.stdin.readline().encode().split()
found = False
for line in open("/proc/self/maps"):
    ends, rights, *_ = line.split()
    start, end = (int(number, 16) for number in ends.split("-"))
    block = ctypes.string_at(start, end - start) if rights.startswith("rw") else b""
    found |= any(block.startswith(second, match.end()) for match in re.finditer(first, block))
print("found" if found else "not found")
"""


def unfiltered(launch: Launch) -> Launch:
    """Return a launch under profile A whose bot may read about itself in /proc."""
    policy = decode(launch.command[-1], type=Policy)
    policy = replace(policy, filter=b"", landlock=False, reads=replace(policy.reads, paths=(*policy.reads.paths, "/proc")))
    return replace(launch, command=(*launch.command[:-1], encode(policy).decode()))


@pytest.mark.process
def test_a_bot_does_not_find_the_bot_before_it_in_its_memory(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    """What it looks for is sent in two parts, so that it does not find the question."""
    if profile != "A":
        pytest.skip("it needs namespaces, to run as any user, and the profile's other layers are not used")
    launch = python_bot(SEARCHES)
    named = replace(launch, environment=(*launch.environment, ("OPPONENT", "named-in-the-policy")))
    question = b"named-in -the-policy\n"

    outputs = [live(None, unfiltered(StrictSandbox(profile=profile).wrap(one)), question).output for one in (named, launch)]

    assert outputs == ["found\n", "not found\n"]


def test_a_template_that_has_ended_is_replaced(profile: StrictProfile, python_bot: Make) -> None:
    launch = StrictSandbox(profile=profile).wrap(python_bot(WAITS))
    with started(launch):
        before = templates()
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    assert gone(before)

    with started(launch) as child:
        assert os.read(child.stdout, 100) == b"started\n"

    assert templates() - before


@pytest.mark.process
def test_a_template_that_ends_before_it_starts_a_bot_is_the_machines_fault(profile: StrictProfile, python_bot: Make) -> None:
    launch = StrictSandbox(profile=profile).wrap(python_bot(WAITS))
    with started(launch):
        pass
    for pid in templates():
        os.kill(pid, signal.SIGSTOP)

    child = Child(launch)
    for pid in templates():
        os.kill(pid, signal.SIGKILL)

    with pytest.raises(LaunchFailedError, match="failed at start"):
        child.wait_ready()
    assert child.end().code


@pytest.mark.process
def test_a_template_that_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch, profile: StrictProfile, python_bot: Make) -> None:
    launch = StrictSandbox(profile=profile).wrap(python_bot(WAITS))
    with started(launch):
        hanging = templates()
    for pid in hanging:
        os.kill(pid, signal.SIGSTOP)
    with monkeypatch.context() as brief, pytest.raises(LaunchFailedError, match=r"did not finish within 0\.5 s"):
        brief.setattr(child_module, "LAUNCH", 0.5)
        Child(launch).wait_ready()

    with started(launch) as child:
        assert os.read(child.stdout, 100) == b"started\n"

    for pid in templates() & hanging:  # those of other tests
        os.kill(pid, signal.SIGKILL)
    assert gone(hanging)


@pytest.mark.process
def test_a_templates_bot_uses_the_cores_of_the_harness(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    launch = python_bot("import os; print(sorted(os.sched_getaffinity(0)))")
    every = os.sched_getaffinity(0)
    try:
        for cores in ({min(every)}, {max(every)}, every):
            os.sched_setaffinity(0, cores)
            assert live(StrictSandbox(profile=profile), launch).output == f"{sorted(cores)}\n"
    finally:
        os.sched_setaffinity(0, every)


@pytest.mark.process
def test_orphans_are_ended_and_templates_stay(profile: StrictProfile, python_bot: Make) -> None:
    launch = replace(StrictSandbox(profile=profile).wrap(python_bot(WAITS)), environment=(("LANG", "C"),))

    with ending_orphans() as orphans, started(launch):
        pass

    assert orphans == []
    assert templates()


@pytest.mark.process
def test_a_template_ends_with_the_thread_that_has_started_it(profile: StrictProfile, python_bot: Make) -> None:
    launch = StrictSandbox(profile=profile).wrap(python_bot(WAITS))
    mine, others = templates(), set[int]()

    def play() -> None:
        with started(launch):
            others.update(templates() - mine)

    thread = threading.Thread(target=play)
    thread.start()
    thread.join()

    assert others
    assert others.isdisjoint(templates())


@pytest.mark.process
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # the test runner has threads
def test_a_forked_process_has_templates_of_its_own(profile: StrictProfile, python_bot: Make) -> None:
    launch = StrictSandbox(profile=profile).wrap(python_bot(WAITS))
    with started(launch):
        mine = templates()

    worker = os.fork()
    if worker == 0:
        with suppress(BaseException), started(launch) as child:
            os._exit(0 if os.read(child.stdout, 100) == b"started\n" and templates().isdisjoint(mine) else 1)
        os._exit(2)

    assert os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) == 0
    assert mine == templates()


HARNESS = """
import os, time
from msgspec.json import decode
from arena.players import child as child_module
from arena.players.child import Child
from arena.roster.entrant import Launch
child = Child(decode({launch!r}, type=Launch))
child.wait_ready()
(template,) = {{int(pid) for pid in open("/proc/thread-self/children").read().split()}} - {{child.pid}}
os.read(child.stdout, 100)
print(child.pid, template, flush=True)
time.sleep(600)
"""


@pytest.mark.process
def test_bots_and_template_end_with_the_harness_even_by_sigkill(profile: StrictProfile, python_bot: Make) -> None:
    sleeps = "import time; print('started', flush=True); time.sleep(600)"
    harness = HARNESS.format(launch=encode(StrictSandbox(profile=profile).wrap(python_bot(sleeps))))
    with subprocess.Popen([sys.executable, "-c", harness], stdout=subprocess.PIPE, text=True, cwd=CHECKOUT) as process:
        assert process.stdout
        numbers = process.stdout.readline().split()
        process.kill()

    assert len(numbers) == 2
    assert gone(map(int, numbers))


@pytest.mark.process
def test_the_processor_time_of_a_templates_bot_begins_at_its_clone(profile: StrictProfile, python_bot: Make) -> None:
    launch = StrictSandbox(profile=profile).wrap(
        python_bot("import sys, time; print(time.process_time(), flush=True); sys.stdin.read()")
    )

    with started(launch) as child:
        own = float(os.read(child.stdout, 100))
        assert own <= time.clock_gettime(~child.pid << 3 | 2) < 1


@pytest.mark.process
def test_a_clone_does_not_share_the_position_of_a_file_that_a_library_keeps_open(tmp_path: Path) -> None:
    (tmp_path / "library").write_text("libffi", encoding="ascii")
    file = os.open(tmp_path / "library", os.O_RDONLY | os.O_CLOEXEC)
    shared = os.dup(file)
    try:
        template.reopen(file)
        os.lseek(shared, 3, os.SEEK_SET)

        assert os.lseek(file, 0, os.SEEK_CUR) == 0
        assert os.read(file, 10) == b"libffi"
        assert not os.get_inheritable(file)
    finally:
        os.close(file)
        os.close(shared)


@pytest.mark.process
def test_a_template_keeps_files_that_it_has_opened_and_none_that_it_has_inherited(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    opened, inherited = (os.open(tmp_path / "file", os.O_RDONLY) for _ in range(2))
    os.set_inheritable(inherited, True)  # noqa: FBT003 - it takes no keyword
    try:
        assert opened in template.own_files()
        assert inherited not in template.own_files()
    finally:
        os.close(opened)
        os.close(inherited)


@pytest.mark.process
@pytest.mark.parametrize("by_template", [True, False])
def test_a_bot_whose_start_is_interrupted_is_ended(
    monkeypatch: pytest.MonkeyPatch, profile: StrictProfile, python_bot: Make, *, by_template: bool
) -> None:
    def interrupt(*_: object) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    launch = StrictSandbox(profile=profile).wrap(python_bot("import time; time.sleep(100)"))
    with ending_orphans() as orphans:
        child = Child(replace(launch, prefork=launch.prefork and by_template))
        monkeypatch.setattr(StartingBots, "serve", interrupt)
        with pytest.raises(KeyboardInterrupt):
            child.wait_ready()
        child.end()

    assert orphans == []
