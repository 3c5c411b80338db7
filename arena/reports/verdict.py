"""As text: the progress and verdict of a comparison of two bots, and the result of a match."""

from collections import Counter
from collections.abc import Iterator
from math import log

from msgspec import Struct

from arena.gin.score import Ending
from arena.records import Fault, MatchRecord, Usage
from arena.reports.fallbacks import ModelPlay, sentence, why_not_judged
from arena.reports.faults import lines as fault_lines
from arena.reports.numbers import count, duration, names, round_up, share
from arena.stats.duels import ComparisonOutcome, Verdict
from arena.stats.game_chances import InGames
from arena.stats.margin import LEAST_BLOCKS, Margin, margin
from arena.stats.resolution import head_to_head
from arena.stats.statements import BOUNDS, IN_GAMES, MATCH, MOODS, PAIRS_CHOSEN, VERDICT
from arena.stats.wealth import EQUITY, POINTS, PRIOR_DEALS, Interval

# A comparison of two bots as a report shows it: the outcome, and how the evidence grew.


class EvidencePoint(Struct, frozen=True, array_like=True):
    """The state of a test after a number of hands."""

    hands: int  # so far
    better: float  # evidence for "better"
    worse: float  # evidence for "not as good"
    value: float | None  # the difference, in the unit of the outcome; None: not known yet
    low: float | None  # ends of its interval; None: infinite
    high: float | None


class ComparisonReport(Struct, frozen=True, kw_only=True):
    """What is known about a duel, or about a candidate and a baseline that meet the same opponents."""

    first: str  # the bot that the question is about
    second: str
    opponents: tuple[str, ...] = ()  # that both meet; empty: a duel
    most_hands: int  # the limit, after which the verdict is "undecided"
    outcome: ComparisonOutcome
    in_games: InGames | None = None  # chances of the first bot, or (gauntlet) of a bot with such a lead; None: not computed
    no_games: str = ""  # why they cannot be computed
    history: list[EvidencePoint] = []  # the last point is the outcome


VARIANCES = {"points a hand": POINTS.variance, "% of a game a hand": EQUITY.variance}  # of a pair, by unit
UNKNOWN = 0.05  # a chance whose interval goes from below this to above 1 - UNKNOWN is not known at all
SHARES = ("both", "one and a half", "one", "half", "none")  # what the first bot won of a pair of games or matches


def progress_line(outcome: ComparisonOutcome) -> str:
    """Return the progress of a comparison in one line."""
    unknown = "too few pairs" if outcome.pairs else "no result yet"
    difference = unknown if outcome.difference is None else f"{interval(outcome.difference)} {outcome.unit}"
    (above, _), (below, _) = _claims(outcome.bounds)
    found = f"{above} {_size(outcome.better)}, {below} {_size(outcome.worse)}"
    proof = " and ".join(dict.fromkeys(map(_size, outcome.proof)))
    return f"{outcome.hands:>6} hands  {difference}  evidence: {found}; decided at {proof}"


def describe(shown: ComparisonReport) -> Iterator[str]:
    """Yield the result of a comparison as lines, the verdict first."""
    yield f"{verdict(shown)}."
    yield from details(shown)


def decision_words(verdict: Verdict, bounds: tuple[float, float]) -> str:
    """Return a verdict about the first bot, in the unit of the bounds of its question: ``not weaker by 0.5 or more``."""
    above, below = ("".join(claim) for claim in _claims(bounds))
    words = {Verdict.BETTER: above, Verdict.NOT_AS_GOOD: below, Verdict.UNDECIDED: "undecided"}
    return words.get(verdict, "not decided yet")


def same_program(first: str, second: str) -> str:
    """Return the result of a comparison of two bots that are the same program."""
    return f"{first} and {second} are the same program, so neither is better; nothing was played."


def verdict(shown: ComparisonReport) -> str:
    """Return the verdict as a sentence, without a full stop."""
    return (", " if is_decided(shown.outcome) else ": ").join(verdict_parts(shown))


def is_decided(outcome: ComparisonOutcome) -> bool:
    """Tell whether the evidence for one of the two verdicts has reached its bound."""
    return outcome.verdict in (Verdict.BETTER, Verdict.NOT_AS_GOOD)


def verdict_parts(shown: ComparisonReport) -> tuple[str, str]:
    """Return the verdict, and when it was decided; or that it is not decided, and between which two verdicts."""
    outcome = shown.outcome
    above, below = answers(shown)
    if outcome.void:
        return "No verdict", outcome.void
    if is_decided(outcome):
        claim = above if outcome.verdict is Verdict.BETTER else below
        return f"{shown.first} is {claim}{against(shown)}", f"decided after {outcome.decided:,} hands"
    still = "Undecided" if outcome.verdict is Verdict.UNDECIDED else "Not decided yet"
    either = f"{shown.first} is {above}{against(shown)}"
    return f"{still} after {outcome.hands:,} hands", f"{either}, or it is {below}"


def details(shown: ComparisonReport) -> Iterator[str]:
    """Yield what stands below the verdict: the difference, what it means in games, the evidence and the cost, one line each."""
    outcome = shown.outcome
    if outcome.void:
        yield f"{outcome.hands:,} hands were played."
        return
    yield from filter(None, [few_hands(shown)])
    if outcome.difference is not None:
        yield f"{difference(outcome)}."
    if shown.in_games and not few_hands(shown):
        yield _meaning(shown, shown.in_games)
    if shown.no_games:
        yield f"What that means in games is not computed: {shown.no_games}."
    above, below = answers(shown)
    yield f"Evidence that {shown.first} is {above}: {evidence(outcome.better, outcome.proof[0])}."
    yield f"Evidence that it is {below}: {evidence(outcome.worse, outcome.proof[1])}."
    yield _cost(shown)
    if outcome.pentanomial and outcome.pairs:
        won = ", ".join(f"{part} of {pairs:,}" for part, pairs in zip(SHARES, reversed(outcome.pentanomial), strict=True) if pairs)
        yield f"Of {outcome.pairs:,} pairs {shown.first} won {won}."
    if outcome.same is not None and outcome.pairs:
        yield f"{share(outcome.same / outcome.pairs, 1)} of {outcome.pairs:,} deals had the same result for both."
    yield from limits(outcome)


def difference(outcome: ComparisonOutcome) -> str:
    """Return the difference with its bounds in words, without a full stop; it is known."""
    found = outcome.difference
    assert found
    if outcome.pentanomial is not None:
        return f"Difference: {interval(found)} {outcome.unit}, {PAIRS_CHOSEN}"
    return f"Difference: {found.value:+z.2f} {outcome.unit}; {bounds(outcome, f'{found.low:+z.2f}', f'{found.high:+z.2f}')}"


def bounds(outcome: ComparisonOutcome, low: str, high: str) -> str:
    """Return in words how sure the bounds of a difference are, which are as sure as the verdicts; of a duel on hands."""
    above, below = (f"{100 * (1 - 1 / proof):.4g} %" for proof in outcome.proof)
    return BOUNDS(low=low, above=above, high=high, below=below)


def few_hands(shown: ComparisonReport) -> str:
    """Return a warning of too few hands, with the number that is needed.

    Empty: they are enough, none was played, a verdict was reached, or the variance of the unit is not known. Below ``PRIOR_DEALS``
    pairs an estimate rests more on its prior than on the hands.
    """
    outcome, (low, high) = shown.outcome, shown.outcome.bounds
    games = shown.in_games.games if shown.in_games else None
    too_few = 0 < outcome.pairs < PRIOR_DEALS or (games is not None and games.low < UNKNOWN and games.high > 1 - UNKNOWN)
    if is_decided(outcome) or not too_few or outcome.unit not in VARIANCES:
        return ""
    meetings = 2 if shown.opponents else 1  # candidate and baseline each meet the opponents
    needed = round_up(head_to_head(high - low, VARIANCES[outcome.unit]) * meetings)
    found = f"to find a difference of {high - low:g} {outcome.unit} takes about {needed:,} hands, a larger one fewer"
    return f"{count(outcome.hands, 'hand')} say{'s' * (outcome.hands == 1)} nothing about who is stronger: {found}."


def evidence(found: float, proof: float) -> str:
    """Return evidence and the bound that decides: ``3.1 of 20``."""
    shown = "less than 0.01" if found < 0.01 else _size(found)
    return f"{shown} of {f'{proof:.3g}' if proof < 999.5 else f'{proof:,.0f}'}"


def _size(found: float) -> str:
    """Return evidence in two digits, or as a whole number from 100 to a million."""
    return f"{found:.2g}" if found < 99.5 else f"{'more than ' if found > 1e6 else ''}{min(found, 1e6):,.0f}"


def answers(shown: ComparisonReport) -> tuple[str, str]:
    """Return the two possible verdicts about the first bot: ``stronger than b``."""
    # The bounds are in normalized Elo, the intervals in logistic Elo.
    unit = f"normalized {shown.outcome.unit}" if shown.outcome.pentanomial else shown.outcome.unit
    above, below = (f"{word} than {shown.second}{size}" for word, size in _claims(shown.outcome.bounds, f" {unit}"))
    return above, below


def _claims(bounds: tuple[float, float], unit: str = "") -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the two possible verdicts about the first bot, each as a word and a margin."""
    low, high = bounds
    return _claim(low, unit, "stronger", "weaker"), _claim(-high, unit, "weaker", "stronger")


def _claim(bound: float, unit: str, more: str, less: str) -> tuple[str, str]:
    """Return the claim of a difference above ``bound`` in the direction of ``more``; a negative bound gives ``not less``."""
    if abs(bound) == 1:
        unit = unit.replace("points", "point", 1)
    if bound >= 0:
        return more, f" by more than {bound:g}{unit}" if bound else ""
    return f"not {less}", f" by {-bound:g}{unit} or more"


def interval(value: Interval) -> str:
    """Return a number and its interval: ``+1.20 [+0.80, +1.60]``."""
    return f"{value.value:+z.2f} [{value.low:+z.2f}, {value.high:+z.2f}]"


def against(shown: ComparisonReport) -> str:
    """Return the opponents that both bots meet, as `` against a and b``; empty: it is a duel."""
    return f" against {names(shown.opponents)}" if shown.opponents else ""


def _meaning(shown: ComparisonReport, means: InGames) -> str:
    won = IN_GAMES(games=_chance_in_words(means.games), matches=_chance_in_words(means.matches))
    if shown.opponents:
        return f"Between two bots such a difference wins {won}, if play does not depend on the score."
    return f"That is {won} won by {shown.first}, if play does not depend on the score."


def _chance_in_words(chance: Interval) -> str:
    return f"{share(chance.value, 1)} [{share(chance.low)}, {share(chance.high)}]"


def _cost(shown: ComparisonReport) -> str:
    outcome = shown.outcome
    used = f"{outcome.hands:,} of at most {max(shown.most_hands, outcome.hands):,} hands were played"
    if not outcome.implied or few_hands(shown):
        return f"{used}."
    wins = outcome.implied.match_wins
    times = f", {wins / outcome.decided:.1f} times as many" if outcome.decided and outcome.verdict is not Verdict.UNDECIDED else ""
    return f"{used}; a sequential test on independent match wins would take about {wins:,.0f}{times}."


def limits(outcome: ComparisonOutcome) -> Iterator[str]:
    """Yield the limits of the verdict, one line each: capped scores, lost legs, and further assumptions."""
    if outcome.capped and "points" in outcome.unit:
        more = share(outcome.capped / max(outcome.hands, 1), 1)
        yield f"{more} of hands were worth more than {outcome.most} points, and count as {outcome.most}."
    if outcome.lost:
        yield f"{count(outcome.lost, 'leg')} lost with the worker that played: counted as the worst for each side of the test."
    if rare := rarest_mood(outcome):
        yield f"{rare}."


def guarantee(outcome: ComparisonOutcome) -> str:
    """Return the guarantee of a verdict with its assumptions; empty where it does not hold."""
    # It does not hold for matches (no blocks), and if an error may be more frequent than 1 in 20.
    if outcome.blocks is None or min(outcome.proof) < 20:
        return ""
    return VERDICT(held=f"±{outcome.most} points" if "points" in outcome.unit else f"±{EQUITY.most:g} % of a game")


def rarest_mood(outcome: ComparisonOutcome) -> str:
    """Return the rarest mood that a verdict "not weaker" can exclude, by the rule of three; empty for any other verdict."""
    if outcome.verdict is not Verdict.BETTER or outcome.bounds[0] >= 0 or not outcome.blocks:
        return ""
    return _moods(outcome.blocks)


def _moods(blocks: int) -> str:
    return MOODS(blocks=f"{blocks:,}", share=share(min(3 / blocks, 1), 2))


# How far a comparison has come, and about how long it still takes.
#
# A comparison ends at its limit of hands, or earlier when its evidence reaches a bound. The log of the evidence for a true answer
# grows in proportion to the hands, so its growth so far tells when it will arrive. Before there is any, only the limit is known.

LEAST_GROWTH = 0.5  # of the log of evidence; with less, chance decides its direction


def hands_left(outcome: ComparisonOutcome, most_hands: int) -> tuple[int, bool]:
    """Return about how many hands are left, and whether that is only the limit; never less than zero."""
    limit = max(most_hands - outcome.hands, 0)
    found, proof = _leading(outcome)
    # ``found`` may exceed ``proof`` without a verdict: with ``until: limit`` the test is judged at its limit
    if found <= 0 or log(found) < LEAST_GROWTH or found >= proof:
        return limit, True
    expected = round(outcome.hands * (log(proof) - log(found)) / log(found))
    return (limit, True) if expected >= limit else (expected, False)


def line(outcome: ComparisonOutcome, most_hands: int, hands: int, rate: float) -> str:
    """Return the progress in one line; ``hands`` were played, some perhaps not counted yet, at ``rate`` a second (0: unknown)."""
    counted = f"{hands:,} of at most {max(most_hands, hands):,} hands"
    known = [] if outcome.difference is None else [f"{interval(outcome.difference)} {outcome.unit}"]
    return ", ".join([counted, _evidence(outcome), *known, *_time(outcome, most_hands, hands, rate)])


def beside_bar(outcome: ComparisonOutcome, most_hands: int, hands: int, rate: float) -> str:
    """Return the text beside a bar over the hands; the arguments are those of ``line``."""
    return ", ".join([f"at most {max(most_hands, hands):,}", _evidence(outcome), *_time(outcome, most_hands, hands, rate)])


def _evidence(outcome: ComparisonOutcome) -> str:
    return f"evidence {evidence(*_leading(outcome))}"


def _time(outcome: ComparisonOutcome, most_hands: int, hands: int, rate: float) -> list[str]:
    """Return the time that is left; none if it is not known, or after a verdict."""
    if rate <= 0 or outcome.verdict is not Verdict.CONTINUE:
        return []
    left, only_limit = hands_left(outcome, most_hands)
    seconds = max(left - (hands - outcome.hands), 0) / rate
    return [f"{'at most' if only_limit else 'about'} {duration(seconds)} left"]


def _leading(outcome: ComparisonOutcome) -> tuple[float, float]:
    """Return the evidence of the side that is nearer to its bound, on a log scale, and that bound."""
    both = zip((outcome.better, outcome.worse), outcome.proof, strict=True)
    return max(both, key=lambda one: log(max(one[0], 1e-300)) / log(one[1]))


# The result of single hands between two bots, as lines of text and as a document.

SMALL_DIFFERENCE = 0.5  # points a hand, for the advice on how many hands to play


class MatchAnswer(Struct, frozen=True, kw_only=True):
    """The result of a match of single hands; the lists have a value for each bot, times are in seconds."""

    bots: tuple[str, ...]
    seed: str
    hands: int
    points_a_hand: Margin | None  # of the first bot; None: fewer than two pairs of legs were played, or few with one result
    won: tuple[int, ...]  # hands
    endings: tuple[dict[Ending, int], ...]  # of the hands that each has won
    cpu_a_decision: tuple[float, ...]
    slowest: tuple[float, ...]  # decision
    faults: dict[str, list[Fault]]
    faulty: tuple[str, ...]  # the bots that were so often at fault that nothing is said of their strength
    models: tuple[ModelPlay, ...] = ()  # the bots without a sandbox that asked a language model


TOO_FEW = f"too few hands to call a bot stronger; that needs {2 * LEAST_BLOCKS} or more"
SAME_RESULT = "the same result on every deal"
FAULTY = 0.1  # share of the hands with a fault from which on a bot is not compared


class HeadToHead(Struct, frozen=True):
    """The result of batches of hands between ``names[0]`` and ``names[1]``."""

    names: tuple[str, ...]
    seed: str
    records: tuple[MatchRecord, ...]
    models: tuple[ModelPlay, ...] = ()  # of bots without a sandbox

    @property
    def margin(self) -> Margin | None:
        """Return the mean lead of the first bot; None if fewer than two pairs of legs were played."""
        return margin(self.records, self.names[0])

    @property
    def faulty(self) -> tuple[str, ...]:
        """Return the bots that were at fault in a share of FAULTY of all hands or more."""
        hands, faults = sum(len(record.hands) for record in self.records), self._faults()
        return tuple(name for name in self.names if len(faults.get(name, ())) >= max(FAULTY * hands, 1))

    def lines(self) -> Iterator[str]:
        """Yield the result as lines of text, the verdict first."""
        yield self._verdict()
        if self.models:
            yield sentence(self.models)
        seats = Counter((record.fixture.pair, hand.game) for record in self.records for hand in record.hands)
        both = sum(played == 2 for played in seats.values())
        yield f"{count(seats.total(), 'hand')}, {count(both, 'deal')} from both seats; repeat them with --seed {self.seed}"
        for name in self.names:
            used = self._usage(name)
            cost = f"{1e3 * _mean(used):.2f} ms a decision, {1e3 * used.slowest:.1f} at most"
            yield f"{name:>24}  {self._wins(name)}; {cost}"
        without_points = [hand.ending for record in self.records for hand in record.hands if hand.winner is None]
        if dead := without_points.count(Ending.DEAD):
            yield f"{'nobody':>24}  {count(dead, 'dead hand')}"
        if equal := len(without_points) - dead:
            yield f"{'nobody':>24}  {count(equal, 'hand')} of equal deadwood"
        if faults := self._named_faults():
            yield f"{count(len(faults), 'fault')}; `arena bots check` looks for the cause, `arena debug` shows the turns"
            yield from fault_lines(faults)
        measured = self.margin
        if measured and not self._why_not_compared and (measured.decides or (measured.is_same and measured.has_interval)):
            yield f"{_moods(measured.blocks)}."

    def document(self) -> "MatchAnswer":
        """Return the result as ``--json`` shows it."""
        measured = self.margin
        return MatchAnswer(
            bots=self.names,
            seed=self.seed,
            hands=sum(len(record.hands) for record in self.records),
            points_a_hand=measured if measured and measured.has_interval else None,
            won=tuple(self._endings(name).total() for name in self.names),
            endings=tuple(dict(self._endings(name)) for name in self.names),
            cpu_a_decision=tuple(_mean(self._usage(name)) for name in self.names),
            slowest=tuple(self._usage(name).slowest for name in self.names),
            faults=self._faults(),
            faulty=self.faulty,
            models=self.models,
        )

    def _verdict(self) -> str:
        measured, (one, other) = self.margin, self.names
        if reason := self._why_not_compared:
            return f"{one} against {other}: no comparison, because {reason}"
        if measured is None:
            return f"{one} against {other}: too few hands to say anything"
        within = MATCH(low=f"{measured.low:+z.2f}", high=f"{measured.high:+z.2f}") if measured.has_interval else SAME_RESULT
        lead = f"{one} {measured.mean:+z.2f} points a hand against {other}, {within}"
        if measured.blocks < LEAST_BLOCKS:
            return f"{lead}: {TOO_FEW}"
        if measured.decides:
            return f"{lead}: {one if measured.mean > 0 else other} is stronger"
        if measured.is_same:
            return f"{lead}: {SAME_RESULT}"
        return f"{lead}: too close to call; about {measured.hands_for(SMALL_DIFFERENCE):,} hands are needed to detect half a point"

    @property
    def _why_not_compared(self) -> str:
        """Return why nothing is said of the bots' strength; empty: it is, if they have played enough."""
        late = {fault.detail for name, _, fault in self._named_faults() if name in self.faulty and fault.kind == "timeout"}
        limit = "stall" if any("idle" in detail for detail in late) else "per_turn"
        more = f"; --time '{{{limit}: 60}}' allows 60 s for an answer" if late else ""
        faults = f"{' and '.join(self.faulty)} had too many faults{more}" if self.faulty else ""
        return faults or why_not_judged(self.models)

    def _wins(self, name: str) -> str:
        endings = self._endings(name)
        how = ", ".join(f"{number} by {ending.value.replace('_', ' ')}" for ending, number in endings.most_common())
        return f"won {count(endings.total(), 'hand')}, {how}" if endings else "won no hand"

    def _endings(self, name: str) -> Counter[Ending]:
        """Return the number of hands that an entrant won by each ending."""
        return Counter(
            hand.ending
            for record in self.records
            for hand in record.hands
            if hand.winner is not None and record.fixture.seats[hand.winner] == name
        )

    def _usage(self, name: str) -> Usage:
        used = [record.usage[record.fixture.seats.index(name)] for record in self.records]
        return Usage(
            sum(one.decisions for one in used),
            sum(one.cpu for one in used),
            sum(one.wall for one in used),
            max((one.slowest for one in used), default=0.0),
        )

    def _faults(self) -> dict[str, list[Fault]]:
        found: dict[str, list[Fault]] = {}
        for name, _, fault in self._named_faults():
            found.setdefault(name, []).append(fault)
        return found

    def _named_faults(self) -> list[tuple[str, str, Fault]]:
        """Return each fault with its bot and its fixture: (bot, fixture, fault)."""
        return [(record.fixture.seats[fault.seat], record.fixture.id, fault) for record in self.records for fault in record.faults]


def _mean(usage: Usage) -> float:
    return usage.cpu / usage.decisions if usage.decisions else 0.0
