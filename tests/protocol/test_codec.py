"""A line is either decoded completely or refused with a reason."""

import re
import string
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.hands import strategies

from arena.gin.cards import NAMES
from arena.protocol.codec import LINE_BYTES, MalformedError, decode_answer, decode_message, decode_ready, encode
from arena.protocol.messages import Answer, Bye, MatchOver, Ready
from arena.text import QUOTED

PRINTABLE = set(string.printable) - set("\t\n\r\v\f")

a_name = st.sampled_from(NAMES)
names = st.lists(a_name, max_size=13).map(tuple)
answers = st.builds(
    Answer,
    st.sampled_from(["pass", "take", "draw", "discard", "knock", "big_gin", "lay_off"]),
    st.none() | a_name,
    st.none() | st.lists(names, max_size=5).map(tuple),
    st.none() | st.lists(st.tuples(a_name, st.integers(0, 9)), max_size=11).map(tuple),
    st.none() | st.text(st.characters(codec="utf-8")),
)


@given(answers)
def test_an_answer_reads_back(answer: Answer) -> None:
    line = encode(answer)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode_answer(line) == decode_answer(line[:-1]) == answer


@given(st.integers(1, 1000), st.text(st.characters(codec="utf-8"), max_size=100))
def test_ready_reads_back(protocol: int, bot: str) -> None:
    assert decode_ready(encode(Ready(protocol, bot))) == Ready(protocol, bot)


def test_whitespace_and_a_carriage_return_are_ignored() -> None:
    assert decode_answer(b' { "kind" : "discard" ,\t"card" : "7h" } \r\n') == Answer("discard", "7h")


def test_a_null_member_counts_as_omitted() -> None:
    assert decode_answer(b'{"kind":"pass","card":null,"melds":null}') == Answer("pass")


REFUSED = {
    "nothing": (b"", "an empty line"),
    "a blank line": (b" \n", "an empty line"),
    "no JSON": (b"draw", "JSON is malformed: invalid character"),
    "an array": (b'["draw"]', "Expected `object`, got `array`"),
    "a text": (b'"draw"', "Expected `object`, got `str`"),
    "half a line": (b'{"kind":"dr', "truncated"),
    "two messages": (b'{"kind":"draw"}{"kind":"draw"}', "trailing characters"),
    "no kind": (b"{}", "missing required field `kind`"),
    "a kind that is a number": (b'{"kind":7}', "Expected `str`, got `int` - at `$.kind`"),
    "a kind that is null": (b'{"kind":null}', "Expected `str`, got `null`"),
    "an unknown kind": (b'{"kind":"fold"}', "Invalid enum value 'fold' - at `$.kind`"),
    "an unknown member": (b'{"kind":"draw","why":"luck"}', "unknown field `why`"),
    "a note that is a number": (b'{"kind":"draw","note":7}', "Expected `str | null`, got `int` - at `$.note`"),
    "half a character": (b'{"kind":"draw","note":"\\ud800"}', "Input data was truncated"),
    "a note longer than a line": (b'{"kind":"draw","note":"' + b"x" * 10_000_000 + b'"}', "a line of 10000025 bytes"),
    "a member twice": (b'{"kind":"draw","kind":"take"}', "a member is named twice: kind, kind"),
    "a card twice": (b'{"kind":"discard","card":"7h","card":"8h"}', "a member is named twice: kind, card, card"),
    "a card as an array": (b'{"kind":"discard","card":["7h"]}', "got `array` - at `$.card`"),
    "a card as a number": (b'{"kind":"discard","card":7}', "Expected `str | null`, got `int` - at `$.card`"),
    "a number as a text": (b'{"kind":"lay_off","lay_offs":[["7h","0"]]}', "Expected `int`, got `str` - at `$.lay_offs[0][1]`"),
    "a fraction": (b'{"kind":"lay_off","lay_offs":[["7h",1.0]]}', "Expected `int`, got `float` - at `$.lay_offs[0][1]`"),
    "a truth for a number": (b'{"kind":"lay_off","lay_offs":[["7h",true]]}', "Expected `int`, got `bool`"),
    "a negative number": (b'{"kind":"lay_off","lay_offs":[["7h",-1]]}', "Expected `int` >= 0"),
    "a tenth meld": (b'{"kind":"lay_off","lay_offs":[["7h",10]]}', "Expected `int` <= 9"),
    "a pair of three": (b'{"kind":"lay_off","lay_offs":[["7h",0,0]]}', "Expected `array` of length 2"),
    "not a number": (b'{"kind":"lay_off","lay_offs":[["7h",NaN]]}', "JSON is malformed: invalid character"),
    "infinity": (b'{"kind":"lay_off","lay_offs":[["7h",Infinity]]}', "JSON is malformed: invalid character"),
    "a number past all bounds": (b'{"kind":"lay_off","lay_offs":[["7h",1e999]]}', "Number out of range"),
    "five thousand digits": (b'{"kind":"lay_off","lay_offs":[["7h",' + b"9" * 5000 + b"]]}", "out of range"),
    "a deep nest": (b"[" * 60_000, "got `array`"),
    "a deep nest where the kind belongs": (b'{"kind":' + b"[" * 60_000, "got `array`"),
    "zeros": (b"\x00\x00\x00", "JSON is malformed"),
    "a zero in a text": (b'{"kind":"pass\x00"}', "JSON is malformed"),
    "a deep nest where melds belong": (
        b'{"kind":"lay_off","melds":' + b"[" * 9999 + b"]" * 9999 + b"}",
        "Expected `str`, got `array`",
    ),
    "a deep nest in a stray member": (b'{"kind":"draw","x":' + b"[" * 9999 + b"]" * 9999 + b"}", "unknown field `x`"),
    "no UTF-8": (b'{"kind":"\xff\xfe"}', "not UTF-8: invalid start byte"),
    "no UTF-8 in a card": (b'{"kind":"discard","card":"\xff"}', "not UTF-8: invalid start byte"),
    "half a surrogate": (b'{"kind":"discard","card":"\\ud800"}', "truncated"),
    "UTF-16": ('{"kind":"draw"}'.encode("utf-16"), "not UTF-8"),
    "a byte order mark": (b'\xef\xbb\xbf{"kind":"draw"}', "JSON is malformed: invalid character (byte 0)"),
    "a line too long": (
        b'{"kind":"draw"}' + b" " * LINE_BYTES,
        f"a line of {LINE_BYTES + 15} bytes; expected at most {LINE_BYTES}",
    ),
}


@pytest.mark.parametrize(("line", "complaint"), REFUSED.values(), ids=REFUSED)
def test_an_invalid_answer_is_refused_with_the_reason(line: bytes, complaint: str) -> None:
    with pytest.raises(MalformedError) as refused:
        decode_answer(line)
    assert complaint in str(refused.value)
    assert len(str(refused.value)) <= QUOTED + 3


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b'{"protocol":1}', "missing required field `type`"),
        (b"ready", "JSON is malformed"),
        (b'{"type":"hello","protocol":1}', "Invalid value 'hello' - at `$.type`"),
        (b'{"type":"ready"}', "missing required field `protocol`"),
        (b'{"type":"ready","protocol":"1"}', "Expected `int`, got `str` - at `$.protocol`"),
        (b'{"type":"ready","protocol":0}', "Expected `int` >= 1"),
        (b'{"type":"ready","protocol":' + b"1" * 50 + b"}", "Expected `int` <= 1000"),
        (b'{"type":"ready","protocol":' + b"1" * 5000 + b"}", "out of range"),
        (b'{"type":"ready","protocol":1,"protocol":2}', "a member is named twice: type, protocol, protocol"),
        (b'{"type":"ready","protocol":1,"bot":"' + b"x" * 101 + b'"}', "Expected `str` of length <= 100"),
        (b'{"type":"ready","protocol":1,"bot":"\xff"}', "not UTF-8: invalid start byte"),
        (b'{"type":"ready","protocol":1,"author":"me"}', "unknown field `author`"),
    ],
)
def test_an_invalid_ready_is_refused_with_the_reason(line: bytes, complaint: str) -> None:
    with pytest.raises(MalformedError, match=re.escape(complaint)):
        decode_ready(line)


def test_a_bot_ignores_unknown_members_of_the_referees_messages() -> None:
    assert decode_message(b'{"type":"match_over","won":true,"games":[3,1],"new":{"a":[1]}}') == MatchOver(won=True, games=(3, 1))
    assert decode_message(encode(Bye())) == Bye()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [(b'{"type":"farewell"}', "Invalid value 'farewell' - at `$.type`"), (b"{}", "missing required field `type`")],
)
def test_an_invalid_message_of_the_referee_is_refused(line: bytes, complaint: str) -> None:
    with pytest.raises(MalformedError, match=re.escape(complaint)):
        decode_message(line)


def test_a_deeply_nested_message_of_the_referee_is_refused_where_python_cannot_read_it() -> None:
    line = b'{"type":"bye","x":' + b"[" * 9999 + b"]" * 9999 + b"}"
    if sys.version_info >= (3, 14):  # whose limit is the size of the stack: a line is too short to reach it
        assert decode_message(line) == Bye()
        return
    with pytest.raises(MalformedError, match="nested too deep"):
        decode_message(line)


@given(st.binary(max_size=300) | st.text().map(str.encode))
@example(b'{"kind":"draw","\\u001b[31m":1}')
@example('{"kind":"draw","\u202e":1}'.encode())
def test_any_bytes_are_an_answer_or_malformed_and_the_error_is_safe_to_print(line: bytes) -> None:
    complaint = ""
    try:
        assert isinstance(decode_answer(line), Answer)
    except MalformedError as error:
        complaint = str(error)
    assert set(complaint) <= PRINTABLE


@given(strategies.a_card)
def test_the_fast_path_for_plain_answers_accepts_the_same_lines_as_the_slow_path(card: int) -> None:
    name = NAMES[card].encode()
    assert decode_answer(b'{"kind":"discard","card":"%b"}' % name) == decode_answer(b'{"kind":"discard", "card":"%b"}' % name)
    with pytest.raises(MalformedError):
        decode_answer(b'{"kind":"nonsense","card":"%b"}' % name)
