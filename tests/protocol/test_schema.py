import json
from collections.abc import Callable

import pytest
from msgspec import json as msgspec_json

from arena.protocol.messages import Hello, RefereeMessage
from arena.protocol.schema import FROM_BOT, FROM_REFEREE, schema


def test_the_schema_of_all_messages_matches_its_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("protocol.schema.json", json.dumps(schema(), indent=2) + "\n")


def test_the_schema_names_every_message() -> None:
    assert RefereeMessage.__args__ == FROM_REFEREE
    definitions = schema()["$defs"]
    assert {message.__name__ for message in FROM_REFEREE + FROM_BOT} <= definitions.keys()


def references(part: object) -> set[str]:
    """Return every reference in a schema."""
    if isinstance(part, dict):
        own = {part["$ref"]} if "$ref" in part else set()
        return own.union(*map(references, part.values()))
    return set().union(*map(references, part)) if isinstance(part, list) else set()


def test_every_reference_has_a_definition() -> None:
    whole = schema()
    assert references(whole) == {f"#/$defs/{name}" for name in whole["$defs"]}


@pytest.mark.parametrize("message", FROM_BOT)
def test_a_bots_messages_allow_no_other_members(message: type) -> None:
    assert schema()["$defs"][message.__name__]["additionalProperties"] is False


def test_the_schema_is_plain_json() -> None:
    assert json.loads(json.dumps(schema())) == schema()
    assert msgspec_json.schema(Hello)["$defs"]["Limits"] == schema()["$defs"]["Limits"]
