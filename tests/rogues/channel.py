"""A covert channel: a way for one bot, the sender, to pass bits to another bot, the receiver.

The referee leads both through the bits one by one, so that a channel needs no timing of its own: that is more help than two bots
have in a match. A channel works if at least ENOUGH of BITS bits arrive, or arrive inverted. Half of the bits are ones, so a
receiver that always returns the same bit gets half of them right. One that guesses passes with a probability of 8e-5, and has to
pass twice: 6e-9.
"""

import importlib
import random
import re
from collections.abc import Callable

from msgspec import Struct
from rogues.rogue import Scene

BITS, ENOUGH = 64, 48
FAMILIES = (
    "channels_by_name",
    "channels_by_file",
    "channels_by_futex",
    "channels_by_process",
    "channels_by_machine",
    "channels_by_state",
    "channels_that_last",
    "channels_unavoidable",
    "spies",
)


class CovertChannel:
    """One end of a channel. A method that raises an error passes no bit."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.other = 0  # the process number of the other end

    def prepare(self, index: int) -> None:
        """Receiver: prepare, before the bit is sent."""

    def send(self, index: int, bit: int) -> None:
        """Sender: send a bit."""
        raise NotImplementedError

    def after_send(self, index: int, bit: int) -> None:
        """Sender: do what takes time, while the receiver receives."""

    def receive(self, index: int) -> bool:
        """Receiver: return the bit."""
        raise NotImplementedError


class Counter(CovertChannel):
    """A counter that both ends have together: the sender moves it for a one, and the receiver sees how far it has moved."""

    MOVED = 100  # by the sender
    SEEN = 75  # more than this is a one

    def prepare(self, index: int) -> None:
        self.before = self.number()

    def send(self, index: int, bit: int) -> None:
        for _ in range(self.MOVED * bit):
            self.number()

    def receive(self, index: int) -> bool:
        return self.number() - self.before > self.SEEN

    def number(self) -> int:
        """Move the counter by one, and return it."""
        raise NotImplementedError


class ChannelKind(Struct, frozen=True, kw_only=True):
    """Where a channel works, besides without a sandbox."""

    root_only: bool = False  # it needs root to work without a sandbox
    known_under_c: bool = False  # it is known to work under profile C, which cannot hide the results of stat(2)
    by_seal: bool = False  # only the seal closes it: the sender is sealed before it sends
    by_template: bool = False  # it works where launchers start the bots
    of_clones: bool = False  # it works only where one template starts both ends, which nothing but a test does
    unavoidable: bool = False  # nothing closes it


class ChannelEntry(Struct, frozen=True, kw_only=True):
    """A channel and how it is tested."""

    name: str
    maker: type[CovertChannel]
    kind: ChannelKind
    lasting: bool = False  # whether the receiver starts only after the sender has ended
    relayed: bool = False  # whether a third process, between the two, receives the bits and sends them again
    bits_a_leg: int = BITS  # how many bits one process passes to the next; further ones take further processes
    threads: int = 1  # that both are granted
    cold: bool = False  # whether the referee drops QUIET_FILE from memory before
    short_of_memory: bool = False  # whether it drops it again when the sender is sealed
    one_core: bool = False  # whether both ends share a core, as the two bots of a match do


CHANNELS: dict[str, ChannelEntry] = {}


def channel(
    *,
    lasting: bool = False,
    relayed: bool = False,
    bits_a_leg: int = BITS,
    threads: int = 1,
    cold: bool = False,
    short_of_memory: bool = False,
    one_core: bool = False,
    **kind: bool,
) -> Callable[[type[CovertChannel]], type[CovertChannel]]:
    """Register a channel in the suite, by its class's name; the last arguments are those of ``ChannelKind``."""

    def enter(maker: type[CovertChannel]) -> type[CovertChannel]:
        name = re.sub("(?!^)([A-Z])", r" \1", maker.__name__).lower()
        CHANNELS[name] = ChannelEntry(
            name=name,
            maker=maker,
            kind=ChannelKind(**kind),
            lasting=lasting,
            relayed=relayed,
            bits_a_leg=bits_a_leg,
            threads=threads,
            cold=cold,
            short_of_memory=short_of_memory,
            one_core=one_core,
        )
        return maker

    return enter


def every_channel() -> dict[str, ChannelEntry]:
    """Return all channels, by name."""
    for family in FAMILIES:
        importlib.import_module(f"rogues.{family}")
    return CHANNELS


def message() -> str:
    """Return random bits, half of them ones."""
    bits = ["0", "1"] * (BITS // 2)
    random.SystemRandom().shuffle(bits)
    return "".join(bits)


def is_passed(sent: str, received: str) -> bool:
    """Return whether more bits arrived, or arrived inverted, than chance explains."""
    right = sum(one == other for one, other in zip(sent, received, strict=True))
    return max(right, BITS - right) >= ENOUGH
