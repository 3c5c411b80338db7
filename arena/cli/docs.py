"""``arena docs`` and ``arena schema``: the pages of the manual, and the JSON documents that commands print."""

import sys
from collections.abc import Iterable
from functools import partial
from importlib import import_module
from typing import Annotated

import typer
from msgspec import Struct, defstruct
from msgspec.json import encode, format
from msgspec.json import schema as json_schema

from arena.cli import built_pages, terminal
from arena.cli.needed_extras import needs_extra
from arena.cli.terminal import print_lines
from arena.errors import InputError, PluginError
from arena.runs import manual
from arena.runs.manual_links import with_links
from arena.runs.manual_search import search
from arena.text import VERSION, in_one_line


def docs(
    page: Annotated[str | None, typer.Argument(help="A page; by default all are listed.")] = None,
    *,
    find: Annotated[
        str | None, typer.Option(metavar="WORDS", help="List the pages that have all these words, with an excerpt.")
    ] = None,
    web: Annotated[bool, typer.Option("--web", help="Serve the pages to a browser on this machine. Ctrl-C ends it.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --web: port on this machine; 0 takes any that is free.")] = 0,
) -> None:
    """Show a page of the manual, or those with some words. Where the output is no terminal, a page is shown as its Markdown.

    Example: arena docs --find "dead hand"
    """
    if port and not web:
        raise InputError("--port: expected with --web, because the terminal needs none")
    if find is not None and (page or web):
        raise InputError("--find: expected without a page and --web, whose pages have a search of their own")
    name = manual.page_name(page) if page else ""
    if web:
        _serve(name, port)
    elif find is not None:
        _print_found(find)
    elif not name:
        print_lines(f"{name:13} {manual.title(name)}" for name in manual.pages())
    elif sys.stdout.isatty():
        _show(name)
    else:
        typer.echo(built_pages.markdown(name), nl=False)


def _show(name: str) -> None:
    from arena.cli.terminal_page import Page  # noqa: PLC0415 - loads rich, only for a terminal

    def linked(text: str, other: str, _: str) -> str:
        return text if other == name else f"{text} (`arena docs {other}`)"

    with (console := terminal.console(sys.stdout)).capture() as shown:  # rich itself would end the program if a write failed
        console.print(Page(with_links(name, built_pages.markdown(name), linked)), crop=False)
    terminal.without_guard(sys.stdout).write(shown.get())


def _print_found(words: str) -> None:
    """Print the pages with all words, each with the text around them. Raises: InputError, if there is none."""
    found = search(words, built_pages.markdown)
    if not found:
        raise InputError(f"no page has {words!r}; arena docs lists them")
    for name, excerpt in found.items():
        print_lines([f"{name:13} {manual.title(name)}"])
        if excerpt:
            heading = [(f"{excerpt.heading}: ", False)] if excerpt.heading else []
            _print_marked([*heading, *excerpt.parts])


def _print_marked(parts: Iterable[tuple[str, bool]]) -> None:
    """Print a text below a heading; on a terminal the parts that are marked stand out."""
    if not terminal.is_screen():
        typer.echo(f"  {in_one_line(''.join(text for text, _ in parts))}")
        return
    from rich.padding import Padding  # noqa: PLC0415 - 60 ms, for a person at a terminal alone
    from rich.text import Text  # noqa: PLC0415 - likewise

    text = Text.assemble(*((in_one_line(text), "bold" if marked else "") for text, marked in parts))
    terminal.console(sys.stdout).print(Padding(text, (0, 0, 0, 2)))


def _serve(name: str, port: int) -> None:
    """Serve the pages until the user ends it."""
    from arena.cli.web_server import run_server  # noqa: PLC0415 - loads far more than a page in the terminal needs

    with needs_extra("web"):
        from arena.web.connection_limits import ConnectionLimits  # noqa: PLC0415 - the extra `web`, which may not be installed
        from arena.web.manual_pages import app  # noqa: PLC0415 - likewise

        run_server(port, "the manual", partial(app, read=built_pages.markdown), ConnectionLimits(), page=name)


DOCUMENTS = {  # the struct of each document of the core, as module:Struct, imported on request
    "bots-check": "arena.cli.bots:Checked",
    "bots-list": "arena.cli.bots:InstalledBots",
    "citation": "arena.results.cited:Citation",
    "diff": "arena.compare.explanation:ExplainedDifference",
    "doctor": "arena.cli.doctor:Examination",
    "duel": "arena.compare.dueling:DuelAnswer",
    "league-backup": "arena.league.backup:Backup",
    "league-bot": "arena.league.show:BotReport",
    "league-challenge": "arena.league.on_request:AskedChallenge",
    "league-course-tokens": "arena.cli.league_tokens:NewTokens",
    "league-grades": "arena.league.grading:Grades",
    "league-likeness": "arena.league.suspects:LikenessReport",
    "league-run": "arena.league.play:PlayedLeague",
    "league-season": "arena.league.membership:EndedSeason",
    "league-submissions": "arena.league.course:BulkSubmission",
    "league-table": "arena.league.rules.league_table:LeagueTable",
    "league-token": "arena.cli.league_tokens:NewToken",
    "league-tokens": "arena.cli.league_tokens:Tokens",
    "league-version": "arena.league.rules.field:Version",
    "match": "arena.reports.head_to_head:MatchAnswer",
    "melds": "arena.cli.tools:Arrangement",
    "plan": "arena.runs.forecast:Forecast",
    "plugins-list": "arena.cli.new:InstalledParts",
    "ratings": "arena.stats.result_tables:Ratings",
    "regress": "arena.compare.regression:Regression",
    "replay-fixture": "arena.records:MatchRecord",
    "replay-hand": "arena.reports.playthrough:ReplayedHand",
    "replay-run": "arena.cli.results:Fixtures",
    "report": "arena.reports.report:Report",
    "review": "arena.review.summary:Review",
    "sprt": "arena.stats.pentanomial:Sprt",
    "submission": "arena.league.submission_lines:SubmissionLine",
    "verify": "arena.cli.results:Verification",
    "written": "arena.cli.new:Written",
}


def documents() -> dict[str, str]:
    """Return the struct of each document by its name, also those of plugins. Raises: PluginError."""
    from arena.plugins import door  # noqa: PLC0415 - loads the plugins, which no page needs

    added = door.documents(door.load())
    if taken := sorted(DOCUMENTS.keys() & added.keys()):
        why = f"found {taken[0]!r}, the name of a document of arena; expected another one"
        raise PluginError(f"hook arena_documents, {added[taken[0]]}: {why}")
    return dict(sorted({**DOCUMENTS, **added}.items()))


def kind_of(name: str) -> type[Struct]:
    """Return the type of a document, with its key ``schema``. Raises: InputError, with the nearest valid name; PluginError."""
    from arena.runs.chosen import choose  # noqa: PLC0415 - likewise

    if name in DOCUMENTS:
        module, _, struct = DOCUMENTS[name].partition(":")
        return _with_schema(name, getattr(import_module(module), struct))
    from arena.plugins.strangers import attribute_at, source_at  # noqa: PLC0415 - likewise

    where = choose(documents(), name, "NAME")
    source = source_at(where, f"hook arena_documents, document {name!r}")
    found = attribute_at(where, source)
    if not (isinstance(found, type) and issubclass(found, Struct)):
        raise source.error(f"found {where}, which is no struct of msgspec; expected one")
    with source.naming():
        kind = _with_schema(name, found)
        json_schema(kind)
    return kind


def _with_schema(name: str, kind: type[Struct]) -> type[Struct]:
    """Return the struct of a document with its key ``schema``."""
    return defstruct(kind.__name__, (), bases=(kind,), tag_field="schema", tag=f"arena/{name}/{VERSION}", frozen=True, kw_only=True)


def schema(
    name: Annotated[str | None, typer.Argument(help="A document; by default all are listed.")] = None,
) -> None:
    """Show the JSON Schema of a document that a command prints with --json; its key `schema` names it, as arena/duel/1.

    Example: arena schema duel

    Keys may be added to a document under the same name. When one loses a key, or gives it another meaning, all get the next number.
    """
    if name is None:
        print_lines(documents())
    else:
        typer.echo(format(encode(json_schema(kind_of(name))), indent=2).decode())
