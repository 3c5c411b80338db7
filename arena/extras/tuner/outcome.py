"""The outcome of a search: the values found, with the verdict of a duel against the start, as a page, lines and advice."""

from collections.abc import Iterator
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from arena import disk
from arena.compare import dueling
from arena.compare.dueling import DuelAnswer, DuelTerms
from arena.extras.tuner.charts import GainChart
from arena.extras.tuner.setup import TuneSetup
from arena.extras.tuner.tune import ENOUGH, Reason, Round, Tuner
from arena.reports.answer_card import OPEN, AnswerCard
from arena.reports.html_page import render
from arena.reports.numbers import count, signed
from arena.reports.verdict import is_decided
from arena.runs import starts
from arena.runs.play import Observer
from arena.runs.runner import Runner
from arena.stats.duels import Verdict
from arena.stats.statements import SETTLED
from arena.store.folder import Folder
from arena.text import document_text


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


REPORT, PAGE = "tune.json", "tune.html"
ENDED: dict[Reason, str] = {
    "budget": "the budget of hands is spent",
    "time": "the time is over",
    "narrow": "little is left to gain",
    "flat": "no values are expected to gain anything worth more hands",
}
FLAT = 0.01  # points a hand; a curve with less between its lowest and highest point is drawn as a line
FEW_DIFFER = f"not known, fewer than {ENOUGH} results differ from those of the start"
LEVELS = "▁▂▃▄▅▆▇█"


def judge(setup: TuneSetup, tuner: Tuner, reason: Reason, runner: Runner, observer: Observer, log_level: str) -> Tuning:
    """Return the outcome of a search, and write it into its folder as JSON and as a page.

    If the best values are not those of the start, a duel of both on fresh deals is played. Raises: as ``arena.runs.play.play_run``.
    """
    verdict = None
    if tuner.best != tuner.start:
        best = setup.resolve(tuner.best)
        terms = DuelTerms(hands=setup.spec.verdict, rules=setup.spec.rules, time=setup.spec.time, sandbox=setup.spec.sandbox)
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
    played = f"{count(found.hands, 'hand')} in {count(len(found.rounds), 'round')}"
    title, answer = f"Tune of {found.bot}", _answer_card(found)
    return render("tune.html", title=title, answer=answer, played=played, lines=list(lines(found)), charts=charts)


def _answer_card(found: Tuning) -> AnswerCard:
    """Return the head of the page: the best values if the duel found them stronger, and the verdict."""
    values = ", ".join(f"{one.name}={one.best if found.is_better else one.start:g}" for one in found.parameters)
    card = AnswerCard(finished=True, who=f"{'Best' if found.is_better else 'Keep your values'}: {values}")
    if found.verdict is None:
        return replace(card, how="the values at the start; no others are expected to be better")
    settled = is_decided(found.verdict)
    why = f"on fresh deals the best values are {found.verdict.answer} than the start, {count(found.verdict.hands, 'hand')}"
    unsettled = f"a duel on fresh deals has not decided whether they are better, {count(found.verdict.hands, 'hand')}"
    return replace(card, how=ENDED[found.ended], sure=str(SETTLED) if settled else OPEN, why=why if settled else unsettled)


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
        curve = f"{one.curve[0][0]:g} {drawn} {one.curve[-1][0]:g}, {signed(low)} to {signed(high)} points a hand"
        yield f"{one.name}: {one.best:g} in place of {one.start:g} gains {gain_text(one.gain)}; over its range {curve}"
    yield f"The search took {found.hands:,} hands in {count(len(found.rounds), 'round')}: {ENDED[found.ended]}."
    played = (zip(one.faults, one.candidates, strict=False) for one in found.rounds)
    faults = [(number, values) for candidates in played for number, values in candidates if number]
    if faults:
        most, values = max(faults, key=lambda one: one[0])
        total = count(sum(number for number, _ in faults), "fault")
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
    return FEW_DIFFER if gain is None else f"{signed(gain)} points a hand"
