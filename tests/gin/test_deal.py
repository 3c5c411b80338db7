from collections import Counter
from hashlib import shake_256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hands.builders import in_order

from arena.gin.deal import Deals
from arena.gin.shuffling import exchange, shuffle


def deck_by_the_book(text: str) -> tuple[int, ...]:
    """Follow the docstring of arena.gin.deal word by word."""
    stream = list(shake_256(text.encode("utf-8")).digest(1024))
    deck = list(range(52))
    for n in reversed(range(1, 52)):
        while stream[0] >= 256 - 256 % (n + 1):
            stream.pop(0)
        other = stream.pop(0) % (n + 1)
        deck[n], deck[other] = deck[other], deck[n]
    return tuple(deck)


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")), st.integers(0, 99), st.integers(0, 99))
def test_a_deck_follows_from_the_documented_algorithm(seed: str, key: str, game: int, hand: int) -> None:
    assert Deals(seed, key).deck(game, hand) == deck_by_the_book(f"arena-deck-1|{seed}|{key}|{game}|{hand}")


def test_bytes_that_are_too_few_for_a_deck_give_none() -> None:
    assert exchange(bytes(50)) is None
    assert exchange(bytes(51)) == exchange(bytes(1024)) == (*range(1, 52), 0)
    assert exchange(b"\xff" * 1024) is None  # 255 is not fair for the first exchange


@pytest.mark.rule("R2.1")
def test_a_deck_has_every_card_once_in_a_fixed_order() -> None:
    deck = Deals("a seed", "a-b/0").deck(2, 7)
    assert sorted(deck) == list(range(52))
    assert deck == in_order(DECK_OF_A_SEED)


def test_decks_differ_between_hands_games_keys_and_seeds() -> None:
    decks = {Deals(s, k).deck(g, h) for s in ("s", "t") for k in ("k", "l") for g in range(3) for h in range(3)}
    assert len(decks) == 36


@pytest.mark.rule("R2.2")
def test_the_first_dealer_follows_from_the_key_and_is_either_seat() -> None:
    dealers = Counter(Deals("seed", f"key {number}").first_dealer() for number in range(1000))
    assert Deals("seed", "key 1").first_dealer() == Deals("seed", "key 1").first_dealer()
    assert dealers.keys() == {0, 1}
    assert 400 < dealers[0] < 600


@given(st.integers(0, 99), st.integers(1, 1000))
def test_the_score_of_a_single_hand_is_eight_bytes_of_a_hash(hand: int, target: int) -> None:
    digest = shake_256(f"arena-score-1|a seed|a-b/0|{hand}".encode()).hexdigest(8)
    assert Deals("a seed", "a-b/0").score(hand, target) == (int(digest[:8], 16) % target, int(digest[8:], 16) % target)


def test_every_card_is_equally_frequent_at_every_place() -> None:
    decks = [shuffle(f"deck {number}") for number in range(5200)]
    counts = Counter((place, card) for deck in decks for place, card in enumerate(deck))
    chi_squared = sum((counts[place, card] - 100) ** 2 / 100 for place in range(52) for card in range(52))
    assert 2601 - 6 * 72 < chi_squared < 2601 + 6 * 72  # 51 * 51 degrees of freedom, standard deviation 72


DECK_OF_A_SEED = """
6h Ah 7d 4d Ac 7c 3s Js 5c 8c Ts Ad 5d
Qd Jc 5h Jd 9c 3c Kh 6d 6c Th 9h Kd Jh
Qh 4s 8d 3h 2d 7h 9s As 8h 3d 9d Ks Td
Tc Kc 7s 2c 2s 5s 4h 4c Qs Qc 8s 6s 2h
"""
