"""Reads what the Java framework of the Gin Rummy EAAI Undergraduate Research Challenge prints with ``setPlayVerbose(true)``.

Its rules are ``standard`` without big gin and without a limit of takes. A game there is a hand after another until a player
has 100 points; each becomes a single hand at the score of its game, because the same player begins again after a cancelled
hand, which no ruleset has. Lines that the players print themselves are passed over.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from arena.gin.actions import Action, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import Card, Melds, bits, card
from arena.gin.rules import Rules
from arena.gin.rulesets import Standard
from arena.results.convert.foreign import ForeignHand, LeftOut

RULES: Rules = Standard(big_gin_bonus=None, max_takes=1000)
DEALT = re.compile(r"Player ([01]) is dealt \[([^\[\]]*)\]\.")
STARTS = re.compile(r"Player ([01]) starts\.")
FACE_UP = re.compile(r"The initial face up card is (\w\w)\.")
DECLINES = re.compile(r"Player [01] declines \w\w\.")
DRAWS = re.compile(r"Player [01] draws (\w\w)\.")
DISCARDS = re.compile(r"Player [01] discards (\w\w)\.")
MELDS = re.compile(r"Player [01] (?:melds|goes gin with melds) \[(.*?\]|)\](?: with \d+ deadwood from \[.*\])?\.")
LAYS_OFF = re.compile(r"Player [01] lays off (\w\w) on \[([^\[\]]*)\]\.")
SCORE = re.compile(r"([01])\t(\d{1,9})")
ENDS = re.compile(r"Player [01] wins\.|Player [01] .* forfeits\.")


class _Story(Struct):
    """The part of a hand that was read so far."""

    line: int
    name: str
    score: tuple[int, int]
    dealt: dict[int, tuple[Card, ...]]
    starter: int | None = None
    upcard: Card | None = None
    pile: list[Card] = []  # the discard pile, its top last
    drawn: list[Card] = []
    actions: list[Action] = []
    defence: Melds | None = None
    laid: list[tuple[Card, int]] = []
    after: dict[int, int] = {}  # scores of the players after the hand
    wrong: str = ""  # why it cannot be converted


def read(lines: Iterable[str]) -> Iterator[ForeignHand | LeftOut]:
    """Yield each hand of a log."""
    story: _Story | None = None
    score, game, hand = (0, 0), 1, 0
    for number, line in enumerate(map(str.rstrip, lines), 1):
        dealt = DEALT.fullmatch(line)
        if dealt and (story is None or dealt[1] in map(str, story.dealt)):
            if story:  # without its scores: the log was cut, and what follows is another game
                yield _end(story)
                score, game, hand = (0, 0), game + 1, 0
            hand += 1
            story = _Story(number, f"eaai/{game}.{hand}", score, {})
        if story:
            _add(story, line)
            if len(story.after) == 2:
                score = (story.after[0], story.after[1])
                yield _end(story)
                story = None
        if ENDS.fullmatch(line):
            if story:
                yield LeftOut(story.line, f"line {number} says: {line}")
            story, score, game, hand = None, (0, 0), game + 1, 0
    if story:
        yield _end(story)


def _add(story: _Story, line: str) -> None:
    """Add what a line says."""
    try:
        if found := DEALT.fullmatch(line):
            story.dealt[int(found[1])] = _cards(found[2])
        elif found := STARTS.fullmatch(line):
            story.starter = int(found[1])
        elif found := FACE_UP.fullmatch(line):
            (story.upcard,) = story.pile = list(_cards(found[1]))
        elif found := SCORE.fullmatch(line):
            story.after[int(found[1])] = int(found[2])
        else:
            _add_action(story, line)
    except ValueError as error:
        story.wrong = story.wrong or str(error)


def _add_action(story: _Story, line: str) -> None:
    """Add what a player does. Raises: ValueError."""
    actions = story.actions
    if DECLINES.fullmatch(line):
        actions.append(Pass())
    elif found := DRAWS.fullmatch(line):
        (drawn,) = _cards(found[1])
        if story.pile[-1:] == [drawn]:
            actions.append(Take())
            story.pile.pop()
        else:
            actions.append(Draw())
            story.drawn.append(drawn)
    elif found := DISCARDS.fullmatch(line):
        thrown = _cards(found[1])
        actions.append(Discard(*thrown))
        story.pile += thrown
    elif found := MELDS.fullmatch(line):
        melds = tuple(bits(_cards(meld)) for meld in re.findall(r"\[([^\[\]]*)\]", found[1]))
        if actions and isinstance(last := actions[-1], Discard):
            actions[-1] = Knock(last.card, melds)
        else:
            story.defence = melds
    elif found := LAYS_OFF.fullmatch(line):
        (laid,), on = _cards(found[1]), bits(_cards(found[2]))
        knock = actions[-1] if actions else None
        melds = (knock.melds or ()) if isinstance(knock, Knock) else ()
        story.laid += [(laid, number) for number, meld in enumerate(melds) if meld & ~on == 0]


def _end(story: _Story) -> ForeignHand | LeftOut:
    """Return the hand that was read."""
    if story.wrong:
        return LeftOut(story.line, story.wrong)
    if len(story.after) < 2 or len(story.dealt) < 2 or story.starter is None or story.upcard is None:
        return LeftOut(story.line, "it is cut off: expected the cards of both players, who starts, and the scores after it")
    answer = () if story.defence is None else (LayOff(story.defence, tuple(story.laid)),)
    return ForeignHand(
        line=story.line,
        name=story.name,
        rules=RULES,
        dealer=1 - story.starter,
        dealt=(story.dealt[0], story.dealt[1]),
        upcard=story.upcard,
        drawn=tuple(story.drawn),
        actions=(*story.actions, *answer),
        score=story.score,
        points=(story.after[0] - story.score[0]) - (story.after[1] - story.score[1]),
    )


def _cards(text: str) -> tuple[Card, ...]:
    """Return the cards of a text such as ``AH, 6S``. Raises: ValueError."""
    return tuple(card(name[:-1] + name[-1:].lower()) for name in text.split(", ") if name)
