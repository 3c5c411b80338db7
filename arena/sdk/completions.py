"""What a response to ``POST {base}/chat/completions`` means: a text, or an error, whose body often has the only reason for it.

Tokens are counted for every reply, also one that cannot be used: they are on the bill.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.message import Message as Headers
from email.utils import parsedate_to_datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.sdk.answers import CUT
from arena.text import shorten

SHOWN = 300  # characters of an error
BUSY = frozenset({408, 409, 425, 429})  # and all from 500: status codes after which the same question may have another reply
# codes of errors that no waiting ends, although their status is 429. Source: platform.openai.com, error codes
NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
FILTERED = "content_filter"  # the code of an error about this question, and not about every other
SETTING = {  # the variables to look at after a status code
    **dict.fromkeys((301, 302, 307, 308, 405), "ARENA_BOT_URL"),
    **dict.fromkeys((401, 403), "ARENA_BOT_KEY"),
    **dict.fromkeys((400, 422), "ARENA_BOT_OPTIONS"),
    404: "ARENA_BOT_URL and ARENA_BOT_MODEL",
}
CHARACTERS = 4  # in a token, about; for a reply that does not count its tokens
MOST_TOKENS = 10**9  # of a reply; a larger count is ignored

Message = dict[str, str]  # ``role`` and ``content``, as the endpoint takes them


class ModelReply(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The reply to one question, or the error in place of it."""

    text: str = ""
    asked: int = 0  # tokens of the question
    said: int = 0  # tokens of the reply
    seconds: float = 0.0  # rounded to the thousandth, so that a replay spends the recorded time exactly
    error: str = ""  # why the text cannot be used; empty: it can
    final: bool = False  # every other question would have the same error
    cut: bool = False  # the text ended at the output limit


class Attempt(Struct, frozen=True, kw_only=True):
    """The result of one request."""

    reply: ModelReply
    is_busy: bool = False  # the same question may have another reply later
    wait: float | None = None  # seconds after which the endpoint wants to be asked again; None: it does not say


class _Complaint(Struct, frozen=True):
    """An error as an endpoint words it."""

    message: str  # empty: it says nothing
    code: str | int | None = None


# A response whose status is not success.


def refused(status: int, reason: str, headers: Headers, body: bytes) -> Attempt:
    """Return the meaning of a response with a status that is not success."""
    return _of_status(status, f"HTTP {status} {reason}".rstrip(), _complaint_in_body(body), _wait_named(headers))


def _of_status(status: int, title: str, complaint: _Complaint, wait: float | None = None) -> Attempt:
    is_busy = (status in BUSY or status >= 500) and complaint.code not in NO_CREDIT
    see = f"; see {SETTING[status]}" if status in SETTING else ""
    said = f"{title}: {complaint.message}" if complaint.message else title
    is_final = not is_busy and complaint.code != FILTERED
    reply = ModelReply(error=f"{shorten(said, SHOWN - len(see))}{see}", final=is_final)
    return Attempt(reply=reply, is_busy=is_busy, wait=wait)


def _wait_named(headers: Headers) -> float | None:
    """Return the seconds to wait that a response names: in milliseconds, in seconds or as a date. Source: RFC 9110, 10.2.3."""
    named = headers.get("Retry-After", "")
    if seconds := _positive(headers.get("Retry-After-Ms", "")) / 1000 or _positive(named):
        return seconds
    until, now = _moment(named), _moment(headers.get("Date", ""))  # by the clock of the server, if it says what that shows
    wait = (until - (now or datetime.now(UTC))).total_seconds() if until else 0.0
    return wait if wait > 0 else None


def _positive(text: str) -> float:
    """Return the number that a text is; 0: another text, or not above 0."""
    return float(text) if re.fullmatch(r"\s*[0-9]{1,9}(?:\.[0-9]{1,9})?\s*", text) else 0.0


def _moment(text: str) -> datetime | None:
    """Return the moment of a date of HTTP; None: another text."""
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _complaint_in_body(body: bytes) -> _Complaint:
    """Return the error in a body: JSON of OpenAI's form or a similar one, or text, perhaps HTML."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        text = re.sub(r"<[^<>]*>", " ", body.decode("utf-8", "replace"))
        return _Complaint(" ".join(text.split())[: 2 * SHOWN])
    if isinstance(found, list) and found:
        (found,) = found[:1]
    return _complaint(found.get("error") or found) if isinstance(found, dict) else _Complaint("")


def _complaint(error: Any) -> _Complaint:  # noqa: ANN401 - any JSON value
    if not isinstance(error, dict):
        return _Complaint(_text(error))
    said = next((error[key] for key in ("message", "detail", "error_description") if error.get(key)), "")
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else ""  # of a gateway: what its provider said
    codes = [code for key in ("code", "type") if type(code := error.get(key)) in (int, str)]
    known = next((code for code in codes if code in NO_CREDIT or code == FILTERED), (*codes, None)[0])
    return _Complaint(": ".join(filter(None, (_text(said), _text(raw or "")))), known)


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return value if isinstance(value, str) else json.dumps(value)


# A response of success.


def completed(body: bytes, messages: Sequence[Message]) -> Attempt:
    """Return the meaning of a response of success. Raises: ValueError, for one that is not a JSON object."""
    try:
        completion = json.loads(body)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(completion, dict):
        raise ValueError("it is not an object")  # noqa: TRY004 - what the other side has sent
    choice = _first_choice(completion)
    if failed := completion.get("error") or choice.get("error"):
        return _failed(_complaint(failed), _counted(ModelReply(), completion, 0))
    length = sum(len(message["content"]) for message in messages)
    return Attempt(reply=_counted(_reply(choice), completion, length))


def _failed(complaint: _Complaint, reply: ModelReply) -> Attempt:
    """Return the meaning of an error that came with a status of success; without tokens it may name the status that it means."""
    if type(complaint.code) is int and 400 <= complaint.code < 600 and not reply.asked + reply.said:
        return _of_status(complaint.code, f"error {complaint.code}", complaint)
    return Attempt(reply=replace(reply, error=f"error: {complaint.message or complaint.code}"))


def _first_choice(completion: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the first choice of a completion; empty: it has none."""
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else {}


def _reply(choice: Mapping[str, Any]) -> ModelReply:
    """Return the text of a choice, or why it has none that can be used."""
    message, finish = choice.get("message"), choice.get("finish_reason")
    if not isinstance(message, dict) or "content" not in message:
        return ModelReply(error="a reply that is not a chat completion: choices[0].message.content is missing")
    text = _content(message["content"])
    if text and text.strip() and finish != FILTERED:
        return ModelReply(text=text, cut=finish == "length")
    return ModelReply(error=next(_reasons(message, text, finish)))


def _content(content: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """Return a content as text: a string, or the texts among its parts; None: it is neither."""
    if isinstance(content, list):
        texts = [part.get("text") if isinstance(part, dict) else part for part in content]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else None


def _reasons(message: Mapping[str, Any], text: str | None, finish: object) -> Iterator[str]:
    """Yield why a message has no text that can be used, the best reason first."""
    if finish == FILTERED:
        yield f"the endpoint has filtered the reply (finish_reason {FILTERED})"
    if refusal := message.get("refusal"):
        yield f"the model refused: {_text(refusal)}"
    if finish == "length":
        yield CUT
    if message.get("tool_calls"):
        yield "the model called a tool, and answered nothing"
    if text is None and message["content"] is not None:
        yield "a reply that is not a chat completion: its content is not a text"
    yield "the reply is empty"


def _counted(reply: ModelReply, completion: Mapping[str, Any], length: int) -> ModelReply:
    """Return a reply with its tokens, thoughts included; those that are not counted are estimated.

    ``length``: characters of the question.
    """
    usage = completion.get("usage")
    counts = {name: count for name, count in usage.items() if _is_count(count)} if isinstance(usage, dict) else {}
    asked = counts.get("prompt_tokens", counts.get("input_tokens"))
    said = counts.get("completion_tokens", counts.get("output_tokens"))
    if asked is not None and said is not None:  # some count thoughts in the total alone
        said = max(said, counts.get("total_tokens", 0) - asked)
    estimates = (math.ceil(one / CHARACTERS) for one in (length, len(reply.text)))
    asked, said = (estimate if count is None else count for count, estimate in zip((asked, said), estimates, strict=True))
    return replace(reply, asked=asked, said=said)


def _is_count(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return type(value) is int and 0 <= value <= MOST_TOKENS
