"""The policy of a launch: what the launcher applies to itself, and the bot that it then becomes."""

from msgspec import Struct

from arena.interpreter import SANDBOXED

SCRATCH, STATE = "/scratch", "/state"  # paths of a bot's private folders: for temporary files, and for what it learns
# A status line may bring a descriptor: LISTENER that of the seal (``seal``), the path of a private folder that of the folder.
LISTENER = "listener"


class ReadAccess(Struct, frozen=True, omit_defaults=True):
    """Everything that a bot may read."""

    paths: tuple[str, ...] = ()  # files, and folders with everything below them; no links
    hidden: tuple[str, ...] = ()  # folders below ``paths`` that are hidden, except for those ``paths`` that lie inside them
    listed: tuple[str, ...] = ()  # folders that may be listed, though their files not read: an import under Landlock needs this
    links: tuple[tuple[str, str], ...] = ()  # path and target of each symbolic link that leads to what may be read
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
    files: int  # most files and folders, itself included


class Policy(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Everything that the launcher applies. In JSON it is a launcher's argument, or sent to a template's clone."""

    command: tuple[str, ...]
    folder: str
    limits: ResourceLimits
    environment: tuple[tuple[str, str], ...] = ()  # for the bot; the launcher itself starts without a bot's settings
    reads: ReadAccess = ReadAccess()
    private: tuple[PrivateFolder, ...] = ()
    namespaces: bool = False
    landlock: bool = False
    filter: bytes = b""  # the seccomp program; empty: no filter
    seal: bytes = b""  # the seccomp program that suspends calls for the harness to answer; empty: the bot is never sealed
    lenient: bool = False  # whether a step that fails is only reported

    @property
    def is_module(self) -> bool:
        """Tell whether the bot is a Python module, which runs in the launcher's interpreter."""
        return self.command[: len(SANDBOXED)] == SANDBOXED

    @property
    def learns(self) -> bool:
        """Tell whether the bot has a state folder, whose content the launcher receives."""
        return any(folder.path == STATE for folder in self.private)
