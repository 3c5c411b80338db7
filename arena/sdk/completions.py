"""What a response of success to ``POST {base}/chat/completions`` means: a text, or an error in place of it.

Tokens are counted for every reply, also one that cannot be used: they are on the bill.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from arena.sdk.answers import CUT
from arena.sdk.endpoint_errors import FILTERED, Complaint, as_text, attempt_of_status, complaint_of
from arena.sdk.model_replies import Attempt, Message, ModelReply

CHARACTERS = 4  # in a token, about; for a reply that does not count its tokens
MOST_TOKENS = 10**9  # of a reply; a larger count is ignored


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
        return _failed(complaint_of(failed), _counted(ModelReply(), completion, 0))
    length = sum(len(message["content"]) for message in messages)
    return Attempt(reply=_counted(_reply(choice), completion, length))


def _failed(complaint: Complaint, reply: ModelReply) -> Attempt:
    """Return the meaning of an error that came with a status of success; without tokens it may name the status that it means."""
    if type(complaint.code) is int and 400 <= complaint.code < 600 and not reply.asked + reply.said:
        return attempt_of_status(complaint.code, f"error {complaint.code}", complaint)
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
        yield f"the model refused: {as_text(refusal)}"
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
