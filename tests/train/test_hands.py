"""Many hands at once: seeds, decks, branches, opponents, and what is refused before it reaches the kernel."""

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.gin.actions import IllegalActionError, LayOff
from arena.gin.deal import Deals
from arena.gin.match import Hand, Phase, Scoreline
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.train import action_of, arena_decks, native, planes, scalars
from arena.train.engine import hand_of, number_of
from arena.train.hands import SLOW, Hands

Array = NDArray[Any]


def moves(hands: Hands, count: int) -> Array:
    """Return the cards held before each of some steps of greedy."""
    held = []
    for _ in range(count):
        held.append(hands.look()[0][:, 0].copy())
        hands.step(hands.choose("greedy"))
    together: Array = np.array(held)
    return together


def legal(bits: Array, mask: Array) -> Array:
    """Return the first legal action of each row."""
    assert len(bits) == len(mask)
    first: Array = np.argmax(mask, axis=1)
    return first


def test_a_seed_gives_the_same_hands_each_time_and_another_seed_gives_others() -> None:
    hands, others = Hands(3), Hands(3)
    hands.reset(7)
    first = moves(hands, 40)
    hands.reset(7)
    others.reset(8)
    assert np.array_equal(moves(hands, 40), first)
    assert not np.array_equal(moves(others, 40), first)


def test_the_decks_are_those_of_a_referee() -> None:
    decks, dealers = arena_decks("seed", "a/b", 4, game=1)
    deals = Deals("seed", "a/b")
    assert decks.tolist() == [list(deals.deck(1, hand)) for hand in range(4)]
    assert dealers.tolist() == [(deals.first_dealer(1) + hand) % 2 for hand in range(4)]
    hands = Hands(4)
    hands.deal(decks, dealers)
    assert [hand_of(state, hands.rules).deck for state in hands.states] == [tuple(deck) for deck in decks.tolist()]


def test_a_copy_of_rows_branches_and_leaves_the_rows_as_they_are() -> None:
    hands = Hands(4, Rules(knock_limit=5))
    hands.reset(1)
    moves(hands, 5)
    before = hands.states.copy()
    branch = Hands.of(hands.states[[2, 2, 0]], hands.rules, autoreset=False)
    rewards = branch.finish("random", "greedy")
    assert (branch.states["phase"] == native.OVER).all()
    assert (rewards.sum(axis=1) == 0).all()
    assert (hands.states == before).all()


def test_a_hand_that_ends_is_followed_by_another_and_shows_its_end() -> None:
    hands = Hands(8)
    hands.reset(2)
    ended = 0
    while ended < 8:
        rewards, done = hands.step(hands.choose("greedy"))
        for row in np.flatnonzero(done):
            ended += 1
            result = hand_of(hands.ended[row], hands.rules).result
            assert result
            assert sorted(rewards[row].tolist()) == [-result.points, result.points]
            assert hands.states[row]["phase"] == native.AT_UPCARD
            for seat in (0, 1):
                assert hands.final_obs(seat)[row, 0] == hands.ended[row]["held"][seat]
        assert not rewards[~done].any()


@pytest.mark.parametrize(("next_dealer", "passes"), [("alternate", True), ("loser", None), ("winner", None)])
def test_the_next_dealer_is_that_of_the_rules(next_dealer: Any, passes: bool | None) -> None:  # noqa: FBT001
    hands = Hands(20, Rules(next_dealer=next_dealer))
    hands.reset(3)
    before = hands.states["dealer"].copy()
    hands.finish("greedy", "random")
    winner = hands.ended["winner"]
    expected = {"alternate": 1 - before, "loser": 1 - winner, "winner": winner}[next_dealer]
    assert np.array_equal(hands.states["dealer"], np.where(winner < 0, 1 - before if passes else before, expected))


@pytest.mark.parametrize("learner", [0, 1])
@pytest.mark.parametrize("opponent", ["greedy", "random", legal])
def test_an_opponent_in_the_loop_leaves_each_row_to_the_learner(opponent: Any, learner: int) -> None:
    hands = Hands(6, opponent=opponent, learner=learner)
    hands.reset(4)
    ended = 0
    for _ in range(130):
        assert (hands.states["seat"] == learner).all()
        assert (hands.states["phase"] != native.OVER).all()
        _, done = hands.step(legal(*hands.look()))
        ended += int(done.sum())
    assert ended


@pytest.mark.parametrize("opponent", ["greedy", "random", legal])
def test_an_opponent_acts_in_rows_that_are_put_and_in_hands_that_follow_finished_ones(opponent: Any) -> None:
    dealt = Hands(20)
    dealt.reset(5)
    assert set(dealt.states["seat"].tolist()) == {0, 1}
    hands = Hands.of(dealt.states, opponent=opponent)
    assert (hands.states["seat"] == 0).all()
    hands.finish("greedy", "greedy")
    assert (hands.states["seat"] == 0).all()


def test_rows_that_are_not_put_stay_as_they_are() -> None:
    dealt = Hands(20)
    dealt.reset(5)
    states = dealt.states[dealt.states["seat"] == 1]
    hands = Hands(2, opponent="random")
    before = hands.states.copy()
    hands.put([0], states[:1])
    assert hands.states[0] != before[0]
    assert hands.states[1] == before[1]


@pytest.mark.parametrize("autoreset", [False, True])
def test_the_points_of_a_hand_that_is_put_and_that_the_opponent_ends_are_in_rewards(*, autoreset: bool) -> None:
    played = Hands(200)
    played.reset(6)
    for _ in range(40):
        played.step(played.choose("greedy"))
    hands = Hands(200, opponent="greedy", autoreset=autoreset)
    hands.finish("greedy", "greedy")
    states = played.states[(played.states["seat"] == 1) & (played.states["phase"] != native.OVER)]
    rows = np.arange(len(states))
    hands.put(rows, states)
    assert hands.done[len(states) :].all()
    assert not hands.rewards[rows][~hands.done[rows]].any()
    ended = rows[hands.done[rows]]
    assert 0 < len(ended) < len(states)
    assert np.array_equal(hands.rewards[ended, 0], -hands.rewards[ended, 1])
    assert (hands.ended["deck"][ended] == states["deck"][ended]).all()


def test_a_function_gets_what_the_other_seat_sees_of_the_rows_in_which_it_is_to_act() -> None:
    asked: list[tuple[Array, Array]] = []

    def remember(bits: Array, mask: Array) -> Array:
        asked.append((bits, mask))
        return legal(bits, mask)

    hands = Hands(5, opponent=remember, learner=1, autoreset=False)
    asked.clear()
    hands.deal(arena_decks("s", "k", 5)[0], [1] * 5)  # the learner deals, so the other seat does not
    while not hands.done.all():
        before = hands.done.copy()
        rewards, done = hands.step(legal(*hands.look()))
        assert not rewards[before].any()
        assert (done >= before).all()
        assert (scalars(hands.look()[0][~done]).dealer == 1).all()
    assert asked
    assert all((scalars(bits).dealer == 0).all() and mask.any(axis=1).all() for bits, mask in asked)


def test_a_wrong_action_of_a_function_is_refused() -> None:
    with pytest.raises(IllegalActionError, match=r"row \d, action 106: draw in phase upcard \(R3.4\)"):
        Hands(8, opponent=lambda bits, _: np.full(len(bits), native.DRAW)).reset(1)
    with pytest.raises(ValueError, match=r"^opponent's actions: row 0: 108; expected 0 to 107$"):
        Hands(8, opponent=lambda bits, _: np.full(len(bits), 108)).reset(1)


def test_a_hand_over_is_left_alone_without_autoreset() -> None:
    hands = Hands(2, autoreset=False)
    hands.reset(5)
    hands.finish("greedy", "greedy")
    before = hands.states.copy()
    rewards, done = hands.step([0, 107])
    assert done.all()
    assert not rewards.any()
    assert (hands.states == before).all()
    assert not hands.look()[1].any()


@pytest.mark.rule("R4.1")
def test_an_illegal_action_is_refused_with_its_row_and_no_action_is_played() -> None:
    hands = Hands(3)
    hands.reset(6)
    before = hands.states.copy()
    expected = re.escape("row 1, action 106: draw in phase upcard (R3.4)")
    with pytest.raises(IllegalActionError, match=expected):
        hands.step([native.PASS, native.DRAW, native.PASS])
    assert (hands.states == before).all()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([104, 104], "actions: shape (2,); expected (3,)"),
        ([[104], [104], [104]], "actions: shape (3, 1); expected (3,)"),
        ([104, 104, 108], "actions: row 2: 108; expected 0 to 107"),
        ([104, -1, 104], "actions: row 1: -1; expected 0 to 107"),
        ([104, 104, 2**40], "actions: row 2: 1099511627776; expected 0 to 107"),
        ([104.0, 104.0, 104.0], "actions: dtype float64; expected whole numbers"),
        (["a", "b", "c"], "actions: dtype <U1; expected whole numbers"),
    ],
)
def test_actions_that_are_none_are_refused(actions: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Hands(3).step(actions)


def test_an_array_of_any_layout_is_read_by_its_values() -> None:
    hands, same = Hands(4), Hands(4)
    hands.reset(9)
    same.reset(9)
    actions = hands.choose("greedy")
    same.choose("greedy")
    hands.step(actions)
    same.step(np.repeat(actions.astype(">u8"), 2)[::2])
    assert (hands.states == same.states).all()


def test_decks_and_dealers_that_are_none_are_refused() -> None:
    hands = Hands(2)
    decks, dealers = arena_decks("s", "k", 2)
    twice = decks.copy()
    twice[1, 5] = twice[1, 6]
    for wrong in (twice, decks[:1], decks + np.uint8(1), decks.astype(float)):
        with pytest.raises(ValueError, match=r"^decks: "):
            hands.deal(wrong, dealers)
    with pytest.raises(ValueError, match=r"^dealers: row 0: 2; expected 0 to 1"):
        hands.deal(decks, [2, 0])


SPOILED: list[tuple[str, Any]] = [
    ("phase", native.OVER - 1),
    ("phase", native.AT_LAST_KNOCK),
    ("phase", 9),
    ("seat", 2),
    ("dealer", -1),
    ("top", 20),
    ("top", 30),
    ("bottom", 60),
    ("bottom", 23),
    ("pile_count", 0),
    ("pile_count", 200),
    ("drawn", 3),
    ("drawn", 77),
    ("held", (0, 0)),
    ("held", (2**63, 2**63)),
    ("piled", 0),
    ("deck", 0),
    ("pile", 255),
    ("winner", 5),
    ("takes", -4),
    ("passes", 2),
]


@pytest.mark.parametrize(("field", "value"), SPOILED)
def test_a_state_that_no_hand_can_have_is_refused(field: str, value: Any) -> None:
    hands = Hands(2)
    hands.reset(1)
    wrong = hands.states.copy()
    wrong[field][1] = value
    with pytest.raises(ValueError, match=r"^states.*row 1: "):
        hands.put([0, 1], wrong)
    with pytest.raises(ValueError, match=r"^states"):
        Hands.of(wrong)


def test_every_state_of_a_hand_is_accepted() -> None:
    hands = Hands(4, Rules(stock_out="last_take", return_taken=True), autoreset=False)
    hands.reset(1)
    while not hands.done.all():
        again = Hands.of(hands.states, hands.rules, autoreset=False)
        assert np.array_equal(again.look()[1], hands.look()[1])
        hands.step(hands.choose("random"))


def test_states_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Hands(1).states["phase"] = 0


RULES = "expected a Rules of arena.gin.rules, or the name of a ruleset: tournament, standard, points-list, summary, boxes, "
RULES += "under-ten, classic, fiftieth-card, oklahoma, hollywood, straight"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "size: 0; expected at least 1"),
        ({"size": 1, "learner": 2}, "learner: 2; expected 0 or 1"),
        ({"size": 2.0}, "size: 2.0; expected a whole number, at least 1"),
        ({"size": 1, "learner": "0"}, "learner: '0'; expected a whole number, 0 or 1"),
        ({"size": 1, "rules": {"gin_bonus": 20}}, f"rules: {{'gin_bonus': 20}}; {RULES}"),
        ({"size": 1, "rules": "oklahom"}, f"rules: 'oklahom'; {RULES}"),
    ],
)
def test_hands_that_cannot_be_made_are_refused(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Hands(**options)


@pytest.mark.parametrize("seat", [2, -1, 10**6, "0", 1.0])
def test_a_seat_that_does_not_exist_has_no_last_observation(seat: Any) -> None:
    with pytest.raises(ValueError, match=rf"^seat: {re.escape(repr(seat))}; expected .*0 or 1$"):
        Hands(2).final_obs(seat)


@pytest.mark.parametrize("seed", ["one", -1, 2.5, [1, -1]])
def test_a_seed_that_cannot_be_used_is_one_line_and_deals_nothing(seed: Any) -> None:
    hands = Hands(2)
    before = hands.states.copy()
    with pytest.raises(ValueError, match=rf"^seed: {re.escape(repr(seed))}; expected a whole number, at least 0, or several$"):
        hands.reset(seed)
    assert (hands.states == before).all()


@pytest.mark.parametrize("number", [-1, 108, 2**70])
def test_a_number_that_no_action_has_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"^action: {number}; expected 0 to 107$"):
        action_of(number)
    with pytest.raises(ValueError, match=r"^action: LayOff\(.*\); expected one with a number, which lay-offs have not$"):
        number_of(LayOff())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([3], "rows: row 0: 3; expected 0 to 2"),
        ([True, False], "rows: a mask of shape (2,); expected (3,)"),
        ([[0]], "rows: shape (1, 1); expected (1,)"),
        ([0.5], "rows: dtype float64; expected whole numbers"),
    ],
)
def test_rows_that_do_not_exist_are_refused(rows: Any, message: str) -> None:
    hands = Hands(3)
    for call in (lambda: hands.reset(1, rows), lambda: hands.put(rows, hands.states[:1]), lambda: hands.step([0], rows)):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            call()


@pytest.mark.parametrize("rows", [[2, 0], [True, False, True]])
def test_a_step_of_some_rows_leaves_the_others_alone(rows: Any) -> None:
    hands, same = Hands(3, opponent="random"), Hands(3, opponent="random")
    hands.reset(2)
    same.reset(2)
    chosen = hands.choose("random")[rows].copy()
    same.choose("random")
    hands.step(chosen, rows)
    before = same.states[1].copy()
    assert hands.states[1] == before
    hands.step(hands.choose("random")[[1]], [1])
    assert hands.states[1] != before


def test_no_action_for_no_row_is_a_step_without_a_result() -> None:
    hands = Hands(2)
    before = hands.states.copy()
    _, done = hands.step([], [])
    assert not done.any()
    assert (hands.states == before).all()


def test_a_player_that_the_kernel_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^player: 'scholar'; expected 'random' or 'greedy'$"):
        Hands(1).choose("scholar")


def test_an_interpreted_kernel_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hands, "compiled", False)
    with pytest.warns(RuntimeWarning, match=re.escape(SLOW)):
        Hands(1)


@pytest.mark.parametrize("show", [planes, scalars])
def test_the_observation_of_one_row_alone_is_refused_in_one_line(show: Any) -> None:
    with pytest.raises(ValueError, match=r"^bits: shape \(8,\); expected those of hands, \(n, 8\)$"):
        show(Hands(2).look()[0][0])


def test_planes_and_scalars_show_what_is_in_an_observation() -> None:
    hands = Hands(5, Rules(knock_limit="upcard", double="spades"))
    hands.reset(3)
    moves(hands, 12)
    bits, _ = hands.look()
    shown, parts = planes(bits), scalars(bits)
    assert shown.shape == (5, 10, 52)
    for row, state in enumerate(hands.states):
        hand: Hand = hand_of(state, hands.rules)
        view = see(hand, Scoreline())
        for plane, cards in enumerate(
            (view.cards, sum(1 << card for card in view.pile), view.opponent_holds, *view.took, *view.threw)
        ):
            assert sum(1 << int(card) for card in shown[row, plane].nonzero()[0]) == cards
        assert shown[row, 7].nonzero()[0].tolist() == [view.upcard]
        assert (list(Phase)[parts.phase[row]], parts.upcard[row], parts.stock[row]) == (view.phase, view.upcard, view.stock)
        assert (parts.drawn[row], parts.dealer[row]) == (-1 if view.drawn is None else view.drawn, view.dealer)
        assert parts.taken[row] == hand.taken
        assert (parts.knock_limit[row], parts.multiplier[row]) == (view.knock_limit, view.multiplier)
        assert (shown[row, 8].sum(), shown[row, 9].sum()) == (view.knock_limit, view.multiplier - 1)
