"""Every bot of the ladder plays legally under every ruleset, and plays its golden hand."""

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from support.hands.builders import FIRST, RULESETS
from support.hands.by_chance import play_out

from arena.gin.actions import Action, write_actions
from arena.gin.cards import text
from arena.gin.deal import Deal
from arena.gin.match import Hand
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.sdk import Bot
from arena.train import search
from arena_bots import monte_carlo, searcher
from arena_bots.common.lookahead import Lookahead

MAKERS: dict[str, Callable[[str], Bot]] = {
    point.name: point.load()
    for point in entry_points(group="arena.bots")
    if point.value.startswith("arena_bots.") and ":" in point.value and not point.extras  # guests have separate tests
}
RANDOMIZED = {
    "diluted",
    "greedy",
    "monte-carlo",
    "random-kind",
    "random-legal",
    "reader",
    "searcher",
}  # the other bots depend only on the view
every_bot = pytest.mark.parametrize("name", sorted(MAKERS))
every_ruleset = pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)


# each bot with each ruleset; the default tests have two rulesets for a bot, and all of them among the bots
every_pairing = pytest.mark.parametrize(
    ("name", "rules"),
    [
        pytest.param(name, rules, id=f"{kind}-{name}", marks=[] if (column - row) % 8 == 0 else pytest.mark.nightly)
        for row, name in enumerate(sorted(MAKERS))
        for column, (kind, rules) in enumerate(RULESETS.items())
    ],
)


def play(bots: tuple[Bot, Bot], deal: Deal, rules: Rules) -> tuple[Hand, tuple[Action, ...]]:
    """Return the finished hand of two bots, and their actions."""
    hand, actions = Hand.start(deal, rules), []
    while hand.result is None:
        actions.append(bots[hand.seat].answer(see(hand, FIRST)))
        hand = hand.play(actions[-1])
    return hand, tuple(actions)


def play_hands(name: str, rules: Rules, numbers: range) -> None:
    """Play a bot alternately against one that knocks at once and one that plays until the stock is out."""
    for number in numbers:
        other = MAKERS["greedy" if number % 2 else "random-legal"]("other")
        both = MAKERS[name]("seed"), other
        play(both if number % 4 < 2 else (other, both[0]), Deal(shuffle(f"ladder {number}"), number // 2 % 2), rules)


@pytest.fixture
def _few_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let bots that sample worlds use few of them, to save time; the number does not affect legality."""
    monkeypatch.setattr(monte_carlo, "WORLDS", 2)
    monkeypatch.setattr(searcher, "Lookahead", lambda: Lookahead(worlds=4))


@pytest.mark.usefixtures("_few_worlds")
@every_pairing
def test_a_bot_plays_hands_to_their_end_under_every_ruleset(name: str, rules: Rules) -> None:
    play_hands(name, rules, range(4))


@pytest.mark.slow
@pytest.mark.nightly  # other hands of what the test above plays
@pytest.mark.usefixtures("_few_worlds")
@every_ruleset
@every_bot
def test_a_bot_plays_more_hands_to_their_end_under_every_ruleset(name: str, rules: Rules) -> None:
    play_hands(name, rules, range(100, 160))


@pytest.mark.usefixtures("_few_worlds")
@every_pairing
def test_a_bot_has_a_legal_answer_in_hands_that_others_play(name: str, rules: Rules) -> None:
    for number in range(3):
        for hand in play_out(Deal(shuffle(f"led {number}"), number & 1), rules, number)[0][:-1:3]:
            hand.play(MAKERS[name]("seed").answer(see(hand, FIRST)))


@every_bot
def test_a_bot_plays_its_golden_hand(name: str, golden: Callable[[str, str], None]) -> None:
    if name == "searcher" and not search.compiled:
        pytest.skip("without the compiled kernel it plays as professor")
    deal = Deal(shuffle("golden bots"), 1)
    hand, actions = play((MAKERS[name]("golden"), MAKERS["greedy"]("golden")), deal, Rules())
    assert hand.result is not None
    lines = [
        f"seat 0: {name}, dealt {text(Hand.start(deal, Rules()).cards[0])}",
        f"seat 1: greedy, dealt {text(Hand.start(deal, Rules()).cards[1])}",
        f"actions: {write_actions(actions)}",
        f"result: {hand.result.ending}, winner {hand.result.winner}, {hand.result.points} points",
    ]
    golden(f"bots/{name}.txt", "\n".join([*lines, ""]))


@pytest.mark.parametrize("name", sorted(MAKERS.keys() - RANDOMIZED))
def test_a_bot_without_random_numbers_needs_only_the_view(name: str) -> None:
    bot = MAKERS[name]("seed")
    hand = Hand.start(Deal(shuffle("stateless"), 0), Rules())
    while hand.result is None:
        view = see(hand, FIRST)
        action = bot.answer(view)
        assert MAKERS[name]("another").answer(view) == action
        hand = hand.play(action)


@pytest.mark.usefixtures("_few_worlds")
@every_bot
def test_the_same_seed_plays_the_same_hands(name: str) -> None:
    deals = [Deal(shuffle(f"again {number}"), number & 1) for number in range(2)]
    once, again = ([play((MAKERS[name]("seed"), MAKERS["greedy"]("seed")), deal, Rules())[1] for deal in deals] for _ in range(2))
    assert once == again


def test_every_bot_of_the_folder_has_an_entry_point() -> None:
    folder = Path(monte_carlo.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "tutorial"}  # the bots of a page are not listed
    assert {point.value.split(":")[0].rpartition(".")[2] for point in entry_points(group="arena.bots")} >= files
