"""Rated matches of people: who may begin one, what `verify` finds, and ratings beside the bots that move none of theirs."""

import pytest
from msgspec.structs import replace
from support.leagues.events import joined, moment, pair

from arena.errors import InputError
from arena.league.rules.event_words import describe
from arena.league.rules.events import AnyEvent, RoundClosed, SeasonOpened, SideClosed, SideOpened, decode, encode
from arena.league.rules.field import fold
from arena.league.rules.history import History
from arena.league.rules.ratings import RatingTerms
from arena.league.rules.side_consequences import side_differences
from arena.league.rules.side_matches import PeopleTerms, check, open_person, side_matches
from arena.league.rules.table_making import make_table, people_rows
from arena.stats.ratings import BradleyTerry, PointsRating
from arena.tournament.seeds import commitment

TERMS = PeopleTerms(hands=2, a_day=2)
SEED = "7" * 64
BEFORE: list[AnyEvent] = [
    SeasonOpened(at=moment(0), season=1, rounds=9, commitment="0" * 64),
    *joined("ann"),
    *joined("ben", author="ben"),
    *joined("new", author="dan"),
    RoundClosed(at=moment(4), round=1, seed="1" * 64),
]
RATING = RatingTerms(rating=PointsRating())


def opened(person: str = "cat", version: str = "ann@1", number: int = 1) -> SideOpened:
    return open_person(person, fold(BEFORE).version(version), number, 1, TERMS, moment(5), commitment(SEED))


def closed(number: int = 1, *adjusted: float) -> SideClosed:
    places = (("cat",), ("ann@1",))
    found = SideClosed(at=moment(6), kind="people", name=str(number), seed=SEED, places=places, link="2" * 64)
    return replace(found, points=9, adjusted=adjusted or (1.0, 7.0))


OPENED, CLOSED = opened(), closed()
VOID = SideClosed(at=moment(7), kind="people", name="2", void="the server could not play it")


def history(*events: AnyEvent) -> History:
    return History(events=(*BEFORE, *events), played=(pair("ann@1", "ben@1", 1),), faults=())


def found(*events: AnyEvent, terms: PeopleTerms | None = TERMS) -> list[str]:
    return list(side_differences(history(*events), RATING, terms))


def test_a_match_that_was_opened_and_closed_by_the_terms_has_no_difference_and_is_stored_as_text() -> None:
    assert [decode(encode(one)) for one in (OPENED, CLOSED)] == [OPENED, CLOSED]
    assert found(OPENED, CLOSED, opened(number=2), VOID) == []


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ((opened(number=2),), "people/2: has name '2'; expected '1'"),
        ((replace(OPENED, spec="{}"),), f"people/1: has spec '{{}}'; expected {OPENED.spec!r}"),
        ((replace(OPENED, rounds=2),), "people/1: names 2 closed rounds; found 1 before it"),
        (
            (OPENED, opened(number=2)),
            "people/2: cannot have been opened: a match of cat is not over; expected it to be played first",
        ),
        ((CLOSED,), "people/1: has a result, but was not open"),
        ((OPENED, CLOSED, CLOSED), "people/1: has a result, but was not open"),
        ((OPENED, replace(CLOSED, seed="8" * 64)), "people/1: its seed is not the one that was committed to"),
        ((OPENED, replace(CLOSED, places=())), "people/1: its places are not those of the entrants"),
        ((OPENED, closed(1, 1.0)), "people/1: has 1 hands; expected 2"),
        ((OPENED, replace(CLOSED, link=None)), "people/1: does not name the end of the chain of its run"),
    ],
)
def test_events_of_people_that_cannot_be_are_named(events: tuple[AnyEvent, ...], said: str) -> None:
    assert found(*events) == [said]
    assert found(OPENED, terms=None) != []


@pytest.mark.parametrize(
    ("event", "done", "said"),
    [
        (opened(person="zed@7"), 0, "the person is called 'zed@7'; expected at most 50 letters, digits and _.-"),
        (opened(person="ann"), 0, "ann@1 is a bot of ann; expected one of another author"),
        (opened(version="new@1"), 0, "new@1 does not play, or has no rating yet; expected one of ann@1, ben@1"),
        (opened(number=3), 2, "cat has begun 2 rated matches on 2026-01-01 UTC; expected at most 2"),
    ],
)
def test_a_match_that_may_not_begin_is_refused_with_a_reason(event: SideOpened, done: int, said: str) -> None:
    events = [event for number in range(1, done + 1) for event in (opened(number=number), closed(number))]
    with pytest.raises(InputError, match=said):
        check(event, side_matches(events).values(), fold(BEFORE), ["ann@1", "ben@1"], TERMS)


def test_a_person_is_rated_by_opponent_and_hands_and_moves_no_bot() -> None:
    without, with_people = make_table(history(), RATING), make_table(history(OPENED, CLOSED, opened(number=2), VOID), RATING)
    assert (with_people.rows, with_people.notes, with_people.answer) == (without.rows, without.notes, without.answer)
    [row] = with_people.people
    ann = without.row("ann@1")
    assert ann
    assert ann.rating
    assert row.rating == pytest.approx(ann.rating + 4)
    assert (row.points_a_hand, row.matches, row.hands, without.people) == (4, 1, 2, ())
    assert row.low is None, "a single match does not tell its scatter"
    [twice] = make_table(history(OPENED, CLOSED, opened(number=3), closed(3, 1.0, 3.0)), RATING).people
    assert twice.rating == pytest.approx(ann.rating + 3)
    assert twice.low is not None
    assert twice.low < ann.rating + 3
    assert make_table(history(OPENED, CLOSED, opened(number=3), closed(3)), RATING).people[0].low is None, (
        "few matches with one result do not either"
    )
    later = History(events=history(OPENED, CLOSED).events, played=(*history().played, pair("ann@1", "ben@1", 2, -1)), faults=())
    assert make_table(later, RATING).people[0].rating == row.rating  # of the closed rounds
    [unrated] = make_table(history(OPENED, CLOSED), RatingTerms(rating=BradleyTerry())).people
    assert (unrated.rating, unrated.points_a_hand) == (None, 4)


def test_a_result_without_places_is_described_and_refused() -> None:
    void = SideClosed(at=moment(6), kind="events", name="cup")
    assert describe(void) == "the cup cup is over"
    assert found(void) == ["events/cup: has a result, but was not open"]


def test_people_are_listed_best_first() -> None:
    events: list[AnyEvent] = [OPENED, CLOSED, opened("eve", number=2), closed(2, 9.0, 9.0)]
    assert [row.person for row in people_rows(events, {"ann@1": 1.0})] == ["eve", "cat"]
    events += [opened("abe", "ben@1", 3), closed(3)]
    assert [row.person for row in people_rows(events, {"ann@1": 1.0, "ben@1": 9.0})] == ["abe", "eve", "cat"], "by their ratings"
    assert [row.person for row in people_rows(events, {})] == ["eve", "abe", "cat"], "by points, then by name"
    assert [one.points_a_hand for one in side_matches([OPENED, *events[2:]]).values()] == [0, 9, 4]
