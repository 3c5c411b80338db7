"""Typed seeds and run seeds: deterministic, costly to guess, and a short one gets a warning."""

import time
from hashlib import sha256

import pytest

from arena.errors import InputError
from arena.gin.deal import Deals
from arena.referee.job import bot_seed
from arena.tournament import seeds


@pytest.mark.process
def test_the_same_typed_seed_gives_the_same_run_seed_and_another_gives_another() -> None:
    assert seeds.run_seed("4217") == seeds.run_seed("4217")
    assert len({seeds.run_seed(typed) for typed in ("4217", "4218", "04217", " 4217")}) == 4


def test_a_run_seed_does_not_change_from_version_to_version() -> None:
    assert seeds.run_seed("4217") == "50cddad6999a2792b1a2f34f3bda6f0a58182e5f95ef9c00cae0bacded2b48a8"


def test_the_run_seed_of_a_report_is_accepted_unchanged() -> None:
    stored = seeds.run_seed("4217")
    assert seeds.run_seed(stored) == stored
    seed = seeds.random_seed()
    assert seeds.run_seed(seed) == seed


def test_decks_and_bot_seeds_do_not_follow_from_a_plain_hash_of_the_typed_seed() -> None:
    typed, run_seed = "4217", seeds.run_seed("4217")
    assert Deals(run_seed, "a:b/0").deck(0, 0) != Deals(typed, "a:b/0").deck(0, 0)
    assert bot_seed(run_seed, "a:b/0", 0) != bot_seed(typed, "a:b/0", 0)
    assert run_seed != sha256(typed.encode()).hexdigest()


def test_a_guess_takes_long_enough_that_few_fit_into_a_match() -> None:
    start = time.process_time()
    seeds.run_seed.__wrapped__("a guess")
    assert time.process_time() - start > 0.02, "at most thousands of guesses in the 120 s of a match"


@pytest.mark.parametrize(("typed", "message"), [("", "0 characters"), ("x" * 201, "201 characters"), ("a\udcff", "not UTF-8")])
def test_a_seed_that_cannot_be_used_is_refused(typed: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        seeds.check_seed(typed)


def test_only_a_short_seed_gets_a_warning() -> None:
    assert "a seed of 4 characters can be guessed" in (seeds.seed_warning("4217") or "")
    assert "a seed of 1 character can be guessed" in (seeds.seed_warning("7") or "")
    assert seeds.seed_warning(None) is seeds.seed_warning("0123456789abcdef") is None
