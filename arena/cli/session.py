"""Which folder a run has, and whether it begins there or goes on: nothing is played twice, and nothing under another spec."""

import platform
import secrets
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import typer
from msgspec import json
from msgspec.structs import replace

from arena.errors import RosterError, SpecError, StoreError
from arena.records import Assurance
from arena.roster.entrant import Entered
from arena.roster.finder import find
from arena.store.folder import Folder, candidates
from arena.store.store import Store
from arena.tournament import plan as plans
from arena.tournament import roll_call
from arena.tournament import spec as specs
from arena.tournament.plan import Plan

RESULTS = Path("results")


def planned(path: Path, known: specs.Kinds, seed: str | None) -> Plan:
    """Return the plan of a spec's file, with this seed or else the spec's. Raises: SpecError, RosterError."""
    spec = specs.load(path, known)
    try:
        return plans.make(spec, seed or spec.seed, lambda bot, name: find(bot, name, Path(spec.folder)))
    except (RosterError, SpecError) as error:
        raise type(error)(f"{path}: {error}") from None


def folder_of(plan: Plan, results: Path | None) -> Folder:
    """Return the folder that the user names, or an unfinished run of the same plan in ``results/``, or a new one."""
    if results:
        return _named(results)
    for folder in candidates(RESULTS, plan.spec.title, f"{datetime.now(UTC):%Y-%m-%d}"):
        if not folder.database.is_file() or _goes_on(plan, folder):
            return folder
    raise AssertionError("candidates end with a new folder")


def new_folder(plan: Plan, results: Path | None) -> Folder:
    """Return the folder that the user names, or a new one in ``results/``, whatever else is there."""
    if results:
        return _named(results)
    *_, folder = candidates(RESULTS, plan.spec.title, f"{datetime.now(UTC):%Y-%m-%d}")
    return folder


def begin(plan: Plan, folder: Folder, store: Store, assurance: Assurance) -> Plan:
    """Return the plan with its seed: the one on file, or a new one that is filed before anything is played.

    Raises: StoreError, if the folder holds a run of another spec, of other bots or of another seed, or one that was changed.
    """
    facts = store.facts()
    if facts:
        _check_sound(folder, store)
        _check_same(plan, folder, facts, store.field())
        return replace(plan, seed=facts["seed"])
    seed = plan.seed or secrets.token_hex(16)
    folder.write(folder.spec.name, plan.spec.text)
    store.begin(_facts(plan, seed, assurance), plan.field)
    return replace(plan, seed=seed)


def told(plan: Plan, folder: Folder) -> str:
    """Return what is said of a run before its first bot starts."""
    return f"results in {folder.path}; seed committed as {commitment(plan.seed or '')}"


def call_the_roll(plan: Plan, store: Store) -> None:
    """Start every bot once. Raises: RosterError, if one cannot be started; if nothing was played, the run has not begun then."""
    try:
        roll_call.call(plan)
    except RosterError:
        if not store.results():
            store.withdraw()
        raise


def warnings(assurance: Assurance) -> Iterator[str]:
    """Yield what somebody who trusts the results should know of the walls."""
    if assurance.profile == "none":
        yield "no sandbox: the bots can do whatever you can, and nobody is ranked"
    elif not assurance.isolated:
        missing = "; missing: " + "; ".join(assurance.missing) if assurance.missing else ""
        yield f"the bots are not isolated: accidents are contained, malice is not{missing}; see `arena doctor`"


def warn(several: Iterable[str]) -> None:
    """Tell what somebody should know who goes on, on standard error."""
    for one in several:
        typer.echo(f"arena: {one}", err=True)


def commitment(seed: str) -> str:
    """Return what is published of a seed before the first bot starts: whoever learns it later can check it."""
    return sha256(seed.encode()).hexdigest()


def played_by(plan: Plan) -> str:
    """Return all that decides what is played, as JSON; titles, ratings and reports do not."""
    spec = plan.spec
    parts = {
        "bots": plan.names,
        "rules": spec.rules,
        "format": spec.format,
        "time": spec.time,
        "lines": spec.lines,
        "faults": spec.faults,
        "sandbox": spec.sandbox,
    }
    return json.encode(parts).decode()


def _facts(plan: Plan, seed: str, assurance: Assurance) -> dict[str, str]:
    return {
        "title": plan.spec.title,
        "plan": played_by(plan),
        "spec": plan.spec.text,
        "seed": seed,
        "commitment": commitment(seed),
        "walls": json.encode(assurance).decode(),
        "arena": version("arena"),
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "started": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
    }


def _named(results: Path) -> Folder:
    """Return the folder that the user names. Raises: StoreError, if it holds something else."""
    folder = Folder(results)
    if not folder.database.is_file() and folder.strangers:
        raise StoreError(f"{results}: holds no run, but other files; expected a new or empty folder, or that of a run")
    return folder


def _goes_on(plan: Plan, folder: Folder) -> bool:
    try:
        with Store(folder.database) as store:
            facts, field = store.facts(), store.field()
            if "finished" in facts:
                return False
            if facts:  # none, if it was stopped before it began
                _check_same(plan, folder, facts, field)
    except StoreError:
        return False
    return True


def _check_sound(folder: Folder, store: Store) -> None:
    """Make sure that all is as it was filed, before anything is added. Raises: StoreError, that names what is not."""
    for damage in store.damage():
        raise StoreError(f"{folder.path}: {damage}; a run that was changed is not gone on with")
    for fixture, as_filed in store.linked():
        if not as_filed:
            raise StoreError(f"{folder.path}: {fixture}: its record was changed after it was filed; such a run is not gone on with")


def _check_same(plan: Plan, folder: Folder, facts: dict[str, str], field: tuple[Entered, ...]) -> None:
    """Make sure that a run may go on. Raises: StoreError, that names what differs."""
    now, then = json.decode(played_by(plan)), json.decode(facts["plan"])
    for part in sorted({*now, *then}):
        if now.get(part) != then.get(part):
            raise StoreError(f"{folder.path}: holds a run of another spec: {_difference(part, then.get(part), now.get(part))}")
    for entrant, entered in zip(plan.field, field, strict=True):
        if entrant.digest != entered.digest:
            then_now = f"{entered.digest[:12]} then, {entrant.digest[:12]} now"
            raise StoreError(f"{folder.path}: bot {entrant.name!r} has changed since this run began: {then_now}")
    if plan.seed and plan.seed != facts["seed"]:
        raise StoreError(f"{folder.path}: holds a run with another seed")


def _difference(part: str, then: object, now: object) -> str:
    if isinstance(then, dict) and isinstance(now, dict):
        key = next(key for key in sorted({*then, *now}) if then.get(key) != now.get(key))
        return f"{part}.{key} was {then.get(key)!r}, and is {now.get(key)!r} now"
    return f"{part} was {then!r}, and is {now!r} now"
