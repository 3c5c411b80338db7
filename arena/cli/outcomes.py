"""How a comparison stands, and what it has come to, in words."""

from arena.stats.outcome import Outcome, Spread

SHARES = ("both", "one and a half", "one", "half", "none")  # of a pair of games or matches, that the first has won


def line(outcome: Outcome) -> str:
    """Return how a comparison stands, in a line."""
    unknown = "no end of the interval yet" if outcome.pairs else "nothing yet"
    apart = unknown if outcome.difference is None else f"{spread(outcome.difference)} {outcome.unit}"
    proof = f"better {outcome.better:.2g}, not as good {outcome.worse:.2g}; {min(outcome.proof):.2g} is proof"
    return f"{outcome.hands:>6} hands  {apart}  evidence: {proof}"


def told(a: str, b: str, outcome: Outcome) -> list[str]:
    """Return what a person is told at the end."""
    lines = [verdict(a, b, outcome)]
    if outcome.difference is not None:
        lines.append(f"{spread(outcome.difference)} {outcome.unit}, over {outcome.hands} hands")
    if outcome.pentanomial:
        won = ", ".join(f"{share} of {count}" for share, count in zip(SHARES, reversed(outcome.pentanomial), strict=True) if count)
        lines.append(f"{outcome.pairs} pairs over {outcome.hands} hands; {a} won {won}")
    if outcome.same is not None and outcome.pairs:
        lines.append(f"{outcome.same / outcome.pairs:.1%} of {outcome.pairs} deals went the same way in both legs")
    if outcome.implied:
        games, matches = outcome.implied.games, outcome.implied.matches
        lines.append(f"that is {percent(games)} of games and {percent(matches)} of matches, if no hand hangs on the score")
        lines.append(_saved(outcome, outcome.implied.match_wins))
    return lines


def verdict(a: str, b: str, outcome: Outcome) -> str:
    """Return the verdict as a sentence."""
    low, high = (f"{bound:+g}" for bound in outcome.bounds)
    unit = f"normalized {outcome.unit}" if outcome.pentanomial else outcome.unit  # an interval is in the common, logistic Elo
    match outcome.verdict:
        case "better":
            return f"{a} is better than {low} {unit} against {b}, known after {outcome.decided} hands"
        case "not as good":
            return f"{a} is not as good as {high} {unit} against {b}, known after {outcome.decided} hands"
        case _:
            return f"undecided whether {a} is better than {low} or not as good as {high} {unit} against {b}"


def spread(value: Spread) -> str:
    """Return a number with its interval."""
    return f"{value.value:+z.2f} [{value.low:+z.2f}, {value.high:+z.2f}]"


def percent(chance: Spread) -> str:
    """Return a chance with its interval."""
    return f"{chance.value:.1%} [{chance.low:.0%}, {chance.high:.0%}]"


def _saved(outcome: Outcome, match_wins: float) -> str:
    needed = outcome.decided or outcome.hands
    said = f"a sequential test on independent match wins would take about {match_wins:,.0f} hands"
    return f"{said}: {match_wins / needed:.1f} times as many" if outcome.verdict != "undecided" else said
