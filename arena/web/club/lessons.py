"""What an author's page says of a bot: its audition, the next thing to try, and what better bots of others decide otherwise."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import DecodeError, Struct
from msgspec.json import Decoder

from arena.gin.rules import Rules
from arena.league.rules.field import Refusal, Version
from arena.league.rules.likeness import answer_tables
from arena.league.suspects import position_words
from arena.league.uploads import Upload
from arena.protocol.messages import Turn
from arena.protocol.notation import view
from arena.runs.debug import Lines
from arena.tournament.audition import Finding
from arena.web.club.views import OpponentTotal
from arena.web.club.watch import LeagueSnapshot

SHOWN = 5  # decisions of better bots
BETTER = 10  # bots with a better rank that are asked, the nearest ones
AGREE = 0.5  # share of them that decide alike, from which their decision is shown

_TURN = Decoder(Turn)


def drawn(turn: str, rules: Rules) -> str:
    """Return the cards of a turn message, as other pages show them; empty: it cannot be read."""
    try:
        seen = view(_TURN.decode(turn.strip()), rules)
    except (DecodeError, ValueError, RecursionError):
        return ""
    return "\n".join(Lines("your bot", "the opponent").turn(seen.threw[0].bit_count() + 1, seen, None))


def auditions(uploads: Iterable[Upload]) -> Mapping[str, Upload]:
    """Return the upload by which each version has joined, where it is kept."""
    return {upload.version: upload for upload in uploads if upload.state == "joined"}


def next_step(finding: Finding) -> str:
    """Return the next thing to try after a step of an audition has failed."""
    advice = [line for line in finding.advice if line not in finding.warnings]
    if advice:
        return advice[0]
    if finding.turn:
        return "have your bot answer the turn at which it failed, and send the file again under the same name"
    return f"mend what the step {finding.step!r} says, and send the file again under the same name"


def next_thing(version: Version, refusals: Sequence[Refusal], costly: Sequence[OpponentTotal]) -> str:
    """Return the next thing to try for a bot, by its last version."""
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


class OtherDecision(Struct, frozen=True, kw_only=True):
    """A position in which bots with a better rank decide otherwise."""

    view: str  # the cards as text
    own: str
    theirs: str
    agree: int  # of the better bots
    asked: int


def other_decisions(snapshot: LeagueSnapshot, version: Version) -> list[OtherDecision]:
    """Return the fixed positions in which most bots of others with a better rank agree, and a version decides otherwise."""
    row = snapshot.table.row(version.id)
    if row is None or row.rank is None:
        return []
    better = [one.id for one in snapshot.table.rows[: row.rank - 1] if one.author != version.author][-BETTER:]
    known = {one.id: one for one in snapshot.field.versions}
    for answers in answer_tables([version, *(known[name] for name in better)], snapshot.events):
        if answers.versions[0] is version and len(answers.versions) > 1:
            found = [one for one in answers.otherwise() if one.agree >= AGREE * one.asked][:SHOWN]
            return [
                OtherDecision(
                    view=position_words(one.place, snapshot.spec.rules),
                    own=one.own,
                    theirs=one.theirs,
                    agree=one.agree,
                    asked=one.asked,
                )
                for one in found
            ]
    return []
