"""The commands that read runs: report, replay, review, verify, cite, export and import."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from arena import disk
from arena.cli import needed_extras, option_groups, options, progress, terminal
from arena.cli.terminal import print_error, print_json, print_lines, print_result
from arena.errors import ArenaError, DamagedError, InputError, WorkerLostError
from arena.plugins.manager import installed_kinds
from arena.records import Fault, MatchRecord, Result
from arena.reports.describe import ended_words
from arena.reports.faults import fault_lines
from arena.reports.numbers import count
from arena.reports.playthrough import playthrough, replayed_hand
from arena.reports.reviewed import review_lines
from arena.results import named_citation
from arena.results.cited import bibtex_entry
from arena.results.hands import WRITERS, ExportedHand, ExportedMatch, Lines, header, lines
from arena.results.links import links_named
from arena.results.named_citation import NamedCitation, citation_of
from arena.results.publish import draw, publish, rewrite_reports
from arena.results.recorded import hand_number
from arena.results.replays import Replays
from arena.results.reviews import ReviewRequest, review_run
from arena.results.verify import Audit
from arena.runs import needs
from arena.runs.logs import log_nowhere
from arena.runs.stored_kinds import stored_run
from arena.store.folder import existing
from arena.store.store import Store
from arena.tournament.tasks import in_order
from arena.train.hands import SLOW, Hands

Picture = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write its answer as a picture for sharing instead, to FILE.svg or FILE.png.")
]


def report(
    run_dir: options.RunDir,
    *,
    full: Annotated[bool, typer.Option("--full", help="On a terminal too: everything, as into a pipe or a file.")] = False,
    picture: Picture = None,
    json: option_groups.AsJson = False,
) -> None:
    """Show the report of a run, finished or not, and write its files again.

    Example: arena report results/quickstart-2026-01-31
    """
    folder = existing(run_dir)
    if picture:
        draw(folder, picture)
        typer.echo(f"Written: {picture}")
        return
    with Store(folder.database) as store:
        brief = terminal.is_screen() and not full
        terminal.print_report(publish(folder, store, stored_run(folder, store, installed_kinds()), as_json=json, brief=brief))


class Fixtures(Struct, frozen=True, kw_only=True):
    """The fixtures of a run, in the order of play."""

    fixtures: Sequence[Result]


def replay(
    run_dir: options.RunDir,
    fixture: Annotated[str | None, typer.Argument(help="A fixture; left out, they are listed.")] = None,
    hand: Annotated[
        str | None, typer.Argument(help="A hand of it, as 0.3 (game.hand, counted from 0); left out, they are listed.")
    ] = None,
    *,
    seat: Annotated[
        int | None, typer.Option(min=0, max=1, help="Show a hand as this seat saw it; by default both are open.")
    ] = None,
    json: option_groups.AsJson = False,
) -> None:
    """Show the fixtures of a run, the hands of a fixture, or a hand turn by turn.

    Example: arena replay results/quickstart-2026-01-31 greedy:cautious/0/0 0.3 --seat 0
    """
    folder = existing(run_dir)
    with Store(folder.database) as store:
        if fixture is None:
            results = store.results()
            print_result("replay-run", Fixtures(fixtures=results), _fixtures(results), json=json)
            return
        record = store.record(fixture)
        if hand is None:
            print_result("replay-fixture", record, _hands(record), json=json)
            return
        shown, run = record.hands[hand_number(record, hand)], stored_run(folder, store, installed_kinds())
        if json:
            print_json("replay-hand", replayed_hand(record, shown, run.spec.rules, run.seed_of(fixture), seat))
        else:
            print_lines(playthrough(record, shown, run.spec.rules, run.seed_of(fixture), seat))
            print_lines(_faults(record, [one for one in _all_faults(record) if (one.game, one.hand) == (shown.game, shown.hand)]))


def _fixtures(results: Sequence[Result]) -> Iterator[str]:
    for result in results:
        zero, one = result.fixture.seats
        games, points = result.games, result.points
        yield (
            f"{result.fixture.id}: games {zero} {games[0]}, {one} {games[1]};"
            f" points {points[0]}–{points[1]}, {count(result.hands, 'hand')}; {ended_words(result)}"
        )


def _hands(record: MatchRecord) -> Iterator[str]:
    for hand in record.hands:
        winner = "nobody" if hand.winner is None else record.fixture.seats[hand.winner]
        left = f"deadwood {hand.deadwood[0]} and {hand.deadwood[1]}"
        yield f"{hand.game}.{hand.hand}: {hand.ending.value}, {winner} {hand.points}, {left}"
    yield from _faults(record, _all_faults(record))


def _all_faults(record: MatchRecord) -> Sequence[Fault]:
    return (*record.excused, *record.faults)


def _faults(record: MatchRecord, several: Sequence[Fault]) -> Iterator[str]:
    named = [(record.fixture.seats[fault.seat], record.fixture.id, fault) for fault in several]
    for line in fault_lines(named):
        yield f"fault of {line}"


def review(
    run_dir: options.RunDir,
    fixture: Annotated[str | None, typer.Argument(help="Review only this fixture.")] = None,
    hand: Annotated[str | None, typer.Argument(help="Review only this hand of it, as 0.3.")] = None,
    *,
    bot: Annotated[str | None, typer.Option(help="Review only the decisions of this bot.")] = None,
    hands: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=options.MOST_HANDS,
            help="Most hands of each bot that are priced, evenly spaced; by default 100, and all of a fixture.",
        ),
    ] = None,
    seed: Annotated[str, typer.Option(callback=options.checked_seed, help="Seed of the sampled cards.")] = "review",
    executor: option_groups.Where = "local",
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Reviews at a time; by default one for each core.")] = None,
    quiet: option_groups.Quiet = False,
    json: option_groups.AsJson = False,
) -> None:
    """Show where bots lose their points, with every decision judged from what its seat knew.

    Example: arena review results/quickstart-2026-01-31 --bot greedy

    The error rate says how many more points a hand the reviewer's policy would score in the bot's place; below zero, the bot plays
    better. A price is what the best alternative gains. Both are points a hand, ± two standard errors. A single hand gives no
    standard error for the error rate: no ± is shown then, and --json has null. The error rate is measured on up
    to four times as many hands as are priced, because hands differ much.

    What was reviewed is kept in the folder: the same command resumes, and the run's reports, which are written again, show it.
    """
    log_nowhere()  # a lost worker is replaced, so warnings of it would only disturb
    folder = existing(run_dir)
    runner = option_groups.runner_of(executor, workers, print_error)
    if not Hands.compiled:
        print_error(SLOW)
    request = ReviewRequest(fixture=fixture, hand=hand, bot=bot, hands=hands, seed=seed)
    with progress.count_bar("reviewed", "hands", quiet=quiet) as reviewed:
        found = review_run(folder, runner, request, reviewed)
    print_result("review", found, review_lines(found, str(run_dir)), json=json)
    if not folder.is_locked():  # else the process that plays the run writes its reports
        with runner.open_pool() as pool:
            typer.echo(rewrite_reports(folder, partial(in_order, pool, ahead=2 * runner.workers)), err=True)


class Verification(Struct, frozen=True, kw_only=True):
    """The result of a verification."""

    difference: str  # the first one that was found; empty: there is none
    finished: bool  # whether all of the run was played
    link: str  # the last of the chain; empty: it could not be read
    hands: int  # that were judged
    lines: list[str]  # the output without --json


def verify(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, or what `arena cite` printed of it.")],
    *,
    expect: Annotated[
        str | None,
        typer.Option(
            metavar="LINK|FILE",
            help="What must be in the chain: a link, its first 16 digits or more, or what a report, receipt, citation or export"
            " names.",
        ),
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Have the bots play every match again, and compare every action.")
    ] = False,
    sandbox: option_groups.SandboxName = None,
    quiet: option_groups.Quiet = False,
    json: option_groups.AsJson = False,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Matches judged or played at a time; by default one for each core.")
    ] = None,
) -> None:
    """Deal every hand again from the seed, judge every action again, and report the first difference. Exit code 1, if there is one.

    Example: arena verify results/quickstart-2026-01-31

    What was changed in the database after it was filed is found too, by the chain of hashes and the seed's commitment, and so is a
    match that is missing; the witness beside the database shows that it was replaced by an older copy. The copy of the spec is
    compared, and in the folder of a league the copies of bots, what they have learned and the secret. Exit code 3: nothing differs,
    but the run is not finished. A citation finds its run beside it or in results/, and everything that it says is compared. With
    --replay a bot that does not play the same twice is named, but does not count as a difference; the sandbox is this machine's,
    not the one that the run names.
    """
    citation = _citation(run_dir, expect)
    named = links_named(expect) if expect is not None else ()
    wanted = (*named, *([citation.citation.link] if citation else []))
    if sandbox is not None and not replay:
        raise InputError("--sandbox: expected with --replay, because without it no bot is started")
    if replay:
        needs.check(1)
    folder = named_citation.find_run(citation) if citation and run_dir.is_file() else existing(run_dir)
    runner = option_groups.runner_of("local", workers)
    audit = Audit(folder, runner)
    lines: list[str] = []
    try:
        with progress.count_bar("judged", quiet=quiet) as judged:
            difference = audit.first_difference(wanted, judged) or audit.difference_beside()
        difference = difference or (named_citation.difference(citation, folder) if citation else "")
        lines += [named_citation.agreement(citation, folder)] if citation and not difference else []
        if not difference and replay:
            with Store(folder.database) as store:
                replays = Replays(store, audit.run, runner, sandbox)
                difference = _replay(replays, quiet=quiet)
                lines += replays.message()
    except DamagedError as error:
        difference = str(error)
    except WorkerLostError as error:
        raise ArenaError(f"{folder.path}: could not be verified: {error}") from None
    output = [f"difference: {difference}"] if difference else [*audit.message(), *lines]
    found = Verification(difference=difference, finished=audit.finished, link=audit.link, hands=audit.hands, lines=output)
    print_result("verify", found, output, json=json)
    if difference:
        raise typer.Exit(1)
    if not audit.finished:
        raise typer.Exit(3)


def _citation(run: Path, expect: str | None) -> NamedCitation | None:
    """Return the citation that is to be checked: that of the first argument, or of --expect; None: neither is one.

    Raises: InputError, if the first argument is another file.
    """
    if run.is_file():
        return named_citation.read_citation(run)
    return named_citation.read_citation(Path(expect)) if expect is not None and named_citation.is_citation(Path(expect)) else None


def _replay(replays: Replays, *, quiet: bool) -> str:
    """Have every match played again, and return the first difference; empty: there is none."""
    for text in replays.warnings:
        print_error(text)
    with progress.count_bar("played again", quiet=quiet) as played:
        return replays.first_difference(played)


def cite(
    run_dir: options.RunDir,
    *,
    bibtex: Annotated[bool, typer.Option("--bibtex", help="Print an entry for BibTeX instead, with the link of the run.")] = False,
) -> None:
    """Print the result of a run as one small JSON document: the verdict, the bots by digest, the rules, the seed and the link.

    Example: arena cite results/quickstart-2026-01-31 > result.json

    `arena verify result.json` finds the run and checks it against this document, and with --replay has the bots play every match
    again. The link covers every record, so a run in which anything else happened has another one.
    """
    citation = citation_of(run_dir)
    if bibtex:
        print_lines(bibtex_entry(citation))
    else:
        print_json("citation", citation)


def export(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, or of a league.")],
    *,
    to: Annotated[Path, typer.Option(metavar="FILE", help="What to write: a name in .jsonl, .csv or .parquet.")],
    fixture: Annotated[str | None, typer.Option(help="Write only this fixture.")] = None,
    bot: Annotated[str | None, typer.Option(help="Write only the matches of this bot.")] = None,
    quiet: option_groups.Quiet = False,
) -> None:
    """Write every hand of a run into one file, with its deck, actions, result, luck and times.

    Example: arena export results/quickstart-2026-01-31 --to hands.jsonl

    JSON lines hold all that `arena import` needs to make a run of them again; a table of CSV or Parquet has a row for each hand.
    Units and an example are in `arena docs data`. The hands of a league's open round are left out. A file of this name is replaced
    when all is written.
    """
    write = WRITERS.get(to.suffix)
    if write is None:
        raise InputError(f"--to: found {str(to)!r}; expected a name in {', '.join(WRITERS)}")
    folder = existing(run_dir)
    with needed_extras.needs_extra("data"), Store(folder.database) as store, progress.count_bar("written", quiet=quiet) as show:
        store.begin_snapshot()
        run = stored_run(folder, store, installed_kinds())
        counts, total = Counter[str](), store.count()

        def count_lines() -> Lines:
            for line in lines(store, run, fixture=fixture, bot=bot):
                counts["hands" if isinstance(line, ExportedHand) else "matches"] += 1
                if isinstance(line, ExportedMatch):
                    show(counts["matches"], total)
                yield line

        with disk.writing(to) as file:
            write(file, header(store, run), count_lines())
        hidden = next(filter(None, (run.why_hidden(one.id) for one in store.fixtures())), "") if fixture is None else ""
    if hidden:
        print_error(f"hands are left out, as {hidden}")
    typer.echo(f"Written to {to}: {count(counts['hands'], 'hand')} of {count(counts['matches'], 'match', 'matches')}.")
