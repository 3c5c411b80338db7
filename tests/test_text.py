"""Untrusted text is escaped before it is shown."""

import json
import os
import string
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.path_texts import is_utf8, path_text
from arena.text import QUOTED, in_one_line, json_text, printable, quote

PRINTABLE = set(string.printable) - set("\t\n\r\v\f")
HARMFUL = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # controls, format characters, surrogates, separators of lines and paragraphs

texts = st.text() | st.text(st.characters(categories=("Cc", "Cf", "Zl", "Zp")))
documents = st.recursive(texts | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(texts, inner))


def test_every_control_and_format_character_is_escaped() -> None:
    every = "".join(one for one in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(one) in HARMFUL)
    assert not HARMFUL & {unicodedata.category(one) for one in in_one_line(every)}
    assert not HARMFUL & {unicodedata.category(one) for one in printable(every).replace("\n", "").replace("\t", "")}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;x\x07", r"\x1b]0;x\x07"),
        ("a\rb", r"a\rb"),
        ("\x9b2J\x7f", r"\x9b2J\x7f"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("a\u2028b\u200bc\ufeff", r"a\u2028b\u200bc\ufeff"),
        ("\udcff", r"\udcff"),
        ("\U000e0041", r"\U000e0041"),
        ("gre\xa0edy", r"gre\xa0edy"),
        ("Müller 7♥ \U0001f0a1 C:\\x", "Müller 7♥ \U0001f0a1 C:\\x"),
    ],
)
def test_an_unprintable_character_is_replaced_by_its_escape(text: str, shown: str) -> None:
    assert in_one_line(text) == printable(text) == shown


def test_line_breaks_and_tabs_are_kept_in_a_text_and_escaped_in_a_line() -> None:
    assert printable("a\n\tb\x1b") == "a\n\tb\\x1b"
    assert in_one_line("a\n\tb\x1b") == r"a\n\tb\x1b"


@pytest.mark.process
@given(documents)
@example({"\x9b\u2028\U000e0041": ["\x7f\n", 1, None]})
def test_printable_json_has_the_same_value(document: object) -> None:
    text = json_text(document)
    assert text.isprintable()
    assert json.loads(text) == document


def test_a_lone_surrogate_is_escaped_in_json_as_in_other_texts() -> None:
    assert json.loads(json_text({"file \udcff": ("\ud800", "\x1b")})) == {r"file \udcff": [r"\ud800", r"\x1b"]}


@given(st.binary(max_size=1000) | st.text().map(str.encode))
@example(b"\x7f\x00\x1b[2J\r\n\t")
@example(b"\xc3" * 201)
@example("\N{SNOWMAN}".encode() * 100)
def test_any_quoted_line_is_short_and_printable_ascii(line: bytes) -> None:
    shown = quote(line)
    assert set(shown) <= PRINTABLE
    assert len(shown) <= QUOTED + len("...")


def test_a_printable_line_is_quoted_unchanged_up_to_the_limit() -> None:
    assert quote(b'{"kind":"draw"}') == '{"kind":"draw"}'
    assert quote(b"x" * QUOTED) == "x" * QUOTED
    assert quote(b"x" * (QUOTED + 1)) == "x" * QUOTED + "..."


def test_a_path_that_is_not_utf8_is_recognised_and_shown_by_its_bytes() -> None:
    odd = os.fsdecode(b"d\xff/m\xc3\xbc.py")
    assert (is_utf8(odd), path_text(odd)) == (False, "d\\xff/mü.py")
    assert (is_utf8("d/mü.py"), path_text("d/mü.py")) == (True, "d/mü.py")
