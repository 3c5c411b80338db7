"""The JSON Schema of every message, generated from the types that decode them."""

from typing import Any

from msgspec.json import schema_components

from arena.protocol.messages import Answer, Bye, HandOver, Hello, MatchBegins, MatchOver, Ready, Turn

VERSION = 1  # of the protocol; a change that an older bot cannot ignore raises it


FROM_REFEREE = (Hello, MatchBegins, Turn, HandOver, MatchOver, Bye)
FROM_BOT = (Ready, Answer)


def schema() -> dict[str, Any]:
    """Return one schema document with the referee's messages and the bot's."""
    references, definitions = schema_components(FROM_REFEREE + FROM_BOT, ref_template="#/$defs/{name}")
    referee, bot = references[: len(FROM_REFEREE)], references[len(FROM_REFEREE) :]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Messages between the arena's referee and a bot, protocol {VERSION}",
        "anyOf": [{"title": "from the referee", "anyOf": list(referee)}, {"title": "from the bot", "anyOf": list(bot)}],
        "$defs": definitions,
    }
