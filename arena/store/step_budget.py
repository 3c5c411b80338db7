"""Limits on the work that reading an untrusted database may take.

The pages of a damaged or malicious file can refer to each other so that a table never ends. So each pass over the file gets a
budget of steps of SQLite's virtual machine, in proportion to the file's size. Source: https://www.sqlite.org/security.html.
"""

import sqlite3
from pathlib import Path

from arena.store.problems import size

CHECK_EVERY = 100_000  # steps
STEPS = 20_000_000  # for a pass over any file; about a second
STEPS_PER_BYTE = 20  # added to STEPS; results(), the most expensive pass, was measured at 0.3
LONGEST = 1 << 24  # bytes of a value, and of a row


class StepBudget:
    """The number of steps that a connection may still take."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._left = 0
        self.add_pass()

    def add_pass(self) -> None:
        """Add the steps of one pass over the file at its present size."""
        self._left += STEPS + STEPS_PER_BYTE * size(self._path)

    def spend(self) -> bool:
        """Subtract ``CHECK_EVERY`` steps; True, which stops the statement, if none are left. Source: sqlite3_progress_handler."""
        self._left -= CHECK_EVERY
        return self._left < 0


def restrict(database: sqlite3.Connection, path: Path) -> StepBudget:
    """Make a connection run no code of the database's schema, refuse huge values, and count its steps."""
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    budget = StepBudget(path)
    database.set_progress_handler(budget.spend, CHECK_EVERY)
    return budget
