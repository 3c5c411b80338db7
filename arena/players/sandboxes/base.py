"""What a sandbox is: it rewrites the command that starts a bot, and starts nothing itself."""

from typing import Annotated

from msgspec import Meta, Struct

from arena.roster.entrant import Launch


class Sandbox(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Its fields are its options in a spec, its docstring is its manual."""

    memory_mb: Annotated[int, Meta(ge=16, le=1_000_000)] = 256  # RLIMIT_DATA: heap, stack and private mappings

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch that starts the same bot behind this sandbox's walls."""
        raise NotImplementedError
