"""What `arena league submit --json` prints: a JSON line for each step of the audition, and one for its outcome or its failure."""

from msgspec import Struct, json

from arena.errors import MALFORMED
from arena.league.submit import SubmissionOutcome
from arena.tournament.audition import Finding


class SubmissionLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: a finding, the outcome, or why this machine cannot test bots."""

    finding: Finding | None = None
    bot: str | None = None  # with a finding: the bot as `arena debug` finds it; None: it is in an archive
    outcome: SubmissionOutcome | None = None
    why_untested: str = ""  # as a full disk; it says nothing about the bot


_DECODER = json.Decoder(SubmissionLine)


def decode_line(line: bytes) -> SubmissionLine | None:
    """Return the content of a line; None: it is not a valid one."""
    try:
        return _DECODER.decode(line)
    except MALFORMED:
        return None
