"""Hands played by the kernel and by the engine side by side, compared at each decision and at the end.

``PYTHONPATH=tests python -m support.kernel.games HANDS`` compares that many hands of each player under each variant of the rules,
and prints what happened as JSON.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from msgspec import Struct, json
from numpy.typing import NDArray

from arena.gin.actions import LAY_OFF, OVER, IllegalActionError, Kind, LayOff, Phase
from arena.gin.cards import Cards, bits, each
from arena.gin.deal import Deal
from arena.gin.match import Hand, Scoreline
from arena.gin.melds import arrange, best_throws, deadwood, defend
from arena.gin.moves import lay
from arena.gin.rules import Rules
from arena.gin.rulesets import FiftiethCard, UnderTen
from arena.gin.score import HandResult
from arena.gin.seeing import see
from arena.gin.view import View
from arena.plugins import builtin
from arena.train.decks import arena_decks
from arena.train.engine import action_of, hand_of, look_at
from arena.train.hands import Hands
from arena.train.native import BIG_GIN, DRAW, KNOCK, PASS, TAKE

NOWHERE = Scoreline()
PHASES = list(Phase)
NUMBERS: dict[Kind, int] = {"pass": PASS, "take": TAKE, "draw": DRAW, "big_gin": BIG_GIN}

VARIANTS: dict[str, Rules] = {ruleset().name: ruleset() for ruleset in builtin.arena_rulesets()}
VARIANTS |= {
    "eleven": UnderTen(first_turn="eleven", knock_limit=10, big_gin_bonus=31),
    "spades double": Rules(knock_limit="upcard", ace="one", double="spades"),
    "last take with big gin": FiftiethCard(big_gin_bonus=50, return_taken=False, knock_limit=15),
    "two-ended": Rules(stock="two-ended", next_dealer="winner", max_takes=3),
    "only gin": UnderTen(knock_limit=0, layoff_on_gin=True, stock_out="dead", big_gin_bonus=0),
    "always": UnderTen(knock_limit=100, first_turn="draw", tie="undercut", tie_bonus=0, undercut_bonus=0, max_takes=1),
}


class DifferenceError(AssertionError):
    """The kernel and the engine do not agree."""


class Players(Struct, frozen=True):
    """How the rows of one comparison are played."""

    name: str
    greedy: float  # the share of decisions by greedy; the others are uniform among the legal actions
    knocks: float = 1.0  # the share of greedy's knocks that are carried out


PLAYERS = (Players("random", 0.0), Players("greedy", 1.0), Players("mixed", 0.85, knocks=0.2), Players("patient", 1.0, knocks=0.0))


def differences(rules: Rules, players: Players, count: int, seed: int = 0, refusals: float = 0.05) -> Counter[str]:
    """Compare ``count`` hands, and return how often each ending, decision and refusal occurred. Raises: DifferenceError."""
    seen: Counter[str] = Counter()
    chance = np.random.default_rng(seed)
    decks, dealers = arena_decks(f"kernel {seed}", players.name, count)
    hands = Hands(count, rules, autoreset=False)
    hands.reset(seed)
    hands.deal(decks, dealers)
    engine = [Hand.start(Deal(tuple(deck.tolist()), int(dealer)), rules) for deck, dealer in zip(decks, dealers, strict=True)]
    while any(hand.phase is not OVER for hand in engine):
        hands.look()
        observed, masks = hands.bits.copy(), hands.mask.copy()
        playing = [row for row, hand in enumerate(engine) if hand.phase is not OVER]
        for row in playing:
            _same_state(hand_of(hands.states[row], rules), engine[row])
            _same_sight(observed[row], masks[row], engine[row])
        actions = _choose(hands, masks, engine, players, chance)
        for row in playing:
            if chance.random() < refusals:
                _refused_by_both(hands, actions, masks, engine, row, chance)
                seen["refusals"] += 1
        rewards, done = hands.step(actions)
        for row in playing:
            engine[row] = _after(engine[row], int(actions[row]))
            seen["decisions"] += 1
            if bool(done[row]) != (engine[row].phase is OVER):
                raise DifferenceError(f"row {row}: over in one of both")
            if done[row]:
                seen[_same_end(hands.states[row], rewards[row], engine[row])] += 1
    return seen


def _after(hand: Hand, number: int) -> Hand:
    after = hand.play(action_of(number))
    return after.play(LayOff()) if after.phase is LAY_OFF else after


def _same_state(kernel: Hand, hand: Hand) -> None:
    if kernel != hand:
        raise DifferenceError(f"{kernel}\n{hand}")


def _same_sight(observed: NDArray[np.int64], mask: NDArray[np.uint8], hand: Hand) -> None:
    view = see(hand, NOWHERE)
    if mask.nonzero()[0].tolist() != sorted(legal(view)):
        raise DifferenceError(f"{mask.nonzero()[0]} are legal in the kernel, {sorted(legal(view))} in the engine: {view}")
    expected = [view.cards, bits(view.pile), view.opponent_holds, *view.took, *view.threw, packed(view, hand)]
    if observed.tolist() != expected:
        raise DifferenceError(f"{observed} instead of {expected}: {view}")
    seen, legal_seen = look_at(view)
    if not np.array_equal(seen[0], observed) or not np.array_equal(legal_seen[0], mask):
        raise DifferenceError(f"{seen} where a bot is asked, {observed} in training: {view}")


def legal(view: View) -> Iterator[int]:
    """Yield the numbers of the actions that a view allows."""
    for kind in view.may:
        if kind == "discard":
            yield from each(view.may_discard)
        elif kind == "knock":
            yield from (KNOCK + card for card in each(view.may_knock))
        else:
            yield NUMBERS[kind]


def packed(view: View, hand: Hand) -> int:
    """Return the last column of an observation, as README.md of the package describes it."""
    upcard = view.upcard + 1 if view.pile else 0
    drawn = 0 if view.drawn is None else view.drawn + 1
    parts = [(4, PHASES.index(view.phase)), (6, upcard), (6, drawn), (1, hand.taken), (6, view.stock), (1, view.dealer)]
    parts += [(7, view.knock_limit), (7, view.multiplier)]
    total = start = 0
    for width, value in parts:
        total |= int(value) << start
        start += width
    return total


def _choose(
    hands: Hands, masks: NDArray[np.uint8], engine: list[Hand], players: Players, chance: np.random.Generator
) -> NDArray[np.int32]:
    actions = hands.choose("greedy")
    for row, hand in enumerate(engine):
        if hand.phase is OVER:
            continue
        if actions[row] not in greedy(see(hand, NOWHERE)):
            raise DifferenceError(f"row {row}: action {actions[row]} is not greedy's: {see(hand, NOWHERE)}")
        may = masks[row].nonzero()[0]
        put_off = may[may < KNOCK]
        if chance.random() >= players.greedy:
            actions[row] = chance.choice(may)
        elif KNOCK <= actions[row] < PASS and len(put_off) and chance.random() >= players.knocks:
            least = best_throws(hand.cards[hand.seat], bits(put_off.tolist()))[1]
            actions[row] = chance.choice(list(each(least)))
    return actions


def greedy(view: View) -> set[int]:
    """Return the numbers of the actions among which ``bots/greedy.py`` chooses."""
    if "big_gin" in view.may:
        return {BIG_GIN}
    if view.phase in (Phase.DISCARD, Phase.LAST_KNOCK):
        _, best = best_throws(view.cards, view.may_discard)
        return {card + KNOCK * ("knock" in view.may) for card in each(best)}
    if "take" not in view.may:
        return {NUMBERS[view.may[0]]}
    wants = view.phase is Phase.LAST_TAKE or deadwood(view.cards | 1 << view.upcard) <= deadwood(view.cards)
    return {TAKE if wants else DRAW if "draw" in view.may else PASS}


def _refused_by_both(
    hands: Hands, actions: NDArray[np.int32], masks: NDArray[np.uint8], engine: list[Hand], row: int, chance: np.random.Generator
) -> None:
    """Play an action that the mask forbids: each must refuse it, for the same reason, and change nothing."""
    wrong = actions.copy()
    wrong[row] = chance.choice(np.flatnonzero(masks[row] == 0))
    before = hands.states.copy()
    reason = refusal(lambda: engine[row].play(action_of(int(wrong[row]))))
    found = refusal(lambda: hands.step(wrong))
    if reason is None or found is None or not found.startswith(f"row {row}, ") or not found.endswith(reason):
        raise DifferenceError(f"refused with {found!r}, by the engine with {reason!r}")
    if not (hands.states == before).all():
        raise DifferenceError(f"row {row}: a refused action changed something")


def refusal(play: Callable[[], object]) -> str | None:
    """Return why an action is illegal, or None if it is not."""
    try:
        play()
    except IllegalActionError as error:
        return str(error)
    return None


def _same_end(state: Any, rewards: NDArray[np.float32], hand: Hand) -> str:
    result = hand.result
    assert result is not None
    ended = hand_of(state, hand.rules)
    if (ended.result, ended.cards) != (result, hand.cards) or rewards.tolist() != _rewards(result):
        raise DifferenceError(f"{ended.result}, {rewards} instead of {result}")
    return result.ending.value


def _rewards(result: HandResult) -> list[float]:
    signs = {None: (0, 0), 0: (1, -1), 1: (-1, 1)}[result.winner]
    return [float(sign * result.points) for sign in signs]


def kept(caller: Cards, defender: Cards) -> int:
    """Return the points that the engine leaves a defender after its lay-offs on what a caller lays."""
    return lay(defender, *defend(defender, arrange(caller))).deadwood


def everything(count: int, seed: int = 0) -> dict[str, dict[str, int]]:
    """Compare ``count`` hands of each player under each variant, and return what happened in each. Raises: DifferenceError."""
    return {
        f"{name}, {players.name}": dict(differences(rules, players, count, seed + number))
        for number, (name, rules) in enumerate(VARIANTS.items())
        for players in PLAYERS
    }


if __name__ == "__main__":
    sys.stdout.buffer.write(json.encode({"compiled": Hands.compiled, "seen": everything(int(sys.argv[1]))}) + b"\n")
