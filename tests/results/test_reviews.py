"""Reviews of a run: what is asked for, what is kept, and what is reviewed anew."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace
from support.bots.self_play import self_play

from arena.errors import DamagedError, InputError
from arena.gin.actions import Discard, write_actions
from arena.gin.cards import each
from arena.gin.deal import Deal
from arena.gin.melds import deadwood
from arena.gin.rules import Rules
from arena.results import confirming, review_tasks, reviews
from arena.review import habits
from arena.review.hand_walks import HandStep
from arena.review.prices import Price
from arena.review.summary import BotReview, DecisionPrice, Place, ReviewedHand, review
from arena.runs import review_cache
from arena.sdk import Bot
from arena.store.folder import Folder
from arena_bots.greedy import Greedy
from arena_bots.scholar import Scholar

RULES = Rules()
NAMES = ("one", "two", "three")


def hand(fixture: str, number: int, seats: tuple[str, str] = ("one", "two")) -> review_tasks.RunHand:
    deal = Deal(tuple(range(52)), 0)
    place = Place(fixture, 0, number)
    return review_tasks.RunHand(place=place, seats=seats, deal=deal, actions="pass pass draw", points=0, half=number % 2)


HANDS = [hand("a", number) for number in range(6)] + [hand("b", number, ("two", "three")) for number in range(3)]


def places(request: reviews.ReviewRequest) -> list[str]:
    return [place(one) for one in reviews.requested_seats(HANDS, NAMES, request) if one.priced]


def place(one: reviews.RequestedSeat) -> str:
    return f"{one.hand.place.fixture}{one.hand.place.hand}/{one.seat}"


def test_all_hands_of_a_small_run_are_reviewed_for_both_seats() -> None:
    assert len(places(reviews.ReviewRequest())) == 18


def test_a_bot_a_fixture_and_a_hand_can_be_asked_for() -> None:
    assert places(reviews.ReviewRequest(bot="three")) == ["b0/1", "b1/1", "b2/1"]
    assert places(reviews.ReviewRequest(fixture="b", bot="two")) == ["b0/0", "b1/0", "b2/0"]
    assert places(reviews.ReviewRequest(fixture="a", hand="0.4")) == ["a4/0", "a4/1"]


def test_the_hands_of_each_bot_are_evenly_spaced() -> None:
    assert places(reviews.ReviewRequest(bot="one", hands=3)) == ["a0/0", "a2/0", "a4/0"]


def test_the_error_rate_is_measured_on_four_times_as_many_hands() -> None:
    found = reviews.requested_seats(HANDS, NAMES, reviews.ReviewRequest(bot="one", hands=1))
    assert [(place(one), one.priced) for one in found] == [("a0/0", True), ("a1/0", False), ("a3/0", False), ("a4/0", False)]


def test_a_measured_hand_counts_for_the_error_rate_alone() -> None:
    measured = replace(reviewed([], 4, 2.0), measured={"draw": 3.0, "discard": 2.0})
    found = review([reviewed([9.0, 1.0], 20, 4.0), measured]).bots["one"]
    assert (found.hands, found.priced_hands, found.decisions, found.price) == (2, 1, 2, 10.0)
    assert (found.error_rate, found.kinds["draw"], found.kinds["discard"]) == (6.5, 1.5, 5.0)
    assert (found.points, found.luck) == (12.0, 3.0)


def test_a_hand_that_is_priced_later_or_was_priced_before_stays_priced(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    measured = replace(reviewed([], 4, 2.0), measured={"draw": 3.0})
    for hands in ([measured], [reviewed([9.0], 4, 2.0)], [measured]):
        review_cache.keep(folder, "a run", "review", hands)
    assert the_one(folder).price == 9.0


def test_reviews_that_end_at_the_same_moment_are_both_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, hand = Folder(tmp_path), reviewed([9.0], 4, 2.0)
    other = Thread(target=review_cache.keep, args=(folder, "a run", "review", [replace(hand, seat=1 - hand.seat)]))
    read = json.decode

    def meanwhile(content: bytes, **options: Any) -> Any:
        monkeypatch.undo()
        other.start()
        other.join(0.1)  # ends within this time, unless it waits
        return read(content, **options)

    review_cache.keep(folder, "a run", "review", [replace(hand, place=replace(hand.place, hand=7))])
    monkeypatch.setattr("arena.runs.review_cache.json.decode", meanwhile)
    review_cache.keep(folder, "a run", "review", [hand])
    other.join()
    assert len(review_cache.kept_hands(folder, "a run")) == 3


def test_a_newer_measurement_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    folder, measured = Folder(tmp_path), replace(reviewed([], 4, 2.0), measured={"draw": 3.0})
    for hand in (measured, replace(measured, measured={"draw": 5.0})):
        review_cache.keep(folder, "a run", "review", [hand])
    assert (the_one(folder).error_rate, the_one(folder).price) == (5.0, None)


def test_what_another_version_reviewed_is_not_shown_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path)
    review_cache.keep(folder, "a run", "review", [reviewed([9.0], 4, 2.0)])
    monkeypatch.setattr(review_cache, "VERSIONS", (*review_cache.VERSIONS[:-1], review_cache.VERSIONS[-1] + 1))
    assert review_cache.read_kept(folder, "a run") is None
    review_cache.keep(folder, "a run", "review", [replace(reviewed([1.0], 4, 2.0), seat=1)])
    assert the_one(folder).hands == 1


def the_one(folder: Folder) -> BotReview:
    found = review_cache.read_kept(folder, "a run")
    assert found is not None
    return found.bots["one"]


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        (reviews.ReviewRequest(fixture="c"), "fixture: found 'c'"),
        (reviews.ReviewRequest(fixture="a", hand="0.9"), "found '0.9'"),
        (reviews.ReviewRequest(bot="four"), "--bot: found 'four'"),
        (reviews.ReviewRequest(hands=0), "hands: found 0; expected 1 or more"),
    ],
)
def test_what_is_not_there_is_named(request_: reviews.ReviewRequest, found: str) -> None:
    with pytest.raises(InputError, match=found):
        reviews.requested_seats(HANDS, NAMES, request_)


def stored(digest: str) -> review_cache.StoredReview:
    price = DecisionPrice(3, "draw", "take", 0.5, 0.25, {"draw": 0.5}, {"draw": 0.25}, 3.0)
    return review_cache.StoredReview(digest, 1.5, (price,))


def test_what_was_reviewed_is_kept(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert review_cache.stored_reviews(folder) == {}
    review_cache.store_review(folder, stored("x"))
    review_cache.store_review(folder, stored("y"))
    assert review_cache.stored_reviews(folder) == {"x": stored("x"), "y": stored("y")}


def test_a_line_that_a_kill_cut_off_is_reviewed_again_and_spoils_no_other(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    review_cache.store_review(folder, stored("x"))
    with (tmp_path / review_cache.PRICES_FILE).open("ab") as file:
        file.write(json.encode(stored("y"))[:20])
    review_cache.store_review(folder, stored("z"))
    assert set(review_cache.stored_reviews(folder)) == {"x", "z"}


def test_a_damaged_line_is_reviewed_again_and_a_damaged_file_shows_nothing(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    review_cache.store_review(folder, stored("x"))
    with (tmp_path / review_cache.PRICES_FILE).open("ab") as file:
        file.write(b'{"digest":"\xff"}\n')
    assert set(review_cache.stored_reviews(folder)) == {"x"}
    (tmp_path / review_cache.SHOWN_FILE).write_bytes(b'{"seed":"\xff"}')
    assert review_cache.kept_hands(Folder(tmp_path), "") == ()


def test_a_digest_depends_on_all_that_changes_a_price() -> None:
    task = review_tasks.SeatReview(HANDS[0], 0, habits.usual_habits())
    other_habits = replace(habits.usual_habits(), evidence=((0.0,), (0.0,)))
    digests = {
        task.digest(RULES, "seed"),
        task.digest(RULES, "other"),
        task.digest(Rules(knock_limit=9), "seed"),
        replace(task, seat=1).digest(RULES, "seed"),
        replace(task, opponent=other_habits).digest(RULES, "seed"),
        replace(task, hand=replace(HANDS[0], actions="pass pass")).digest(RULES, "seed"),
        replace(task, priced=False).digest(RULES, "seed"),
    }
    assert len(digests) == 7
    assert replace(task, hand=replace(HANDS[0], place=Place("z", 9, 9))).digest(RULES, "seed") in digests


def played(count: int, bot: Callable[[str], Bot] = Greedy) -> Iterator[review_tasks.RunHand]:
    for number, steps in enumerate(self_play((bot("a"), bot("b")), count, "run")):
        first = steps[0].hand
        actions = write_actions(tuple(step.action for step in steps))
        yield replace(hand("c", number), deal=Deal(first.deck, first.dealer), actions=actions)


@pytest.mark.process
def test_errors_are_the_same_whichever_hands_are_measured_at_once() -> None:
    tasks = [review_tasks.SeatReview(hand, seat, habits.usual_habits(), priced=False) for hand in played(3) for seat in (0, 1)]
    together = [one for several in review_tasks.batches(tasks) for one in review_tasks.measure(several, RULES, "seed")]
    alone = [one for task in tasks for one in review_tasks.measure([task], RULES, "seed")]
    assert [len(several) for several in review_tasks.batches(tasks)] == [3, 3]
    assert {one.digest: one for one in together} == {one.digest: one for one in alone}
    assert all(one.measured and not one.decisions for one in alone)


def test_few_hands_are_no_ground_for_habits() -> None:
    assert review_tasks.fit(review_tasks.HabitFit("one", tuple(played(3))), RULES) == habits.usual_habits()


@pytest.mark.process
def test_the_habits_of_a_player_that_always_knocks_are_to_knock() -> None:
    found = review_tasks.fit(review_tasks.HabitFit("one", tuple(played(24))), RULES)
    could = [(turn, left) for turn in range(4, 8) for left in range(1, 11)]
    usual = habits.usual_habits()
    assert sum(found.knocks[turn][left] for turn, left in could) > sum(usual.knocks[turn][left] for turn, left in could) + 0.5


@pytest.mark.process
def test_a_player_that_always_leaves_the_least_deadwood_is_believed_to_throw_so() -> None:
    found = review_tasks.fit(review_tasks.HabitFit("one", tuple(played(24))), RULES)
    assert found.throwing[0] < 2 * habits.usual_habits().throwing[0] < 0


@pytest.mark.process
def test_scholar_plays_in_the_place_of_a_player_that_throws_as_scholar_and_of_no_other() -> None:
    as_scholar = [
        review_tasks.fit(review_tasks.HabitFit("one", tuple(played(24, bot))), RULES).as_scholar for bot in (Scholar, Greedy)
    ]
    assert as_scholar == [True, False]


def thrown() -> HandStep:
    """Return a throw that leaves few points."""
    for hand in played(20):
        for step in hand.steps(RULES):
            if isinstance(step.action, Discard) and deadwood(step.view.without(step.action.card)) < 20:
                return step
    raise AssertionError("no hand with few points")


def worst(step: HandStep) -> Discard:
    return Discard(max(each(step.view.may_discard), key=lambda card: deadwood(step.view.without(card))))


@pytest.mark.process
def test_the_strongest_bot_loses_by_a_throw_that_breaks_a_meld_and_not_by_the_same_throw() -> None:
    step = thrown()
    broken = replace(step, action=worst(step))
    one, same = confirming.scholars_prices([(broken, step.action), (step, step.action)], RULES, "seed", habits.usual_habits())
    assert one.points > 4
    assert same == Price(0.0, 0.0)


def test_a_mark_that_is_not_confirmed_is_lowered() -> None:
    one = DecisionPrice(3, "Kd", "2c", 9.0, 1.0, {"discard": 9.0}, {"discard": 8.0}, 0.0)
    assert [replace(one, confirmed=price).mark for price in (None, 12.0, 5.0, 1.0, -3.0)] == [
        "blunder",
        "blunder",
        "mistake",
        "",
        "",
    ]


def test_a_hand_that_cannot_be_replayed_is_named() -> None:
    with pytest.raises(DamagedError, match=r"a 0\.0: its actions cannot be replayed"):
        replace(HANDS[0], actions="knock:Kd").steps(RULES)


def reviewed(prices: list[float], points: int, luck: float) -> ReviewedHand:
    """Return a hand in which the policy of the rollouts decides one point worse than the best, each time."""
    decisions = tuple(
        DecisionPrice(turn, "Kd", "2c", price, 0.5, {"discard": price}, {"discard": price - 1}, 0.0)
        for turn, price in enumerate(prices, 1)
    )
    return ReviewedHand(place=Place("a", 0, 0), bot="one", seat=0, points=points, luck=luck, decisions=decisions)


def test_a_summary_counts_by_hand() -> None:
    found = review([reviewed([9.0, 1.0], 20, 5.0), reviewed([0.0, 2.0], -10, 1.0)]).bots["one"]
    assert (found.decisions, found.error_rate, found.kinds["discard"], found.kinds["draw"]) == (4, 4.0, 4.0, 0.0)
    assert found.price == 6.0
    assert found.se == pytest.approx(4.0)
    assert (found.points, found.luck, found.points_less_luck) == (5.0, 3.0, 2.0)
    assert found.marks == {"inaccuracy": 1, "mistake": 0, "blunder": 1}


def test_the_dearest_decisions_come_first() -> None:
    found = review([reviewed([1.0, 9.0, -3.0, 4.0], 0, 0.0)])
    assert [one.turn for one in found.worst_decisions("one")] == [2, 4, 1]
