"""The state folder of a bot under each profile: filled, private, bounded, and read back when the bot has ended."""

import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import convert
from msgspec.structs import replace
from support.bots.players import PATIENT, begun

from arena.confinement.profiles import StrictProfile, policy
from arena.confinement.state_files import StateEntry
from arena.errors import SandboxError, WorkerLostError
from arena.limits import TimeLimits
from arena.players.proofs import prove
from arena.players.sandboxes import NoSandbox, StrictSandbox
from arena.players.state import EMPTY_STATE, pack, unpack
from arena.roster.entrant import Launch, StateLimits

Make = Callable[..., Launch]
LIMITS = StateLimits(size_mb=1, files=4)
LEARNS = """
import json, os, sys
def refused(attempt, *arguments):
    try:
        attempt(*arguments)
    except OSError as error:
        return error.strerror
    return "done"
state = json.loads(sys.stdin.readline())["state"]
print('{"type":"ready","protocol":1}', flush=True)
os.chdir(state)
"""
REPORTS = """
with open("report", "w") as file:
    file.write(f"{before} {found}")
"""


def learned(launch: Launch, start: bytes = EMPTY_STATE, limits: TimeLimits = PATIENT) -> dict[str, bytes | None] | None:
    """Return what a bot leaves that plays no hand; None: it is not kept."""
    with begun(launch, limits, state=start, keeps_state=True) as player:
        player.match_over(won=None, games=(0, 0))
    return None if player.learned is None else {entry.path: entry.content for entry in unpack(player.learned, LIMITS)}


@pytest.fixture(params=["A template", "A launcher", "B template", "none"])
def confined(request: pytest.FixtureRequest) -> Callable[[Launch], Launch]:
    """Return what confines a launch that has a state folder, each way that a bot can be started."""
    profile, _, start = str(request.param).partition(" ")
    sandbox = StrictSandbox(profile=convert(profile, StrictProfile)) if start else NoSandbox()
    if start:
        skip_unless_proved(convert(profile, StrictProfile))

    def wrap(launch: Launch) -> Launch:
        wrapped = sandbox.wrap(replace(launch, state=LIMITS))
        return replace(wrapped, prefork=wrapped.prefork and start == "template")

    return wrap


def skip_unless_proved(profile: StrictProfile) -> None:
    test = prove(profile)
    if test.state != "PROVED":
        pytest.skip(f"profile {profile} is {test.state} here: {test.reason}")


Confine = Callable[[Launch], Launch]


def test_what_a_bot_leaves_is_what_the_next_one_finds(confined: Confine, python_bot: Make) -> None:
    launch = confined(
        python_bot(
            LEARNS
            + """
before = sorted(os.listdir(".")), os.path.exists("count") and open("count").read()
open("count", "a").write("x")
os.makedirs("folder", exist_ok=True)
os.replace("count", "other")
os.rename("other", "count")
found = ""
"""
            + REPORTS
        )
    )
    first = learned(launch)
    assert first == {"count": b"x", "folder": None, "report": b"([], False) "}
    second = learned(launch, pack(StateEntry(path, content) for path, content in first.items()))
    assert second
    assert second["count"] == b"xx"
    assert second["report"] == b"(['count', 'folder', 'report'], 'x') "


@pytest.mark.process
def test_a_bot_that_fails_at_its_end_or_never_ends_leaves_nothing(confined: Confine, python_bot: Make) -> None:
    writes = LEARNS + "open('half', 'w').write('x')\n"
    assert learned(confined(python_bot(writes))) == {"half": b"x"}
    assert learned(confined(python_bot(writes + "raise SystemExit(3)"))) is None
    limits = TimeLimits(per_turn=0.1, stall=0.1)
    assert learned(confined(python_bot(writes + "while True: pass")), limits=limits) is None


def test_what_a_bots_modules_still_buffer_at_its_end_is_written(confined: Confine, python_bot: Make) -> None:
    assert learned(confined(python_bot(LEARNS + "json.late = open('late', 'w')\njson.late.write('x')\n"))) == {"late": b"x"}


@pytest.mark.parametrize("small", [True, False])
def test_a_machine_without_room_for_a_state_is_at_fault_and_not_the_bot(
    confined: Confine,
    python_bot: Make,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    small: bool,  # noqa: FBT001 - files may be no larger than a part of the state; else the folder is missing
) -> None:
    launch = confined(python_bot(LEARNS))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path if small else tmp_path / "missing"))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000 if small else before[0], before[1]))
        with pytest.raises(WorkerLostError, match="no room for what a bot has learned, in the folder of temporary"):
            learned(launch, pack([StateEntry("large", bytes(100_000))]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.glob("arena-state-*"))
    assert learned(launch, pack([StateEntry("large", bytes(100_000))])) == {"large": bytes(100_000)} if small else True


@pytest.mark.parametrize("start", ["template", "launcher"])
def test_a_state_that_is_larger_than_the_bots_memory_does_not_keep_it_from_starting(python_bot: Make, start: str) -> None:
    skip_unless_proved("A")
    limits = StateLimits(size_mb=24, files=4)
    launch = StrictSandbox(profile="A", memory_mb=16).wrap(replace(python_bot(LEARNS), state=limits))
    with begun(replace(launch, prefork=start == "template"), state=pack([StateEntry("large", bytes(20 << 20))])) as player:
        assert player.ready.protocol == 1


@pytest.mark.parametrize("profile", ["A", "B"])
def test_the_folder_is_bounded_and_holds_files_alone(profile: StrictProfile, python_bot: Make) -> None:
    skip_unless_proved(profile)
    text = """
before = ""
found = [
    refused(os.symlink, "/etc/passwd", "link"),
    refused(os.mkfifo, "pipe"),
    refused(os.mknod, "node"),
    refused(open, "/state/../outside", "w"),
    refused(open, "/outside", "w"),
    refused(os.chmod, ".", 0o777),
    refused(os.utime, ".", (0, 0)),
]
open("a", "w").write("x")
found += [refused(os.link, "a", "b"), refused(os.truncate, "a", 1 << 40)]
with open("a", "wb", buffering=0) as file:
    found += [refused(os.ftruncate, file.fileno(), 1 << 40), file.write(bytes(2 << 20)), refused(file.write, b"x")]
os.remove("a")
for number in range(5):
    found.append(refused(open, str(number), "w"))
os.remove("0")
"""
    launch = StrictSandbox(profile=profile).wrap(replace(python_bot(LEARNS + text + REPORTS), state=LIMITS))
    left = learned(launch)
    assert left
    denied, full = "Operation not permitted", "No space left on device"
    expected = [*[denied] * 3, "Read-only file system", "Read-only file system", *[denied] * 4, "File too large", 1 << 20]
    found = str(left["report"], "ascii") if left["report"] else ""
    assert found == f" {[*expected, full, *['done'] * 4, full]}"


def test_a_bot_has_no_state_folder_unless_it_is_granted(profile: StrictProfile, python_bot: Make) -> None:
    text = LEARNS.replace('["state"]', '.get("state", os.getcwd())') + "print(os.path.exists('/state'), file=sys.stderr)"
    assert learned(StrictSandbox(profile=profile).wrap(python_bot(text))) is None


def test_a_profile_without_namespaces_refuses_in_one_line(bot_folder: Path) -> None:
    launch = Launch(command=(sys.executable, "-s", "-P", "-m", "arena.sdk"), folder=str(bot_folder), state=LIMITS)
    with pytest.raises(SandboxError, match="learning: a bot's folder needs namespaces, and profile C has none; see `arena doctor`"):
        policy(launch, "C", StrictSandbox(), seals=True)
