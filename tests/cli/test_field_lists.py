"""The pages of values end with every field of them, from the source of their classes."""

import pytest
from msgspec import Struct

from arena import Comparison
from arena.cli import built_pages, field_lists
from arena.results import hands
from arena.runs import manual


@pytest.mark.parametrize(
    ("page", "kinds"), [("python", [*field_lists.RESULTS.values(), Comparison]), ("plugins", field_lists.OF_PARTS.values())]
)
def test_a_page_ends_with_every_field_of_the_values_that_it_names(page: str, kinds: list[type[Struct]]) -> None:
    built = built_pages.markdown(page).removeprefix(manual.markdown(page))
    assert [field for kind in kinds for field in kind.__struct_fields__ if f"\n- `{field}` (" not in built] == []


def test_the_pages_of_data_end_with_every_column_of_hands() -> None:
    for page in ("python", "data"):
        shown = built_pages.markdown(page)
        assert [one.name for one in hands.COLUMNS if f"- `{one.name}`: {one.description}" not in shown] == []


def test_a_field_has_its_type_and_its_comment() -> None:
    assert "- `hands` (int or None): number of single hands in a batch; None: a match" in field_lists.of_parts()
