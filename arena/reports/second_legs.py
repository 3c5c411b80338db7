"""The comparison of legs played second with those played first, in words (:mod:`arena.stats.pairs`)."""

from collections.abc import Mapping

from arena.reports.numbers import share
from arena.stats.pairs import THRESHOLD, SecondLegs

CARRIED = "information from the first leg of a pair to the second"
NO_PAIRS = "legs played second: no pair to compare, of which a coin decided which leg is played first"


def flags(found: Mapping[str, SecondLegs]) -> list[str]:
    """Return a line for each entrant whose evidence has reached the threshold."""
    return [
        f"{name} plays better in legs played second: evidence {_evidence(one)}; the legs may share information"
        for name, one in found.items()
        if one.is_flagged
    ]


def describe(one: SecondLegs) -> str:
    """Return an entrant's gain in second legs, in one line."""
    found = "a sign that it carries" if one.is_flagged else "no sign that it carries"
    pairs = f"{one.pairs:,} pair{'s' * (one.pairs != 1)}"
    return f"{found} {CARRIED} (evidence {_evidence(one)} needed; {one.gain:+z.2f} points a hand, {pairs})"


def describe_all(found: Mapping[str, SecondLegs]) -> str:
    """Return one line about the entrants that are not flagged, with the most evidence among them."""
    quiet = {name: one for name, one in found.items() if not one.is_flagged}
    if not quiet:
        return f"signs that every bot carries {CARRIED}" if found else NO_PAIRS
    name = max(quiet, key=lambda name: quiet[name].evidence)
    who = "another bot" if len(quiet) < len(found) else "a bot"
    return f"no sign that {who} carries {CARRIED} (most evidence: {_evidence(quiet[name])} needed, {name})"


def rows(found: Mapping[str, SecondLegs]) -> list[tuple[str, ...]]:
    """Return the cells of a table under ``HEADINGS``, most evidence first."""
    ordered = sorted(found.items(), key=lambda item: -item[1].evidence)
    return [(name, f"{one.pairs:,}", f"{one.gain:+z.2f}", _evidence(one)) for name, one in ordered]


HEADINGS = ("bot", "pairs", "points a hand", "evidence")
NOTE = (
    "A coin decides which leg of a pair is played first."
    " Points a hand: in the leg played second, less those in the first. A bot whose legs share nothing ever reaches an evidence of"
    f" {THRESHOLD:,.0f} with a chance of at most {share(1 / THRESHOLD, 1)}."
)


def _evidence(one: SecondLegs) -> str:
    """Return evidence with its threshold, as ``3.2 of 1,000``."""
    shown = f"{one.evidence:.1f}" if one.evidence < 100 else f"{one.evidence:,.0f}"
    return f"{shown} of {one.threshold:,.0f}"
