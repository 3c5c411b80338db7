"""Rated matches of people: who may begin one, what `verify` finds, and ratings beside the bots that move none of theirs."""

import pytest
from msgspec.structs import replace
from support.leagues.events import joined, moment, pair

from arena.errors import InputError
from arena.league.rules.events import AnyEvent, PersonClosed, PersonOpened, RoundClosed, SeasonOpened, decode, encode
from arena.league.rules.field import fold
from arena.league.rules.history import History
from arena.league.rules.ratings import RatingTerms
from arena.league.rules.special import PeopleTerms, check, person_matches
from arena.league.rules.special_consequences import people_differences
from arena.league.rules.table import people_rows, table
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
OPENED = PersonOpened(at=moment(5), match=1, person="cat", version="ann@1", hands=2, commitment=commitment(SEED))
CLOSED = PersonClosed(at=moment(6), match=1, seed=SEED, points=9, adjusted=(1.0, 7.0), link="2" * 64)


def history(*events: AnyEvent) -> History:
    return History(events=(*BEFORE, *events), played=(pair("ann@1", "ben@1", 1),), faults=())


def found(*events: AnyEvent, terms: PeopleTerms | None = TERMS) -> list[str]:
    return list(people_differences(history(*events), terms))


def test_a_match_that_was_opened_and_closed_by_the_terms_has_no_difference_and_is_stored_as_text() -> None:
    assert [decode(encode(one)) for one in (OPENED, CLOSED)] == [OPENED, CLOSED]
    again = replace(OPENED, match=2)
    assert found(OPENED, CLOSED, again, PersonClosed(at=moment(7), match=2, void="the server could not play it")) == []


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ((replace(OPENED, match=2),), "people/2: match 2 of 2 hands was opened; expected match 1 of 2 hands"),
        ((replace(OPENED, hands=3),), "people/1: match 1 of 3 hands was opened; expected match 1 of 2 hands"),
        (
            (OPENED, replace(OPENED, match=2)),
            "people/2: cannot have been opened: a match of cat is not over; expected it to be played first",
        ),
        ((CLOSED,), "people/1: has a result, but was not open"),
        ((OPENED, CLOSED, CLOSED), "people/1: has a result, but was not open"),
        ((OPENED, replace(CLOSED, seed="8" * 64)), "people/1: its seed is not the one that was committed to"),
        ((OPENED, replace(CLOSED, adjusted=(1.0,))), "people/1: has 1 hands; expected 2"),
    ],
)
def test_events_of_people_that_cannot_be_are_named(events: tuple[AnyEvent, ...], said: str) -> None:
    assert found(*events) == [said]
    assert found(OPENED, terms=None) != []


@pytest.mark.parametrize(
    ("event", "done", "said"),
    [
        (replace(OPENED, person="ann"), 0, "ann@1 is a bot of ann; expected one of another author"),
        (replace(OPENED, version="new@1"), 0, "new@1 does not play, or has no rating yet; expected one of ann@1, ben@1"),
        (replace(OPENED, match=3), 2, "cat has begun 2 rated matches on 2026-01-01 UTC; expected at most 2"),
    ],
)
def test_a_match_that_may_not_begin_is_refused_with_a_reason(event: PersonOpened, done: int, said: str) -> None:
    matches = [(replace(OPENED, match=one), replace(CLOSED, match=one)) for one in range(1, done + 1)]
    events = [event for both in matches for event in both]
    with pytest.raises(InputError, match=said):
        check(event, list(person_matches(events).values()), fold(BEFORE), ["ann@1", "ben@1"], TERMS)


def test_a_person_is_rated_by_opponent_and_hands_and_moves_no_bot() -> None:
    terms = RatingTerms(rating=PointsRating())
    void = (replace(OPENED, match=2), PersonClosed(at=moment(7), match=2, void="lost"))
    without, with_people = table(history(), terms), table(history(OPENED, CLOSED, *void), terms)
    assert (with_people.rows, with_people.notes, with_people.answer) == (without.rows, without.notes, without.answer)
    [row] = with_people.people
    ann = without.row("ann@1")
    assert ann
    assert ann.rating
    assert row.rating == pytest.approx(ann.rating + 4)
    assert (row.points_a_hand, row.matches, row.hands, without.people) == (4, 1, 2, ())
    assert row.low is None, "a single match does not tell its scatter"
    second = (replace(OPENED, match=3), replace(CLOSED, match=3, adjusted=(1.0, 3.0)))
    [twice] = table(history(OPENED, CLOSED, *second), terms).people
    assert twice.rating == pytest.approx(ann.rating + 3)
    assert twice.low is not None
    assert twice.low < ann.rating + 3
    alike = (replace(OPENED, match=3), replace(CLOSED, match=3))
    assert table(history(OPENED, CLOSED, *alike), terms).people[0].low is None, "few matches with one result do not either"
    later = History(events=history(OPENED, CLOSED).events, played=(*history().played, pair("ann@1", "ben@1", 2, -1)), faults=())
    assert table(later, terms).people[0].rating == row.rating  # of the closed rounds
    [unrated] = table(history(OPENED, CLOSED), RatingTerms(rating=BradleyTerry())).people
    assert (unrated.rating, unrated.points_a_hand) == (None, 4)


def test_people_are_listed_best_first() -> None:
    events: list[AnyEvent] = [OPENED, CLOSED, replace(OPENED, match=2, person="eve"), replace(CLOSED, match=2, adjusted=(9.0, 9.0))]
    assert [row.person for row in people_rows(events, {"ann@1": 1.0})] == ["eve", "cat"]
    events += [replace(OPENED, match=3, person="abe", version="ben@1"), replace(CLOSED, match=3)]
    assert [row.person for row in people_rows(events, {"ann@1": 1.0, "ben@1": 9.0})] == ["abe", "eve", "cat"], "by their ratings"
    assert [row.person for row in people_rows(events, {})] == ["eve", "abe", "cat"], "by points, then by name"
    assert [one.points_a_hand for one in person_matches([OPENED, *events[2:]]).values()] == [0, 9, 4]
