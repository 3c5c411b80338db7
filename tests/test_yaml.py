"""YAML is read as plain values with their lines."""

from itertools import pairwise
from pathlib import Path

import pytest

from arena.yaml import LARGEST, DocumentError, read, read_text

SPEC = """\
title: League
bots:
  - greedy
  - bot: cautious
    name: second
rules: {name: standard,
        target: 50}
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("title",), 1),
        (("bots",), 3),
        (("bots", 0), 3),
        (("bots", 1), 4),
        (("bots", 1, "name"), 5),
        (("rules", "target"), 7),
        (("rules", "tie"), 6),  # a missing key has the line of the enclosing value
        (("nowhere",), 1),
    ],
)
def test_every_value_has_its_line(path: tuple[str | int, ...], line: int) -> None:
    assert read(SPEC).line(path) == line


def test_the_values_are_those_of_yaml() -> None:
    assert read(SPEC).values["bots"] == ["greedy", {"bot": "cautious", "name": "second"}]


def test_the_line_of_an_alias_is_that_of_its_anchor() -> None:
    assert read("bots: &all [greedy]\nagain: *all\n").line(("again", 0)) == 1


def test_aliases_that_expand_exponentially_are_read_quickly() -> None:
    first = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    names = "abcdefghijklmnopqrstuvwxyz"
    text = first + "".join(f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in pairwise(names))
    line = read(text).line(("z", 8, 8, 8))
    assert line == 23


def test_merges_that_expand_exponentially_are_refused_quickly() -> None:
    names = "abcdefghijklmnopqrstuvwxyz"
    lines = [f"{new}: &{new} {{<<: [{', '.join([f'*{old}'] * 9)}]}}\n" for old, new in pairwise(names)]
    with pytest.raises(DocumentError, match="a mapping with more than 10000 keys, merged ones included"):
        read("a: &a {k: 1, l: 2}\n" + "".join(lines))
    assert read("a: &a {k: 1}\nb: {<<: *a, l: 2}\n").values["b"] == {"k": 1, "l": 2}


def test_a_mapping_that_merges_itself_is_read() -> None:
    assert read("a: &a {<<: *a, k: 1}\n").values["a"] == {"k": 1}


def test_a_value_that_contains_itself_is_read() -> None:
    assert read("bots: &a [*a]\n").line(("bots", 0, 0, 0)) == 1


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "sparse.yaml").open("wb") as sparse:
        sparse.truncate(200 << 30)
    with pytest.raises(DocumentError, match=f"larger than {LARGEST} bytes"):
        read_text(tmp_path / "sparse.yaml")


@pytest.mark.process
@pytest.mark.parametrize(
    ("text", "line", "detail"),
    [
        ("x: 1\ny:\n  z: 1\n  z: 2\n", 4, "key 'z' is given twice"),
        ("x: 1\n7: 8\n", 2, "key '7' is not a string; write it as '7'"),
        ("x: 1\ntrue: 8\n", 2, "key 'true' is not a string; write it as 'true'"),
        ('x: 1\n"\\ud800": 2\n', 2, "character '\\ud800' is not allowed"),
        ("x: 1\n? [a]\n: 2\n", 2, "found unhashable key"),
        ("x: 1\n\ty: 2\n", 2, "found a tab; expected spaces"),
        ("x: 1\ny: \x00\n", 2, "character '\\x00' is not allowed"),
        ("x: [1\n", 1, "found a bracket [ that is not closed, or no comma between two of its values"),
        ("x: *y\n", 1, "found undefined alias 'y'"),
        ("x: 1\n---\ny: 2\n", 2, "found a second document; expected one"),
        (
            "x: !!python/name:os.system\n",
            1,
            "could not determine a constructor for the tag 'tag:yaml.org,2002:python/name:os.system'",
        ),
        ("x: 1\ny: !!timestamp x\n", 2, "could not determine a constructor for the tag 'tag:yaml.org,2002:timestamp'"),
        ("x: !!set {a}\n", 1, "could not determine a constructor for the tag 'tag:yaml.org,2002:set'"),
        ("x: 1\ny: !!bool x\n", 2, "found 'x'; expected a value of the type bool"),
        ("x: !!float ''\n", 1, "found ''; expected a value of the type float"),
        ("x: !!int ''\n", 1, "found ''; expected a value of the type int"),
        ("x: !!int [1]\n", 1, "expected a scalar node, but found sequence"),
        ("x: " + "[" * 5000, 1, "nested too deeply"),
        ("- a list\n", 1, "found a list; expected a mapping of keys to values"),
        ("a text", 1, "found 'a text'; expected a mapping of keys to values"),
        ("", 1, "found nothing; expected a mapping of keys to values"),
        ("x: 1\ny: " + "1" * 600_001, 2, "a number of 600001 characters; expected at most 400"),
        ("x" * (LARGEST + 1), 1, f"longer than {LARGEST} characters"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_an_invalid_document_gives_an_error_with_its_line(text: str, line: int, detail: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(text)
    assert (caught.value.line, str(caught.value)[: len(detail)]) == (line, detail)


def test_the_source_of_a_value_that_does_not_exist_is_that_of_what_encloses_it() -> None:
    document = read("a:\n  b: 0x10\nc: 012\n")
    assert (document.source(("a", "b")), document.source(("c", "missing"))) == ("0x10", "012")
    assert document.source(("a", "missing", "b")) is None


TYPED = [
    ("title: x\nformat:\n  name: single\n  pairs:12\nrating: points\n", 4, "no space after ':' in 'pairs:12'; write `pairs: 12`"),
    ("title: x\nformat:\n  pairs:12\n  name: single\n", 3, "no space after ':' in 'pairs:12'; write `pairs: 12`"),
    ("title:x\nbots: [a, b]\n", 1, "no space after ':' in 'title:x'; write `title: x`"),
    ("title:x\n", 1, "no space after ':' in 'title:x'; write `title: x`"),
    ("title: x\nrating:points\n", 2, "no space after ':' in 'rating:points'; write `rating: points`"),
    ("format: {name:single, pairs: 2}\n", 1, "no space after ':' in 'name:single'; write `name: single`"),
    ("title: x\nbots:\n- greedy\n-cautious\n- r\n", 4, "no space after '-' in '-cautious'; write `- cautious`"),
    ("title: x\nbots:\n  - greedy\n  -cautious\nrating: points\n", 4, "no space after '-' in '-cautious'; write `- cautious`"),
    (
        "bots:\n  -greedy\n  -cautious\nrating: points\n",
        2,
        "no space after '-' in '-greedy -cautious'; write `- item` in each line",
    ),
    ("title = x\nbots: [a, b]\n", 1, "found '=' in 'title = x'; write `title: x`"),
    ('title: "x\nbots: [a, b]\nrating: points\n', 1, "found a quote that is not closed"),
    ('title: "x\nbots: [a, b]\nrating: "points"\n', 1, "found a quote that is not closed"),
    ("title: it's\nbots: ['a, b]\n", 2, "found a quote that is not closed"),
    ("title: x\nbots: [a, b\nrating: points\n", 2, "found a bracket [ that is not closed, or no comma between two of its values"),
    ("time: {per_turn: 2\nbots: [a]\n", 1, "found a bracket { that is not closed, or no comma between two of its values"),
    ("title: x\ntime: {a: 1}}\n", 2, "found a bracket } that was not opened"),
    ("time: {per_turn: 2,5}\n", 1, "found ',' before '5', which begins another key; a decimal number has a point, as 2.5"),
    ("title: @x\n", 1, "found a character with which no value begins; expected the value in quotes"),
    ("title: a: b\n", 1, "found ': ' inside a value; expected quotes around it, or a line with its own indentation"),
]


@pytest.mark.parametrize(("text", "line", "detail"), TYPED)
def test_a_typing_mistake_is_reported_in_plain_words_at_its_own_line(text: str, line: int, detail: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(text)
    assert (caught.value.line, str(caught.value)) == (line, detail)


def test_a_line_of_text_that_looks_like_a_mistake_is_not_blamed_for_an_error_elsewhere() -> None:
    with pytest.raises(DocumentError) as caught:
        read("title: |\n  note:this\n  -x\nbots: [mine.py:Mine, http://x\n")
    assert caught.value.line == 4
    assert read("title: http://x\nbots: [mine.py:Mine, b]\nnone: {a: , b}\nvalue: -1\n").values["value"] == -1
