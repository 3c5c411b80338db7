"""The headline and the provenance of a report.

They come from the run's facts and its spec, not from records.
"""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec.json import decode, encode
from msgspec.structs import replace

from arena.gin.rules import Rules
from arena.parameters import split_parameters
from arena.records import Assurance
from arena.reports.answer import DuelCommands
from arena.reports.comparison_report import ComparisonReport
from arena.reports.report import About
from arena.results.growth_words import grown_words
from arena.roster.entrant import Entered
from arena.runs import review_cache
from arena.runs.agreement import CONTINUES
from arena.runs.stored import StoredRun
from arena.runs.stored_kinds import KIND
from arena.stats.format_details import Details
from arena.stats.standings import Places
from arena.store.folder import Folder
from arena.store.spec_revisions import revisions
from arena.store.store import Store
from arena.tournament.formats.base import Format, plays_batches
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet

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
    duels = DuelCommands(words, rules_option(spec.rules))
    batches = plays_batches(spec.format, run.names)
    planned, planned_as = _planned(spec.format, len(run.names), is_of_batches=batches)
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
        batches=batches,
        planned=planned,
        planned_as=planned_as,
        scheduled=spec.format.scheduled,
        coin_decides=run.coin_decides,
        places=places,
        details=shown,
        comparison=comparison,
        grown=grown_words(run, grown, is_of_batches=batches),
        further=_further_command(spec.format, DuelCommands(words, rules_option(spec.rules, whole=True)), run.names, folder.path),
        resume="" if folder.is_played else _resume_command(folder, run),
        review=review_cache.read_kept(folder, facts["commitment"]),
    )


def _planned(form: Format, size: int, *, is_of_batches: bool) -> tuple[int, str]:
    """Return how many matches are played, or of batches how many hands, and whether that is the least or the most; 0: not known."""
    least, most = form.least(size), form.most_hands(size)
    if is_of_batches and (form.is_fixed or not least):  # one with a least number to which results add may have matches later
        return most, "" if form.is_fixed else "at most"
    return (0, "") if is_of_batches or most else (least, "" if form.is_fixed else "at least")


def _further_command(form: Format, duels: DuelCommands, names: Sequence[str], folder: Path) -> str:
    """Return the command that continues an undecided duel in its folder, or plays a gauntlet again, on fresh deals.

    Empty: it is neither, or no command finds the bots of a duel.

    A test of fixed length is not continued: with another length it is another test.
    """
    if isinstance(form, Gauntlet):
        return f"arena run {shlex.quote(str(folder / 'spec.yaml'))}"
    if not isinstance(form, Duel) or form.until == "limit" or not (duel := duels.command(*names)):
        return ""
    usual = Duel(statistic=form.statistic)
    options = [f"--statistic {form.statistic}"] if form.statistic != "points" else []
    options += [f"--bounds {form.bounds[0]:g} {form.bounds[1]:g}"] if form.bounds != usual.bounds or options else []
    options += [
        f"--{name} {value:g}" for name in ("alpha", "beta", "leg") if (value := getattr(form, name)) != getattr(usual, name)
    ]
    return " ".join([duel, *options, "--continue", "--results", shlex.quote(str(folder))])


def _resume_command(folder: Folder, run: StoredRun) -> str:
    """Return the command that plays on a run that was stopped, from the copy of its spec.

    Empty: it is over, is of another kind, is a part of a duel, or the copy does not find a bot where the run found it.
    """
    if run.finished or KIND in run.facts or CONTINUES in run.facts:
        return ""
    if not all(is_found_again(entry.bot, entrant.source) for entry, entrant in zip(run.spec.bots, run.field, strict=True)):
        return ""
    return f"arena run {shlex.quote(str(folder.spec))} --results {shlex.quote(str(folder.path))}"


def is_found_again(bot: str, source: str) -> bool:
    """Tell whether a bot of a spec is found where it was: an installed one, or a file by its absolute path."""
    try:
        named, found = split_parameters(bot)[0], split_parameters(source)[0]
    except ValueError:  # a stored source may be any text
        return False
    if INSTALLED.fullmatch(found):
        return True
    path = named.partition(":")[0]
    return Path(path).is_absolute() and path == found.partition(":")[0]


def rules_option(rules: Rules, *, whole: bool = False) -> str:
    """Return rules as ``--rules`` of a duel takes them; empty: the usual ones.

    ``whole``: as a run that is continued needs them; else without the options that no single hand depends on, and with the stock
    that a duel uses.
    """
    usual = replace(type(rules)(), stock="two-ended")  # which a duel adds
    other = rules if whole else replace(rules, **{name: getattr(usual, name) for name in ("stock", "target", "best_of")})
    text = other.text_beside(usual)
    return "" if text == "tournament" else text


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
