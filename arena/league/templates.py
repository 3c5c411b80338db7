"""Asks the bots that a league has handed out for their answers in the fixed positions, when the league is made.

Only their answers are kept, so that likeness can be measured beyond them (:mod:`arena.league.rules.likeness`).
"""

from collections.abc import Iterator
from pathlib import Path

from arena.errors import RosterError
from arena.league.rules.events import TemplateAnswered
from arena.league.rules.likeness import FAULT
from arena.league.rules.spec import LeagueSpec, load
from arena.league.states import answers, job_of, positions
from arena.moments import now
from arena.records import Fixture
from arena.referee.job import Job
from arena.roster.entrant import Entrant
from arena.roster.finder import find
from arena.runs.confined_reading import confined_reader
from arena.runs.plans import kinds


def template_answers(spec_file: Path) -> list[TemplateAnswered]:
    """Return the answers of the templates of a spec. Raises: SpecError, SandboxError; RosterError, for one that does not play."""
    spec = load(spec_file, kinds())
    return list(_answers(spec, spec_file.parent)) if spec.templates else []


def _answers(spec: LeagueSpec, folder: Path) -> Iterator[TemplateAnswered]:
    with confined_reader(spec.sandbox) as reader:
        found = [(template, find(template, folder=folder, reader=reader)) for template in spec.templates]
    for template, bot in found:
        said = answers(job_of(_job(spec, bot)))
        if set(said.split()) == {FAULT}:
            raise RosterError(f"the template {template} answers in no position; `arena bots check {template}` shows why")
        digest = positions(spec.rules).digest
        yield TemplateAnswered(at=now(), template=template, digest=bot.digest, positions=digest, answers=said)


def _job(spec: LeagueSpec, bot: Entrant) -> Job:
    return Job(
        fixture=Fixture("template", (bot.name, bot.name), "template"),
        launches=(bot.launch, bot.launch),
        rules=spec.rules,
        sandbox=spec.sandbox,
        time=spec.time,
        lines=spec.lines,
        faults=spec.faults,
        seed="template",
    )
