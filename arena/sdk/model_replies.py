"""The reply of a language model to one question."""

from msgspec import Struct

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
