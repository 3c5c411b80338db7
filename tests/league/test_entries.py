"""The table of the authors of a course."""

from pathlib import Path

import pytest

from arena.errors import InputError
from arena.league.entries import read_table


def test_only_line_breaks_end_a_row_of_a_table(tmp_path: Path) -> None:
    table = tmp_path / "class.csv"
    table.write_bytes("author\r\nAnn\vLee\rBob\u2028Ray\n".encode())
    assert [row["author"] for _, row in read_table(table, ("author",))] == ["Ann\vLee", "Bob\u2028Ray"]


def test_a_row_of_a_table_is_named_by_the_line_on_which_it_begins(tmp_path: Path) -> None:
    table = tmp_path / "class.csv"
    table.write_text('author,note\n\nann,"two\nlines"\n\nbob\n', encoding="utf-8")
    assert list(read_table(table, ("author",))) == [
        (3, {"author": "ann", "note": "two\nlines"}),
        (6, {"author": "bob", "note": ""}),
    ]
    table.write_text(f'author\n\nann\n\n"{"x" * 140_000}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"class.csv:5: cannot be read: field larger than field limit"):
        list(read_table(table, ("author",)))


def test_a_table_that_does_not_exist_is_one_line_without_a_number_of_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"none\.csv: cannot be read: No such file or directory; expected a CSV file in UTF-8 with author$"
    ):
        list(read_table(tmp_path / "none.csv", ("author",)))
