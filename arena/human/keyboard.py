"""A person at a terminal: one line for each turn, in letters that every terminal has unless it has suits."""

from collections.abc import Callable

from arena.gin.cards import NAMES, Cards
from arena.gin.melds import arrange, deadwood
from arena.gin.signs import signed
from arena.gin.view import Outcome, View
from arena.human.cards import arranged, in_order, shown
from arena.human.describe import PHASES, defence, ended, lay_off_lines, match_ended, no_lay_off, opponent_did, standing
from arena.human.moves import Move, hint, knocks, moves
from arena.human.player import HumanPlayer

SHORT = {"d": "draw", "t": "take", "p": "pass", "g": "big_gin", "l": "lay_off"}
HELP = "d draw, t take, p pass, a card (7h) throws it, k 7h knocks with it, g big gin, l lay down, ? hint, q leaves the table"


class Keyboard(HumanPlayer):
    """Asks on standard output, reads on standard input; the end of input leaves the table."""

    def __init__(self, opponent: str, ask: Callable[[str], str] = input, tell: Callable[[str], None] = print) -> None:
        super().__init__()
        self._opponent = opponent
        self._ask = ask
        self._tell = tell

    def choose(self, view: View) -> Move | None:
        """Return the move that is typed; None, for q, Ctrl-C and the end of input."""
        self._show(view)
        legal = moves(view)
        while True:
            try:
                typed = self._ask("> ").strip()
            except (EOFError, KeyboardInterrupt):
                return None
            if typed == "q":
                return None
            if typed in ("?", "h"):
                advice = hint(view)
                self._tell(f"  {signed(advice.move.message)}: {signed(advice.why)}")
                continue
            move = legal.get(_name(typed))
            if move:
                return move
            self._tell(f"  {typed!r} cannot be done now; you may: {_describe(view)}")

    def _show(self, view: View) -> None:
        if self.before is None or (self.before.game, self.before.hand) != (view.game, view.hand):
            self._tell(f"\n{standing(view, self._opponent)}; {HELP}")
        for did in opponent_did(self.before, view):
            self._tell(f"  {self._opponent} {signed(did)}")
        top = shown(view.pile[-1]) if view.pile else "none"
        self._tell(f"\n  discard {top}, stock {view.stock}")
        self._tell(f"  {self._melded(view.cards)} ({deadwood(view.cards)})")
        if view.knocker:
            self._show_knock(view)
        self._tell(f"  {PHASES[view.phase.value]} You may: {_describe(view)}")

    def _show_knock(self, view: View) -> None:
        assert view.knocker
        self._tell(f"  {self._opponent} lays {', '.join(map(in_order, view.knocker.melds))}")
        own, lay_offs, left = defence(view)
        for line in (*lay_off_lines(lay_offs, view.knocker.melds), *filter(None, [no_lay_off(view)])):
            self._tell(f"  {signed(line)}")
        melds = ", ".join(map(in_order, own)) or "no meld"
        self._tell(f"  at your best you lay {melds}; {left} points are left (R6.4)")

    def _melded(self, held: Cards) -> str:
        return arranged(arrange(held), held)

    def hand_over(self, outcome: Outcome) -> None:
        """Show both players' cards, and the score."""
        self._tell("")
        for name, held, melds, left in zip(("you", self._opponent), outcome.cards, outcome.melds, outcome.deadwood, strict=True):
            self._tell(f"  {name}: {arranged(melds, held)} ({left})")
        self._tell(f"  {ended(outcome, self._opponent, self.rules)} Score {outcome.score[0]} to {outcome.score[1]}.")
        self.before = None

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Show who has won."""
        self._tell(f"\n{match_ended(self._opponent, won=won, games=games)}")


def _name(typed: str) -> str:
    """Return the name of the move that is typed."""
    words = typed.replace(":", " ").split()
    if len(words) == 2 and words[0] in ("k", "knock"):
        return f"knock:{_card(words[1])}"
    return SHORT.get(typed, _card(typed))


def _card(typed: str) -> str:
    """Return a card as it is written, whatever the case it was typed in: ``10H`` is ``Th``."""
    text = typed.replace("10", "T")
    written = text[:1].upper() + text[1:].lower()
    return written if written in NAMES else typed


def _describe(view: View) -> str:
    """Return the moves in short: not every card that may be thrown, but those that may be thrown with a knock."""
    plain = [name for name in ("draw", "take", "pass", "big_gin", "lay_off") if name in view.may]
    thrown = ["a card to throw"] if "discard" in view.may else []
    knock = [f"knock with {' or '.join(NAMES[card] for card in knocks(view))}"] if "knock" in view.may else []
    return ", ".join([*(name.replace("_", " ") for name in plain), *thrown, *knock])
