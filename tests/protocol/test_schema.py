import json
from collections.abc import Callable

import pytest
from msgspec import json as msgspec_json

from arena.protocol.messages import Hello, Told
from arena.protocol.schema import ANSWERED, SAID, schema


def test_the_schema_of_all_messages_is_the_one_that_was_published(golden: Callable[[str, str], None]) -> None:
    golden("protocol.schema.json", json.dumps(schema(), indent=2) + "\n")


def test_the_schema_names_every_message() -> None:
    assert Told.__args__ == SAID
    definitions = schema()["$defs"]
    assert {message.__name__ for message in SAID + ANSWERED} <= definitions.keys()


def references(part: object) -> set[str]:
    """Return every reference in a schema."""
    if isinstance(part, dict):
        own = {part["$ref"]} if "$ref" in part else set()
        return own.union(*map(references, part.values()))
    return set().union(*map(references, part)) if isinstance(part, list) else set()


def test_every_reference_leads_somewhere() -> None:
    whole = schema()
    assert references(whole) == {f"#/$defs/{name}" for name in whole["$defs"]}


@pytest.mark.parametrize("message", ANSWERED)
def test_a_bots_messages_allow_no_other_members(message: type) -> None:
    assert schema()["$defs"][message.__name__]["additionalProperties"] is False


def test_the_schema_is_plain_json() -> None:
    assert json.loads(json.dumps(schema())) == schema()
    assert msgspec_json.schema(Hello)["$defs"]["Limits"] == schema()["$defs"]["Limits"]
