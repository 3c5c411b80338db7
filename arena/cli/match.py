"""``arena match``: which of two bots is stronger, by how much, and how sure that is."""

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.parts import AsJson, Bot, RulesName, SandboxName, Seed

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from arena.cli.contenders import Contender
    from arena.gin.rules import Rules
    from arena.players.sandboxes.base import Sandbox
    from arena.records import MatchRecord
    from arena.tournament.plan import Plan


def match(
    a: Bot,
    b: Bot,
    *,
    hands: Annotated[int, typer.Option(min=4, max=10_000_000, help="Hands in all; half of them with the seats swapped.")] = 200,
    seed: Seed = None,
    rules: RulesName = "tournament",
    sandbox: SandboxName = None,
    json: AsJson = False,
) -> None:
    """Play single hands between two bots, each deal from both seats, and tell points a hand with their 95 % interval.

    Example: arena match ./mine.py:Mine greedy --hands 1000

    Exit code 1, if a bot committed so many faults that it forfeited.
    """
    import secrets

    from arena.cli import contenders, parts
    from arena.cli.headtohead import Score
    from arena.cli.lines import print_json
    from arena.tournament import roll_call

    field = contenders.found((a, b), ("", "2"))
    table = parts.ruleset(rules, stock="two-ended"), parts.sandbox(sandbox, [bot.entrant.launch for bot in field])
    plan = _plan(field, hands, seed or secrets.token_hex(8), table)
    roll_call.call(plan)
    records: list[MatchRecord] = []
    stopped = _play(plan, records)
    score = Score(plan.names, plan.seed or "", tuple(records))
    if json:
        print_json(score.document())
    else:
        typer.echo("\n".join(score.lines()))
    if stopped:
        raise typer.Exit(3)
    if score.forfeits:
        raise typer.Exit(1)


def _plan(field: "tuple[Contender, ...]", hands: int, seed: str, table: "tuple[Rules, Sandbox]") -> "Plan":
    """Return what a spec with these two bots would plan. Raises: RosterError, for a name that no entrant may have."""
    from arena.cli.contenders import lookup
    from arena.players.remote import LineLimits, TimeLimits
    from arena.referee.faults import FaultCosts
    from arena.stats.ratings.bradley_terry import BradleyTerry
    from arena.tournament import plan, spec
    from arena.tournament.formats.batches import Batches

    rules, sandbox = table
    asked = spec.Spec(
        title=" against ".join(bot.asked for bot in field),
        bots=tuple(spec.Entry(bot.asked, bot.name) for bot in field),
        rules=rules,
        time=TimeLimits(),
        lines=LineLimits(),
        faults=FaultCosts(),
        format=Batches(hands=hands),
        sandbox=sandbox,
        rating=BradleyTerry(),
        reports=(),
        seed=seed,
        text="",
        folder=".",
    )
    return plan.make(asked, seed, lookup(field))


def _play(plan: "Plan", records: "list[MatchRecord]") -> bool:
    """Fill in the records as they are played; tell whether somebody stopped it."""
    from contextlib import closing

    played = _conducted(plan, records)
    try:
        with closing(played):
            for record in played:
                records.append(record)
    except KeyboardInterrupt:
        return True
    return False


def _conducted(plan: "Plan", records: "Sequence[MatchRecord]") -> "Generator[MatchRecord, None, None]":
    from functools import partial

    from arena.cli.log import log_nowhere
    from arena.cli.venue import cores
    from arena.cli.worker import prepare
    from arena.records import result
    from arena.tournament.director import conduct
    from arena.tournament.executors.local import Local

    log_nowhere()  # faults are told at the end, and not twice
    plan.spec.sandbox.assurance()  # proved here once, not by every worker
    workers = cores()
    pool = partial(Local().open, workers, partial(prepare, log_nowhere))
    return conduct(plan, lambda: [result(record) for record in records], pool, 2 * workers)
