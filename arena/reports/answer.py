"""The answer of a report: who won or leads, how sure that is as evidence of strength, and what would make it surer.

A terminal, Markdown, a page and JSON show its parts in this order. To win and to be strong are two statements: while a tournament
is played, the leader is the bot that is most likely the strongest (in brackets, of those not knocked out), even if another one has
won more, and nobody leads bots that it has not met, not even by way of others; at its end the format says who won.

A tournament is settled when one bot alone may be the strongest (:mod:`arena.stats.strongest`), which no later result takes back. A
leader is likely the strongest if the least chance that results allow (:mod:`arena.stats.ranks`) is high.
"""

import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite, isinf
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arena.reports.answer_card import OPEN, WEAK, AnswerCard, Strip
from arena.reports.numbers import (
    RATING_UNITS,
    count,
    first_in_words,
    matches,
    names,
    number,
    percent,
    rating,
    rating_axis,
    rating_name,
    round_up,
)
from arena.stats.components import parts
from arena.stats.estimate import Estimate
from arena.stats.format_details import Details
from arena.stats.standings import Standing, merit
from arena.stats.statements import EQUAL, LEADER, LIKELY, MORE_LIKELY, SETTLED, STRONGEST
from arena.stats.tally import Counts, Tally

TIED = 0.02  # chances to be the strongest that differ by no more count as equal: they are estimated by random draws
MOST_EXTRA_PLAY = 20  # times the play so far; more is not advised
STRIPS = 6  # bots whose intervals are drawn

VERY_WIDE = 0.5  # a range of a chance that is wider says next to nothing
LIKELY_FROM = 0.6  # a leader is likely the strongest if its range of chance begins here or above


class DuelCommands(Struct, frozen=True):
    """The commands that compare two bots of a run."""

    bots: Mapping[str, str] = {}  # by entrant: the name or path that a command takes; without entrants that no command finds
    rules: str = ""  # as ``--rules`` takes them; empty: the default ones of a duel

    def command(self, one: str, other: str) -> str:
        """Return the command that compares two entrants; empty: no command finds one of them."""
        if one not in self.bots or other not in self.bots:
            return ""
        chosen = f" --rules {shlex.quote(self.rules)}" if self.rules else ""
        return f"arena duel {shlex.quote(self.bots[one])} {shlex.quote(self.bots[other])}{chosen}"

    def advice(self, one: str, other: str) -> tuple[str, str]:
        """Return the advice to compare two entrants in words, and its command."""
        return f"a duel of {one} and {other}", self.command(one, other)


APART = "some bots have not met, not even by way of others"
NOBODY_LEADS: Final = AnswerCard(finished=False, who="Nobody leads yet", why=f"nothing compares all bots: {APART}")
NO_COMMANDS: Final = DuelCommands()
BY_WINNINGS: Final = Details()  # of a format that ranks by what was won


def answer_of_standings(
    rows: Sequence[Standing],
    tally: Tally,
    rated_by: str,
    details: Details = BY_WINNINGS,
    *,
    finished: bool,
    duels: DuelCommands = NO_COMMANDS,
    is_league: bool = False,
) -> AnswerCard:
    """Return the answer of standings of bots that have played; ``rated_by`` is the name of the rating.

    ``details`` are those of the format. If it has brackets, only a bot that is not knocked out can lead.
    """
    if sum(row.counts.matches_won + row.counts.matches_drawn / 2 for row in rows) == 1:  # a match is a win, or two halves
        return _only_match([row.entrant for row in rows if row.counts.matches_won], finished=finished)
    first = [row for row in rows if row.rank == 1]
    by_chance = sorted(rows, key=_chance, reverse=True)
    strongest = by_chance[0] if _chance(by_chance[0]) else first[0]
    leader = first[0] if finished else max(first, key=_chance) if details.brackets else strongest
    groups, rest = _groups(rows, tally), "more rounds of the league" if is_league else "the rest of this run"
    if groups > 1 and not finished and (len(first) > 1 or not details.stage):
        return replace(NOBODY_LEADS, how=details.stage, surer=rest)
    shown = _rows_of_strips(rows if finished else by_chance, strongest) if groups == 1 else []
    won = AnswerCard(
        finished=finished,
        who=f"{leader.entrant} {'won' if finished else 'leads'}",
        how=(details.decided or _winnings(leader.counts) + (_tie_break(rows) or _runner_up(rows)))
        if finished
        else _so_far(details, leader),
    )
    known = _with_strips(won, shown, rows, f"{rating_axis(rated_by)}{', mean 0' if rated_by in RATING_UNITS else ''}")
    if groups > 1:
        return replace(known, why=f"whether {leader.entrant} is the strongest is not known: {APART}")
    found, rival = _certainty(known, rows, leader, strongest, rating_name(rated_by))
    if not rival:
        return found
    if not finished:
        return replace(found, surer=rest)
    duel, command = duels.advice(leader.entrant, rival.entrant)
    more = "" if details.decided or len(first) > 1 else _more(rival, tally.between(leader.entrant, rival.entrant), len(rows))
    return replace(found, surer=f"{more}, or {duel}" if more else duel, command=command)


def _certainty(
    known: AnswerCard, rows: Sequence[Standing], leader: Standing, strongest: Standing, by: str
) -> tuple[AnswerCard, Standing | None]:
    """Return the answer with how sure it is, and the closest rival of the leader; None: there is none, or it is not known."""
    first, left = [row for row in rows if row.rank == 1], possibly_strongest(rows)
    if known.finished and len(first) > 1:
        who = f"{names([row.entrant for row in first])} share the first place"
        return replace(known, who=who, how="", sure=OPEN, why="their results are equal"), first[1]
    only = STRONGEST(rating=by, bots=_names_of_strongest(left)) if 0 < len(left) < len(rows) else ""
    if len(left) == 1:
        return replace(known, sure=str(SETTLED) if left[0] is leader else WEAK, why=only, chance=_range(leader)), None
    if _chance(strongest) > _chance(leader) + TIED:
        own, other = (_chance_in_words(row) for row in (leader, strongest))
        why = MORE_LIKELY(rating=by, strongest=strongest.entrant, chance=other, leader=leader.entrant, own=own)
        return replace(known, sure=WEAK, why=why, chance=_range(leader)), strongest
    if leader.rating is None or not leader.rating.ranks:
        return replace(known, why=f"whether {leader.entrant} is the strongest is not known"), None
    low, high = _range(leader)
    little = "little is known; " if high - low > VERY_WIDE else ""
    chance = little + LEADER(chance=first_in_words(leader.rating), bot=leader.entrant, rating=by)
    sure = str(LIKELY) if low >= LIKELY_FROM else OPEN
    equals = f" ({EQUAL(chance=percent(1 / len(leader.rating.ranks)))})" if sure == OPEN else ""
    why = "; ".join(filter(None, [chance + equals, only]))
    others = [row for row in left or rows if row is not leader]
    best = max(map(_chance, others), default=0.0)
    rival = next((row for row in others if _chance(row) >= best - TIED), None)
    return replace(known, sure=sure, why=why, chance=_range(leader)), rival


def _groups(rows: Sequence[Standing], tally: Tally) -> int:
    """Return the number of groups of those that have played whose bots met no bot of another: nothing compares them."""
    places = {row.entrant: place for place, row in enumerate(row for row in rows if tally.crosstable.get(row.entrant))}
    return len(parts([{places[other] for other in tally.crosstable[one] if other in places} for one in places]))


def possibly_strongest(rows: Sequence[Standing]) -> list[Standing]:
    """Return the rows of those that may be the strongest; empty: it is not known."""
    if all(row.rating is None or row.rating.contends is None for row in rows):
        return []
    return [row for row in rows if row.rating is None or row.rating.contends is not False]


def _names_of_strongest(left: Sequence[Standing]) -> str:
    """Return the names in a sentence: ``one of a, b and c``; of many ``one of 5 bots``."""
    found = names([row.entrant for row in sorted(left, key=_chance, reverse=True)])
    return f"one of {found}" if len(left) > 1 else found


def answer_of_league(
    ranking: Sequence[str], ratings: Mapping[str, Estimate], matches: Mapping[str, int], rated_by: str
) -> AnswerCard | None:
    """Return the answer of a league with this ranking, judged as that of a tournament; None: fewer than two bots have a rank.

    ``ratings`` are those of the versions in the ranking, and ``matches`` how many each has played.
    """
    rows = [Standing(rank, name, Counts(), ratings[name]) for rank, name in enumerate(ranking, 1)]
    if len(rows) < 2:
        return None
    first, unit = rows[0], "points a hand" if rated_by == "points" else rating_name(rated_by)
    if not ratings[first.entrant].ranks:
        return replace(NOBODY_LEADS, surer="more rounds of the league")
    gap = ratings[ranking[0]].value - ratings[ranking[1]].value
    ahead = f"{gap:,.{0 if unit == 'Elo' else 2}f} {unit} ahead of {ranking[1]}, after " if gap > 0 else ""
    how = f"{ahead or 'after '}{count(matches[first.entrant], 'match', 'matches')}"
    leading = AnswerCard(finished=False, who=f"{first.entrant} leads", how=how)
    known = _with_strips(leading, rows[:STRIPS], rows, rating_axis(rated_by))
    found, rival = _certainty(known, rows, first, max(rows, key=_chance), rating_name(rated_by))
    if not rival:
        return found
    more = _extra_play(rival)
    if more is None:
        return replace(found, surer=f"more rounds in which {first.entrant} and {rival.entrant} meet")
    return replace(found, surer=f"about {count(round_up(more * matches[first.entrant]), 'more match', 'more matches')} of each bot")


def _only_match(winners: Sequence[str], *, finished: bool) -> AnswerCard:
    """Return the answer of a single match; in words that fit a person called "you"."""
    result = f"{winners[0]} won the only match" if winners else "The only match was drawn"
    return AnswerCard(finished=finished, who=result, sure=WEAK, why="a single match does not tell who is stronger")


def _chance(row: Standing) -> float:
    """Return the chance to be the strongest; 0 if it was not computed."""
    return row.rating.ranks[0] if row.rating and row.rating.ranks else 0.0


def _range(row: Standing) -> tuple[float, float]:
    """Return the range of the chance to be the strongest."""
    return row.rating.first if row.rating and row.rating.first else (_chance(row), _chance(row))


def _chance_in_words(row: Standing) -> str:
    return first_in_words(row.rating) if row.rating and row.rating.ranks else percent(0.0)


def _winnings(counts: Counts) -> str:
    """Return the winnings of a bot: ``14–2 in matches, +3.40 points a hand``, or its points alone."""
    points = f"{number(counts.points_a_hand, '+z,.2f')} points a hand"
    if _played_matches(counts):
        return f"{matches(counts)} in matches, {points}"
    return f"{points} against those it met"  # the rating beside it is in points a hand too, against the mean of all


def _played_matches(counts: Counts) -> bool:
    """Tell whether whole matches were played, not single hands alone."""
    return counts.matches_won + counts.matches_lost + counts.matches_drawn > 0


def _so_far(details: Details, leader: Standing) -> str:
    """Return the stage, and the winnings of a bot: ``round 2 of 5; 3–1 in matches, +3.40 points a hand``."""
    return "; ".join(filter(None, [details.stage, _winnings(leader.counts)]))


def _rows_of_strips(rows: Sequence[Standing], strongest: Standing) -> list[Standing]:
    """Return the first ``STRIPS`` rows; the last of them gives way to the strongest bot if that is not among them."""
    first = list(rows[:STRIPS])
    return first if strongest in first else [*first[:-1], strongest]


def _with_strips(card: AnswerCard, shown: Sequence[Standing], rows: Sequence[Standing], label: str) -> AnswerCard:
    """Return a card with the ratings of ``shown``, if any has two ends; the label says how many of all ``rows`` are drawn."""
    rated = [(row.entrant, row.rating) for row in shown if row.rating and (isfinite(row.rating.low) or isfinite(row.rating.high))]
    strips = [_strip(name, found) for name, found in rated]
    dots = [one.value for one in strips if not one.bound]
    if not dots:
        return card
    if card.finished and not all(one >= other for one, other in pairwise(dots)):
        label = f"{label}, by rank"
    if len(strips) < len(rows):
        label = f"{label}; {len(strips)} of {len(rows)} bots"
    return replace(card, unit=label, strips=tuple(strips))


def _strip(name: str, found: Estimate) -> Strip:
    """Return the strip of a rating."""
    text = rating(found, short=False)
    if not found.one_sided:
        return Strip(name, found.value, found.low, found.high, text)
    end = found.high if isinf(found.low) else found.low
    return Strip(name, end, end, end, text, "below" if isinf(found.low) else "above")


def _tie_break(rows: Sequence[Standing]) -> str:
    """Return the criterion that separates the first from the second where their matches do not; empty: the matches do."""
    second = next((row for row in rows if row.rank == 2), None)
    if second is None:
        return ""
    criteria = zip(("matches", "pairs", "games", "points"), merit(rows[0].counts), merit(second.counts), strict=True)
    by = next((name for name, own, other in criteria if own != other), "matches")
    return "" if by == "matches" or not _played_matches(rows[0].counts) else f"; ahead of {second.entrant} by {by}"


def _runner_up(rows: Sequence[Standing]) -> str:
    """Return the second with what it won; empty: there is none, or more than one, or it won as much as the first."""
    second = [row for row in rows if row.rank == 2]
    if len(second) != 1 or not second[0].counts.hands:
        return ""
    first, other = rows[0].counts, second[0].counts
    if not _played_matches(first):
        is_less, won = (other.points_a_hand or 0) < (first.points_a_hand or 0), number(other.points_a_hand, "+z,.2f")
    else:
        is_less, won = merit(other)[0] < merit(first)[0], matches(other)
    return f"; {second[0].entrant} {won}" if is_less else ""  # a format may rank by something else


def _more(rival: Standing, met: Counts, size: int) -> str:
    """Return the play after which a rival would no longer contend; empty: too much, not known, or they have not met."""
    more = _extra_play(rival)
    if more is None or not met.hands:
        return ""
    between = "" if size == 2 else " between every two bots"
    if not (met.games_won or met.games_lost):
        return f"about {count(round_up(more * met.hands), 'more hand')}{between}"
    return f"about {count(round_up(more * max(met.pairs, 1)), 'more pair')}{between}"


def _extra_play(rival: Standing) -> float | None:
    """Return the play after which a rival would no longer contend, in multiples of that so far; None: too much, or not known."""
    times = rival.rating.out_after if rival.rating else None
    return None if times is None or times - 1 > MOST_EXTRA_PLAY else times - 1
