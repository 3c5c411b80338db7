"""A person as a player: the base class, the terminal, unfinished matches, and the plan and play of a person's match."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.json import decode, encode

from arena.errors import MALFORMED, DamagedError, InputError, RunStoppedError, StoreError
from arena.gin.cards import NAMES, with_signs
from arena.gin.facts import Seat
from arena.gin.melds import arrange, deadwood
from arena.gin.rules import Rules
from arena.gin.view import Outcome, View
from arena.human.advice import advise
from arena.players.base import Player, PlayerFaultError, Reply
from arena.plugins import manager
from arena.records import NOT_BEGUN, HandRecord, MatchRecord, MatchSoFar
from arena.referee import job
from arena.referee.job import Job
from arena.reports.describe import (
    arrangement,
    card_sign,
    ending_words,
    in_order,
    lay_off_lines,
    match_ended,
    no_lay_off,
    opponent_did,
    standing,
)
from arena.results.publish import write_reports
from arena.roster.entrant import NAME as NAME_PATTERN
from arena.roster.entrant import PERSON, person_entrant
from arena.roster.finder import find
from arena.runs import plans
from arena.runs.plans import ResolvedBot
from arena.runs.play import Observer, Runner, play
from arena.runs.session import RunStart
from arena.sdk.wording import PHASES, Move, columns_in_words, defence, knocks, moves
from arena.store.folder import Folder
from arena.text import printable
from arena.tournament.plan import Plan
from arena.tournament.seeds import commitment

# A person's match that was stopped, by a signal or by a crash of the machine, and continues where it was.
#
# A file in the folder of the run has the match as far as it was played. It is written after each action, and removed when the
# match is stored. For the rest of the match a bot is started again, as after a fault: each turn tells it all about the hand, but
# nothing of earlier hands.


class _StoredMatch(Struct, frozen=True):
    """The content of the file."""

    run: str  # the commitment to its seed
    match: MatchSoFar


class UnfinishedMatch:
    """The unfinished match in the folder of a run, which is known by its seed."""

    def __init__(self, folder: Folder, seed: str) -> None:
        self._folder = folder
        self._run = commitment(seed)

    def read(self) -> MatchSoFar:
        """Return the match as far as it was played; ``NOT_BEGUN`` if the file is missing. Raises: StoreError, DamagedError."""
        path = self._folder.unfinished_match
        try:
            stored = decode(path.read_bytes(), type=_StoredMatch)
        except FileNotFoundError:
            return NOT_BEGUN
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
        except MALFORMED as error:
            raise DamagedError(f"{path}: {error}") from None
        if stored.run != self._run:
            raise DamagedError(f"{path}: belongs to another run; expected that of the commitment {self._run[:12]}…")
        return stored.match

    def keep(self, match: MatchSoFar) -> None:
        """Write the match as far as it was played. Raises: StoreError."""
        self._folder.write(self._folder.unfinished_match.name, encode(_StoredMatch(self._run, match)).decode())


def remove_unfinished(folder: Folder) -> None:
    """Remove the file of an unfinished match, because the match is stored."""
    folder.unfinished_match.unlink(missing_ok=True)


# The player. A subclass asks the person in a terminal, in a browser or through a program.


class HumanPlayer(Player):
    """A player whose moves ``choose`` returns; a subclass asks a person, and shows how hands and the match ended."""

    def __init__(self) -> None:
        self.before: View | None = None  # at the last turn; None: there was none in this hand
        self.rules: Rules | None = None  # known from the first hand
        self.hands: int | None = None  # of a batch; None: a match
        self.left = False  # the person has left the table, and loses the match by faults
        self.stopped = False  # the program stops, not the person: the match is kept

    def begin(self, seat: Seat, hands: int | None) -> None:  # noqa: ARG002 - a person is told all it needs with each turn
        """Check that the person is still at the table. Raises: as ``ask``."""
        self._check_presence()
        self.hands = hands

    def watch(self, view: View) -> None:
        """Learn the rules. Nothing is shown: a terminal shows the hand at the first turn."""
        self.rules = view.rules

    def ask(self, view: View) -> Reply:
        """Return the chosen move. Raises: PlayerFaultError, if the person has left; RunStoppedError, if the program stops."""
        self._check_presence()
        self.rules = view.rules
        move = self.choose(view)
        self.before = view
        if move is None:
            self.left = True
            self._check_presence()
        assert move
        return Reply(move.action)

    def _check_presence(self) -> None:
        if self.stopped:
            raise RunStoppedError("stopped")
        if self.left:
            raise PlayerFaultError("crash", "left the table")

    def choose(self, view: View) -> Move | None:
        """Return a legal move; None: the person has left, or the program stops."""
        raise NotImplementedError

    def hand_over(self, outcome: Outcome) -> None:
        """Learn how a hand ended."""
        raise NotImplementedError

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Learn how the match ended."""
        raise NotImplementedError


# A person at a terminal: one line for each turn; cards have suit signs, or letters on a terminal that lacks the signs.

SHORT = {"d": "draw", "t": "take", "p": "pass", "g": "big_gin", "l": "lay_off"}
HELP = (
    "d draw, t take, p pass, a card (7h) throws it, k 7h knocks with it, g big gin, l lay down, ? hint, q loses the match,"
    " Ctrl-C keeps it for later"
)


class Keyboard(HumanPlayer):
    """Asks on standard output and reads standard input, whose end stops the match: it can be continued."""

    def __init__(self, opponent: str, ask: Callable[[str], str] = input, tell: Callable[[str], None] = print) -> None:
        super().__init__()
        self._opponent = opponent
        self._ask = ask
        self._tell = tell

    def choose(self, view: View) -> Move | None:
        """Return the move that is typed; None, for q and the end of input. Raises: KeyboardInterrupt."""
        self._show(view)
        legal = moves(view)
        while True:
            try:
                typed = self._ask("> ").strip()
            except EOFError:
                self.stopped = True
                return None
            if typed == "q":
                return None
            if typed in ("?", "h"):
                advice = advise(view)
                self._tell(f"  {with_signs(advice.move.message)}: {with_signs(advice.why)}")
                continue
            move = legal.get(_name(typed))
            if move:
                return move
            self._tell(f"  {typed!r} cannot be done now; you may: {_describe(view)}")

    def _show(self, view: View) -> None:
        if self.before is None or (self.before.game, self.before.hand) != (view.game, view.hand):
            self._tell(f"\n{standing(view, self._opponent)}; {HELP}")
        for did in opponent_did(self.before, view):
            self._tell(f"  {self._opponent} {with_signs(did)}")
        top = card_sign(view.pile[-1]) if view.pile else "none"
        self._tell(f"\n  discard {top}, stock {view.stock}")
        self._tell(f"  {arrangement(arrange(view.cards), view.cards)} ({deadwood(view.cards)})")
        if view.knocker:
            self._show_knock(view)
        self._tell(f"  {PHASES[view.phase.value]} You may: {_describe(view)}")

    def _show_knock(self, view: View) -> None:
        assert view.knocker
        self._tell(f"  {self._opponent} lays {', '.join(map(in_order, view.knocker.melds))}")
        best = defence(view)
        for line in (*lay_off_lines(best.lay_offs, view.knocker.melds), *filter(None, [no_lay_off(view)])):
            self._tell(f"  {with_signs(line)}")
        melds = ", ".join(map(in_order, best.melds)) or "no meld"
        self._tell(f"  at your best you lay {melds}; {best.deadwood} points are left")

    def hand_over(self, outcome: Outcome) -> None:
        """Show both players' cards, and the score."""
        self._tell("")
        for line in hand_lines(outcome, self._opponent, self.rules):
            self._tell(f"  {line}")
        self.before = None

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Show who has won."""
        self._tell(f"\n{match_ended(self._opponent, won=won, games=games, hands=self.hands)}")


def hand_lines(outcome: Outcome, opponent: str, rules: Rules | None) -> Iterator[str]:
    """Yield what both players held at the end of a hand, and how it ended."""
    for name, held, melds, left in zip(("you", opponent), outcome.cards, outcome.melds, outcome.deadwood, strict=True):
        yield f"{name}: {arrangement(melds, held)} ({left})"
    columns = f"; {columns_in_words(outcome.columns)}" if outcome.columns else ""
    yield f"{ending_words(outcome, opponent, rules)} Score {outcome.score[0]} to {outcome.score[1]}{columns}."


def _name(typed: str) -> str:
    """Return the name of the move that is typed."""
    words = typed.replace(":", " ").split()
    if len(words) == 2 and words[0] in ("k", "knock"):
        return f"knock:{_card(words[1])}"
    return SHORT.get(typed, _card(typed))


def _card(typed: str) -> str:
    """Return a card in notation, whatever the case in which it was typed: ``10H`` is ``Th``; other text as it is."""
    text = typed.replace("10", "T")
    written = text[:1].upper() + text[1:].lower()
    return written if written in NAMES else typed


def _describe(view: View) -> str:
    """Return the legal moves in short; cards are named only for a knock."""
    plain = [name for name in ("draw", "take", "pass", "big_gin", "lay_off") if name in view.may]
    thrown = ["a card to throw"] if "discard" in view.may else []
    knock = [f"knock with {' or '.join(NAMES[card] for card in knocks(view))}"] if "knock" in view.may else []
    return ", ".join([*(name.replace("_", " ") for name in plain), *thrown, *knock])


# A match between a person and a bot, or between two people, played and stored like any other.

NAME = "you"
TWO = ("host", "guest")  # the names of two people at one table


class MatchRequest(Struct, frozen=True, kw_only=True):
    """What a person wants to play."""

    bot: str | None  # None: another person
    rules: str = "standard"
    target: int | None = None  # None: as the rules say
    best_of: int | None = None
    sandbox: str | None = None  # None: the default of specs
    seed: str | None = None
    names: tuple[str, ...] = ()  # of the people; empty: "you", or host and guest


def match_plan(request: MatchRequest) -> Plan:
    """Return the plan of one match between a person and a bot, or two people. Raises: InputError, RosterError."""
    field = _field(request)
    bots = [one.entrant.launch for one in field if one.entrant.launch.command]
    options: dict[str, Any] = {"target": request.target, "best_of": request.best_of}
    values: dict[str, Any] = {
        "title": f"Play {field[1].name}",
        "rules": plans.ruleset(request.rules, {}, **{key: value for key, value in options.items() if value is not None}),
        "format": "single",
        "sandbox": plans.sandbox(request.sandbox, bots),
    }
    return plans.from_values(values, field, request.seed)


def _field(request: MatchRequest) -> tuple[ResolvedBot, ResolvedBot]:
    """Return who plays: a person and a bot, or two people. Raises: InputError, RosterError."""
    people = _checked_names(request)
    if request.bot is None:
        return _person(people[0]), _person(people[1])
    bot = find(request.bot, name=None, folder=Path())
    if bot.name == people[0]:
        bot = find(request.bot, name=f"{bot.name}-too", folder=Path())
    return _person(people[0]), ResolvedBot(request.bot, bot)


def _checked_names(request: MatchRequest) -> tuple[str, ...]:
    """Return the names of the people. Raises: InputError: a wrong number, equal names, or one that no bot could have."""
    usual = TWO if request.bot is None else (NAME,)
    names = request.names or usual
    if len(names) != len(usual) or len(set(names)) < len(names):
        expected = "one for each of two people, and they differ" if request.bot is None else "one, your own"
        raise InputError(f"--name: found {' and '.join(names)}; expected {expected}")
    for name in names:
        if not re.match(NAME_PATTERN, name):
            raise InputError(
                f"--name: found {printable(name)!r}; expected at most 50 letters, digits, _ . or -, a letter or digit first"
            )
    return names


def ignore_hands(_: Job) -> Callable[[HandRecord], None]:
    """Return a function that ignores each hand of a match."""
    return lambda _: None


def play_person(
    start: RunStart,
    people: Sequence[HumanPlayer],
    observer: Observer,
    on_begin: Callable[[Job], Callable[[HandRecord], None]] = ignore_hands,
) -> None:
    """Play the match of one person or two in this process, or the rest of one that was stopped; store it and write its reports.

    ``on_begin`` returns a function that receives each hand that is over, also those from before the match was stopped. Raises: as
    ``arena.runs.play.play``.
    """
    first, second = (*people, None)[:2]

    def work(one: Job) -> MatchRecord:
        unfinished, on_hand = UnfinishedMatch(start.folder, one.seed), on_begin(one)
        so_far = unfinished.read()
        for hand in so_far.hands:
            on_hand(hand)
        return job.play(one, (first, second), tell=on_hand, so_far=so_far, keep=unfinished.keep)

    play(start, Runner(manager.load(), executor="serial", workers=1, work=work), observer, write_reports)
    start.folder.mark_reported()
    remove_unfinished(start.folder)


def _person(name: str) -> ResolvedBot:
    return ResolvedBot(PERSON, person_entrant(name))
