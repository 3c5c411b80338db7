"""``arena duel``: two bots, until it is known which is stronger."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arena.cli.outcomes import line, told
from arena.cli.parts import SandboxName, Where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.cli.comparing import Finished
    from arena.cli.venue import Venue
    from arena.stats.outcome import Outcome
    from arena.store.folder import Folder
    from arena.store.store import Store
    from arena.tournament.plan import Plan

Bounds = tuple[float, float]
Workers = Annotated[int | None, typer.Option(min=1, max=1024, help="Legs played at a time; by default one for each core.")]
Seed = Annotated[str | None, typer.Option(help="Seed of the deals; by default one drawn in secret.")]
Alpha = Annotated[float, typer.Option(help="The chance to call a bot better that is not.")]
Beta = Annotated[float, typer.Option(help="The chance to call a bot not as good that is.")]
Most = Annotated[
    int, typer.Option(min=2, max=10_000_000, help="Undecided after so many hands; legs that were begun are played to their end.")
]
Leg = Annotated[int, typer.Option(min=1, max=10_000, help="Hands that a process plays.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document; progress goes to standard error.")]


def duel(
    a: Annotated[str, typer.Argument(help="A bot: an installed one's name, path/to/bot.py:Class, or path/to/bot.yaml.")],
    b: Annotated[str, typer.Argument(help="The bot to compare it with.")],
    *,
    statistic: Annotated[
        Literal["points", "equity", "games", "matches"],
        typer.Option(help="What is compared: points a hand; percent of a game that a hand wins; games or matches won, in Elo."),
    ] = "points",
    bounds: Annotated[
        Bounds | None,
        typer.Option(metavar="LOW HIGH", help="Better than LOW, or not as good as HIGH? By default 0 0.5; Elo: 0 20."),
    ] = None,
    hands: Most = 20_000,
    alpha: Alpha = 0.05,
    beta: Beta = 0.05,
    leg: Leg = 20,
    sandbox: SandboxName = None,
    executor: Where = "local",
    workers: Workers = None,
    results: Annotated[Path | None, typer.Option(help="Folder of this duel; by default one in results/.")] = None,
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Play two bots on the same deals from both seats, until it is known which is stronger, and no longer.

    Example: arena duel greedy cautious

    The bounds hold whenever it stops, by hand too; the same command goes on from there.
    """
    from arena.cli import comparing, contenders, session
    from arena.cli.venue import Venue
    from arena.plugins import manager

    field = contenders.found((a, b), ("", "2"))
    terms = comparing.Terms(
        statistic=statistic, bounds=bounds or usual(statistic), alpha=alpha, beta=beta, hands=hands, leg=leg, sandbox=sandbox
    )
    plan = comparing.duel(field, terms, seed)
    venue = Venue(manager.load(), executor, workers)
    finished = play(plan, session.folder_of(plan, results), venue)
    if as_json:
        from arena.cli.lines import print_json

        print_json({"a": field[0].name, "b": field[1].name, **fields(finished)})
        return
    typer.echo("\n".join(told(field[0].name, field[1].name, finished.outcome)))


def usual(statistic: str) -> Bounds:
    """Return the bounds of a question that nobody has set."""
    return {"points": (0.0, 0.5), "equity": (0.0, 0.15)}.get(statistic, (0.0, 20.0))


def play(plan: "Plan", folder: "Folder", venue: "Venue") -> "Finished":
    """Play a comparison in its folder. Exit code 3, if somebody stops it."""
    from functools import partial

    from arena.cli import session
    from arena.cli.comparing import Comparison
    from arena.cli.log import logging_to
    from arena.cli.worker import prepare, stoppable
    from arena.store.store import Store
    from arena.tournament import plan as plans

    assurance = plans.walled_in(plan)
    session.warn(session.warnings(assurance))
    with folder.locked(), Store(folder.database, write=True) as store:
        plan = session.begin(plan, folder, store, assurance)
        typer.echo(session.told(plan, folder), err=True)
        try:
            with logging_to(folder.log, "INFO") as log, stoppable():
                session.call_the_roll(plan, store)
                finished = Comparison(plan, _Lines()).play(folder, store, venue, partial(prepare, log))
        except KeyboardInterrupt:
            typer.echo(f"stopped; what was played is safe in {folder.path}, and the same command goes on from there", err=True)
            raise typer.Exit(3) from None
        session.warn(faulty(store))
        return finished


def faulty(store: "Store") -> "Iterator[str]":
    """Yield what is to be known of bots that broke the rules, or broke: a fault costs a hand, and is no weakness of play."""
    from collections import Counter

    counts, first = Counter[str](), dict[str, str]()
    for name, fault in store.faults():
        counts[name] += 1
        first.setdefault(name, f"{fault.kind}: {fault.detail}")
    for name, count in sorted(counts.items()):
        yield f"{name} committed {count} fault{'s' * (count > 1)}, the first: {first[name]}; `arena bots check` looks for the cause"


def fields(finished: "Finished") -> dict[str, object]:
    """Return a finished comparison for JSON."""
    from msgspec.structs import asdict

    return {**asdict(finished.outcome), "results": finished.folder, "seed": finished.seed}


class _Lines:
    """A line after every round that was played, on standard error."""

    def __init__(self) -> None:
        self._hands = -1

    def __call__(self, outcome: "Outcome") -> None:
        if outcome.hands > self._hands:
            self._hands = outcome.hands
            typer.echo(line(outcome), err=True)
