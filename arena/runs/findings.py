"""The steps of an audition as lines of text."""

import shlex
from collections.abc import Iterator

from arena.tournament.audition import Finding

STDERR_LINES = 8  # of the end of what the bot wrote


def describe(finding: Finding, bot: str | None) -> Iterator[str]:
    """Yield the lines that tell what came of one step; ``bot`` as ``arena debug`` finds it, None: it cannot."""
    yield f"{'passed' if finding.passed else 'FAILED'}  {finding.step:10}  {finding.summary}"
    if finding.turn:
        yield f"        the turn    {finding.turn}"
    if finding.answer:
        yield f"        its answer  {finding.answer}"
    if finding.stderr:
        yield "        its last words"
        yield from (f"            {line}" for line in finding.stderr.splitlines()[-STDERR_LINES:])
    for advice in finding.advice:
        yield f"        {advice}"
    if finding.replay and bot:
        yield f"        see it again: arena debug {shlex.join((bot, *finding.replay))}"
