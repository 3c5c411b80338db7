"""The note of a decision that a language model was asked for: ``gpt-x: 812+41 tokens, 1.3 s, cost 0.000420; it leaves least``.

A report and the table of models parse it, so they need only the records of a run.
"""

import re

from msgspec import Struct

from arena.text import in_one_line, shorten

ASKS = "asks a model: "  # begins a line on stderr of a bot that will ask one, which `arena bots check` reads
FALLBACK = "FALLBACK"  # begins the text of a note if the model named no move, and the bot decides without it
NAME = 40  # characters of a model's name in a note
_COST = re.compile(r"(\S+): (\d+)\+(\d+) tokens, (\d+\.\d) s, cost (\d+\.\d{6})(?:; (.*))?", re.DOTALL)


class Cost(Struct, frozen=True, kw_only=True):
    """The cost of a decision, all its tries together, or of several decisions."""

    asked: int = 0  # tokens of questions
    said: int = 0  # tokens of replies
    seconds: float = 0.0
    money: float = 0.0  # in the currency of the prices

    def plus(self, other: "Cost") -> "Cost":
        """Return the sum of both."""
        return Cost(
            asked=self.asked + other.asked,
            said=self.said + other.said,
            seconds=self.seconds + other.seconds,
            money=self.money + other.money,
        )


class NotedCost(Struct, frozen=True):
    """The model, the cost and the text in the note of a decision."""

    model: str
    cost: Cost
    text: str  # what the model said, or why it was not followed

    @property
    def is_fallback(self) -> bool:
        """Tell whether another player decided in place of the model."""
        return self.text.startswith(FALLBACK)


def note_head(model: str, cost: Cost) -> str:
    """Return the beginning of a note; a text may follow after ``; ``."""
    name = shorten(re.sub(r"\s", "_", in_one_line(model)), NAME)
    return f"{name}: {cost.asked}+{cost.said} tokens, {cost.seconds:.1f} s, cost {cost.money:.6f}"


def read_cost(note: str) -> NotedCost | None:
    """Return the cost of a decision from its note; None: it has none, or was cut before the end of it."""
    found = _COST.fullmatch(note)
    if not found:
        return None
    model, asked, said, seconds, money, text = found.groups()
    return NotedCost(model, Cost(asked=int(asked), said=int(said), seconds=float(seconds), money=float(money)), text or "")
