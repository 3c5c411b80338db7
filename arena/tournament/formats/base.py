"""What a format is: a pure function of the field and of what was played."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from arena.records import Fixture, Result


class Format(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Its fields are its options in a spec, its docstring is its manual."""

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return what can be played now, given what was played; nothing, when the tournament is over.

        It is asked again when all that it answered has been played, and after every interruption: resuming is asking again.
        Ids must be unique and depend on nothing but the field and what was played.
        """
        raise NotImplementedError
