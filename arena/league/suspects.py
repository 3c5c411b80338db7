"""The fixed positions, with the answers of bots and templates in them; and the suspected copies that they show."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import InputError, RosterError, SpecError
from arena.gin.actions import Action, Knock, word, write_actions
from arena.gin.deal import Deals
from arena.gin.match import Batch, Hand, Phase
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.league import folder as leagues
from arena.league.rules.events import TemplateAnswered
from arena.league.rules.likeness import FAULT, AnswerTable, LikeGroup, TellingPosition, answer_tables, groups
from arena.league.rules.spec import LeagueSpec, load
from arena.moments import now
from arena.players.child import ending_orphans
from arena.records import Fixture
from arena.referee.asking import RecordedHand, ask
from arena.referee.job import Job
from arena.roster.entrant import Launch
from arena.roster.finder import find
from arena.runs.confined_reading import confined_reader
from arena.runs.debug import Lines
from arena.runs.plans import kinds
from arena.sdk.bot import Bot

# A fixed set of positions, and a bot's answers in them.
#
# The positions are those of some hands that a simple policy, that of :class:`arena.sdk.bot.Bot`, plays against itself on deals
# from a fixed seed. Each bot is asked for every decision of both seats, in a process for each seat, with the messages that the
# seat would have been sent; after each answer the hand continues as it was recorded (:mod:`arena.referee.asking`).

HANDS = 16
SEED = "positions"  # seed and key of the deals; another text gives another set


class PositionSet(Struct, frozen=True):
    """The hands, and the places of their decisions except layoffs; decisions with one legal action are included."""

    hands: tuple[RecordedHand, ...]
    places: tuple[tuple[int, int, int], ...]  # seat, hand and turn
    digest: str  # of the hands' actions


@cache
def positions(rules: Rules) -> PositionSet:
    """Return the set of positions under some rules."""
    batch, hands, places = Batch(rules, Deals(seed=SEED, key=SEED), HANDS), list[RecordedHand](), list[tuple[int, int, int]]()
    for number in range(HANDS):
        found, chosen = _play_hand(number, replace(batch, played=number))
        hands.append(found)
        places += chosen
    text = "\n".join(write_actions(hand.actions) for hand in hands)
    return PositionSet(tuple(hands), tuple(sorted(places)), sha256(text.encode()).hexdigest())


def _play_hand(number: int, batch: Batch) -> tuple[RecordedHand, list[tuple[int, int, int]]]:
    """Return a hand of the simple policy against itself, and the places of its decisions but laying off."""
    deal, before, policy, actions, places = batch.deal(), batch.standing, Bot(SEED), list[Action](), list[tuple[int, int, int]]()
    hand = Hand.start(deal, batch.rules)
    while hand.result is None:
        if hand.phase is not Phase.LAY_OFF:  # which bots may leave to the referee
            places.append((hand.seat, number, len(actions)))
        actions.append(policy.answer(see(hand, before)))
        hand = hand.play(actions[-1])
    recorded = RecordedHand(number=number, deal=deal, before=before, games=(0, 0), actions=tuple(actions), result=hand.result)
    return recorded, places


def position_job(name: str, launch: Launch, spec: LeagueSpec) -> Job:
    """Return the job that asks a bot for its answers. A state folder, if the launch has one, begins empty and is not kept."""
    return Job(
        fixture=Fixture(id=SEED, seats=(name, name), deals=SEED, hands=HANDS),
        launches=(launch, launch),
        rules=spec.rules,
        sandbox=spec.sandbox,
        time=spec.time,
        lines=spec.lines,
        faults=spec.faults,
        seed=SEED,
    )


def answers(job: Job) -> str:
    """Ask the bot of a job of ``position_job``, and return its answers: a word for each place, separated by spaces.

    Raises: WorkerLostError.
    """
    known = positions(job.rules)
    with ending_orphans():
        asked = [
            one
            for seat in (0, 1)
            for one in ask(job.player(seat), seat, known.hands, job.rules, batch=HANDS, at_most=job.faults.at_most)
        ]
    found = {(one.seat, one.hand, one.turn): _word(one.answer) for one in asked}
    return " ".join(found.get(place, FAULT) for place in known.places)


def _word(action: Action | None) -> str:
    """Return an answer as a word; a knock without its melds, which the referee can find."""
    if action is None:
        return FAULT
    return word(Knock(action.card)) if isinstance(action, Knock) else word(action)


# Suspected copies, with the positions that show it.

SHOWN = 6  # positions of a group that are shown; those with the rarest answers come first


class ShownPosition(Struct, frozen=True, kw_only=True):
    """A position in which a group decides alike, and as no template does."""

    hand: int  # of the fixed hands, from 0
    turn: int  # number of the action in the hand, counted from 1
    view: str  # the turn as text
    answer: str
    templates: tuple[tuple[str, str], ...]  # each template and its answer
    others: int  # versions outside of the group with the same answer
    asked: int  # versions outside of the group


class SuspectedCopies(Struct, frozen=True, kw_only=True):
    """Versions that decide alike, and positions that show it."""

    line: str
    group: LikeGroup
    authors: tuple[str, ...]  # one for each version
    telling: int  # positions in which they decide alike and as no template does
    positions: tuple[ShownPosition, ...]  # some of them; none, if the versions were asked in another set of positions


class LikenessReport(Struct, frozen=True, kw_only=True):
    """The suspected copies in a league."""

    title: str
    templates: tuple[str, ...]
    compared: int  # active versions with stored answers
    groups: tuple[SuspectedCopies, ...]


def likeness_report(path: Path) -> LikenessReport:
    """Return the suspected copies among the versions that play. Raises: InputError, StoreError, SpecError."""
    with leagues.open_league(path) as league:
        events, spec = leagues.events_of(league.store), league.spec
        active = leagues.field(league.store).active
    if spec.likeness is None:
        raise InputError(f"{path}: its spec says likeness: null, so no bot is compared")
    tables = answer_tables(active, events)
    authors = {version.id: version.author for version in active}
    return LikenessReport(
        title=spec.title,
        templates=spec.templates,
        compared=sum(len(one.versions) for one in tables),
        groups=tuple(suspected_copies(group, tables, authors, spec.rules) for group in groups(active, events, spec.likeness)),
    )


def suspected_copies(group: LikeGroup, tables: Sequence[AnswerTable], authors: Mapping[str, str], rules: Rules) -> SuspectedCopies:
    """Return a group with its positions; a group like a template has none."""
    table = next(one for one in tables if any(version.id == group.versions[0] for version in one.versions))
    telling = [] if group.template else table.telling_positions(group.versions)
    shown = telling[:SHOWN] if table.positions == positions(rules).digest else []
    return SuspectedCopies(
        line=str(group),
        group=group,
        authors=tuple(authors[name] for name in group.versions),
        telling=len(telling),
        positions=tuple(_shown_position(one, rules) for one in shown),
    )


def _shown_position(found: TellingPosition, rules: Rules) -> ShownPosition:
    _, number, turn = positions(rules).places[found.place]
    return ShownPosition(
        hand=number,
        turn=turn + 1,
        view=position_words(found.place, rules),
        answer=found.answer,
        templates=found.templates,
        others=found.others,
        asked=found.asked,
    )


def position_words(place: int, rules: Rules) -> str:
    """Return one of the fixed positions as text: the cards, and the opponent's last actions."""
    known = positions(rules)
    seat, number, turn = known.places[place]
    recorded = known.hands[number]
    hand, last = Hand.start(recorded.deal, rules), None
    for action in recorded.actions[:turn]:
        if hand.seat == seat:
            last = see(hand, recorded.before)
        hand = hand.play(action)
    return "\n".join(Lines("the bot", "the opponent").turn(turn + 1, see(hand, recorded.before), last))


# When a league is made, its templates, the bots that it hands out, are asked for their answers in the fixed positions.
#
# Only the answers are kept, to measure the likeness of bots beyond what the templates answer (:mod:`arena.league.rules.likeness`).


def template_answers(spec_file: Path) -> list[TemplateAnswered]:
    """Return the answers of a spec's templates. Raises: SpecError, SandboxError, WorkerLostError."""
    spec = load(spec_file, kinds())
    try:
        return list(_answers(spec, spec_file.parent)) if spec.templates else []
    except RosterError as error:
        raise SpecError(f"templates: {error}", path=str(spec_file)) from None


def _answers(spec: LeagueSpec, folder: Path) -> Iterator[TemplateAnswered]:
    with confined_reader(spec.sandbox) as reader:
        found = [(template, find(template, folder=folder, reader=reader)) for template in spec.templates]
    for template, bot in found:
        given = answers(position_job(bot.name, bot.launch, spec))
        if set(given.split()) == {FAULT}:
            raise RosterError(f"the template {template} answers in no position; `arena bots check {template}` shows why")
        digest = positions(spec.rules).digest
        yield TemplateAnswered(at=now(), template=template, digest=bot.digest, positions=digest, answers=given)
