"""The referee against players that answer anything: arbitrary bytes, arbitrary JSON, actions that only look legal.

``ARENA_FUZZ_LINES`` is the number of random lines, ``ARENA_FUZZ_RUNS`` the number of runs of a coverage-guided fuzzer. Hypothesis
draws more cases and shrinks those that fail.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hands.strategies import rules as some_rules
from support.hostile.fuzzing import KINDS, Line, judged
from support.matches.in_process import by_chance
from support.sizes import size

from arena.gin.cards import NAMES
from arena.gin.rules import Rules
from arena.protocol import notation
from arena.protocol.codec import decode_message, encode
from arena.protocol.messages import Turn

TESTS = Path(__file__).parents[1]
LINES = int(os.environ.get("ARENA_FUZZ_LINES", "20000"))
RUNS = int(os.environ.get("ARENA_FUZZ_RUNS", "5000"))  # of the coverage-guided fuzzer
GROWTH = 4096  # kilobytes of peak memory, from a fifth of the lines to all of them

a_name = st.sampled_from([*NAMES, "1c", "7H", "", "\u202e"])
some_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["kind", "card", "melds"]) | st.text(max_size=3), inner)
    ),
    max_leaves=8,
)
looks_legal = st.fixed_dictionaries(
    {"kind": st.sampled_from(KINDS)},
    optional={
        "card": a_name,
        "melds": st.lists(st.lists(a_name, max_size=5), max_size=4),
        "lay_offs": st.lists(st.tuples(a_name, st.integers(-1, 10)), max_size=3),
    },
)
lines: st.SearchStrategy[bytes | None] = st.one_of(
    st.none(),  # a legal answer
    st.none(),
    st.none(),
    st.binary(max_size=40),
    some_json.map(lambda value: json.dumps(value).encode()),
    looks_legal.map(lambda answer: json.dumps(answer).encode()),
)


def speaker(data: st.DataObject, rules: Rules) -> Line:
    """Return a player that answers with lines drawn by hypothesis."""
    legal = by_chance("fuzz")

    def line(question: bytes) -> bytes:
        drawn = data.draw(lines)
        if drawn is not None:
            return drawn
        turn = decode_message(question)
        assert isinstance(turn, Turn)
        return encode(notation.answer(legal(notation.view(turn, rules))))[:-1]

    return line


@given(st.data(), some_rules())
@settings(max_examples=size(20, 180))
def test_with_any_answers_the_batch_ends_and_its_record_passes_the_audit(data: st.DataObject, rules: Rules) -> None:
    record = judged(speaker(data, rules), speaker(data, rules), rules, 2, "drawn")
    assert len(record.hands) == 2


def fuzz(count: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "support.hostile.fuzzing", str(count)]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


@pytest.mark.process
@pytest.mark.timeout(300 + LINES // 500)
def test_many_random_lines_cause_no_traceback_no_hang_and_no_memory_growth() -> None:
    figures = fuzz(LINES)
    assert figures["lines"] >= LINES
    assert set(figures["faults"]) == {"malformed", "illegal"}
    assert figures["peak_kb"] <= figures["peak_kb_at_a_fifth"] + GROWTH


WORDS = ["kind", "card", "melds", "lay_offs", *KINDS, "7h", "Kc", '{\\"kind\\":\\"', '\\",\\"card\\":\\"']
SEEDS = [
    b'{"kind":"pass"}\n{"kind":"take"}\n{"kind":"discard","card":"7h"}',
    b'\n\n\n{"kind":"knock","card":"Kc","melds":[["7h","7c","7d"]]}\n{"kind":"lay_off","lay_offs":[["7s",0]]}',
]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_coverage_guided_fuzzer_finds_nothing(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris is not installed; it comes with the extra fuzz")
    (tmp_path / "words").write_text("".join(f'"{word}"\n' for word in WORDS))
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(SEEDS):
        (corpus / str(number)).write_bytes(seed)
    options = [f"-runs={RUNS}", f"-dict={tmp_path}/words", "-max_len=2048", "-len_control=0", f"-artifact_prefix={tmp_path}/"]
    command = [sys.executable, "-m", "support.hostile.guided", *options, str(corpus)]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Done" in done.stderr
