"""A regression test: has a bot become weaker than its baseline? Asked head to head, then against the field on common deals.

Both parts are one question. It is answered "not weaker" only if each part proves that, so each may use the whole alpha. "Weaker"
may come from either, so it needs the *average* of their evidence to reach 1/beta: an average of evidences, of which one that was
not begun counts as 1, is evidence itself, and reaches 1/beta with a probability of at most beta (Vovk and Wang 2021).

Asked again, a question continues the evidence on file. If the records are at hand, they are continued (``compare/duel.py``). Else
the file of baselines has the evidence as a number, and a new test needs only what is missing: 1/alpha divided by that number.
"""

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from msgspec import UNSET, DecodeError, Struct, UnsetType, json
from msgspec.structs import replace

from arena import distribution, system
from arena.compare import duel, explain
from arena.compare.duel import Finished, Terms
from arena.compare.explain import Explanation
from arena.errors import InputError
from arena.reports.verdict import PastVerdict, decision_words, interval, progress_line, rarest_mood
from arena.roster.entrant import Entrant, same_program
from arena.runs.diff import NAMES, DecisionKind, Difference
from arena.runs.plans import ResolvedBot
from arena.runs.session import RunStart, played_by, question
from arena.stats.duels import ComparisonOutcome, Verdict
from arena.text import in_one_line, printable
from arena.tournament.plan import Plan

# A file of baselines, for a bot author's repository: which bot a name meant, byte for byte, and what has been found out already.
#
# It is JSON with sorted keys, so that it is the same text for the same findings. An answer is filed under the SHA-256 of all that
# led to it: the digests of the bots, the rules, the question, and arena's version. Whatever of that changes, the question is asked
# anew. Each answer that was played for is also added to a history, with its date.
#
# **Many questions.** Over a hundred commits some bot would be called weaker by chance. So a file limits false alarms by e-LOND: the
# k-th question is asked on "weaker" at the level beta (D + 1) / (k (k + 1)), after D verdicts "weaker". Then at most a share beta
# of all such verdicts is false in the mean, whatever the questions have in common (Xu and Ramdas 2023, Online multiple testing with
# e-values). "Not weaker" stays at alpha each: it is about one candidate and a pinned release.

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
        """Return the content of a file; nothing, if there is none yet. Raises: InputError; OSError."""
        if path is None or not path.exists():
            return cls(path, Kept())
        try:
            return cls(path, json.decode(system.read(path, LARGEST), type=Kept))
        except (system.TooLargeError, DecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: not a file of baselines: {error}") from None

    def bot(self, name: str) -> str:
        """Return where the baseline of that name is found; a name that is not pinned is itself a path or a bot."""
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
        """Return a question with its level, the same whenever it is asked, and note a new one; None: without a file."""
        if self._path is None:
            return None
        questions = self._kept.questions
        number, alarms = len(questions) + 1, sum(one.weaker for one in questions.values())
        new = AskedQuestion(number, min((alarms + 1) / (number * (number + 1)), 1.0))
        return questions.setdefault(_digest(key), new)

    def note_answer(self, key: str, *, weaker: bool) -> None:
        """Note whether the verdict on a question is "weaker"."""
        if asked := self._kept.questions.get(_digest(key)):
            self._kept.questions[_digest(key)] = replace(asked, weaker=weaker)

    def steps(self, baseline: str) -> int:
        """Return how many verdicts "not weaker" lead from the earliest version to the baseline with this digest."""
        passed = {
            one.digest: one.baseline_digest
            for one in self._kept.history
            if one.is_passed and one.question == "head to head" and one.baseline_digest not in ("", one.digest)
        }
        steps = 0
        while baseline in passed:  # each is taken once, so a cycle ends
            baseline, steps = passed.pop(baseline), steps + 1
        return steps

    def find(self, key: str) -> Finished | None:
        """Return the stored verdict on a part of a question, or None."""
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
            system.write(system.real(self._path), json.format(json.encode(self._kept, order="sorted"), indent=2) + b"\n")
        except OSError as error:
            raise InputError(f"{self._path}: cannot be written: {error.strerror}") from None


def _digest(key: str) -> str:
    return sha256(f"{distribution.version()}\n{key}".encode()).hexdigest()


# The number of a test in a bisection: a search asks several times, so each test gets a share of the chances to be wrong.
#
# The first test is that of the last commit, made before ``git bisect start``: if the bot is not weaker there, there is nothing to
# find. The k-th test has the share 1 / (k (k + 1)) of alpha and beta, which add up to 1 however long the search is.

ANSWERS = ("git bisect good", "git bisect bad")  # lines of git's log for a commit that was tested; a skipped one has no verdict


def number() -> int:
    """Return the number of the current test; 1: no search is under way, and the last commit is tested."""
    try:
        asked = ["git", "rev-parse", "--git-path", "BISECT_LOG"]
        place = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - a constant
        lines = Path(place).read_text(encoding="utf-8").splitlines()
    except (OSError, subprocess.CalledProcessError):
        return 1
    return 2 + sum(line.startswith(ANSWERS) for line in lines)


def share(test: int) -> float:
    """Return the share of the chances to be wrong that a test gets."""
    return 1 / (test * (test + 1))


WEAKER, UNDECIDED = 4, 5  # exit codes
FIELD_WITHIN = 1.0  # points a hand; a difference has twice the range of a score, so a margin of 0.5 would take twice as many deals


class Part(Struct, frozen=True, kw_only=True):
    """One of the two parts of the question, answered."""

    question: str  # "head to head", or "against the field"
    outcome: ComparisonOutcome
    answer: str  # what was decided, as ``not weaker by 0.5 or more``, in the outcome's unit
    results: str | None  # the folder of its records; None: nothing was played, because both are the same program
    seed: str
    known: bool = False  # from the file of baselines: nothing was played


class ChangedDecisions(Struct, frozen=True, kw_only=True):
    """How many of the baseline's decisions the candidate makes differently, before anything is played."""

    asked: int
    differ: int
    kinds: dict[DecisionKind, int]

    @staticmethod
    def of(found: Difference) -> "ChangedDecisions":
        """Return the counts of a difference."""
        return ChangedDecisions(asked=found.decisions, differ=found.differ, kinds=found.kinds)


class Regression(Struct, frozen=True, kw_only=True):
    """All that a regression test has found."""

    candidate: str
    baseline: str
    asked: str  # "not weaker" or "stronger"
    verdict: str  # "not weaker" or "stronger", "weaker" or "not stronger", or "undecided"
    exit_code: int
    parts: tuple[Part, ...]
    levels: tuple[float, float]  # alpha of each "not weaker", beta of "weaker" in all
    notes: tuple[str, ...] = ()  # on the levels and the baseline
    decisions: ChangedDecisions | UnsetType = UNSET  # UNSET, which JSON leaves out: nothing was played
    explanation: Explanation | UnsetType = UNSET  # of the decisions that differ; UNSET, which JSON leaves out: not asked for


class PlannedPart(Struct, frozen=True, kw_only=True):
    """One part of the question, before it is played."""

    name: str  # "head to head", or "against the field"
    folder: Path | None  # of its records; None: one in ``results/``
    field: tuple[ResolvedBot, ...]
    terms: Terms
    seed: str | None

    @property
    def digests(self) -> tuple[str, ...]:
        """Return the digests of the bots on which the answer depends."""
        return tuple(bot.entrant.digest for bot in self.field)

    @property
    def key(self) -> str:
        """Return the key of the part: its bots and what is asked, without the levels."""
        return "\n".join([*self.digests, question(played_by(self.plan(self.terms)))])

    def plan(self, terms: Terms) -> Plan:
        """Return its plan on some terms, without a seed. Raises: InputError, for terms that make no sense."""
        make = duel.gauntlet if len(self.field) > 2 else duel.duel
        return make(self.field, terms)

    def start(self, terms: Terms) -> RunStart:
        """Return the start of the run to be played. Raises: InputError, StoreError."""
        return duel.asked_again(self.plan, terms, self.seed, self.folder)

    def will_continue(self, before: Finished) -> bool:
        """Tell whether the records of an earlier answer are the ones that this part would continue."""
        first = duel.on_file(self.plan, self.terms, self.folder)
        return first is not None and before.folder is not None and duel.holds(first, Path(before.folder), before.seed)


def parts(
    field: Sequence[ResolvedBot], terms: Terms, seed: str | None, field_within: float, results: Path | None = None
) -> list[PlannedPart]:
    """Return the parts: candidate against baseline by ``terms``, and both against the rest of the field, not weaker."""
    head, gauntlet = (results / name if results else None for name in ("head-to-head", "gauntlet"))
    found = [PlannedPart(name="head to head", folder=head, field=tuple(field[:2]), terms=terms, seed=seed)]
    if len(field) > 2:
        not_weaker = replace(terms, bounds=(-field_within, 0.0))
        found.append(PlannedPart(name="against the field", folder=gauntlet, field=tuple(field), terms=not_weaker, seed=seed))
    return found


def at_levels(
    asked: Sequence[PlannedPart], against: str, pinned: Baselines, test: int | None
) -> tuple[list[PlannedPart], list[str]]:
    """Return the parts at the levels at which they are asked, and what the user should know of levels and baseline.

    ``against`` is the baseline as the user named it; ``test`` is the number of this test in a bisection, or None.
    """
    terms, notes = asked[0].terms, list[str]()
    alpha, beta = terms.alpha, terms.beta
    if test:
        alpha, beta = alpha * share(test), beta * share(test)
        notes.append(
            f"test {test} of a bisection: not weaker at {alpha:.2g}, weaker at {beta:.2g}, so that all tests share the error"
        )
    trivial = same_program(*(bot.entrant for bot in asked[0].field))
    if not trivial and (question := pinned.question(_key(asked))):
        beta *= question.level
        notes.append(f"question {question.number} of the file of baselines: weaker at {beta:.2g}, by e-LOND")
    if steps := pinned.steps(asked[0].field[1].entrant.digest):
        notes.append(_chain(against, steps, -asked[0].terms.bounds[0]))
    return [replace(part, terms=replace(part.terms, alpha=alpha, beta=beta)) for part in asked], notes


def _key(asked: Sequence[PlannedPart]) -> str:
    return "\n\n".join(part.key for part in asked)


def _chain(against: str, steps: int, within: float) -> str:
    """Return the warning that a baseline was a candidate before."""
    several = f"{steps} tests" if steps > 1 else "a test"
    hidden = f": {steps + 1} steps may hide {(steps + 1) * within:g} points a hand" if within > 0 else ""
    return f"{against} is itself the result of {several} against earlier versions{hidden}; compare with a pinned release"


def answers(
    asked: Sequence[PlannedPart], against: str, pinned: Baselines, play: Callable[[PlannedPart, Terms], Finished]
) -> Iterator[Part]:
    """Yield the answer of each part, up to one that is not "better": a bot known to be weaker need not meet the field.

    ``against`` is the baseline as the user named it; ``asked`` has the levels of the whole question. ``play`` plays a part on terms
    whose levels are those that it needs.
    """
    worse: list[float] = []
    for place, part in enumerate(asked):
        terms = part.terms
        needed = replace(terms, beta=_level_of_weaker(terms.beta, worse, len(asked) - place - 1))
        before = pinned.find(part.key)
        known = before is not None and (terms.until == "limit" or _verdict(before.outcome, needed) is not Verdict.UNDECIDED)
        answer = before if before and known else _play(part, needed, before, play)
        outcome = answer.outcome
        shown = replace(outcome, verdict=_verdict(outcome, needed), proof=(1 / needed.alpha, 1 / needed.beta))
        if not known:
            pinned.learn(part.key, answer, _past(part, against, shown))
        yield Part(
            question=part.name,
            outcome=shown,
            answer=decision_words(shown.verdict, shown.bounds),
            results=answer.folder,
            seed=answer.seed,
            known=known,
        )
        if shown.verdict is not Verdict.BETTER:
            return
        worse.append(outcome.worse)


def _level_of_weaker(beta: float, worse: Sequence[float], not_begun: int) -> float:
    """Return the level of one part at which its evidence lifts the average evidence of all parts to 1/beta."""
    parts = len(worse) + 1 + not_begun
    return 1 / (parts / beta - sum(worse) - not_begun)


def _play(part: PlannedPart, terms: Terms, before: Finished | None, play: Callable[[PlannedPart, Terms], Finished]) -> Finished:
    """Return the answer of a part with all evidence on it: what is on file ``before``, and what was played.

    Records at hand are continued. Evidence without its records is carried over, so a new test needs only what is missing.
    """
    better, worse = carried = _carried_evidence(part, before)
    found = play(part, replace(terms, alpha=min(terms.alpha * better, 0.999), beta=min(terms.beta * worse, 0.999)))
    outcome = replace(found.outcome, better=found.outcome.better * better, worse=found.outcome.worse * worse)
    return replace(found, outcome=outcome, carried=carried)


def _carried_evidence(part: PlannedPart, before: Finished | None) -> tuple[float, float]:
    """Return the evidence for both sides that is not in the records that are continued."""
    if before is None:
        return 1.0, 1.0
    return before.carried if part.will_continue(before) else (before.outcome.better, before.outcome.worse)


def _verdict(outcome: ComparisonOutcome, terms: Terms) -> Verdict:
    """Return the verdict at some levels."""
    if outcome.same_program:
        return outcome.verdict
    better, worse = outcome.better * terms.alpha, outcome.worse * terms.beta
    if max(better, worse) < 1 - 1e-9:
        return Verdict.UNDECIDED
    return Verdict.BETTER if better >= worse else Verdict.NOT_AS_GOOD


def conclude(
    asked: Sequence[PlannedPart], answered: tuple[Part, ...], notes: Sequence[str], pinned: Baselines, *, stronger: bool
) -> Regression:
    """Return the verdict, and note it. It is that of the last answer, since an answer that is not "better" ends the questions."""
    hoped, failed = ("stronger", "not stronger") if stronger else ("not weaker", "weaker")
    last, terms = answered[-1], asked[0].terms
    if last.question != "head to head":
        failed = "weaker"
    verdict, code = {
        Verdict.BETTER: (hoped, 0),
        Verdict.NOT_AS_GOOD: (failed, WEAKER),
    }.get(last.outcome.verdict, ("undecided", UNDECIDED))
    pinned.note_answer(_key(asked), weaker=code == WEAKER)
    candidate, baseline = (bot.name for bot in asked[0].field[:2])
    return Regression(
        candidate=candidate,
        baseline=baseline,
        asked=hoped,
        verdict=verdict,
        exit_code=code,
        parts=answered,
        levels=(terms.alpha, terms.beta),
        notes=tuple(notes),
    )


def lines(found: Regression, reports: Mapping[str, Sequence[str]], width: int) -> Iterator[str]:
    """Yield the findings as lines of text; ``reports`` has the lines of each part that was played.

    ``width`` is that of the terminal, to which a command is folded.
    """
    yield f"{found.candidate} against {found.baseline}: {found.verdict}"
    yield from found.notes
    if found.decisions:
        yield changes_line(found.decisions)
    for part in found.parts:
        yield ""
        yield f"{part.question}:"
        yield from reports.get(part.question) or _not_played(part)
    if found.explanation:
        yield ""
        yield "decisions that differ:"
        yield from explain.lines(found.explanation, found.baseline, found.candidate, width)


def changes_line(found: ChangedDecisions) -> str:
    """Return the numbers of different decisions by kind, in one line."""
    kinds = ", ".join(f"{NAMES[kind]} {count}" for kind, count in found.kinds.items())
    return f"{found.differ} of {found.asked} decisions differ" + (f": {kinds}" if found.differ else "")


def _past(part: PlannedPart, against: str, outcome: ComparisonOutcome) -> PastVerdict:
    candidate, baseline = (bot.entrant for bot in part.field[:2])
    return PastVerdict(
        date=f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        arena=distribution.version(),
        question=part.name,
        baseline=against,
        baseline_digest=baseline.digest,
        candidate=candidate.name,
        version=candidate.version,
        digest=candidate.digest,
        verdict=decision_words(outcome.verdict, outcome.bounds),
        hands=outcome.total_hands,
        unit=outcome.unit,
        difference=outcome.difference,
    )


def _not_played(part: Part) -> Iterator[str]:
    """Yield why a part was not played, and its answer."""
    if part.outcome.same_program:
        yield "the same program; nothing was played"
        return
    yield _known_line(part.outcome)
    if rare := rarest_mood(part.outcome):
        yield f"{rare}."


def _known_line(outcome: ComparisonOutcome) -> str:
    """Return the outcome of a part that was answered before."""
    apart = "" if outcome.difference is None else f"{interval(outcome.difference)} "
    found = decision_words(outcome.verdict, outcome.bounds)
    return f"{apart}{outcome.unit}: {found}; known from the file of baselines, nothing was played"


# The outcome of a regression test as JUnit XML, which every build server reads.


def write(path: Path, found: "Regression") -> None:
    """Write a suite with a case for each question. Raises: InputError.

    Weaker is a failure, undecided an error: build servers show the two separately, and they need different reactions.
    """
    try:
        path.write_bytes(tostring(suite(found), encoding="utf-8", xml_declaration=True) + b"\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def suite(found: "Regression") -> Element:
    """Return the suite."""
    verdicts = [part.outcome.verdict for part in found.parts]
    counts = {
        "tests": len(verdicts),
        "failures": verdicts.count(Verdict.NOT_AS_GOOD),
        "errors": verdicts.count(Verdict.UNDECIDED),
    }
    name = f"{found.candidate} {found.asked} than {found.baseline}"
    top = Element("testsuite", {"name": name, **{key: str(value) for key, value in counts.items()}})
    for part in found.parts:
        _add_case(top, name, part)
    indent(top)
    _make_printable(top)
    return top


def _make_printable(top: Element) -> None:
    """Escape what XML cannot say: control characters and surrogates, even as references. Source: XML 1.0, section 2.2."""
    for element in top.iter():
        element.attrib = {name: in_one_line(value) for name, value in element.attrib.items()}
        element.text = element.text and printable(element.text)


def _add_case(top: Element, name: str, part: "Part") -> None:
    case = SubElement(top, "testcase", {"classname": name, "name": part.question})
    kind = {Verdict.NOT_AS_GOOD: "failure", Verdict.UNDECIDED: "error"}.get(part.outcome.verdict)
    if kind:
        SubElement(case, kind, {"message": progress_line(part.outcome).strip(), "type": part.answer})
    records = f"records in {part.results}" if part.results else "the same program; nothing was played"
    SubElement(case, "system-out").text = f"{part.answer}\n{progress_line(part.outcome).strip()}\n{records}"
