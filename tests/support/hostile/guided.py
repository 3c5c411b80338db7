"""``PYTHONPATH=tests python -m support.hostile.guided -runs=N``: a coverage-guided fuzzer of the referee. Options are libFuzzer's.

Its bytes are what both seats say, cut into lines; an empty line stands for something legal, so that the fuzzer can come to every
phase of a hand. Needs the extra ``fuzz``.
"""

import logging
import sys

import atheris

with atheris.instrument_imports(include=["arena.protocol", "arena.gin", "arena.referee"]):
    from support.hostile.fuzzing import judged
    from support.matches.in_process import by_chance

    from arena.gin.rules import Rules
    from arena.protocol import notation
    from arena.protocol.codec import decode_message, encode
    from arena.protocol.messages import Turn

RULES = Rules()


def one(said: bytes) -> None:
    """Play two hands in which these lines are said by turns, and legal ones when they are used up."""
    lines, legal = iter(said.split(b"\n")), by_chance("guided")

    def line(question: bytes) -> bytes:
        turn = decode_message(question)
        assert isinstance(turn, Turn)
        return next(lines, b"") or encode(notation.answer(legal(notation.view(turn, RULES))))[:-1]

    judged(line, line, RULES, 2, "guided")


if __name__ == "__main__":
    logging.getLogger("arena").addHandler(logging.NullHandler())
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
