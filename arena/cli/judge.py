"""``arena judge``: hands from anywhere, played by the referee's own engine."""

from typing import Annotated

import typer

from arena.cli.lines import answer_lines
from arena.runs.judge import JudgeCase, Rulesets, judge_case, read


def judge(
    file: Annotated[str, typer.Argument(help="A file of lines; - for standard input.")] = "-",
    *,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read and write JSON lines, the one form there is.")] = True,  # noqa: ARG001
) -> None:
    """Judge hands: each line is a deck, a dealer and actions, and is answered by how the hand ends.

    Example: arena judge --jsonl hands.jsonl

    A line {"id": 1, "rules": "standard", "deck": [52 cards], "dealer": 0, "actions": [{"seat": 1, "kind": "pass"}, ...]}
    is answered by its "ending", "winner", "points" and "deadwood"; by "illegal" with the action, the clause and a detail;
    or by "unfinished". An action may be a word, as "draw", "3c" or "knock:3c": it is that of the seat whose turn it is.
    """
    rulesets = Rulesets()
    answer_lines(file, lambda line: judge_case(case := read(line, JudgeCase), rulesets.of(case.rules)))
