"""Asks a bot for its action in each position of a set."""

from msgspec import Struct

from arena.gin.actions import Action, Knock, word
from arena.league.positions import ID, PositionSet
from arena.league.rules.likeness import FAULT
from arena.league.rules.spec import LeagueSpec
from arena.players.orphans import ending_orphans
from arena.records import Fixture
from arena.referee.asking import ask
from arena.referee.job import Job
from arena.roster.entrant import Launch


class Asked(Struct, frozen=True):
    """The positions that a bot is asked for, as a job for a worker."""

    job: Job
    positions: PositionSet


def asked(name: str, launch: Launch, spec: LeagueSpec, positions: PositionSet) -> Asked:
    """Return the job that asks a bot for its answers. A state folder, if the launch has one, begins empty and is not kept."""
    job = Job(
        fixture=Fixture(id=ID, seats=(name, name), deals=ID, hands=len(positions.hands)),
        launches=(launch, launch),
        rules=spec.rules,
        sandbox=spec.sandbox,
        time=spec.time,
        lines=spec.lines,
        faults=spec.faults,
        seed=ID,
    )
    return Asked(job, positions)


def answers(one: Asked) -> str:
    """Ask a bot, and return its answers: a word for each place, separated by spaces. Raises: WorkerLostError."""
    job, positions = one.job, one.positions
    with ending_orphans():
        given = [
            decision
            for seat in (0, 1)
            for decision in ask(
                job.player(seat), seat, positions.hands, job.rules, batch=len(positions.hands), at_most=job.faults.at_most
            )
        ]
    found = {(decision.seat, decision.hand, decision.turn): action_word(decision.answer) for decision in given}
    return " ".join(found.get(place, FAULT) for place in positions.places)


def action_word(action: Action | None) -> str:
    """Return an answer as a word; a knock without its melds, which the referee can find."""
    if action is None:
        return FAULT
    return word(Knock(action.card)) if isinstance(action, Knock) else word(action)
