"""What the launcher hands to the harness, as open descriptors, before the bot's code runs. Source: unix(7), SCM_RIGHTS.

* Each private folder. The harness makes the bot's calls there once the bot is sealed. For what the bot learns, the harness sends
  the content as an open file, and the launcher fills the folder with it. Its file system is in memory, so it outlives the bot in
  the harness's descriptor, and no other process can reach it once the bot has ended.
* The listener of the seal.
"""

import os
import sys
from _socket import CMSG_SPACE, SCM_RIGHTS, SOL_SOCKET, socket  # the module ``socket`` takes a third of a program's start to import
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import msgpack

from arena.confinement.launch_policy import StateEntry, write

NUMBER_BYTES = 4


def receive(status: int) -> int | None:
    """Return the file that the harness sends with a line; None: it sends the line alone. Raises: OSError."""
    with _socket(status) as ours:
        _, others, _, _ = ours.recvmsg(1, CMSG_SPACE(NUMBER_BYTES))
    return next((int.from_bytes(content, sys.byteorder) for _, _, content in others), None)


def send(name: str, descriptor: int, status: int) -> None:
    """Send a status line with a descriptor, and close that. Raises: OSError."""
    with _socket(status) as ours:
        number = descriptor.to_bytes(NUMBER_BYTES, sys.byteorder)
        ours.sendmsg([f"{name}\n".encode()], [(SOL_SOCKET, SCM_RIGHTS, number)])
    os.close(descriptor)


@contextmanager
def _socket(status: int) -> Iterator[socket]:
    ours = socket(fileno=os.dup(status))
    try:
        yield ours
    finally:
        ours.close()


def open_private(path: str) -> int:
    """Return a private folder, open. Raises: OSError."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def fill(folder: int, content: int) -> None:
    """Write a state to an open folder from a file that holds it, and close the file. Raises: OSError."""
    with os.fdopen(content, "rb") as file:
        write(msgpack.decode(file.read(), type=tuple[StateEntry, ...]), folder)
