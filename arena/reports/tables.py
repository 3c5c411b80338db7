"""The tables of a report as people read them, for every renderer that shows text."""

from msgspec import Struct

from arena.reports.report import Report, ShownFault
from arena.stats.standings import Standing
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
    return [*shown, fault_table(report)] if report.faults else shown


def standing_table(report: Report) -> Table:
    """Return who is where, and by how much."""
    ranked = report.walls.profile != "none"
    headings = ("#", "bot", "matches", "pairs", "games", "points a hand", "rating", "95 %")
    return Table("Standings", headings, [_standing(row, ranked=ranked) for row in report.standings], (1,))


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
        _matches(counts),
        f"{counts.pairs_won}–{counts.pairs_drawn}–{counts.pairs_lost}",
        f"{counts.games_won}–{counts.games_lost}",
        number(counts.points_a_hand, "+.2f"),
        NOTHING if row.rating is None else number(row.rating.value, "+.0f"),
        NOTHING if row.rating is None else f"{row.rating.low:+.0f} to {row.rating.high:+.0f}",
    )


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


def _matches(counts: Counts) -> str:
    """Return matches won and lost, and in between those drawn, if there are any."""
    drawn = f"–{counts.matches_drawn}" if counts.matches_drawn else ""
    return f"{counts.matches_won}{drawn}–{counts.matches_lost}"


def _meeting(counts: Counts) -> str:
    if not counts.hands:
        return ""
    return f"{_matches(counts)} {number(counts.points_a_hand, '+.1f')}"


def number(value: float | None, form: str) -> str:
    """Return a number as ``form`` says, or a dash for none."""
    return NOTHING if value is None else format(value, form)


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
