"""The tables and lines of a report as text, shared by the console, Markdown, CSV and the page."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.records import UNCONFINED
from arena.reports import numbers
from arena.reports.comparison_report import ComparisonReport
from arena.reports.faults import GROUPS_SHOWN, FaultGroup, count_line, left_out, place, summaries
from arena.reports.rankings import place_tables
from arena.reports.report import Report
from arena.reports.second_legs import second_leg_flags, unflagged_line
from arena.reports.strip_lines import strip_lines
from arena.reports.text_table import Drawing, TextTable
from arena.reports.verdict import details
from arena.stats.estimate import Estimate
from arena.stats.standings import Standing
from arena.stats.statements import CHANCE, PLACES, RATING, RESIDUAL
from arena.stats.strengths import Strength, Strengths, notes
from arena.stats.tally import Counts
from arena.suggestions import capital


def opening(report: Report, width: int = 80) -> Iterator[str | Drawing]:
    """Yield the beginning of a report: who leads, how sure that is, and what would make it surer; ``width``: of the terminal."""
    answer = report.answer
    yield from [report.summary] if report.comparison else answer.statements
    yield from warnings(report)
    if drawn := strip_lines(answer, width):
        yield Drawing("", drawn)
    yield from filter(None, [answer.advice])


def numbers_behind(report: Report) -> list[str]:
    """Return the numbers behind the verdict of a comparison, a line each; none for another format."""
    return [*details(report.comparison)] if report.comparison else []


def warnings(report: Report, place: Callable[[FaultGroup], str] = place) -> list[str]:
    """Return the warnings below an answer: suspicious legs, void ones, and the bots with faults."""
    return [
        *second_leg_flags(report.second_legs),
        *([] if report.comparison else void_line(report.void)),
        *summaries(report.fault_groups, place),
    ]


def void_line(void: Mapping[str, int]) -> Iterator[str]:
    """Yield the number of void fixtures of each entrant in a line, if there are any."""
    if void:
        each = ", ".join(f"{name} {number}" for name, number in void.items())
        lost = numbers.count(sum(void.values()) // 2, "result is", "results are")
        yield f"{lost} void, lost with the process that played: {each}"


def tables(report: Report) -> list[TextTable]:
    """Return the tables of a report in reading order."""
    if report.comparison:
        shown = [hands_table(report, report.comparison), play_table(report)]
        return [*shown, fault_table(report)] if report.faults else shown
    if not report.rated:
        return [unrated_table(report), *([fault_table(report)] if report.faults else [])]
    shown = [standing_table(report), play_table(report)]
    if report.has_cross_table and not report.tally.is_star:  # of a star the standings have every meeting already
        shown.append(crosstable(report))
    if report.strengths and report.strengths.entrants:
        shown.insert(1, strength_table(report, report.strengths))
    return [*shown, fault_table(report)] if report.faults else shown


class StandingColumn(Struct, frozen=True):
    """A column of a table with a row for each entrant."""

    heading: str
    cell: Callable[[Standing], str]


def standing_table(report: Report) -> TextTable:
    """Return the ranking; the rank is a dash if the bots ran without a sandbox.

    Where the format decides the places, ratings are evidence beside them; the ranks by them are on the page, as rank chances.
    """
    ranked, by_format = report.isolation.profile != "none", bool(report.details)
    places = _places(report)
    rank = StandingColumn("#", lambda row: places[row.entrant] if ranked else numbers.MISSING)
    columns = [
        rank,
        BOT,
        *_winnings_columns(report),
        StandingColumn(numbers.rating_name(report.rated_by), lambda row: numbers.rating(row.rating)),
    ]
    if _has_chances(report):
        columns.append(StandingColumn("strongest" if by_format else "first", lambda row: numbers.first(row.rating)))
        columns += [] if by_format else [StandingColumn("places", lambda row: numbers.places(row.rating))]
    return _by_column("Standings", columns, report.standings, _standing_note(report), left=(1,))


def _places(report: Report) -> dict[str, str]:
    """Return the place of each entrant as text; a range, as ``5–8``, where a bracket has not yet decided between several."""
    sharing = Counter(row.rank for row in report.standings)
    in_brackets = bool(report.details and report.details.brackets)
    last = {rank: rank + several - 1 for rank, several in sharing.items()}
    return {
        row.entrant: f"{row.rank}–{last[row.rank]}" if in_brackets and sharing[row.rank] > 1 else str(row.rank)
        for row in report.standings
    }


def unrated_table(report: Report) -> TextTable:
    """Return the format's own ranking, with the faults of each bot."""
    table = (place_tables(report) or [TextTable("Ranking", ("#", "bot"), [], (1,))])[0]
    faults = {row.entrant: str(row.counts.faults.total) for row in report.standings}
    rows = [(*row, faults[row[1]]) for row in table.rows]
    return replace(table, headings=(*table.headings, "faults"), rows=rows)


def _has_chances(report: Report) -> bool:
    """Tell whether chances of ranks are shown: always during a run, so that later rows fit the headings of a live page."""
    return not report.finished or any(row.rating and row.rating.ranks for row in report.standings)


def _standing_note(report: Report) -> str:
    heading = numbers.rating_name(report.rated_by)
    parts = [_won_note(report), f"{capital(heading)}: {RATED.get(report.rated_by, 'rating')}, ± {RATING}."]
    if _has_chances(report):
        chance = CHANCE(rating=numbers.rating_name(report.rated_by))
        by_format = f"#: the place that the format has given it. Strongest: {chance}"
        parts.append(by_format if report.details else f"First: {chance} Places: {PLACES}.")
    return " ".join(parts)


RATED = {"bradley-terry": "rating from matches, mean 0", "points": numbers.RATING_UNITS["points"]}


def hands_table(report: Report, comparison: ComparisonReport) -> TextTable:
    """Return the winnings of the two bots of a comparison; against each opponent, if both met the same."""
    rows = [row for row in report.standings if row.entrant in (comparison.first, comparison.second)]
    rows.sort(key=lambda row: row.entrant != comparison.first)
    if not comparison.opponents:
        columns = [BOT, StandingColumn("hands", lambda row: f"{row.counts.hands:,}"), *_winnings_columns(report)]
        note = f"{_won_note(report)} {_in_full(comparison)}".strip()
        return _by_column("Results", columns, rows, note, left=(0,))
    cells = [
        (name, *(numbers.number(report.tally.between(row.entrant, name).points_a_hand, "+z,.2f") for row in rows))
        for name in comparison.opponents
    ]
    note = f"Of each bot against each opponent. {_in_full(comparison)}"
    return TextTable("Results", ("against", *(row.entrant for row in rows)), cells, (0,), note)


def _in_full(comparison: ComparisonReport) -> str:
    """Return why the points of a table differ from the difference of a verdict."""
    outcome = comparison.outcome
    other = f"; the difference above is less luck, and a hand counts as at most {outcome.most} points"
    return f"Points a hand: every hand in full, luck included{other if 'points' in outcome.unit else ''}."


BOT = StandingColumn("bot", lambda row: row.entrant)


def _winnings_columns(report: Report) -> list[StandingColumn]:
    """Return the columns of what was won; those of matches and games only if matches were played."""
    points = StandingColumn("points a hand", lambda row: numbers.number(row.counts.points_a_hand, "+z,.2f"))
    if report.batches:
        return [points] if report.comparison else [PAIRS, points]
    games = StandingColumn("games", lambda row: f"{row.counts.games_won}–{row.counts.games_lost}")
    return [StandingColumn("matches", lambda row: numbers.matches(row.counts)), PAIRS, games, points]


PAIRS = StandingColumn("pairs", lambda row: f"{row.counts.pairs_won}–{row.counts.pairs_drawn}–{row.counts.pairs_lost}")


def _won_note(report: Report) -> str:
    if not report.batches:
        pair = "A pair is two matches on the same deals with the seats swapped."
        return f"Matches, pairs and games: won–lost, draws in between. {pair}"
    pair = "A pair is the same deals played from both seats; more points win it."
    return "" if report.comparison else f"Pairs: won–drawn–lost. {pair}"


def _by_column(
    title: str, columns: Sequence[StandingColumn], rows: Sequence[Standing], note: str, *, left: tuple[int, ...]
) -> TextTable:
    cells = [tuple(column.cell(row) for column in columns) for row in rows]
    return TextTable(title, tuple(column.heading for column in columns), cells, left, note)


def strength_table(report: Report, strengths: Strengths) -> TextTable:
    """Return the rating by points with the ranks that it gives, unless the standings show it, and the least expected results."""
    known = strengths.entrants
    rated = [
        StandingColumn("rating", lambda row: numbers.rating(known[row.entrant].points)),
        StandingColumn("first", lambda row: numbers.first(known[row.entrant].points)),
        StandingColumn("places", lambda row: numbers.places(known[row.entrant].points)),
    ]
    unexpected = StandingColumn("least expected result", lambda row: _largest_residual(known[row.entrant]))
    rows = [row for row in report.standings if row.entrant in known]
    if report.rated_by == "points":
        return _by_column("Least expected results", [BOT, unexpected], rows, UNEXPECTED, left=(0, 1))
    return _by_column("Rating by points", [BOT, *rated, unexpected], rows, f"{POINTS_RATED} {UNEXPECTED}", left=(0, 4))


POINTS_RATED = f"Rating: {numbers.RATING_UNITS['points']}, ± {RATING}. First: {CHANCE(rating='this rating')} Places: {PLACES}."
UNEXPECTED = f"Least expected result: the opponent against whom {RESIDUAL}."


def caveats(report: Report) -> list[str]:
    """Return warnings about the ratings, each with the entrants that it concerns."""
    known = report.strengths
    if known is None or report.comparison:
        return []
    lines = _caveats(
        numbers.rating_name(report.rated_by), {row.entrant: row.rating for row in report.standings}, len(report.standings)
    )
    if report.rated_by != "points":
        lines += _caveats("rating by points", {name: one.points for name, one in known.entrants.items()}, len(report.standings))
    if known.cyclic is not None and round(known.cyclic, 3):
        advice = "; compare the bots two by two" if known.warns else ""
        lines.append(
            f"results in a circle (A beats B beats C beats A): {numbers.share(known.cyclic, 1)}; no rating can show them{advice}"
        )
    return lines


def _caveats(name: str, estimates: Mapping[str, Estimate | None], size: int) -> list[str]:
    """Return the notes on the estimates; entrants are named unless a note concerns all ``size`` of them."""
    found = notes(estimates)
    return [f"{name}: {note}" + ("" if len(names) == size else f" ({', '.join(names)})") for note, names in found]


def remarks(report: Report) -> list[str]:
    """Return the lines below the tables: warnings about ratings, and signs that a leg played second used the first one."""
    return [*caveats(report), unflagged_line(report.second_legs)] if report.rated else []


def play_table(report: Report) -> TextTable:
    """Return the endings of each bot's hands, its faults and its processor time."""
    headings = ("bot", "hands", "points", "gin", "big gin", "knock", "undercut", "nobody", "faults", "CPU ms")
    rows = [_play_cells(row.entrant, row.counts) for row in report.standings]
    forfeits = " Lost: matches forfeited by faults." if any(row.counts.forfeits for row in report.standings) else ""
    note = (
        "Points: scored–conceded. Gin, big gin, knock: hands that it won so. Undercut: hands that it won after the other's knock."
        f" Nobody: hands that nobody won.{forfeits} CPU ms: mean processor time of a decision."
    )
    return TextTable("Hands and faults", headings, rows, (0,), note)


def crosstable(report: Report) -> TextTable:
    """Return the matches won and lost against each opponent, if there were matches, and the net points a hand."""
    names = [row.entrant for row in report.standings]
    rows = [(name, *(meeting(report, report.tally.between(name, other)) for other in names)) for name in names]
    won = "Net points a hand" if report.batches else "Matches won–lost and net points a hand"
    note = f"{won}, of the bot in the row against the bot in the column."
    return TextTable("Head to head", ("bot", *names), rows, (0,), note)


def fault_table(report: Report, place: Callable[[FaultGroup], str] = place) -> TextTable:
    """Return the faults grouped by cause, with the turn of the first in each group."""
    rows: list[tuple[str, ...]] = [(group.entrant, count_line(group), place(group)) for group in report.fault_groups[:GROUPS_SHOWN]]
    more = left_out(report.fault_groups, report.fault_total)
    return TextTable("Faults", ("bot", "fault", "first seen in"), rows, (0, 1, 2), f"{more.capitalize()}." if more else "")


def _largest_residual(known: Strength) -> str:
    found = known.largest_residual
    return numbers.MISSING if found is None else f"{found[1]:+z,.1f} against {found[0]}"


def _play_cells(entrant: str, counts: Counts) -> tuple[str, ...]:
    endings = (counts.gins, counts.big_gins, counts.knocks, counts.undercuts, counts.dead)
    forfeits = f" ({counts.forfeits} lost)" if counts.forfeits else ""
    cpu = counts.cpu_a_decision
    return (
        entrant,
        str(counts.hands),
        f"{counts.points_for}–{counts.points_against}",
        *(str(value) for value in endings),
        f"{counts.faults.total}{forfeits}",
        numbers.number(None if cpu is None else 1000 * cpu, ".3f"),
    )


def meeting(report: Report, counts: Counts) -> str:
    """Return the winnings against one opponent; empty if they have not met."""
    if not counts.hands:
        return ""
    won = "" if report.batches else f"{numbers.matches(counts)} "
    return f"{won}{numbers.number(counts.points_a_hand, '+z,.1f')}"


def heading(report: Report) -> str:
    """Return the title and how much was played, in one line."""
    return f"{report.title}: {played_line(report)}"


def played_line(report: Report) -> str:
    """Return the amount of play, with a note while a run is not finished; a league has no end."""
    return amount_played(report) + ("" if report.finished or report.is_league else ", not finished")


def amount_played(report: Report, total: int | None = None, *, at_least: bool = False) -> str:
    """Return the amount of play: ``24 matches, 1,540 hands, grown once``; of a run that is not finished also of how much.

    ``total``: of matches, where it is known better than when the report was made; ``at_least``: results may add to it.
    """
    grown = sum(key.startswith("spec ") for key in report.provenance)  # each later spec has a number
    growth = f", grown {'once' if grown == 1 else f'{grown} times'}" if grown else ""
    whole, bound = (total, "at least" * at_least) if total else (report.planned, report.planned_as)
    # of a comparison, what its verdict counts: the other leg of the last ones may be in play
    hands = report.comparison.outcome.hands if report.comparison else report.hands
    if report.comparison and not report.finished:
        return f"{hands:,} of at most {numbers.count(max(report.comparison.most_hands, hands), 'hand')}{growth}"
    if report.batches:
        return _of_all(hands, "hand", "hands", whole, bound) + growth
    played = f"{_of_all(report.matches, 'match', 'matches', whole, bound)}, " if report.matches or whole else ""
    return f"{played}{numbers.count(hands, 'hand')}{growth}"


def _of_all(done: int, one: str, several: str, whole: int, bound: str) -> str:
    """Return how many of ``whole`` there were: ``24 of at least 60 matches``; alone, where the whole is not known."""
    if not whole or done > whole or (done == whole and bound == "at least"):
        return numbers.count(done, one, several)
    return f"{done:,} of {f'{bound} ' * bool(bound)}{numbers.count(whole, one, several)}"


def isolation_line(report: Report) -> str:
    """Return the isolation of the bots in one line, with the layers that the machine did not provide."""
    known = report.isolation
    if known.profile == "none":
        return f"NOT ISOLATED: {', '.join(known.missing) or 'no sandbox'}, so the bots are not ranked"
    if known.profile == UNCONFINED:
        return f"NOT ISOLATED: {', '.join(known.missing)}"
    parts = [f"profile {known.profile}"]
    parts += [f"missing {layer}" for layer in known.missing]
    parts += [] if known.sealed else ["NOT SEALED"]
    parts += [f"NOT SEALED because they open files while they play: {', '.join(report.reading)}"] if report.reading else []
    return f"{'isolated in the sandbox,' if known.isolated else 'NOT ISOLATED:'} {', '.join(parts)}"


def provenance_lines(report: Report) -> list[str]:
    """Return the facts needed to reproduce the numbers, one line each; the spec, which has several lines, is left out."""
    known = report.isolation
    layers = [f"Landlock ABI {known.landlock}"] if known.landlock else []
    layers += [f"system-call filter {known.filter[:12]}"] if known.filter else []
    lines = [f"{key}: {value}" for key, value in report.provenance.items() if "\n" not in value]
    return [*lines, *([f"layers of the sandbox: {', '.join(layers)}"] if layers else [])]
