"""What a sandbox is: it rewrites the command that starts a bot, and starts nothing itself.

The caller starts the rewritten launch. It must pass the process the launch's ``environment`` and nothing else and, where
``reports`` is set, a status socket; ``confinement/status.py`` does both and shows how. With namespaces the bot is the first process
of its own process namespace: only SIGKILL and SIGSTOP from outside end or stop it, and killing it kills every process that it
started.
"""

from collections.abc import Iterable
from typing import Annotated, Literal, Self

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.records import Assurance
from arena.roster.entrant import Launch


class Sandbox(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Its fields are its options in a spec, its docstring is its manual."""

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch that starts the same bot inside this sandbox. Raises: SandboxError."""
        raise NotImplementedError

    def assurance(self) -> Assurance:
        """Return the guarantees of this sandbox on this machine; may start processes once, to find out. Raises: SandboxError."""
        raise NotImplementedError

    def granting(self, launches: Iterable[Launch]) -> Self:  # noqa: ARG002 - for sandboxes that limit these
        """Return this sandbox with the threads and the scratch folder that the bots' manifests ask for.

        A sandbox that does not limit them returns itself.
        """
        return self

    def with_limits_of(self, other: "Sandbox") -> Self:  # noqa: ARG002 - likewise
        """Return this sandbox with the limits of another one, as far as both have them."""
        return self


class LimitedSandbox(Sandbox, frozen=True, kw_only=True):
    """A sandbox that limits what a process may use."""

    memory_mb: Annotated[int, Meta(ge=16, le=1_000_000)] = 256  # RLIMIT_DATA: heap, stack and private mappings
    cpu_seconds: Annotated[int, Meta(ge=1, le=1_000_000_000)] = 3600  # of a process; the referee's own limit is far lower
    threads: Annotated[int, Meta(ge=1, le=64)] = 1  # most threads that a bot's manifest may ask for
    scratch_mb: Annotated[int, Meta(ge=0, le=1024)] = 0  # largest temporary folder that a bot's manifest may ask for
    sealed: Literal["preferred", "required"] = "preferred"  # required: refuse a machine, and a bot, that cannot be sealed
    log_kb: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 1024  # RLIMIT_FSIZE: what a bot may write to a file that it inherited

    def granting(self, launches: Iterable[Launch]) -> Self:
        """Return this sandbox with the most threads and scratch that any of the bots' manifests asks for."""
        bots = list(launches)
        return replace(
            self,
            threads=max((bot.threads for bot in bots), default=self.threads),
            scratch_mb=max((bot.scratch_mb for bot in bots), default=self.scratch_mb),
        )

    def with_limits_of(self, other: Sandbox) -> Self:
        """Return this sandbox with the other's limits on memory, time, threads and files."""
        if not isinstance(other, LimitedSandbox):
            return self
        return replace(self, **{limit: getattr(other, limit) for limit in LimitedSandbox.__struct_fields__})
