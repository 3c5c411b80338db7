"""A file of baselines, for a bot author's repository: which bot a name meant, byte for byte, and what has been found out already.

It is JSON with sorted keys, so that it is the same text for the same findings. An answer is filed under the SHA-256 of all that led
to it: the digests of the bots, the rules, the question, and arena's version. Whatever of that changes, the question is asked anew.
Each answer that was played for is also added to a history, with its date.

**Many questions.** Over a hundred commits some bot would be called weaker by chance. So a file spends its chances by e-LOND: the
k-th question is asked on "weaker" at the level beta (D + 1) / (k (k + 1)), after D verdicts "weaker". Then at most a share beta of
all such verdicts is false in the mean, whatever the questions have in common (Xu and Ramdas 2023, Online multiple testing with
e-values). "Not weaker" stays at alpha each: it is about one candidate and a pinned release.
"""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import DecodeError, Struct, json
from msgspec.structs import replace

from arena import bounded, distribution, durable
from arena.errors import InputError
from arena.reports.past_verdicts import PastVerdict
from arena.roster.entrant import Entrant
from arena.runs.compare import Finished
from arena.runs.resolve import ResolvedBot
from arena.stats.sequential.betting import Verdict

LARGEST = 1 << 26  # bytes of a file


class Pinned(Struct, frozen=True, forbid_unknown_fields=True):
    """A baseline."""

    bot: str  # where it is found
    digest: str  # SHA-256 of its files


class AskedQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """A question that was asked; all its parts are one."""

    number: int  # among those of the file, from 1
    level: float  # share of beta at which it is asked on "weaker"
    weaker: bool = False  # whether that was the verdict


class Kept(Struct, forbid_unknown_fields=True):
    """What the file holds."""

    baselines: dict[str, Pinned] = {}
    questions: dict[str, AskedQuestion] = {}
    verdicts: dict[str, Finished] = {}  # of each part of a question, undecided ones too
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

    def question(self, key: str) -> AskedQuestion | None:
        """Return a question with its level, the same whenever it is asked; None: there is no file, so nothing is shared out."""
        if self._path is None:
            return None
        questions = self._kept.questions
        number, alarms = len(questions) + 1, sum(one.weaker for one in questions.values())
        new = AskedQuestion(number, min((alarms + 1) / (number * (number + 1)), 1.0))
        return questions.setdefault(_digest(key), new)

    def answered(self, key: str, *, weaker: bool) -> None:
        """Note whether the verdict on a question is "weaker"."""
        if asked := self._kept.questions.get(_digest(key)):
            self._kept.questions[_digest(key)] = replace(asked, weaker=weaker)

    def steps(self, baseline: str) -> int:
        """Return how many verdicts "not weaker" lead from an earlier version to the baseline with a digest."""
        passed = {
            one.digest: one.baseline_digest
            for one in self._kept.history
            if one.verdict == Verdict.BETTER and one.question == "head to head" and one.baseline_digest not in ("", one.digest)
        }
        steps = 0
        while baseline in passed:  # each is taken once, so a cycle ends
            baseline, steps = passed.pop(baseline), steps + 1
        return steps

    def known(self, key: str) -> Finished | None:
        """Return what is on file about a part of a question, or None."""
        return self._kept.verdicts.get(_digest(key))

    def learn(self, key: str, finished: Finished, past: PastVerdict) -> None:
        """Store what was found about a part of a question, and add it to the history."""
        self._kept.history.append(past)
        self._kept.verdicts[_digest(key)] = finished

    def write(self, name: str, baseline: ResolvedBot) -> None:
        """Write the file, if there is to be one, with the baseline pinned. Raises: InputError."""
        if self._path is None:
            return
        self._kept.baselines.setdefault(name, Pinned(baseline.asked, baseline.entrant.digest))
        try:
            durable.write(self._path.resolve(), json.format(json.encode(self._kept, order="sorted"), indent=2) + b"\n")
        except OSError as error:
            raise InputError(f"{self._path}: cannot be written: {error.strerror}") from None


def _digest(key: str) -> str:
    return sha256(f"{distribution.version()}\n{key}".encode()).hexdigest()
