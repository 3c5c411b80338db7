"""The templates from which authors start: those that a league hands out, and those that come with arena.

The bots that a league hands out are asked when it is made; only their answers are kept. Those that come with arena are asked when
two bots are suspected.
"""

from collections.abc import Iterator
from pathlib import Path

from arena import distribution
from arena.errors import RosterError, SpecError
from arena.league import leagues, position_answers, position_making, positions
from arena.league.positions import PositionSet
from arena.league.rules.events import TemplateAnswered
from arena.league.rules.likeness import (
    FAULT,
    OWN,
)
from arena.league.rules.spec import LeagueSpec, load
from arena.moments import now
from arena.plugins.manager import installed_kinds
from arena.roster.entrant import Entrant
from arena.roster.finder import find
from arena.runs.confined_reading import confined_reader

# the bots that come with arena, by the words for them in a notice, but those that play at random
OWN_TEMPLATES = {
    "`Bot` of the SDK": "tutorial.py:Plain",
    **{f"`{name}` of the SDK's page": f"tutorial.py:{name}" for name in ("First", "Second", "Third")},
    **{
        f"arena's {name}": name
        for name in (
            *("card-counter", "cautious", "challenger", "diluted", "early-bird", "gin-hunter", "greedy", "professor", "reader"),
            *("scholar", "score-keeper", "searcher", "two-way"),
        )
    },
}


def new_league(path: Path, spec_file: Path) -> LeagueSpec:
    """Make a league, with the answers of the templates that its spec names; return its spec. Raises: as ``leagues.new``."""
    spec = load(spec_file, installed_kinds())
    if not spec.templates:
        return leagues.new(path, spec_file)
    known = position_making.make(spec.rules)
    return leagues.new(
        path, spec_file, _template_answers(spec, spec_file, known), {positions.POSITIONS_FILE: positions.text(known)}
    )


def _template_answers(spec: LeagueSpec, spec_file: Path, known: PositionSet) -> list[TemplateAnswered]:
    """Return the answers of a spec's templates. Raises: SpecError, SandboxError, WorkerLostError."""
    try:
        return list(_answers(spec, spec_file.parent, known))
    except RosterError as error:
        raise SpecError(f"templates: {error}", path=str(spec_file)) from None


def _answers(spec: LeagueSpec, folder: Path, known: PositionSet) -> Iterator[TemplateAnswered]:
    with confined_reader(spec.sandbox) as reader:
        found = [(template, find(template, folder=folder, reader=reader)) for template in spec.templates]
    for template, bot in found:
        given = position_answers.answers(position_answers.asked(bot.name, bot.launch, spec, known))
        if set(given.split()) == {FAULT}:
            raise RosterError(f"the template {template} answers in no position; `arena bots check {template}` shows why")
        yield TemplateAnswered(at=now(), template=template, digest=bot.digest, positions=known.digest, answers=given)


def own_templates() -> dict[str, Entrant]:
    """Return the bots that come with arena, by their names as templates."""
    (folder, *_) = distribution.folders("arena_bots")
    return {f"{OWN}{words}": find(str(folder / bot) if ".py" in bot else bot) for words, bot in OWN_TEMPLATES.items()}
