"""The steps of an audition as lines of text."""

from collections.abc import Iterator

from arena.runs.debugging import fold_command
from arena.tournament.audition import Finding

STDERR_LINES = 16  # of the end of what the bot wrote
BOT = "BOT"  # stands for a bot that ``arena debug`` cannot find: one in an archive


def replay_command(finding: Finding, bot: str | None) -> tuple[str, ...]:
    """Return the words of the command that shows a failure again; empty: there is none.

    ``bot`` is its name for ``arena debug``; None: it has none, and ``BOT`` stands for it.
    """
    return ("arena", "debug", bot or BOT, *finding.replay) if finding.replay else ()


def describe(finding: Finding, bot: str | None, width: int = 80) -> Iterator[str]:
    """Yield lines about the outcome of one step; the command that shows it again is folded to ``width``."""
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
    if command := replay_command(finding, bot):
        yield from fold_command(command, "        see it again: ", width)
        if bot is None:
            yield f"        where {BOT} is your bot, unpacked: its .py file with its class, or its bot.yaml"
