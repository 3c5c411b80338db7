"""Writes the reports of a run, and says what a comparison has found: the outcome, what it means in games, how the evidence grew.

The evidence over the hands is not stored: the same sequential test, given the same scores in the same order, has the same state
after each of them.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from msgspec.json import decode, encode
from msgspec.structs import replace

from arena import publishing
from arena.errors import InputError
from arena.records import Assurance, MatchRecord, Result
from arena.reports.answer import DuelCommands
from arena.reports.answer_pictures import png, strip_lines, svg
from arena.reports.comparison_report import ComparisonReport, EvidencePoint
from arena.reports.json_file import JsonFile
from arena.reports.report import About, Report
from arena.reports.report_builder import ReplayEach, make
from arena.reports.second_legs import second_leg_flags
from arena.reports.text import ConsoleText, first_screen
from arena.reports.verdict import describe
from arena.roster.entrant import Entered
from arena.runs import review_cache
from arena.runs.compared_parts import earlier_of_run
from arena.runs.play import OpenRun
from arena.runs.stored import StoredRun, open_stored
from arena.stats import duels, game_chances, games
from arena.stats.duels import ComparisonOutcome
from arena.stats.game_chances import InGames
from arena.stats.pairs import CAP
from arena.stats.standings import Details, Places
from arena.store.folder import Folder
from arena.store.store import Store, in_force, revisions
from arena.tournament.formats.base import Format, details, plays_batches
from arena.tournament.formats.duel import Duel, Gauntlet
from arena.tournament.formats.tested import LegSet
from arena.tournament.spec import Spec

POINTS = 40  # of a history; more cannot be distinguished in a chart
UNITS = {"points": "points a hand", "equity": "% of a game a hand"}
MATCH_POINTS = 12  # of the history of a duel on matches, whose test takes longer


def comparison_outcome(spec: Spec, names: tuple[str, ...], results: Sequence[Result], *, final: bool = False) -> ComparisonOutcome:
    """Return the outcome after ``results``; with ``final``, a duel on points also has the chances in games that it implies."""
    form, of_games = spec.format, games.GameForm.of(spec.rules)
    assert isinstance(form, Duel | Gauntlet)
    sets = list(form.sets(names, results))
    legs = [leg for legs in sets for leg in legs]
    found = _outcome(form, sets)
    if final and isinstance(form, Duel) and form.statistic == "points" and found.difference is not None and of_games:
        points, errors = game_chances.net_points(names[0], results), (form.alpha, form.beta)
        implied = game_chances.implied_chances(points, found.difference, form.bounds, errors, of_games)
        found = replace(found, implied=implied)
    lost = [leg for leg in legs if leg.lost]
    return replace(
        found,
        hands=found.hands - sum(leg.fixture.hands or 0 for leg in lost),
        most=(most := CAP * form.multiplier),
        capped=sum(abs(hand.points) > most for leg in legs for hand in leg.singles),
        lost=len(lost),
    )


def _outcome(form: Duel | Gauntlet, sets: Sequence[LegSet]) -> ComparisonOutcome:
    """Return the outcome after some sets of legs."""
    statistic = form.statistic if isinstance(form, Duel) else "points"
    if isinstance(form, Duel) and statistic == "matches":
        return duels.of_matches(form.wins(sets))
    return duels.of_hands(form.test, [form.block(legs) for legs in sets], UNITS[statistic])


def comparison_report(spec: Spec, names: tuple[str, ...], played: Callable[[], Sequence[Result]]) -> ComparisonReport | None:
    """Return the report of the comparison in ``spec``; None if its format is another.

    ``played`` is called only for a comparison, because the results of a long run take time and memory to read.
    """
    form = spec.format
    if not isinstance(form, Duel | Gauntlet):
        return None
    results, outcome_of = played(), partial(comparison_outcome, spec, names)
    points = MATCH_POINTS if isinstance(form, Duel) and form.statistic == "matches" else POINTS
    past = {one.hands: _point(one) for one in map(outcome_of, _past(results, points))}
    outcome = outcome_of(results, final=True)
    return ComparisonReport(
        first=names[0],
        second=names[1],
        opponents=names[2:],
        most_hands=form.hands,
        outcome=outcome,
        in_games=_in_games(spec, names, outcome, results),
        no_games=games.why_unknown(spec.rules),
        history=[*({**past, outcome.hands: _point(outcome)}.values())] if outcome.pairs else [],
    )


def _past(results: Sequence[Result], points: int) -> Iterator[Sequence[Result]]:
    """Yield at most ``points`` growing parts of the results, never all, in the order of the deals."""
    in_order = sorted(results, key=lambda one: int(one.fixture.deals.rpartition("/")[2]))
    step = max(-(-len(in_order) // points), 1)
    return (in_order[:end] for end in range(step, len(in_order), step))


def _point(outcome: ComparisonOutcome) -> EvidencePoint:
    known = outcome.difference
    if known is None:
        return EvidencePoint(outcome.hands, outcome.better, outcome.worse, None, None, None)
    return EvidencePoint(outcome.hands, outcome.better, outcome.worse, known.value, known.low, known.high)


def _in_games(spec: Spec, names: Sequence[str], found: ComparisonOutcome, results: Sequence[Result]) -> InGames | None:
    """Return the chances in games and matches; None if they cannot be computed, or there is no difference in points a hand."""
    if found.implied:
        return InGames(found.implied.games, found.implied.matches)
    of_games = games.GameForm.of(spec.rules)
    if isinstance(spec.format, Duel) or found.difference is None or not of_games:
        return None
    # of a gauntlet, whose two bots need not have met: their hands against the field stand in
    points = game_chances.net_points(names[0], results)
    return game_chances.chances_by_field(points, found.difference, of_games)


# The headline and the provenance of a report. They come from the run's facts and its spec, not from records.

INSTALLED = re.compile(r"[\w.-]+ [\w.]*?(\w+):\w+")  # the source of an installed bot: its distribution, module and class
FILE = re.compile(r".+\.py:\w+(\(.*\))?|.+\.ya?ml(\(.*\))?")  # the source of a class in a file, or of a manifest


def about(
    folder: Folder,
    store: Store,
    run: StoredRun,
    field: Sequence[Entered],
    places: Places | None,
    shown: Details | None,
    comparison: ComparisonReport | None,
) -> About:
    """Return what a report on the entrants in ``field`` shows besides the records; ``shown``: of the format. Raises: StoreError."""
    facts, spec, grown = run.facts, run.spec, revisions(store, run.facts)
    now = grown[-1].spec if grown else facts["spec"]
    words = {entrant.name: word for entrant in field if (word := command_word(entrant))}
    duels = DuelCommands(words, "" if spec.rules.name == "tournament" else spec.rules.name)
    return About(
        title=facts["title"],
        field=tuple(entrant.name for entrant in field),
        finished="finished" in facts,
        is_league=not run.has_end,
        rated_by=str(spec.rating.__struct_config__.tag),
        isolation=decode(facts["walls"], type=Assurance),
        rated=run.rated,
        reading=tuple(entrant.name for entrant in field if entrant.reads_while_playing),
        duels=duels,
        provenance=run.provenance() | _terms(run, field) | {"link": store.last_link(), "spec": now},
        rules=spec.rules,
        batches=plays_batches(spec.format, run.names),
        scheduled=spec.format.scheduled,
        coin_decides=run.coin_decides,
        places=places,
        details=shown,
        comparison=comparison,
        further=_further_command(spec.format, duels, run.names, folder.path),
        review=review_cache.read_kept(folder, facts["commitment"]),
    )


def _further_command(form: Format, duels: DuelCommands, names: Sequence[str], folder: Path) -> str:
    """Return the command that continues an undecided duel in its folder; empty: it is no duel, or none finds its bots.

    A test of fixed length is not continued: with another length it is another test.
    """
    if not isinstance(form, Duel) or form.until == "limit" or not (duel := duels.command(*names)):
        return ""
    usual = Duel(statistic=form.statistic)
    options = [f"--statistic {form.statistic}"] if form.statistic != "points" else []
    options += [f"--bounds {form.bounds[0]:g} {form.bounds[1]:g}"] if form.bounds != usual.bounds or options else []
    options += [
        f"--{name} {value:g}" for name in ("alpha", "beta", "leg") if (value := getattr(form, name)) != getattr(usual, name)
    ]
    return " ".join([duel, *options, "--continue", "--results", shlex.quote(str(folder))])


def command_word(entrant: Entered) -> str:
    """Return the name or path by which a command finds an entrant; empty: none is known."""
    installed = INSTALLED.fullmatch(entrant.source)
    if installed and installed[1] == entrant.name.replace("-", "_"):  # a spec may give an installed bot another name
        return entrant.name
    is_below = FILE.fullmatch(entrant.source) and not entrant.source.startswith("../")
    return entrant.source if is_below else ""


def _terms(run: StoredRun, field: Sequence[Entered]) -> dict[str, str]:
    rules, sandbox = (encode(part).decode() for part in (run.spec.rules, run.spec.sandbox))
    shown = {"rules": rules, "sandbox": sandbox, "isolation": run.facts["walls"]}
    bots = {f"bot {entrant.name}": f"{entrant.version}, {entrant.source}, SHA-256 {entrant.digest}" for entrant in field}
    return shown | bots


# The files of a report, and its text for the terminal.


def publish(folder: Folder, store: Store, run: StoredRun, *, as_json: bool = False, brief: bool = False) -> str:
    """Write the report files that the spec names; return the other reports as text, or the JSON document. Raises: StoreError.

    ``brief``: of the report for a terminal the first screen alone.
    """
    report = _report(folder, store, run)
    shown = _write(folder, report, run.spec)
    if as_json:
        return JsonFile().render(report).removesuffix("\n")
    if brief and ConsoleText() in run.spec.reports:
        more = f"More: arena report {shlex.quote(str(folder.path))} --full"
        return "\n".join([first_screen(report), "", _last_line(folder, run.spec).replace(". Every hand:", "\nEvery hand:"), more])
    return "\n".join([*shown, "", _last_line(folder, run.spec)])


def publish_comparison(folder: Folder, width: int = 80) -> list[str]:
    """Write the report files of a duel or gauntlet, and return lines for a terminal of some ``width``. Raises: StoreError.

    They are the verdict, the difference on its axis, what would make it surer, and the numbers behind it.
    """
    with open_stored(folder) as (store, run):
        report = _report(folder, store, run)
    _write(folder, report, run.spec)
    found = [*describe(report.comparison)] if report.comparison else []
    advice = [*filter(None, [report.answer.advice])]
    drawn = ["", *strip_lines(report.answer, width), "", *advice, *[""] * len(advice)] if report.answer.strips else advice
    return [*found[:1], *drawn, *found[1:], *second_leg_flags(report.second_legs), _last_line(folder, run.spec)]


def rewrite_reports(folder: Folder, each: ReplayEach = map) -> str:
    """Write the report files of a run again, and return a line that names them; ``each`` replays matches. Raises: StoreError."""
    with open_stored(folder) as (store, run):
        _write(folder, _report(folder, store, run, each), run.spec)
    return _last_line(folder, run.spec)


def _last_line(folder: Folder, spec: Spec) -> str:
    """Return the line that names the files written, and the command that shows every hand."""
    files = [renderer.file for renderer in spec.reports if renderer.file]
    written = f"Written to {folder.path}: {', '.join(files)}. " if files else ""
    return f"{written}Every hand: arena replay {shlex.quote(str(folder.path))}"


def _write(folder: Folder, report: Report, spec: Spec) -> list[str]:
    """Write the reports of a spec that are files, and return the others, for the terminal. Raises: StoreError."""
    texts = [(renderer.file, renderer.render(report)) for renderer in spec.reports]
    publishing.write_together(folder.path, {file: text for file, text in texts if file})
    return [text for file, text in texts if file is None]


def write_reports(run: OpenRun, *, as_json: bool = False, brief: bool = False) -> str:
    """Write the report files of a run that this process played; return as ``publish``. Raises: StoreError."""
    stored = StoredRun.of_terms(run.folder, run.store, in_force(run.store, run.store.begun_facts()), run.plan.spec)
    return publish(run.folder, run.store, stored, as_json=as_json, brief=brief)


def draw(folder: Folder, to: Path) -> None:
    """Write the answer of a run as a picture, SVG or PNG by the name of the file. Raises: InputError, StoreError."""
    if to.suffix not in (".svg", ".png"):
        raise InputError(f"{to}: expected a name that ends in .svg or .png")
    report = report_of(folder)
    picture = svg(report.title, report.answer)
    publishing.write(to, png(picture) if to.suffix == ".png" else picture.encode())


def report_of(folder: Folder) -> Report:
    """Return the report of a stored run. Raises: StoreError."""
    with open_stored(folder) as (store, run):
        return _report(folder, store, run)


def _report(folder: Folder, store: Store, run: StoredRun, each: ReplayEach = map) -> Report:
    spec, results = run.spec, cache(store.results)
    compared = comparison_report(spec, run.names, lambda: [*earlier_of_run(folder, run.facts).results, *results()])
    shown = details(spec.format, run.names, results)
    known = about(folder, store, run, run.shown, run.places(results), shown, compared)
    return make(_shown_records(store, run), store.record, known, spec.rating, run.seed_of, each)


def _shown_records(store: Store, run: StoredRun) -> Iterator[tuple[int, MatchRecord]]:
    """Yield the records between entrants that the report shows, with their places in the order of play."""
    names = {entrant.name for entrant in run.shown}
    return ((place, record) for place, record in store.in_order() if names.issuperset(record.fixture.seats))
