"""Whether a plan is the one that a run is played by: bots by content, rules, format, limits, sandbox and seed."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import ValidationError, convert, json
from msgspec.structs import replace

from arena.errors import DamagedError, StoreError
from arena.roster.entrant import Entered, Entrant
from arena.stats.sequential.betting import CLIPPING
from arena.store.folder import Folder
from arena.tournament import seeds
from arena.tournament.formats.base import Format
from arena.tournament.formats.tested import Tested
from arena.tournament.plan import Plan

CONTINUES = "continues"  # the fact that holds the last link of the run that a run continues
LEGS = "legs"  # the fact that says what decides which leg of a pair is played first; without it the format does, as in older runs
COIN = "by coin"
HAVE_DEALS = {"round-robin", "batches"}  # formats with the option ``deals``, which has not always been there
HAVE_METHOD = {"duel", "gauntlet"}  # formats with the option ``method``, which has not always been there
Parts = dict[str, Any]  # what a run is played by, part by part


def played_by(plan: Plan) -> str:
    """Return all that decides what is played, as JSON; titles, ratings and reports do not."""
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
    return json.encode(parts).decode()


def parts(text: str) -> Parts:
    """Return the parts of what ``played_by`` has written, with the options that older runs do not name."""
    found: Parts = {"method": 1, **json.decode(text)}
    for form in (found["format"], *(stage["format"] for stage in found["format"].get("stages", ()))):
        if form["name"] in HAVE_DEALS:
            form.setdefault("deals", "own")
        if form["name"] in HAVE_METHOD:
            form.setdefault("method", max(found["method"], CLIPPING))
    return found


def format_on_file(form: Format, stored: str) -> Format:
    """Return the format of a run on file, ``stored`` as by ``played_by``: what its spec does not say is as the defaults were then.

    Raises: DamagedError.
    """
    if not isinstance(form, Tested):
        return form
    try:
        return convert(parts(stored)["format"], type(form))
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedError(f"plan: {' '.join(str(error).split())}") from None


def as_on_file(plan: Plan, stored: str) -> Plan:
    """Return a plan with what a run keeps that was begun by an older method: the method, its legs, and whether it skips deals."""
    form, then = plan.spec.format, parts(stored)
    if not isinstance(form, Tested) or not CLIPPING <= then["method"] < form.method:
        return plan
    kept = {option: then["format"][option] for option in ("method", "leg", "skip") if option in then["format"]}
    return replace(plan, spec=replace(plan.spec, format=replace(form, **kept)))


def question(stored: str) -> str:
    """Return what a comparison asks, ``stored`` as by ``played_by``: without the levels of its verdict and the limit of its hands.

    Evidence does not depend on them, so a run that asks the same continues one that has asked it before.
    """
    found = parts(stored)
    left = {"alpha", "beta"} | ({"hands"} if found["format"].get("until") != "limit" else set())
    form = {option: value for option, value in found["format"].items() if option not in left}
    return json.encode({**found, "format": form}, order="sorted").decode()


def check_same(plan: Plan, folder: Folder, facts: Mapping[str, str], field: Sequence[Entered], stored: str) -> None:
    """Make sure that a run may continue, which is played by what is ``stored``. Raises: StoreError, that names what differs."""
    now, then = parts(played_by(plan)), parts(stored)
    if now["method"] != then["method"]:
        found = f"a run by method {then['method']} of its format"
        raise StoreError(f"{folder.path}: holds {found}; this arena has method {now['method']}: play it anew in another folder")
    for part in sorted({*now, *then}):
        if now.get(part) != then.get(part):
            raise StoreError(f"{folder.path}: holds a run of another spec: {difference(part, then, now)}")
    check_bots_and_seed(plan, folder, facts, plan.field, field)


def check_bots_and_seed(
    plan: Plan, folder: Folder, facts: Mapping[str, str], field: Sequence[Entrant], then: Sequence[Entered]
) -> None:
    """Make sure that the bots on file are as they were, and that the seed is the same. Raises: StoreError."""
    if facts.get(CONTINUES, "") != plan.earlier.link:
        raise StoreError(f"{folder.path}: the part that this run continues has changed since")
    digests = {entrant.name: entrant.digest for entrant in field}
    for entered in then:
        now = digests[entered.name]
        if now != entered.digest:
            then_now = f"{entered.digest[:12]} then, {now[:12]} now"
            raise StoreError(f"{folder.path}: bot {entered.name!r} has changed since this run began: {then_now}")
    if not _same_seed(plan.seed, facts["seed"]):
        raise StoreError(f"{folder.path}: holds a run with another seed")


def check_kind(folder: Folder, facts: Mapping[str, str]) -> None:
    """Raise StoreError for a folder of something else than a tournament."""
    if "kind" in facts:
        raise StoreError(f"{folder.path}: holds a {facts['kind']}; `arena league run {folder.path}` plays it")


def difference(part: str, before: Parts, after: Parts) -> str:
    """Return how a part differs, with both values."""
    then, now = before.get(part), after.get(part)
    if isinstance(then, dict) and isinstance(now, dict):
        keys = sorted({*then, *now}, key=lambda key: (key != "name", key))  # another format has other options
        key = next(key for key in keys if then.get(key) != now.get(key))
        return f"{part}.{key} was {then.get(key)!r}, and is {now.get(key)!r} now"
    return f"{part} was {then!r}, and is {now!r} now"


def _same_seed(typed: str | None, stored: str) -> bool:
    """Tell whether a run has the seed that is asked for; older runs were played with the typed seed itself."""
    return typed is None or stored in (typed, seeds.run_seed(typed))
