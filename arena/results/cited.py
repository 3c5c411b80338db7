"""Citations of runs: one small document with the result of a run and the digests that it can be checked by."""

import shlex
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from arena.reports.report import Report
from arena.roster.entrant import Entered
from arena.stats.duels import ComparisonOutcome
from arena.stats.estimate import Estimate


class CitedBot(Struct, frozen=True, kw_only=True):
    """An entrant with its result."""

    name: str
    version: str
    digest: str  # SHA-256 of its files
    rank: int | None  # None: without a sandbox nobody is ranked
    points: int  # net, of all its hands
    hands: int
    rating: Estimate | None  # with its 95 % interval; None: it has none


class Citation(Struct, frozen=True, kw_only=True):
    """The result of a run. ``arena verify FILE`` compares it with the run."""

    title: str
    summary: str  # what the report says was found, without its advice
    outcome: ComparisonOutcome | None  # verdict, bounds and interval of a duel or gauntlet; None: another format
    finished: bool
    matches: int
    hands: int
    rated_by: str
    bots: tuple[CitedBot, ...]  # by rank
    rules: dict[str, Any]  # every option of the ruleset, with its name
    isolated: bool  # whether the bots were confined and sealed
    arena: str  # its version
    started: str
    commitment: str  # the SHA-256 of the seed
    seed: str
    link: str  # the last of the chain of records, which covers all of them
    verify: str  # the command that judges every hand again
    replay: str  # the command that has the bots play every match again


def cite(report: Report, field: tuple[Entered, ...], run: str) -> Citation:
    """Return the citation of a report; ``run`` is the run's folder, as its commands name it."""
    entrants, known = {entrant.name: entrant for entrant in field}, report.provenance
    bots = tuple(
        CitedBot(
            name=row.entrant,
            version=entrants[row.entrant].version,
            digest=entrants[row.entrant].digest,
            rank=row.rank if report.isolation.profile != "none" else None,
            points=row.counts.net_points,
            hands=row.counts.hands,
            rating=row.rating,
        )
        for row in report.standings
        if row.entrant in entrants
    )
    link = known.get("link", "")
    verify, replay = commands(run, link)
    return Citation(
        title=report.title,
        summary=report.summary.removesuffix(report.answer.advice).rstrip(),
        outcome=report.comparison.outcome if report.comparison else None,
        finished=report.finished,
        matches=report.matches,
        hands=report.hands,
        rated_by=report.rated_by,
        bots=bots,
        rules=report.rules,
        isolated=report.isolation.isolated and report.isolation.sealed,
        arena=known.get("arena", ""),
        started=known.get("started", ""),
        commitment=known.get("commitment", ""),
        seed=known.get("seed", ""),
        link=link,
        verify=verify,
        replay=replay,
    )


def commands(run: str, link: str) -> tuple[str, str]:
    """Return the commands that check a citation of the run in a folder: judge its hands again, and have them played again."""
    verify = f"arena verify {shlex.quote(run)} --expect {link[:16]}"
    return verify, f"{verify} --replay"


BIBTEX = str.maketrans({character: f"\\{character}" for character in "&%$#_{}"} | {"\\": "/", "~": "-", "^": "-"})


def bibtex_entry(cited: Citation) -> Iterator[str]:
    """Yield the lines of an entry for BibTeX; its key is the beginning of the link."""
    title, summary, version = (text.translate(BIBTEX) for text in (cited.title, cited.summary, cited.arena))
    yield f"@misc{{arena-{cited.link[:12]},"
    yield f"  title = {{{{{title}}}}},"
    yield f"  year = {{{cited.started[:4]}}},"
    yield f"  howpublished = {{Gin rummy run by ginrummy-arena {version}}},"
    yield f"  note = {{{summary} {cited.matches:,} matches, {cited.hands:,} hands. Link of the run: {cited.link}}},"
    yield "}"
