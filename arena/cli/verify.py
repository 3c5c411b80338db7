"""``arena verify``: a run judged again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arena.records import MatchRecord
    from arena.store.store import Store
    from arena.tournament.spec import Spec


def verify(run_dir: Annotated[Path, typer.Argument(help="The folder of a run.", show_default=False)]) -> None:
    """Find whatever was changed after it was filed, and judge every hand again from its deal. Exit code 1 at the first difference.

    Example: arena verify results/quickstart-2026-01-31
    """
    from functools import cache

    from arena.plugins import manager
    from arena.store.folder import existing
    from arena.store.store import Store
    from arena.tournament import spec

    folder = existing(run_dir)
    with Store(folder.database) as store:
        read = cache(lambda: spec.parse(store.fact("spec"), manager.kinds(manager.load()), str(folder.spec)))
        store.begun()
        _stop_at_the_first(_changes(store, read))
        _stop_at_the_first(_run_differences(store, read()))
        hands = 0
        for record in store.records():
            hands += len(record.hands)
            _stop_at_the_first(_judged(record, read(), store.fact("seed")))
    typer.echo(f"{hands} hands, 0 differences")


def _stop_at_the_first(differences: "Iterable[str]") -> None:
    from arena.errors import in_one_line

    for difference in differences:
        typer.echo(f"difference: {in_one_line(difference)}")
        raise typer.Exit(1)


def _changes(store: "Store", spec: "Callable[[], Spec]") -> "Iterator[str]":
    """Yield what was changed since it was filed; of a record first what the rules say against it, for that names the hand.

    The facts of a run come before its records in the chain, so the spec is sound where a record is the first that is not.
    """
    for change in store.changes():
        if change.fixture:
            yield from _ruled(store, change.fixture, spec())
        yield f"{change.fixture or change.subject}: {change.what}"


def _ruled(store: "Store", fixture: str, spec: "Spec") -> "Iterator[str]":
    from arena.errors import StoreError

    try:
        record = store.record(fixture)
    except StoreError:  # it is gone, or no record any more; that it was changed is told all the same
        return
    yield from _judged(record, spec, store.fact("seed"))


def _run_differences(store: "Store", spec: "Spec") -> "Iterator[str]":
    """Yield what is wrong with the run as a whole."""
    from arena.cli.session import commitment

    facts = store.facts()
    if commitment(facts["seed"]) != facts["commitment"]:
        yield "run seed: not the one that was committed before the first bot started"
    if "finished" in facts:
        names = [entrant.name for entrant in store.field()]
        for fixture in spec.format.fixtures(names, store.results()):
            yield f"{fixture.id}: not on record, though the run is finished"


def _judged(record: "MatchRecord", spec: "Spec", seed: str) -> "Iterator[str]":
    from arena.referee.audit import differences

    return differences(record, spec.rules, spec.faults, seed)
