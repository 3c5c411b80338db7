"""The parts of a comparison that was continued with fresh deals: each is a run, and continues those before it."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from arena.runs.agreement import CONTINUES
from arena.store.folder import Folder
from arena.store.store import Facts, Store
from arena.tournament.plan import Earlier, PlayedPart

PART = re.compile(r"part-(\d+)")


def comparison_parts(first: Folder) -> Iterator[Folder]:
    """Yield the folders of a comparison's parts, in order."""
    part, number = first, 1
    while part.database.is_file():
        yield part
        number += 1
        part = Folder(first.inside(f"part-{number}"))


def earlier_of_run(folder: Folder, facts: Facts) -> Earlier:
    """Return the results of the runs that a run continues: the parts before a part; none for any other. Raises: StoreError."""
    named = PART.fullmatch(folder.path.name) if CONTINUES in facts else None
    parts = islice(comparison_parts(Folder(folder.path.parent)), int(named[1]) - 1) if named else ()
    return earlier_of_parts(parts)


def earlier_of_parts(parts: Iterable[Folder]) -> Earlier:
    """Return the results of parts, which are in order. Raises: StoreError."""
    found = Earlier()
    for part in parts:
        with Store(part.database) as store:
            results = store.results()
            played = PlayedPart(str(part.path), store.fact("seed"), sum(result.hands for result in results))
            found = Earlier((*found.results, *results), (*found.parts, played), store.last_link())
    return found
