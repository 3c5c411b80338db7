"""The alternatives to a decision that a review tries."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import DISCARD, DRAW, LAST_KNOCK, LAST_TAKE, UPCARD, Action, BigGin, Discard, Draw, Knock, Pass, Phase, Take
from arena.gin.cards import Card, each
from arena.gin.melds import arrange, best_throws
from arena.gin.view import View
from arena.review.hand_walks import HandStep
from arena.review.rollouts import ordered_throws, own_actions

THROWS = 6  # discards that are tried: those that the policy likes best; the chosen one is always tried
Group = Literal["draw", "throw", "end"]


class Alternative(Struct, frozen=True):
    """An action that is tried."""

    action: Action
    group: Group
    is_declared: bool = False  # a knock with other melds than the referee would lay; the engine scores it, not the kernel


def alternative(view: View, action: Action, group: Group) -> Alternative:
    """Return an action as an alternative of a group."""
    melds = action.melds if isinstance(action, Knock) else None
    declared = isinstance(action, Knock) and melds is not None and {*melds} != {*arrange(view.without(action.card))}
    return Alternative(action, group, declared)


class Choice(Struct, frozen=True):
    """A decision with its alternatives."""

    step: HandStep
    alternatives: tuple[Alternative, ...]
    chosen: int  # number of the alternative that the seat chose
    reference: int  # number of the one to compare with: what the policy of the rollouts chooses, or ``other`` of ``both``

    def of(self, group: Group) -> list[int]:
        """Return the numbers of the alternatives of a group."""
        return [number for number, one in enumerate(self.alternatives) if one.group == group]

    def policy_throw(self) -> int:
        """Return the number of the throw that the policy prefers, whether or not it throws."""
        return self.of("throw")[0]

    def compared_numbers(self) -> set[int]:
        """Return the numbers of the alternatives that ``pricing`` compares, to split the error of the chosen one by kind."""
        throws = {self.policy_throw()} if self.alternatives[self.chosen].group == "throw" else set()
        laid = self.plain_knock()
        return {self.chosen, self.reference} | throws | (set() if laid is None else {laid})

    def plain_knock(self) -> int | None:
        """Return the number of the knock with the chosen card and no declared melds, which the referee then lays.

        None: the chosen action is no knock that declares melds, or the plain knock is not among the alternatives.
        """
        action = self.alternatives[self.chosen].action
        if not isinstance(action, Knock) or action.melds is None:
            return None
        return next((number for number, one in enumerate(self.alternatives) if one.action == Knock(action.card)), None)


def choices(steps: Sequence[HandStep]) -> list[Choice | None]:
    """Return each decision with its alternatives.

    None: a lay-off, a decision with a single alternative, or an action that is not among them, such as big gin with melds.
    """
    asked = [step for step in steps if step.hand.phase in (*_DRAWS, DISCARD, LAST_KNOCK)]
    throwing = [step.view for step in asked if "discard" in step.view.may]
    orders = dict(zip(map(id, throwing), ordered_throws(throwing), strict=True))
    policy = {id(step): action for step, action in zip(asked, own_actions(asked), strict=True)}
    return [_choice(step, orders.get(id(step.view), ()), policy[id(step)]) if id(step) in policy else None for step in steps]


def _choice(step: HandStep, throws: Sequence[Card], reference: Action) -> Choice | None:
    draws = _DRAWS.get(step.hand.phase, ())
    tried = (Alternative(action, "draw") for action in draws if action.kind in step.view.may)
    found = tuple(tried if draws else _throws(step, throws))
    actions = [one.action for one in found]
    if len(found) < 2 or step.action not in actions:
        return None
    return Choice(step, found, actions.index(step.action), actions.index(reference))


def both(step: HandStep, other: Action) -> Choice | None:
    """Return the choice between a step's action and ``other``; None, if one of them is not among the alternatives."""
    old, new = choices([replace(step, action=_without_melds(action)) for action in (step.action, other)])
    if old is None or new is None:
        return None
    return Choice(step, (old.alternatives[old.chosen], new.alternatives[new.chosen]), chosen=0, reference=1)


def _without_melds(action: Action) -> Action:
    """Return big gin without its melds, which change no points; other actions as they are."""
    return BigGin() if isinstance(action, BigGin) else action


# the alternatives that draw or pass; of equal ones the first counts as the best
_DRAWS: dict[Phase, tuple[Action, ...]] = {UPCARD: (Take(), Pass()), DRAW: (Draw(), Take()), LAST_TAKE: (Pass(), Take())}


def _throws(step: HandStep, throws: Sequence[Card]) -> Iterator[Alternative]:
    """Yield the throws to try, the policy's first, and the ways to end the hand."""
    view, action = step.view, step.action
    yield from (Alternative(Discard(card), "throw") for card in throws[:THROWS])
    if isinstance(action, Discard) and action.card in throws[THROWS:]:
        yield Alternative(action, "throw")
    if "big_gin" in view.may:
        yield Alternative(BigGin(), "end")
    if "knock" in view.may:
        yield from (alternative(view, knock, "end") for knock in _knocks(view, action))


def _knocks(view: View, action: Action) -> Iterable[Knock]:
    """Return the knock that leaves the least deadwood, and the chosen one, with the melds of the referee and as it was declared."""
    _, best = best_throws(view.cards, view.may_discard)
    chosen = (Knock(action.card), action) if isinstance(action, Knock) else ()
    return dict.fromkeys((Knock(next(iter(each(best)))), *chosen))
