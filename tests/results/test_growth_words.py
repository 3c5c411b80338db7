"""What the answer of a run says was added to it."""

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from msgspec import json

from arena.errors import DamagedError
from arena.results.growth_words import grown_words
from arena.store.spec_revisions import SpecRevised

if TYPE_CHECKING:
    from arena.runs.stored import StoredRun


def plan(bots: str, **form: object) -> str:
    return json.encode({"bots": [*bots], "format": {"name": "any", **form}, "method": 0}).decode()


def revised(matches: int, later: str, at: str = "2026-01-31T09:05:00Z") -> SpecRevised:
    return SpecRevised(at=at, spec="", plan=later, matches=matches, link="0" * 64)


def grown(first: str, *revisions: SpecRevised, is_of_batches: bool = False, **facts: str) -> str:
    run = SimpleNamespace(facts={"plan": first, "started": "2026-02-01 00:00:00 UTC", **facts})
    return grown_words(cast("StoredRun", run), revisions, is_of_batches=is_of_batches)


@pytest.mark.parametrize(
    ("then", "now", "added"),
    [
        (plan("ab", pairs=2), plan("abc", pairs=2), "c joined"),
        (plan("ab"), plan("abcd"), "c and d joined"),
        (plan("ab", pairs=2), plan("ab", pairs=1000), "pairs raised from 2 to 1,000"),
        (plan("ab", pairs=2), plan("abc", pairs=4), "c joined, pairs raised from 2 to 4"),
        (plan("ab", stages=[{"top": 4}]), plan("ab", stages=[{"top": 4}, {"top": 2}]), "2 stages instead of 1"),
        (
            plan("ab", stages=[{"format": {"rounds": 2}}]),
            plan("ab", stages=[{"format": {"rounds": 3}}]),
            "rounds raised from 2 to 3",
        ),
    ],
)
def test_the_answer_says_what_was_added_when_and_after_how_much(then: str, now: str, added: str) -> None:
    said = grown(then, revised(24, now))
    assert said == f"Grown on 31 January 2026 after 24 matches: {added}"


def test_hands_of_batches_are_added_after_batches() -> None:
    said = grown(plan("ab", hands=10), revised(1, plan("ab", hands=20)), is_of_batches=True)
    assert "after 1 batch: hands raised from 10 to 20" in said


def test_several_additions_are_listed_together_with_the_last_moment() -> None:
    first, second, third = plan("ab", pairs=2), plan("abc", pairs=2), plan("abc", pairs=6)
    said = grown(first, revised(4, second), revised(12, third, "2026-02-01T10:00:00Z"))
    assert said.startswith("Grown in 2 steps, the last on 1 February 2026 after 12 matches: c joined, pairs raised from 2 to 6")


def test_nothing_is_said_of_bots_in_another_order_nor_of_what_was_added_before_the_first_match() -> None:
    assert grown(plan("ab"), revised(24, plan("ba"))) == ""
    assert grown(plan("ab"), revised(0, plan("abc"))) == ""


def test_a_text_in_place_of_a_number_is_not_said_to_be_larger() -> None:
    assert grown(plan("ab", pairs=2), revised(24, plan("abc", pairs="many"))).endswith(": c joined")


@pytest.mark.parametrize("moment", ["x", "2026-13-01T00:00:00Z", ""])
def test_a_moment_that_is_invalid_is_an_error(moment: str) -> None:
    with pytest.raises(DamagedError):
        grown(plan("ab"), continues="0" * 64, started=moment)


def test_a_duel_that_is_continued_says_so_and_any_other_run_nothing() -> None:
    assert grown(plan("ab"), continues="0" * 64).startswith("Continued on 1 February 2026 with fresh deals;")
    assert grown(plan("ab")) == ""
