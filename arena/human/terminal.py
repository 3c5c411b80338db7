"""A person at a terminal: one line for each turn; cards have suit signs, or letters on a terminal that lacks the signs."""

from collections.abc import Callable, Iterator

from arena.gin.cards import NAMES, with_signs
from arena.gin.melds import arrange, deadwood
from arena.gin.rules import Rules
from arena.gin.view import Outcome, View
from arena.human.advising import advise
from arena.human.player import HumanPlayer
from arena.reports.arranged_cards import arrangement, card_sign, in_order
from arena.reports.describe import ending_words, lay_off_lines, match_ended, no_lay_off, opponent_did, standing
from arena.sdk.named_moves import Move, defence, knocks, moves
from arena.sdk.view_words import PHASES, columns_in_words

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
                self._tell(f"  {with_signs(advice.move.message)}: {with_signs(advice.text)}")
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
