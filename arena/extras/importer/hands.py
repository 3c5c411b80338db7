"""Makes a run of a file of hands from an unknown source: every line is checked, and the referee's engine judges every hand.

The run claims nothing that the file cannot prove: its bots are not isolated and not ranked, and it has no seed. Where the file has
luck, it is measured again and compared. The run is stored as a whole, or not at all.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import file_digest
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, ValidationError, json, to_builtins

from arena import publishing
from arena.encoding import in_utf8
from arena.errors import MALFORMED, ArenaError, InputError
from arena.extras.importer.run import KIND
from arena.gin.actions import read_actions
from arena.gin.cards import DECK, cards
from arena.gin.rules import Rules
from arena.limits import FaultCosts
from arena.path_texts import path_text
from arena.plugins.manager import installed_kinds
from arena.records import Assurance, HandRecord, MatchRecord, standings
from arena.referee.audit import differences_by_hand
from arena.results.hands import ExportedHand, ExportedHeader, ExportedMatch
from arena.roster.entrant import Entered
from arena.runs.starts import candidate_folders
from arena.stats.luck import add_luck
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store
from arena.text import shorten
from arena.tournament.spec import Spec, spec_from_values
from arena.type_errors import explain

LONGEST = 1 << 24  # bytes of a line; one of a match with a megabyte of stderr from each bot is shorter
LUCK_TOLERANCE = 1e-3  # points: processors round differently
UNKNOWN = dict.fromkeys(("arena", "python", "platform", "started", "seed"), "")

Progress = Callable[[int, int], None]  # receives the number of bytes read, and the size of the file


class ImportedHands(Struct, frozen=True):
    """The run that was made of a file, and its numbers of matches and hands."""

    folder: Folder
    matches: int
    hands: int


class _NumberedMatch(NamedTuple):
    line: int
    match: ExportedMatch
    hands: list[tuple[int, ExportedHand]]  # each with its line


LONGEST_MESSAGE = 500  # characters


class _BadLineError(Exception):
    """A line that is not valid; the message says why."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(shorten(what, LONGEST_MESSAGE))
        self.line = line


def import_hands(path: Path, results: Path | None, progress: Progress) -> ImportedHands:
    """Make a run of a file, in the folder ``results`` or a new one in ``results/``.

    Raises: InputError, with the number of the line and the reason; StoreError, if the folder is not empty; OSError.
    """
    if path.exists() and not path.is_file():  # a pipe cannot be read twice: for the digest, and line by line
        raise InputError(f"{path}: is not a regular file; expected a file of JSON lines, as `arena export` writes them")
    try:
        with path.open("rb") as file:
            return _import(path, file, results, progress)
    except _BadLineError as bad:
        raise InputError(f"{path}:{bad.line}: {' '.join(str(bad).split())}") from None


def _import(path: Path, file: BufferedReader, results: Path | None, progress: Progress) -> ImportedHands:
    size, lines = path.stat().st_size, _lines(file)
    first, header = next(lines, (1, None))
    if not isinstance(header, ExportedHeader):
        raise _BadLineError(first, "expected the header, a line with the schema arena/hands/1")
    spec = _spec(header, first)
    facts = _facts(header, spec, path)
    field = [Entered(entrant.name, entrant.version, "imported", entrant.digest) for entrant in header.entrants]
    *_, new = candidate_folders(header.title)  # the last candidate does not exist yet
    folder, matches, hands = Folder(results or new.path), 0, 0
    with (
        _removing_new_parents_on_error(folder.path),
        # replaces nothing: a folder that is not empty is refused, and the message asks for "another name"
        publishing.replacing(folder.path, what="another name", is_own=lambda _: False) as place,
        Store(place / DATABASE, write=True, witnessed=False) as store,  # no line in a witness if it fails
    ):
        Folder(place).write(folder.spec.name, spec.text)
        with store.deciding():
            store.begin(facts, field)
            for found in _matches(lines):
                _add(store, found, spec, header)
                matches, hands = matches + 1, hands + len(found.hands)
                progress(file.tell(), size)
            store.finish()
        store.into_one_file()
    return ImportedHands(folder, matches, hands)


@contextmanager
def _removing_new_parents_on_error(folder: Path) -> Iterator[None]:
    """Remove the parents of ``folder`` that the block has made, if it ends with an error."""
    made = [path for path in folder.parents if not path.exists()]
    try:
        yield
    except BaseException:
        for path in made:
            with suppress(OSError):  # one that is not empty stays: another process has written into it
                path.rmdir()
        raise


def _lines(file: BufferedReader) -> Iterator[tuple[int, ExportedHeader | ExportedMatch | ExportedHand]]:
    """Yield each line that is not empty, with its number, from 1. Raises: _BadLineError."""
    decode = json.Decoder(ExportedHeader | ExportedMatch | ExportedHand).decode
    text = in_utf8(file)
    for number, line in enumerate(iter(lambda: text.readline(LONGEST + 1), b""), 1):
        if len(line) > LONGEST:
            raise _BadLineError(number, f"expected at most {LONGEST} bytes")
        if not line.strip():
            continue
        try:
            yield number, decode(line)
        except ValidationError as error:
            raise _BadLineError(number, explain(error)) from None
        except MALFORMED as error:
            raise _BadLineError(number, f"{error}; expected JSON lines, as `arena export` writes them") from None


def _spec(header: ExportedHeader, line: int) -> Spec:
    """Return a spec with the title, rules, fault costs and entrants of a header. Raises: _BadLineError."""
    names = [entrant.name for entrant in header.entrants]
    values = {
        "title": header.title,
        "bots": names,
        "rules": header.rules,
        "faults": to_builtins(header.faults),
        "sandbox": "none",
    }
    if len(set(names)) < len(names):
        raise _BadLineError(line, "entrants: expected each name once")
    try:
        return spec_from_values(values, installed_kinds())
    except ArenaError as error:
        raise _BadLineError(line, str(error)) from None


def _facts(header: ExportedHeader, spec: Spec, path: Path) -> dict[str, str]:
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    cited_link = f"; it names the link {header.link}" if header.link else ""
    return UNKNOWN | {
        "kind": KIND,
        "imported": f"{path_text(path.name)}, SHA-256 {digest}{cited_link}",
        "commitment": digest,  # identifies the run on pages and in reviews: there is no seed to commit to
        "title": header.title,
        "spec": spec.text,
        "luck": str(header.luck),
        "walls": json.encode(Assurance(isolated=False, profile="none", missing=("imported",))).decode(),
    }


def _matches(lines: Iterator[tuple[int, ExportedHeader | ExportedMatch | ExportedHand]]) -> Iterator[_NumberedMatch]:
    """Yield each match with the hands that follow it. Raises: _BadLineError."""
    current: _NumberedMatch | None = None
    seen = set[str]()
    for number, line in lines:
        if isinstance(line, ExportedMatch):
            if line.fixture in seen:
                raise _BadLineError(number, f"fixture: {line.fixture!r} is there already; expected each once")
            seen.add(line.fixture)
            if current:
                yield current
            current = _NumberedMatch(number, line, [])
        elif isinstance(line, ExportedHeader):
            raise _BadLineError(number, "a second header; expected a match or a hand")
        elif current is None:
            raise _BadLineError(number, "a hand before its match; expected the line of the match first")
        else:
            _check_place(number, line, current.match)
            current.hands.append((number, line))
    if current:
        yield current


def _check_place(number: int, hand: ExportedHand, match: ExportedMatch) -> None:
    """Raise _BadLineError, unless a hand names the fixture, deals and seats of its match."""
    for key in ("fixture", "deals", "seats"):
        found, expected = getattr(hand, key), getattr(match, key)
        if found != expected:
            raise _BadLineError(number, f"{key}: found {found!r}; expected {expected!r}, as in its match")


def _add(store: Store, found: _NumberedMatch, spec: Spec, header: ExportedHeader) -> None:
    """Judge a match, and store it. Raises: _BadLineError."""
    record = _record(found)
    _judge(found, record, spec.rules, spec.faults)
    try:
        _check_luck(found, record, spec.rules, header.luck)
        store.add(record)
    except ArenaError as error:
        raise _BadLineError(found.line, str(error)) from None


def _record(found: _NumberedMatch) -> MatchRecord:
    match = found.match
    return MatchRecord(
        fixture=match.as_fixture(),
        winner=match.winner,
        hands=tuple(_hand(number, hand, scored=match.scored) for number, hand in found.hands),
        games=match.games,
        faults=match.faults,
        excused=match.excused,
        forfeit=match.forfeit,
        usage=match.usage,
        lost=match.lost,
    )


def _hand(number: int, hand: ExportedHand, *, scored: bool) -> HandRecord:
    """Return the record of the hand in line ``number``. Raises: _BadLineError."""
    try:
        is_whole = cards(hand.deck) == DECK
    except ValueError as error:
        raise _BadLineError(number, f"deck: {error}") from None
    if not is_whole:
        raise _BadLineError(number, f"deck: found {len(hand.deck)} cards; expected all 52")
    if hand.microseconds and len(hand.microseconds) != len(hand.actions):
        raise _BadLineError(number, f"microseconds: found {len(hand.microseconds)}; expected {len(hand.actions)}, as of actions")
    return HandRecord(
        game=hand.game,
        hand=hand.hand,
        dealer=hand.dealer,
        actions=" ".join(_action(number, place, word) for place, word in enumerate(hand.actions)),
        ending=hand.ending,
        winner=hand.winner,
        points=hand.points,
        deadwood=hand.deadwood,
        score=hand.score if scored else None,
        luck=hand.luck,
        spent=hand.microseconds,
        notes=hand.notes,
        deck="".join(hand.deck),
    )


def _action(number: int, place: int, word: str) -> str:
    """Return ``word`` if it is one action; ``place`` is its index in the hand. Raises: _BadLineError."""
    try:
        actions = read_actions(word)
    except ValueError as error:
        raise _BadLineError(number, f"actions[{place}]: {error}") from None
    if len(actions) != 1 or word != word.strip():
        raise _BadLineError(number, f"actions[{place}]: {word!r} is not an action: expected one word")
    return word


def _judge(found: _NumberedMatch, record: MatchRecord, rules: Rules, costs: FaultCosts) -> None:
    """Raise _BadLineError for the first action, result or score that does not follow from the rules."""
    lines = {id(hand): number for hand, (number, _) in zip(record.hands, found.hands, strict=True)}
    for differing, what in differences_by_hand(record, rules, costs, seed=None):
        raise _BadLineError(lines[id(differing)] if differing else found.line, what)
    for (number, hand), before in zip(found.hands, standings(record, rules), strict=True):
        found_text = f"score: found {hand.score[0]} and {hand.score[1]}"
        if hand.score != before.score:
            raise _BadLineError(number, f"{found_text}; expected {before.score[0]} and {before.score[1]}")
        if max(before.score) >= rules.target:
            raise _BadLineError(number, f"{found_text}; expected two numbers below {rules.target}")


def _check_luck(found: _NumberedMatch, record: MatchRecord, rules: Rules, version: int) -> None:
    """Raise _BadLineError for a hand with another luck than that of its draws; StoreError, for an unknown version of luck."""
    if all(hand.luck is None for hand in record.hands):
        return
    for (number, hand), measured in zip(found.hands, add_luck(record, rules, seed=None, version=version).hands, strict=True):
        if hand.luck is None or measured.luck is None:
            continue
        if abs(hand.luck - measured.luck) > LUCK_TOLERANCE:
            raise _BadLineError(number, f"luck: found {hand.luck}; expected {measured.luck:.6f}")
