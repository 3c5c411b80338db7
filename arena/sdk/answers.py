"""Finds the answer in the reply of a language model: the outermost object of the last fence with one, or of the reply.

What the model thinks is passed over, and objects inside others are never answers: they are moves that it has compared or rejected.
A reply that could be read in two ways is not guessed at. Its error says what was found twice, so that the model can be asked again.
"""

import re
from bisect import bisect
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from arena.sdk.named_moves import Move, expected, meant
from arena.sdk.reply_objects import (
    ReplyObject,
    UnclearReplyError,
    is_json,
    json_of,
    object_spans,
    outermost_objects,
    quoted,
    several,
    text_of,
    without_thoughts,
)
from arena.text import in_one_line, shorten

# for the model, and for the user who reads it in a note
CUT = "the reply was cut at its output limit (finish_reason length); answer in less, or raise max_tokens"
_FENCE = re.compile(r"```+|~~~+")
_BESIDE_OBJECT = re.compile(r"[\s`~]*(?:json\w*)?[\s`~]*", re.IGNORECASE)


class ModelAnswer(Struct, frozen=True):
    """A move with its reason, or an error."""

    move: Move | None
    said: str  # the model's reason, or what was wrong with its reply


def read_answer(reply: str, moves: Mapping[str, Move], *, cut: bool = False) -> ModelAnswer:
    """Return the move that a reply names; ``cut``: it ended at its output limit, and counts only if it is one whole object."""
    text = reply if is_json(reply) else without_thoughts(reply)
    try:
        if cut and not _is_whole_object(text):
            return ModelAnswer(None, CUT)
        chosen = _chosen_object(text, moves)
        return ModelAnswer(_move_of(chosen["move"], moves), text_of(chosen.get("why", "")))
    except UnclearReplyError as error:
        return ModelAnswer(None, CUT if cut else str(error))


def _is_whole_object(text: str) -> bool:
    """Tell whether a text is one object, perhaps in a fence. Raises: UnclearReplyError."""
    spans = list(object_spans(text))
    return len(spans) == 1 and _BESIDE_OBJECT.fullmatch(f"{text[: spans[0][0]]}\n{text[spans[0][1] :]}") is not None


def _chosen_object(text: str, moves: Mapping[str, Move]) -> dict[str, Any]:
    """Return the members of the answer, with ``move``. Raises: UnclearReplyError."""
    objects = list(outermost_objects(text))
    answers = [one for one in objects if "move" in one.members]
    if not answers and len(meant(bare := text.strip(" \n\t`~*\"'."), moves)) == 1:
        return {"move": bare}
    if not answers:
        wanted = 'expected a JSON object with the member "move"' if objects else "expected a JSON object"
        raise UnclearReplyError(f"{wanted}; found {quoted(text) if text.strip() else 'thoughts alone'}")
    candidates = _after_drafts(text, answers)
    different = {_same_key(one.members["move"], moves): one.members["move"] for one in candidates}
    if len(different) > 1:
        raise UnclearReplyError(f"found several answers: move {several(list(different.values()))}; expected one object")
    return candidates[-1].members


def _after_drafts(text: str, answers: Sequence[ReplyObject]) -> Sequence[ReplyObject]:
    """Return the answers in the last fence that has one, and those after it; without such a fence, all."""
    fences = [found.start() for found in _FENCE.finditer(text)]
    before = [bisect(fences, one.start) for one in answers]  # an odd number: the answer is in a fence
    first = max((number for number in before if number % 2), default=0)
    return [one for one, number in zip(answers, before, strict=True) if number >= first]


def _move_of(given: Any, moves: Mapping[str, Move]) -> Move:  # noqa: ANN401 - any JSON value
    """Return the move that a value names. Raises: UnclearReplyError."""
    found = _meant(given, moves)
    if len(found) == 1:
        return found[0]
    shown = shorten(in_one_line(json_of(given)), 40)
    unclear = f", which may be {' or '.join(move.name for move in found[:3])}" if found else ""
    raise UnclearReplyError(f"move: found {shown}{unclear}; {expected(moves)}")


def _meant(given: Any, moves: Mapping[str, Move]) -> list[Move]:  # noqa: ANN401 - any JSON value
    if isinstance(given, list) and len(given) == 1:
        (given,) = given
    return meant(str(given).strip(), moves) if type(given) in (int, float, str) else []


def _same_key(given: Any, moves: Mapping[str, Move]) -> str:  # noqa: ANN401 - any JSON value
    """Return what is equal for two values that name the same move."""
    return " ".join(move.name for move in _meant(given, moves)) or json_of(given)
