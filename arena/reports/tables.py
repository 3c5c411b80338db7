"""The tables of a report as people read them, for every renderer that shows text."""

from msgspec import Struct

from arena.reports.report import Report, ShownFault
from arena.stats.ratings.base import Estimate
from arena.stats.standings import Standing
from arena.stats.strengths import Strength, Strengths, notes, rank_interval
from arena.stats.tally import Counts

NOTHING = "–"
FAULTS = 20  # shown to people; programs get more


class Table(Struct, frozen=True):
    """A table in text."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    words: tuple[int, ...]  # the columns to set flush left


def tables(report: Report) -> list[Table]:
    """Return the tables of a report, in the order in which they are read."""
    shown = [standing_table(report), play_table(report), crosstable(report)]
    if report.strengths and report.strengths.entrants:
        shown.insert(1, strength_table(report, report.strengths))
    return [*shown, fault_table(report)] if report.faults else shown


def standing_table(report: Report) -> Table:
    """Return who is where, and by how much."""
    ranked = report.walls.profile != "none"
    headings = ("#", "bot", "matches", "pairs", "games", "points a hand", "rating", "95 %")
    return Table("Standings", headings, [_standing(row, ranked=ranked) for row in report.standings], (1,))


def strength_table(report: Report, strengths: Strengths) -> Table:
    """Return how far to believe the ranks, and who does unlike its rating against whom, in standard errors."""
    headings = ("bot", "points rating", "95 %", "first", "ranks", "Nash", "strangest")
    rows = [_strength(row, strengths.entrants[row.entrant]) for row in report.standings if row.entrant in strengths.entrants]
    return Table("Strength", headings, rows, (0, 6))


def caveats(report: Report) -> list[str]:
    """Return what must be known of the ratings: what a note says, and of whom."""
    known = report.strengths
    if known is None:
        return []
    said = [_caveat(report.rated_by, notes({row.entrant: row.rating for row in report.standings}), len(report.standings))]
    if report.rated_by != "points":
        said.append(_caveat("points", notes({name: one.points for name, one in known.entrants.items()}), len(report.standings)))
    circular = [] if known.cyclic is None else [f"circles: {known.cyclic:.1%} of who beats whom no rating can say"]
    warned = [f"{circular[0]}; compare the bots two by two"] if known.warns else circular
    return [line for lines in said for line in lines] + warned


def _caveat(rating: str, found: list[tuple[str, list[str]]], field: int) -> list[str]:
    return [f"{rating}: {note}" + ("" if len(names) == field else f" ({', '.join(names)})") for note, names in found]


def play_table(report: Report) -> Table:
    """Return how everybody played; a match lost by faults stands behind them."""
    headings = ("bot", "hands", "points", "gin", "big", "knock", "under", "dead", "faults", "CPU ms")
    return Table("Play", headings, [_play(row.entrant, row.counts) for row in report.standings], (0,))


def crosstable(report: Report) -> Table:
    """Return the matches won and lost against everybody, and the points a hand."""
    names = [row.entrant for row in report.standings]
    rows = [(name, *(_meeting(report.tally.between(name, other)) for other in names)) for name in names]
    return Table("Matches won–lost, points a hand", ("bot", *names), rows, (0,))


def fault_table(report: Report) -> Table:
    """Return the first faults, with what was found and what was allowed."""
    rows = [_fault(shown) for shown in report.faults[:FAULTS]]
    return Table("Faults", ("bot", "fixture", "hand", "kind", "detail"), rows, (0, 1, 2, 3, 4))


def _fault(shown: ShownFault) -> tuple[str, ...]:
    fault = shown.fault
    detail = f"{fault.detail} ({fault.clause})" if fault.clause else fault.detail
    return (shown.entrant, shown.fixture, f"{fault.game}.{fault.hand}", fault.kind, detail)


def _standing(row: Standing, *, ranked: bool) -> tuple[str, ...]:
    counts = row.counts
    return (
        str(row.rank) if ranked else NOTHING,
        row.entrant,
        matches(counts),
        f"{counts.pairs_won}–{counts.pairs_drawn}–{counts.pairs_lost}",
        f"{counts.games_won}–{counts.games_lost}",
        number(counts.points_a_hand, "+z.2f"),
        rating(row.rating),
        interval(row.rating),
    )


def _strength(row: Standing, known: Strength) -> tuple[str, ...]:
    ranks = row.rating.ranks if row.rating else ()
    between = rank_interval(ranks)
    odd = known.strangest
    return (
        row.entrant,
        number(known.points.value, "+z.2f"),
        interval(known.points),
        f"{ranks[0]:.0%}" if ranks else NOTHING,
        NOTHING if between is None else f"{between[0]}" if between[0] == between[1] else f"{between[0]}–{between[1]}",
        NOTHING if known.nash is None else f"{known.nash:.0%}",
        NOTHING if odd is None else f"{odd[1]:+z.1f} {odd[0]}",
    )


def rating(estimate: Estimate | None) -> str:
    """Return a rating as it is read; a dash, for who is not rated."""
    return NOTHING if estimate is None else format(estimate.value, _form(estimate))


def interval(estimate: Estimate | None) -> str:
    """Return the interval of a rating as it is read; a dash, for who is not rated."""
    if estimate is None:
        return NOTHING
    form = _form(estimate)
    return f"{estimate.low:{form}} to {estimate.high:{form}}"


def _form(estimate: Estimate) -> str:
    """Return the places that an estimate deserves: points a hand are small numbers, Elo points are not."""
    return "+z.0f" if estimate.high - estimate.low > 10 else "+z.2f"


def _play(entrant: str, counts: Counts) -> tuple[str, ...]:
    ends = (counts.gins, counts.big_gins, counts.knocks, counts.undercuts, counts.dead)
    forfeits = f" ({counts.forfeits} lost)" if counts.forfeits else ""
    cpu = counts.cpu_a_decision
    return (
        entrant,
        str(counts.hands),
        f"{counts.points_for}–{counts.points_against}",
        *(str(value) for value in ends),
        f"{counts.faults.total}{forfeits}",
        number(None if cpu is None else 1000 * cpu, ".3f"),
    )


def matches(counts: Counts) -> str:
    """Return matches won and lost, and in between those drawn, if there are any."""
    drawn = f"–{counts.matches_drawn}" if counts.matches_drawn else ""
    return f"{counts.matches_won}{drawn}–{counts.matches_lost}"


def _meeting(counts: Counts) -> str:
    if not counts.hands:
        return ""
    return f"{matches(counts)} {number(counts.points_a_hand, '+z.1f')}"


def number(value: float | None, form: str) -> str:
    """Return a number as ``form`` says, or a dash for none."""
    return NOTHING if value is None else format(value, form)


def duration(seconds: float) -> str:
    """Return a time as a person says it: ``40 s``, ``12 min``, ``3.5 h``, ``4 days``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86400:.0f} days"


def heading(report: Report) -> str:
    """Return one line that says what was played."""
    state = "" if report.finished else ", not finished"
    return f"{report.title}: {report.matches} matches, {report.hands} hands{state}"


def walls(report: Report) -> str:
    """Return one line that says what kept the bots in, and flags what is less than walls proved on the machine."""
    known = report.walls
    if known.profile == "none":
        return "NOT ISOLATED: no sandbox, so nobody is ranked"
    parts = [f"profile {known.profile}"]
    parts += [f"Landlock ABI {known.landlock}"] if known.landlock else []
    parts += [f"filter {known.filter[:12]}"] if known.filter else []
    parts += [f"missing {wall}" for wall in known.missing]
    return f"{'isolated' if known.isolated else 'NOT ISOLATED'}: {', '.join(parts)}"


def footing(report: Report) -> list[str]:
    """Return the lines that say where the numbers come from."""
    return [f"{key}: {value}" for key, value in report.provenance.items() if "\n" not in value]
