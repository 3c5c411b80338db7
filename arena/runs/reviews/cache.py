"""``review.jsonl`` in the folder of a run: what was reviewed before, a line for each seat of a hand.

A seat whose errors alone were measured has another line than if it was priced. A line stands under a digest of all that its prices
depend on, so a review that was stopped resumes, and another version of the estimator reviews anew. The file is no part of the
chained database: without it a review only takes longer.
"""

from contextlib import suppress

from msgspec import DecodeError, Struct, json

from arena.errors import StoreError
from arena.review.estimates import PricedKind
from arena.review.policy import VERSION
from arena.review.summary import DecisionPrice
from arena.stats import luck
from arena.store.folder import Folder

CACHE_NAME = "review.jsonl"
CONFIRMING_VERSION = 2  # of how a price is confirmed
VERSIONS = (VERSION, CONFIRMING_VERSION, luck.VERSION)  # of all that a review depends on


class StoredReview(Struct, frozen=True):
    """A review of one seat of a hand, as it is kept."""

    digest: str
    luck: float  # of the seat's draws less the other's, in points
    decisions: tuple[DecisionPrice, ...] = ()
    measured: dict[PricedKind, float] | None = None  # errors by kind, where decisions were not priced


class ReviewCache:
    """The reviews that are kept for one run."""

    def __init__(self, folder: Folder) -> None:
        self._path = folder.path / CACHE_NAME

    def read(self) -> dict[str, StoredReview]:
        """Return them by their digest; a line that was not written to its end is ignored. Raises: StoreError."""
        found: dict[str, StoredReview] = {}
        try:
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return found
        except OSError as error:
            raise StoreError(f"{self._path}: cannot be read: {error.strerror}") from None
        for line in lines:
            with suppress(DecodeError):
                one = json.decode(line, type=StoredReview)
                found[one.digest] = one
        return found

    def add(self, one: StoredReview) -> None:
        """Keep a review. Raises: StoreError."""
        try:
            with self._path.open("ab") as file:
                file.write(b"\n" * self._is_torn() + json.encode(one) + b"\n")
        except OSError as error:
            raise StoreError(f"{self._path}: cannot be written: {error.strerror}") from None

    def _is_torn(self) -> bool:
        """Return whether the last line has no end, because its writer was killed."""
        with self._path.open("rb") as file:
            if file.seek(0, 2) == 0:
                return False
            file.seek(-1, 2)
            return file.read(1) != b"\n"
