"""``arena replay``: a run's fixtures, a fixture's hands, a hand turn by turn."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from msgspec import Struct

from arena.cli.lines import print_json
from arena.cli.options import AsJson, RunDir
from arena.cli.terminal import print_lines
from arena.errors import InputError
from arena.records import Fault, HandRecord, MatchRecord, Result
from arena.reports.faults import group_faults, lines
from arena.reports.numbers import count
from arena.reports.played import playthrough, replayed_hand
from arena.results.stored import stored_run
from arena.runs.plans import kinds
from arena.store.folder import Folder, existing
from arena.store.store import Store


class Fixtures(Struct, frozen=True, kw_only=True):
    """The fixtures of a run, in the order of play."""

    fixtures: Sequence[Result]


def replay(
    run_dir: RunDir,
    fixture: Annotated[str | None, typer.Argument(help="A fixture; left out, they are listed.", show_default=False)] = None,
    hand: Annotated[
        str | None,
        typer.Argument(help="A hand of it, as 0.3 (game.hand, counted from 0); left out, they are listed.", show_default=False),
    ] = None,
    *,
    seat: Annotated[
        int | None, typer.Option(min=0, max=1, help="Show a hand as this seat saw it; by default both are open.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Show a run from above: its fixtures, then the hands of one, then a hand turn by turn.

    Example: arena replay results/quickstart-2026-01-31 greedy:cautious/0/0 0.3 --seat 0
    """
    folder = existing(run_dir)
    with Store(folder.database) as store:
        if json:
            _print_document(folder, store, fixture, hand, seat)
        else:
            print_lines(_lines(folder, store, fixture, hand, seat))


def _print_document(folder: Folder, store: Store, fixture: str | None, hand: str | None, seat: int | None) -> None:
    if fixture is None:
        print_json("replay-run", Fixtures(fixtures=store.results()))
        return
    record = store.record(fixture)
    if hand is None:
        print_json("replay-fixture", record)
        return
    run = stored_run(folder, store, kinds())
    print_json("replay-hand", replayed_hand(record, _hand(record, hand), run.spec.rules, run.seed_of(fixture), seat))


def _lines(folder: Folder, store: Store, fixture: str | None, hand: str | None, seat: int | None) -> Iterator[str]:
    if fixture is None:
        return _fixtures(store)
    record = store.record(fixture)
    return _hands(record) if hand is None else _turns(folder, store, record, _hand(record, hand), seat)


def _fixtures(store: Store) -> Iterator[str]:
    for result in store.results():
        zero, one = result.fixture.seats
        games, points, winner = result.games, result.points, result.winner
        won = "" if winner is None else f", {result.fixture.seats[winner]} won"
        yield (
            f"{result.fixture.id}: games {zero} {games[0]}, {one} {games[1]};"
            f" points {points[0]}–{points[1]}, {count(result.hands, 'hand')}{won}"
        )


def _hands(record: MatchRecord) -> Iterator[str]:
    for hand in record.hands:
        winner = "nobody" if hand.winner is None else record.fixture.seats[hand.winner]
        left = f"deadwood {hand.deadwood[0]} and {hand.deadwood[1]}"
        yield f"{hand.game}.{hand.hand}: {hand.ending.value}, {winner} {hand.points}, {left}"
    yield from _faults(record, record.faults)


def _faults(record: MatchRecord, several: Sequence[Fault]) -> Iterator[str]:
    named = [(record.fixture.seats[fault.seat], record.fixture.id, fault) for fault in several]
    for line in lines(group_faults(named), len(named)):
        yield f"fault of {line}"


def _hand(record: MatchRecord, name: str) -> HandRecord:
    for hand in record.hands:
        if name == f"{hand.game}.{hand.hand}":
            return hand
    expected = f"0.0 to {record.hands[-1].game}.{record.hands[-1].hand}" if record.hands else "none, for it has no hands"
    raise InputError(f"no hand {name!r} in {record.fixture.id}; expected {expected}")


def _turns(folder: Folder, store: Store, record: MatchRecord, hand: HandRecord, seat: int | None) -> Iterator[str]:
    run = stored_run(folder, store, kinds())
    yield from playthrough(record, hand, run.spec.rules, run.seed_of(record.fixture.id), seat)
    yield from _faults(record, [fault for fault in record.faults if (fault.game, fault.hand) == (hand.game, hand.hand)])
