"""What a sandbox is: it rewrites the command that starts a bot, and starts nothing itself.

Whoever starts the rewritten launch must give the process nothing but its ``environment`` and, where ``reports`` is set, a status
pipe: birth.py does both and says how. Under namespaces the bot is the first process of its own, which no signal but SIGKILL and
SIGSTOP ends from outside; killing it kills all that it might have started.
"""

from typing import Annotated

from msgspec import Meta, Struct

from arena.records import Assurance
from arena.roster.entrant import Launch


class Sandbox(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Its fields are its options in a spec, its docstring is its manual."""

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch that starts the same bot behind this sandbox's walls. Raises: SandboxError."""
        raise NotImplementedError

    def assurance(self) -> Assurance:
        """Return what this sandbox gives here; may start processes to find out, once. Raises: SandboxError."""
        raise NotImplementedError


class Limited(Sandbox, frozen=True, kw_only=True):
    """A sandbox that bounds what a process may use."""

    memory_mb: Annotated[int, Meta(ge=16, le=1_000_000)] = 256  # RLIMIT_DATA: heap, stack and private mappings
    cpu_seconds: Annotated[int, Meta(ge=1)] = 3600  # of a process's whole life; the referee's clock is the limit that counts
    threads: Annotated[int, Meta(ge=1, le=64)] = 1  # most threads that a bot's manifest may ask for
    scratch_mb: Annotated[int, Meta(ge=0, le=1024)] = 0  # most megabytes of temporary folder that it may ask for
    log_kb: Annotated[int, Meta(ge=0)] = 1024  # RLIMIT_FSIZE: what a bot may write to a file that it inherited
