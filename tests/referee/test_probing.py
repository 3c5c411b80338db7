"""Deals that need not be played: what is known of them is what would be played."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

import pytest
from inline_bots import FreshPlayer, Make, install, launch
from matches import job_of, plain
from msgspec.structs import replace

from arena.gin.actions import Action, Discard, Draw, Take
from arena.gin.cards import each
from arena.gin.facts import Seat
from arena.gin.rules import Rules
from arena.gin.view import View
from arena.players.base import Player, PlayerFaultError
from arena.records import Fixture, HandRecord, MatchRecord, Result, result
from arena.referee import asking
from arena.referee import job as jobs
from arena.referee.asking import AskedDecision, EqualHands, EqualityProbe, RecordedHand, probe
from arena.referee.job import Job
from arena.referee.referee import FaultCosts
from arena.tournament.formats.tested import Duel, Gauntlet

RULES = Rules(stock="two-ended")
SEED = "the seed of a run"
DEALS = 40


def job(fixture: Fixture) -> Job:
    return job_of(fixture, (launch(fixture.seats[0]), launch(fixture.seats[1])), RULES, seed=SEED)


def old(_: str, __: int) -> Callable[[View], Action]:
    return plain()


def patched(changed: Callable[[View], bool]) -> Make:
    """Return the old bot with another discard or draw where ``changed`` says so."""

    def answer(view: View) -> Action:
        action = plain()(view)
        if not changed(view):
            return action
        if view.phase == "draw":
            return Draw() if isinstance(action, Take) else Take()
        return Discard(max(each(view.may_discard))) if isinstance(action, Discard) else action

    return lambda _, __: answer


PATCHES = {
    "a rare draw": patched(lambda view: view.phase == "draw" and view.stock == 12),
    "a rare discard": patched(lambda view: view.drawn == 7),
    "as a dealer alone": patched(lambda view: view.dealer and view.drawn == 20),
    "only when the other dealt": patched(lambda view: not view.dealer and view.drawn in (3, 4)),
}


def probed(
    monkeypatch: pytest.MonkeyPatch, bots: dict[str, Make], fixture: Fixture, asked: tuple[int, ...], new: str
) -> EqualHands:
    install(monkeypatch, bots)
    several = tuple(job(replace(fixture, deals=f"{fixture.deals}/{number}")) for number in range(3))
    return probe(EqualityProbe(jobs=several, new=launch(new), asked=asked))


def untimed(hand: HandRecord) -> HandRecord:
    return replace(hand, spent=(), skipped=None)


def played(fixture: Fixture) -> MatchRecord:
    return jobs.play(job(fixture))


@pytest.mark.process
@pytest.mark.rule("R2.4")
@pytest.mark.parametrize("name", PATCHES)
@pytest.mark.parametrize("scored", [False, True])
def test_a_known_hand_is_the_one_that_both_legs_of_a_pair_play(name: str, *, scored: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = {"old": old, "new": PATCHES[name]}
    found = probed(monkeypatch, bots, Fixture("equal", ("old", "old"), "key", DEALS, scored), (0, 1), "new")
    assert not found.odd
    assert 0 < sum(map(len, found.known)) < 3 * DEALS
    for number, known in enumerate(found.known):
        legs = [played(Fixture(str(seats), seats, f"key/{number}", DEALS, scored)) for seats in (("old", "new"), ("new", "old"))]
        for leg in legs:
            assert [untimed(leg.hands[hand.game]) for hand in known] == [untimed(hand) for hand in known]
        rest = {hand.game for hand in legs[0].hands} - {hand.game for hand in known}
        assert all(hand.skipped == "equal" for hand in known)
        assert rest, "some deals differ"


@pytest.mark.process
@pytest.mark.parametrize("name", PATCHES)
def test_a_known_hand_is_the_one_that_candidate_and_baseline_play_in_a_gauntlet(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = {"old": old, "new": PATCHES[name], "other": patched(lambda view: view.stock % 3 == 0)}
    for seat in (0, 1):

        def seats(bot: str, seat: int = seat) -> tuple[str, str]:
            return (bot, "other") if seat == 0 else ("other", bot)

        found = probed(monkeypatch, bots, Fixture("equal", seats("old"), "key", DEALS), (seat,), "new")
        assert sum(map(len, found.known)) > 0
        for number, known in enumerate(found.known):
            for bot in ("old", "new"):
                leg = played(Fixture(bot, seats(bot), f"key/{number}", DEALS))
                assert [untimed(leg.hands[hand.game]) for hand in known] == [untimed(hand) for hand in known]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_first_equal_hands_and_every_eighth_of_the_rest_are_asked_again(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    again, unchanged = list[list[int]](), asking.ask

    def ask(player: Player, seat: Seat, hands: Iterable[RecordedHand], *rest: Any, **more: Any) -> Iterator[AskedDecision]:
        several = list(hands)
        again.append([hand.number for hand in several])
        return unchanged(player, seat, several, *rest, **more)

    monkeypatch.setattr(asking, "ask", ask)
    install(monkeypatch, {"old": old, "new": old, "other": patched(lambda view: view.stock % 3 == 0)})
    fixture = Fixture("equal", ("old", "other") if seat == 0 else ("other", "old"), "key", 17)
    found = probe(EqualityProbe(jobs=(job(fixture),), new=launch("new"), asked=(seat,)))
    assert [untimed(hand) for hand in found.known[0]] == [untimed(hand) for hand in played(fixture).hands]
    assert again == [[16, 8, 3, 2, 1, 0]] * 3  # by the old bot, its opponent, and the new bot


def test_in_a_probe_every_player_is_started_learns_each_result_and_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Counter[str]()

    def count(name: str) -> None:
        unchanged = getattr(FreshPlayer, name)
        monkeypatch.setattr(FreshPlayer, name, lambda self, *rest: (calls.update([name]), unchanged(self, *rest)))

    for name in ("start", "begin", "hand_over", "close"):
        count(name)
    install(monkeypatch, {"old": old, "new": old})
    probe(EqualityProbe(jobs=(job(Fixture("equal", ("old", "old"), "key", 2)),), new=launch("new"), asked=(0, 1)))
    assert calls == {"start": 4, "begin": 4 + 4, "hand_over": 2 * (4 + 4), "close": 4 + 4}, "by four bots, asked twice"


def with_known(form: Duel | Gauntlet, field: list[str], numbers: int) -> tuple[list[Result], list[Result]]:
    """Return the results of some numbers of a format, played in full, and with the known hands skipped."""
    full: list[Result] = []
    short: list[Result] = []
    for number in range(numbers):
        known = {}
        for twins in form.twins(field, number):
            found = probe(EqualityProbe(jobs=(job(twins.played),), new=launch(twins.bot), asked=twins.asked))
            known.update(dict.fromkeys(twins.legs, found.known[0]))
        for fixture in [one for one in form.fixtures(field, full) if one.deals.endswith(f"/{number}")]:
            full.append(result(played(fixture)))
            short.append(result(jobs.play(replace(job(fixture), known=known[fixture.id]))))
    return full, short


def check_same_observations(form: Duel | Gauntlet, field: list[str], full: list[Result], short: list[Result]) -> None:
    """Check that the blocks differ only in what they say of themselves: whether all of them was played."""
    skipping = list(map(form.block, form.sets(field, short)))
    assert [replace(block, fresh=True) for block in skipping] == list(map(form.block, form.sets(field, full)))
    assert [block.fresh for block in skipping] == [not any(leg.skipped for leg in legs) for legs in form.sets(field, short)]


@pytest.mark.parametrize("statistic", ["points", "equity"])
@pytest.mark.parametrize("name", PATCHES)
def test_a_duel_has_the_same_observations_with_and_without_the_skipped_deals(
    name: str, statistic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, {"old": old, "new": PATCHES[name]})
    form = Duel(statistic=statistic, leg=10, skip=True)  # type: ignore[arg-type]
    full, short = with_known(form, ["new", "old"], 2)
    check_same_observations(form, ["new", "old"], full, short)
    skipped = [one.skipped for one in short]
    assert skipped[0::2] == skipped[1::2]
    assert 0 < sum(skipped) < 40


@pytest.mark.process
def test_a_gauntlet_has_the_same_observations_with_and_without_the_skipped_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    bots = {"old": old, "new": PATCHES["a rare discard"], "one": patched(lambda view: view.stock % 3 == 0), "two": old}
    install(monkeypatch, bots)
    form, field = Gauntlet(leg=10, skip=True), ["new", "old", "one", "two"]
    full, short = with_known(form, field, 2)
    check_same_observations(form, field, full, short)
    assert 0 < sum(one.skipped for one in short) < sum(one.hands for one in short)


# --- bots for which it does not hold


def seeded(seed: str, _: int) -> Callable[[View], Action]:
    chance = Random(seed)
    return patched(lambda _: chance.random() < 0.02)("", 0)


def seated(_: str, seat: int) -> Callable[[View], Action]:
    return patched(lambda view: seat == 1 and view.drawn in (3, 4))("", 0)


def moody(_: str, __: int) -> Callable[[View], Action]:
    mood = os.urandom(1)[0] % 16
    return patched(lambda view: view.drawn is not None and view.drawn % 16 == mood)("", 0)


def remembering(_: str, __: int) -> Callable[[View], Action]:
    """Play by the number of turns that the process has seen."""
    turns = 0

    def answer(view: View) -> Action:
        nonlocal turns
        turns += 1
        return patched(lambda view: view.drawn == turns % 52)("", 0)(view)

    return answer


@pytest.mark.process
@pytest.mark.parametrize("odd", [seeded, moody, remembering])
@pytest.mark.parametrize("asked", ["old", "new"])
def test_a_bot_that_answers_otherwise_when_asked_again_leaves_nothing_known(
    odd: Make, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = {"old": odd, "new": odd}
    fixture = Fixture("equal", ("old", "old"), "key", DEALS)
    if asked == "old":
        bots["new"] = old
    found = [probed(monkeypatch, bots, replace(fixture, deals=f"key {number}"), (0, 1), "new") for number in range(3)]
    assert not any(any(one.known) for one in found if one.odd)
    assert any(one.odd for one in found) or not any(any(one.known) for one in found)


def test_a_seat_is_no_oddness_because_it_is_the_same_in_the_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    found = probed(monkeypatch, {"old": seated, "new": seated}, Fixture("equal", ("old", "old"), "key", DEALS), (0, 1), "new")
    assert not found.odd
    assert sum(map(len, found.known)) == 3 * DEALS
    for seats in (("old", "new"), ("new", "old")):
        assert [untimed(hand) for hand in played(Fixture("leg", seats, "key/0", DEALS)).hands] == [
            untimed(hand) for hand in found.known[0]
        ]


def test_a_fault_leaves_the_rest_to_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(_: str, __: int) -> Callable[[View], Action]:
        def answer(view: View) -> Action:
            if view.game == 10 and view.phase == "discard":
                raise PlayerFaultError("crash", "gone")
            return plain()(view)

        return answer

    found = probed(monkeypatch, {"old": old, "new": faulty}, Fixture("equal", ("old", "old"), "key", DEALS), (0, 1), "new")
    assert [len(hands) for hands in found.known] == [10, 0, 0]


def test_bots_that_differ_much_are_not_asked_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[View] = []

    def counting(_: str, __: int) -> Callable[[View], Action]:
        def answer(view: View) -> Action:
            asked.append(view)
            return patched(lambda _: True)("", 0)(view)

        return answer

    found = probed(monkeypatch, {"old": old, "new": counting}, Fixture("equal", ("old", "old"), "key", DEALS), (0, 1), "new")
    assert found == EqualHands(known=((), (), ()))
    assert {view.game for view in asked} == {0, 1, 2, 3}


def test_known_hands_are_recorded_without_asking_and_after_a_forfeit_none_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    fixture = Fixture("leg", ("old", "new"), "key/0", 4)
    install(monkeypatch, {"old": old, "new": old})
    known = played(fixture).hands

    def refuse(_: str, __: int) -> Callable[[View], Action]:
        raise AssertionError("started")

    install(monkeypatch, {"old": refuse, "new": refuse})
    assert jobs.play(replace(job(fixture), known=known)).hands == known

    def faulty(_: View) -> Action:
        raise PlayerFaultError("crash", "gone")

    install(monkeypatch, {"old": lambda _, __: faulty, "new": old})
    costs = FaultCosts(at_most=1)
    record = jobs.play(replace(job(fixture), known=(known[0], known[3]), faults=costs))
    assert record.hands[0] == known[0]
    assert [hand.ending.value for hand in record.hands[1:]] == ["fault"] * 3
