"""The JSON Schema of every message, generated from the types that decode them."""

from typing import Any

from msgspec.json import schema_components

from arena.protocol.messages import VERSION, Answer, Bye, HandOver, Hello, MatchBegins, MatchOver, Ready, Turn

SAID = (Hello, MatchBegins, Turn, HandOver, MatchOver, Bye)  # by the referee
ANSWERED = (Ready, Answer)  # by the bot


def schema() -> dict[str, Any]:
    """Return one schema document: what the referee says under ``said``, what a bot answers under ``answered``."""
    references, definitions = schema_components(SAID + ANSWERED, ref_template="#/$defs/{name}")
    said, answered = references[: len(SAID)], references[len(SAID) :]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The arena's conversation between referee and bot, protocol {VERSION}",
        "anyOf": [{"title": "said", "anyOf": list(said)}, {"title": "answered", "anyOf": list(answered)}],
        "$defs": definitions,
    }
