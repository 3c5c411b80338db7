"""A file of baselines, for a bot author's repository: which bot a name meant, byte for byte, and what has been found out already.

It is JSON with sorted keys, so that it is the same text for the same findings. A verdict is filed under the SHA-256 of all that led
to it: the digests of the bots, the rules, the question, the limits, and arena's version. Whatever of that changes, the question is
asked anew. Each verdict that was played for is also added to a history, with its date.
"""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import DecodeError, Struct, json

from arena import bounded, distribution, durable
from arena.errors import InputError
from arena.reports.past_verdicts import PastVerdict
from arena.roster.entrant import Entrant
from arena.runs.agreement import played_by
from arena.runs.compare import Finished
from arena.runs.resolve import ResolvedBot
from arena.stats.sequential.betting import Verdict
from arena.tournament.plan import Plan

LARGEST = 1 << 26  # bytes of a file


class Pinned(Struct, frozen=True, forbid_unknown_fields=True):
    """A baseline."""

    bot: str  # where it is found
    digest: str  # SHA-256 of its files


class Kept(Struct, forbid_unknown_fields=True):
    """What the file holds."""

    baselines: dict[str, Pinned] = {}
    verdicts: dict[str, Finished] = {}
    history: list[PastVerdict] = []


class Baselines:
    """The file, or none: then nothing is pinned and nothing is known."""

    def __init__(self, path: Path | None, kept: Kept) -> None:
        self._path = path
        self._kept = kept

    @classmethod
    def read(cls, path: Path | None) -> "Baselines":
        """Return what a file holds; nothing, if there is none yet. Raises: InputError; OSError."""
        if path is None or not path.exists():
            return cls(path, Kept())
        try:
            return cls(path, json.decode(bounded.read(path, LARGEST), type=Kept))
        except (bounded.TooLargeError, DecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: not a file of baselines: {error}") from None

    def bot(self, name: str) -> str:
        """Return where the baseline of that name is found; a name that is not pinned says it itself."""
        pinned = self._kept.baselines.get(name)
        return pinned.bot if pinned else name

    def check(self, name: str, entrant: Entrant) -> None:
        """Make sure that a baseline is the one that was pinned. Raises: InputError."""
        pinned = self._kept.baselines.get(name)
        if pinned and pinned.digest != entrant.digest:
            changed = f"{pinned.digest[:12]} when it was pinned, {entrant.digest[:12]} now"
            raise InputError(
                f"{self._path}: baseline {name!r} has changed: {changed}; pin it anew under another name, or restore it"
            )

    @property
    def history(self) -> Sequence[PastVerdict]:
        """Return every verdict that was played for, undecided ones too, in the order in which they were found."""
        return self._kept.history

    def known(self, plan: Plan, digests: tuple[str, ...]) -> Finished | None:
        """Return the answer to a question that was asked before, or None."""
        return self._kept.verdicts.get(_key(plan, digests))

    def learn(self, plan: Plan, digests: tuple[str, ...], finished: Finished, past: PastVerdict) -> None:
        """Add the result to the history, and store it unless it is undecided."""
        self._kept.history.append(past)
        if finished.outcome.verdict is not Verdict.UNDECIDED:
            self._kept.verdicts[_key(plan, digests)] = finished

    def write(self, name: str, baseline: ResolvedBot) -> None:
        """Write the file, if there is to be one, with the baseline pinned. Raises: InputError."""
        if self._path is None:
            return
        self._kept.baselines.setdefault(name, Pinned(baseline.asked, baseline.entrant.digest))
        try:
            durable.write(self._path.resolve(), json.format(json.encode(self._kept, order="sorted"), indent=2) + b"\n")
        except OSError as error:
            raise InputError(f"{self._path}: cannot be written: {error.strerror}") from None


def _key(plan: Plan, digests: tuple[str, ...]) -> str:
    return sha256("\n".join([distribution.version(), *digests, played_by(plan)]).encode()).hexdigest()
