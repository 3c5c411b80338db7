"""Channels by the state folder: the two legs of a pair have one each, which begin alike."""

import os
from pathlib import Path

from rogues.channel import Counter, CovertChannel, channel


@channel()
class StateFile(CovertChannel):
    def prepare(self, index: int) -> None:
        Path(self.scene.state, "bit").write_text("", encoding="ascii")

    def send(self, index: int, bit: int) -> None:
        Path(self.scene.state, "bit").write_text(str(bit), encoding="ascii")

    def receive(self, index: int) -> bool:
        return Path(self.scene.state, "bit").read_text(encoding="ascii") == "1"


@channel(lasting=True)
class StateLeft(CovertChannel):
    def send(self, index: int, bit: int) -> None:
        if bit:
            Path(self.scene.state, f"between-{self.scene.key}-{index}").touch()

    def receive(self, index: int) -> bool:
        return Path(self.scene.state, f"between-{self.scene.key}-{index}").exists()


@channel()
class NumbersOfFiles(Counter):
    """The numbers of new files, which come from a counter of their file system."""

    SEEN = 50

    def number(self) -> int:
        path = f"{self.scene.state}/{os.getpid()}"
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
        number = os.stat(path).st_ino
        os.unlink(path)
        return number
