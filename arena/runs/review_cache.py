"""The two files of reviews in the folder of a run.

``review.jsonl`` has every price and error, under a digest of all that it depends on, so a review that was stopped resumes, and
another version of the estimator reviews anew. It is no part of the chained database: without it a review only takes longer.
``reviewed.json`` has the hands that reports and pages show, by their place in the run: a review of other hands with the same seed
adds to it; another seed, another version of the estimator or another run in the folder replaces it.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, json
from msgspec.structs import replace

from arena import disk
from arena.errors import MALFORMED, StoreError, naming_errors
from arena.records import LUCK_VERSION
from arena.review.prices import VERSION, PricedKind
from arena.review.summary import DecisionPrice, Review, ReviewedHand, review
from arena.store.folder import Folder
from arena.text import json_text

PRICES_FILE = "review.jsonl"
CONFIRMING_VERSION = 3  # of the confirmation of prices
TRIED_VERSION = 1  # of the format in which alternatives are kept
VERSIONS = (VERSION, CONFIRMING_VERSION, TRIED_VERSION, LUCK_VERSION)  # of all that a review depends on


class StoredReview(Struct, frozen=True):
    """A line of PRICES_FILE: the review of one seat of a hand."""

    digest: str
    luck: float  # of the seat's draws less the other's, in points
    decisions: tuple[DecisionPrice, ...] = ()
    measured: dict[PricedKind, float] | None = None  # errors by kind, where decisions were not priced


def stored_reviews(folder: Folder) -> dict[str, StoredReview]:
    """Return the reviews by their digest; a line that cannot be read, as one cut short, is ignored. Raises: StoreError."""
    found: dict[str, StoredReview] = {}
    path = folder.path / PRICES_FILE
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return found
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    for line in lines:
        with suppress(*MALFORMED):
            stored = json.decode(line, type=StoredReview)
            found[stored.digest] = stored
    return found


def store_review(folder: Folder, new: StoredReview) -> None:
    """Append a review. Raises: StoreError."""
    path = folder.path / PRICES_FILE
    with naming_errors(path, "cannot be written"):
        disk.append_line(path, json.encode(new))


SHOWN_FILE = "reviewed.json"


class KeptReview(Struct, frozen=True, kw_only=True):
    """The content of SHOWN_FILE: hands of a run that were reviewed with one seed by one version of the estimator."""

    versions: tuple[int, ...]  # of the estimator
    commitment: str  # of the run
    seed: str  # of the review
    hands: tuple[ReviewedHand, ...]

    def with_newer(self, other: "KeptReview") -> "KeptReview":
        """Return the hands of both, or those of ``other`` if they do not belong together; a priced hand stays priced."""
        if (self.versions, self.commitment, self.seed) != (other.versions, other.commitment, other.seed):
            return other
        found = {_key(hand): hand for hand in self.hands}
        priced = {key for key, hand in found.items() if hand.measured is None}
        found |= {_key(hand): hand for hand in other.hands if hand.measured is None or _key(hand) not in priced}
        return replace(other, hands=tuple(found.values()))


def _key(hand: ReviewedHand) -> tuple[str, int, int, int]:
    return hand.place.fixture, hand.place.game, hand.place.hand, hand.seat


def keep(folder: Folder, commitment: str, seed: str, hands: Iterable[ReviewedHand]) -> None:
    """Add hands to the kept ones, or replace these, as ``with_newer``. Raises: StoreError."""
    new = KeptReview(versions=VERSIONS, commitment=commitment, seed=seed, hands=tuple(hands))
    path = folder.path / SHOWN_FILE
    # the draft's lock makes another review wait until this one is kept, and add to it
    with naming_errors(path, "cannot be written"), disk.writing(path) as file:
        before = _read(path)
        file.write(json_text(before.with_newer(new) if before else new).encode())


def read_kept(folder: Folder, commitment: str, shown: Callable[[str], bool] = lambda _: True) -> Review | None:
    """Return the review of the kept hands of a run in fixtures that may be ``shown``; None: there are none. Raises: StoreError."""
    hands = kept_hands(folder, commitment, shown)
    return review(hands) if hands else None


def kept_hands(folder: Folder, commitment: str, shown: Callable[[str], bool] = lambda _: True) -> tuple[ReviewedHand, ...]:
    """Return the kept hands of a run in fixtures that may be ``shown``. Raises: StoreError."""
    found = _read(folder.path / SHOWN_FILE)
    if found is None or (found.versions, found.commitment) != (VERSIONS, commitment):
        return ()
    return _shown_hands(found, shown)


def copy(folder: Folder, target: Folder, shown: Callable[[str], bool]) -> None:
    """Write the kept hands in fixtures that may be ``shown`` to another folder. Raises: StoreError."""
    if found := _read(folder.path / SHOWN_FILE):
        target.write(SHOWN_FILE, json_text(replace(found, hands=_shown_hands(found, shown))))


def _shown_hands(found: KeptReview, shown: Callable[[str], bool]) -> tuple[ReviewedHand, ...]:
    return tuple(hand for hand in found.hands if shown(hand.place.fixture))


def _read(path: Path) -> KeptReview | None:
    """Return the content of the file, of whatever version; None: it does not exist or cannot be decoded. Raises: StoreError."""
    try:
        return json.decode(path.read_bytes(), type=KeptReview)
    except (FileNotFoundError, *MALFORMED):
        return None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
