"""``arena verify``: a run judged again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from arena.cli import progress
from arena.cli.lines import print_json
from arena.cli.options import AsJson, Quiet, SandboxName
from arena.cli.terminal import print_error, print_lines
from arena.errors import ArenaError, DamagedError, InputError, WorkerLostError
from arena.plugins import manager
from arena.results import cited
from arena.results.cited import NamedCitation
from arena.results.verify import Audit, Replays
from arena.runs import needs
from arena.runs.play import Runner
from arena.runs.witnesses import links_named
from arena.store.folder import Folder, existing
from arena.store.store import Store

LEAST_DIGITS = 16  # of a link that is expected: 64 bits, which are not met by chance


class Verification(Struct, frozen=True, kw_only=True):
    """What was found in a run."""

    difference: str  # the first thing that is not as it should be; empty: there is none
    finished: bool  # whether all of it was played
    link: str  # the last of the chain; empty: it could not be read
    hands: int  # that were judged
    lines: list[str]  # what is said without --json


def verify(
    run_dir: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a run, or what `arena cite` printed of it.", show_default=False)
    ],
    *,
    expect: Annotated[
        str | None,
        typer.Option(
            metavar="LINK|FILE",
            help="What must be in the chain: a link, its first 16 digits or more, or what a report, receipt, citation or export"
            " names.",
            show_default=False,
        ),
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Have the bots play every match again, and compare every action.")
    ] = False,
    sandbox: SandboxName = None,
    quiet: Quiet = False,
    json: AsJson = False,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Matches judged or played at a time; by default one for each core.")
    ] = None,
) -> None:
    """Deal every hand again from the seed, judge every action again, and say what differs. Exit code 1, if anything does.

    Example: arena verify results/quickstart-2026-01-31

    What was changed in the database after it was filed is found too, by the chain of hashes and the seed's commitment, and so is
    a match that is missing. The witnesses of the run, in its folder and where ARENA_WITNESS names one, show what was rolled back
    or made anew. In the folder of a league, copies of bots, what they have learned and the secret are compared with the chain. Exit
    code 3: nothing differs, but the run is not finished. A citation finds its run beside it or in results/, and everything that it
    says is compared. With --replay a bot that does not play the same twice is named, and is no difference; the sandbox is this
    machine's, not the one that the run names.
    """
    citation = _citation(run_dir, expect)
    wanted = (*_links(expect), *([citation.citation.link] if citation else []))
    if sandbox is not None and not replay:
        raise InputError("--sandbox: expected with --replay, because without it no bot is started")
    if replay:
        needs.check(1)
    folder = cited.find_run(citation) if citation and run_dir.is_file() else existing(run_dir)
    runner = Runner(manager.load(), workers=workers)
    audit = Audit(folder, runner)
    lines: list[str] = []
    try:
        difference = audit.loss() or _first_difference(audit, folder, wanted, quiet=quiet)
        difference = difference or (cited.difference(citation, folder) if citation else "")
        lines += [f"{citation.path}: all that it says is what {folder.path} has"] if citation else []
        if not difference and replay:
            with Store(folder.database) as store:
                replays = Replays(folder, store, audit.run, runner, sandbox)
                difference = _replay(replays, quiet=quiet)
                lines += replays.message()
    except DamagedError as error:
        difference = str(error)
    except WorkerLostError as error:
        raise ArenaError(f"{folder.path}: could not be verified: {error}") from None
    said = [f"difference: {difference}"] if difference else [*audit.message(), *lines]
    if json:
        found = Verification(difference=difference, finished=audit.finished, link=audit.link, hands=audit.hands, lines=said)
        print_json("verify", found)
    else:
        print_lines(said)
    if difference:
        raise typer.Exit(1)
    if not audit.finished:
        raise typer.Exit(3)


def _links(expect: str | None) -> Sequence[str]:
    return links_named(expect, LEAST_DIGITS) if expect is not None else ()


def _citation(run: Path, expect: str | None) -> NamedCitation | None:
    """Return the citation that is to be checked: that of the first argument, or of --expect; None: neither is one.

    Raises: InputError, if the first argument is another file.
    """
    if run.is_file():
        return cited.read_citation(run)
    return cited.read_citation(Path(expect)) if expect is not None and cited.is_citation(Path(expect)) else None


def _first_difference(audit: Audit, folder: Folder, expected: Sequence[str], *, quiet: bool) -> str:
    """Return the first thing that is not as it should be; empty: there is none."""
    with Store(folder.database) as store:
        with progress.count_bar("judged", quiet=quiet) as judged:
            difference = audit.first_difference(store, expected, judged)
        return difference or audit.folder_difference(store)


def _replay(replays: Replays, *, quiet: bool) -> str:
    """Have every match played again, and return the first difference; empty: there is none."""
    for text in replays.warnings:
        print_error(text)
    with progress.count_bar("played again", quiet=quiet) as played:
        return replays.first_difference(played)
