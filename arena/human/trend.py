"""How a person's error rate changed over its matches, from the reviews that are kept beside them."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from arena.errors import ArenaError
from arena.reports.numbers import error
from arena.review.summary import Mean, ReviewedHand, mean
from arena.runs.review_cache import SHOWN_FILE, kept_hands
from arena.store.folder import Folder
from arena.store.store import Store

LATEST = 11  # matches before the one that was played last


class MatchErrors(Struct, frozen=True, kw_only=True):
    """The error rate of a person in one match."""

    match: str  # opponent and day
    hands: int
    rate: float  # points a hand
    half: float | None  # half the interval: two standard errors; None: of a single hand, whose error is not known
    text: str


def match_errors(match: str, hands: int, rate: Mean) -> MatchErrors:
    """Return the error rate of a match with its interval."""
    half = None if rate.se is None else round(2 * rate.se, 2)
    return MatchErrors(match=match, hands=hands, rate=round(rate.points, 2), half=half, text=f"{rate.points:z.2f}{error(rate.se)}")


def earlier_matches(folder: Folder, person: str) -> tuple[MatchErrors, ...]:
    """Return a person's last reviewed matches, the oldest first: of the runs beside a folder, which is left out.

    A run that cannot be read is left out too: another version of the reviewer would measure otherwise.
    """
    beside = [path.parent for path in folder.path.parent.glob(f"*/{SHOWN_FILE}") if path.parent != folder.path]
    newest = sorted(beside, key=lambda path: (path / SHOWN_FILE).stat().st_mtime, reverse=True)[:LATEST]
    found = [one for path in newest for one in _of_run(Folder(path), person)]
    return tuple(one for _, one in sorted(found, key=lambda pair: pair[0]))


def _of_run(folder: Folder, person: str) -> Iterator[tuple[str, MatchErrors]]:
    """Yield when a run began, and the error rate of a person in it, if it has played there."""
    try:
        with Store(folder.database) as store:
            facts, names = store.begun_facts(), [one.name for one in store.field()]
        hands = [one for one in kept_hands(folder, facts["commitment"]) if one.bot == person]
    except ArenaError:
        return
    if hands:
        opponent = next((name for name in names if name != person), "")
        yield facts["started"], errors_in(f"{opponent}, {facts['started'][:10]}", hands)


def errors_in(match: str, hands: Sequence[ReviewedHand]) -> MatchErrors:
    """Return the error rate over a person's reviewed hands of a match."""
    return match_errors(match, len(hands), mean([one.error for one in hands]))
