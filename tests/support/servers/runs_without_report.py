"""Finished runs that have no report."""

from pathlib import Path

from support.matches.in_process import PLAN, SEED, match

from arena.gin.rules import Rules
from arena.roster.entrant import Entered
from arena.store.store import Store
from arena.tournament import seeds

RULES = Rules(target=10, best_of=1)
FACTS = dict.fromkeys(("arena", "python", "platform", "started"), "x") | {
    "title": "Cup",
    "plan": PLAN,
    "spec": "{title: Cup, bots: [a, b], rules: {target: 10, best_of: 1}}",
    "seed": SEED,
    "commitment": seeds.commitment(SEED),
    "walls": '{"isolated": false, "profile": "none"}',
}


def run_without_report(folder: Path) -> Path:
    """Make the folder of a finished run without a report."""
    folder.mkdir()
    with Store(folder / "arena.sqlite", write=True) as store:
        store.begin(FACTS, [Entered(name, "1", name, "1" * 64) for name in "ab"])
        store.add(match(rules=RULES), match(rules=RULES, name="a-b/1/0"))
        store.finish()
    return folder
