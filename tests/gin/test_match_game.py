import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.hands import strategies
from support.hands.builders import RULESETS

from arena.gin.deal import Deals
from arena.gin.facts import GameScore
from arena.gin.match import Game, Hand, Match, after_hand
from arena.gin.rules import GameWinner, NextDealer, Rules, Shutout
from arena.gin.rulesets import Hollywood
from arena.gin.score import Ending, HandResult, dead
from arena.gin.seeing import see

DEAD = dead((20, 30))


def won(winner: int, points: int) -> HandResult:
    """Return the result of a hand that was won by a knock."""
    return HandResult(Ending.KNOCK, winner, points, (0, 0))


def after(*results: HandResult, rules: Rules, dealer: int = 0) -> Game:
    """Return the game after some hands."""
    game = Game.start(dealer, rules)
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
    assert (game.hands, game.columns) == (2, (GameScore((0, 12), (0, 1), 2),))


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


@pytest.mark.rule("R9.3")
@pytest.mark.parametrize(
    ("shutout", "total"),
    [("none", 245), ("double", 490), ("hands", 245 + 105), ("bonus", 245 + 100), (100, 245 + 100), (0, 245)],
)
def test_a_shutout_is_worth_what_the_option_says(shutout: Shutout, total: int) -> None:
    rules = Rules(target=100, hand_bonus=20, game_bonus=100, shutout=shutout)
    assert after(won(1, 60), DEAD, won(1, 45), rules=rules).totals(rules) == (0, total)
    assert after(won(1, 60), won(0, 1), won(1, 45), rules=rules).totals(rules) == (21, 245)


@pytest.mark.rule("R9.3")
def test_a_loser_without_a_point_pays_a_second_game_bonus() -> None:
    rules = Rules(target=100, gin_bonus=20, undercut_bonus=10, hand_bonus=20, game_bonus=100, shutout="bonus")
    assert after(won(0, 104), rules=rules).totals(rules) == (104 + 20 + 200, 0)


@pytest.mark.rule("R9.3")
def test_hand_bonuses_that_are_added_at_once_count_towards_the_target() -> None:
    at_once = Rules(target=100, hand_bonus=20, hand_bonus_added="at_once", game_bonus=50, shutout="hands")
    game = after(won(0, 40), rules=at_once)
    assert (game.totals(at_once), game.winner(at_once)) == ((60, 0), None)
    ended = after(won(0, 40), won(1, 10), won(0, 20), rules=at_once)
    assert (ended.totals(at_once), ended.winner(at_once)) == ((100 + 50, 30), 0)
    assert after(won(0, 40), won(0, 20), rules=at_once).totals(at_once) == (100 + 50 + 60, 0)


HOLLYWOOD = Hollywood()


def points(game: Game) -> list[tuple[int, int]]:
    """Return the points of the three games at once."""
    return [column.points for column in game.columns]


@pytest.mark.rule("R9.6")
def test_the_hands_of_a_player_count_in_one_game_then_in_two_then_in_three() -> None:
    game = Game.start(0, HOLLYWOOD)
    shown = []
    for hand in (won(0, 25), won(0, 18), won(1, 12), won(0, 36), DEAD):
        game = game.add(hand, HOLLYWOOD)
        shown.append(points(game))
    assert shown == [
        [(25, 0), (0, 0), (0, 0)],
        [(43, 0), (18, 0), (0, 0)],
        [(43, 12), (18, 0), (0, 0)],
        [(79, 12), (54, 0), (36, 0)],
        [(79, 12), (54, 0), (36, 0)],
    ]


@pytest.mark.rule("R9.6")
def test_a_game_that_is_over_gets_no_more_hands_and_the_others_go_on() -> None:
    game = after(won(0, 60), won(0, 50), won(0, 30), rules=HOLLYWOOD)
    assert points(game) == [(110, 0), (80, 0), (30, 0)]
    assert game.winner(HOLLYWOOD) is None
    game = after(won(0, 60), won(0, 50), won(0, 30), won(0, 20), rules=HOLLYWOOD)
    assert points(game) == [(110, 0), (100, 0), (50, 0)]


@pytest.mark.rule("R9.6")
def test_a_player_that_was_shut_out_begins_in_the_next_game() -> None:
    game = after(won(0, 60), won(0, 50), won(1, 33), won(1, 10), rules=HOLLYWOOD)
    assert points(game) == [(110, 0), (50, 43), (0, 10)]


@pytest.mark.rule("R9.6")
def test_each_of_three_games_has_its_bonuses_and_the_sum_decides() -> None:
    game = after(won(0, 100), won(0, 100), won(1, 40), won(0, 100), rules=HOLLYWOOD)
    assert points(game) == [(100, 0), (100, 0), (100, 40)]
    shutout = 2 * (100 + 100 + 20)
    assert game.totals(HOLLYWOOD) == (shutout + shutout + 100 + 100 + 20, 40 + 20)
    assert game.winner(HOLLYWOOD) == 0
    one, three = (after(won(0, 100), rules=replace(HOLLYWOOD, hollywood=hollywood)) for hollywood in (False, True))
    assert (one.winner(HOLLYWOOD), three.winner(HOLLYWOOD)) == (0, None)


@pytest.mark.rule("R9.6")
@pytest.mark.parametrize(("game_winner", "winner"), [("total", 1), ("target", 0)])
def test_three_games_are_won_by_the_sum_or_by_two_of_them(game_winner: GameWinner, winner: int) -> None:
    rules = Hollywood(game_winner=game_winner, hand_bonus=0, game_bonus=0, shutout="none")
    columns = (GameScore((100, 90), (3, 3), 6), GameScore((100, 90), (2, 2), 6), GameScore((0, 180), (0, 1), 6))
    assert Game(0, 6, columns).winner(rules) == winner
    assert Game(0, 6, (*columns[:2], GameScore((0, 90), (0, 1), 6))).winner(rules) is None


@pytest.mark.rule("R9.6")
def test_a_view_shows_the_first_open_game_and_all_three() -> None:
    match = Match.start(HOLLYWOOD, Deals("seed", "a-b/0"))
    for hand in (won(0, 60), won(0, 50), won(1, 33)):
        match = match.add(hand)
    before = match.standing
    assert (before.score, [column.points for column in before.columns]) == ((50, 33), [(110, 0), (50, 33), (0, 0)])
    view = see(Hand.start(match.deal(), HOLLYWOOD), before)
    assert view.columns in (((110, 0), (50, 33), (0, 0)), ((0, 110), (33, 50), (0, 0)))
    assert after_hand(before, won(1, 80), HOLLYWOOD) == replace(match.add(won(1, 80)).standing, hand=3)


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
    for game in (after(*results[:count], rules=rules) for count in range(len(results) + 1)):
        played = results[: game.hands]
        if game.winner(rules) is not None:
            break
        if not rules.hollywood:
            assert sum(game.columns[0].points) == sum(result.points for result in played)
            assert sum(game.columns[0].won) == sum(result.winner is not None for result in played)


@given(hands, st.sampled_from(list(RULESETS.values())))
def test_swapping_the_seats_swaps_the_game(results: list[HandResult], rules: Rules) -> None:
    swapped = [HandResult(r.ending, None if r.winner is None else 1 - r.winner, r.points, r.deadwood) for r in results]
    here, there = Game.start(0, rules), Game.start(1, rules)
    for result, other in zip(results, swapped, strict=True):
        if here.winner(rules) is not None:
            break
        here, there = here.add(result, rules), there.add(other, rules)
    assert there.totals(rules) == here.totals(rules)[::-1]
    winner = here.winner(rules)
    assert there.winner(rules) == (None if winner is None else 1 - winner)
    assert there.dealer == 1 - here.dealer
