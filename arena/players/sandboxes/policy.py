"""What the launcher is told: the walls to raise, and the bot to become behind them."""

from msgspec import Struct


class Link(Struct, frozen=True, array_like=True):
    """A symbolic link that has to stand in a private root, so that a path leads where it led before."""

    path: str
    target: str


class Reads(Struct, frozen=True, omit_defaults=True):
    """All that a bot may read."""

    paths: tuple[str, ...] = ()  # files, and folders with all that is below them; no links
    covered: tuple[str, ...] = ()  # folders below those that stay hidden but for the paths that lie in them
    listed: tuple[str, ...] = ()  # folders whose names, not contents, may be read: what Landlock needs for an import
    links: tuple[Link, ...] = ()
    programs: bool = False  # whether what is read may be executed


class Limits(Struct, frozen=True, omit_defaults=True):
    """What setrlimit(2) bounds."""

    memory_mb: int
    cpu_seconds: int
    file_kb: int  # the largest file it may write, its log among them
    threads: int = 1


class Policy(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Everything the launcher applies; sent to it as one argument in JSON."""

    command: tuple[str, ...]
    folder: str
    limits: Limits
    environment: tuple[tuple[str, str], ...] = ()  # for the bot; the launcher itself never sees a bot's settings
    reads: Reads = Reads()
    scratch_mb: int = 0  # size of the private folder /scratch; 0: none
    namespaces: bool = False
    landlock: bool = False
    filter: bytes = b""  # the seccomp program; empty: none
    lenient: bool = False  # whether a wall that cannot be raised is only reported
