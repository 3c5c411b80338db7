import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from arena.errors import SandboxError
from arena.gin.rules import Rules
from arena.players.sandboxes.memory import died_of_memory
from arena.players.sandboxes.none import NoSandbox
from arena.players.sandboxes.standard import Standard
from arena.players.sandboxes.strict import Strict
from arena.players.sandboxes.walls import StrictProfile
from arena.protocol.codec import encode
from arena.protocol.messages import Hello, Limits
from arena.protocol.notation import agreed
from arena.roster.entrant import Launch

Make = Callable[..., Launch]
Live = Callable[..., Any]  # conftest's Life
BOTS = Path(__file__).parents[3] / "bots"
HELLO = encode(Hello(1, agreed(Rules()), Limits(1, 1, 65536), "seed"))


def greedy(*, alone: bool) -> Launch:
    """Return the launch of a bot that shares its folder with others."""
    root = str(BOTS.parent)
    return Launch(
        command=(sys.executable, "-s", "-P", "-m", "arena.sdk", "bots.greedy:Greedy"),
        folder=str(BOTS),
        files=(str(BOTS / "__init__.py"), str(BOTS / "greedy.py")) if alone else (),
        environment=(("PYTHONPATH", root), ("PYTHONHASHSEED", "0")),
    )


def test_a_bot_of_the_sdk_answers_hello_behind_every_wall(profile: StrictProfile, live: Live) -> None:
    life = live(Strict(profile=profile), greedy(alone=True), HELLO)

    assert (life.said, life.exit_code) == ('{"type":"ready","protocol":1,"bot":"Greedy"}\n', 0), life.log


def test_a_bot_that_is_one_file_cannot_import_its_neighbours(profile: StrictProfile, live: Live) -> None:
    launch = replace(greedy(alone=True), command=(sys.executable, "-s", "-P", "-m", "arena.sdk", "bots.cautious:Cautious"))

    life = live(Strict(profile=profile), launch, HELLO)

    assert "Error" in life.log.splitlines()[-1]
    assert life.said == ""


def test_numpy_works_behind_every_wall(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    package = Path(np.__file__).parent
    reads = tuple(str(path) for path in (package, package.with_name("numpy.libs")) if path.exists())
    launch = python_bot("import numpy as np; print(np.linalg.inv(2 * np.eye(50)).sum())", reads=reads)

    life = live(Strict(profile=profile), launch)

    assert (life.said, life.log) == ("25.0\n", "")


@pytest.mark.skipif(not shutil.which("node", path="/usr/bin:/bin"), reason="there is no node among this system's programs")
def test_a_bot_in_javascript_works_behind_every_wall_if_it_asks_for_threads(
    profile: StrictProfile, live: Live, bot_folder: Path
) -> None:
    (bot_folder / "bot.js").write_text("process.stdin.on('data', line => console.log('got ' + line))", encoding="ascii")

    life = live(
        Strict(profile=profile, threads=64), Launch(command=("node", "bot.js"), folder=str(bot_folder), threads=16), b"hello\n"
    )

    assert life.said == "got hello\n\n", life.log


def test_a_script_works_behind_every_wall(profile: StrictProfile, live: Live, bot_folder: Path) -> None:
    (bot_folder / "bot.sh").write_text("#!/bin/sh\nread line; echo got $line\n", encoding="ascii")
    (bot_folder / "bot.sh").chmod(0o755)

    life = live(Strict(profile=profile), Launch(command=("./bot.sh",), folder=str(bot_folder)), b"hello\n")

    assert life.said == "got hello\n", life.log


def test_a_bots_settings_are_read_behind_the_walls_alone(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    """A sitecustomize.py on the bot's own path would run before the walls stand, if the launcher saw that path."""
    launch = python_bot("import os, sys; print('sitecustomize' in sys.modules, os.environ['PYTHONPATH'] in sys.path)")
    Path(launch.folder, "sitecustomize.py").write_text("print('too early')", encoding="ascii")

    life = live(Strict(profile=profile), launch)

    assert life.said in ("False True\n", "True True\n")  # True: another one, of the system's
    assert "too early" not in life.said


def test_the_hash_seed_is_the_bots(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    launch = python_bot("print(hash('gin'))")

    assert live(Strict(profile=profile), launch).said == live(NoSandbox(), launch).said


def test_the_environment_holds_nothing_of_the_harness(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    life = live(Strict(profile=profile), python_bot("import os; print(*sorted(os.environ))"))

    assert life.said.split() == ["MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHASHSEED", "PYTHONPATH"]


def test_a_bot_that_asks_for_threads_gets_so_many(profile: StrictProfile, live: Live, python_bot: Make) -> None:
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
    life = live(Strict(profile=profile, threads=8), python_bot(text, threads=4))

    assert 3 <= int(life.said) < 100  # exactly 3 where no other process of the user is counted


def test_a_scratch_folder_is_given_with_namespaces_and_is_bounded(profile: StrictProfile, live: Live, python_bot: Make) -> None:
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
            Strict(profile=profile, scratch_mb=8).wrap(launch)
        return

    life = live(Strict(profile=profile, scratch_mb=8), launch)

    assert life.said.splitlines() == ["True 1", "No space left on device"], life.log


def test_too_much_memory_is_told_from_a_crash(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    sandbox = Strict(profile=profile, memory_mb=64)

    greedy_life = live(sandbox, python_bot("held = [bytearray(1 << 20) for _ in range(200)]"))
    broken_life = live(sandbox, python_bot("1 / 0"))

    assert died_of_memory(greedy_life.exit_code, greedy_life.log, greedy_life.peak_kb, 64)
    assert not died_of_memory(broken_life.exit_code, broken_life.log, broken_life.peak_kb, 64)


def test_a_log_that_is_no_pipe_is_bounded(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    life = live(
        Strict(profile=profile, log_kb=7), python_bot("import resource; print(resource.getrlimit(resource.RLIMIT_FSIZE)[1])")
    )

    assert life.said == f"{7 << 10}\n"


def test_behind_namespaces_the_bot_is_the_first_process_and_a_child_of_the_harness(
    profile: StrictProfile, live: Live, python_bot: Make
) -> None:
    life = live(Strict(profile=profile), python_bot("import os; print(os.getpid())"))

    assert life.said == (f"{life.pid}\n" if profile == "C" else "1\n")


def children() -> set[str]:
    """Return the processes that this one would have to wait for; other tests may have left it orphans."""
    return {child for task in Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()}


def test_no_process_stays_behind(profile: StrictProfile, live: Live, python_bot: Make) -> None:
    before = children()
    live(Strict(profile=profile), python_bot("print(1)"))
    assert children() <= before


def test_standard_starts_a_bot_on_any_machine(live: Live) -> None:
    assert '"Greedy"' in live(Standard(), greedy(alone=True), HELLO).said


def test_a_bot_dies_with_the_harness(profile: StrictProfile, python_bot: Make) -> None:
    launch = Strict(profile=profile).wrap(python_bot("import time; print('born', flush=True); time.sleep(600)"))
    harness = f"""
import os, subprocess, time
from arena.players.sandboxes.birth import Birth
from arena.roster.entrant import Launch
from msgspec.json import decode
launch, birth = decode({encode(launch)!r}, type=Launch), Birth()
process = subprocess.Popen(launch.command, cwd=launch.folder, env=birth.environment(launch), pass_fds=birth.descriptors,
                           stdin=subprocess.PIPE, start_new_session=True)
print(birth.bot(process, launch, within=20), flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", harness], stdout=subprocess.PIPE, text=True, cwd=BOTS.parent) as process:
        assert process.stdout
        said = {process.stdout.readline().strip(), process.stdout.readline().strip()}
        (bot,) = said - {"born"}
        assert time.clock_gettime(~int(bot) << 3 | 2) > 0
        process.kill()
        assert process.stdout.read() == ""  # the bot held its other end, and has ended

    assert not Path(f"/proc/{bot}/exe").exists()
