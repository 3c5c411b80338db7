"""The progress and the verdict of a comparison of two bots, as text."""

from collections.abc import Iterator

from arena.reports.comparison import ComparisonReport
from arena.reports.numbers import count, names
from arena.stats.implied import InGames
from arena.stats.pairs import CAP
from arena.stats.sequential.betting import Verdict
from arena.stats.sequential.guarantee import DETERMINISTIC, GUARANTEE
from arena.stats.sequential.outcome import ComparisonOutcome, Interval

SHARES = ("both", "one and a half", "one", "half", "none")  # what the first bot won of a pair of games or matches


def progress_line(outcome: ComparisonOutcome) -> str:
    """Return the progress of a comparison in one line."""
    unknown = "no interval yet" if outcome.pairs else "no result yet"
    difference = unknown if outcome.difference is None else f"{interval(outcome.difference)} {outcome.unit}"
    (above, _), (below, _) = _claims(outcome.bounds)
    evidence = f"{above} {outcome.better:.2g}, {below} {outcome.worse:.2g}; decided at {min(outcome.proof):.2g}"
    return f"{outcome.hands:>6} hands{skipped(outcome)}  {difference}  evidence: {evidence}"


def describe(shown: ComparisonReport) -> Iterator[str]:
    """Yield the result of a comparison as lines, the verdict first."""
    yield f"{verdict(shown)}."
    yield from details(shown)


def decided(verdict: Verdict, bounds: tuple[float, float]) -> str:
    """Return what a verdict says of the first bot, in the unit of the bounds of its question: ``not weaker by 0.5 or more``."""
    above, below = ("".join(claim) for claim in _claims(bounds))
    words = {Verdict.BETTER: above, Verdict.NOT_AS_GOOD: below, Verdict.UNDECIDED: "undecided"}
    return words.get(verdict, "not decided yet")


def same_program(first: str, second: str) -> str:
    """Return the result of a comparison of two bots that are the same program."""
    return f"{first} and {second} are the same program, so neither is better; nothing was played."


def verdict(shown: ComparisonReport) -> str:
    """Return the verdict as a sentence, without a full stop."""
    outcome = shown.outcome
    above, below = answers(shown)
    match outcome.verdict:
        case Verdict.BETTER:
            return f"{shown.first} is {above}{_field(shown)}, decided after {outcome.decided:,} hands"
        case Verdict.NOT_AS_GOOD:
            return f"{shown.first} is {below}{_field(shown)}, decided after {outcome.decided:,} hands"
        case state:
            still = "Undecided" if state is Verdict.UNDECIDED else "Not decided yet"
            either = f"{shown.first} is {above}{_field(shown)}"
            return f"{still} after {outcome.hands:,} hands: {either}, or it is {below}"


def details(shown: ComparisonReport) -> Iterator[str]:
    """Yield what stands below the verdict: the difference, what it means in games, the evidence and the cost, one line each."""
    outcome = shown.outcome
    if outcome.difference is not None:
        yield f"Difference: {_of(outcome.difference, '+z.2f')} {outcome.unit}, with a 95 % interval."
    if shown.in_games:
        yield _meaning(shown, shown.in_games)
    above, below = answers(shown)
    yield f"Evidence that {shown.first} is {above}: {evidence(outcome.better, outcome.proof[0])}."
    yield f"Evidence that it is {below}: {evidence(outcome.worse, outcome.proof[1])}."
    yield _cost(shown)
    if outcome.pentanomial and outcome.pairs:
        won = ", ".join(
            f"{share} of {count:,}" for share, count in zip(SHARES, reversed(outcome.pentanomial), strict=True) if count
        )
        yield f"Of {outcome.pairs:,} pairs {shown.first} won {won}."
    if outcome.same is not None and outcome.pairs:
        yield f"{outcome.same / outcome.pairs:.1%} of {outcome.pairs:,} deals had the same result for both."
    yield from limits(outcome)


def evidence(found: float, proof: float) -> str:
    """Return evidence and the bound that decides: ``3.1 of 20``."""
    shown = f"{found:.2g}" if 0.01 <= found < 100 else "less than 0.01" if found < 1 else f"{min(found, 1e6):,.0f}"
    return f"{'more than ' if found > 1e6 else ''}{shown} of {proof:,.3g}"


def answers(shown: ComparisonReport) -> tuple[str, str]:
    """Return what the two possible verdicts say of the first bot: ``stronger than b``."""
    # The bounds are in normalized Elo, the intervals in logistic Elo.
    unit = f"normalized {shown.outcome.unit}" if shown.outcome.pentanomial else shown.outcome.unit
    above, below = (f"{word} than {shown.second}{size}" for word, size in _claims(shown.outcome.bounds, f" {unit}"))
    return above, below


def _claims(bounds: tuple[float, float], unit: str = "") -> tuple[tuple[str, str], tuple[str, str]]:
    """Return what each of the two verdicts says of the first bot: a word, and by how much."""
    low, high = bounds
    return _claim(low, unit, "stronger", "weaker"), _claim(-high, unit, "weaker", "stronger")


def _claim(bound: float, unit: str, more: str, less: str) -> tuple[str, str]:
    """Return what a difference of more than ``bound`` in the direction of ``more`` says."""
    if abs(bound) == 1:
        unit = unit.replace("points", "point", 1)
    if bound >= 0:
        return more, f" by more than {bound:g}{unit}" if bound else ""
    return f"not {less}", f" by {-bound:g}{unit} or more"


def skipped(outcome: ComparisonOutcome) -> str:
    """Return how many hands were not played, if any."""
    return f", {outcome.skipped:,} skipped as equal" if outcome.skipped else ""


def interval(value: Interval) -> str:
    """Return a number and its interval: ``+1.20 [+0.80, +1.60]``."""
    return f"{value.value:+z.2f} [{value.low:+z.2f}, {value.high:+z.2f}]"


def _won(pentanomial: tuple[int, ...]) -> str:
    counted = zip(SHARES, reversed(pentanomial), strict=True)
    return ", ".join(f"{share} of {count:,}" for share, count in counted if count)


def _field(shown: ComparisonReport) -> str:
    return f" against {names(shown.opponents)}" if shown.opponents else ""


def _of(value: Interval, spec: str) -> str:
    return f"{value.value:{spec}} [{value.low:{spec}}, {value.high:{spec}}]"


def _meaning(shown: ComparisonReport, means: InGames) -> str:
    won = f"{_share(means.games)} of games and {_share(means.matches)} of matches"
    if shown.opponents:
        return f"Between two bots such a difference wins {won}, if play does not depend on the score."
    return f"That is {won} won by {shown.first}, if play does not depend on the score."


def _share(chance: Interval) -> str:
    return f"{chance.value:.1%} [{chance.low:.0%}, {chance.high:.0%}]"


def _cost(shown: ComparisonReport) -> str:
    outcome = shown.outcome
    used = f"{outcome.hands:,} of at most {max(shown.most_hands, outcome.counted):,} hands were played{skipped(outcome)}"
    if not outcome.implied:
        return f"{used}."
    wins = outcome.implied.match_wins
    times = f", {wins / outcome.decided:.1f} times as many" if outcome.decided and outcome.verdict != "undecided" else ""
    return f"{used}; a sequential test on independent match wins would take about {wins:,.0f}{times}."


def limits(outcome: ComparisonOutcome) -> Iterator[str]:
    """Yield what the verdict is not about, and what it assumes besides the guarantee."""
    if outcome.capped and "points" in outcome.unit:
        yield f"{outcome.capped / max(outcome.hands, 1):.1%} of hands were worth more than {CAP} points, and count as {CAP}."
    if outcome.clip is not None and outcome.blocks:
        share, clip = (outcome.beyond or 0) / outcome.blocks, f"{outcome.clip:g}"
        yield f"{share:.1%} of {outcome.blocks:,} observations were more than {clip} from the bounds, and count as {clip}."
        yield "The verdict is about the mean of observations that are clipped in this way."
    if outcome.lost:
        yield f"{count(outcome.lost, 'leg')} lost with the worker that played: counted as the worst for each side of the test."
    if outcome.deterministic:
        yield DETERMINISTIC
    if rare := rarest_mood(outcome):
        yield f"{rare}."


def guarantee(outcome: ComparisonOutcome) -> str:
    """Return what a verdict promises, and all that it assumes; empty where it promises less: equity, matches, larger errors."""
    if outcome.blocks is None or outcome.clip is not None or min(outcome.proof) < 20:
        return ""
    return f"{GUARANTEE} {DETERMINISTIC}" if outcome.deterministic else GUARANTEE


def rarest_mood(outcome: ComparisonOutcome) -> str:
    """Return which moods a verdict "not weaker" cannot exclude, by the rule of three; empty for any other verdict."""
    if outcome.verdict is not Verdict.BETTER or outcome.bounds[0] >= 0 or not outcome.fresh:
        return ""
    return f"{outcome.fresh:,} fresh blocks: a mood in fewer than {min(3 / outcome.fresh, 1):.2%} of them cannot be excluded"
