"""Ask a language model at any endpoint that speaks OpenAI's ``POST {base}/chat/completions``, and record what it replies.

The key and one's own headers are sent to the host of the settings alone: a redirection is an error. They are written nowhere else:
a note, a log or a recording that would quote them has ``…`` in their place. Every reply is bounded in bytes and seconds
(``arena.bounded_http``).

An endpoint that is busy or cannot be reached is asked again, after the time that it names or a growing one, while the patience for
the decision lasts. That costs no try: tries are for replies that cannot be used. An error that every other question would meet too,
or a patience that ends without a reply, is *final*: the bot that asked should end the run.
"""

import json
import ssl
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Annotated, Any, Protocol
from urllib.error import URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.bounded_http import BoundedResponse, HttpClient, NoResponseError, TooLongError
from arena.errors import MALFORMED
from arena.sdk.completions import completed
from arena.sdk.endpoint_errors import SHOWN, refused
from arena.sdk.mistakes import BotError
from arena.sdk.model_notes import ASKS
from arena.sdk.model_replies import Attempt, Message, ModelReply
from arena.text import in_one_line, shorten
from arena.type_errors import explain, form

PREFIX = "ARENA_BOT_"  # of the variables that an unconfined bot gets from the environment: arena/players/sandboxes.py
MOST_BYTES = 1 << 20  # of a reply
FIRST_WAIT, LONGEST_WAIT = 1.0, 20.0  # seconds before a busy endpoint is asked again, if it does not say how long
FIRST_CONTACT = 5.0  # seconds in which a host that has never answered must be reached
SECRET = 8  # characters of a key or header from which on it can be secret; a shorter one, as `none`, may stand in any reply
URL = form(r"^(https?://[!-?A-~]+)?\Z", "an address as https://host/v1, without user and password")  # an error could quote them
KEY = form(r"^[!-~]*\Z", "printable ASCII characters without spaces")
CHAT = "/chat/completions"

Positive = Annotated[float, Meta(gt=0)]
Headers = dict[Annotated[str, Meta(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")], Annotated[str, Meta(pattern=r"^[ -~]*\Z")]]


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The endpoint, the model and its budgets in a match, from variables of the environment."""

    url: Annotated[str, URL] = ""  # the base, as https://host/v1
    model: str = ""
    key: Annotated[str, KEY] = ""  # without a line break, which would be quoted in an error
    headers: str = "{}"  # JSON of further headers, as a gateway needs them
    proxy: str = ""  # as http://host:3128; empty: none
    price_in: Annotated[float, Meta(ge=0)] = 0.0  # money for a million tokens of questions
    price_out: Annotated[float, Meta(ge=0)] = 0.0  # and of replies
    tokens: Annotated[int, Meta(ge=0)] = 500_000
    seconds: Positive = 3600.0
    money: Annotated[float, Meta(ge=0)] | None = None  # in the currency of the prices; None: without a limit
    patience: Annotated[float, Meta(gt=0, le=1_000_000)] = 60.0  # seconds for one decision, all tries together
    tries: Annotated[int, Meta(ge=1, le=10)] = 3  # questions for one decision
    options: str = '{"response_format":{"type":"json_object"}}'  # JSON that is merged into each request, such as a temperature
    record: str = "recorded.jsonl"  # the file to which replies are added; relative to the bot's folder
    recorded: str = ""  # a file of recorded replies, which are used instead of the model; empty: the model is asked

    def __post_init__(self) -> None:
        """Raise ValueError for an address whose port or IPv6 host is invalid."""
        try:
            _ = urlsplit(self.url).port
        except ValueError:
            raise ValueError("url: expected an address with a valid port, as https://host:8000/v1") from None

    @property
    def own_headers(self) -> dict[str, str]:
        """Return the further headers. Raises: msgspec.ValidationError, msgspec.DecodeError."""
        return msgspec.json.decode(self.headers, type=Headers)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return what is never shown, the longest first."""
        values = (self.key, *self.own_headers.values())
        return tuple(sorted((value for value in values if len(value) >= SECRET), key=len, reverse=True))


def settings(bot: str, environment: Mapping[str, str]) -> Settings:
    """Return the settings of a bot: ``ARENA_BOT_MODEL_my_bot`` is for ``my_bot`` only, ``ARENA_BOT_MODEL`` for all.

    Raises: BotError.
    """
    named = {field: f"{PREFIX}{field.upper()}" for field in Settings.__struct_fields__}
    given = {field: environment.get(f"{name}_{bot}") or environment.get(name) for field, name in named.items()}
    try:
        read = msgspec.convert({field: text for field, text in given.items() if text}, Settings, strict=False)
    except msgspec.ValidationError as error:
        field, _, problem = explain(error).partition(": ")
        raise BotError(f"{named[field]}: {problem}") from None
    _check_json(read, named)
    if not (read.recorded or (read.model and read.url)):
        raise BotError(
            f"{named['url']} and {named['model']} are not set: expected https://host/v1 and the name of a model,"
            " and the sandbox `none`"
        )
    return read


def _check_json(read: Settings, named: Mapping[str, str]) -> None:
    """Raise BotError, unless the options are a JSON object, and the headers one of texts that may be sent."""
    for field, example in (("options", "{}"), ("headers", '{"X-Team": "blue"}')):
        try:
            found = json.loads(getattr(read, field))
        except (ValueError, RecursionError):
            raise BotError(f"{named[field]}: is not JSON; expected an object, such as {example}") from None
        if not isinstance(found, dict):
            raise BotError(f"{named[field]}: expected a JSON object, such as {example}")
    try:
        _ = read.own_headers
    except MALFORMED:
        raise BotError(f"{named['headers']}: expected names of headers with texts of printable ASCII characters") from None


def redact(text: str, secrets: Sequence[str]) -> str:
    """Return a text with ``…`` in the place of each secret."""
    for secret in secrets:
        text = text.replace(secret, "…")
    return text


def log(line: str) -> None:
    """Write a line to the bot's log."""
    print(in_one_line(line), file=sys.stderr)  # noqa: T201 - where the referee reads the log of a bot


class ReplySource(Protocol):
    """Replies to questions: an endpoint, or a recording of one."""

    def ask(self, messages: Sequence[Message], seconds: float) -> ModelReply:
        """Return the reply to a conversation, within ``seconds``. What the other side does wrong is an error in the reply."""


class Endpoint:
    """A model that is asked over HTTP."""

    def __init__(self, given: Settings, seed: str) -> None:
        """Read and import all that a question needs, because a bot that is ready opens and imports nothing more.

        ``seed``: of the chance in how long it waits, so that several bots do not all ask again at once.
        """
        self._given = given
        self._options: dict[str, Any] = json.loads(given.options)
        self._chance = Random(f"waits|{seed}")  # noqa: S311 - not a secret
        self._was_reached = False
        self._client = HttpClient(dict.fromkeys(("http", "https"), given.proxy) if given.proxy else {})
        log(f"{ASKS}{given.model}")

    def ask(self, messages: Sequence[Message], seconds: float) -> ModelReply:
        """Return the reply of the model, within ``seconds``; a busy endpoint is asked again as long as they last."""
        began = time.monotonic()
        reply = self._ask_patiently(messages, began, seconds)
        # lone surrogates, which JSON may have and UTF-8 may not, become escapes
        text, error = (one.encode("utf-8", "backslashreplace").decode() for one in (reply.text, reply.error))
        shown = shorten(in_one_line(redact(error, self._given.secrets)), SHOWN)
        return replace(reply, text=text, error=shown, seconds=round(time.monotonic() - began, 3))

    def _ask_patiently(self, messages: Sequence[Message], began: float, seconds: float) -> ModelReply:
        for usual in _waits(self._chance):
            attempt = self._attempt(messages, began + seconds)
            if not attempt.is_busy:
                break
            error, wait = attempt.reply.error, usual if attempt.wait is None else attempt.wait
            patience = seconds if self._was_reached else min(seconds, FIRST_CONTACT)
            if time.monotonic() + wait >= began + patience:
                asked = "" if attempt.wait is None else f"; it asks to wait {wait:g} s"
                return replace(attempt.reply, error=f"{error}{asked}; no move within {patience:.3g} s", final=True)
            log(f"{redact(error, self._given.secrets)}; asking again in {wait:.1f} s")
            time.sleep(wait)
        return attempt.reply

    def _attempt(self, messages: Sequence[Message], until: float) -> Attempt:
        seconds = max(0.001, until - time.monotonic())
        try:
            with self._client.open(self._request(messages), seconds=seconds, most=MOST_BYTES) as response:
                self._was_reached = True
                if response.is_success:
                    return completed(response.read(), messages)
                return refused(response.status, response.reason, response.headers, _body_of(response))
        except NoResponseError as error:
            return _without_response(error)
        except ValueError as error:
            return Attempt(reply=ModelReply(error=f"a reply that is not a chat completion: {error}"))

    def _request(self, messages: Sequence[Message]) -> Request:
        given = self._given
        body = {"model": given.model, "messages": list(messages), **self._options}
        headers = {"Content-Type": "application/json", "User-Agent": "arena"}  # some gateways refuse urllib's own name
        headers |= {"Authorization": f"Bearer {given.key}"} if given.key else {}
        data = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        return Request(_chat_url(given.url), data, headers | given.own_headers)  # noqa: S310 - http or https: ``settings``


def _chat_url(base: str) -> str:
    """Return the address of the questions. A base may have a query, as ``?api-version=1``, or be that address itself."""
    parts = urlsplit(base)
    path = parts.path.rstrip("/")
    return urlunsplit(parts._replace(path=path if path.endswith(CHAT) else path + CHAT))


def _waits(chance: Random) -> Iterator[float]:
    """Yield the seconds to wait after one busy reply after another: twice as long each time, less up to the half."""
    longest = FIRST_WAIT
    while True:
        yield longest * chance.uniform(0.5, 1.0)
        longest = min(2 * longest, LONGEST_WAIT)


def _body_of(response: BoundedResponse) -> bytes:
    """Return the body of an error; empty: it cannot be read."""
    with suppress(NoResponseError):
        return response.read()
    return b""


def _without_response(error: NoResponseError) -> Attempt:
    """Return the meaning of a missing response: a host that takes no question is busy, unless it is not the right one.

    A model that thinks for too long, or writes too much, has lost the decision.
    """
    cause = error.__cause__
    reason = cause.reason if isinstance(cause, URLError) else None  # the question has not arrived
    is_final = isinstance(reason, ssl.SSLCertVerificationError)
    is_busy = not is_final and not isinstance(cause, TimeoutError | TooLongError)
    return Attempt(reply=ModelReply(error=f"no reply: {error}", final=is_final), is_busy=is_busy)
