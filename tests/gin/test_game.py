import pytest
import strategies
from builders import RULESETS
from hypothesis import given
from hypothesis import strategies as st

from arena.gin.match import Game
from arena.gin.rules import NextDealer, Rules
from arena.gin.score import Ending, HandResult, dead

DEAD = dead((20, 30))


def won(winner: int, points: int) -> HandResult:
    """Return the result of a hand that was won by a knock."""
    return HandResult(Ending.KNOCK, winner, points, (0, 0))


def after(*results: HandResult, rules: Rules, dealer: int = 0) -> Game:
    """Return the game after some hands."""
    game = Game(dealer)
    for result in results:
        game = game.add(result, rules)
    return game


@pytest.mark.rule("R2.3")
@pytest.mark.parametrize(
    ("next_dealer", "dealers"),
    [("alternate", [1, 0, 1, 0]), ("loser", [1, 0, 0, 1]), ("winner", [0, 1, 1, 0])],
)
def test_the_next_dealer_follows_the_option(next_dealer: NextDealer, dealers: list[int]) -> None:
    rules = Rules(next_dealer=next_dealer)
    results = [won(0, 10), won(1, 10), DEAD, won(0, 10)]
    assert [after(*results[: count + 1], rules=rules).dealer for count in range(4)] == dealers


@pytest.mark.rule("R5.1")
def test_a_dead_hand_counts_as_a_hand_but_scores_nothing() -> None:
    game = after(DEAD, won(1, 12), rules=Rules())
    assert (game.hands, game.score, game.won) == (2, (0, 12), (0, 1))


@pytest.mark.rule("R9.1")
def test_a_game_ends_with_the_hand_in_which_a_player_reaches_the_target() -> None:
    rules = Rules(target=100)
    assert after(won(0, 99), rules=rules).winner(rules) is None
    assert after(won(0, 99), won(1, 60), won(0, 1), rules=rules).winner(rules) == 0


@pytest.mark.rule("R9.1")
def test_an_undercut_counts_for_the_defender() -> None:
    rules = Rules(target=100)
    undercut = HandResult(Ending.UNDERCUT, 1, 28, (7, 4))
    assert after(won(1, 80), undercut, rules=rules).winner(rules) == 1


@pytest.mark.rule("R9.1")
def test_bonuses_at_the_end_do_not_count_towards_the_target() -> None:
    rules = Rules(target=100, hand_bonus=25, game_bonus=100)
    game = after(won(0, 40), won(0, 40), rules=rules)
    assert game.winner(rules) is None
    assert game.totals(rules) == (80, 0)


@pytest.mark.rule("R9.3")
def test_both_seats_get_hand_bonuses_and_the_first_to_the_target_the_game_bonus() -> None:
    rules = Rules(target=100, hand_bonus=25, game_bonus=100)
    game = after(won(0, 60), won(1, 30), won(0, 45), rules=rules)
    assert game.totals(rules) == (105 + 2 * 25 + 100, 30 + 25)


@pytest.mark.rule("R9.3")
def test_a_shutout_doubles_everything() -> None:
    rules = Rules(target=100, hand_bonus=20, game_bonus=100, shutout="double")
    assert after(won(1, 60), DEAD, won(1, 45), rules=rules).totals(rules) == (0, 2 * (105 + 40 + 100))
    assert after(won(1, 60), won(0, 1), won(1, 45), rules=rules).totals(rules) == (1 + 20, 105 + 40 + 100)
    none = Rules(target=100, hand_bonus=20, game_bonus=100, shutout="none")
    assert after(won(1, 105), rules=none).totals(none) == (0, 225)


@pytest.mark.rule("R9.4")
def test_the_highest_total_or_the_first_to_the_target_wins_as_the_option_says() -> None:
    few_big_hands = [won(0, 90), won(1, 20), won(1, 20), won(1, 20), won(1, 20), won(0, 12)]
    target, total = Rules(target=100, hand_bonus=25), Rules(target=100, hand_bonus=25, game_winner="total")
    game = after(*few_big_hands, rules=total)
    assert game.totals(total) == (152, 180)
    assert (game.winner(target), game.winner(total)) == (0, 1)


@pytest.mark.rule("R9.4")
def test_with_equal_totals_the_first_to_the_target_wins() -> None:
    rules = Rules(target=100, hand_bonus=20, game_winner="total")
    game = after(won(0, 60), won(1, 30), won(1, 30), won(1, 20), won(0, 40), rules=rules)
    assert game.totals(rules) == (140, 140)
    assert game.winner(rules) == 0


hands = st.lists(st.builds(won, strategies.seats, st.integers(0, 98)) | st.just(DEAD), max_size=40)


@given(hands, st.sampled_from(list(RULESETS.values())))
def test_the_points_of_both_seats_add_up(results: list[HandResult], rules: Rules) -> None:
    game = after(*results, rules=rules)
    assert sum(game.score) == sum(result.points for result in results)
    assert sum(game.won) == sum(result.winner is not None for result in results)
    assert game.hands == len(results)


@given(hands, st.sampled_from(list(RULESETS.values())))
def test_swapping_the_seats_swaps_the_game(results: list[HandResult], rules: Rules) -> None:
    swapped = [HandResult(r.ending, None if r.winner is None else 1 - r.winner, r.points, r.deadwood) for r in results]
    here, there = Game(0), Game(1)
    for result, other in zip(results, swapped, strict=True):
        if here.winner(rules) is not None:
            break
        here, there = here.add(result, rules), there.add(other, rules)
    assert there.totals(rules) == here.totals(rules)[::-1]
    winner = here.winner(rules)
    assert there.winner(rules) == (None if winner is None else 1 - winner)
    assert there.dealer == 1 - here.dealer
