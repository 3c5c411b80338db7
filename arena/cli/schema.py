"""``arena schema``: the JSON documents that commands print, as JSON Schema.

Every document is an object whose key ``schema`` names it, as ``arena/duel/1``. The other keys are those of a struct.
"""

from importlib import import_module
from typing import Annotated

import typer
from msgspec import Struct, defstruct
from msgspec.json import encode, format
from msgspec.json import schema as json_schema

from arena.cli.terminal import print_lines
from arena.runs.choice import choose
from arena.text import VERSION

DOCUMENTS = {  # the struct of each, as module:Struct, which is imported when it is asked for
    "bench": "arena.cli.bench:Benchmarks",
    "bots-check": "arena.cli.check:Checked",
    "bots-list": "arena.cli.bots:InstalledBots",
    "citation": "arena.reports.citation:Citation",
    "diff": "arena.compare.explain:ExplainedDifference",
    "doctor": "arena.cli.doctor:Examination",
    "duel": "arena.compare.duel:DuelAnswer",
    "exploit": "arena.compare.exploiting:Exploit",
    "league-bot": "arena.league.show:BotReport",
    "league-repair": "arena.cli.league:Repairs",
    "league-run": "arena.league.play:PlayedLeague",
    "league-season": "arena.league.submit:EndedSeason",
    "league-table": "arena.league.rules.table:LeagueTable",
    "league-token": "arena.cli.league:NewToken",
    "league-tokens": "arena.cli.league:Tokens",
    "league-version": "arena.league.rules.field:Version",
    "match": "arena.reports.verdict:MatchAnswer",
    "melds": "arena.cli.melds:Arrangement",
    "plan": "arena.runs.forecast:Forecast",
    "plugins-list": "arena.cli.plugins:InstalledParts",
    "ratings": "arena.stats.results:Ratings",
    "regress": "arena.compare.regress:Regression",
    "regress-history": "arena.cli.regress:VerdictHistory",
    "replay-fixture": "arena.records:MatchRecord",
    "replay-hand": "arena.reports.played:ReplayedHand",
    "replay-run": "arena.cli.replay:Fixtures",
    "report": "arena.reports.report:Report",
    "review": "arena.review.summary:Review",
    "sprt": "arena.stats.sequential.pentanomial:Sprt",
    "submission": "arena.league.submit:SubmissionLine",
    "tune": "arena.compare.tuning:Tuning",
    "verify": "arena.cli.verify:Verification",
    "written": "arena.runs.scaffold:Written",
}


def kind_of(name: str) -> type[Struct]:
    """Return the type of a document, with its key ``schema``. Raises: InputError, with the nearest valid name."""
    module, _, struct = choose(DOCUMENTS, name, "NAME").partition(":")
    kind: type[Struct] = getattr(import_module(module), struct)
    return defstruct(kind.__name__, (), bases=(kind,), tag_field="schema", tag=f"arena/{name}/{VERSION}", frozen=True, kw_only=True)


def schema(
    name: Annotated[str | None, typer.Argument(help="A document; by default all are listed.", show_default=False)] = None,
) -> None:
    """Show the JSON Schema of a document that a command prints with --json; its key `schema` names it, as arena/duel/1.

    Example: arena schema duel

    Keys may be added to a document under the same name; one that loses a key, or gives it another meaning, gets the next number.
    """
    if name is None:
        print_lines(DOCUMENTS)
    else:
        typer.echo(format(encode(json_schema(kind_of(name))), indent=2).decode())
