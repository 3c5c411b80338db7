"""The introduction of a worker: why it may be refused, and how fast it is."""

import pytest
from msgspec.structs import replace

from arena.extras.cluster.introduction import Introduction, introduce, pace, why_refused, why_unfit_for_compiled
from arena.players.sandboxes import NoSandbox
from arena.records import Assurance

STRICT = Assurance(isolated=True, profile="A")
DIRECTOR = Introduction(
    code="c" * 64,
    python="3.11",
    machine="Linux x86_64",
    abi="cpython-311-x86_64-linux-gnu",
    libc=("glibc", "2.36"),
    speed=0.01,
    assurance=STRICT,
)


@pytest.mark.parametrize(
    ("worker", "reason"),
    [
        (replace(DIRECTOR, python="3.12"), "its Python is 3.12; expected 3.11"),
        (replace(DIRECTOR, code="d" * 64), "its arena's code is dddddddddddd; expected cccccccccccc"),
        (replace(DIRECTOR, machine="Linux aarch64"), "its machine is Linux aarch64; expected Linux x86_64"),
        (replace(DIRECTOR, assurance=None, refusal="no namespaces"), "it has no sandbox: no namespaces"),
        (replace(DIRECTOR, assurance=Assurance(isolated=True, profile="C")), "its sandbox has profile C; this run has profile A"),
        (
            replace(DIRECTOR, assurance=replace(STRICT, missing=("landlock: too old",))),
            "its sandbox lacks what this run's has: landlock: too old",
        ),
        (replace(DIRECTOR, assurance=replace(STRICT, landlock=7)), ""),
        (DIRECTOR, ""),
    ],
)
def test_a_worker_on_which_a_record_could_differ_is_refused(worker: Introduction, reason: str) -> None:
    assert why_refused(DIRECTOR, worker) == reason


def test_a_process_would_accept_itself() -> None:
    assert why_refused(introduce(NoSandbox()), introduce(NoSandbox())) == ""
    assert why_unfit_for_compiled(introduce(NoSandbox()), introduce(NoSandbox())) == ""


@pytest.mark.parametrize(
    ("worker", "reason"),
    [
        (
            replace(DIRECTOR, abi="cpython-311-x86_64-linux-musl", libc=("", "")),
            "its kind of Python is cpython-311-x86_64-linux-musl; expected cpython-311-x86_64-linux-gnu",
        ),
        (replace(DIRECTOR, libc=("glibc", "2.9")), "its C library is glibc 2.9; expected glibc 2.36 or newer"),
        (replace(DIRECTOR, libc=("glibc", "2.41")), ""),
    ],
)
def test_a_worker_that_compiled_libraries_may_not_run_on_is_unfit_for_them(worker: Introduction, reason: str) -> None:
    found = why_unfit_for_compiled(DIRECTOR, worker)
    assert found == (f"{reason}, for the compiled libraries of a bot" if reason else "")
    assert why_refused(DIRECTOR, worker) == ""


@pytest.mark.parametrize(("speed", "expected"), [(0.005, 1.0), (0.012, 1.0), (0.04, 4.0), (50.0, 100.0)])
def test_only_a_worker_that_is_clearly_slower_has_more_time(speed: float, expected: float) -> None:
    assert pace(DIRECTOR, replace(DIRECTOR, speed=speed)) == pytest.approx(expected)
