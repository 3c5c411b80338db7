"""Matches that authors ask for: rated ones wait in the chain until a round takes them, friendly ones are played at once.

A friendly match is a run in a folder of its own, ``friendly/NUMBER`` in the league's folder, on deals that are drawn for it. It is
in no chain, no table and no export. Its bots begin with nothing learned and keep nothing.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from msgspec import DecodeError, Struct, json
from msgspec.structs import replace

from arena.errors import InputError, StoreError
from arena.league import folder as leagues
from arena.league.folder import OpenLeague, add, write_private
from arena.league.intake import copies
from arena.league.rules.challenges import Challenges
from arena.league.rules.events import Challenged
from arena.league.rules.field import Version
from arena.league.submit import find_version
from arena.moments import Moment, now
from arena.records import MatchRecord
from arena.roster.manifest import Reader
from arena.runs import plans
from arena.runs.confined_reading import confined_reader
from arena.runs.plans import ResolvedBot
from arena.runs.play import Observer, OpenRun, Runner, play
from arena.runs.session import RunStart
from arena.stats.pairs import pairs
from arena.store.folder import Folder
from arena.tournament.plan import Plan

FOLDER = "friendly"
RECORD = "challenge.json"
SHOWN = 20  # friendly matches of an author


class AskedChallenge(Struct, frozen=True, kw_only=True):
    """A rated match that was asked for, or a friendly one that was played."""

    version: str
    opponent: str
    rated: bool
    author: str  # who asked
    at: Moment
    place: int = 0  # of a rated one: that of its event; of a friendly one: the number of its folder
    waiting: int = 0  # rated ones that wait, with this one
    won: tuple[int, int] = (0, 0)  # pairs of legs won by each, of a friendly one
    hands: int = 0
    points_a_hand: float = 0.0  # of ``version``, net
    faults: tuple[int, int] = (0, 0)  # of each


def ask_rated(path: Path, version: str, opponent: str, by: str | None = None) -> AskedChallenge:
    """Store a challenge, and return it; ``by`` must be the author of the version, if it is given.

    Raises: InputError, StoreError, SpecError.
    """
    with leagues.open_league(path, write=True) as league, league.store.deciding():
        events = leagues.events_of(league.store)
        field, known = leagues.field(league.store), Challenges(events)
        mine, other = find_version(field, version), find_version(field, opponent)
        _check_author(mine, by)
        event = Challenged(at=now(), version=mine.id, opponent=other.id)
        known.check(event, field, league.spec.challenges)
        add(league.store, event)
        known.add(event)
        return AskedChallenge(
            version=mine.id,
            opponent=other.id,
            rated=True,
            author=mine.author,
            at=event.at,
            place=len(events) + 1,
            waiting=len(known.waiting),
        )


def play_friendly(path: Path, version: str, opponent: str, runner: Runner, observer: Observer) -> AskedChallenge:
    """Play a friendly match and store it apart. Raises: InputError, StoreError, SpecError, RosterError, SandboxError."""
    with leagues.open_league(path) as league:
        field = leagues.field(league.store)
        mine, other = find_version(field, version), find_version(field, opponent)
        if mine is other:
            raise InputError(f"found {mine.id} twice; expected two versions")
        plan = _plan(league, (mine, other))
    asked = AskedChallenge(version=mine.id, opponent=other.id, rated=False, author=mine.author, at=now(), place=_new_folder(path))
    folder = Folder(path / FOLDER / str(asked.place))
    done = _result(play(RunStart(plan=plan, folder=folder), runner, observer, _records, log_level=None), plan.names, asked)
    write_private(folder.path / RECORD, json.encode(done).decode())
    return done


def friendlies(path: Path, author: str) -> list[AskedChallenge]:
    """Return the last friendly matches of an author, the last one first."""
    return [one for one in _stored(path) if one.author == author][:SHOWN]


def _check_author(version: Version, by: str | None) -> None:
    if by is not None and version.author != by:
        raise InputError(f"{version.id} is of {version.author}; expected a bot of {by}")


def _plan(league: OpenLeague, both: Sequence[Version]) -> Plan:
    """Return the plan of a friendly match under the rules and limits of the league. Raises: RosterError, StoreError."""
    spec = league.spec
    with confined_reader(spec.sandbox) as reader:
        found = [_bot(one, league.folder.path, reader) for one in both]
    form = {"name": "round-robin", "pairs": spec.pairs}
    if spec.hands is not None:
        form = {"name": "batches", "hands": 2 * spec.hands * spec.pairs}
    values = {
        "title": f"{both[0].id} against {both[1].id}, friendly",
        "rules": spec.rules,
        "time": spec.time,
        "lines": spec.lines,
        "faults": spec.faults,
        "sandbox": spec.sandbox,
        "format": form,
    }
    return plans.from_values(values, found, None)


def _bot(version: Version, path: Path, reader: Reader) -> ResolvedBot:
    """Return a version under a name that a spec may have, which ``ann-bot@3`` is not."""
    found = copies.entrant(version, path, reader)
    return ResolvedBot(found.source, replace(found, name=f"{version.name[:40]}.{version.number}"))


def _new_folder(path: Path) -> int:
    """Make a folder for a friendly match, and return its number. Raises: StoreError."""
    parent = path / FOLDER
    try:
        parent.mkdir(mode=0o700, exist_ok=True)
        for number in count(1 + max((int(one.name) for one in parent.iterdir() if one.name.isdecimal()), default=0)):
            with suppress(FileExistsError):
                (parent / str(number)).mkdir()
                return number
    except OSError as error:
        raise StoreError(f"{parent}: cannot be written: {error.strerror}") from None
    raise AssertionError("numbers do not end")


def _records(run: OpenRun) -> list[MatchRecord]:
    return list(run.store.records())


def _result(records: Sequence[MatchRecord], names: Sequence[str], asked: AskedChallenge) -> AskedChallenge:
    """Return a friendly match with its result."""
    found = list(pairs(records))
    sign = 1 if names[0] < names[1] else -1  # a pair is told from the side of the first by name
    outcomes = [sign * pair.outcome for pair in found]
    hands = sum(pair.hands for pair in found)
    points = sign * sum(pair.points[0] - pair.points[1] for pair in found)
    faults = [sum(record.fixture.seats[fault.seat] == name for record in records for fault in record.faults) for name in names]
    return replace(
        asked,
        won=(outcomes.count(1), outcomes.count(-1)),
        hands=hands,
        points_a_hand=points / max(hands, 1),
        faults=(faults[0], faults[1]),
    )


def _stored(path: Path) -> Iterator[AskedChallenge]:
    """Yield the friendly matches that were played to their end, the last one first; what cannot be read is left out."""
    with suppress(FileNotFoundError):
        for number in sorted((int(one.name) for one in (path / FOLDER).iterdir() if one.name.isdecimal()), reverse=True):
            with suppress(OSError, DecodeError, RecursionError):
                yield json.decode((path / FOLDER / str(number) / RECORD).read_bytes(), type=AskedChallenge)
