"""What was played before a run that continues others: the parts of a comparison that is continued with fresh deals."""

import re
from collections.abc import Iterator, Sequence

from arena.runs import session
from arena.store.folder import Folder
from arena.store.store import Facts, Store
from arena.tournament.plan import Earlier, PlayedPart

NAME = re.compile(r"part-(\d+)")


def parts_of(first: Folder) -> Iterator[Folder]:
    """Yield the parts of a comparison, in order."""
    part, number = first, 1
    while part.database.is_file():
        yield part
        number += 1
        part = Folder(first.path / f"part-{number}")


def before(folder: Folder) -> Earlier:
    """Return the results from before a part; none before the first. Raises: StoreError."""
    named = NAME.fullmatch(folder.path.name)
    if named is None:
        return Earlier()
    return in_parts([part for part, _ in zip(parts_of(Folder(folder.path.parent)), range(int(named[1]) - 1), strict=False)])


def earlier_of_run(folder: Folder, facts: Facts) -> Earlier:
    """Return the results from before a run that continues others; none for any other run. Raises: StoreError."""
    return before(folder) if session.CONTINUES in facts else Earlier()


def in_parts(parts: Sequence[Folder]) -> Earlier:
    """Return the results of some parts. Raises: StoreError."""
    found = Earlier()
    for part in parts:
        with Store(part.database) as store:
            results = store.results()
            played = PlayedPart(str(part.path), store.fact("seed"), sum(result.hands for result in results))
            found = Earlier((*found.results, *results), (*found.parts, played), store.last_link())
    return found
