"""What a bot's last words say of the wall that it ran into."""

import pytest

from arena.players.sandboxes.clues import clue

PYTHON = 'Traceback (most recent call last):\n  File "/bots/mine.py", line 5, in draw\n'


@pytest.mark.parametrize(
    ("stderr", "wall"),
    [
        (
            f"{PYTHON}  File socket.py, in getaddrinfo\nsocket.gaierror: [Errno -3] Temporary failure in name resolution",
            "host's name",
        ),
        (f"{PYTHON}  File socket.py, in __init__\nPermissionError: [Errno 1] Operation not permitted", "opened a socket"),
        (f"{PYTHON}RuntimeError: can't start new thread", "started a thread"),
        ("terminate called after throwing an instance of 'std::system_error'", "started a thread"),
        (
            f"{PYTHON}  File subprocess.py, in _execute_child\nPermissionError: [Errno 1] Operation not permitted",
            "started a process",
        ),
        ("Error: spawn ls EPERM", "started a process"),
        (f"{PYTHON}ModuleNotFoundError: No module named 'numpy'", "imported what it may not read"),
        (f"{PYTHON}OSError: [Errno 30] Read-only file system: 'log.txt'", "wrote a file"),
        ("Error: EROFS: read-only file system, open 'x'", "wrote a file"),
        (f"{PYTHON}FileNotFoundError: [Errno 2] No such file or directory: '/etc/passwd'", "opened a file"),
        (f"{PYTHON}MemoryError", "asked for more memory"),
        ("java.lang.OutOfMemoryError: Java heap space", "asked for more memory"),
        (f"{PYTHON}PermissionError: [Errno 1] Operation not permitted", "only a trusted program may"),
    ],
)
def test_the_last_words_of_a_bot_name_the_wall(stderr: str, wall: str) -> None:
    found = clue(stderr)
    assert found is not None
    assert wall in found.wall


@pytest.mark.parametrize("stderr", ["", "thinking", f"{PYTHON}AttributeError: 'View' object has no attribute 'card'"])
def test_an_ordinary_slip_is_blamed_on_no_wall(stderr: str) -> None:
    assert clue(stderr) is None


def test_what_a_bot_survived_before_its_last_traceback_does_not_count() -> None:
    caught = f"{PYTHON}MemoryError\nwent on without a table\n"
    assert clue(f"{caught}{PYTHON}KeyError: 'Kd'") is None
