"""An author's page: the audition of a bot, advice, and positions in which better bots of others decide otherwise."""

from collections.abc import Sequence

from msgspec.json import Decoder

from arena.errors import MALFORMED
from arena.gin.rules import Rules
from arena.league.positions import PositionSet
from arena.league.rules.field import Refusal, Version
from arena.league.rules.likeness import Disagreement, answer_tables
from arena.league.suspects import position_words
from arena.protocol.messages import Turn
from arena.protocol.notation import view
from arena.runs.debugging import Lines
from arena.tournament.audition import Finding
from arena.web.club.views import OpponentTotal
from arena.web.club.watch import LeagueSnapshot

SHOWN = 5  # positions in which better bots decide otherwise
BETTER = 10  # bots with a better rank that are compared: those nearest in rank
AGREE = 0.5  # of them, the least share with the same decision in a position that is shown

_TURN = Decoder(Turn)


def turn_cards(turn: str, rules: Rules) -> str:
    """Return the cards of a turn message, as other pages show them; empty: it cannot be read."""
    try:
        seen = view(_TURN.decode(turn.strip()), rules)
    except (ValueError, *MALFORMED):
        return ""
    number = seen.threw[0].bit_count() + 1  # each turn before it ended with a throw
    return "\n".join(Lines("your bot", "the opponent").turn(number, seen, before=None))


def audition_advice(finding: Finding) -> str:
    """Return advice to the author after a step of an audition has failed."""
    advice = [line for line in finding.advice if line not in finding.warnings]
    if advice:
        return advice[0]
    if finding.turn:
        return "have your bot answer the turn at which it failed, and send the file again under the same name"
    return f"mend what the step {finding.step!r} says, and send the file again under the same name"


def bot_advice(version: Version, refusals: Sequence[Refusal], costly: Sequence[OpponentTotal]) -> str:
    """Return advice to the author of a bot, by its last version; ``costly`` are the opponents that it lost most points to."""
    if any(one.version.name == version.name and one.at > version.since for one in refusals):
        return "a later version was refused; its upload above shows where, with the cards"
    match version.state:
        case "suspended":
            return "its page has its last faults with the cards; send a version without them"
        case "waiting":
            return f"nothing: it plays from the next season on; until then a further version of {version.name} takes its place"
        case "retired" | "withdrawn":
            return f"reinstate it, or send a new version as {version.name}"
    if costly:
        return f"look at its hands against {costly[0].opponent}, which has cost it most points"
    return "wait for more matches: no opponent has won more points than it lost"


def other_decisions(snapshot: LeagueSnapshot, version: Version, known: PositionSet | None) -> list[tuple[str, Disagreement]]:
    """Return the ``known`` positions in which at least half of the asked better bots of others agree, and a version differs.

    Each has its cards as text, and what is decided there.
    """
    row = snapshot.table.row(version.id)
    if row is None or row.rank is None or known is None:
        return []
    better = [one.id for one in snapshot.table.rows[: row.rank - 1] if one.author != version.author][-BETTER:]
    for answers in answer_tables([version, *map(snapshot.field.version, better)], snapshot.events):
        # a version is in one table at most; as it was passed first, it is the first of that table
        if answers.versions[0] is version and answers.positions == known.digest:
            found = [one for one in answers.disagreements() if one.agree >= AGREE * one.asked][:SHOWN]
            return [(position_words(one.place, snapshot.spec.rules, known), one) for one in found]
    return []
