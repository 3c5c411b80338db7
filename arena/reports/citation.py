"""A result to be cited: what was found, and what it takes to check it, as one small document."""

import shlex
from typing import Any

from msgspec import Struct

from arena.reports.report import Report
from arena.roster.entrant import Entered
from arena.stats.estimate import Estimate
from arena.stats.sequential.duels import ComparisonOutcome


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
    summary: str  # the first sentence of the report
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
    """Return the citation of the run in a folder."""
    entrants, known = {entrant.name: entrant for entrant in field}, report.provenance
    rows = [row for row in report.standings if row.entrant in entrants]
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
        for row in rows
    )
    verify = f"arena verify {shlex.quote(run)} --expect {known.get('link', '')[:16]}"
    return Citation(
        title=report.title,
        summary=report.summary,
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
        link=known.get("link", ""),
        verify=verify,
        replay=f"{verify} --replay",
    )
