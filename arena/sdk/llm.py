"""Has a language model choose among the legal moves, within a budget; after an invalid reply it is asked again with the error."""

import os
from collections.abc import Mapping, Sequence

from msgspec import Struct

from arena.sdk.answers import ModelAnswer, read_answer
from arena.sdk.endpoint import log, redact
from arena.sdk.model_notes import FALLBACK, Cost, note_head
from arena.sdk.model_replies import Message, ModelReply
from arena.sdk.named_moves import Move, numbered
from arena.sdk.recording import reply_source
from arena.text import CUT, LONGEST_NOTE, shorten

TEXT_ROOM = 12_000  # characters for the model's words in all notes of a match; the rest of the notes' room is for the costs
REPEATED = 2000  # characters of an invalid reply that are sent back with its error
INSTRUCTION = (
    'Answer with one JSON object and nothing else: {"move": the number or the name of one of the moves, "why": one short sentence}.'
)


class ModelChoice(Struct, frozen=True):
    """The answer to a question."""

    move: Move | None  # None: the model has not named a legal move, or the budget is used up
    note: str
    final: str = ""  # the error that every other question would meet as well, as of a wrong key; empty: there is none


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
            answer = ModelAnswer(None, reply.error) if reply.error else read_answer(reply.text, moves, cut=reply.cut)
            if answer.move:
                return ModelChoice(answer.move, self._note(cost, answer.said))
            problem = self._shown(answer.said)
            log(problem)
            if reply.final:
                return ModelChoice(None, self._note(cost, f"{FALLBACK}: {problem}"), f"{self._given.model}: {problem}")
            if not reply.error:
                conversation += self._correction(reply, moves)
        return ModelChoice(None, self._note(cost, f"{FALLBACK}: {problem}"))

    def _correction(self, reply: ModelReply, moves: Mapping[str, Move]) -> Sequence[Message]:
        """Return the messages that correct a reply: without the key, as a recording has it, so that a replay asks the same."""
        text = redact(reply.text, self._given.secrets)
        said = read_answer(text, moves, cut=reply.cut).said
        correction = f"That was not followed: {said}. {INSTRUCTION}"
        return {"role": "assistant", "content": shorten(text, REPEATED)}, {"role": "user", "content": correction}

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
        head = note_head(self._given.model, cost)
        room = max(self._room, len(f"; {FALLBACK}{CUT}") if said.startswith(FALLBACK) else 0)  # by this it is known, and counted
        text = shorten(f"{head}; {self._shown(said)}", min(LONGEST_NOTE, len(head) + room))
        self._room = max(self._room - (len(text) - len(head)), 0)
        return text if len(text) > len(f"{head}; ") else head

    def _shown(self, text: str) -> str:
        """Return a text in one line, without the key."""
        return " ".join(redact(text, self._given.secrets).split())
