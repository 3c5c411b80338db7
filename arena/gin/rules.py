"""Every number that a table may agree on; a ruleset is a class with other defaults. Source: RULES, R1-R9."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Points = Annotated[int, Meta(ge=0, le=10_000)]


class Rules(Struct, frozen=True, kw_only=True, tag_field="name", tag="tournament", forbid_unknown_fields=True, omit_defaults=False):
    """The ``tournament`` ruleset: 250 points, best of five (S0, S2); the others differ from it."""

    target: Annotated[int, Meta(ge=1, le=100_000)] = 250  # R9.1: points that end a game
    best_of: Annotated[int, Meta(ge=1, le=99)] = 5  # R9.2: games; odd, so that a match has a winner
    knock_limit: Annotated[int, Meta(ge=0, le=100)] = 10  # R6.1: most points a knock may leave
    gin_bonus: Points = 25  # R7.1
    undercut_bonus: Points = 25  # R6.6
    tie: Literal["undercut", "nothing"] = "undercut"  # R6.6: a defender with as much deadwood as the knocker
    tie_bonus: Points | None = None  # R6.6: None: the undercut bonus
    big_gin_bonus: Points | None = 31  # R8.1: None: big gin is not played
    layoff_on_gin: bool = False  # R7.2
    return_taken: bool = False  # R4.3: may a card taken from the discard pile be thrown in that turn?
    first_turn: Literal["upcard", "draw"] = "upcard"  # R3.5
    after_two_passes: Literal["stock", "any"] = "stock"  # R3.3
    stock: Literal["top", "two-ended"] = "top"  # R2.4
    stock_out: Literal["dead", "showdown", "last_take"] = "dead"  # R5.2
    max_takes: Annotated[int, Meta(ge=1, le=1000)] = 50  # R5.3: takes in a hand before it is dead
    next_dealer: Literal["alternate", "loser", "winner"] = "alternate"  # R2.3
    game_bonus: Points = 0  # R9.3: to the winner of a game
    hand_bonus: Points = 0  # R9.3: for every hand won, at the end of the game
    shutout: Literal["none", "double"] = "none"  # R9.3: double: a winner counts twice against nothing
    game_winner: Literal["target", "total"] = "target"  # R9.4

    def __post_init__(self) -> None:
        """Raise ValueError if no match could be decided."""
        if self.best_of % 2 == 0:
            raise ValueError(f"best_of: {self.best_of} can end in a tie; expected an odd number")

    @property
    def name(self) -> str:
        """Return the name of the ruleset."""
        return str(type(self).__struct_config__.tag)

    @property
    def games_to_win(self) -> int:
        """Return how many games win a match. Rule: R9.2."""
        return self.best_of // 2 + 1
