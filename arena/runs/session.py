"""Which folder a run has, and whether it begins or resumes there.

A run resumes only if everything that decides what is played is as it was: bots by content, rules, format, limits, sandbox and seed.
So nothing is played twice, and no two records of a run were played under different terms. A spec may have grown (``growth.py``).
"""

import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from msgspec import json
from msgspec.structs import replace

from arena import distribution
from arena.errors import DamagedError, NotBegunError, StoreError
from arena.records import Assurance
from arena.runs import witnesses
from arena.runs.agreement import COIN, CONTINUES, LEGS, as_on_file, played_by
from arena.runs.growth import Growth, growth, store_growth
from arena.store.folder import Folder, candidates
from arena.store.revisions import in_force
from arena.store.store import Facts, Store
from arena.tournament import seeds
from arena.tournament.plan import Plan

RESULTS = Path("results")


def folder_of(plan: Plan, results: Path | None) -> Folder:
    """Return the folder that the user names, or a run of the same plan in ``results/`` that has not been reported, or a new one."""
    if results:
        return named(results)
    for folder in candidates(RESULTS, plan.spec.title, f"{datetime.now(UTC):%Y-%m-%d}"):
        if _resumes(plan, folder):
            return folder
    raise AssertionError("candidates end with a new folder")


def new_folder(plan: Plan, results: Path | None) -> Folder:
    """Return the folder that the user names, or a new one in ``results/``, whatever else is there."""
    if results:
        return named(results)
    *_, folder = candidates(RESULTS, plan.spec.title, f"{datetime.now(UTC):%Y-%m-%d}")
    return folder


def begin(plan: Plan, folder: Folder, store: Store, assurance: Assurance) -> Plan:
    """Return the plan with its run seed: the one on file, or a new one that is filed before anything is played.

    Raises: StoreError, if the folder holds a run of another spec, of other bots or of another seed, or one that was changed.
    """
    facts = store.facts()
    if facts:
        check_sound(folder, store)
        grown = growth(plan, folder, store)
        if grown or "finished" not in facts:
            _mark_unreported(folder)
        if grown:
            store_growth(plan, grown, store)
        terms = in_force(store)
        if terms.revisions:
            folder.write(folder.spec.name, terms.spec)
        kept = as_on_file(plan, terms.plan)
        return replace(kept, seed=terms.seed, coin=facts.get(LEGS) == COIN, luck=_luck_version(facts))
    seed = seeds.random_seed() if plan.seed is None else seeds.run_seed(plan.seed)
    folder.write(folder.spec.name, plan.spec.text)
    _mark_unreported(folder)
    store.begin(_facts(plan, seed, assurance), plan.field)
    return replace(plan, seed=seed)


def seed_warnings(typed: str | None) -> Iterator[str]:
    """Yield what somebody should know who has fixed the seed."""
    if short := seeds.warning(typed):
        yield short


@contextmanager
def opened(folder: Folder) -> Iterator[Store]:
    """Give the database of a run whose folder is locked. Where nothing has begun at the end, nothing that was made here is left.

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
                    begun = bool(store.facts())
        finally:
            if made and not begun:
                folder.clear()
                with suppress(OSError):  # a folder that somebody else has put something into stays
                    for path in made[1:]:
                        path.rmdir()


def is_over(store: Store) -> bool:
    """Return whether all fixtures were played."""
    return "finished" in store.facts()


def sandbox_warnings(assurance: Assurance) -> Iterator[str]:
    """Yield what somebody who trusts the results should know about the sandbox."""
    if assurance.profile == "none":
        yield "no sandbox: the bots can do whatever you can, and nobody is ranked"
    elif not assurance.isolated:
        missing = "; missing: " + "; ".join(assurance.missing) if assurance.missing else ""
        yield f"the bots are not isolated: accidents are contained, malice is not{missing}; see `arena doctor`"
    elif not assurance.sealed:
        yield "the bots are not sealed: what one leaves behind, another one may find in the other leg of a pair; see `arena doctor`"


def title_warnings(plan: Plan, folder: Folder, store: Store) -> Iterator[str]:
    """Yield that the title of a run on file is kept, if the plan's is another."""
    title = store.facts().get("title", plan.spec.title)
    if plan.spec.title != title:
        yield f"{folder.path}: the title is still {title!r}, as when this run began; found {plan.spec.title!r}"


def method_warnings(plan: Plan, store: Store) -> Iterator[str]:
    """Yield that a run keeps the method by which it began, if a new one would have another."""
    new = plan.spec.format.judged_by
    kept = as_on_file(plan, in_force(store).plan).spec.format.judged_by if store.facts() else new
    if kept != new:
        yield f"this run keeps method {kept} of the verdict, by which it began; a new run has method {new}"


def _facts(plan: Plan, seed: str, assurance: Assurance) -> dict[str, str]:
    continues = {CONTINUES: plan.earlier.link} if plan.earlier.link else {}
    return continues | {
        "title": plan.spec.title,
        "plan": played_by(plan),
        "spec": plan.spec.text,
        "seed": seed,
        "commitment": seeds.commitment(seed),
        "luck": str(plan.luck),
        LEGS: COIN,
        **circumstances(assurance),
    }


def _luck_version(facts: Facts) -> int:
    """Return the version of V by which a run measures luck; older runs do not name it, and have the first. Raises: DamagedError."""
    try:
        return int(facts.get("luck", "1"))
    except ValueError:
        raise DamagedError(f"run: luck: found {facts['luck']!r}; expected the number of a version") from None


def circumstances(assurance: Assurance) -> dict[str, str]:
    """Return the facts about when, where and by what a run is played."""
    return {
        "walls": json.encode(assurance).decode(),
        "arena": distribution.version(),
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "started": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
    }


def named(results: Path) -> Folder:
    """Return the folder that the user names. Raises: StoreError, if it holds something else than a run."""
    folder = Folder(results)
    if not folder.database.is_file() and folder.foreign_files:
        raise StoreError(f"{results}: holds no run, but other files; expected a new or empty folder, or that of a run")
    return folder


def growth_lines(folder: Folder, grown: Growth | None) -> Iterator[str]:
    """Yield that the spec of a run has grown, and that what was played stays."""
    if grown:
        seed = "; the seed is revealed, so what follows has another" if grown.finished else ""
        yield f"{folder.path}: the spec has grown: {'; '.join(grown.changes)}; {grown.matches} matches on file stay{seed}"


def _mark_unreported(folder: Folder) -> None:
    folder.write(folder.unreported.name, "The results of this run have not been shown: the same command resumes it.\n")


def _resumes(plan: Plan, folder: Folder) -> bool:
    """Return whether a plan may begin or resume in a folder, which need not exist."""
    try:
        with Store(folder.database) as store:
            facts = store.facts()
            grown = facts and growth(plan, folder, store)  # no facts, if it was stopped before it began
            if "finished" in facts and not grown and not folder.unreported.exists():
                return False
    except NotBegunError:
        return not folder.is_locked()  # by a run that begins at this moment
    except StoreError:
        return False
    return True


def check_sound(folder: Folder, store: Store) -> None:
    """Make sure that all is as it was filed, before anything is added. Raises: StoreError, that names what is not."""
    for problem in store.problems():
        raise StoreError(f"{folder.path}: {problem}; refusing to resume a run that was changed")
    for fixture, as_stored in store.check_records():
        if not as_stored:
            raise StoreError(f"{folder.path}: {fixture}: its record was changed after it was filed; refusing to resume")
    witnesses.check(store, "restore the newer one, or continue without what is missing: `arena run SPEC --accept-rollback`")
