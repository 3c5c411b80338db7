import pytest

from arena.confinement.launcher import NO_MEMORY
from arena.confinement.memory_signs import died_of_memory

MB = 1024


@pytest.mark.parametrize(
    ("exit_code", "stderr", "peak_kb", "ran_out"),
    [
        (NO_MEMORY, "", 20 * MB, True),
        (1, "Traceback (most recent call last):\n  ...\nMemoryError\n", 20 * MB, True),
        (-6, "terminate called after throwing an instance of 'std::bad_alloc'", 20 * MB, True),
        (-6, "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", 200 * MB, True),
        (-11, "", 250 * MB, True),
        (-9, "", 255 * MB, True),
        (0, "MemoryError", 250 * MB, False),  # it ended normally
        (1, "ValueError: no card", 250 * MB, False),
        (-11, "", 100 * MB, False),
        (1, "MemoryError" + " " * 5000 + "KeyError", 100 * MB, False),  # too far from the end
    ],
)
def test_the_exit_code_the_messages_or_the_size_show_whether_memory_ran_out(
    exit_code: int, stderr: str, peak_kb: int, *, ran_out: bool
) -> None:
    assert died_of_memory(exit_code, stderr, peak_kb, memory_mb=256) is ran_out


def test_without_a_limit_the_size_shows_nothing() -> None:
    assert not died_of_memory(-9, "", 999 * MB, memory_mb=None)
