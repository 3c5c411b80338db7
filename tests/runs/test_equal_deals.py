"""Which deals a comparison skips, and when it stops to."""

from collections.abc import Callable
from concurrent.futures import Executor
from itertools import count
from pathlib import Path

import pytest
from inline_bots import Make, install, launch
from matches import plain
from msgspec.structs import replace

from arena.compare import duel
from arena.errors import WorkerLostError
from arena.gin.actions import Action, Discard
from arena.gin.cards import each
from arena.gin.view import View
from arena.records import Fixture, MatchRecord
from arena.referee import job as jobs
from arena.referee.asking import EqualHands, EqualityProbe, probe
from arena.roster.entrant import Entrant
from arena.runs import chosen
from arena.runs.play import EqualDeals, chunks
from arena.tournament.executors import Serial
from arena.tournament.plan import Plan

BOT = "from arena.sdk import Bot\n\n\nclass {name}(Bot):\n    pass\n"


def answering(changed: Callable[[View], bool]) -> Make:
    def answer(view: View) -> Action:
        action = plain()(view)
        return Discard(max(each(view.may_discard))) if changed(view) and isinstance(action, Discard) else action

    return lambda _, __: answer


SAME = answering(lambda _: False)
RARE = answering(lambda view: view.drawn == 7)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Return the plan of a duel of ``New`` and ``Old``, whose programs a test replaces."""
    for name in ("New", "Old"):
        (tmp_path / f"{name}.py").write_text(BOT.format(name=name))
    field = chosen.resolve([f"{tmp_path}/{name}.py:{name}" for name in ("New", "Old")], ("", ""))
    made = replace(duel.duel(field, duel.Terms(leg=4, skip=True, sandbox="none"), "equal"), seed="run seed")
    return replace(made, field=tuple(_named(bot) for bot in made.field))


def _named(bot: Entrant) -> Entrant:
    return replace(bot, launch=launch(bot.name))


class Watched:
    """Counts the pools that are opened, and keeps the warnings."""

    def __init__(self, plan: Plan, stored: tuple[MatchRecord, ...] = ()) -> None:
        self.opened = 0
        self.warnings: list[str] = []
        self.equal = EqualDeals(plan, plan.job, stored, self._open, self.warnings.append)

    def _open(self) -> Executor:
        self.opened += 1
        return Serial().open(1, lambda: None)


def known(plan: Plan, watched: Watched, numbers: range) -> dict[str, list[int]]:
    """Return the hands of each leg of some pairs that need not be played."""
    legs = [leg for number in numbers for leg in plan.spec.format.twins(plan.names, number)[0].legs]
    fixtures = {one.id: one for one in _fixtures(plan, numbers)}
    return {leg: [hand.game for hand in watched.equal.job(fixtures[leg]).known] for leg in legs}


def _fixtures(plan: Plan, numbers: range) -> list[Fixture]:
    a, b = plan.names
    return [
        Fixture(f"{a}:{b}/{number}/{leg}", seats, f"{a}:{b}/{number}", 4)
        for number in numbers
        for leg, seats in enumerate([(a, b), (b, a)])
    ]


@pytest.mark.process
def test_both_legs_skip_the_same_hands_and_a_resumed_run_skips_them_again(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, {"New": RARE, "Old": SAME})
    found = known(plan, Watched(plan), range(12))
    assert 0 < sum(map(len, found.values())) < 96
    assert list(found.values())[0::2] == list(found.values())[1::2]
    assert known(plan, Watched(plan), range(5, 12)) == dict(list(found.items())[10:])


def test_a_leg_skips_what_its_stored_other_leg_skipped(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, {"New": SAME, "Old": SAME})
    [leg, _] = _fixtures(plan, range(1))
    record = jobs.play(plan.job(leg))
    hands = (record.hands[0], replace(record.hands[1], skipped="equal"), *record.hands[2:])
    watched = Watched(plan, (replace(record, hands=hands),))
    assert known(plan, watched, range(2)) == {
        "New:Old/0/0": [1],
        "New:Old/0/1": [1],
        "New:Old/1/0": [0, 1, 2, 3],
        "New:Old/1/1": [0, 1, 2, 3],
    }


def test_a_bot_that_answers_otherwise_when_asked_again_ends_the_skipping_with_a_warning(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = count()

    def later(seed: str, seat: int) -> Callable[[View], Action]:
        """Return the same bot for the eight processes of the first chunk, and then another one for each process."""
        process = next(starts)
        return (SAME if process < 8 else answering(lambda view: view.drawn == process))(seed, seat)

    install(monkeypatch, {"New": later, "Old": later})
    watched = Watched(plan)
    found = known(plan, watched, range(60))
    assert all(found[f"New:Old/{number}/0"] for number in range(2)), "the first chunk is known"
    assert not any(found[f"New:Old/{number}/0"] for number in range(20, 60))
    assert len(watched.warnings) == 1
    assert "may answer the same turn differently, so no more deals are skipped as equal" in watched.warnings[0]


def test_nothing_is_probed_where_the_format_skips_nothing(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, {"New": SAME, "Old": SAME})
    every = replace(plan, spec=replace(plan.spec, format=replace(plan.spec.format, skip=False)))
    watched = Watched(every)
    assert [watched.equal.job(fixture).known for fixture in _fixtures(plan, range(3))] == [()] * 6
    assert watched.opened == 0


def test_the_chunks_grow_to_a_limit_and_hold_every_number_once(plan: Plan) -> None:
    several = list(chunks(plan))
    sizes = [4 * len(chunk) for chunk in several]
    assert sizes[:4] == [8, 32, 128, 128]
    legs = [leg for chunk in several for twins in chunk for leg in twins.legs]
    assert len(legs) == len(set(legs)) == 5000


def test_a_probe_that_is_lost_is_repeated(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, {"New": SAME, "Old": SAME})
    tries = count()

    def lost(asked: EqualityProbe) -> EqualHands:
        if next(tries) < 2:
            raise WorkerLostError("gone")
        return probe(asked)

    monkeypatch.setattr("arena.runs.play.probe", lost)
    assert list(known(plan, Watched(plan), range(1)).values()) == [[0, 1, 2, 3]] * 2


def test_a_probe_that_is_lost_three_times_leaves_its_deals_to_be_played(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(_: EqualityProbe) -> EqualHands:
        raise WorkerLostError("gone")

    monkeypatch.setattr("arena.runs.play.probe", lost)
    assert list(known(plan, Watched(plan), range(1)).values()) == [[], []]
