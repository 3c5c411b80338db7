"""Finds the folder of a run, and decides whether the run begins or resumes there.

A run resumes only if everything that decides what is played is as it was: bots by content, rules, format, limits, sandbox and seed.
So nothing is played twice, and all records of a run were played under the same terms. Only bots and matches may be added to a spec.
"""

import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct, convert, json
from msgspec.structs import replace

from arena import distribution
from arena.disk import inside
from arena.errors import DamagedError, NotBegunError, StoreError
from arena.moments import now
from arena.plugins import consent
from arena.records import Assurance
from arena.roster.entrant import Entered, Entrant
from arena.stats.duels import METHOD
from arena.store.folder import Folder
from arena.store.store import Facts, SpecRevised, Store, TermsInForce, in_force
from arena.tournament import seeds
from arena.tournament.formats.base import UNTESTED
from arena.tournament.plan import Earlier, Plan, PlayedPart, compare, first_on_known_deals
from arena.tournament.spec import name_of

# The text of a plan, which a run stores, and the comparison of a plan with it.

CONTINUES = "continues"  # the fact that holds the last link of the run that a run continues
PLUGINS = "plugins"  # the fact that holds the distributions of the plugins that were loaded when a run began; without it: none
LEGS = "legs"  # the fact that says what decides which leg of a pair is played first; without it the format does
COIN = "by coin"
Parts = dict[str, Any]  # of a plan, by name: bots, rules, format, …


def plan_text(plan: Plan) -> str:
    """Return the parts of a plan that decide what is played, as JSON; without titles, ratings and reports."""
    spec = plan.spec
    parts = {
        "bots": plan.names,
        "rules": spec.rules,
        "format": spec.format,
        "method": spec.format.judged_by,
        "time": spec.time,
        "lines": spec.lines,
        "faults": spec.faults,
        "sandbox": spec.sandbox,
    }
    return json.encode(parts, enc_hook=name_of).decode()


class _NamedFormat(Struct):
    name: str


class _RequiredParts(Struct, kw_only=True):
    bots: list[str]
    format: _NamedFormat
    method: int


def plan_parts(text: str) -> Parts:
    """Return the parts in the text of a plan. Raises: DamagedError."""
    try:
        found: Parts = json.decode(text)
        convert(found, _RequiredParts)
    except ValueError as error:
        raise DamagedError(f"plan: {' '.join(str(error).split())}") from None
    return found


def check_method(folder: Folder, stored: str) -> None:
    """Raise StoreError if the ``stored`` plan text is that of a test by another method of the verdict. Raises: DamagedError."""
    found = plan_parts(stored)["method"]
    if found not in {UNTESTED, METHOD}:
        raise StoreError(f"{folder.path}: made by method {found}, unsupported here (method {METHOD}); rerun in a new folder")


def question(stored: str) -> str:
    """Return the question of a comparison: its ``stored`` plan text without alpha, beta and the limit of hands.

    Evidence does not depend on these, so a run that asks the same question continues one that has asked it before. But if all hands
    up to the limit are played, the limit is part of the question.
    """
    found = plan_parts(stored)
    omitted = {"alpha", "beta"} | ({"hands"} if found["format"].get("until") != "limit" else set())
    form = {option: value for option, value in found["format"].items() if option not in omitted}
    return json.encode({**found, "format": form}, order="sorted").decode()


def check_same(plan: Plan, folder: Folder, facts: Mapping[str, str], field: Sequence[Entered], stored: str) -> None:
    """Raise StoreError, which names the difference, unless a plan has the ``stored`` text, its bots and its seed."""
    check_method(folder, stored)
    now, then = plan_parts(plan_text(plan)), plan_parts(stored)
    for part in sorted({*now, *then}):
        if now.get(part) != then.get(part):
            raise StoreError(f"{folder.path}: holds a run of another spec: {difference(part, then, now)}")
    check_bots_and_seed(plan, folder, facts, field)


def check_bots_and_seed(plan: Plan, folder: Folder, facts: Mapping[str, str], field: Sequence[Entered]) -> None:
    """Raise StoreError, unless the bots on file, ``field``, the seed, and the run that this one continues are as they were."""
    if facts.get(CONTINUES, "") != plan.earlier.link:
        raise StoreError(f"{folder.path}: the part that this run continues has changed since")
    digests = {entrant.name: entrant.digest for entrant in plan.field}
    for entered in field:
        now = digests[entered.name]
        if now != entered.digest:
            then_now = f"{entered.digest[:12]} then, {now[:12]} now"
            raise StoreError(f"{folder.path}: bot {entered.name!r} has changed since this run began: {then_now}")
    if plan.seed is not None and facts["seed"] != seeds.run_seed(plan.seed):
        raise StoreError(f"{folder.path}: holds a run with another seed")


def check_kind(folder: Folder, facts: Mapping[str, str]) -> None:
    """Raise StoreError for a folder with something else than a tournament."""
    if "kind" in facts:
        raise StoreError(f"{folder.path}: holds a run of the kind {facts['kind']!r}, not a tournament; expected another folder")


def difference(part: str, before: Parts, after: Parts) -> str:
    """Return the difference of a part, with both values; of two mappings that of the first key that differs."""
    then, now = before.get(part), after.get(part)
    if isinstance(then, dict) and isinstance(now, dict):
        keys = sorted({*then, *now}, key=lambda key: (key != "name", key))  # another format has other options
        key = next(key for key in keys if then.get(key) != now.get(key))
        return f"{part}.{key} was {then.get(key)!r}, and is {now.get(key)!r} now"
    return f"{part} was {then!r}, and is {now!r} now"


# A spec that grew: more bots, more pairs, a later stage. The run continues, and what is on file stays as it was played.
#
# A spec has grown if nothing but its bots and its format differ, no bot has gone, every whole number of the format is as large as
# before or larger, every list is at least as long, and the format asks for all matches that are on file. It is stored as an event
# (``arena/store/store.py``) in one transaction, so a run that is killed has either the one spec or the other.
#
# The seed of a finished run is revealed, so a bot that is added could know every deal of it. What is played after that has a seed
# of its own, which is committed to in the event.

GROWING = {"bots", "format"}  # parts of a plan that may grow


class Growth(Struct, frozen=True, kw_only=True):
    """How a spec differs from the one in force."""

    changes: tuple[str, ...]  # a line for each part, with both values
    entrants: tuple[Entrant, ...]  # the new ones
    matches: int  # on file


def growth(plan: Plan, folder: Folder, store: Store, before: TermsInForce) -> Growth | None:
    """Return the growth of a plan since it was stored; None: it is the same. Raises: StoreError, for any other difference."""
    facts = before.facts
    now, then = plan_parts(plan_text(plan)), plan_parts(before.plan)
    differing = sorted(part for part in {*now, *then} if now.get(part) != then.get(part))
    if not differing or not plan.spec.format.grows or not GROWING.issuperset(differing):
        check_same(plan, folder, facts, before.field, before.plan)
        return None
    changes = tuple(difference(part, then, now) for part in differing)
    if not (set(then["bots"]) <= set(now["bots"]) and _is_more(then["format"], now["format"])):
        raise StoreError(f"{folder.path}: holds a run of another spec: {'; '.join(changes)}; it may only grow")
    check_bots_and_seed(plan, folder, facts, before.field)
    results = store.results()
    for wrong in compare(plan.spec, plan.names, results).wrong:
        raise StoreError(f"{folder.path}: {'; '.join(changes)}: that would change what was played: {wrong}")
    known = {entrant.name for entrant in before.field}
    if "finished" not in facts and (fixture := first_on_known_deals(plan, results, known)):
        raise StoreError(f"{folder.path}: {'; '.join(changes)}: {fixture.id} has deals that were played before a bot was added")
    return Growth(
        changes=changes,
        entrants=tuple(entrant for entrant in plan.field if entrant.name not in known),
        matches=len(results),
    )


def store_growth(plan: Plan, found: Growth, before: TermsInForce, store: Store) -> None:
    """Store the growth of a spec as an event; after a finished run, with a new seed. Raises: StoreError."""
    seed = None
    if "finished" in before.facts:
        seed = seeds.random_seed() if plan.seed is None else seeds.run_seed(f"{plan.seed} {len(before.revisions) + 1}")
    event = SpecRevised(
        at=now(),
        spec=plan.spec.text,
        plan=plan_text(plan),
        matches=found.matches,
        link=store.last_link(),
        seed=seed,
        commitment=seeds.commitment(seed) if seed else None,
    )
    store.revise(json.encode(event).decode(), found.entrants)


def _is_more(then: object, now: object) -> bool:
    """Tell whether a value is the same, or has only grown: a number, a list, or values of a mapping with the same keys."""
    if then == now:
        return True
    if isinstance(then, dict) and isinstance(now, dict):
        return then.keys() == now.keys() and all(_is_more(then[key], now[key]) for key in then)
    if isinstance(then, list) and isinstance(now, list):
        return len(then) <= len(now) and all(map(_is_more, then, now))
    return type(then) is int and type(now) is int and then < now


RESULTS = Path("results")


class RunStart(Struct, frozen=True, kw_only=True):
    """A plan and its folder; and how it starts there, which ``decide`` adds, when the folder is locked."""

    plan: Plan  # as the user asks for it
    folder: Folder
    terms: TermsInForce | None = None  # of the run on file; None: a new one begins
    grown: Growth | None = None  # how the plan differs from the one on file

    @property
    def is_over(self) -> bool:
        """Tell whether all fixtures were played."""
        return self.terms is not None and "finished" in self.terms.facts and not self.grown


def find_start(plan: Plan, results: Path | None) -> RunStart:
    """Return the plan with the named folder; without one, with the newest of ``results/`` that fits, or a new one.

    A folder fits if the plan can begin, resume or grow there, or if it holds the plan's finished run, not reported yet.

    Raises: StoreError, if the named folder holds something else than a run.
    """
    if results:
        return RunStart(plan=plan, folder=named_folder(results))
    fitting = (folder for folder in candidate_folders(plan.spec.title) if _fits(plan, folder))
    return RunStart(plan=plan, folder=next(fitting))  # there is one: the last folder is new


def new_start(plan: Plan, results: Path | None) -> RunStart:
    """Return the plan with the folder that the user names, or with a new one in ``results/``. Raises: as ``find_start``."""
    return RunStart(plan=plan, folder=named_folder(results) if results else [*candidate_folders(plan.spec.title)][-1])


def candidate_folders(title: str) -> Iterator[Folder]:
    """Yield the folders that a run with this title may use: existing ones, newest first, then a new one named after the day.

    An existing one may lack a database: a run that is killed as it begins leaves its folder, or its folder and lock.
    Raises: UnsafeFileError, if ``results`` is a link.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "tournament"
    results = inside(Path(), str(RESULTS))  # the user has not typed it
    found = [Folder(path) for path in results.glob(f"{slug}-????-??-??*") if path.is_dir() and not path.is_symlink()]
    runs = [folder for folder in found if folder.database.is_file() or not folder.foreign_files]
    yield from sorted(runs, key=lambda folder: folder.path.stat().st_mtime, reverse=True)
    today = f"{slug}-{datetime.now(UTC):%Y-%m-%d}"
    names = (today if number == 1 else f"{today}-{number}" for number in range(1, 10_000))
    yield Folder(next(results / name for name in names if not os.path.lexists(results / name)))


def _fits(plan: Plan, folder: Folder) -> bool:
    """Tell whether a plan can begin or resume in a folder, which need not exist, or was played there and not reported yet."""
    try:
        with Store(folder.database) as store:
            check_kind(folder, facts := store.facts())
            start = _with_terms(RunStart(plan=plan, folder=folder), store, facts)
    except NotBegunError:
        return not folder.is_locked()  # by a run that begins at this moment
    except StoreError:
        return False
    return not start.is_over or folder.unreported_mark.exists()


def decide(start: RunStart, store: Store) -> RunStart:
    """Return how a plan starts in its folder, which is locked.

    Raises: StoreError, if the folder holds a run of another spec, of other bots or of another seed, or one that was changed.
    """
    check_kind(start.folder, facts := store.facts())
    if facts:
        check_unchanged(start.folder, store)
    return _with_terms(start, store, facts)


def _with_terms(start: RunStart, store: Store, facts: Facts) -> RunStart:
    if not facts:  # it is new, or was stopped before it began, or its database was lost
        store.check_witness()
        return start
    terms = in_force(store, facts)
    return replace(start, terms=terms, grown=growth(start.plan, start.folder, store, terms))


def start_warnings(start: RunStart) -> Iterator[str]:
    """Yield warnings: the plugins differ, the plan has grown, or the run on file keeps a title that the plan changes."""
    if start.terms is None:
        return
    folder = start.folder
    title, asked = start.terms.facts.get("title", start.plan.spec.title), start.plan.spec
    if asked.title != title:
        yield f"{folder.path}: the title is still {title!r}, as when this run began; found {asked.title!r}"
    if (then := start.terms.facts.get(PLUGINS, "")) != (found := consent.loaded_distributions()):
        yield f"{folder.path}: this run began with {then or 'no plugins'}; found {found or 'no plugins'}"
    if start.grown:
        seed = "; the seed is revealed, so what follows has another" if "finished" in start.terms.facts else ""
        changes = "; ".join(start.grown.changes)
        yield f"{folder.path}: the spec has grown: {changes}; {start.grown.matches} matches on file stay{seed}"


def begin(start: RunStart, store: Store, assurance: Assurance) -> Plan:
    """Return the plan with its run seed: that on file, or a new one, which is stored before anything is played.

    Raises: StoreError.
    """
    plan, folder, terms = start.plan, start.folder, start.terms
    if not start.is_over:
        folder.write(folder.unreported_mark.name, "The results of this run have not been shown: the same command resumes it.\n")
    if terms is None:
        seed = seeds.random_seed() if plan.seed is None else seeds.run_seed(plan.seed)
        folder.write(folder.spec.name, plan.spec.text)
        store.begin(_facts(plan, seed, assurance), plan.field)
        return replace(plan, seed=seed)
    if start.grown:
        store_growth(plan, start.grown, terms, store)
        terms = in_force(store, store.begun_facts())
    if terms.revisions:
        folder.write(folder.spec.name, terms.spec)
    return replace(plan, seed=terms.seed, coin=terms.facts.get(LEGS) == COIN, luck=luck_version(terms.facts))


@contextmanager
def open_run(folder: Folder) -> Iterator[Store]:
    """Lock the folder of a run and yield its database. If no run has begun at the end, a folder that was made here is removed.

    Raises: StoreError.
    """
    made = [path for path in (folder.path, *folder.path.parents) if not path.exists()]
    with folder.lock():
        begun = False
        try:
            with Store(folder.database, write=True) as store:
                try:
                    yield store
                finally:
                    begun = store.has_begun()
        finally:
            if made and not begun:
                folder.clear()
                with suppress(OSError):  # a folder that is not empty stays: another process has written into it
                    for path in made[1:]:
                        path.rmdir()


def sandbox_warnings(assurance: Assurance) -> Iterator[str]:
    """Yield warnings about missing isolation."""
    if assurance.profile == "none":
        yield "no sandbox: the bots can do whatever you can, and nobody is ranked"
    elif not assurance.isolated:
        missing = "; missing: " + "; ".join(assurance.missing) if assurance.missing else ""
        yield f"the bots are not isolated: accidents are contained, malice is not{missing}; see `arena doctor`"
    elif not assurance.sealed:
        yield "the bots are not sealed: what one leaves behind, another one may find in the other leg of a pair; see `arena doctor`"


def _facts(plan: Plan, seed: str, assurance: Assurance) -> dict[str, str]:
    continues = {CONTINUES: plan.earlier.link} if plan.earlier.link else {}
    return continues | {
        "title": plan.spec.title,
        "plan": plan_text(plan),
        "spec": plan.spec.text,
        "seed": seed,
        "commitment": seeds.commitment(seed),
        "luck": str(plan.luck),
        LEGS: COIN,
        **circumstances(assurance),
    }


def luck_version(facts: Facts) -> int:
    """Return the version of the value function by which a run measures luck; 1 if it names none. Raises: DamagedError."""
    try:
        return int(facts.get("luck", "1"))
    except ValueError:
        raise DamagedError(f"run: luck: found {facts['luck']!r}; expected the number of a version") from None


def circumstances(assurance: Assurance) -> dict[str, str]:
    """Return the facts about the circumstances of a run: isolation, versions, plugins, platform and time of the start."""
    plugins = consent.loaded_distributions()
    return ({PLUGINS: plugins} if plugins else {}) | {
        "walls": json.encode(assurance).decode(),
        "arena": distribution.version(),
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "started": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
    }


def named_folder(results: Path) -> Folder:
    """Return the folder that the user names. Raises: StoreError, if it holds something else than a run."""
    folder = Folder(results)
    if not folder.database.is_file() and folder.foreign_files:
        raise StoreError(f"{results}: holds no run, but other files; expected a new or empty folder, or that of a run")
    return folder


def check_unchanged(folder: Folder, store: Store) -> None:
    """Raise StoreError, which names the change, unless the database is as it was stored."""
    for change in store.changes():
        raise StoreError(f"{folder.path}: {change}; refusing to resume a run that was changed")
    store.check_witness()


# The parts of a comparison that was continued with fresh deals: each is a run, and continues those before it.

PART = re.compile(r"part-(\d+)")


def comparison_parts(first: Folder) -> Iterator[Folder]:
    """Yield the folders of a comparison's parts, in order."""
    part, number = first, 1
    while part.database.is_file():
        yield part
        number += 1
        part = Folder(first.inside(f"part-{number}"))


def earlier_of_run(folder: Folder, facts: Facts) -> Earlier:
    """Return the results of the runs that a run continues: the parts before a part; none for any other. Raises: StoreError."""
    named = PART.fullmatch(folder.path.name) if CONTINUES in facts else None
    parts = islice(comparison_parts(Folder(folder.path.parent)), int(named[1]) - 1) if named else ()
    return earlier_of_parts(parts)


def earlier_of_parts(parts: Iterable[Folder]) -> Earlier:
    """Return the results of parts, which are in order. Raises: StoreError."""
    found = Earlier()
    for part in parts:
        with Store(part.database) as store:
            results = store.results()
            played = PlayedPart(str(part.path), store.fact("seed"), sum(result.hands for result in results))
            found = Earlier((*found.results, *results), (*found.parts, played), store.last_link())
    return found
