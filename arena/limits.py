"""What a spec may limit, as values: the time of answers, the length of lines, and what a fault costs."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from arena.protocol.codec import LINE_BYTES

Seconds = Annotated[float, Meta(gt=0, le=1_000_000)]


class TimeLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of answers, in seconds."""

    per_turn: Seconds = 2.0  # processor time for one answer to a turn
    per_match: Seconds = 120.0  # processor time for all of them in a fixture; starts do not count
    stall: Seconds = 2.0  # idle while a processor was free
    start: Seconds = 10.0  # processor time, or idle, before ``ready``: for imports, tables, weights
    wall: Seconds | None = None  # wall time for one answer; None: ten times the larger of per_turn and stall, at least 5

    def __post_init__(self) -> None:
        """Raise ValueError, naming the option, if the wall limit is below another limit of an answer."""
        if self.wall is not None and self.wall < max(self.per_turn, self.stall):
            least = f"per_turn is {self.per_turn:g}, stall is {self.stall:g}"
            raise ValueError(f"wall: found {self.wall:g}; expected at least the larger of the other limits of an answer ({least})")

    @property
    def answer_wall(self) -> float:
        """Return the wall limit of one answer; on a machine too busy to be fair an answer may take longer."""
        return max(5.0, 10 * max(self.per_turn, self.stall)) if self.wall is None else self.wall

    @property
    def text(self) -> str:
        """Return these limits as a spec has them: a mapping of those that differ from the default."""
        changed = {
            field: getattr(self, field) for field in self.__struct_fields__ if getattr(self, field) != getattr(DEFAULT_TIME, field)
        }
        return f"{{{', '.join(f'{field}: {value:.15g}' for field, value in changed.items())}}}"


DEFAULT_TIME = TimeLimits()


class LineLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long a line of a bot may be, and how much of its stderr explains a fault, in kilobytes."""

    line_kb: Annotated[int, Meta(ge=1, le=LINE_BYTES >> 10)] = LINE_BYTES >> 10  # one line, its newline included
    stderr_kb: Annotated[int, Meta(ge=0, le=1024)] = 4  # of the end of stderr; the log has its beginning


class FaultCosts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The penalty for a fault. Every fault loses the hand; ``at_most`` faults forfeit the fixture, or the rest of a batch."""

    costs: Literal["hand", "game", "match"] = "hand"
    at_most: Annotated[int, Meta(ge=1, le=1000)] = 3  # not the number allowed: the fault with this number forfeits the fixture
    # points to the opponent: a gin is worth 25, and the deadwood in the other hand about 25 more
    points: Annotated[int, Meta(ge=0, le=1000)] = 50
