import pytest
from support.hands.builders import RULESETS

from arena.gin.deal import Deals
from arena.gin.match import Batch, Match, Scoreline
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult, dead

DEALS = Deals("seed", "a-b/0")


def won(winner: int, points: int) -> HandResult:
    """Return the result of a hand that was won by a knock."""
    return HandResult(Ending.KNOCK, winner, points, (0, 0))


@pytest.mark.rule("R2.2")
def test_the_deals_give_the_first_dealer_and_the_games_alternate_it() -> None:
    match = Match.start(Rules(target=10), DEALS)
    dealers = []
    for winner in (0, 1, 0, 1):
        dealers.append(match.deal().dealer)
        match = match.add(won(winner, 10))
    first = DEALS.first_dealer()
    assert dealers == [first, 1 - first, first, 1 - first]


@pytest.mark.rule("R2.2")
@pytest.mark.parametrize("winner", [0, 1])
def test_the_first_dealer_of_a_game_does_not_depend_on_who_won_or_dealt_last(winner: int) -> None:
    match = Match.start(Rules(target=10, next_dealer="loser"), DEALS).add(won(winner, 5)).add(won(winner, 5))
    assert match.standing.game == 1
    assert match.deal().dealer == 1 - DEALS.first_dealer()


@pytest.mark.rule("R2.3")
def test_the_deal_passes_after_every_hand_dead_hands_included() -> None:
    match = Match.start(Rules(), DEALS)
    dealers = []
    for result in (won(0, 5), dead((1, 2)), won(0, 5), won(1, 5)):
        dealers.append(match.deal().dealer)
        match = match.add(result)
    first = DEALS.first_dealer()
    assert dealers == [first, 1 - first, first, 1 - first]


@pytest.mark.rule("R9.2")
def test_the_first_to_three_games_wins_the_best_of_five() -> None:
    match = Match.start(Rules(best_of=5), DEALS)
    for winner in (0, 1, 1, 0):
        match = match.add(won(winner, 250))
        assert (match.winner, match.over) == (None, False)
    match = match.add(won(1, 250))
    assert (match.winner, match.over, match.won) == (1, True, (2, 3))
    assert [game.totals for game in match.games] == [(250, 0), (0, 250), (0, 250), (250, 0), (0, 250)]


@pytest.mark.rule("R9.2")
@pytest.mark.parametrize(
    "rules", [rules for rules in RULESETS.values() if rules.name != "tournament"], ids=lambda rules: rules.name
)
def test_every_other_ruleset_is_one_game(rules: Rules) -> None:
    match = Match.start(rules, DEALS)
    for _ in range(3 if rules.hollywood else 1):
        assert match.winner is None
        match = match.add(won(1, rules.target))
    assert match.winner == 1


def test_a_scoreline_counts_games_and_hands_from_zero_and_shows_the_current_game() -> None:
    match = Match.start(Rules(target=20), DEALS)
    for result in (won(0, 20), won(1, 7), dead((3, 4))):
        match = match.add(result)
    assert match.standing == Scoreline(game=1, hand=2, score=(0, 7), games=(1, 0))


def test_every_hand_of_a_match_has_the_deck_of_its_game_and_number() -> None:
    match = Match.start(Rules(target=20), DEALS)
    decks = []
    for result in (won(0, 5), won(0, 15), won(1, 5)):
        decks.append(match.deal().deck)
        match = match.add(result)
    assert decks == [DEALS.deck(0, 0), DEALS.deck(0, 1), DEALS.deck(1, 0)]


def test_the_deals_of_a_match_do_not_depend_on_who_won() -> None:
    one = Match.start(Rules(), DEALS).add(won(0, 20)).add(dead((1, 1)))
    other = Match.start(Rules(), DEALS).add(won(1, 90)).add(won(0, 3))
    assert (one.deal().deck, one.deal().dealer) == (other.deal().deck, other.deal().dealer)
    assert (one.deal().before, other.deal().before) == (one.standing, other.standing)


def test_a_batch_deals_its_hands_at_0_0_and_the_deal_passes() -> None:
    batch = Batch(Rules(), DEALS, hands=3)
    seen = []
    while not batch.over:
        seen.append((batch.standing, batch.deal()))
        batch = batch.add(won(0, 50))
    first = DEALS.first_dealer()
    assert [standing for standing, _ in seen] == [Scoreline(n) for n in range(3)]
    assert [deal.dealer for _, deal in seen] == [first, 1 - first, first]
    assert [deal.deck for _, deal in seen] == [DEALS.deck(n, 0) for n in range(3)]


@pytest.mark.rule("R2.3")
def test_both_legs_of_a_pair_have_the_same_deals() -> None:
    assert Match.start(Rules(), Deals("seed", "a-b/0")).deal() == Match.start(Rules(), DEALS).deal()


@pytest.mark.rule("R9.5")
@pytest.mark.parametrize(
    ("hands", "winner"),
    [
        ([won(0, 250), won(1, 250), won(1, 250), won(0, 10)], 1),  # two games to one
        ([won(0, 250), won(1, 250), won(1, 30), won(0, 31)], 0),  # a game each, and a point ahead in the third
        ([won(0, 250), won(1, 250), won(1, 30), won(0, 30)], None),  # equal
    ],
)
def test_a_match_is_over_after_max_hands(hands: list[HandResult], winner: int | None) -> None:
    match = Match.start(Rules(best_of=5, max_hands=4), DEALS)
    for result in hands:
        assert not match.over
        match = match.add(result)
    assert (match.over, match.winner) == (True, winner)


def test_hands_of_a_batch_can_begin_at_scores_that_anyone_can_recompute() -> None:
    batch, scores = Batch(Rules(), DEALS, hands=200, scored=True), []
    while not batch.over:
        scores.append(batch.standing.score)
        batch = batch.add(HandResult(Ending.DEAD, None, 0, (0, 0)))
    assert scores == [DEALS.score(number, Rules().target) for number in range(200)]
    assert all(0 <= mine < 250 for score in scores for mine in score)
    assert 100 < sum(score[0] for score in scores) / 200 < 150
