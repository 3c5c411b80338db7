"""Chains all that is filed by hash, so that whatever is changed later is found and named.

Each thing filed is a subject: ``run KEY``, ``entrant NAME`` or ``match FIXTURE``. Its link is the SHA-256 of the link before (of
nothing, for the first) and then of its rows, a line for each: ``["hand",{"match":1,"game":0, …}]`` in compact JSON, columns
in the order of their table, NULL left out. So a column that a later schema adds is NULL in older rows, or the chain is broken.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from sqlite3 import Connection

from msgspec import Struct, json


class Change(Struct, frozen=True):
    """Something that is not as it was filed."""

    subject: str  # ``run KEY``, ``entrant NAME`` or ``match FIXTURE``; or ``database``, the file itself
    what: str

    @property
    def fixture(self) -> str | None:
        """Return the fixture whose record it is; None: of no record."""
        kind, _, name = self.subject.partition(" ")
        return name if kind == "match" else None


ROWS = {  # of a kind of subject, by table
    "run": {"run": "SELECT * FROM run WHERE key = ?"},
    "entrant": {"entrant": "SELECT * FROM entrant WHERE name = ?"},
    "match": {
        "match": "SELECT * FROM match WHERE fixture = ?",
        "game": "SELECT game.* FROM game JOIN match ON game.match = match.id WHERE fixture = ? ORDER BY game.number",
        "hand": "SELECT hand.* FROM hand JOIN match ON hand.match = match.id WHERE fixture = ? ORDER BY hand.game, hand.number",
        "fault": "SELECT fault.* FROM fault JOIN match ON fault.match = match.id WHERE fixture = ? ORDER BY fault.number",
    },
}
SUBJECTS = (
    "SELECT 'run ' || key FROM run ORDER BY key",
    "SELECT 'entrant ' || name FROM entrant ORDER BY place",
    "SELECT 'match ' || fixture FROM match ORDER BY id",
)


def append(database: Connection, subjects: Iterable[str]) -> None:
    """Chain subjects that have just been filed, in the same transaction."""
    number, link = database.execute("SELECT number, link FROM chain ORDER BY number DESC LIMIT 1").fetchone() or (0, "")
    for subject in subjects:
        number, link = number + 1, _link(database, link, subject)
        database.execute("INSERT INTO chain VALUES (?, ?, ?)", (number, subject, link))


def everything(database: Connection) -> Iterator[str]:
    """Yield every subject that is filed."""
    for query in SUBJECTS:
        for (subject,) in database.execute(query):
            yield subject


def changes(database: Connection) -> Iterator[Change]:
    """Yield whatever is not as it was filed. What follows a broken link is judged from the link that is there."""
    before = ""
    seen = set[str]()
    for place, (number, subject, link) in enumerate(database.execute("SELECT * FROM chain ORDER BY number"), 1):
        seen.add(subject)
        if number != place:
            yield Change(subject, f"link {number} of the chain stands where link {place} should")
            return
        if link != _link(database, before, subject):
            yield Change(subject, f"not as it was filed: link {number} of the chain does not fit")
        before = link
    yield from (Change(subject, "filed, but not in the chain") for subject in everything(database) if subject not in seen)


def _link(database: Connection, before: str, subject: str) -> str:
    return sha256("\n".join([before, subject, *_lines(database, subject)]).encode()).hexdigest()


def _lines(database: Connection, subject: str) -> Iterator[str]:
    kind, _, name = subject.partition(" ")
    for table, query in ROWS.get(kind, {}).items():
        cursor = database.execute(query, (name,))
        columns = [column[0] for column in cursor.description]
        for row in cursor:
            told = {column: value for column, value in zip(columns, row, strict=True) if value is not None}
            yield json.encode([table, told]).decode()
