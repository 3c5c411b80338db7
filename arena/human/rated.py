"""Plays a person's rated match of a league, or what is left of it, and stores it in the league's chain."""

from pathlib import Path

from arena.human.player import HumanPlayer, UnfinishedMatch, remove
from arena.league.person_matches import PlannedPersonMatch, close_match, plan_match
from arena.records import MatchRecord, MatchSoFar
from arena.referee.job import contest
from arena.referee.referee import Referee
from arena.runs import session
from arena.runs.play import OpenRun, with_luck
from arena.runs.session import RunStart
from arena.tournament.plan import Plan, check_sandbox


def so_far(path: Path, number: int) -> MatchSoFar:
    """Return a match as far as it was played. Raises: StoreError, SpecError, RosterError."""
    planned = plan_match(path, number)
    return UnfinishedMatch(planned.folder, planned.plan.seed or "").read()


def play_rated(path: Path, number: int, person: HumanPlayer) -> None:
    """Play what is left of an open match, and close it.

    It may be called in any thread. Raises: RunStoppedError, if the player was stopped, and the same call continues; StoreError,
    SpecError, RosterError, SandboxError, WorkerLostError.
    """
    planned = plan_match(path, number)
    with session.open_run(planned.folder) as store:
        start = session.decide(RunStart(plan=planned.plan, folder=planned.folder), store)
        plan = session.begin(start, store, check_sandbox(planned.plan))
        if not store.results():
            store.add(with_luck(_play(planned, plan, person), plan))
        if not start.is_over:
            store.finish()
        close_match(path, number, OpenRun(plan, planned.folder, store))
    planned.folder.mark_reported()
    remove(planned.folder)


def _play(planned: PlannedPersonMatch, plan: Plan, person: HumanPlayer) -> MatchRecord:
    """Play the match, with the bot confined as at any table."""
    (fixture,) = plan.spec.format.fixtures(plan.names, ())
    job, unfinished = plan.job(fixture), UnfinishedMatch(planned.folder, plan.seed or "")
    players, begun = (person, job.player(1)), contest(fixture, job.rules, job.seed)
    return Referee(fixture, job.rules, begun, players, job.faults, (), lambda _: None, unfinished.read(), unfinished.keep).play()
