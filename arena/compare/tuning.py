"""Plays what the search for a bot's best parameters asks for, keeps it, and has a duel judge what was found: ``arena tune``.

Each round is a line of a file. What is asked next depends only on the rounds before, so a search that was stopped continues from
its file. Where the sandbox is ``none``, bots on the SDK play the search in the workers' own processes. The verdict is that of
``arena duel``, on deals of a seed of its own: the search has chosen its winner by its deals, and so they prove nothing.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import DecodeError, Meta, Struct, ValidationError, convert, field, json
from msgspec.structs import asdict, astuple, replace

from arena import parameters as naming
from arena import system, yaml
from arena.compare import duel as comparing
from arena.compare.duel import ComparisonObserver, DuelAnswer, PlayConditions, Terms
from arena.compare.tune import ROUNDS, Array, Gain, Reason, Round, Tuner, summarize
from arena.errors import InputError, RosterError, RunStoppedError, SpecError, StoreError
from arena.gin.actions import Action
from arena.gin.deal import Seat
from arena.gin.view import View
from arena.parameters import Parameter
from arena.players.base import InlinePlayer, PlayerFaultError
from arena.records import Fixture, Result, result
from arena.referee import job
from arena.referee.job import Job, bot_seed
from arena.reports.answer import OPEN, SETTLED, AnswerCard, Strip
from arena.reports.html_page import GainChart, GainPoint, tune_page
from arena.reports.numbers import count as counted
from arena.reports.verdict import is_decided
from arena.roster import finder
from arena.runs import plans, session
from arena.runs.plans import ResolvedBot
from arena.runs.play import Runner
from arena.stats import duels
from arena.store.folder import Folder
from arena.text import document_text, explain
from arena.tournament import director, seeds
from arena.tournament.plan import Plan
from arena.tournament.spec import text_of

LEG = 32  # deals that a process plays
LEAST_DEALS = 8  # of a candidate in a round
ROUNDS_FILE, REPORT, PAGE = "rounds.jsonl", "tune.json", "tune.html"
LARGEST = 1 << 26  # bytes of the file
METHOD = 1  # of the search: another one could not continue its rounds


class NarrowedParameter(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A narrower range of a parameter that the bot declares."""

    low: int | float | None = None
    high: int | float | None = None
    step: int | float | None = None


class TuneSpec(PlayConditions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of ``params.yaml``."""

    parameters: dict[str, NarrowedParameter | None] = field(default_factory=dict)  # empty: all that the bot declares
    opponents: tuple[str, ...] = ()  # empty: the bot as it is at the start
    hands: Annotated[int, Meta(ge=1000, le=10_000_000)] = 20_000  # of the search
    verdict: Annotated[int, Meta(ge=2, le=10_000_000)] = 20_000  # most hands of the duel at the end
    seed: Annotated[str, Meta(min_length=1, max_length=seeds.LONGEST_SEED)] | None = None
    workers: Annotated[int, Meta(ge=1, le=1024)] | None = None


def read_spec(path: Path | None) -> TuneSpec:
    """Return the spec in a file; None: the defaults. Raises: SpecError, which names the file and the key."""
    if path is None:
        return TuneSpec()
    try:
        return convert(yaml.read(text_of(path)).values, TuneSpec)
    except yaml.DocumentError as error:
        raise SpecError(str(error), path=str(path), line=error.line) from None
    except ValidationError as error:
        raise SpecError(explain(error), path=str(path)) from None


class LearnedParameter(Struct, frozen=True, kw_only=True):
    """A parameter, and what the search has learned of it."""

    name: str
    start: float
    best: float
    gain: Gain  # of the best value over that of the start, with all others at their best
    curve: list[tuple[float, Gain]]  # the gain over the start along its range, with all others at their best


class Tuning(Struct, frozen=True, kw_only=True):
    """The outcome of a search."""

    bot: str
    best: str  # the bot with its best values, as commands take it
    parameters: list[LearnedParameter]
    gain: Gain  # expected, over the start, against the opponents of the search
    ended: Reason
    hands: int  # of the search
    rounds: list[Round]
    seed: str
    results: str
    verdict: DuelAnswer | None  # of the best against the start, on other deals; None: no other values were found


class TunedBot(Struct, frozen=True, kw_only=True):
    """Everything that a search is told."""

    start: ResolvedBot
    parameters: dict[str, Parameter[float]]
    plan: Plan  # start and opponents, with the run seed
    question: str  # all that decides what is played, as JSON
    inside: bool  # whether the bots, without a sandbox, play in the workers' own processes
    spec: TuneSpec
    folder: Path

    def name_with(self, values: dict[str, float]) -> str:
        """Return the bot with some values, as commands take it."""
        plain, given = naming.split(self.start.asked)
        return naming.join(plain, {**given, **values})

    def resolve(self, values: dict[str, float]) -> ResolvedBot:
        """Return the bot with some values. Raises: RosterError."""
        asked = self.name_with(values)
        return ResolvedBot(asked, finder.find(asked, f"{self.start.name[:43]}-tuned"))


def set_up(bot: str, spec: TuneSpec, home: Path, results: Path | None, folder_name: str | None = None) -> TunedBot:
    """Return what a search needs; the opponents' paths are relative to ``home``, ``folder_name`` is that of a new folder.

    Raises: RosterError; InputError, for a spec that does not suit the bot; SandboxError, StoreError.
    """
    (start,) = plans.resolve((bot,), ("",))
    parameters = _tuned_parameters(start, spec)
    others = [plans.resolve((one,), ("",), home)[0] for one in spec.opponents] or [start]
    taken = [
        replace(one, entrant=replace(one.entrant, name=f"opponent-{number}-{one.name[:35]}"))
        for number, one in enumerate(others, 1)
    ]
    launches = [one.entrant.launch for one in (start, *taken)]
    inside = spec.sandbox == "none" and all(one.command[: len(finder.SDK)] == finder.SDK for one in launches)
    plan = spec.plan(f"Tune of {start.name}", {"name": "batches"}, [start, *taken], None)
    question = _question(plan, parameters, spec, inside=inside)
    key = sha256(question.encode()).hexdigest()[:8]
    folder = results or Path("results", f"{folder_name or f'tune-of-{start.name.lower()}'}-{key}")
    if not (folder / ROUNDS_FILE).exists():
        session.named_folder(folder)
    begun = _read_first(folder, question)
    drawn = seeds.random_seed() if spec.seed is None else seeds.run_seed(spec.seed)
    return TunedBot(
        start=start,
        parameters=parameters,
        plan=replace(plan, seed=begun.seed if begun else drawn),
        question=question,
        inside=inside,
        spec=spec,
        folder=folder,
    )


def _question(plan: Plan, parameters: dict[str, Parameter[float]], spec: TuneSpec, *, inside: bool) -> str:
    """Return all that decides what is played, as JSON."""
    decides = {
        "method": METHOD,
        "bots": [one.digest for one in plan.field],
        "parameters": {name: astuple(one) for name, one in parameters.items()},
        "rules": plan.spec.rules,
        "time": plan.spec.time,
        "sandbox": plan.spec.sandbox,
        "inside": inside,
        "hands": spec.hands,
        "seed": spec.seed,
    }
    return json.encode(decides).decode()


def _tuned_parameters(bot: ResolvedBot, spec: TuneSpec) -> dict[str, Parameter[float]]:
    """Return the parameters that are tuned. Raises: InputError, for one that the bot does not declare, or a wrong range."""
    known, given = finder.parameters_of(bot.entrant), naming.split(bot.asked)[1]
    if not known:
        raise InputError(
            f"{bot.asked}: declares no parameters; `arena docs sdk` shows how, as weight = Parameter(2.0, low=0.0, high=6.0)"
        )
    found: dict[str, Parameter[float]] = {}
    for name in spec.parameters or known:
        one, narrowed = plans.choose(known, name, "parameters"), spec.parameters.get(name) or NarrowedParameter()
        changes = {key: value for key, value in asdict(narrowed).items() if value is not None}
        try:
            found[name] = Parameter(**{**asdict(one), "start": given.get(name, one.start), **changes})
        except ValueError as error:
            raise InputError(f"parameters.{name}: {error}") from None
        if found[name].low < one.low or found[name].high > one.high or found[name].is_whole != one.is_whole:
            kind = "whole numbers" if one.is_whole else "numbers"
            raise InputError(f"parameters.{name}: expected a range of {kind} within {one.low} to {one.high}, as the bot declares")
    return found


# The file of a search: the question in its first line, then a line for each round.


class _Begun(Struct, frozen=True):
    question: str
    seed: str  # the run seed


def _read_lines(folder: Path) -> list[bytes]:
    """Return the lines on file; empty, if the search has not begun."""
    file = folder / ROUNDS_FILE
    return system.read(file, LARGEST).splitlines() if file.exists() else []


def _read_first(folder: Path, question: str) -> _Begun | None:
    """Return the first line of the search in a folder; None: there is none. Raises: StoreError, if it holds another one."""
    for line in _read_lines(folder)[:1]:
        with suppress(DecodeError):
            begun = json.decode(line, type=_Begun)
            if begun.question == question:
                return begun
        raise StoreError(f"{folder}: holds another search: of another bot, spec or seed; expected a folder of its own")
    return None


def _kept_rounds(folder: Path) -> list[Round]:
    """Return the rounds on file. Raises: StoreError."""
    try:
        return [json.decode(line, type=Round) for line in _read_lines(folder)[1:]]
    except DecodeError as error:
        raise StoreError(f"{folder / ROUNDS_FILE}: was damaged: {error}") from None


def _keep(tuned: TunedBot, rounds: Sequence[Round]) -> None:
    """Write the file anew with all rounds. Raises: StoreError."""
    begun = _Begun(tuned.question, tuned.plan.seed or "")
    Folder(tuned.folder).write(ROUNDS_FILE, "".join(json.encode(one).decode() + "\n" for one in (begun, *rounds)))


# Playing.


class TuneLeg(Struct, frozen=True):
    """Some deals of one candidate, or of the start, in one seat."""

    job: Job
    seat: Seat  # of the candidate
    inside: bool


class TunedLeg(Struct, frozen=True):
    """A leg that was played."""

    result: Result  # with the luck of its draws
    faults: int  # of the candidate


def play_leg(leg: TuneLeg) -> TunedLeg:
    """Play a leg, and return its result. Raises: RosterError, for a class that cannot be made."""
    from arena.stats.luck import add_luck  # noqa: PLC0415 - imports numpy, which takes time to load

    with redirect_stdout(sys.stderr):  # a bot in this process may print
        players = (_inline(leg.job, 0), _inline(leg.job, 1)) if leg.inside else (None, None)
        record = job.play(leg.job, players)
    faults = sum(one.seat == leg.seat for one in record.faults)
    return TunedLeg(result(add_luck(record, leg.job.rules, leg.job.seed)), faults)


@cache
def _class(target: str) -> Any:  # noqa: ANN401 - a class of the user's
    from arena.sdk.loop import bot_class  # noqa: PLC0415 - for bots in this process alone

    return bot_class(target)


def _inline(one: Job, seat: Seat) -> InlinePlayer:
    from arena.sdk.checks import build  # noqa: PLC0415 - likewise

    target = one.launches[seat].command[-1]
    try:
        bot = build(_class(target), bot_seed(one.seed, one.fixture.deals, seat))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's own source may raise anything
        raise RosterError(f"{target}: does not start: {type(error).__name__}: {error}") from None

    def answer(view: View) -> Action:
        try:
            return bot.answer(view)
        except (Exception, SystemExit) as error:  # a fault of the bot
            raise PlayerFaultError("crash", f"{type(error).__name__}: {error}") from error

    return InlinePlayer(answer, bot.hand_over)


def search(
    tuned: TunedBot, runner: Runner, tell: Callable[[str], None], is_late: Callable[[], bool] = lambda: False
) -> tuple[Tuner, Reason]:
    """Play rounds until the search is over, or ``is_late`` after one; ``tell`` receives a line after each.

    Raises: RunStoppedError, if the user stops it; RosterError, WorkerLostError, StoreError.
    """
    rounds = _kept_rounds(tuned.folder)
    begun = len(rounds)
    with (
        _stopped_safely(tuned.folder, rounds),
        Folder(tuned.folder).lock(),
        runner.open_pool() as pool,
    ):
        while True:
            tuner = Tuner(tuned.parameters, tuned.plan.seed or "", rounds)
            if rounds:
                tell(round_line(tuner, tuned.spec.hands))
            reason = tuner.over(tuned.spec.hands) or ("time" if len(rounds) > begun and is_late() else None)
            asked = () if reason else tuner.ask()
            if not asked:
                return tuner, reason or "flat"
            legs = list(_legs(tuned, len(rounds), asked))
            played = list(director.in_order(pool, play_leg, legs))
            results = [one.result for one in played]
            found = summarize(asked, _differences(tuned, len(asked), results), sum(one.hands for one in results))
            rounds.append(replace(found, faults=_faults(tuned, len(asked), played)))
            _keep(tuned, rounds)


@contextmanager
def _stopped_safely(folder: Path, rounds: Sequence[Round]) -> Iterator[None]:
    """Say what is stored, if the user stops the search. Raises: RunStoppedError."""
    try:
        yield
    except BaseException as error:
        if not (system.stop_requested() or isinstance(error, KeyboardInterrupt)):
            raise
        raise RunStoppedError(
            f"stopped; stored in {folder}: {counted(len(rounds), 'round')}; the same command resumes the search"
        ) from None


def _legs(tuned: TunedBot, number: int, asked: Sequence[dict[str, float]]) -> Iterator[TuneLeg]:
    """Yield the legs of a round: each candidate, and against opponents the start, from both seats against each, on common deals."""
    start, *opponents = tuned.plan.names
    bots = [tuned.resolve(one).entrant.launch for one in asked]
    if tuned.spec.opponents:  # without opponents it would play itself, which gains 0
        bots.append(tuned.start.entrant.launch)
    deals = max(LEAST_DEALS, tuned.spec.hands // ROUNDS // (2 * len(bots) * len(opponents)))
    for place, launch in enumerate(bots):
        for opponent in opponents:
            for part, first in enumerate(range(0, deals, LEG)):
                key = f"tune/{number}/{opponent}/{part}"
                for seat, seats in ((0, (start, opponent)), (1, (opponent, start))):
                    one = tuned.plan.job(Fixture(f"{key}/{place}/{seat}", seats, key, min(LEG, deals - first)))
                    launches = (launch, one.launches[1]) if seat == 0 else (one.launches[0], launch)
                    yield TuneLeg(replace(one, launches=launches), seat, tuned.inside)


def _faults(tuned: TunedBot, candidates: int, played: Sequence[TunedLeg]) -> tuple[int, ...]:
    """Return the number of faults of each candidate."""
    rows = len(played) // (candidates + bool(tuned.spec.opponents))
    return tuple(sum(leg.faults for leg in played[first * rows : (first + 1) * rows]) for first in range(candidates))


def _differences(tuned: TunedBot, candidates: int, played: Sequence[Result]) -> Array:
    """Return the differences to the start in points a hand, with the luck as a control variate: candidates x deals."""
    blocks = [duels.block(one, other) for one, other in zip(played[::2], played[1::2], strict=True)]
    rows = len(blocks) // (candidates + bool(tuned.spec.opponents))
    scores = [[deal for block in blocks[first : first + rows] for deal in block.deals] for first in range(0, len(blocks), rows)]
    points, luck = (np.array([[getattr(deal, name) for deal in row] for row in scores]) for name in ("y", "luck"))
    spread = float(np.var(luck))
    share = float(np.mean((points - points.mean()) * (luck - luck.mean()))) / spread if spread else 0.0
    left = points - share * luck
    found: Array = left[:-1] - left[-1] if tuned.spec.opponents else left
    return found


# The outcome.


def judge(tuned: TunedBot, tuner: Tuner, reason: Reason, runner: Runner, observer: ComparisonObserver, log_level: str) -> Tuning:
    """Return the outcome of a search, with the verdict of a duel on fresh deals. Raises: as ``arena.runs.play.play``."""
    verdict = None
    if tuner.best != tuner.start:
        best = tuned.resolve(tuner.best)
        terms = Terms(hands=tuned.spec.verdict, rules=tuned.spec.rules, time=tuned.spec.time, sandbox=tuned.spec.sandbox)
        fresh = sha256(f"arena-tune-verdict-1|{tuned.plan.seed}".encode()).hexdigest()
        start = session.find_start(comparing.duel((best, tuned.start), terms, fresh), tuned.folder / "verdict")
        verdict = comparing.answer(start.plan, comparing.play_comparison(start, runner, observer, log_level))
    found = Tuning(
        bot=tuned.start.asked,
        best=tuned.name_with(tuner.best) if verdict else tuned.start.asked,
        parameters=[
            LearnedParameter(
                name=name,
                start=one.start,
                best=tuner.best[name],
                gain=tuner.gain(tuner.best, {**tuner.best, name: one.start}),
                curve=tuner.curve(name),
            )
            for name, one in tuned.parameters.items()
        ],
        gain=tuner.gain(tuner.best),
        ended=reason,
        hands=sum(one.hands for one in tuner.rounds),
        rounds=list(tuner.rounds),
        seed=tuned.plan.seed or "",
        results=str(tuned.folder),
        verdict=verdict,
    )
    Folder(tuned.folder).write(REPORT, document_text("tune", found) + "\n")
    Folder(tuned.folder).write(PAGE, _page(found))
    return found


def _page(found: Tuning) -> str:
    """Return the page of an outcome."""
    charts = [
        GainChart(
            name=one.name,
            start=one.start,
            best=one.best,
            points=[GainPoint(at, gain.value, gain.low, gain.high) for at, gain in one.curve],
        )
        for one in found.parameters
    ]
    played = f"{counted(found.hands, 'hand')} in {counted(len(found.rounds), 'round')}"
    return tune_page(f"Tune of {found.bot}", _answer(found), played, list(lines(found)), charts)


def _answer(found: Tuning) -> AnswerCard:
    """Return the best values, the verdict on them, and the gain of each."""
    card = AnswerCard(
        finished=True,
        who=f"Best: {', '.join(f'{one.name}{NBSP}={NBSP}{one.best:g}' for one in found.parameters)}",
        unit="gain of each value in points a hand",
        strips=tuple(Strip(one.name, one.gain.value, one.gain.low, one.gain.high, gain_text(one.gain)) for one in found.parameters),
    )
    if found.verdict is None:
        return replace(card, how="the values at the start; no others are expected to be better")
    settled = is_decided(found.verdict)
    why = f"on fresh deals the best values are {found.verdict.answer} than the start, {counted(found.verdict.hands, 'hand')}"
    unsettled = f"a duel on fresh deals has not decided whether they are better, {counted(found.verdict.hands, 'hand')}"
    return replace(card, how=ENDED[found.ended], sure=SETTLED if settled else OPEN, why=why if settled else unsettled)


ENDED: dict[Reason, str] = {
    "budget": "the budget of hands is spent",
    "time": "the time is over",
    "narrow": "little is left to gain",
    "flat": "no values are expected to gain anything worth more hands",
}
FLAT = 0.01  # points a hand: a curve that rises less is drawn as a line
LEVELS = "▁▂▃▄▅▆▇█"
NBSP = "\N{NO-BREAK SPACE}"


def round_line(tuner: Tuner, budget: int) -> str:
    """Return the state of a search in one line."""
    hands = sum(one.hands for one in tuner.rounds)
    best = f"best {values_text(tuner.best)}: {gain_text(tuner.gain(tuner.best))}"
    return f"round {len(tuner.rounds)}: {hands:,} of {budget:,} hands; {best}"


def lines(found: Tuning) -> Iterator[str]:
    """Yield what was learned as lines, without the verdict."""
    if found.verdict is None:
        yield f"No other values are expected to be better than {values_text({one.name: one.start for one in found.parameters})}."
    else:
        yield f"Best values: {values_text({one.name: one.best for one in found.parameters})}."
        yield f"Expected gain: {gain_text(found.gain)} points a hand, on the deals of the search; the verdict has fresh ones."
    for one in found.parameters:
        steps = [gain.value for _, gain in one.curve]
        low, high = min(steps), max(steps)
        drawn = "".join(LEVELS[round(7 * (step - low) / (high - low))] if high - low >= FLAT else LEVELS[0] for step in steps)
        curve = f"{one.curve[0][0]:g} {drawn} {one.curve[-1][0]:g}, {low:+.2f} to {high:+.2f} points a hand"
        yield f"{one.name}: {one.best:g} in place of {one.start:g} gains {gain_text(one.gain)}; over its range {curve}"
    yield f"The search took {found.hands:,} hands in {counted(len(found.rounds), 'round')}: {ENDED[found.ended]}."
    faults = [(count, values) for one in found.rounds for count, values in zip(one.faults, one.candidates, strict=False) if count]
    if faults:
        most, values = max(faults, key=lambda one: one[0])
        total = counted(sum(count for count, _ in faults), "fault")
        yield f"{total} of candidates, most of {values_text(values)}: {most}; `arena bots check` looks for the cause."


def values_text(values: dict[str, float]) -> str:
    """Return values as text."""
    return ", ".join(f"{name} {value:g}" for name, value in values.items())


def gain_text(gain: Gain) -> str:
    """Return a gain with its interval."""
    return f"{gain.value:+.2f} [{gain.low:+.2f}, {gain.high:+.2f}]"
