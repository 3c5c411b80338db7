"""A regression test: has a bot become weaker than its baseline? Asked head to head, then against the field on common deals.

Both parts are one question: "not weaker" takes both of them, "weaker" the average of their evidence. arena/stats/README.md has the
reasons, for files of baselines and bisections too, with measurements.

Asked again, a question continues the evidence on file. If the records are at hand, they are continued (``compare/duel.py``). Else
the file of baselines has both evidences as numbers, and a new test needs only what is missing: 1/alpha, or 1/beta, divided by them.
"""

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from msgspec import UNSET, Struct, UnsetType, json
from msgspec.structs import replace

from arena import disk, distribution
from arena.compare import duel, explain
from arena.compare.duel import Finished, Terms
from arena.compare.explain import Explanation
from arena.encoding import as_utf8
from arena.errors import MALFORMED, InputError, naming_errors
from arena.reports.verdict import PastVerdict, decision_words, interval, progress_line, rarest_mood
from arena.roster.entrant import Entrant, same_program
from arena.runs.diff import DecisionKind, Difference, summary
from arena.runs.plans import ResolvedBot
from arena.runs.session import RunStart, plan_text, question
from arena.stats.duels import ComparisonOutcome, Verdict
from arena.text import in_one_line, path_text, printable
from arena.tournament.plan import Plan

# A file of baselines, for a bot author's repository: the digests of the named bots, and all earlier verdicts.
#
# It is JSON with sorted keys, so that the same verdicts give the same text. A verdict is stored under the SHA-256 of all that it
# depends on: the digests of the bots, the rules, the question, and arena's version. If any of these changes, the question is asked
# anew. Each new verdict is also added to a history, with its date.
#
# So that no bot is called weaker by chance over a hundred commits, the k-th question is tested for "weaker" at the level
# beta (D + 1) / (k (k + 1)), after D verdicts "weaker" (e-LOND, Xu and Ramdas 2023). "Not weaker" stays at alpha each: it is about
# one candidate and a pinned release.

MAX_BYTES = 1 << 26  # of a file


class Pinned(Struct, frozen=True, forbid_unknown_fields=True):
    """A baseline."""

    bot: str  # where it is found
    digest: str  # SHA-256 of its files


class AskedQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """A question that was asked, with all its parts."""

    number: int  # among those of the file, from 1
    level: float  # share of beta that it gets: "weaker" is tested at level x beta
    weaker: bool = False  # whether that was the verdict


class StoredBaselines(Struct, forbid_unknown_fields=True):
    """The content of the file."""

    baselines: dict[str, Pinned] = {}
    questions: dict[str, AskedQuestion] = {}
    verdicts: dict[str, Finished] = {}  # by part of a question; undecided ones too
    history: list[PastVerdict] = []


class Baselines:
    """The file of baselines. Without a file nothing is pinned, known or written."""

    def __init__(self, path: Path | None, stored: StoredBaselines) -> None:
        self._path = path
        self._stored = stored

    @classmethod
    def read(cls, path: Path | None) -> "Baselines":
        """Read a file; a missing one is empty. Raises: InputError; OSError."""
        if path is None or not path.exists():
            return cls(path, StoredBaselines())
        try:
            return cls(path, json.decode(as_utf8(disk.read(path, MAX_BYTES)), type=StoredBaselines))
        except (disk.TooLargeError, *MALFORMED) as error:
            raise InputError(f"{path}: not a file of baselines: {error}") from None

    def bot(self, name: str) -> str:
        """Return the pinned path or bot of a name; the name itself, if it is not pinned."""
        pinned = self._stored.baselines.get(name)
        return pinned.bot if pinned else name

    def check(self, name: str, entrant: Entrant) -> None:
        """Raise InputError if a baseline has changed since it was pinned."""
        pinned = self._stored.baselines.get(name)
        if pinned and pinned.digest != entrant.digest:
            changed = f"{pinned.digest[:12]} when it was pinned, {entrant.digest[:12]} now"
            raise InputError(
                f"{self._path}: baseline {name!r} has changed: {changed}; pin it anew under another name, or restore it"
            )

    @property
    def history(self) -> Sequence[PastVerdict]:
        """Return every new verdict, undecided ones too, in the order in which they were found."""
        return self._stored.history

    def ask(self, key: str) -> AskedQuestion | None:
        """Return a question with its level, as stored; one that is not stored is added. None: without a file."""
        if self._path is None:
            return None
        questions = self._stored.questions
        number, alarms = len(questions) + 1, sum(question.weaker for question in questions.values())
        return questions.setdefault(_digest(key), AskedQuestion(number, (alarms + 1) / (number * (number + 1))))

    def note_answer(self, key: str, *, weaker: bool) -> None:
        """Store whether the verdict on a question is "weaker"."""
        if asked := self._stored.questions.get(_digest(key)):
            self._stored.questions[_digest(key)] = replace(asked, weaker=weaker)

    def steps(self, baseline: str) -> int:
        """Return how many verdicts "not weaker" lead from the earliest version to the baseline with this digest."""
        passed = {
            past.digest: past.baseline_digest
            for past in self._stored.history
            if past.is_passed and past.question == "head to head" and past.baseline_digest not in ("", past.digest)
        }
        steps = 0
        while baseline in passed:  # each is taken once, so a cycle ends
            baseline, steps = passed.pop(baseline), steps + 1
        return steps

    def find(self, key: str) -> Finished | None:
        """Return the stored verdict on a part of a question, or None."""
        return self._stored.verdicts.get(_digest(key))

    def add(self, key: str, finished: Finished, past: PastVerdict) -> None:
        """Store the verdict on a part of a question, and add it to the history."""
        self._stored.history.append(past)
        folder = finished.folder and path_text(finished.folder)  # for people: nothing is read there
        self._stored.verdicts[_digest(key)] = replace(finished, folder=folder)

    def write(self, name: str, baseline: ResolvedBot) -> None:
        """Pin the baseline if its name is new, and write the file, if there is one. Raises: InputError."""
        if self._path is None:
            return
        self._stored.baselines.setdefault(name, Pinned(baseline.asked, baseline.entrant.digest))
        with naming_errors(self._path, "cannot be written", InputError):
            disk.write(disk.real(self._path), json.format(json.encode(self._stored, order="sorted"), indent=2) + b"\n")


def _digest(key: str) -> str:
    return sha256(f"{distribution.version()}\n{key}".encode()).hexdigest()


# The number of a test in a bisection: a search asks several times, so each test gets a share of the error probabilities.
#
# The first test is that of the last commit, made before ``git bisect start``: if the bot is not weaker there, there is nothing to
# find. A skipped commit counts: its test had no verdict, but it could have had a wrong one.


def bisection_test() -> int:
    """Return the number of the current test; 1 if no bisection is under way: then the last commit is tested."""
    try:
        command = ["git", "rev-parse", "--git-path", "BISECT_LOG"]
        log = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - a constant
        lines = Path(log).read_text(encoding="utf-8", errors="replace").splitlines()  # subjects have any encoding
    except (OSError, subprocess.CalledProcessError):
        return 1
    marks = [line for line in lines if line.startswith("git bisect ") and not line.startswith("git bisect start")]
    return 2 + len(marks)  # ``good``, ``bad``, ``skip`` or the user's own terms; all other lines are comments


def error_share(test: int) -> float:
    """Return the share of alpha and beta that a test gets; those of all tests add up to 1. ``test``: its number, from 1."""
    return 1 / (test * (test + 1))


WEAKER, UNDECIDED = 4, 5  # exit codes
FIELD_WITHIN = 1.0  # points a hand; a difference has twice the range of a score, so a margin of 0.5 would take twice as many deals


class Part(Struct, frozen=True, kw_only=True):
    """The answer of one of the two parts of the question."""

    question: str  # "head to head", or "against the field"
    outcome: ComparisonOutcome
    answer: str  # what was decided, as ``not weaker by 0.5 or more``, in the outcome's unit
    results: str | None  # the folder of its records; None: nothing was played, because both are the same program
    seed: str
    known: bool = False  # from the file of baselines: nothing was played


class ChangedDecisions(Struct, frozen=True, kw_only=True):
    """How many of the baseline's decisions the candidate makes differently, in hands of the baseline against itself."""

    asked: int  # decisions
    differ: int  # decisions
    kinds: dict[DecisionKind, int]

    @staticmethod
    def of(found: Difference) -> "ChangedDecisions":
        """Return the numbers of decisions in a difference."""
        return ChangedDecisions(asked=found.decisions, differ=found.differ, kinds=found.kinds)


class Regression(Struct, frozen=True, kw_only=True):
    """The outcome of a regression test."""

    candidate: str
    baseline: str
    asked: str  # "not weaker" or "stronger"
    verdict: str  # "not weaker" or "stronger", "weaker" or "not stronger", or "undecided"
    exit_code: int
    parts: tuple[Part, ...]
    levels: tuple[float, float]  # alpha of "not weaker" in each part, beta of "weaker" in both together
    notes: tuple[str, ...] = ()  # on the levels and the baseline
    decisions: ChangedDecisions | UnsetType = UNSET  # UNSET, which JSON leaves out: neither played nor explained
    explanation: Explanation | UnsetType = UNSET  # of the decisions that differ; UNSET, which JSON leaves out: not asked for


class PlannedPart(Struct, frozen=True, kw_only=True):
    """One part of the question, before it is played."""

    name: str  # "head to head", or "against the field"
    folder: Path | None  # of its records; None: one in ``results/``
    field: tuple[ResolvedBot, ...]
    terms: Terms
    seed: str | None

    @property
    def key(self) -> str:
        """Return the key of the part: its bots and what is asked, without the levels."""
        return "\n".join([*(bot.entrant.digest for bot in self.field), question(plan_text(self.plan(self.terms)))])

    def plan(self, terms: Terms) -> Plan:
        """Return the plan on some terms, without a seed. Raises: InputError, for invalid terms."""
        make = duel.gauntlet if len(self.field) > 2 else duel.duel
        return make(self.field, terms)

    def start(self, terms: Terms) -> RunStart:
        """Return the run to play: a new one, or one that continues the records. Raises: InputError, StoreError."""
        return duel.start_or_continue(self.plan, terms, self.seed, self.folder)

    def will_continue(self, before: Finished) -> bool:
        """Tell whether this part would continue the records of the answer ``before``."""
        first = duel.find_stored(self.plan, self.terms, self.folder)
        return first is not None and duel.has_part(first, before.seed)


def plan_parts(
    field: Sequence[ResolvedBot], terms: Terms, seed: str | None, field_within: float, results: Path | None = None
) -> list[PlannedPart]:
    """Return the parts: candidate against baseline by ``terms``, and "not weaker" against the opponents of a longer field.

    ``field``: candidate, baseline, opponents; ``field_within``: points a hand.
    """
    head, gauntlet = (disk.inside(results, name) if results else None for name in ("head-to-head", "gauntlet"))
    found = [PlannedPart(name="head to head", folder=head, field=tuple(field[:2]), terms=terms, seed=seed)]
    if len(field) > 2:
        not_weaker = replace(terms, bounds=(-field_within, 0.0))
        found.append(PlannedPart(name="against the field", folder=gauntlet, field=tuple(field), terms=not_weaker, seed=seed))
    return found


def at_levels(
    asked: Sequence[PlannedPart], against: str, pinned: Baselines, test: int | None
) -> tuple[list[PlannedPart], list[str]]:
    """Return the parts with the levels of this question, and notes for the user on the levels and the baseline.

    ``against`` is the baseline as the user named it; ``test`` is the number of this test in a bisection, or None.
    """
    terms, notes = asked[0].terms, list[str]()
    alpha, beta = terms.alpha, terms.beta
    if test:
        alpha, beta = alpha * error_share(test), beta * error_share(test)
        notes.append(
            f"test {test} of a bisection: not weaker at {alpha:.2g}, weaker at {beta:.2g}, so that all tests share the error"
        )
    trivial = same_program(*(bot.entrant for bot in asked[0].field))
    if not trivial and (question := pinned.ask(_question_key(asked))):
        beta *= question.level
        notes.append(f"question {question.number} of the file of baselines: weaker at {beta:.2g}, by e-LOND")
    if steps := pinned.steps(asked[0].field[1].entrant.digest):
        low, _ = asked[0].terms.bounds  # -within, or 0 for "stronger"
        notes.append(_chain_warning(against, steps, within=-low))
    return [replace(part, terms=replace(part.terms, alpha=alpha, beta=beta)) for part in asked], notes


def _question_key(asked: Sequence[PlannedPart]) -> str:
    return "\n\n".join(part.key for part in asked)


def _chain_warning(against: str, steps: int, within: float) -> str:
    """Return the warning that a baseline was a candidate before."""
    several = f"{steps} tests" if steps > 1 else "a test"
    hidden = f": {steps + 1} steps may hide {(steps + 1) * within:g} points a hand" if within > 0 else ""
    return f"{against} is itself the result of {several} against earlier versions{hidden}; compare with a pinned release"


def answers(
    asked: Sequence[PlannedPart], against: str, pinned: Baselines, play: Callable[[PlannedPart, Terms], Finished]
) -> Iterator[Part]:
    """Yield the answer of each part, up to the first that is not "better": a weaker or undecided bot need not meet the field.

    ``against`` is the baseline as the user named it; ``asked`` has the levels of the whole question. ``play`` plays a part on terms
    with the levels that this part needs.
    """
    worse: list[float] = []  # evidence for "weaker" of the parts before
    for place, part in enumerate(asked):
        terms = part.terms
        needed = replace(terms, beta=_level_of_weaker(terms.beta, worse, len(asked) - place - 1))
        before = pinned.find(part.key)
        known = before is not None and (terms.until == "limit" or _verdict_at(needed, before.outcome) is not Verdict.UNDECIDED)
        answer = before if before and known else _continue(part, needed, before, play)
        outcome = answer.outcome
        shown = replace(outcome, verdict=_verdict_at(needed, outcome), proof=(1 / needed.alpha, 1 / needed.beta))
        if not known:
            pinned.add(part.key, answer, _past_verdict(part, against, shown))
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
    """Return the level of one part at which its evidence lifts the average evidence of all parts to 1/beta; at most beta.

    The evidence of a part that has not begun is 1. ``worse`` is the evidence of the parts before. It can be far above 1/beta after
    "better", if a test of fixed length proved both.
    """
    parts = len(worse) + 1 + not_begun
    return 1 / max(parts / beta - sum(worse) - not_begun, 1 / beta)


def _continue(part: PlannedPart, terms: Terms, before: Finished | None, play: Callable[[PlannedPart, Terms], Finished]) -> Finished:
    """Return the answer of a part by all evidence: that on file, in ``before``, and that of the hands played now.

    Records at hand are continued. Evidence without its records is carried over, so a new test needs only what is missing.
    """
    better, worse = carried = _carried_evidence(part, before)
    alpha, beta = min(terms.alpha * better, 0.999), min(terms.beta * worse, 0.999)  # a level has to be below 1
    found = play(part, replace(terms, alpha=alpha, beta=beta))
    outcome = replace(found.outcome, better=found.outcome.better * better, worse=found.outcome.worse * worse)
    return replace(found, outcome=outcome, carried=carried)


def _carried_evidence(part: PlannedPart, before: Finished | None) -> tuple[float, float]:
    """Return the evidence for both sides that the continued records do not contain."""
    if before is None:
        return 1.0, 1.0
    return before.carried if part.will_continue(before) else (before.outcome.better, before.outcome.worse)


def _verdict_at(terms: Terms, outcome: ComparisonOutcome) -> Verdict:
    """Return the verdict that the evidence of an outcome gives at the levels of ``terms``."""
    if outcome.same_program:
        return outcome.verdict
    better, worse = outcome.better * terms.alpha, outcome.worse * terms.beta
    if max(better, worse) < 1 - 1e-9:  # rounding errors do not withdraw a verdict
        return Verdict.UNDECIDED
    return Verdict.BETTER if better >= worse else Verdict.NOT_AS_GOOD


def conclude(
    asked: Sequence[PlannedPart], answered: tuple[Part, ...], notes: Sequence[str], pinned: Baselines, *, stronger: bool
) -> Regression:
    """Return the outcome, and store it with the question. The last part decides, because the first that is not "better" is last."""
    passed, failed = ("stronger", "not stronger") if stronger else ("not weaker", "weaker")
    last, terms = answered[-1], asked[0].terms
    if last.question != "head to head":  # the field is only asked for "not weaker"
        failed = "weaker"
    verdict, code = {
        Verdict.BETTER: (passed, 0),
        Verdict.NOT_AS_GOOD: (failed, WEAKER),
    }.get(last.outcome.verdict, ("undecided", UNDECIDED))
    pinned.note_answer(_question_key(asked), weaker=code == WEAKER)
    candidate, baseline = (bot.name for bot in asked[0].field[:2])
    return Regression(
        candidate=candidate,
        baseline=baseline,
        asked=passed,
        verdict=verdict,
        exit_code=code,
        parts=answered,
        levels=(terms.alpha, terms.beta),
        notes=tuple(notes),
    )


def lines(found: Regression, reports: Mapping[str, Sequence[str]], width: int) -> Iterator[str]:
    """Yield the outcome as text; ``reports`` has the lines of each part that was played, by its question.

    ``width``: columns of the terminal, to which commands are folded.
    """
    yield f"{found.candidate} against {found.baseline}: {found.verdict}"
    yield from found.notes
    if found.decisions:
        yield summary(found.decisions.asked, found.decisions.kinds)
    for part in found.parts:
        yield ""
        yield f"{part.question}:"
        yield from reports.get(part.question) or _not_played(part)
    if found.explanation:
        yield ""
        yield "decisions that differ:"
        yield from explain.lines(found.explanation, found.baseline, found.candidate, width)


def _past_verdict(part: PlannedPart, against: str, outcome: ComparisonOutcome) -> PastVerdict:
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
    """Yield the lines of a part that was not played: it is the same program, or its answer was on file."""
    outcome = part.outcome
    if outcome.same_program:
        yield "the same program; nothing was played"
        return
    difference = "" if outcome.difference is None else f"{interval(outcome.difference)} "
    yield f"{difference}{outcome.unit}: {part.answer}; known from the file of baselines, nothing was played"
    if rare := rarest_mood(outcome):
        yield f"{rare}."


# The outcome of a regression test as JUnit XML, which every build server reads.


def write_junit(path: Path, found: Regression) -> None:
    """Write a test suite with a case for each part. Raises: InputError.

    Weaker is a failure, undecided an error: build servers show the two separately, and they need different reactions.
    """
    _write_suite(path, _suite(found))


def write_problem(path: Path, problem: str) -> None:
    """Write a test suite of one case that is an error: there is no outcome. Raises: InputError."""
    top = Element("testsuite", {"name": "arena regress", "tests": "1", "failures": "0", "errors": "1"})
    case = SubElement(top, "testcase", {"classname": "arena regress", "name": "regress"})
    SubElement(case, "error", {"message": problem.splitlines()[-1], "type": "not tested"}).text = problem
    _write_suite(path, top)


def _write_suite(path: Path, top: Element) -> None:
    indent(top)
    _make_printable(top)
    with naming_errors(path, "cannot be written", InputError):
        path.write_bytes(tostring(top, encoding="utf-8", xml_declaration=True) + b"\n")


def _suite(found: Regression) -> Element:
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
    return top


def _make_printable(top: Element) -> None:
    """Escape what XML cannot contain, even as references: control characters and surrogates. Source: XML 1.0, section 2.2."""
    for element in top.iter():
        element.attrib = {name: in_one_line(value) for name, value in element.attrib.items()}
        element.text = element.text and printable(element.text)


def _add_case(top: Element, name: str, part: Part) -> None:
    case = SubElement(top, "testcase", {"classname": name, "name": part.question})
    kind = {Verdict.NOT_AS_GOOD: "failure", Verdict.UNDECIDED: "error"}.get(part.outcome.verdict)
    if kind:
        SubElement(case, kind, {"message": progress_line(part.outcome).strip(), "type": part.answer})
    records = f"records in {part.results}" if part.results else "the same program; nothing was played"
    SubElement(case, "system-out").text = f"{part.answer}\n{progress_line(part.outcome).strip()}\n{records}"
