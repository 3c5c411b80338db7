"""``arena verify --replay``: every fixture played again by its bots, behind their walls, and every action compared."""

from collections.abc import Iterator
from pathlib import Path

from arena.errors import StoreError
from arena.records import MatchRecord
from arena.referee import job
from arena.referee.again import Parting, parting
from arena.roster.entrant import Entered, Entrant
from arena.roster.finder import find
from arena.store.store import Store
from arena.tournament import plan as plans
from arena.tournament.plan import Plan
from arena.tournament.spec import Spec

TRIES = 2  # more, for a bot that answers otherwise than on record: does it answer the same each time?


class Replays:
    """Plays fixtures again, and learns on the way which bots do not play the same twice."""

    def __init__(self, store: Store, spec: Spec) -> None:
        """Find the bots. Raises: RosterError, SandboxError; StoreError, for one that has changed since."""
        self._store = store
        self._plan = _found(spec, store)
        self.odd: set[str] = set()  # bots that do not play the same twice
        self.alike = 0  # fixtures that were played again, action for action

    def differences(self) -> Iterator[str]:
        """Yield each fixture in which a bot that plays the same each time does not play what is on record."""
        for record in self._store.records():
            yield from self._compared(record)

    def told(self) -> str:
        """Return what came of it, in a line."""
        odd = f"; not deterministic, and not compared: {', '.join(sorted(self.odd))}" if self.odd else ""
        return f"{self.alike} matches played again, action for action{odd}"

    def _compared(self, record: MatchRecord) -> Iterator[str]:
        again = self._again(record)
        found = self._parting(record, again)
        if found is None:
            self.alike += 1
            return
        who = record.fixture.seats[found.seat]
        for _ in range(TRIES):
            if who in self.odd:
                return
            between = self._parting(again, self._again(record))
            if between:
                self.odd.add(record.fixture.seats[between.seat])
                if between.place < found.place:  # its opponent led it elsewhere: nothing is known of this action
                    return
        if who not in self.odd:
            yield f"{record.fixture.id} {found}"

    def _again(self, record: MatchRecord) -> MatchRecord:
        return job.play(self._plan.job(record.fixture))

    def _parting(self, one: MatchRecord, other: MatchRecord) -> Parting | None:
        return parting(one, other, self._plan.spec.rules, self._plan.seed or "")


def _found(spec: Spec, store: Store) -> Plan:
    """Return the plan of a run, with its bots found where they were found then."""
    entered = store.field()
    sources = iter(entered)
    plan = plans.make(spec, store.fact("seed"), lambda bot, name: _where(bot, name, next(sources)))
    for bot, then in zip(plan.field, entered, strict=True):
        if bot.digest != then.digest:
            raise StoreError(f"bot {bot.name!r} has changed since this run: {then.digest[:12]} then, {bot.digest[:12]} now")
    plans.walled_in(plan)
    return plan


def _where(bot: str, name: str | None, then: Entered) -> Entrant:
    """Find a bot: a file at the place where it stood, for the spec may name it from a folder of its own."""
    stands_in_a_file = ".py:" in bot or Path(bot).suffix in (".yaml", ".yml")
    return find(then.source if stands_in_a_file else bot, name)
