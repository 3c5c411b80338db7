"""``arena replay``: a run's fixtures, a fixture's hands, a hand turn by turn."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.records import HandRecord, MatchRecord
    from arena.store.store import Store


def replay(
    run_dir: Annotated[Path, typer.Argument(help="The folder of a run.", show_default=False)],
    fixture: Annotated[str | None, typer.Argument(help="A fixture; left out, they are listed.", show_default=False)] = None,
    hand: Annotated[
        str | None,
        typer.Argument(help="A hand of it, as 0.3 (game.hand, counted from 0); left out, they are listed.", show_default=False),
    ] = None,
    *,
    seat: Annotated[
        int | None, typer.Option(min=0, max=1, help="Show a hand as this seat saw it; by default both are open.")
    ] = None,
) -> None:
    """Show a run from above: its fixtures, then the hands of one, then a hand turn by turn.

    Example: arena replay results/quickstart-2026-01-31 greedy:cautious/0/0 0.3 --seat 0
    """
    from arena.store.folder import existing
    from arena.store.store import Store

    with Store(existing(run_dir).database) as store:
        for line in _lines(store, fixture, hand, seat):
            typer.echo(line)


def _lines(store: "Store", fixture: str | None, hand: str | None, seat: int | None) -> "Iterator[str]":
    if fixture is None:
        return _fixtures(store)
    record = store.record(fixture)
    return _hands(record) if hand is None else _turns(store, record, _hand(record, hand), seat)


def _fixtures(store: "Store") -> "Iterator[str]":
    for result in store.results():
        zero, one = result.fixture.seats
        games, points, winner = result.games, result.points, result.winner
        won = "" if winner is None else f", {result.fixture.seats[winner]} won"
        yield (
            f"{result.fixture.id}: games {zero} {games[0]}, {one} {games[1]};"
            f" points {points[0]}–{points[1]}, {result.hands} hands{won}"
        )


def _hands(record: "MatchRecord") -> "Iterator[str]":
    for hand in record.hands:
        winner = "nobody" if hand.winner is None else record.fixture.seats[hand.winner]
        left = f"deadwood {hand.deadwood[0]} and {hand.deadwood[1]}"
        yield f"{hand.game}.{hand.hand}: {hand.ending.value}, {winner} {hand.points}, {left}"
    for fault in record.faults:
        yield f"{fault.game}.{fault.hand}: fault of {record.fixture.seats[fault.seat]}: {fault.kind}: {fault.detail}"


def _hand(record: "MatchRecord", name: str) -> "HandRecord":
    from arena.errors import InputError

    for hand in record.hands:
        if name == f"{hand.game}.{hand.hand}":
            return hand
    last = record.hands[-1]
    raise InputError(f"no hand {name!r} in {record.fixture.id}; expected 0.0 to {last.game}.{last.hand}")


def _turns(store: "Store", record: "MatchRecord", hand: "HandRecord", seat: int | None) -> "Iterator[str]":
    from arena.plugins import manager
    from arena.reports.playthrough import playthrough
    from arena.tournament import spec

    facts = store.facts()
    rules = spec.parse(store.fact("spec"), manager.kinds(manager.load()), "spec.yaml").rules
    yield from playthrough(record, hand, rules, facts["seed"], seat)
