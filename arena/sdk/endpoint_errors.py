"""Errors of an endpoint of language models: a response whose status is not success, or an error in place of a completion."""

import json
import re
from datetime import UTC, datetime
from email.message import Message as Headers
from email.utils import parsedate_to_datetime
from typing import Any

from msgspec import Struct

from arena.sdk.model_replies import Attempt, ModelReply
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


class Complaint(Struct, frozen=True):
    """An error as an endpoint words it."""

    message: str  # empty: it says nothing
    code: str | int | None = None


def refused(status: int, reason: str, headers: Headers, body: bytes) -> Attempt:
    """Return the meaning of a response with a status that is not success."""
    return attempt_of_status(status, f"HTTP {status} {reason}".rstrip(), _complaint_in_body(body), _wait_named(headers))


def attempt_of_status(status: int, title: str, complaint: Complaint, wait: float | None = None) -> Attempt:
    """Return the meaning of an error with a status; ``title`` begins its text, ``wait`` as in ``Attempt``."""
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


def _complaint_in_body(body: bytes) -> Complaint:
    """Return the error in a body: JSON of OpenAI's form or a similar one, or text, perhaps HTML."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        text = re.sub(r"<[^<>]*>", " ", body.decode("utf-8", "replace"))
        return Complaint(" ".join(text.split())[: 2 * SHOWN])
    if isinstance(found, list) and found:
        (found,) = found[:1]
    return complaint_of(found.get("error") or found) if isinstance(found, dict) else Complaint("")


def complaint_of(error: Any) -> Complaint:  # noqa: ANN401 - any JSON value
    """Return an error that is given as a JSON value."""
    if not isinstance(error, dict):
        return Complaint(as_text(error))
    said = next((error[key] for key in ("message", "detail", "error_description") if error.get(key)), "")
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else ""  # of a gateway: what its provider said
    codes = [code for key in ("code", "type") if type(code := error.get(key)) in (int, str)]
    known = next((code for code in codes if code in NO_CREDIT or code == FILTERED), (*codes, None)[0])
    return Complaint(": ".join(filter(None, (as_text(said), as_text(raw or "")))), known)


def as_text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return a JSON value as text."""
    return value if isinstance(value, str) else json.dumps(value)
