import re

import pytest
from hypothesis import given
from support.hands import strategies

from arena.gin.cards import DECK, NAMES, VALUES, card, cards, each, in_order, names, parse, text
from arena.gin.melds import points


@pytest.mark.rule("R1.1")
def test_the_deck_is_ordered_by_suit_then_rank() -> None:
    assert len(NAMES) == len(set(NAMES)) == 52
    assert NAMES[:14] == ("Ac", "2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c", "Tc", "Jc", "Qc", "Kc", "Ad")
    assert (NAMES[26], NAMES[-1]) == ("Ah", "Ks")


@pytest.mark.rule("R1.2")
@pytest.mark.parametrize(("name", "value"), [("Ac", 1), ("2d", 2), ("9h", 9), ("Ts", 10), ("Jc", 10), ("Qd", 10), ("Kh", 10)])
def test_an_ace_counts_one_a_face_card_ten_and_a_pip_card_its_number(name: str, value: int) -> None:
    assert VALUES[card(name)] == value


@pytest.mark.rule("R1.2")
@pytest.mark.parametrize(("held", "total"), [("Ac 2d 3h 4s 9c Td Kh", 39), ("Ks Qs Js Ts 9h 8c 7d 6h 3c", 73), ("", 0)])
def test_points_are_the_sum_of_the_values(held: str, total: int) -> None:
    assert points(parse(held)) == total


@pytest.mark.parametrize("name", ["", "7", "h7", "7H", "10h", "1c", "7h\n", "Xx", "7hh"])
def test_an_invalid_card_is_refused_with_the_expected_notation(name: str) -> None:
    expected = f"{name!r} is not a card; expected a rank of A23456789TJQK and a suit of cdhs"
    for read in (lambda: card(name), lambda: cards(["7h", name]), lambda: in_order(["7h", name])):
        with pytest.raises(ValueError, match=f"^{re.escape(expected)}"):
            read()


def test_a_card_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^'7h' is named twice"):
        cards(["8h", "7h", "9h", "7h"])


@given(strategies.cards())
def test_cards_are_written_and_read_back_in_deck_order(held: int) -> None:
    assert cards(names(held)) == parse(text(held)) == held
    assert [card(name) for name in names(held)] == sorted(each(held))


def test_the_deck_is_every_card() -> None:
    assert list(each(DECK)) == list(range(52))
