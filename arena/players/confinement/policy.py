"""What the launcher applies to itself, and the bot that it then becomes."""

from msgspec import Struct

SCRATCH, STATE = "/scratch", "/state"  # paths of a bot's private folders: for temporary files, and for what it learns
LISTENER = "listener"  # the status line with which the listener of the seal comes; that of a private folder is its path


class Link(Struct, frozen=True, array_like=True):
    """A symbolic link of a private root: the path leads to the same file as outside."""

    path: str
    target: str


class ReadAccess(Struct, frozen=True, omit_defaults=True):
    """Everything that a bot may read."""

    paths: tuple[str, ...] = ()  # files, and folders with everything below them; no links
    covered: tuple[str, ...] = ()  # folders below those that stay hidden, except for the paths inside them
    listed: tuple[str, ...] = ()  # folders whose names, not contents, may be read: an import under Landlock needs this
    links: tuple[Link, ...] = ()
    programs: bool = False  # whether what may be read may be executed


class ResourceLimits(Struct, frozen=True, omit_defaults=True):
    """Limits for setrlimit(2)."""

    memory_mb: int
    cpu_seconds: int
    file_kb: int  # the largest file that the bot may write, its log included
    threads: int = 1


class PrivateFolder(Struct, frozen=True, array_like=True):
    """A folder that a bot alone can see and may write to; it has its own file system in memory, and ends with the bot."""

    path: str
    size_kb: int
    files: int  # and folders, itself included


class Policy(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Everything that the launcher applies; passed to it as one argument in JSON."""

    command: tuple[str, ...]
    folder: str
    limits: ResourceLimits
    environment: tuple[tuple[str, str], ...] = ()  # for the bot; the launcher itself starts without a bot's settings
    reads: ReadAccess = ReadAccess()
    private: tuple[PrivateFolder, ...] = ()
    namespaces: bool = False
    landlock: bool = False
    filter: bytes = b""  # the seccomp program; empty: no filter
    seal: bytes = b""  # the seccomp program that suspends what the harness may refuse; empty: the bot is never sealed
    lenient: bool = False  # whether a step that fails is only reported

    @property
    def learns(self) -> bool:
        """Return whether the launcher gets the content of the folder for what the bot learns, and returns that folder."""
        return any(folder.path == STATE for folder in self.private)
