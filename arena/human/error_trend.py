"""The trend of a person's error rate over its matches, from the reviews that are kept in their folders."""

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.reports.numbers import error, typeset
from arena.review.summary import Mean, ReviewedHand, mean
from arena.runs.review_cache import SHOWN_FILE, kept_hands
from arena.store.folder import Folder
from arena.store.store import Store

LATEST = 11  # earlier matches, at most, in the trend


class MatchErrors(Struct, frozen=True, kw_only=True):
    """The error rate of a person in one match."""

    match: str  # opponent and day
    hands: int
    rate: float  # points a hand
    half: float | None  # half the interval: two standard errors; None: of a single hand, whose error is not known
    text: str  # the rate and its error in words
    run: str = ""  # the folder of the match beside that of the last one; empty: it is the last one
    mistakes: int = 0  # marked decisions that can be tried again
    first: str = ""  # hand and turn of the first of them, ``0.3/13``; empty: there is none


def match_errors(match: str, hands: int, rate: Mean) -> MatchErrors:
    """Return the error rate of a match with its interval."""
    half = None if rate.se is None else round(2 * rate.se, 2)
    text = typeset(f"{rate.points:z.2f}{error(rate.se)}")
    return MatchErrors(match=match, hands=hands, rate=round(rate.points, 2), half=half, text=text)


def errors_in(match: str, hands: Sequence[ReviewedHand], run: str = "") -> MatchErrors:
    """Return the error rate over a person's reviewed hands of a match, with its marked decisions; ``run``: name of its folder."""
    marked = sorted(
        ((one.place.game, one.place.hand, each.turn), f"{one.place.name}/{each.turn}")
        for one in hands
        for each in one.decisions
        if each.mark and len(each.tried) > 1
    )
    found = match_errors(match, len(hands), mean([one.error for one in hands]))
    return replace(found, run=run, mistakes=len(marked), first=marked[0][1] if marked else "")


def earlier_matches(folder: Folder, person: str) -> tuple[MatchErrors, ...]:
    """Return a person's last reviewed matches, the oldest first, from the runs in the folders beside ``folder``.

    A run that cannot be read, or that another version of the reviewer measured, is left out.
    """
    beside = [path.parent for path in folder.path.parent.glob(f"*/{SHOWN_FILE}") if path.parent != folder.path]
    newest = sorted(beside, key=lambda path: (path / SHOWN_FILE).stat().st_mtime, reverse=True)
    found = islice((one for path in newest for one in _of_run(Folder(path), person)), LATEST)
    return tuple(one for _, one in sorted(found, key=lambda pair: pair[0]))


def _of_run(folder: Folder, person: str) -> Iterator[tuple[str, MatchErrors]]:
    """Yield the start of a run and the error rate of a person in it; nothing if the person has no reviewed hand there."""
    try:
        with Store(folder.database) as store:
            facts, names = store.begun_facts(), [one.name for one in store.field()]
        hands = [one for one in kept_hands(folder, facts["commitment"]) if one.bot == person]
    except ArenaError:
        return
    if hands:
        opponent = next((name for name in names if name != person), "")
        yield facts["started"], errors_in(f"{opponent}, {facts['started'][:10]}", hands, folder.path.name)
