from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hands import strategies
from support.hands.builders import cards, melds
from support.sizes import size

from arena.gin.actions import IllegalActionError
from arena.gin.cards import DECK, NAMES, VALUES, Card, Cards, Melds, bits, card, each
from arena.gin.melds import (
    arrange,
    best_throws,
    completes,
    deadwood,
    defend,
    is_run,
    is_set,
    laid_cards,
    lay_off,
    meldings,
    melds_in,
    openings,
    partners,
    points,
    union,
)
from arena.gin.moves import check_lay_offs, check_melds

# --- reference implementations by exhaustive search


def by_hand(meld: frozenset[Card]) -> bool:
    """Return whether some cards are a meld, decided by their names."""
    written = [NAMES[one] for one in meld]
    suits, ranks = {name[1] for name in written}, sorted("A23456789TJQK".index(name[0]) for name in written)
    if len(meld) < 3:
        return False
    return len(set(ranks)) == 1 or (len(suits) == 1 and ranks == list(range(ranks[0], ranks[0] + len(ranks))))


@cache
def least(held: frozenset[Card]) -> int:
    """Return the least deadwood: the lowest card is dead, or in one of its melds."""
    if not held:
        return 0
    lowest, *others = sorted(held)
    best = points(1 << lowest) + least(held - {lowest})
    for count in range(2, min(len(others), 10) + 1):
        for more in combinations(others, count):
            if by_hand(meld := frozenset([lowest, *more])):
                best = min(best, least(held - meld))
    return best


def least_against(held: Cards, table: Melds) -> int:
    """Return the least deadwood of a defender over all its meldings and all ways to lay off."""
    return min(least_laid_off(held & ~union(own), table) for own in meldings(held))


def least_laid_off(rest: Cards, table: Melds) -> int:
    best = points(rest)
    for one in each(rest):
        for number, meld in enumerate(table):
            grown = meld | 1 << one
            if by_hand(frozenset(each(grown))):
                best = min(best, least_laid_off(rest & ~(1 << one), (*table[:number], grown, *table[number + 1 :])))
    return best


# --- melds


@pytest.mark.rule("R1.3")
@pytest.mark.parametrize("meld", ["7c7d7h", "7c7d7h7s", "KcKhKs", "AcAdAs"])
def test_three_or_four_of_a_rank_are_a_set(meld: str) -> None:
    assert is_set(cards(meld))
    assert not is_run(cards(meld))


@pytest.mark.rule("R1.3")
@pytest.mark.parametrize("meld", ["3c4c5c", "TsJsQsKs", "Ad2d3d", "Ah2h3h4h5h6h7h8h9hThJhQhKh"])
def test_three_or_more_consecutive_cards_of_a_suit_are_a_run(meld: str) -> None:
    assert is_run(cards(meld))
    assert not is_set(cards(meld))


@pytest.mark.rule("R1.4")
@pytest.mark.parametrize("meld", ["QdKdAd", "KdAd2d", "QcKcAd", "KsAsAc"])
def test_no_run_goes_past_the_king_or_into_the_next_suit(meld: str) -> None:
    assert not is_run(cards(meld))


@pytest.mark.parametrize("meld", ["", "7c", "7c7d", "3c4c", "3c4c6c", "3c4d5c", "7c7d8h", "JcQcKcAd"])
def test_nothing_else_is_a_meld(meld: str) -> None:
    assert not is_set(cards(meld))
    assert not is_run(cards(meld))


@settings(max_examples=size(60, 300))
@given(strategies.close_cards(4) | strategies.close_cards(3) | strategies.close_cards(7))
def test_sets_and_runs_agree_with_a_check_by_card_names(held: Cards) -> None:
    assert (is_set(held) or is_run(held)) == by_hand(frozenset(each(held)))


@given(strategies.close_cards(10))
def test_every_meld_in_some_cards_is_found_once(held: Cards) -> None:
    found = melds_in(held)
    everything = {bits(some) for count in range(3, 11) for some in combinations(each(held), count) if by_hand(frozenset(some))}
    assert len(found) == len(set(found))
    assert set(found) == everything


@given(strategies.close_cards(5) | strategies.cards(0, 11))
def test_a_card_completes_a_meld_if_it_makes_one_with_two_that_are_held(held: Cards) -> None:
    pairs = list(combinations(each(held), 2))
    expected = [one for one in each(DECK & ~held) if any(by_hand(frozenset((one, *two))) for two in pairs)]
    assert list(each(completes(held))) == expected


@pytest.mark.parametrize(("name", "sets", "runs"), [("Ac", 3, 1), ("2d", 3, 2), ("7h", 3, 3), ("Qs", 3, 2), ("Ks", 3, 1)])
def test_the_partners_of_a_card_are_two_that_make_a_meld_with_it(name: str, sets: int, runs: int) -> None:
    bit = 1 << card(name)
    threes = [meld ^ bit for meld in melds_in(DECK) if meld & bit and meld.bit_count() == 3]
    found = partners(card(name))
    assert (sorted(found), len(found)) == (sorted(threes), sets + runs)
    assert [is_set(two | bit) for two in found] == [True] * sets + [False] * runs
    assert list(found[sets:]) == sorted(found[sets:])


@pytest.mark.rule("R1.5")
@given(strategies.close_cards(11))
def test_no_choice_of_melds_uses_a_card_twice(held: Cards) -> None:
    every = list(meldings(held))
    assert every[0] == ()
    assert len(every) == len(set(every))
    assert all(sum(map(int.bit_count, own)) == union(own).bit_count() and union(own) & ~held == 0 for own in every)


# --- deadwood


@pytest.mark.rule("R1.6")
@pytest.mark.parametrize(
    ("held", "left"),
    [
        ("3c4c5c 7d7h7s Kd 2s", 12),
        ("5h6h7h 7c7d", 11),  # the seven is in the run or in the set, not in both
        ("5h6h7h8h 7c7d", 14),
        ("Ac2c3c Ad2d3d Ah2h3h Ks", 10),
        ("2c4c6c8cTcQc", 40),
        ("", 0),
    ],
)
def test_deadwood_is_the_points_that_the_best_melds_leave(held: str, left: int) -> None:
    assert deadwood(cards(held)) == left


@settings(max_examples=size(60, 300))
@given(strategies.close_cards(10) | strategies.close_cards(11) | strategies.cards(0, 11))
def test_deadwood_is_the_least_that_an_exhaustive_search_finds(held: Cards) -> None:
    assert deadwood(held) == least(frozenset(each(held)))


@given(strategies.close_cards(11), strategies.a_card)
def test_removing_a_card_never_lowers_deadwood_by_more_than_its_points(held: Cards, gone: Card) -> None:
    rest = held & ~(1 << gone)
    assert deadwood(held) <= deadwood(rest) + points(held & 1 << gone)


@settings(max_examples=size(60, 300))
@given(strategies.close_cards(11) | strategies.cards(1, 11), strategies.cards())
def test_the_best_throws_are_those_after_which_least_deadwood_is_left(held: Cards, some: Cards) -> None:
    throws = held & some or held
    left = {one: deadwood(held & ~(1 << one)) for one in each(throws)}
    least = min(left.values())
    assert best_throws(held, throws) == (least, bits(one for one in left if left[one] == least))


@pytest.mark.rule("R1.2")
@pytest.mark.rule("R1.5")
@pytest.mark.parametrize("suit", "cdhs")
def test_the_fourth_card_of_a_rank_may_be_kept_for_a_run(suit: str) -> None:
    held = cards(f"7c7d7h7s 5{suit}6{suit} KcKdKh Qs2s")
    assert best_throws(held, held) == (2, 1 << card("Qs"))
    assert deadwood(held & ~cards("Qs")) == 2


@given(strategies.cards())
def test_points_are_the_sum_of_the_values(held: Cards) -> None:
    assert points(held) == sum(VALUES[one] for one in each(held))


# --- arrangements


@settings(max_examples=size(60, 300))
@given(strategies.close_cards(10) | strategies.close_cards(11))
def test_an_arrangement_leaves_the_least_deadwood_and_is_legal(held: Cards) -> None:
    own = arrange(held)
    check_melds(own, held)
    assert points(held & ~union(own)) == deadwood(held)


@pytest.mark.rule("R6.2")
def test_of_two_best_arrangements_the_one_with_fewer_openings_is_laid() -> None:
    held = cards("4c5c6c 4d5d6d 4h5h6h Ks")  # three runs have six openings, three sets have three
    assert arrange(held) == melds("4c4d4h 5c5d5h 6c6d6h")
    assert openings(melds("4c4d4h 5c5d5h 6c6d6h")) == cards("4s5s6s")


@pytest.mark.rule("R6.2")
def test_among_arrangements_with_equal_openings_the_first_in_card_order_is_laid() -> None:
    held = cards("7c8c9c 7d8d9d 9h9s 2h As")  # one nine ends a run; each choice of the other three is equally good
    every = [own for own in meldings(held) if points(held & ~union(own)) == deadwood(held)]
    fewest = min((openings(own) & ~held).bit_count() for own in every)
    assert arrange(held) == min(own for own in every if (openings(own) & ~held).bit_count() == fewest)


@pytest.mark.rule("R6.2")
@pytest.mark.parametrize(
    ("declared", "clause", "detail"),
    [
        ("3c4c5c 8c9cTc", "R6.2", "8c 9c Tc in a meld, but not held"),
        ("3c4c7d", "R1.3", "3c 4c 7d is neither a set nor a run"),
        ("7d7h", "R1.3", "7d 7h is neither a set nor a run"),
        ("5c6c7c 7c7d7h", "R1.5", "7c in two melds"),
    ],
)
def test_an_invalid_declaration_is_refused_with_its_clause(declared: str, clause: str, detail: str) -> None:
    with pytest.raises(IllegalActionError) as refused:
        check_melds(melds(declared), cards("3c4c5c6c7c 7d7h7s KsQs"))
    assert (refused.value.clause, refused.value.detail) == (clause, detail)


def test_an_empty_meld_is_refused() -> None:
    with pytest.raises(IllegalActionError, match=r"an empty meld is neither a set nor a run \(R1.3\)"):
        check_melds((0,), cards("3c4c5c"))


# --- lay-offs


@pytest.mark.rule("R6.3")
def test_lay_offs_go_to_sets_of_three_and_either_end_of_a_run_in_chains() -> None:
    table = melds("9d9h9s 4c5c6c")
    assert lay_off(table, cards("9c 2c3c 7c8c Kd")) == tuple((card(name), number) for name, number in CHAIN)


CHAIN = [("3c", 1), ("7c", 1), ("2c", 1), ("8c", 1), ("9c", 1)]


@pytest.mark.rule("R6.3")
def test_nothing_fits_a_set_of_four_or_past_the_ace_and_the_king() -> None:
    assert lay_off(melds("9c9d9h9s Ac2c3c JdQdKd"), cards("Kc Ah Ad 5c")) == ()


@pytest.mark.rule("R6.4")
def test_a_defender_breaks_a_meld_if_that_lays_off_more_points() -> None:
    held = cards("3c4c5c 3d3h Kd Qs 9h Js Kh")
    assert arrange(held) == melds("3c4c5c")  # without lay-offs, the run leaves less than the set
    own, lay_offs = defend(held, melds("6c7c8c"))
    assert own == melds("3c3d3h")
    assert laid_cards(lay_offs) == cards("4c5c")


@pytest.mark.rule("R6.4")
@settings(max_examples=size(60, 300))
@given(st.data())
def test_the_defence_leaves_the_fewest_points_over_all_melds_and_lay_offs(data: st.DataObject) -> None:
    whole = data.draw(strategies.close_cards(20))
    both = data.draw(st.permutations(list(each(whole))))
    held, other = bits(both[:10]), bits(both[10:])
    table = data.draw(st.sampled_from(list(meldings(other))))
    own, lay_offs = defend(held, table)
    check_melds(own, held)
    check_lay_offs(lay_offs, table, held & ~union(own))
    assert points(held & ~union(own) & ~laid_cards(lay_offs)) == least_against(held, table)


@given(st.data())
def test_all_that_fits_is_laid_off(data: st.DataObject) -> None:
    table = data.draw(st.sampled_from(list(meldings(data.draw(strategies.close_cards(10))))))
    rest = data.draw(strategies.cards(0, 10)) & ~union(table)
    laid = lay_off(table, rest)
    check_lay_offs(laid, table, rest)
    assert points(rest & ~laid_cards(laid)) == least_laid_off(rest, table)


@pytest.mark.rule("R6.3")
@pytest.mark.parametrize(
    ("lay_offs", "detail"),
    [
        ([("8c", 1)], "8c does not fit on 4c 5c 6c"),
        ([("7c", 0)], "7c does not fit on 9d 9h 9s"),
        ([("7c", 2)], "the knocker has no meld number 2, only 2, counted from 0"),
        ([("7c", -1)], "the knocker has no meld number -1, only 2, counted from 0"),
        ([("Ks", 1)], "Ks is laid off, but is not among the deadwood"),
        ([("7c", 1), ("7c", 1)], "7c is laid off, but is not among the deadwood"),
    ],
)
def test_an_invalid_lay_off_is_refused(lay_offs: list[tuple[str, int]], detail: str) -> None:
    with pytest.raises(IllegalActionError) as refused:
        check_lay_offs(tuple((card(name), number) for name, number in lay_offs), melds("9d9h9s 4c5c6c"), cards("7c8c9c 2d"))
    assert (refused.value.clause, refused.value.detail) == ("R6.3", detail)


def test_openings_are_the_cards_that_fit_at_once() -> None:
    assert openings(melds("9d9h9s 4c5c6c")) == cards("9c3c7c")
    assert openings(melds("Ac2c3c JdQdKd 8c8d8h8s")) == cards("4cTd")
    assert openings(()) == 0


@given(strategies.cards(0, 52))
def test_points_of_a_deck_are_340(held: Cards) -> None:
    assert points(held) + points(DECK & ~held) == 340
