"""Plays the rounds of a search for a bot's best parameters, stores them, and plays a duel of the best values: ``arena tune``.

Each round is a line of a file. The next candidates depend only on the rounds before, so a search that was stopped continues from
its file. Without a sandbox, and if all bots are on the SDK, the search is played in the workers' own processes. The verdict is that
of ``arena duel``, on deals of another seed: the search chose its best values by its own deals, so these prove nothing.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct, field, json
from msgspec.structs import asdict, astuple, replace

from arena import disk, signals
from arena import parameters as naming
from arena.compare import dueling
from arena.compare.dueling import DuelAnswer, PlayConditions, Terms
from arena.errors import MALFORMED, BotUnavailableError, InputError, RosterError, RunStoppedError, StoreError
from arena.extras.tuner.charts import GainChart
from arena.extras.tuner.tune import ENOUGH, ROUNDS, Array, Reason, Round, Tuner, summarize
from arena.gin.actions import Action
from arena.gin.facts import Seat
from arena.gin.view import View
from arena.parameters import Parameter
from arena.players.base import InlinePlayer, PlayerFaultError
from arena.records import Fixture, Result, result
from arena.referee import job
from arena.referee.job import Job, bot_seed
from arena.reports.answer_card import OPEN, AnswerCard
from arena.reports.html_page import render
from arena.reports.numbers import count as counted
from arena.reports.verdict import is_decided
from arena.roster import finder
from arena.runs import chosen, starts
from arena.runs.chosen import ResolvedBot
from arena.runs.play import Observer
from arena.runs.runner import Runner
from arena.sdk.checks import build
from arena.sdk.loading import bot_class
from arena.sdk.mistakes import CannotPlayError
from arena.stats import duels
from arena.stats.duels import Verdict
from arena.stats.luck import add_luck
from arena.stats.statements import SETTLED
from arena.store.folder import Folder
from arena.text import document_text
from arena.tournament import seeds, tasks
from arena.tournament import spec as specs
from arena.tournament.plan import Plan

LEG = 16  # most deals of a leg
LEAST_BLOCKS = 8  # legs on different deals of a candidate in a round, at least: the scatter of fewer does not tell its error
LEAST_DEALS = 8  # of a candidate against each opponent in a round
ROUNDS_FILE, REPORT, PAGE = "rounds.jsonl", "tune.json", "tune.html"
MAX_BYTES = 1 << 26  # of the file of rounds
METHOD = 2  # version of the search; the rounds of one version cannot be continued by another


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
    return specs.read_struct(path, TuneSpec) if path else TuneSpec()


class LearnedParameter(Struct, frozen=True, kw_only=True):
    """A parameter with its best value and the gains over its range."""

    name: str
    start: float
    best: float
    gain: float | None  # of the best value over that of the start, with all others at their best; None: too few results differ
    curve: list[tuple[float, float]]  # values over its range, with the gain if all others are at their best; empty: likewise


class Tuning(Struct, frozen=True, kw_only=True):
    """The outcome of a search."""

    bot: str
    best: str  # the bot to play, as a name for commands: with its best values only if the verdict is that these are stronger
    parameters: list[LearnedParameter]
    gain: float | None  # expected, over the start, against the opponents of the search; None: too few results differ from its
    ended: Reason
    hands: int  # of the search
    rounds: list[Round]
    seed: str
    results: str
    verdict: DuelAnswer | None  # of the best against the start, on other deals; None: no other values were found

    @property
    def is_better(self) -> bool:
        """Tell whether the duel found the best values stronger than the start."""
        return self.verdict is not None and self.verdict.verdict is Verdict.BETTER


class TuneSetup(Struct, frozen=True, kw_only=True):
    """The input of a search."""

    start: ResolvedBot
    parameters: dict[str, Parameter[float]]
    plan: Plan  # start and opponents, with the run seed
    question: str  # everything that determines the games, as JSON
    inline: bool  # the bots play in the workers' own processes, without a sandbox
    spec: TuneSpec
    folder: Path

    def name_with(self, values: dict[str, float]) -> str:
        """Return the name, for commands, of the bot with some values."""
        plain, given = naming.split(self.start.asked)
        return naming.join(plain, {**given, **values})

    def resolve(self, values: dict[str, float]) -> ResolvedBot:
        """Return the bot with some values. Raises: RosterError."""
        asked = self.name_with(values)
        return ResolvedBot(asked, finder.find(asked, f"{self.start.name[:43]}-tuned"))  # a name has at most 50 characters


def set_up(bot: str, spec: TuneSpec, home: Path, results: Path | None, folder_name: str | None = None) -> TuneSetup:
    """Return the setup of a search in ``results``, or by default below ``results/``, in a folder named after the question's digest.

    ``home`` is the folder to which the paths of opponents are relative; ``folder_name`` begins the name of the default folder.
    Raises: RosterError; InputError, for a spec that does not suit the bot; SandboxError, StoreError.
    """
    (start,) = chosen.resolve((bot,), suffixes=("",))
    parameters = _tuned_parameters(start, spec)
    found = [chosen.resolve((one,), suffixes=("",), folder=home)[0] for one in spec.opponents] or [start]
    opponents = [
        replace(one, entrant=replace(one.entrant, name=f"opponent-{number}-{one.name[:35]}")) for number, one in enumerate(found, 1)
    ]
    launches = [one.entrant.launch for one in (start, *opponents)]
    inline = spec.sandbox == "none" and all(one.command[: len(finder.SDK)] == finder.SDK for one in launches)
    plan = spec.plan(f"Tune of {start.name}", {"name": "batches"}, [start, *opponents], None)
    question = _question(plan, parameters, spec, inline=inline)
    key = sha256(question.encode()).hexdigest()[:8]
    name = f"{folder_name or f'tune-of-{start.name.lower()}'}-{key}"
    folder = results or disk.inside(Path(), str(starts.RESULTS), name)
    if not (folder / ROUNDS_FILE).exists():
        starts.named_folder(folder)  # raises StoreError if it holds other files
    header = _read_header(folder, question)
    drawn = seeds.random_seed() if spec.seed is None else seeds.run_seed(spec.seed)
    return TuneSetup(
        start=start,
        parameters=parameters,
        plan=replace(plan, seed=header.seed if header else drawn),
        question=question,
        inline=inline,
        spec=spec,
        folder=folder,
    )


def _question(plan: Plan, parameters: dict[str, Parameter[float]], spec: TuneSpec, *, inline: bool) -> str:
    """Return everything that determines the games of a search, as JSON."""
    found = {
        "method": METHOD,
        "bots": [one.digest for one in plan.field],
        "parameters": {name: astuple(one) for name, one in parameters.items()},
        "rules": plan.spec.rules,
        "time": plan.spec.time,
        "sandbox": plan.spec.sandbox,
        "inside": inline,
        "hands": spec.hands,
        "seed": spec.seed,
    }
    return json.encode(found).decode()


def _tuned_parameters(bot: ResolvedBot, spec: TuneSpec) -> dict[str, Parameter[float]]:
    """Return the parameters to tune, with the values of ``bot`` as starts.

    Raises: InputError, for one that the bot does not declare, or an invalid range.
    """
    declared, given = finder.parameters_of(bot.entrant), naming.split(bot.asked)[1]
    if not declared:
        on_sdk = bot.entrant.launch.command[: len(finder.SDK)] == finder.SDK
        of_class = "`arena docs sdk` shows how: plain numbers, low <= start <= high, as weight = Parameter(2.0, low=0.0, high=6.0)"
        of_manifest = "`arena docs protocol` shows how, in `parameters` of bot.yaml"
        raise InputError(f"{bot.asked}: declares no parameters; {of_class if on_sdk else of_manifest}")
    found: dict[str, Parameter[float]] = {}
    for name in spec.parameters or declared:
        one, narrowed = chosen.choose(declared, name, "parameters"), spec.parameters.get(name) or NarrowedParameter()
        changes = {key: value for key, value in asdict(narrowed).items() if value is not None}
        try:
            found[name] = Parameter(**{**asdict(one), "start": given.get(name, one.start), **changes})
        except ValueError as error:
            raise InputError(f"parameters.{name}: {error}") from None
        if found[name].low < one.low or found[name].high > one.high or found[name].is_whole != one.is_whole:
            kind = "whole numbers" if one.is_whole else "numbers"
            raise InputError(f"parameters.{name}: expected a range of {kind} within {one.low} to {one.high}, as the bot declares")
    return found


# The file of a search: a header with the question and the seed, then a line for each round.


class _SearchHeader(Struct, frozen=True):
    question: str
    seed: str  # the run seed


def _read_lines(folder: Path) -> list[bytes]:
    """Return the lines of the file; none without a file. Raises: StoreError."""
    file = folder / ROUNDS_FILE
    try:
        return disk.read(file, MAX_BYTES).splitlines() if file.exists() else []
    except (OSError, disk.TooLargeError) as error:
        raise StoreError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _read_header(folder: Path, question: str) -> _SearchHeader | None:
    """Return the header of the search in a folder; None: there is none. Raises: StoreError, if it is of another question."""
    for line in _read_lines(folder)[:1]:
        with suppress(*MALFORMED):
            header = json.decode(line, type=_SearchHeader)
            if header.question == question:
                return header
        raise StoreError(
            f"{folder}: holds another search: of another bot, spec, seed or version, or damaged; expected a folder of its own"
        )
    return None


def _read_rounds(folder: Path) -> list[Round]:
    """Return the rounds on file. Raises: StoreError."""
    try:
        return [json.decode(line, type=Round) for line in _read_lines(folder)[1:]]
    except MALFORMED as error:
        raise StoreError(f"{folder / ROUNDS_FILE}: was damaged: {error}") from None


def _write_rounds(setup: TuneSetup, rounds: Sequence[Round]) -> None:
    """Replace the file by one with all rounds. Raises: StoreError."""
    header = _SearchHeader(setup.question, setup.plan.seed or "")
    Folder(setup.folder).write(ROUNDS_FILE, "".join(json.encode(one).decode() + "\n" for one in (header, *rounds)))


# Playing.


class TuneLeg(Struct, frozen=True):
    """Some deals of one candidate, or of the start, against one opponent, in one seat."""

    job: Job
    seat: Seat  # of the candidate
    inline: bool  # its bots play in the worker's own process


class PlayedTuneLeg(Struct, frozen=True):
    """The result of a leg."""

    result: Result  # with the luck of its draws
    faults: int  # of the candidate


def play_leg(leg: TuneLeg) -> PlayedTuneLeg:
    """Play a leg, and return its result. Raises: RosterError, for a bot in this process that does not start."""
    with redirect_stdout(sys.stderr):  # a bot in this process may print
        players = (_inline_player(leg.job, 0), _inline_player(leg.job, 1)) if leg.inline else (None, None)
        record = job.play(leg.job, players)
    faults = sum(one.seat == leg.seat for one in record.faults)
    return PlayedTuneLeg(result(add_luck(record, leg.job.rules, leg.job.seed)), faults)


_load_class = cache(bot_class)  # of the user's, once in each worker


def _inline_player(one: Job, seat: Seat) -> InlinePlayer:
    target = one.launches[seat].command[-1]
    try:
        bot = build(_load_class(target), bot_seed(one.seed, one.fixture.deals, seat))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's own source may raise anything
        raise RosterError(f"{target}: does not start: {type(error).__name__}: {error}") from None

    def answer(view: View) -> Action:
        try:
            return bot.answer(view)
        except CannotPlayError as error:
            raise BotUnavailableError(f"a bot cannot play: {error}") from None
        except (Exception, SystemExit) as error:  # a fault of the bot
            raise PlayerFaultError("crash", f"{type(error).__name__}: {error}") from error

    return InlinePlayer(answer, bot.hand_over)


def search(
    setup: TuneSetup, runner: Runner, tell: Callable[[str], None], is_late: Callable[[], bool] = lambda: False
) -> tuple[Tuner, Reason]:
    """Play rounds until the search ends by itself, or ``is_late`` is true after a round.

    ``tell`` receives a line after each round, and one for those on file.

    Raises: RunStoppedError, if the user stops it; RosterError, WorkerLostError, StoreError.
    """
    rounds = _read_rounds(setup.folder)
    stored = len(rounds)

    def stop_error() -> RunStoppedError:
        return RunStoppedError(
            f"stopped; stored in {setup.folder}: {counted(len(rounds), 'round')}; the same command resumes the search"
        )

    with (
        signals.reporting_stop(stop_error),
        Folder(setup.folder).lock(),
        runner.open_pool() as pool,
    ):
        while True:
            tuner = Tuner(setup.parameters, setup.plan.seed or "", rounds)
            if rounds:
                tell(round_line(tuner, setup.spec.hands))
            reason = tuner.reason_to_end(setup.spec.hands) or ("time" if len(rounds) > stored and is_late() else None)
            asked = () if reason else tuner.next_candidates()
            if not asked:
                return tuner, reason or "flat"
            legs = list(_legs(setup, len(rounds), asked))
            played = list(tasks.in_order(pool, play_leg, legs))
            results = [one.result for one in played]
            found = summarize(asked, _differences(setup, len(asked), results), sum(one.hands for one in results))
            rounds.append(replace(found, faults=_faults(setup, len(asked), played)))
            _write_rounds(setup, rounds)


def _legs(setup: TuneSetup, number: int, asked: Sequence[dict[str, float]]) -> Iterator[TuneLeg]:
    """Yield the legs of round ``number``: each candidate from both seats against each opponent, on common deals.

    If the spec names opponents, the start plays them too. The order is by bot, opponent, part of the deals, and seat.
    """
    start, *opponents = setup.plan.names
    launches = [setup.resolve(one).entrant.launch for one in asked]
    if setup.spec.opponents:  # without opponents it would play itself, which gains 0
        launches.append(setup.start.entrant.launch)
    deals = max(LEAST_DEALS, setup.spec.hands // ROUNDS // (2 * len(launches) * len(opponents)))
    leg = min(LEG, deals // LEAST_BLOCKS)
    for place, launch in enumerate(launches):
        for opponent in opponents:
            for part in range(deals // leg):
                key = f"tune/{number}/{opponent}/{part}"
                for seat, seats in ((0, (start, opponent)), (1, (opponent, start))):
                    one = setup.plan.job(Fixture(f"{key}/{place}/{seat}", seats, key, leg))
                    seated = (launch, one.launches[1]) if seat == 0 else (one.launches[0], launch)
                    yield TuneLeg(replace(one, launches=seated), seat, setup.inline)


def _faults(setup: TuneSetup, candidates: int, played: Sequence[PlayedTuneLeg]) -> tuple[int, ...]:
    """Return the number of faults of each candidate."""
    legs = len(played) // (candidates + bool(setup.spec.opponents))  # of each
    return tuple(sum(leg.faults for leg in played[number * legs : (number + 1) * legs]) for number in range(candidates))


def _differences(setup: TuneSetup, candidates: int, played: Sequence[Result]) -> Array:
    """Return the gains over the start in points a hand, corrected for luck as a control variate: candidates x blocks.

    A block is the legs on the same deals. It is one observation, because its deals share processes.
    """
    blocks = [duels.block(one, other) for one, other in zip(played[::2], played[1::2], strict=True)]
    size = len(blocks) // (candidates + bool(setup.spec.opponents))  # blocks of each
    rows = [blocks[first : first + size] for first in range(0, len(blocks), size)]
    points, luck = (np.array([[getattr(block, name) for block in row] for row in rows]) for name in ("y", "luck"))
    variance = float(np.var(luck))
    slope = float(np.mean((points - points.mean()) * (luck - luck.mean()))) / variance if variance else 0.0
    corrected = points - slope * luck
    found: Array = corrected[:-1] - corrected[-1] if setup.spec.opponents else corrected
    return found


# The outcome.


def judge(setup: TuneSetup, tuner: Tuner, reason: Reason, runner: Runner, observer: Observer, log_level: str) -> Tuning:
    """Return the outcome of a search, and write it into its folder as JSON and as a page.

    If the best values are not those of the start, a duel of both on fresh deals is played. Raises: as ``arena.runs.play.play``.
    """
    verdict = None
    if tuner.best != tuner.start:
        best = setup.resolve(tuner.best)
        terms = Terms(hands=setup.spec.verdict, rules=setup.spec.rules, time=setup.spec.time, sandbox=setup.spec.sandbox)
        fresh = sha256(f"arena-tune-verdict-1|{setup.plan.seed}".encode()).hexdigest()
        start = starts.find_start(dueling.duel((best, setup.start), terms, fresh), disk.inside(setup.folder, "verdict"))
        verdict = dueling.answer(start.plan, dueling.play_comparison(start, runner, observer, log_level))
    found = Tuning(
        bot=setup.start.asked,
        best=setup.name_with(tuner.best) if verdict and verdict.verdict is Verdict.BETTER else setup.start.asked,
        parameters=[
            LearnedParameter(
                name=name,
                start=one.start,
                best=tuner.best[name],
                gain=tuner.stated_gain(tuner.best, {**tuner.best, name: one.start}),
                curve=tuner.curve(name) if tuner.is_informed else [],
            )
            for name, one in setup.parameters.items()
        ],
        gain=tuner.stated_gain(tuner.best),
        ended=reason,
        hands=sum(one.hands for one in tuner.rounds),
        rounds=list(tuner.rounds),
        seed=setup.plan.seed or "",
        results=str(setup.folder),
        verdict=verdict,
    )
    Folder(setup.folder).write(REPORT, document_text("tune", found) + "\n")
    Folder(setup.folder).write(PAGE, _page(found))
    return found


def _page(found: Tuning) -> str:
    """Return the page of an outcome."""
    charts = [GainChart(name=one.name, start=one.start, best=one.best, points=one.curve) for one in found.parameters if one.curve]
    played = f"{counted(found.hands, 'hand')} in {counted(len(found.rounds), 'round')}"
    title, answer = f"Tune of {found.bot}", _answer_card(found)
    return render("tune.html", title=title, answer=answer, played=played, lines=list(lines(found)), charts=charts)


def _answer_card(found: Tuning) -> AnswerCard:
    """Return the head of the page: the best values if the duel found them stronger, and the verdict."""
    values = ", ".join(f"{one.name}={one.best if found.is_better else one.start:g}" for one in found.parameters)
    card = AnswerCard(finished=True, who=f"{'Best' if found.is_better else 'Keep your values'}: {values}")
    if found.verdict is None:
        return replace(card, how="the values at the start; no others are expected to be better")
    settled = is_decided(found.verdict)
    why = f"on fresh deals the best values are {found.verdict.answer} than the start, {counted(found.verdict.hands, 'hand')}"
    unsettled = f"a duel on fresh deals has not decided whether they are better, {counted(found.verdict.hands, 'hand')}"
    return replace(card, how=ENDED[found.ended], sure=str(SETTLED) if settled else OPEN, why=why if settled else unsettled)


ENDED: dict[Reason, str] = {
    "budget": "the budget of hands is spent",
    "time": "the time is over",
    "narrow": "little is left to gain",
    "flat": "no values are expected to gain anything worth more hands",
}
FLAT = 0.01  # points a hand; a curve with less between its lowest and highest point is drawn as a line
FEW_DIFFER = f"not known, fewer than {ENOUGH} results differ from those of the start"
LEVELS = "▁▂▃▄▅▆▇█"


def round_line(tuner: Tuner, budget: int) -> str:
    """Return the state of a search in one line."""
    hands = sum(one.hands for one in tuner.rounds)
    best = f"best {values_text(tuner.best)}: {gain_text(tuner.stated_gain(tuner.best))}"
    return f"round {len(tuner.rounds)}: {hands:,} of {budget:,} hands; {best}"


def lines(found: Tuning) -> Iterator[str]:
    """Yield the outcome as lines, without the verdict."""
    if found.verdict is None:
        yield f"No other values are expected to be better than {values_text({one.name: one.start for one in found.parameters})}."
    else:
        yield f"Best values of the search: {values_text({one.name: one.best for one in found.parameters})}."
        known = "on the deals of the search, which flatter the best of many"
        yield f"Expected gain: {gain_text(found.gain)}, {known if found.gain is not None else 'which more `--hands` change'}."
    for one in found.parameters:
        if not one.curve:
            continue
        gains = [gain for _, gain in one.curve]
        low, high, top = min(gains), max(gains), len(LEVELS) - 1
        drawn = "".join(LEVELS[round(top * (gain - low) / (high - low))] if high - low >= FLAT else LEVELS[0] for gain in gains)
        curve = f"{one.curve[0][0]:g} {drawn} {one.curve[-1][0]:g}, {low:+.2f} to {high:+.2f} points a hand"
        yield f"{one.name}: {one.best:g} in place of {one.start:g} gains {gain_text(one.gain)}; over its range {curve}"
    yield f"The search took {found.hands:,} hands in {counted(len(found.rounds), 'round')}: {ENDED[found.ended]}."
    faults = [(count, values) for one in found.rounds for count, values in zip(one.faults, one.candidates, strict=False) if count]
    if faults:
        most, values = max(faults, key=lambda one: one[0])
        total = counted(sum(count for count, _ in faults), "fault")
        yield f"{total} of candidates, most of {values_text(values)}: {most}; `arena bots check` looks for the cause."


def advice(found: Tuning) -> str:
    """Return what to do: only values that the duel found stronger are recommended."""
    if found.is_better:
        return f"Play it as {found.best!r}, or write the values into its code."
    reason = "a duel has not found the others stronger" if found.verdict else "no others are expected to be better"
    return f"Keep your values: {reason}."


def values_text(values: dict[str, float]) -> str:
    """Return the values of parameters as text: ``care 0.5, speed 3``."""
    return ", ".join(f"{name} {value:g}" for name, value in values.items())


def gain_text(gain: float | None) -> str:
    """Return a gain as text: ``+0.50 points a hand``."""
    return FEW_DIFFER if gain is None else f"{gain:+.2f} points a hand"
