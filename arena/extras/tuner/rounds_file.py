"""The file of a search: a header with the question and the seed, then a line for each round."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, json

from arena import disk
from arena.errors import MALFORMED, StoreError
from arena.extras.tuner.tune import Round
from arena.store.folder import Folder

ROUNDS_FILE = "rounds.jsonl"
MAX_BYTES = 1 << 26  # of the file


class SearchHeader(Struct, frozen=True):
    """The first line of the file."""

    question: str
    seed: str  # the run seed


def _read_lines(folder: Path) -> list[bytes]:
    """Return the lines of the file; none without a file. Raises: StoreError."""
    file = folder / ROUNDS_FILE
    try:
        return disk.read(file, MAX_BYTES).splitlines() if file.exists() else []
    except (OSError, disk.TooLargeError) as error:
        raise StoreError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def read_header(folder: Path, question: str) -> SearchHeader | None:
    """Return the header of the search in a folder; None: there is none. Raises: StoreError, if it is of another question."""
    for line in _read_lines(folder)[:1]:
        with suppress(*MALFORMED):
            header = json.decode(line, type=SearchHeader)
            if header.question == question:
                return header
        raise StoreError(
            f"{folder}: holds another search: of another bot, spec, seed or version, or damaged; expected a folder of its own"
        )
    return None


def read_rounds(folder: Path) -> list[Round]:
    """Return the rounds on file. Raises: StoreError."""
    try:
        return [json.decode(line, type=Round) for line in _read_lines(folder)[1:]]
    except MALFORMED as error:
        raise StoreError(f"{folder / ROUNDS_FILE}: was damaged: {error}") from None


def write_rounds(folder: Path, header: SearchHeader, rounds: Sequence[Round]) -> None:
    """Replace the file by one with all rounds. Raises: StoreError."""
    Folder(folder).write(ROUNDS_FILE, "".join(json.encode(one).decode() + "\n" for one in (header, *rounds)))
