"""Ask a language model at any endpoint that speaks OpenAI's ``POST {base}/chat/completions``, and record what it replies.

The key is sent in a header, and only to the host of the settings: a redirection is an error. It is written nowhere else: not in a
recording, and if a reply quotes it, it is replaced. Every reply is bounded in bytes and seconds (``arena.bounded_http``).
"""

import json
import math
import time
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Protocol
from urllib.parse import urlsplit
from urllib.request import Request

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.bounded_http import HttpClient, NoResponseError
from arena.errors import MALFORMED
from arena.sdk.mistakes import BotError
from arena.text import explain, in_one_line, shorten

PREFIX = "ARENA_BOT_"  # of the variables that an unconfined bot gets from the environment: arena/players/sandboxes.py
MOST_BYTES = 1 << 20  # of a reply
SHOWN = 120  # characters of an error
BUSY = frozenset({408, 409, 425, 429})  # and all from 500: status codes after which the same question may have another reply
PAUSE = 1.0  # seconds to wait after such a code
CHARACTERS = 4  # in a token, about; for a reply that does not count its tokens

Message = dict[str, str]  # ``role`` and ``content``, as the endpoint takes them
Positive = Annotated[float, Meta(gt=0)]


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The endpoint, the model and its budgets in a match, from variables of the environment."""

    url: Annotated[str, Meta(pattern=r"^(https?://[!-?A-~]+)?\Z")] = ""  # the base, as https://host/v1
    model: str = ""
    key: Annotated[str, Meta(pattern=r"^[!-~]*\Z")] = ""  # without a line break, which would be quoted in an error
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


def settings(bot: str, environment: Mapping[str, str]) -> Settings:
    """Return the settings of a bot: ``ARENA_BOT_MODEL_my_bot`` is for ``my_bot`` only, ``ARENA_BOT_MODEL`` for all.

    Raises: BotError.
    """
    named = {field: f"{PREFIX}{field.upper()}" for field in Settings.__struct_fields__}
    given = {field: environment.get(f"{name}_{bot}") or environment.get(name) for field, name in named.items()}
    try:
        read = msgspec.convert({field: text for field, text in given.items() if text}, Settings, strict=False)
        if not isinstance(json.loads(read.options), dict):
            raise BotError(f"{named['options']}: expected a JSON object, such as {{}}")
    except msgspec.ValidationError as error:
        field, _, problem = explain(error).partition(": ")
        raise BotError(f"{named[field]}: {problem}") from None
    except (ValueError, RecursionError):
        raise BotError(f"{named['options']}: is not JSON; expected an object, such as {{}}") from None
    if not (read.recorded or (read.model and read.url)):
        raise BotError(
            f"{named['url']} and {named['model']} are not set: expected https://host/v1 and the name of a model,"
            " and the sandbox `none`"
        )
    return read


class ModelReply(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The reply to one question, or the error in place of it."""

    text: str = ""
    asked: int = 0  # tokens of the question
    said: int = 0  # tokens of the reply
    seconds: float = 0.0  # rounded to the thousandth, so that a replay spends the recorded time exactly
    error: str = ""  # why the text is missing; empty: there is a text
    final: bool = False  # the same question would have the same error


class ReplySource(Protocol):
    """Replies to questions: an endpoint, or a recording of one."""

    def ask(self, messages: Sequence[Message], seconds: float) -> ModelReply:
        """Return the reply to a conversation, within ``seconds``. What the other side does wrong is an error in the reply."""


class Endpoint:
    """A model that is asked over HTTP."""

    def __init__(self, given: Settings) -> None:
        """Read and import all that a question needs, because a bot that is ready opens and imports nothing more."""
        self._given = given
        self._options: dict[str, Any] = json.loads(given.options)
        self._client = HttpClient(dict.fromkeys(("http", "https"), given.proxy) if given.proxy else {})

    def ask(self, messages: Sequence[Message], seconds: float) -> ModelReply:
        """Return the reply of the model, within ``seconds``."""
        began = time.monotonic()
        reply = self._ask(messages, began + seconds)
        shown = replace(reply, text=self._hide(reply.text), error=shorten(in_one_line(self._hide(reply.error)), SHOWN))
        return replace(shown, seconds=round(time.monotonic() - began, 3))

    def _ask(self, messages: Sequence[Message], until: float) -> ModelReply:
        try:
            with self._client.open(self._request(messages), seconds=until - time.monotonic(), most=MOST_BYTES) as response:
                if response.is_success:
                    return _reply(response.read(), messages)
        except NoResponseError as error:
            return ModelReply(error=f"no reply: {error}")
        except ValueError as error:
            return ModelReply(error=f"a reply that is not a chat completion: {error}")
        is_busy = response.status in BUSY or response.status >= 500
        if is_busy:
            time.sleep(max(0.0, min(PAUSE, until - time.monotonic())))
        return ModelReply(error=f"HTTP {response.status} {response.reason}", final=not is_busy)

    def _request(self, messages: Sequence[Message]) -> Request:
        body = {"model": self._given.model, "messages": list(messages), **self._options}
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._given.key}"} if self._given.key else {})
        data = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        return Request(f"{self._given.url.rstrip('/')}/chat/completions", data, headers)  # noqa: S310 - http or https: ``settings``

    def _hide(self, text: str) -> str:
        """Return a text without the key, and with lone surrogates, which JSON may have and UTF-8 may not, as escapes."""
        escaped = text.encode("utf-8", "backslashreplace").decode()
        return escaped.replace(self._given.key, "…") if self._given.key else escaped


def _reply(body: bytes, messages: Sequence[Message]) -> ModelReply:
    """Return the reply in the body of a response; a missing number of tokens is estimated. Raises: ValueError."""
    try:
        completion = json.loads(body)
        text = completion["choices"][0]["message"]["content"]
        usage = completion.get("usage") or {}
        asked, said = usage.get("prompt_tokens"), usage.get("completion_tokens")
    except (LookupError, TypeError, AttributeError, RecursionError):
        raise ValueError("choices[0].message.content is missing") from None
    if not isinstance(text, str):
        raise ValueError("its content is not a text")  # noqa: TRY004 - what the other side has sent
    known = [count if type(count) is int and count >= 0 else None for count in (asked, said)]
    length = sum(len(message["content"]) for message in messages)
    estimated = [math.ceil(count / CHARACTERS) for count in (length, len(text))]
    counts = [estimate if count is None else count for count, estimate in zip(known, estimated, strict=True)]
    return ModelReply(text=text, asked=counts[0], said=counts[1])


# A recording: a line for each start of a bot's process, with its settings, and one for each reply. Several processes add to one
# file, so each line has the seed of its bot, which differs from seat to seat.


LEFT_OUT = dict.fromkeys(("key", "url", "proxy", "options", "record", "recorded"), "")  # secret, or of no use in a recording


class RecordedLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of a recording."""

    seed: str  # of the bot
    settings: Settings | None = None  # with which it began, without those LEFT_OUT; None: a line of a reply
    question: str = ""  # SHA-256 of the conversation, hexadecimal
    reply: ModelReply | None = None


class Recorder:
    """Adds each reply of a source to a file."""

    def __init__(self, source: ReplySource, given: Settings, seed: str) -> None:
        """Write the first line. Raises: OSError."""
        self._source = source
        self._seed = seed
        self._path = Path(given.record)
        self._write(RecordedLine(seed=seed, settings=replace(given, **LEFT_OUT)))

    def ask(self, messages: Sequence[Message], seconds: float) -> ModelReply:
        """Return the reply of the source, and add it to the file."""
        reply = self._source.ask(messages, seconds)
        self._write(RecordedLine(seed=self._seed, question=_digest(messages), reply=reply))
        return reply

    def _write(self, line: RecordedLine) -> None:
        with self._path.open("ab", buffering=0) as file:
            file.write(msgspec.json.encode(line) + b"\n")  # in one call, so that lines of several processes stay whole


class Recording:
    """Gives recorded replies; those to the same conversation in the order in which they were recorded."""

    def __init__(self, path: Path, seed: str) -> None:
        """Read the lines with a bot's seed. Raises: BotError, if there are none, or the file is not a recording; OSError."""
        self._path = path
        self._replies: dict[str, deque[ModelReply]] = defaultdict(deque)
        self.settings: Settings | None = None
        try:
            lines = [msgspec.json.decode(line, type=RecordedLine) for line in path.read_bytes().splitlines()]
        except MALFORMED as error:
            raise BotError(f"{path}: is not a recording: {error}") from None
        for line in lines:
            if line.seed == seed:
                self.settings = self.settings or line.settings
                if line.reply:
                    self._replies[line.question].append(line.reply)
        if self.settings is None:
            raise BotError(
                f"{path}: has no line of the seed {seed!r}; expected the same spec, bots and --seed as when it was recorded"
            )

    def ask(self, messages: Sequence[Message], seconds: float) -> ModelReply:  # noqa: ARG002 - a recording needs no time
        """Return the next reply to a conversation. Raises: BotError, for one that was not recorded."""
        replies = self._replies[_digest(messages)]
        if not replies:
            raise BotError(f"{self._path}: this question was not recorded; expected the same bot and rules as then")
        return replies.popleft()


def _digest(messages: Sequence[Message]) -> str:
    return sha256(json.dumps(list(messages)).encode()).hexdigest()


def reply_source(bot: str, seed: str, environment: Mapping[str, str]) -> tuple[ReplySource, Settings]:
    """Return the model of a bot, or the recording of one, with its settings. Raises: BotError; OSError, for a file."""
    given = settings(bot, environment)
    if not given.recorded:
        return Recorder(Endpoint(given), given, seed), given
    recording = Recording(Path(given.recorded), seed)
    assert recording.settings
    return recording, recording.settings
