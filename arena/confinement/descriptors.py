"""Open descriptors that the launcher sends to the harness before the bot's code runs.

Source: unix(7), SCM_RIGHTS.

* Each private folder. The harness makes the bot's calls there once the bot is sealed. The content of the state folder comes from
  the harness as an open file, from which the launcher fills the folder. Its file system is in memory; the harness's descriptor
  keeps it when the bot has ended, and then no other process can reach it.
* The listener of the seal.
"""

import os
import sys
from _socket import CMSG_SPACE, SCM_RIGHTS, SOL_SOCKET, socket  # the module ``socket`` takes a third of a program's start to import
from contextlib import closing

NUMBER_BYTES = 4  # of a descriptor in a message: a C int


def receive(status: int) -> int | None:
    """Read the harness's first line, which is empty, and return the descriptor that comes with it; None: none. Raises: OSError."""
    with closing(socket(fileno=os.dup(status))) as connection:
        _, ancillary, _, _ = connection.recvmsg(1, CMSG_SPACE(NUMBER_BYTES))
    return next((int.from_bytes(content, sys.byteorder) for _, _, content in ancillary), None)


def send(name: str, descriptor: int, status: int) -> None:
    """Send a status line with a descriptor, then close the descriptor. Raises: OSError."""
    with closing(socket(fileno=os.dup(status))) as connection:
        number = descriptor.to_bytes(NUMBER_BYTES, sys.byteorder)
        connection.sendmsg([f"{name}\n".encode()], [(SOL_SOCKET, SCM_RIGHTS, number)])
    os.close(descriptor)
