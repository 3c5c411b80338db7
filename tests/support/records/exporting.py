"""A stored run of three records, and its hands as files."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import json
from msgspec.structs import replace
from support.matches.in_process import PLAN, SEED, by_chance, match, once

from arena.gin.actions import BigGin
from arena.gin.rules import Rules
from arena.plugins.manager import installed_kinds
from arena.records import Assurance, MatchRecord, Note
from arena.results import hands as data
from arena.results.hands import ExportedHand, hands, header, lines
from arena.roster.entrant import Entered
from arena.runs.stored import StoredRun
from arena.runs.stored_kinds import stored_run
from arena.stats.luck import add_luck
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.seeds import commitment

RULES = Rules(target=50, best_of=1)
SPEC = "title: Cup\nbots: [a, b]\nrules: {target: 50, best_of: 1}\nformat: {pairs: 1}\nsandbox: none\nreports: [console]\n"
FIELD = [Entered("a", "1", "a.py:A", "1" * 64), Entered("b", "2", "b.py:B", "2" * 64)]
ASSURANCE = json.encode(Assurance(isolated=False, profile="none")).decode()


def faulty() -> MatchRecord:
    """Return a match in which seat 0 does something that is forbidden, and loses a hand for it."""
    return match(once(lambda _: BigGin()), by_chance("1"), rules=RULES, name="a-b/1/0")


def some_records() -> list[MatchRecord]:
    batch = match(rules=RULES, hands=3, name="a-b/2/0")
    noted = replace(batch.hands[0], notes=(Note(0, "a note"),), spent=tuple(range(len(batch.hands[0].actions.split()))))
    batch = add_luck(replace(batch, hands=(noted, *batch.hands[1:])), RULES, SEED)
    return [match(rules=RULES), faulty(), batch]


def store_records(folder: Path, records: list[MatchRecord]) -> Path:
    about = dict.fromkeys(("arena", "python", "platform", "started"), "x")
    with Store(folder / "arena.sqlite", write=True) as store:
        facts = {"title": "Cup", "seed": SEED, "commitment": commitment(SEED), "spec": SPEC, "plan": PLAN, "walls": ASSURANCE}
        store.begin(facts | about, FIELD)
        store.add(*records)
        store.finish()
    return folder


def with_run(folder: Path, what: Callable[[Store, StoredRun], Any]) -> Any:
    with Store(folder / "arena.sqlite") as store:
        return what(store, stored_run(Folder(folder), store, installed_kinds()))


def exported(folder: Path, suffix: str = ".jsonl", **chosen: str) -> bytes:
    file = io.BytesIO()
    with_run(folder, lambda store, run: data.WRITERS[suffix](file, header(store, run), lines(store, run, **chosen)))  # type: ignore[arg-type]
    return file.getvalue()


def every_hand(folder: Path) -> list[ExportedHand]:
    return with_run(folder, lambda store, run: list(hands(store, run)))  # type: ignore[no-any-return]
