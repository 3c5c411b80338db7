"""What `arena league submit --json` prints: a JSON line for each step of the audition, and one for its outcome or its hindrance."""

from msgspec import DecodeError, Struct, json

from arena.runs.leagues.submit import SubmissionOutcome
from arena.tournament.audition import Finding


class SubmissionLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: a finding, the outcome, or what hinders this machine from testing bots."""

    finding: Finding | None = None
    bot: str | None = None  # with a finding: the bot as `arena debug` finds it; None: it is in an archive
    outcome: SubmissionOutcome | None = None
    hindrance: str = ""  # as a full disk: nothing is known about the bot


_DECODER = json.Decoder(SubmissionLine)


def decode_line(line: bytes) -> SubmissionLine | None:
    """Return what a line says; None: it is another line."""
    try:
        return _DECODER.decode(line)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return None
