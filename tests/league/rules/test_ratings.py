"""Ratings of versions: near the one before, on the scale of the anchors, and what is said where a scale has no hold."""

import re
from itertools import combinations
from random import Random

import pytest
from msgspec.structs import replace
from support.leagues.events import joined, pair, versions

from arena.league.rules.events import Retired
from arena.league.rules.field import Version, fold
from arena.league.rules.ratings import Anchor, LeagueRatings, RatingTerms, VersionTerms, pairing_strengths, rate
from arena.stats.estimate import Estimate, Rating
from arena.stats.estimates import off_anchors
from arena.stats.pairs import Pair
from arena.stats.ratings import BradleyTerry, PointsRating

RATINGS = (PointsRating(), BradleyTerry())


def noisy(both: list[tuple[str, str]], rounds: int, lead: float = 0.0, seed: int = 1) -> list[Pair]:
    """Return rounds in which the first of two wins more by ``lead`` points a hand, with the noise of pairs."""
    chance = Random(seed)
    found = []
    for number in range(1, rounds + 1):
        for one, other in both:
            points = round(40 * chance.gauss(lead, 3))
            found.append(pair(one, other, number, outcome=(points > 0) - (points < 0), points=abs(points)))
    return found


def two_versions() -> tuple[Version, ...]:
    """Return ann@1 and ann@2, ben and cat."""
    return fold([*joined("ann"), *joined("ann", 2), *joined("ben", author="ben"), *joined("cat", author="cat")]).versions


def strangers() -> list[Version]:
    """Return the same, where nothing says that ann@2 follows ann@1."""
    return [replace(version, predecessor=None) for version in two_versions()]


OLD = [("ann@1", "ben@1"), ("ann@1", "cat@1"), ("ben@1", "cat@1")]


@pytest.mark.parametrize("rating", RATINGS)
def test_a_new_version_with_few_matches_stands_near_the_one_before_it(rating: Rating) -> None:
    played = [*noisy(OLD, 60, 2.0), *noisy([("ann@2", "ben@1")], 2, -8.0)]
    alone = rate(played, strangers(), RatingTerms(rating=rating)).estimates
    linked = rate(played, two_versions(), RatingTerms(rating=rating)).estimates
    assert alone["ann@2"].value < linked["ann@2"].value < linked["ann@1"].value


@pytest.mark.parametrize("rating", RATINGS)
def test_a_bot_that_was_submitted_after_its_author_gave_up_another_stands_near_that(rating: Rating) -> None:
    played = [*noisy(OLD, 60, 2.0), *noisy([("ann@2", "ben@1")], 2, -8.0)]
    given_up = [replace(version, state="retired" if version.id == "ann@1" else "active") for version in strangers()]
    alone, after = (rate(played, field, RatingTerms(rating=rating)).estimates["ann@2"] for field in (strangers(), given_up))
    assert alone.value < after.value


@pytest.mark.parametrize("rating", RATINGS)
def test_with_many_matches_the_version_before_hardly_counts(rating: Rating) -> None:
    played = [*noisy(OLD, 60, 2.0), *noisy([("ann@2", "ben@1"), ("ann@2", "cat@1")], 400, -2.0)]
    alone = rate(played, strangers(), RatingTerms(rating=rating)).estimates["ann@2"]
    linked = rate(played, two_versions(), RatingTerms(rating=rating)).estimates["ann@2"]
    assert abs(linked.value - alone.value) < (alone.high - alone.low) / 4


def test_the_width_says_how_near() -> None:
    played = [*noisy(OLD, 60, 2.0), *noisy([("ann@2", "ben@1")], 4, -8.0)]

    def gap(width: float) -> float:
        found = rate(played, two_versions(), RatingTerms(rating=PointsRating(), versions=VersionTerms(width=width))).estimates
        return found["ann@1"].value - found["ann@2"].value

    assert 0 < gap(0.1) < 0.2 < gap(1) < gap(10)


def by_points(width: float) -> RatingTerms:
    return RatingTerms(rating=PointsRating(), versions=VersionTerms(width=width))


def test_two_steps_between_versions_that_have_played_are_as_one_that_is_typically_wider_by_their_root() -> None:
    played = [*noisy(OLD, 60, 2.0), *noisy([("ann@3", "ben@1")], 4, -8.0)]
    field = fold([*joined("ann"), *joined("ann", 2), *joined("ann", 3), *joined("ben", author="ben"), *joined("cat", author="cat")])
    next_to_it = [replace(one, predecessor="ann@1") if one.id == "ann@3" else one for one in field.versions]
    for method in (lambda *of: rate(*of).estimates, pairing_strengths):
        both = (field.versions, by_points(1)), (next_to_it, by_points(2**0.5)), (next_to_it, by_points(1))
        two_steps, one_step, nearer = (method(played, *one)["ann@3"].value for one in both)
        assert two_steps == pytest.approx(one_step)
        assert two_steps < nearer - 0.01


def test_the_strengths_that_pairings_follow_from_have_no_unit_of_their_own() -> None:
    played = [*noisy(OLD, 60, 1.0), *noisy([("ann@2", "ben@1")], 4, -2.0)]
    doubled = [replace(one, capped_points=2 * one.capped_points, points=(2 * one.points[0], 2 * one.points[1])) for one in played]
    once, twice = (pairing_strengths(several, two_versions(), by_points(width)) for several, width in ((played, 1), (doubled, 2)))
    assert {name: 2 * one.value for name, one in once.items()} == pytest.approx(
        {name: one.value for name, one in twice.items()}, rel=0.001
    )


def test_each_bot_that_an_author_gave_up_is_followed_by_one_new_bot_in_their_order() -> None:
    names = (("bad", 1), ("ann", 1), ("bad", 2), ("cut", 1), ("dim", 1), ("eel", 1))
    known = fold([*joined("ben", author="ben"), *(event for name, number in names for event in joined(name, number))]).versions
    field = [replace(one, state="retired") if one.id in ("ann@1", "bad@2") else one for one in known]
    played = [*noisy([("ann@1", "ben@1")], 60, 6.0), *noisy([("bad@2", "ben@1")], 60, -6.0)]
    played += noisy([(f"{name}@1", "ben@1") for name in ("cut", "dim", "eel")], 1)
    several = rate(played, field, by_points(1)), rate(played, [replace(one, author=one.name) for one in field], by_points(1))
    found, alone = ({name: one.value for name, one in ratings.estimates.items()} for ratings in several)
    assert found["cut@1"] - alone["cut@1"] > 1
    assert found["dim@1"] - alone["dim@1"] < -1
    assert found["eel@1"] == pytest.approx(alone["eel@1"], abs=0.5), "no third bot was given up"


def test_a_bot_that_still_plays_or_was_replaced_by_its_next_version_was_not_given_up() -> None:
    played = [*noisy([*OLD, ("ann@2", "cat@1")], 60, 2.0), *noisy([("new@1", "ben@1")], 1)]
    old, *others = two_versions()
    (new,) = fold(joined("new")).versions
    field = [replace(old, state="retired"), *others]
    found = [rate(played, [*field, one], by_points(1)).estimates for one in (new, replace(new, author="eve"))]
    assert found[0] == found[1]


ALIKE = {"ann@1": "answers", "ann@2": "answers"}


def test_a_version_that_decides_alike_is_rated_as_surely_as_its_predecessor_after_few_matches() -> None:
    """Its results carry over: one pair of its own does not widen the interval to that of a stranger."""
    played = [*noisy(OLD, 200, 1.0), *noisy([("ann@2", "ben@1")], 1, 1.0)]
    terms = RatingTerms(rating=PointsRating(), versions=VersionTerms(width=0.5))
    old, new = (rate(played, two_versions(), terms, ALIKE).estimates[name] for name in ("ann@1", "ann@2"))
    assert new.high - new.low < 2.5 * (old.high - old.low)
    other = rate(played, two_versions(), terms).estimates["ann@2"]
    assert other.high - other.low > 2 * (new.high - new.low)


@pytest.mark.parametrize("rating", RATINGS)
def test_a_lucky_first_round_does_not_put_a_new_version_first(rating: Rating) -> None:
    """Whether it was submitted as the next version, or retired and submitted under another name."""
    played = [*noisy(OLD, 60, 1.0), *noisy([("ann@2", "ben@1")], 1, 1.0)]
    for field in (two_versions(), strangers()):
        found = rate(played, field, RatingTerms(rating=rating))
        assert found.measured["ann@2"] > found.measured["ann@1"]
        assert found.standing["ann@2"] < found.standing["ann@1"]


def later(played: list[Pair], rounds: int) -> list[Pair]:
    """Return results as those of later rounds."""
    moved = (pair.deals.removeprefix("r").split("/", 1) for pair in played)
    return [replace(pair, deals=f"r{int(number) + rounds}/{rest}") for pair, (number, rest) in zip(played, moved, strict=True)]


NEWCOMER = [("dan@1", "ann@1"), ("dan@1", "ben@1"), ("dan@1", "cat@1")]


def with_a_newcomer(*played: Pair) -> LeagueRatings:
    """Return the ratings where dan joins after 20 rounds with these results; all others are equally strong."""
    names = ("ann", "ben", "cat", "dan")
    field = fold(event for name in names for event in joined(name, author=name)).versions
    return rate([*noisy(OLD, 20), *played], field, RatingTerms(rating=PointsRating()))


def test_a_bot_that_joins_later_stands_in_its_first_round_by_the_low_end_of_its_interval() -> None:
    found = with_a_newcomer(*later(noisy(NEWCOMER, 1, 3.0), 20))
    assert found.estimates["dan@1"].value == max(one.value for one in found.estimates.values())
    assert found.standing["dan@1"] == found.estimates["dan@1"].low == min(found.standing.values())


def test_its_first_round_changes_its_rating_and_not_the_standings() -> None:
    second = later(noisy(NEWCOMER, 1, 1.0), 21)
    lucky, unlucky = (with_a_newcomer(*later(noisy(NEWCOMER, 1, lead), 20), *second) for lead in (2.0, -2.0))
    assert lucky.estimates["dan@1"].value > unlucky.estimates["dan@1"].value
    assert lucky.standing == unlucky.standing


def test_a_new_version_stands_in_its_first_round_where_the_one_before_it_stands() -> None:
    played = [*noisy(OLD, 20), *later(noisy([("ann@2", "ben@1"), ("ann@2", "cat@1")], 1, 2.0), 20)]
    found = rate(played, two_versions(), RatingTerms(rating=PointsRating()))
    assert found.estimates["ann@2"].value > found.estimates["ann@1"].value
    assert found.standing["ann@2"] == found.standing["ann@1"]


def test_a_bot_that_is_beyond_doubt_the_best_stands_first_at_once() -> None:
    found = with_a_newcomer(*later(noisy(NEWCOMER, 1, 30.0), 20))
    assert max(found.standing, key=lambda name: found.standing[name]) == "dan@1"


def test_a_copy_under_another_name_stands_behind_the_bot_that_it_copies() -> None:
    field = fold(
        [*joined("ann"), *joined("ben", author="ben"), *joined("cat", author="cat"), *joined("dan", author="dan")]
    ).versions
    played = [*noisy(OLD, 40, 1.0), *noisy([("dan@1", "ben@1"), ("dan@1", "cat@1")], 12, 1.5)]
    terms = RatingTerms(rating=PointsRating())
    alone, copied = rate(played, field, terms), rate(played, field, terms, {"ann@1": "answers", "dan@1": "answers"})
    assert alone.standing["dan@1"] > alone.standing["ann@1"]
    assert copied.standing["dan@1"] <= copied.standing["ann@1"]
    assert copied.estimates == alone.estimates, "of another author, so it is no kin"


@pytest.mark.parametrize("case", ["far ahead", "of a retired bot", "of a bot whose first version copied it"])
def test_a_copy_stands_for_itself_if_it_is(case: str) -> None:
    names = ("ann", "ben", "cat", "dan")
    first = joined("dan", author="dan") if case.endswith("copied it") else []
    events = [event for name in names[: 3 if first else 4] for event in joined(name, author=name)]
    events += [Retired(at="2026-01-01T00:00:00Z", version="ann@1")] if case == "of a retired bot" else []
    copy = "dan@2" if first else "dan@1"
    field = fold([*first, *events, *(joined("dan", 2, author="dan") if first else [])]).versions
    lead = 20.0 if case == "far ahead" else 1.5
    played = [*noisy(OLD, 40, 1.0), *noisy([(copy, "ben@1"), (copy, "cat@1")], 12, lead)]
    answers = dict.fromkeys(("ann@1", "dan@1", copy), "answers")
    found = rate(played, field, RatingTerms(rating=PointsRating()), answers).standing
    assert found[copy] > found["ann@1"]


def test_twins_in_parts_that_never_met_are_rated_apart() -> None:
    field = fold([*joined("ann"), *joined("ben", author="ben"), *joined("cat", author="cat"), *joined("ann2")]).versions
    played = [*noisy([("ann@1", "ben@1")], 20), *noisy([("ann2@1", "cat@1")], 20)]
    found = rate(played, field, RatingTerms(rating=PointsRating()), {"ann@1": "answers", "ann2@1": "answers"})
    assert "2 parts" in found.estimates["ann@1"].note


def anchored(played: list[Pair], *anchors: Anchor) -> LeagueRatings:
    return rate(played, versions(4), RatingTerms(rating=PointsRating(), anchors=anchors))


RING = [("b000@1", "b001@1"), ("b001@1", "b002@1"), ("b000@1", "b002@1")]


def test_an_anchor_has_the_rating_that_is_stated() -> None:
    found = anchored(noisy(RING, 40, 1.0), Anchor(version="b001@1", rating=-3.0)).estimates["b001@1"]
    assert (found.value, found.low, found.high) == pytest.approx((-3, -3, -3))


def test_ratings_on_an_anchored_scale_do_not_move_when_weaker_bots_join() -> None:
    played, weak = noisy(RING, 40, 1.0), noisy([("b000@1", "b003@1"), ("b001@1", "b003@1")], 40, 9.0)
    anchor = Anchor(version="b001@1", rating=0)
    before, after = anchored(played, anchor).estimates["b000@1"], anchored([*played, *weak], anchor).estimates["b000@1"]
    free, moved = anchored(played).estimates["b000@1"], anchored([*played, *weak]).estimates["b000@1"]
    assert abs(after.value - before.value) < 0.5 < abs(moved.value - free.value)


def test_anchors_that_contradict_each_other_are_named() -> None:
    stated = (Anchor(version="b000@1", rating=0.0), Anchor(version="b002@1", rating=30.0))
    assert any("b002@1 is stated as +30.00" in note for note in anchored(noisy(RING, 40, 1.0), *stated).notes)


def test_an_anchor_is_named_only_if_its_interval_does_not_contain_what_is_stated() -> None:
    found = {"ann": Estimate(3.0, 1.0, 5.0)}
    assert [list(off_anchors(found, {"ann": stated, "not-here": 9.0})) for stated in (1.0, 5.0)] == [[], []]
    assert list(off_anchors(found, {"ann": 5.1})) == ["anchor ann is stated as +5.10, but has +3.00 on the scale of all anchors"]


@pytest.mark.parametrize("anchor", [Anchor(version="zoe@1", rating=0.0), Anchor(version="b001@1", rating=0.0, digest="00000000")])
def test_an_anchor_that_has_not_played_or_is_another_bot_is_said_so(anchor: Anchor) -> None:
    (note,) = anchored(noisy(RING, 4), anchor).notes
    assert note == f"not played yet, or another bot than the anchor: {anchor.version}: 0 is the mean of the field"


def test_parts_that_only_earlier_versions_link_are_said_so() -> None:
    played = [*noisy(OLD, 20), *noisy([("ann@2", "dan@1")], 20)]
    found = rate(played, (*two_versions(), *fold(joined("dan")).versions), RatingTerms(rating=PointsRating()))
    assert "the field has 2 parts that never met: only earlier versions link them" in found.estimates["dan@1"].note


FRIENDS = [("ann@1", "ann@2"), ("ann@1", "ben@1"), ("ann@1", "cat@1"), ("ann@2", "ben@1"), ("ann@2", "cat@1"), ("ben@1", "cat@1")]


def test_a_bot_that_gives_matches_to_another_of_its_author_is_reported() -> None:
    played = [*noisy(FRIENDS[1:], 40), *noisy(FRIENDS[:1], 20, 12.0)]
    (note,) = rate(played, two_versions(), RatingTerms(rating=PointsRating(), versions=VersionTerms(width=50))).notes
    assert note.startswith("ann@1 has ")
    assert "points a hand more against ann@2 of the same author" in note


def test_meetings_that_look_like_help_do_not_count() -> None:
    fair, gift = noisy(FRIENDS[1:], 40), noisy(FRIENDS[:1], 20, 12.0)
    helped, without = (rate(played, strangers(), RatingTerms(rating=PointsRating())).estimates for played in ([*fair, *gift], fair))
    assert helped["ann@1"].value == without["ann@1"].value


@pytest.mark.process
def test_honest_bots_of_one_author_are_seldom_reported() -> None:
    reported = 0
    for seed in range(60):
        played = noisy(FRIENDS, 20, seed=seed)
        reported += bool(rate(played, two_versions(), RatingTerms(rating=PointsRating(), versions=VersionTerms(width=50))).notes)
    assert reported <= 3


def test_two_authors_may_score_against_each_other_what_they_like() -> None:
    played = [*noisy(RING, 40), *noisy(RING[:1], 20, 12.0)]
    assert anchored(played).notes == ()


def test_a_bot_that_gives_matches_to_that_of_another_author_is_reported_too() -> None:
    first, *others = combinations([version.id for version in versions(6)], 2)
    played = [*noisy(others, 40), *noisy([first], 20, 10.0)]
    (note,) = rate(played, versions(6), RatingTerms(rating=PointsRating())).notes
    assert re.fullmatch(r"b000@1 has \d+\.\d points a hand more against b001@1 than the other results of both explain", note)


@pytest.mark.parametrize(
    ("rating", "note"),
    [
        (BradleyTerry(), "the field has 2 parts that never met: compare only within a part"),
        (PointsRating(), "the field has 2 parts that never met: compare only within a part"),
    ],
)
def test_a_field_of_two_parts_is_said_to_be_one(rating: Rating, note: str) -> None:
    played = [*noisy([("b000@1", "b001@1")], 30), *noisy([("b002@1", "b003@1")], 30)]
    assert all(note in one.note for one in rate(played, versions(4), RatingTerms(rating=rating)).estimates.values())


def test_a_bot_that_has_won_everything_is_said_to_be_unbeaten() -> None:
    played = [*noisy(RING[1:2], 30), *(pair("b000@1", other, number) for number in range(1, 20) for other in ("b001@1", "b002@1"))]
    found = rate(played, versions(3), RatingTerms(rating=BradleyTerry())).estimates
    assert "unbeaten: how far it is above the others is not known" in found["b000@1"].note
    assert "won or lost everything against the rest of the field" in found["b000@1"].note
