"""What a seat could have done at a decision, and where each alternative leads in sampled worlds."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import DISCARD, DRAW, LAST_KNOCK, LAST_TAKE, UPCARD, Action, BigGin, Discard, Draw, Knock, Pass, Take
from arena.gin.cards import Card, Cards, Melds, bits
from arena.gin.melds import arrange, points, union
from arena.gin.view import View
from arena.review import rollouts
from arena.review.own_play import least_left, ordered_throws, own_action
from arena.review.rollouts import FREE, LAST_UPCARD, MUST_DRAW, MUST_TAKE, NONE, Starts
from arena.review.vectors import Endings, Ints
from arena.review.walking import HandStep
from arena.review.worlds import Worlds

THROWS = 6  # discards that are considered, best first by the policy; the chosen one is always
Group = Literal["draw", "throw", "end"]


class Alternative(Struct, frozen=True):
    """An action with its outcome: hands to play, or points that are known at once."""

    action: Action
    group: Group
    starts: Callable[[Worlds], Starts] | None = None
    ends: Callable[[Ints], Ints] | None = None  # from the other seat's hands to points


class Choice(Struct, frozen=True):
    """A decision with its alternatives."""

    step: HandStep
    alternatives: tuple[Alternative, ...]
    chosen: int  # number of the one that was taken
    own: int  # number of the one that the policy of the rollouts takes

    def of(self, group: Group) -> list[int]:
        """Return the numbers of the alternatives of a group."""
        return [number for number, one in enumerate(self.alternatives) if one.group == group]

    def own_throw(self) -> int:
        """Return the number of the throw that the policy prefers, whether or not it throws."""
        return self.of("throw")[0]

    def compared_numbers(self) -> set[int]:
        """Return the numbers of the alternatives between which the parts of an error lie."""
        throws = {self.own_throw()} if self.alternatives[self.chosen].group == "throw" else set()
        laid = self.same_knock()
        return {self.chosen, self.own} | throws | (set() if laid is None else {laid})

    def same_knock(self) -> int | None:
        """Return the number of the chosen knock with the melds that the referee would lay; None if it is not another."""
        action = self.alternatives[self.chosen].action
        if not isinstance(action, Knock) or action.melds is None:
            return None
        return next((number for number, one in enumerate(self.alternatives) if one.action == Knock(action.card)), None)


def choice(step: HandStep, endings: Endings) -> Choice | None:
    """Return the alternatives of a decision; None if there is only one action, or nothing hidden matters."""
    found = tuple(_ALTERNATIVES.get(step.hand.phase, _none)(step, endings))
    actions = [one.action for one in found]
    if len(found) < 2 or step.action not in actions:
        return None
    return Choice(step, found, actions.index(step.action), actions.index(own_action(step.view)))


def both(step: HandStep, other: Action, endings: Endings) -> Choice | None:
    """Return the choice between a step's action and another one; None: one of them is not among the alternatives."""
    old, new = (choice(replace(step, action=_without_melds(action)), endings) for action in (step.action, other))
    if old is None or new is None:
        return None
    return Choice(step, (old.alternatives[old.chosen], new.alternatives[new.chosen]), chosen=0, own=1)


def _without_melds(action: Action) -> Action:
    """Return big gin without its melds, which decide nothing."""
    return BigGin() if isinstance(action, BigGin) else action


def _none(_: HandStep, __: Endings) -> Iterator[Alternative]:
    yield from ()


def _upcard(step: HandStep, _: Endings) -> Iterator[Alternative]:
    after = MUST_DRAW if step.view.rules.after_two_passes == "stock" else FREE
    mode = after if step.hand.passes else LAST_UPCARD
    yield Alternative(Take(), "draw", lambda worlds: _mine(step, worlds, MUST_TAKE))
    yield Alternative(Pass(), "draw", lambda worlds: _theirs(step, worlds, step.view.cards, step.view.pile, mode))


def _draw(step: HandStep, _: Endings) -> Iterator[Alternative]:
    yield Alternative(Draw(), "draw", lambda worlds: _mine(step, worlds, MUST_DRAW))
    if "take" in step.view.may:
        yield Alternative(Take(), "draw", lambda worlds: _mine(step, worlds, MUST_TAKE))


def _last_take(step: HandStep, endings: Endings) -> Iterator[Alternative]:
    yield Alternative(Pass(), "draw", ends=np.zeros_like)
    if "take" in step.view.may:
        held = step.view.cards | 1 << step.view.upcard
        may = held if step.view.rules.return_taken else step.view.cards
        best = least_left(held, may)
        yield Alternative(Take(), "draw", ends=knock_ends(held & ~(1 << best), None, endings))


def _throw(step: HandStep, endings: Endings) -> Iterator[Alternative]:
    view = step.view
    if "discard" in view.may:
        yield from (_throw_alternative(step, card) for card in _throws(view, step.action))
    if "big_gin" in view.may:
        yield Alternative(BigGin(), "end", ends=endings.big_gin)
    if "knock" in view.may:
        for knock in _knocks(view, step.action):
            yield Alternative(knock, "end", ends=knock_ends(view.without(knock.card), knock.melds, endings))


def _knocks(view: View, action: Action) -> Iterable[Knock]:
    """Return the knock that leaves least, and the chosen one as it was declared and with the melds that the referee would lay."""
    chosen = (Knock(action.card), action) if isinstance(action, Knock) else ()
    return dict.fromkeys((Knock(least_left(view.cards, view.may_discard)), *chosen))


def _throw_alternative(step: HandStep, card: Card) -> Alternative:
    view = step.view
    rest, pile = view.without(card), (*view.pile, card)
    return Alternative(Discard(card), "throw", lambda worlds: _theirs(step, worlds, rest, pile, FREE, 1))


def _throws(view: View, action: Action) -> Sequence[Card]:
    """Return the throws to consider, the policy's first."""
    order = ordered_throws(view)
    chosen = [action.card] if isinstance(action, Discard) and action.card not in order[:THROWS] else []
    return [*order[:THROWS], *chosen]


def knock_ends(rest: Cards, melds: Melds | None, endings: Endings) -> Callable[[Ints], Ints]:
    """Return a function for the points of a knock with ten cards against each hand."""
    laid = arrange(rest) if melds is None else melds
    left = points(rest & ~union(laid))
    return lambda theirs: endings.knock_with(laid, left, theirs)


_ALTERNATIVES = {UPCARD: _upcard, DRAW: _draw, LAST_TAKE: _last_take, DISCARD: _throw, LAST_KNOCK: _throw}


# --- where hands begin


def _mine(step: HandStep, worlds: Worlds, mode: int) -> Starts:
    """Return hands in which the reviewed seat draws or takes."""
    view = step.view
    me = _Seat(view.cards, view.took[0] & view.cards, view.threw[0].bit_count())
    them = _Seat(worlds.theirs, view.opponent_holds, view.threw[1].bit_count())
    return _starts(step, worlds, (me, them), view.pile, mode, reviewed=True)


def _theirs(step: HandStep, worlds: Worlds, cards: Cards, pile: Sequence[Card], mode: int, finished: int = 0) -> Starts:
    """Return hands in which the other seat moves next, the reviewed seat holding ``cards``."""
    view = step.view
    me = _Seat(cards, view.took[0] & cards, view.threw[0].bit_count() + finished)
    them = _Seat(worlds.theirs, view.opponent_holds, view.threw[1].bit_count())
    return _starts(step, worlds, (them, me), pile, mode, reviewed=False)


class _Seat(Struct, frozen=True):
    """One seat of many hands."""

    cards: Ints | Cards
    known: Cards
    turns: int


def _starts(
    step: HandStep, worlds: Worlds, seats: tuple[_Seat, _Seat], pile: Sequence[Card], mode: int, *, reviewed: bool
) -> Starts:
    count = len(worlds.theirs)
    stock = np.zeros((count, rollouts.WIDTH), np.int64)
    stock[:, : worlds.stock.shape[1]] = worlds.stock
    mine, theirs = seats

    def all_of(value: Ints | int) -> Ints:
        return np.array(np.broadcast_to(np.asarray(value, np.int64), count))

    return Starts(
        mine=all_of(mine.cards),
        theirs=all_of(theirs.cards),
        mine_known=all_of(mine.known),
        theirs_known=all_of(theirs.known),
        dead=all_of(bits(pile)),
        upcard=all_of(pile[-1] if pile else NONE),
        mode=all_of(mode),
        reviewed=np.full(count, reviewed),
        mine_turns=all_of(mine.turns),
        theirs_turns=all_of(theirs.turns),
        takes=all_of(step.hand.takes),
        stock=stock,
        size=all_of(worlds.stock.shape[1]),
        chance=worlds.chance,
    )
