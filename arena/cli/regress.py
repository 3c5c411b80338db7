"""``arena regress``: has a bot become weaker than it was? Asked head to head, and then against the field."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

from arena.cli import regression
from arena.cli.duel import Alpha, AsJson, Beta, Leg, Most, Seed, Workers
from arena.cli.parts import SandboxName, Where
from arena.cli.regression import Part, Regression
from arena.stats.sequential import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.cli.baselines import Baselines
    from arena.cli.comparing import Terms
    from arena.cli.contenders import Contender
    from arena.cli.venue import Venue
    from arena.tournament.plan import Plan

SUFFIXES = ("candidate", "baseline", "opponent")  # of bots that would have the same name


def regress(
    candidate: Annotated[str, typer.Argument(help="The bot as it is now: a name, path/to/bot.py:Class, or path/to/bot.yaml.")],
    *,
    against: Annotated[str, typer.Option(help="The bot as it was; or its name in the file of baselines.")],
    gauntlet: Annotated[
        list[str] | None, typer.Option(help="An opponent that both meet on the same deals; may be given several times.")
    ] = None,
    stronger: Annotated[bool, typer.Option("--stronger", help="Ask for more than not weaker, head to head.")] = False,
    within: Annotated[float, typer.Option(min=0.01, max=30, help="Points a hand between the two bounds of the question.")] = 0.5,
    hands: Most = 20_000,
    alpha: Alpha = 0.05,
    beta: Beta = 0.05,
    leg: Leg = 20,
    baselines: Annotated[
        Path | None, typer.Option(help="JSON file that pins baselines by content digest, and keeps verdicts; made if missing.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write the outcome as JUnit XML too.")] = None,
    sandbox: SandboxName = None,
    executor: Where = "local",
    workers: Workers = None,
    results: Annotated[Path | None, typer.Option(help="Folder for the two runs; by default folders in results/.")] = None,
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Tell whether a bot is not weaker than its baseline: head to head, then against the field on common deals.

    Example: arena regress mine.py:Mine --against old/mine.py:Mine --gauntlet greedy

    Exit codes: 0 not weaker (stronger, if asked), 4 weaker (not stronger), 5 undecided at the limit of hands.
    """
    from arena.cli import comparing, contenders, writable
    from arena.cli.baselines import Baselines
    from arena.cli.junit import write
    from arena.cli.venue import Venue
    from arena.plugins import manager

    for file in filter(None, (junit, baselines)):
        writable.check(file)
    pinned = Baselines.read(baselines)
    asked = (candidate, pinned.bot(against), *(gauntlet or ()))
    field = contenders.found(asked, (*SUFFIXES[:2], *([SUFFIXES[2]] * len(asked[2:]))))
    pinned.check(against, field[1].entrant)
    terms = comparing.Terms(
        bounds=(0.0, within) if stronger else (-within, 0.0), alpha=alpha, beta=beta, hands=hands, leg=leg, sandbox=sandbox
    )
    venue = Venue(manager.load(), executor, workers)
    questions = _questions(field, terms, seed, within)
    parts = tuple(_answered(questions, pinned, venue, results))
    found = regression.concluded(field[0].name, field[1].name, parts, stronger=stronger)
    pinned.write(against, field[1])
    if junit:
        write(junit, found)
    _show(found, as_json=as_json)
    raise typer.Exit(found.exit_code)


class _Question(Struct, frozen=True):
    name: str
    folder: str
    plan: "Plan"
    digests: tuple[str, ...]


def _questions(field: "tuple[Contender, ...]", terms: "Terms", seed: str | None, within: float) -> "list[_Question]":
    from msgspec.structs import replace

    from arena.cli import comparing

    two, digests = field[:2], tuple(bot.entrant.digest for bot in field)
    asked = [_Question("head to head", "head-to-head", comparing.duel(two, terms, seed), digests[:2])]
    if len(field) > 2:
        not_weaker = replace(terms, bounds=(-within, 0.0))
        asked.append(_Question("against the field", "gauntlet", comparing.gauntlet(field, not_weaker, seed), digests))
    return asked


def _answered(questions: "list[_Question]", pinned: "Baselines", venue: "Venue", results: Path | None) -> "Iterator[Part]":
    """Yield an answer for each question, until one is not as hoped: what is known to be weaker need not meet the field."""
    from arena.cli import session
    from arena.cli.duel import play

    for question in questions:
        known = pinned.known(question.plan, question.digests)
        if known is None:
            typer.echo(question.name, err=True)
            folder = session.folder_of(question.plan, results / question.folder if results else None)
            finished = play(question.plan, folder, venue)
            pinned.learn(question.plan, question.digests, finished)
            part = Part(question=question.name, outcome=finished.outcome, results=finished.folder, seed=finished.seed)
        else:
            part = Part(question=question.name, outcome=known.outcome, results=known.folder, seed=known.seed, known=True)
        yield part
        if part.outcome.verdict is not Verdict.BETTER:
            return


def _show(found: Regression, *, as_json: bool) -> None:
    if as_json:
        from arena.cli.lines import print_json

        print_json(found)
        return
    for line in regression.lines(found):
        typer.echo(line)
