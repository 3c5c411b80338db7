"""What somebody does to a run who can change its folder, and knows how the chain is made (arena/store/chain.py)."""

import sqlite3
from contextlib import closing
from pathlib import Path

from arena.store import chain, witness
from arena.store.folder import DATABASE


def forge(folder: Path, statements: str) -> None:
    """Change a database by statements of SQL, and make its chain anew."""
    with closing(sqlite3.connect(folder / DATABASE)) as database, database:
        database.executescript(statements)
        database.execute("UPDATE run SET value = ? WHERE key = ?", (chain.digests(database), chain.DIGESTS))
        before = chain.start(chain.fact(database, chain.DIGESTS))
        for number, fixture, _ in database.execute(chain.LINKS).fetchall():
            table, rows = ("match", chain.RECORD) if fixture else ("event", chain.EVENT)
            before = chain.link(database, rows, number, before)
            database.execute(f"UPDATE {table} SET chain = ? WHERE id = ?", (before, number))  # noqa: S608 - names from above
        database.execute("UPDATE run SET value = ? WHERE key = ?", (chain.end(before), chain.END))


def remove_witness(folder: Path) -> None:
    """Remove what has seen the links of a run, so that it does not contradict a database."""
    (folder / witness.WITNESS_FILE).unlink(missing_ok=True)
