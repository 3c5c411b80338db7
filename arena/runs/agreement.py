"""The text of a plan, which a run stores, and the comparison of a plan with it."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, convert, json

from arena.errors import DamagedError, StoreError
from arena.roster.entrant import Entered
from arena.stats.duels import METHOD
from arena.store.folder import Folder
from arena.tournament import seeds
from arena.tournament.formats.base import UNTESTED
from arena.tournament.plan import Plan
from arena.tournament.spec import name_of

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
