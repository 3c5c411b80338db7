import fcntl
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from support.processes.marked import children
from support.processes.waiting import until

from arena.confinement import privileges
from arena.confinement.memory_signs import died_of_memory
from arena.confinement.profiles import NAMESPACED, StrictProfile
from arena.errors import SandboxError
from arena.gin.rules import Rules
from arena.players.child import Child, ReusedPipes, skip_pipe_numbers
from arena.players.sandboxes import NoSandbox, StandardSandbox, StrictSandbox
from arena.protocol.codec import encode
from arena.protocol.messages import Hello, Limits
from arena.protocol.notation import rules_message
from arena.roster.entrant import Launch

Make = Callable[..., Launch]
Live = Callable[..., Any]  # conftest's Life
BOTS = Path(__file__).parents[2] / "bots"
HELLO = encode(Hello(1, rules_message(Rules()), Limits(1, 1, 65536), "seed"))


def greedy(*, alone: bool) -> Launch:
    """Return the launch of a bot that shares its folder with others; ``alone``: its files are listed one by one."""
    root = str(BOTS.parent)
    return Launch(
        command=(sys.executable, "-s", "-P", "-m", "arena.sdk", "bots.greedy:Greedy"),
        folder=str(BOTS),
        files=(str(BOTS / "__init__.py"), str(BOTS / "greedy.py")) if alone else (),
        environment=(("PYTHONPATH", root), ("PYTHONHASHSEED", "0")),
    )


def test_a_bot_of_the_sdk_answers_hello_under_every_profile(profile: StrictProfile, live: Live) -> None:
    life = live(StrictSandbox(profile=profile), greedy(alone=True), HELLO)

    assert (life.output, life.exit_code) == ('{"type":"ready","protocol":1,"bot":"Greedy"}\n', 0), life.log


@pytest.mark.process
def test_a_bot_that_is_one_file_cannot_import_its_neighbours(profile: StrictProfile, live: Live) -> None:
    launch = replace(greedy(alone=True), command=(sys.executable, "-s", "-P", "-m", "arena.sdk", "bots.cautious:Cautious"))

    life = live(StrictSandbox(profile=profile), launch, HELLO)

    assert "Error" in life.log.splitlines()[-1]
    assert life.output == ""


@pytest.mark.process
def test_numpy_works_under_every_profile(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    package = Path(np.__file__).parent
    reads = tuple(str(path) for path in (package, package.with_name("numpy.libs")) if path.exists())
    launch = python_bot("import numpy as np; print(np.linalg.inv(2 * np.eye(50)).sum())", reads=reads)

    life = live(StrictSandbox(profile=profile), launch)

    assert (life.output, life.log) == ("25.0\n", "")


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("node", path="/usr/bin:/bin"), reason="node is not installed")
def test_a_bot_in_javascript_works_under_every_profile_if_it_asks_for_threads(
    profile: StrictProfile, live: Live, bot_folder: Path
) -> None:
    (bot_folder / "bot.js").write_text("process.stdin.on('data', line => console.log('got ' + line))", encoding="ascii")

    life = live(
        StrictSandbox(profile=profile, threads=64),
        Launch(command=("node", "bot.js"), folder=str(bot_folder), threads=16),
        b"hello\n",
    )

    assert life.output == "got hello\n\n", life.log


THREADED = """
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static void *work(void *arg) { usleep(300000); return arg; }
int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    struct timespec used;
    if (pthread_create(&thread, NULL, work, NULL)) return 1;
    if (pthread_getattr_np(thread, &attributes)) return 2;
    if (pthread_join(thread, NULL)) return 3;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    puts(used.tv_sec == 0 && used.tv_nsec < 150000000 ? "joined and slept" : "joined and spun");
    return 0;
}
"""


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler is installed")
def test_a_program_waits_for_its_threads_without_spinning(profile: StrictProfile, live: Live, bot_folder: Path) -> None:
    (bot_folder / "bot.c").write_text(THREADED, encoding="ascii")
    subprocess.run(["cc", "-D_GNU_SOURCE", "-pthread", "-o", "bot", "bot.c"], cwd=bot_folder, check=True)  # noqa: S607 - any compiler
    (bot_folder / "bot").chmod(0o755)

    life = live(StrictSandbox(profile=profile, threads=2), Launch(command=("./bot",), folder=str(bot_folder), threads=2))

    assert (life.output, life.exit_code) == ("joined and slept\n", 0), life.log


@pytest.mark.process
def test_threads_of_a_bot_in_python_are_joined(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    text = """
import asyncio, threading, time
thread = threading.Thread(target=time.sleep, args=(0.1,))
thread.start()
thread.join()
async def played() -> str:
    return await asyncio.to_thread(str, "joined")
print(asyncio.run(played()))
"""
    life = live(StrictSandbox(profile=profile, threads=8), python_bot(text, threads=8))

    assert (life.output, life.log) == ("joined\n", "")


@pytest.mark.process
def test_a_script_works_under_every_profile(profile: StrictProfile, live: Live, bot_folder: Path) -> None:
    (bot_folder / "bot.sh").write_text("#!/bin/sh\nread line; echo got $line\n", encoding="ascii")
    (bot_folder / "bot.sh").chmod(0o755)

    life = live(StrictSandbox(profile=profile), Launch(command=("./bot.sh",), folder=str(bot_folder)), b"hello\n")

    assert life.output == "got hello\n", life.log


@pytest.mark.process
def test_a_bots_settings_are_read_only_inside_the_sandbox(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    """A sitecustomize.py on the bot's own path would run before the sandbox is complete if the launcher used that path."""
    launch = python_bot("import os, sys; print('sitecustomize' in sys.modules, os.environ['PYTHONPATH'] in sys.path)")
    Path(launch.folder, "sitecustomize.py").write_text("print('too early')", encoding="ascii")

    life = live(StrictSandbox(profile=profile), launch)

    assert life.output in ("False True\n", "True True\n")  # the first is True if the system has a sitecustomize.py too
    assert "too early" not in life.output


@pytest.mark.process
def test_a_bot_has_the_hash_seed_of_its_launch(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    launch = python_bot("print(hash('gin'))")

    assert live(StrictSandbox(profile=profile), launch).output == live(NoSandbox(), launch).output


@pytest.mark.process
def test_the_environment_contains_nothing_of_the_harness(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    life = live(StrictSandbox(profile=profile), python_bot("import os; print(*sorted(os.environ))"))

    assert life.output.split() == ["MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHASHSEED", "PYTHONPATH"]


@pytest.mark.parametrize(
    ("exist", "numbers", "different"), [(1 << 32, privileges.MANY_USERS, 100), (65536, privileges.FEW_USERS, 50)]
)
def test_the_user_of_a_bot_that_root_starts_is_random_so_that_it_shows_no_process_number(
    exist: int, numbers: tuple[int, int], different: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(privileges, "_identities", lambda _: iter([(0, exist)]))
    first, count = numbers

    users = {privileges.bots_user() for _ in range(100)}

    assert len(users) >= different
    assert all(first <= user < first + count for user in users)


def closed(pipe: tuple[int, int]) -> int:
    """Close the ends of a pipe; return it opened with O_PATH."""
    kept = os.open(f"/proc/self/fd/{pipe[0]}", os.O_PATH)
    for end in pipe:
        os.close(end)
    return kept


def test_a_pipe_that_is_opened_again_has_its_number_and_is_empty() -> None:
    pipes = ReusedPipes()
    first = pipes.open()
    number, capacity = os.fstat(first[0]).st_ino, fcntl.fcntl(first[0], fcntl.F_GETPIPE_SZ)
    fcntl.fcntl(first[0], fcntl.F_SETPIPE_SZ, 2 * capacity)
    os.utime(first[0], (0, 0))
    os.write(first[1], b"left")
    pipes.keep([closed(first)])

    read, write = pipes.open()
    os.write(write, b"new")

    status = os.fstat(read)
    assert (status.st_ino, fcntl.fcntl(read, fcntl.F_GETPIPE_SZ)) == (number, capacity)
    assert min(status.st_atime, status.st_mtime) > 0
    assert os.read(read, 10) == b"new"
    os.close(write)
    assert os.read(read, 10) == b""
    os.close(read)


@pytest.mark.parametrize(("end", "left"), [(0, b""), (0, b"left"), (1, b"")])
def test_a_pipe_is_not_opened_again_while_another_process_has_it_open(end: int, left: bytes) -> None:
    pipes = ReusedPipes()
    first = pipes.open()
    inherited = os.dup(first[end])
    os.write(first[1], left)
    kept = closed(first)
    number = os.fstat(kept).st_ino
    pipes.keep([kept])

    second = pipes.open()

    assert os.fstat(second[0]).st_ino != number
    for descriptor in (inherited, *second):
        os.close(descriptor)


def test_new_and_reused_pipes_have_the_same_flags() -> None:
    pipes = ReusedPipes()
    new = pipes.open()
    flags = [fcntl.fcntl(end, fcntl.F_GETFL) for end in new]
    pipes.keep([closed(new)])
    assert [fcntl.fcntl(end, fcntl.F_GETFL) for end in pipes.open()] == flags


@pytest.mark.process
def test_a_bot_is_ended_also_where_no_file_can_be_opened(profile: StrictProfile, python_bot: Make) -> None:
    child = Child(StrictSandbox(profile=profile).wrap(python_bot("import time; time.sleep(1000)")))
    child.wait_ready()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        files.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with suppress(OSError):
            while True:
                files.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        assert child.end().code < 0


def test_a_forked_process_opens_no_pipe_of_its_parent() -> None:
    pipes = ReusedPipes()
    kept = closed(pipes.open())
    number = os.fstat(kept).st_ino
    pipes.keep([kept])

    child = os.fork()
    if not child:
        os._exit(os.fstat(pipes.open()[0]).st_ino == number)

    assert os.waitpid(child, 0)[1] == 0
    assert os.fstat(pipes.open()[0]).st_ino == number


@pytest.mark.process
def test_the_next_bot_sees_the_numbers_of_the_same_pipes(
    profile: StrictProfile, live: Live, python_bot: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New pipes have the next numbers of the machine's counter, which a bot can move."""
    if profile not in NAMESPACED:
        pytest.skip("without a process namespace a process of the bot may outlive it and have its pipes open")
    monkeypatch.setattr("arena.players.child._pipes", ReusedPipes())
    numbers = "import os; print(*sorted(os.fstat(stream).st_ino for stream in range(3)))"

    seen = {live(StrictSandbox(profile=profile), python_bot(numbers)).output for _ in range(4)}

    assert len(seen) == 1


def test_numbers_of_pipes_are_skipped_at_random() -> None:
    def number() -> int:
        ends = os.pipe()
        found = os.fstat(ends[0]).st_ino
        for end in ends:
            os.close(end)
        return found

    def skipped() -> int:
        before = number()
        skip_pipe_numbers()
        return number() - before

    assert len({skipped() for _ in range(20)}) > 10


@pytest.mark.process
def test_a_bot_gets_as_many_threads_as_it_asks_for(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    text = """
import threading, time
for number in range(1000):
    try:
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
    except RuntimeError:
        break
print(number, flush=True)
import os
os._exit(0)
"""
    life = live(StrictSandbox(profile=profile, threads=8), python_bot(text, threads=4))

    assert 3 <= int(life.output) < 100  # exactly 3 if no other process of the user is counted


@pytest.mark.process
def test_a_scratch_folder_needs_namespaces_and_is_bounded(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    text = """
import os, tempfile
with tempfile.NamedTemporaryFile() as file:
    print(file.name.startswith(os.environ['TMPDIR']), file.write(b'x'))
try:
    open('/scratch/big', 'wb', buffering=0).write(bytes(3 << 20)) and open('/scratch/more', 'wb').write(bytes(3 << 20))
except OSError as error:
    print(error.strerror)
"""
    launch = python_bot(text, scratch_mb=4)
    if profile == "C":
        with pytest.raises(SandboxError, match="scratch folder needs namespaces"):
            StrictSandbox(profile=profile, scratch_mb=8).wrap(launch)
        return

    life = live(StrictSandbox(profile=profile, scratch_mb=8), launch)

    assert life.output.splitlines() == ["True 1", "No space left on device"], life.log


def test_running_out_of_memory_differs_from_a_crash(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    sandbox = StrictSandbox(profile=profile, memory_mb=64)

    greedy_life = live(sandbox, python_bot("blocks = [bytearray(1 << 20) for _ in range(200)]"))
    broken_life = live(sandbox, python_bot("1 / 0"))

    assert died_of_memory(greedy_life.exit_code, greedy_life.log, greedy_life.peak_kb, 64)
    assert not died_of_memory(broken_life.exit_code, broken_life.log, broken_life.peak_kb, 64)


@pytest.mark.process
def test_a_log_that_is_a_file_is_bounded(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    life = live(
        StrictSandbox(profile=profile, log_kb=7), python_bot("import resource; print(resource.getrlimit(resource.RLIMIT_FSIZE)[1])")
    )

    assert life.output == f"{7 << 10}\n"


@pytest.mark.process
def test_with_namespaces_the_bot_is_the_first_process_and_a_child_of_the_harness(
    profile: StrictProfile, live: Live, python_bot: Make
) -> None:
    life = live(StrictSandbox(profile=profile), python_bot("import os; print(os.getpid())"))

    assert life.output == (f"{life.pid}\n" if profile == "C" else "1\n")


def test_no_process_is_left(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    before = children()
    live(StrictSandbox(profile=profile), python_bot("print(1)"))
    assert children() <= before


def test_standard_starts_a_bot_on_any_machine(live: Live) -> None:
    assert '"Greedy"' in live(StandardSandbox(), greedy(alone=True), HELLO).output


@pytest.mark.process
def test_a_launchers_bot_ends_with_the_harness_even_by_sigkill(profile: StrictProfile, python_bot: Make) -> None:
    launch = StrictSandbox(profile=profile).wrap(python_bot("import time; print('started', flush=True); time.sleep(600)"))
    harness = f"""
import os, time
from msgspec.json import decode
from arena.players.child import Child
from arena.roster.entrant import Launch
child = Child(decode({encode(replace(launch, prefork=False))!r}, type=Launch))
child.wait_ready()
os.read(child.stdout, 100)
print(child.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", harness], stdout=subprocess.PIPE, text=True, cwd=BOTS.parent) as process:
        assert process.stdout
        bot = process.stdout.readline().strip()
        assert time.clock_gettime(~int(bot) << 3 | 2) > 0
        process.kill()

    until(lambda: not Path(f"/proc/{bot}/exe").exists())
