"""Rated matches that authors ask for: what may be asked, which of them a round takes, and what they weigh."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from support.leagues.events import SECRET, joined, moment, pair, round_opened

from arena.errors import InputError
from arena.league.rules import round_seeds
from arena.league.rules.challenges import Challenges, ChallengeTerms, weights
from arena.league.rules.consequences import decide_pairings, differences
from arena.league.rules.events import (
    AnyEvent,
    Challenged,
    Reason,
    Requested,
    Retired,
    RoundClosed,
    SeasonOpened,
    Suspended,
    decode,
    encode,
)
from arena.league.rules.field import fold
from arena.league.rules.history import History
from arena.league.rules.learning import lessons
from arena.league.rules.pairing import METHOD
from arena.league.rules.ratings import rate
from arena.league.rules.request_summary import summary
from arena.league.rules.rounds import fixtures
from arena.league.rules.spec import LeagueSpec, parse_league
from arena.plugins.manager import installed_kinds
from arena.stats.pairs import Pair

BOTS = ("ann", "ben", "cat", "dan")
TERMS = ChallengeTerms(share=0.2, a_day=2)


def start() -> list[AnyEvent]:
    season = SeasonOpened(at=moment(0), season=1, rounds=500, commitment=round_seeds.commit(SECRET, 500))
    return [*(event for name in BOTS for event in joined(name, author=name)), season]  # 13 events


def asked(one: str, other: str, at: int = 5) -> Challenged:
    return Challenged(at=moment(at), version=f"{one}@1", opponent=f"{other}@1")


def taken(events: Sequence[AnyEvent], pairings: int, share: float = 0.2) -> list[int]:
    """Return the places of the challenges that a round with some drawn pairings takes."""
    return [one.place for one in Challenges(events).next(fold(events), pairings, 1, ChallengeTerms(share=share))]


def spec(text: str = "") -> LeagueSpec:
    return parse_league(f"title: Friday\nchallenges: {{share: 0.34, a_day: 2}}\n{text}", installed_kinds(), "league.yaml")


def requested_pair(one: str, other: str, number: int, place: int, outcome: int = 1) -> Pair:
    first, second = sorted((one, other))
    return replace(pair(one, other, number, outcome), deals=f"r{number}/{first}:{second}/q{place}")


def test_a_round_takes_at_most_its_share_and_each_author_first_once() -> None:
    events = [*start(), asked("ann", "ben"), asked("ann", "cat"), asked("ben", "ann", 6)]
    assert taken(events, 8) == [14, 16]
    assert taken(events, 20) == [14, 16, 15]
    assert taken(events, 4) == [14]


def test_rounds_that_are_too_small_for_a_match_earn_one_together() -> None:
    events = [*start(), asked("ann", "ben")]
    assert taken(events, 2) == []
    drawn = [("ann@1", "ben@1")] * 2
    assert taken([*events, round_opened(1, drawn)], 2) == [14]
    requested = replace(round_opened(2, drawn), requested=(Requested(place=14, one="ann@1", other="ben@1"),))
    after = [*events, round_opened(1, drawn), requested, asked("ben", "ann")]
    assert (taken(after, 3), taken([*after, round_opened(3, drawn[:1])], 3)) == ([], [17])  # it is earned anew


def test_what_was_asked_for_is_played_also_when_the_bot_is_retired_but_waits_while_it_is_suspended() -> None:
    events = [*start(), asked("ann", "ben")]
    assert taken([*events, Retired(at=moment(6), version="ann@1")], 4) == [14]
    assert taken([*events, Suspended(at=moment(6), version="ben@1", reason=Reason("faults"))], 4) == []


@pytest.mark.parametrize(
    ("before", "event", "problem"),
    [
        ([], asked("ann", "ann"), "are both of ann; expected a bot of another author"),
        ([Retired(at=moment(1), version="ben@1")], asked("ann", "ben"), "ben@1 is retired since"),
        ([asked("ann", "ben"), asked("ann", "cat")], asked("ann", "dan"), "ann has asked for 2 rated matches on 2026-01-01 UTC;"),
    ],
)
def test_what_may_not_be_asked_for_is_refused_and_found_on_record(before: list[AnyEvent], event: Challenged, problem: str) -> None:
    events = [*start(), *before]
    with pytest.raises(InputError, match=problem):
        Challenges(events).check(event, fold(events), TERMS)
    [found] = differences(History(events=(*events, event), played=(), faults=()), spec())
    assert problem in found


def test_another_day_has_challenges_of_its_own() -> None:
    events = [*start(), asked("ann", "ben"), asked("ann", "cat")]
    Challenges(events).check(asked("ann", "dan", 1440), fold(events), TERMS)
    with pytest.raises(InputError, match="has no `challenges`"):
        Challenges(events).check(asked("ann", "dan", 1440), fold(events), None)


def played_league(requested: Sequence[Requested] = ()) -> History:
    """Return a league in which ann has asked for a match, and its first round has taken some."""
    events = [*start(), asked("ann", "ben")]
    opened = round_opened(1, decide_pairings(fold(events), (), 1, spec()), moment(10))
    opened = replace(opened, requested=tuple(requested), method=METHOD)
    closed = RoundClosed(at=moment(15), round=1, seed=round_seeds.seed(SECRET, 500, 1))
    drawn = [pair(one, other, 1) for one, other in opened.pairings]
    asked_for = [requested_pair(one.one, one.other, 1, one.place) for one in requested]
    return History(events=(*events, opened, closed), played=(*drawn, *asked_for), faults=())


DUE = Requested(place=14, one="ann@1", other="ben@1")


def test_a_round_that_takes_what_was_due_is_as_it_must_be() -> None:
    assert list(differences(played_league([DUE]), spec())) == []


@pytest.mark.parametrize("requested", [[], [replace(DUE, other="cat@1")], [DUE, DUE]])
def test_a_round_that_takes_other_challenges_than_those_that_were_due_is_found(requested: list[Requested]) -> None:
    [problem] = differences(played_league(requested), spec())
    assert f"has taken the challenges of events {[one.place for one in requested]}; expected [14]" in problem


def test_a_requested_match_that_is_missing_is_found() -> None:
    whole = played_league([DUE])
    [problem] = differences(replace(whole, played=whole.played[:-1]), spec())
    assert "has 12 of its 14 matches on record" in problem


def test_the_deals_of_a_request_are_its_own_and_no_bot_learns_from_it() -> None:
    opened = replace(round_opened(3, [("ann@1", "ben@1")]), requested=(DUE,))
    found = list(fixtures(opened))
    assert [one.id for one in found] == [f"r3/ann@1:ben@1/{turn}/{leg}" for turn in ("0", "q14") for leg in (0, 1)]
    assert {one.deals for one in found[2:]} == {"r3/ann@1:ben@1/q14"}
    assert set(lessons(opened).values()) == {"r3/ann@1:ben@1/0/1"}
    assert decode(encode(opened)) == opened


def test_results_on_request_decide_no_pairing() -> None:
    field, drawn = fold(start()), [pair(f"{one}@1", f"{other}@1", 1) for one, other in (("ann", "ben"), ("cat", "dan"))]
    more = [requested_pair("ann@1", "cat@1", 1, place, outcome=-1) for place in range(14, 30)]
    assert decide_pairings(field, [*drawn, *more], 2, spec()) == decide_pairings(field, drawn, 2, spec())


def test_requests_together_weigh_at_most_half_of_what_was_drawn() -> None:
    drawn = [pair("ann@1", "ben@1", number) for number in range(8)]
    asked_for = [requested_pair("ann@1", "ben@1", 1, place) for place in range(14, 114)]
    assert weights([*drawn, asked_for[0]]) == {("ann@1", "ben@1"): 1 / 8}
    assert weights([*drawn, *asked_for]) == {("ann@1", "ben@1"): 1 / 32}
    assert weights(asked_for) == {("ann@1", "ben@1"): 1 / 256}
    assert weights([*drawn[:2], *asked_for[:8]]) == {("ann@1", "ben@1"): 1 / 8}, "exactly half"


def test_a_hundred_requests_move_a_rating_less_than_as_many_drawn_matches_would() -> None:
    field = fold(start()).versions
    drawn = [
        pair(f"{one}@1", f"{other}@1", number, 1 if one < other else -1)
        for number in range(1, 9)
        for one in BOTS
        for other in BOTS
        if one < other
    ]

    def moved(more: list[Pair]) -> float:
        terms = spec().rating_terms
        return abs(rate([*drawn, *more], field, terms).measured["dan@1"] - rate(drawn, field, terms).measured["dan@1"])

    requests = [requested_pair("dan@1", "ann@1", 1, place) for place in range(14, 114)]
    as_drawn = [pair("dan@1", "ann@1", 9 + number) for number in range(100)]
    assert 0 < moved(requests) < moved(as_drawn) / 4


def test_the_table_compares_what_was_asked_for_with_what_was_drawn() -> None:
    events = [*start(), *(asked("ben", "ann", day * 1440) for day in range(8))]
    drawn = [pair("ann@1", "ben@1", number, points=100 + number) for number in range(1, 9)]
    fair = [replace(requested_pair("ann@1", "ben@1", number, 13 + number), capped_points=100 + number) for number in range(1, 7)]
    found = summary(events, [*drawn, *fair])
    assert found
    assert str(found).startswith(
        "rated matches on request: 8 asked for, 6 played, 8 waiting; in 6 of them challengers scored 0.02 ±"
    )
    assert str(found).endswith("no more than chance explains")
    lucky = summary(events, [*drawn, *(replace(one, capped_points=-300) for one in fair)])
    assert lucky
    assert lucky.difference == pytest.approx((300 + 104.5) / 40)
    assert str(lucky).endswith(
        "challengers scored 10.11 ± 0.06 points a hand more than in drawn ones of the same bots, more than chance explains"
    )
    few = summary(events, [*drawn, *(replace(one, capped_points=300) for one in fair[:2])])
    assert str(few).endswith("points a hand fewer than in drawn ones of the same bots, which are too few to judge")
    assert summary(start(), drawn) is None
    single = summary(events, [*drawn, *(replace(one, legs=1) for one in fair)])
    assert single
    assert (single.played, single.compared) == (0, 0)


def test_the_difference_of_requests_has_an_interval_from_the_scatter_of_pairs_around_their_means() -> None:
    """Requested 1, 2 and 3 points a hand, drawn 0, 0, 0 and 4: squares of 2 + 12 around their means, with 5 degrees of freedom."""
    events = [*start(), asked("ann", "ben"), asked("ann", "cat")]
    drawn = [replace(pair("ann@1", "ben@1", number), capped_points=points) for number, points in enumerate((0, 0, 0, 160), 1)]
    requests = [replace(requested_pair("ann@1", "ben@1", number, 14), capped_points=40 * number) for number in (1, 2, 3)]
    elsewhere = [requested_pair("ann@1", "cat@1", 4, 15), replace(requests[0], hands=0, capped_points=0)]  # not comparable
    found = summary(events, [*drawn, *requests, *elsewhere, replace(drawn[0], hands=0), pair("ben@1", "cat@1", 5)])
    assert found
    assert (found.asked, found.played, found.compared, found.difference) == (2, 5, 3, 1)
    assert found.half == pytest.approx(2.5706 * (14 / 5 * 9 * (1 / 3 + 1 / 4)) ** 0.5 / 3, rel=1e-3)  # Student's t, 5 degrees
    fewer = summary(events, [*drawn[1:], *requests])
    assert str(fewer) == "rated matches on request: 2 asked for, 3 played, 2 waiting"
