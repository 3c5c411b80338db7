"""A recording: a line for each start of a bot's process, with its settings, and one for each reply.

Several processes add to one file, so each line has the seed of its bot, which differs from seat to seat.
"""

import json
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import MALFORMED
from arena.sdk.endpoint import Endpoint, ReplySource, Settings, redact, settings
from arena.sdk.mistakes import BotError
from arena.sdk.model_replies import Message, ModelReply

# secret, or of no use in a recording
LEFT_OUT = dict.fromkeys(("key", "url", "proxy", "options", "record", "recorded"), "") | {"headers": "{}"}


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
        self._secrets = given.secrets
        self._path = Path(given.record)
        self._write(RecordedLine(seed=seed, settings=replace(given, **LEFT_OUT)))

    def ask(self, messages: Sequence[Message], seconds: float) -> ModelReply:
        """Return the reply of the source, and add it to the file."""
        reply = self._source.ask(messages, seconds)
        recorded = replace(reply, text=redact(reply.text, self._secrets))
        self._write(RecordedLine(seed=self._seed, question=_digest(messages), reply=recorded))
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
        latest: set[str] = set()  # questions since the last start
        for line in (line for line in lines if line.seed == seed):
            if line.settings:  # a match that was resumed begins anew: what it recorded before counts no more
                self.settings = self.settings or line.settings
                latest.clear()
            if line.reply:
                if line.question not in latest:
                    self._replies[line.question].clear()
                latest.add(line.question)
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
        return Recorder(Endpoint(given, seed), given, seed), given
    recording = Recording(Path(given.recorded), seed)
    assert recording.settings
    return recording, recording.settings
