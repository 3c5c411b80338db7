"""As text: the progress and verdict of a comparison of two bots, and the result of a match."""

from collections.abc import Iterator
from math import floor

from arena.reports.comparison_report import ComparisonReport
from arena.reports.numbers import count, interval, level, names, round_up, share, signed, with_ends
from arena.stats.duels import ComparisonOutcome, Verdict
from arena.stats.game_chances import InGames
from arena.stats.resolution import head_to_head
from arena.stats.scales import EQUITY, POINTS, PRIOR_DEALS, Interval
from arena.stats.statements import BOUNDS, IN_GAMES, MOODS, PAIRS_CHOSEN, VERDICT

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


def verdict(shown: ComparisonReport) -> str:
    """Return the verdict as a sentence, without a full stop."""
    return (": " if shown.outcome.void else ", ").join(verdict_parts(shown, against(shown)))


def is_decided(outcome: ComparisonOutcome) -> bool:
    """Tell whether the evidence for one of the two verdicts has reached its bound."""
    return outcome.verdict in (Verdict.BETTER, Verdict.NOT_AS_GOOD)


def verdict_parts(shown: ComparisonReport, whom: str = "") -> tuple[str, str]:
    """Return the verdict, and when it was decided; or that the question is not decided, and after how many hands.

    ``whom`` stands after the claim: the opponents, as `` against a and b``.
    """
    outcome = shown.outcome
    above, below = answers(shown)
    if outcome.void:
        return "No verdict", outcome.void
    if is_decided(outcome):
        claim = above if outcome.verdict is Verdict.BETTER else below
        # legs that have begun are played to their end
        later = f" of {outcome.hands:,}" if outcome.decided and outcome.hands > outcome.decided else ""
        return f"{shown.first} is {claim}{whom}", f"decided after {outcome.decided:,}{later} hands"
    still = "Not decided" if outcome.verdict is Verdict.UNDECIDED else "Not decided yet"
    return f"{still} whether {shown.first} is {above.removeprefix('not ')}{whom}", f"after {count(outcome.hands, 'hand')}"


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
    return f"Difference: {signed(found.value)} {outcome.unit}; {bounds(outcome, signed(found.low), signed(found.high))}"


def bounds(outcome: ComparisonOutcome, low: str, high: str) -> str:
    """Return in words how sure the bounds of a difference are, which are as sure as the verdicts; of a duel on hands."""
    above, below = map(level, outcome.proof)
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
    """Return evidence and the bound that decides: ``3.1 (needs 20)``."""
    shown = "less than 0.01" if found < 0.01 else _size(found)
    if shown == needed(proof) and found < proof:
        shown = f"{floor(10 * found) / 10:,g}"
    return f"{shown} (needs {needed(proof)})"


def needed(proof: float) -> str:
    """Return the evidence that decides as text: ``20``."""
    return f"{proof:.3g}" if proof < 999.5 else f"{proof:,.0f}"


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


def against(shown: ComparisonReport) -> str:
    """Return the opponents that both bots meet, as `` against a and b``; empty: it is a duel."""
    return f" against {names(shown.opponents)}" if shown.opponents else ""


def _meaning(shown: ComparisonReport, means: InGames) -> str:
    won = IN_GAMES(games=_chance_in_words(means.games), matches=_chance_in_words(means.matches))
    if shown.opponents:
        return f"Between two bots such a difference wins {won}, if play does not depend on the score."
    return f"That is {won} won by {shown.first}, if play does not depend on the score."


def _chance_in_words(chance: Interval) -> str:
    return with_ends(share(chance.value, 1), share(chance.low), share(chance.high))


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
    return moods(outcome.blocks)


def moods(blocks: int) -> str:
    """Return the statement about moods that so many fresh blocks would miss."""
    return MOODS(blocks=f"{blocks:,}", share=share(min(3 / blocks, 1), 2))
