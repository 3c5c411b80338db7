"""The folder for what a bot learns, at the launcher's end: filled before the bot's code runs, then handed to the harness.

The harness sends the content as an open file, through the status socket, and gets the folder back as an open folder. So the folder
outlives the bot: its file system is in memory, and nobody else can reach it once the bot has ended. The descriptors are closed
before the bot's code runs. Source: unix(7), SCM_RIGHTS.
"""

import os
import socket

from msgspec import msgpack

from arena.players.confinement.policy import STATE
from arena.players.state_entries import StateEntry, write

LINE = "state"  # the status line with which the folder comes


def receive(status: int) -> int | None:
    """Return the file that the harness sends with a line; None: it sends the line alone. Raises: OSError."""
    with socket.socket(fileno=os.dup(status)) as ours:
        _, files, _, _ = socket.recv_fds(ours, 1, 1)
    return files[0] if files else None


def fill(content: int | None, status: int) -> None:
    """Write a state to the folder, and hand it to the harness. ``content``: None: the folder stays empty. Raises: OSError."""
    folder = os.open(STATE, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    if content is not None:
        with os.fdopen(content, "rb") as file:
            write(msgpack.decode(file.read(), type=tuple[StateEntry, ...]), folder)
    with socket.socket(fileno=os.dup(status)) as ours:
        socket.send_fds(ours, [f"{LINE}\n".encode()], [folder])
    os.close(folder)
