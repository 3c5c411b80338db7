"""The comparison of legs played second with those played first (:mod:`arena.stats.pairs`)."""

from collections.abc import Mapping

from arena.reports import numbers
from arena.reports.text_table import TextTable
from arena.stats.second_leg_test import THRESHOLD, SecondLegs
from arena.stats.statements import SECOND_LEGS

CARRIED = "information from the first leg of a pair to the second"
NO_PAIRS = "legs played second: no pair to compare, of which a coin decided which leg is played first"


def second_leg_flags(found: Mapping[str, SecondLegs]) -> list[str]:
    """Return a line for each entrant whose evidence has reached the threshold."""
    return [
        f"{name} plays better in legs played second: evidence {_evidence(one)}; the legs may share information"
        for name, one in found.items()
        if one.is_flagged
    ]


def second_legs_line(one: SecondLegs) -> str:
    """Return an entrant's gain in second legs, in one line."""
    found = "a sign that it carries" if one.is_flagged else "no sign that it carries"
    pairs = numbers.count(one.pairs, "pair")
    return f"{found} {CARRIED} (evidence {_evidence(one)} needed; {one.gain:+z,.2f} points a hand, {pairs})"


def unflagged_line(found: Mapping[str, SecondLegs]) -> str:
    """Return one line about the entrants that are not flagged, with the most evidence among them."""
    quiet = {name: one for name, one in found.items() if not one.is_flagged}
    if not quiet:
        return f"signs that every bot carries {CARRIED}" if found else NO_PAIRS
    name = max(quiet, key=lambda name: quiet[name].evidence)
    who = "another bot" if len(quiet) < len(found) else "a bot"
    return f"no sign that {who} carries {CARRIED} (most evidence: {_evidence(quiet[name])} needed, {name})"


def second_legs_table(found: Mapping[str, SecondLegs]) -> TextTable:
    """Return the gains of all entrants, most evidence first; its title is a line about those that are not flagged."""
    ordered = sorted(found.items(), key=lambda item: -item[1].evidence)
    rows: list[tuple[str, ...]] = [(name, f"{one.pairs:,}", f"{one.gain:+z,.2f}", _evidence(one)) for name, one in ordered]
    note = (
        "A coin decides which leg of a pair is played first. Points a hand: in the leg played second, less those in the first."
        f" {SECOND_LEGS(evidence=f'{THRESHOLD:,.0f}', chance=numbers.share(1 / THRESHOLD, 1))}"
    )
    return TextTable(unflagged_line(found), ("bot", "pairs", "points a hand", "evidence"), rows, (0,), note)


def _evidence(one: SecondLegs) -> str:
    """Return evidence with its threshold, as ``3.2 of 1,000``."""
    shown = f"{one.evidence:.1f}" if one.evidence < 100 else f"{one.evidence:,.0f}"
    return f"{shown} of {one.threshold:,.0f}"
