"""Suspected copies, with the positions that show it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from arena.errors import InputError
from arena.gin.match import walk
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.league import leagues, positions
from arena.league.positions import PositionSet
from arena.league.rules.likeness import (
    AnswerTable,
    LikeGroup,
    TellingPosition,
    answer_tables,
    groups,
    template_words,
)
from arena.runs.debugging import Lines

SHOWN = 6  # positions of each kind that are shown of a group; those with the rarest answers come first


class ShownPosition(Struct, frozen=True, kw_only=True):
    """A position in which a group decides alike."""

    hand: int  # of the set, from 1
    turn: int  # number of the action in the hand, counted from 1
    view: str  # the turn as text
    answer: str
    templates: tuple[tuple[str, str], ...]  # each template and its answer
    others: int  # versions outside of the group with the same answer
    asked: int  # versions outside of the group


class ShownDifference(Struct, frozen=True, kw_only=True):
    """A position in which the two of a pair decide differently."""

    hand: int  # of the set, from 1
    turn: int  # number of the action in the hand, counted from 1
    view: str  # the turn as text
    answers: tuple[str, str]  # of the pair


class SuspectedCopies(Struct, frozen=True, kw_only=True):
    """Versions that decide alike, and positions that show it; none, if the versions were asked in another set of positions."""

    line: str
    group: LikeGroup
    authors: tuple[str, ...]  # one for each version
    telling: int  # positions in which they decide alike and, unless they are like a template, as no template does
    positions: tuple[ShownPosition, ...]  # some of them
    pair: tuple[str, str]  # of the pairs in ``group.closest`` the one that differs most, or a template and a version
    differences: tuple[ShownDifference, ...]  # some of the positions in which that pair differs


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
    tables, known = answer_tables(active, events), positions.load(path, spec.rules)
    authors = {version.id: version.author for version in active}
    return LikenessReport(
        title=spec.title,
        templates=spec.templates,
        compared=sum(len(one.versions) for one in tables),
        groups=tuple(
            suspected_copies(group, tables, authors, spec.rules, known) for group in groups(active, events, spec.likeness)
        ),
    )


def suspected_copies(
    group: LikeGroup, tables: Sequence[AnswerTable], authors: Mapping[str, str], rules: Rules, known: PositionSet | None
) -> SuspectedCopies:
    """Return a group with positions in which it decides alike, and those in which two of it differ."""
    table = next(one for one in tables if any(version.id == group.versions[0] for version in one.versions))
    telling = table.telling_positions(group.versions, beyond=not group.template)
    pair = (group.closest[-1].one, group.closest[-1].other)
    differing = list(table.differing_positions(*pair).items())
    known = known if known and known.digest == table.positions else None
    return SuspectedCopies(
        line=str(group),
        group=group,
        authors=tuple(authors[name] for name in group.versions),
        telling=len(telling),
        positions=tuple(_shown_position(one, rules, known) for one in telling[:SHOWN]) if known else (),
        pair=(template_words(pair[0]) if group.template else pair[0], pair[1]),
        differences=tuple(_shown_difference(*one, rules, known) for one in differing[:SHOWN]) if known else (),
    )


def _shown_position(found: TellingPosition, rules: Rules, known: PositionSet) -> ShownPosition:
    _, number, turn = known.places[found.place]
    return ShownPosition(
        hand=number + 1,
        turn=turn + 1,
        view=position_words(found.place, rules, known),
        answer=found.answer,
        templates=tuple((template_words(name), answer) for name, answer in found.templates),
        others=found.others,
        asked=found.asked,
    )


def _shown_difference(place: int, answers: tuple[str, str], rules: Rules, known: PositionSet) -> ShownDifference:
    _, number, turn = known.places[place]
    return ShownDifference(hand=number + 1, turn=turn + 1, view=position_words(place, rules, known), answers=answers)


def position_words(place: int, rules: Rules, known: PositionSet) -> str:
    """Return one of the positions as text: the cards, and the opponent's last actions."""
    seat, number, turn = known.places[place]
    recorded = known.hands[number]
    before = walk(recorded.deal, rules, recorded.actions[:turn])
    *_, last, shown = None, *(see(hand, recorded.deal.before) for hand in before if hand.seat == seat)
    return "\n".join(Lines("the bot", "the opponent").turn(turn + 1, shown, last))
