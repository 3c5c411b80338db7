"""Finds the folder of a run, and decides whether the run begins or resumes there.

A run resumes only if everything that decides what is played is as it was: bots by content, rules, format, limits, sandbox and seed.
So nothing is played twice, and all records of a run were played under the same terms. Only bots and matches may be added to a spec.
"""

import os
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct, json
from msgspec.structs import replace

from arena import distribution
from arena.disk import inside
from arena.errors import DamagedError, NotBegunError, StoreError
from arena.plugins import consent
from arena.records import Assurance
from arena.reports.numbers import count
from arena.runs.agreement import COIN, CONTINUES, LEGS, PLUGINS, check_kind, plan_text
from arena.runs.growth import Growth, growth, store_growth
from arena.store.folder import Folder
from arena.store.spec_revisions import TermsInForce, in_force
from arena.store.store import Facts, Store
from arena.tournament import seeds
from arena.tournament.plan import Plan

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
        stay = f"{count(start.grown.matches, 'result stays', 'results stay')} as on file"
        yield f"{folder.path}: the spec has grown: {changes}; {stay}{seed}"


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
        store.begin(facts_of(plan, seed, assurance), plan.field)
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


def facts_of(plan: Plan, seed: str, assurance: Assurance) -> dict[str, str]:
    """Return the facts of a run that is played by its plan; ``assurance``: of its sandbox."""
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
