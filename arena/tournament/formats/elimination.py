"""The ties of a knockout, before anything is played: where the entrants of each come from, and in which wave it is played.

The bracket has as many places as the next power of two. Entrants are placed so that the best seeds meet as late as possible (1
and 2 in the final), and the places without an entrant face the best seeds, who have a bye. Ties of one wave depend on earlier
waves alone.

In double elimination the losers of the upper bracket drop into the lower one: its survivors meet each other, then the next losers,
in turn. In every second round these come in reversed order, so that few entrants meet again. The winner of the lower bracket has to
beat the winner of the upper one twice.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import Literal

from msgspec import Struct

THIRD_PLACE = "Third place"  # the bracket of one tie
LATE_TITLES = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}  # by number of ties


class Source(Struct, frozen=True):
    """Where an entrant of a tie comes from."""

    kind: Literal["seed", "winner", "loser"]
    number: int  # of the seed, from 0, or of the tie


class PlannedTie(Struct, frozen=True, kw_only=True):
    """A tie of a bracket."""

    number: int  # from 0; sources have lower numbers
    wave: int  # from 1
    bracket: str
    title: str  # of its round
    sources: tuple[Source, Source]
    decider: bool = False  # played only if the second source, who came from the lower bracket, won the tie before it


class _Draw:
    """Collects and numbers ties."""

    def __init__(self) -> None:
        self.ties: list[PlannedTie] = []

    def add(
        self, wave: int, bracket: str, title: str, sources: Sequence[tuple[Source, Source]], *, decider: bool = False
    ) -> list[int]:
        """Add the ties of one round; return their numbers."""
        numbers = list(range(len(self.ties), len(self.ties) + len(sources)))
        self.ties += [
            PlannedTie(number=number, wave=wave, bracket=bracket, title=title, sources=both, decider=decider)
            for number, both in zip(numbers, sources, strict=True)
        ]
        return numbers


def places(entrants: int) -> int:
    """Return the number of places in the bracket: the next power of two."""
    return 1 << (entrants - 1).bit_length()


def single(entrants: int, *, third_place: bool) -> list[PlannedTie]:
    """Return the ties of single elimination, with a match for the third place if there are semi-finals."""
    draw = _Draw()
    rounds = _rounds(draw, places(entrants), "Knockout", count(1))
    if third_place and len(rounds) > 1:
        draw.add(len(rounds), THIRD_PLACE, THIRD_PLACE, _two_by_two("loser", rounds[-2]))
    return draw.ties


def double(entrants: int) -> list[PlannedTie]:
    """Return the ties of double elimination."""
    draw, upper = _Draw(), "Upper bracket"
    rounds = _rounds(draw, places(entrants), upper, chain([1], count(2, 2)))
    lower = [Source("loser", number) for number in rounds[0]]
    for at, dropping in enumerate(rounds[1:], 1):
        wave = 2 * at
        survivors = draw.add(wave, "Lower bracket", f"Round {wave - 1}", _couples(lower))
        dropped = [Source("loser", number) for number in (dropping[::-1] if at % 2 else dropping)]
        met = draw.add(wave + 1, "Lower bracket", f"Round {wave}", list(zip(_winners(survivors), dropped, strict=True)))
        lower = _winners(met)
    last = 2 * len(rounds)
    finalists = [(Source("winner", rounds[-1][0]), lower[0])]
    draw.add(last, upper, "Grand final", finalists)
    draw.add(last + 1, upper, "Decider", finalists, decider=True)
    return draw.ties


def _rounds(draw: _Draw, size: int, bracket: str, waves: Iterable[int]) -> list[list[int]]:
    """Add the rounds from all places to one winner, the first of them in the first wave; return the numbers of their ties."""
    rounds: list[list[int]] = []
    sources = _couples([Source("seed", seed) for seed in seeding(size)])
    for wave in waves:
        title = LATE_TITLES.get(len(sources), f"Round {len(rounds) + 1}")
        rounds.append(draw.add(wave, bracket, title, sources))
        if len(sources) == 1:
            break
        sources = _two_by_two("winner", rounds[-1])
    return rounds


def seeding(size: int) -> list[int]:
    """Return the seeds, from 0, in the order of their places: seeds that meet in a round sum to the same number."""
    order = [0]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) - 1 - one)]
    return order


def _winners(ties: Sequence[int]) -> list[Source]:
    return [Source("winner", number) for number in ties]


def _two_by_two(kind: Literal["winner", "loser"], ties: Sequence[int]) -> list[tuple[Source, Source]]:
    return _couples([Source(kind, number) for number in ties])


def _couples(sources: Sequence[Source]) -> list[tuple[Source, Source]]:
    return list(zip(sources[::2], sources[1::2], strict=False))
