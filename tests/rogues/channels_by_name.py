"""Channels by names that both ends know: sockets, objects of System V and POSIX, keys, the host, processes."""

import errno
import os
import socket
from pathlib import Path

from rogues.channel import CovertChannel, channel
from rogues.rogue import Scene, call

IPC_CREAT = 0o1000
USER_KEYRING, SEARCH = -4, 10


class _Listening(CovertChannel):
    """A socket that listens for a one and is closed for a zero."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.sockets: list[socket.socket] = []

    def opened(self) -> socket.socket:
        raise NotImplementedError

    def reached(self) -> None:
        raise NotImplementedError

    def send(self, index: int, bit: int) -> None:
        while self.sockets:
            self.sockets.pop().close()
        if bit:
            self.sockets.append(self.opened())

    def receive(self, index: int) -> bool:
        try:
            self.reached()
        except ConnectionRefusedError:
            return False
        return True


@channel()
class AbstractSocket(_Listening):
    def opened(self) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"\0between-{self.scene.key}")
        listener.listen()
        return listener

    def reached(self) -> None:
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(f"\0between-{self.scene.key}")


@channel()
class TcpSocket(_Listening):
    def opened(self) -> socket.socket:
        return socket.create_server(("127.0.0.1", self.scene.port + 1))

    def reached(self) -> None:
        socket.create_connection(("127.0.0.1", self.scene.port + 1), timeout=1).close()


class _Object(CovertChannel):
    """An object that exists for a one."""

    def made(self, index: int) -> None:
        raise NotImplementedError

    def found(self, index: int) -> object:
        raise NotImplementedError

    def send(self, index: int, bit: int) -> None:
        if bit:
            self.made(index)

    def receive(self, index: int) -> bool:
        try:
            self.found(index)
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ENOKEY}:
                return False
            raise
        return True


@channel(lasting=True)
class SharedMemory(_Object):
    def made(self, index: int) -> None:
        call("shmget", self.scene.key + index, 4096, IPC_CREAT | 0o666)

    def found(self, index: int) -> object:
        return call("shmget", self.scene.key + index, 0, 0)


@channel(lasting=True)
class Semaphores(_Object):
    def made(self, index: int) -> None:
        call("semget", self.scene.key + index, 1, IPC_CREAT | 0o666)

    def found(self, index: int) -> object:
        return call("semget", self.scene.key + index, 0, 0)


@channel(lasting=True)
class MessageQueues(_Object):
    def made(self, index: int) -> None:
        call("msgget", self.scene.key + index, IPC_CREAT | 0o666)

    def found(self, index: int) -> object:
        return call("msgget", self.scene.key + index, 0)


@channel()
class PosixQueue(_Object):
    """One queue for all bits, since the number of queues is limited."""

    def send(self, index: int, bit: int) -> None:
        if bit:
            os.close(call("mq_open", self._name(), os.O_CREAT | os.O_RDWR, 0o666, 0))
        elif index:
            self._remove()

    def receive(self, index: int) -> bool:
        received = super().receive(index)
        if received:
            self._remove()
        return received

    def found(self, index: int) -> object:
        os.close(call("mq_open", self._name(), os.O_RDWR, 0, 0))
        return True

    def _remove(self) -> None:
        try:
            call("mq_unlink", self._name())
        except FileNotFoundError:
            return

    def _name(self) -> bytes:
        return b"between-%d" % self.scene.key


@channel(lasting=True)
class Keyring(_Object):
    def made(self, index: int) -> None:
        call("add_key", b"user", self._name(index), b"x", 1, USER_KEYRING)

    def found(self, index: int) -> object:
        return call("keyctl", SEARCH, USER_KEYRING, b"user", self._name(index), 0)

    def _name(self, index: int) -> bytes:
        return b"between-%d-%d" % (self.scene.key, index)


@channel(root_only=True)
class HostsName(CovertChannel):
    def send(self, index: int, bit: int) -> None:
        call("sethostname", b"01"[bit : bit + 1], 1)

    def receive(self, index: int) -> bool:
        return os.uname().nodename == "1"


@channel()
class ProcessName(CovertChannel):
    def send(self, index: int, bit: int) -> None:
        Path("/proc/self/comm").write_text(str(int(bit)), encoding="ascii")

    def receive(self, index: int) -> bool:
        return Path(f"/proc/{self.other}/comm").read_text(encoding="ascii").strip() == "1"
