import pytest

from arena.players.sandboxes.launcher import NO_MEMORY
from arena.players.sandboxes.memory import died_of_memory

MB = 1024


@pytest.mark.parametrize(
    ("exit_code", "stderr", "peak_kb"),
    [
        (NO_MEMORY, "", 20 * MB),
        (1, "Traceback (most recent call last):\n  ...\nMemoryError\n", 20 * MB),
        (-6, "terminate called after throwing an instance of 'std::bad_alloc'", 20 * MB),
        (-6, "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", 200 * MB),
        (-11, "", 250 * MB),
        (-9, "", 255 * MB),
    ],
)
def test_a_bot_died_of_memory_by_its_code_its_words_or_its_size(exit_code: int, stderr: str, peak_kb: int) -> None:
    assert died_of_memory(exit_code, stderr, peak_kb, memory_mb=256)


@pytest.mark.parametrize(
    ("exit_code", "stderr", "peak_kb"),
    [
        (0, "MemoryError", 250 * MB),  # it ended in peace
        (1, "ValueError: no card", 250 * MB),
        (-11, "", 100 * MB),
        (1, "MemoryError" + " " * 5000 + "KeyError", 100 * MB),  # long ago
    ],
)
def test_other_deaths_are_not_for_want_of_memory(exit_code: int, stderr: str, peak_kb: int) -> None:
    assert not died_of_memory(exit_code, stderr, peak_kb, memory_mb=256)


def test_without_a_limit_size_is_no_sign() -> None:
    assert not died_of_memory(-9, "", 999 * MB, memory_mb=None)
