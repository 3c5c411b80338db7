"""The end of a bot's stderr shows which restriction of the sandbox made it fail."""

import pytest

from arena.confinement.hints import hint_for

PYTHON = 'Traceback (most recent call last):\n  File "/bots/mine.py", line 5, in draw\n'


@pytest.mark.parametrize(
    ("stderr", "cause"),
    [
        (
            f"{PYTHON}  File socket.py, in getaddrinfo\nsocket.gaierror: [Errno -3] Temporary failure in name resolution",
            "host name",
        ),
        (
            f"import of 'encodings.idna' after `ready`\n{PYTHON}  File socket.py, in getaddrinfo\nLookupError: unknown encoding",
            "host name",
        ),
        (f"{PYTHON}  File socket.py, in __init__\nPermissionError: [Errno 1] Operation not permitted", "opened a socket"),
        (
            f"{PYTHON}  File selector_events.py, in _make_self_pipe\nPermissionError: [Errno 1] Operation not permitted",
            "made a pipe",
        ),
        (f"{PYTHON}RuntimeError: can't start new thread", "started more threads"),
        ("terminate called after throwing an instance of 'std::system_error'", "started more threads"),
        (
            f"{PYTHON}  File subprocess.py, in _execute_child\nPermissionError: [Errno 1] Operation not permitted",
            "started a process",
        ),
        ("Error: spawn ls EPERM", "started a process"),
        (f"{PYTHON}ModuleNotFoundError: No module named 'numpy'", "imported what it may not read"),
        (f"{PYTHON}OSError: [Errno 30] Read-only file system: 'log.txt'", "wrote a file"),
        ("Error: EROFS: read-only file system, open 'x'", "wrote a file"),
        (f"{PYTHON}FileNotFoundError: [Errno 2] No such file or directory: '/etc/passwd'", "opened a file"),
        (f"{PYTHON}    open('w.json')\nFileNotFoundError: [Errno 2] No such file or directory: 'w.json'", "opened a file"),
        (f"{PYTHON}    open(join(HERE, 'log'), mode='w')\nPermissionError: [Errno 13] Permission denied: 'log'", "wrote a file"),
        (f"{PYTHON}    path.open('ab')\nPermissionError: [Errno 13] Permission denied: 'log'", "wrote a file"),
        (f"{PYTHON}MemoryError", "used more memory"),
        ("java.lang.OutOfMemoryError: Java heap space", "used more memory"),
        (f"{PYTHON}PermissionError: [Errno 1] Operation not permitted", "made a call that the sandbox forbids"),
        ("cannot start bot.sh: Permission denied", "has a command that cannot be executed"),
        ("cannot start bot.sh: No such file or directory", "has a command that cannot be executed"),
        ("cannot start bot.sh: Exec format error", "has a command that cannot be executed"),
        ("cannot start node: Cannot allocate memory", "used more memory"),
    ],
)
def test_a_message_on_stderr_leads_to_the_cause(stderr: str, cause: str) -> None:
    hint = hint_for(stderr)
    assert hint is not None
    assert cause in hint.cause


@pytest.mark.parametrize("stderr", ["", "thinking", f"{PYTHON}AttributeError: 'View' object has no attribute 'card'"])
def test_an_ordinary_error_leads_to_no_hint(stderr: str) -> None:
    assert hint_for(stderr) is None


def test_an_error_before_the_last_traceback_does_not_count() -> None:
    caught = f"{PYTHON}MemoryError\nplaying without a table\n"
    assert hint_for(f"{caught}{PYTHON}KeyError: 'Kd'") is None


def test_a_missing_module_is_not_to_be_put_beside_a_bot_of_one_file() -> None:
    hint = hint_for("ModuleNotFoundError: No module named 'helpers'")
    assert hint is not None
    assert "in a folder with __init__.py or bot.yaml" in hint.advice
