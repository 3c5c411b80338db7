"""Finds the answer in the reply of a language model: the outermost object of the last fence with one, or of the reply.

What the model thinks is passed over, and objects inside others are never answers: they are moves that it has compared or rejected.
A reply that could be read in two ways is not guessed at. Its error says what was found twice, so that the model can be asked again.
"""

import json
import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from arena.sdk.wording import Move, expected, meant
from arena.text import in_one_line, shorten

# for the model, and for the user who reads it in a note
CUT = "the reply was cut at its output limit (finish_reason length); answer in less, or raise max_tokens"
MOST_OBJECTS = 100  # of a reply; with more it is no answer
SHOWN = 60  # characters of what was found
_THOUGHTS = re.compile(r"<(/?)(?:think|thinking|thought|thoughts|reasoning|reflection)>", re.IGNORECASE)
_FENCE = re.compile(r"```+|~~~+")
_BESIDE_OBJECT = re.compile(r"[\s`~]*(?:json\w*)?[\s`~]*", re.IGNORECASE)
_SIGN = re.compile(r"""[{}"]|(?<=[{\[,:\s])'""")
_DOUBLE, _SINGLE = r'"[^"\\]*(?:\\.[^"\\]*)*"', r"'[^'\\]*(?:\\.[^'\\]*)*'"
_STRINGS = {'"': re.compile(_DOUBLE, re.DOTALL), "'": re.compile(_SINGLE, re.DOTALL)}
_TOKEN = re.compile(rf"""{_DOUBLE}|//[^\n]*|{_SINGLE}|[{{}}\[\]:,]|[^\s{{}}\[\]:,"']+""", re.DOTALL)
_TRAILING = {(",", "}"), (",", "]")}
_LITERAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|true|false|null")
_OF_PYTHON = {"True": "true", "False": "false", "None": "null"}
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'"})  # noqa: RUF001 - what models write


class ModelAnswer(Struct, frozen=True):
    """A move with its reason, or an error."""

    move: Move | None
    said: str  # the model's reason, or what was wrong with its reply


class UnclearReplyError(Exception):
    """A reply that has no answer, or could have several; the text is for the model."""


class _Object(Struct, frozen=True):
    """An outermost object of a reply."""

    start: int  # its place in the text
    members: dict[str, Any]


def read_answer(reply: str, moves: Mapping[str, Move], *, cut: bool = False) -> ModelAnswer:
    """Return the move that a reply names; ``cut``: it ended at its output limit, and counts only if it is one whole object."""
    text = reply if _is_json(reply) else _without_thoughts(reply)
    try:
        if cut and not _is_whole_object(text):
            return ModelAnswer(None, CUT)
        chosen = _chosen_object(text, moves)
        return ModelAnswer(_move_of(chosen["move"], moves), _text(chosen.get("why", "")))
    except UnclearReplyError as error:
        return ModelAnswer(None, CUT if cut else str(error))


def _is_whole_object(text: str) -> bool:
    """Tell whether a text is one object, perhaps in a fence. Raises: UnclearReplyError."""
    spans = list(_spans(text))
    return len(spans) == 1 and _BESIDE_OBJECT.fullmatch(f"{text[: spans[0][0]]}\n{text[spans[0][1] :]}") is not None


def _chosen_object(text: str, moves: Mapping[str, Move]) -> dict[str, Any]:
    """Return the members of the answer, with ``move``. Raises: UnclearReplyError."""
    objects = list(_objects(text))
    answers = [one for one in objects if "move" in one.members]
    if not answers and len(meant(bare := text.strip(" \n\t`~*\"'."), moves)) == 1:
        return {"move": bare}
    if not answers:
        wanted = 'expected a JSON object with the member "move"' if objects else "expected a JSON object"
        raise UnclearReplyError(f"{wanted}; found {_quoted(text) if text.strip() else 'thoughts alone'}")
    candidates = _after_drafts(text, answers)
    different = {_same_key(one.members["move"], moves): one.members["move"] for one in candidates}
    if len(different) > 1:
        raise UnclearReplyError(f"found several answers: move {_several(list(different.values()))}; expected one object")
    return candidates[-1].members


def _after_drafts(text: str, answers: Sequence[_Object]) -> Sequence[_Object]:
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
    shown = shorten(in_one_line(_json(given)), 40)
    unclear = f", which may be {' or '.join(move.name for move in found[:3])}" if found else ""
    raise UnclearReplyError(f"move: found {shown}{unclear}; {expected(moves)}")


def _meant(given: Any, moves: Mapping[str, Move]) -> list[Move]:  # noqa: ANN401 - any JSON value
    if isinstance(given, list) and len(given) == 1:
        (given,) = given
    return meant(str(given).strip(), moves) if type(given) in (int, float, str) else []


def _same_key(given: Any, moves: Mapping[str, Move]) -> str:  # noqa: ANN401 - any JSON value
    """Return what is equal for two values that name the same move."""
    return " ".join(move.name for move in _meant(given, moves)) or _json(given)


# Where the objects of a reply are, and what they hold.


def _is_json(text: str) -> bool:
    """Tell whether a text is JSON: then what looks like a tag is in a string."""
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _without_thoughts(reply: str) -> str:
    """Return a reply without what stands between tags of thoughts; the first tag may be missing, as prompts often end with it."""
    kept: list[str] = []
    last, thinking = 0, False
    for tag in _THOUGHTS.finditer(reply):
        if not thinking:
            kept.append(reply[last : tag.start()])
        if tag[1] and not thinking:
            kept.clear()
        last, thinking = tag.end(), not tag[1]
    return "".join(kept) if thinking else "".join([*kept, reply[last:]])


def _objects(text: str) -> Iterator[_Object]:
    """Yield the outermost objects of a text, in their order. Raises: UnclearReplyError, for a broken one that may be an answer."""
    for number, (start, end) in enumerate(_spans(text)):
        if number == MOST_OBJECTS:
            raise UnclearReplyError(f"found more than {MOST_OBJECTS} JSON objects; expected one")
        members = _members(text[start:end])
        if members is not None:
            yield _Object(start, members)
        elif re.search(r"\bmove\b", text[start:end], re.IGNORECASE):
            raise UnclearReplyError(f"expected a JSON object; found one that is not valid: {_quoted(text[start:end])}")


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each outermost pair of braces; braces in strings do not count. Raises: UnclearReplyError."""
    depth = start = at = 0
    while found := _SIGN.search(text, at):
        at = found.end()
        if found[0] == "{":
            start, depth = (start if depth else found.start()), depth + 1
        elif found[0] == "}" and depth:
            depth -= 1
            if not depth:
                yield start, at
        elif found[0] in _STRINGS and depth:
            string = _STRINGS[found[0]].match(text, found.start())
            if string is None:
                break
            at = string.end()
    if depth:
        raise UnclearReplyError(f"found a JSON object that is not closed: {_quoted(text[start:])}")


def _members(text: str) -> dict[str, Any] | None:
    """Return the members of an object by their keys in lower case; None: it cannot be read. Raises: UnclearReplyError.

    Besides JSON it may have a trailing comma, single or curly quotes, and keys without quotes.
    """
    with suppress(ValueError, RecursionError):
        return _by_key(json.loads(text, strict=False, object_pairs_hook=_Pairs))
    with suppress(ValueError, RecursionError):
        return _by_key(json.loads(_as_json(text), object_pairs_hook=_Pairs))
    return None


def _as_json(text: str) -> str:
    """Return an object as JSON, without trailing commas and comments, and with double quotes around strings, keys and words."""
    tokens = [token for token in _TOKEN.findall(text.translate(_QUOTES)) if not token.startswith("//")]
    following = [*tokens[1:], ""]
    return "".join(_json_token(token) for token, after in zip(tokens, following, strict=True) if (token, after) not in _TRAILING)


def _json_token(token: str) -> str:
    if token.startswith("'"):
        return json.dumps(token[1:-1].replace("\\'", "'"))
    if token[0] in '"{}[]:,' or _LITERAL.fullmatch(token):
        return token
    return _OF_PYTHON.get(token) or json.dumps(token)


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, of which two may have the same key."""


def _by_key(pairs: _Pairs) -> dict[str, Any]:
    """Return the members by their keys in lower case. Raises: UnclearReplyError, if the move is given twice."""
    members: dict[str, Any] = {}
    for key, value in pairs:
        plain = key.strip().casefold()
        if plain == "move" and members.get(plain, value) != value:
            raise UnclearReplyError(f"move is given twice: {_several([members[plain], value])}; expected one")
        members[plain] = value
    return members


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return value if isinstance(value, str) else _json(value) if value is not None else ""


def _json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return json.dumps(_plain(value))


def _plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value whose objects are dictionaries, for JSON."""
    if isinstance(value, _Pairs):
        return {key: _plain(inner) for key, inner in value}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _several(values: Sequence[Any]) -> str:
    return " and ".join(shorten(in_one_line(_json(value)), 40) for value in values[:3])


def _quoted(text: str) -> str:
    return repr(shorten(in_one_line(text.strip()), SHOWN))
