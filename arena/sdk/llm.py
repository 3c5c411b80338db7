"""Has a language model choose among the legal moves, within a budget; after an invalid reply it is asked again with the error.

The note of a turn begins with the model and the cost of the decision, ``gpt-x: 812+41 tokens, 1.3 s, cost 0.000420; ...``.
``read_cost`` parses it, so that a table of models needs only the record of a run.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct

from arena.sdk.endpoint import Message, ModelReply, reply_source
from arena.sdk.wording import Move, expected, named, numbered
from arena.text import LONGEST_NOTE, in_one_line, shorten

TEXT_ROOM = 12_000  # characters for the model's words in all notes of a match; the rest of the notes' room is for the costs
FALLBACK = "FALLBACK"  # begins the text of a note if the model named no move, and the bot decides without it
NAME = 40  # characters of a model's name in a note
SEARCHED = 1 << 16  # characters at the end of a reply in which JSON objects are searched
INSTRUCTION = (
    'Answer with one JSON object and nothing else: {"move": the number or the name of one of the moves, "why": one short sentence}.'
)
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


class ModelChoice(Struct, frozen=True):
    """The answer to a question."""

    move: Move | None  # None: the model has not named a legal move, or the budget is used up
    note: str


class LanguageModel:
    """A model of one bot in one match."""

    def __init__(self, bot: str, seed: str, environment: Mapping[str, str] = os.environ) -> None:
        """Read the settings of a bot; its seed identifies its lines in a recording. Raises: BotError; OSError."""
        self._source, self._given = reply_source(bot, seed, environment)
        self._spent = Cost()
        self._room = TEXT_ROOM

    def choose(self, system: str, question: str, moves: Mapping[str, Move]) -> ModelChoice:
        """Return the model's move, or None, and a note with its words and its cost.

        Raises: BotError, as ``Recording.ask``; OSError, if the reply cannot be recorded.
        """
        asked = "\n".join((question, "Moves:", *numbered(moves.values()), INSTRUCTION))
        conversation: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": asked}]
        cost, problem = Cost(), ""
        for _ in range(self._given.tries):
            if used_up := self._used_up(cost):
                problem = f"{problem}; {used_up}" if problem else used_up
                break
            reply = self._source.ask(conversation, self._given.patience - cost.seconds)
            cost = cost.plus(self._price(reply))
            move, said = (None, reply.error) if reply.error else _read_move(reply.text, moves)
            if move:
                return ModelChoice(move, self._note(cost, said))
            problem = said
            if reply.final:
                break
            if not reply.error:
                correction = f"That was not followed: {said}. {INSTRUCTION}"
                conversation += [{"role": "assistant", "content": reply.text}, {"role": "user", "content": correction}]
        return ModelChoice(None, self._note(cost, f"{FALLBACK}: {problem}"))

    def _price(self, reply: ModelReply) -> Cost:
        money = (reply.asked * self._given.price_in + reply.said * self._given.price_out) / 1e6
        return Cost(asked=reply.asked, said=reply.said, seconds=reply.seconds, money=money)

    def _used_up(self, cost: Cost) -> str:
        """Return the limit that forbids another question, for a note; empty: none."""
        given, spent = self._given, self._spent.plus(cost)
        if cost.seconds >= given.patience:
            return f"no move within {given.patience:g} s"
        if spent.asked + spent.said >= given.tokens:
            return f"the budget of {given.tokens} tokens is used up"
        if spent.seconds >= given.seconds:
            return f"the budget of {given.seconds:g} s is used up"
        if given.money is not None and spent.money >= given.money:
            return f"the budget of {given.money:g} is used up"
        return ""

    def _note(self, cost: Cost, said: str) -> str:
        """Return the note of a decision, and add its cost to what the match has spent."""
        self._spent = self._spent.plus(cost)
        tokens = f"{cost.asked}+{cost.said} tokens"
        name = shorten(re.sub(r"\s", "_", in_one_line(self._given.model)), NAME)
        head = f"{name}: {tokens}, {cost.seconds:.1f} s, cost {cost.money:.6f}"
        text = shorten(f"{head}; {' '.join(said.split())}", min(LONGEST_NOTE, len(head) + self._room))
        self._room -= len(text) - len(head)
        return text if len(text) > len(f"{head}; ") else head


def _read_move(text: str, moves: Mapping[str, Move]) -> tuple[Move | None, str]:
    """Return the move that a reply names and its reason; or None and the error."""
    answer = _object_in(text)
    if answer is None:
        return None, f"expected a JSON object; found {shorten(in_one_line(text), 60)!r}"
    given = answer.get("move")
    move = named(str(given).strip(), moves) if type(given) in (int, str) else None
    if move is None:
        return None, f"move: found {shorten(in_one_line(json.dumps(given)), 40)}; {expected(moves)}"
    return move, str(answer.get("why", ""))


def _object_in(text: str) -> dict[str, Any] | None:
    """Return the object that is the whole text; else of those in its end the last with a move, or the last; None: there is none."""
    with suppress(ValueError, RecursionError):
        if isinstance(whole := json.loads(text), dict):
            return whole
    found = list(_objects_in(text))
    return next((one for one in reversed(found) if "move" in one), found[-1] if found else None)


def _objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in the end of a text, in the order in which they begin; those inside others too."""
    text = text[-SEARCHED:]  # each brace may cost a thousand levels of nesting
    decoder = json.JSONDecoder()
    for brace in re.finditer(r"\{", text):
        with suppress(ValueError, RecursionError):
            yield decoder.raw_decode(text, brace.start())[0]


def read_cost(note: str) -> NotedCost | None:
    """Return the cost of a decision from its note; None: it has none, or was cut before the end of it."""
    found = _COST.fullmatch(note)
    if not found:
        return None
    model, asked, said, seconds, money, text = found.groups()
    return NotedCost(model, Cost(asked=int(asked), said=int(said), seconds=float(seconds), money=float(money)), text or "")
