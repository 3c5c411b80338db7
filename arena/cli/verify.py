"""``arena verify``: a run judged again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.store.folder import Folder
    from arena.store.store import Store


def verify(
    run_dir: Annotated[Path, typer.Argument(help="The folder of a run.", show_default=False)],
    *,
    replay: Annotated[
        bool, typer.Option("--replay", help="Have the bots play every match again, and compare every action.")
    ] = False,
) -> None:
    """Deal every hand again from the seed, judge every action again, and say what differs. Exit code 1, if anything does.

    Example: arena verify results/quickstart-2026-01-31

    What was changed in the database after it was filed is found too, by the chain of hashes and the seed's commitment. With
    --replay a bot that does not play the same twice is named, and is no difference.
    """
    from arena.errors import DamagedError
    from arena.store.folder import existing
    from arena.store.store import Store

    folder = existing(run_dir)
    audit = _Audit()
    try:
        with Store(folder.database) as store:
            _stop_at_the_first(audit.differences(folder, store))
            told = _replayed(folder, store) if replay else ""
    except DamagedError as error:
        typer.echo(f"difference: {error}")
        raise typer.Exit(1) from None
    typer.echo(f"{audit.hands} hands, 0 differences")
    if told:
        typer.echo(told)


def _stop_at_the_first(differences: "Iterator[str]") -> None:
    for difference in differences:
        typer.echo(f"difference: {difference}")
        raise typer.Exit(1)


def _replayed(folder: "Folder", store: "Store") -> str:
    """Have every match played again, and return what came of it."""
    from arena.cli.parts import spec_on_file
    from arena.cli.replays import Replays

    replays = Replays(store, spec_on_file(folder, store))
    _stop_at_the_first(replays.differences())
    return replays.told()


class _Audit:
    """Counts the hands as it goes."""

    def __init__(self) -> None:
        self.hands = 0

    def differences(self, folder: "Folder", store: "Store") -> "Iterator[str]":
        """Yield whatever is not as it should be, the cause before its effects."""
        store.fact("spec")  # has it begun?
        yield from store.damage()
        yield from _seed_differences(store)
        yield from self._record_differences(folder, store)

    def _record_differences(self, folder: "Folder", store: "Store") -> "Iterator[str]":
        from arena.cli.parts import spec_on_file
        from arena.referee.audit import differences

        read = spec_on_file(folder, store)
        seed = store.fact("seed")
        for record, (fixture, as_filed) in zip(store.records(), store.linked(), strict=True):
            self.hands += len(record.hands)
            yield from differences(record, read.rules, read.faults, seed)
            if not as_filed:
                yield f"{fixture}: its record was changed after it was filed"


def _seed_differences(store: "Store") -> "Iterator[str]":
    from arena.cli.session import commitment

    committed, found = store.fact("commitment"), commitment(store.fact("seed"))
    if committed != found:
        yield f"seed: its SHA-256 is {found}; committed was {committed}"
