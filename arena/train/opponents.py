"""Bots of the SDK as opponents within ``Hands``: in this process, without a sandbox, so only installed ones by their names.

Those that choose by networks alone play in the kernel, where they decide as in Python and a hundred times as fast.
"""

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from arena.gin.actions import Action
from arena.gin.match import Scoreline
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.view import View
from arena.train import calls
from arena.train.checks import States
from arena.train.engine import hand_of, number_of
from arena.train.native import SCHOLAR
from arena.train.rule_tables import terms_of

LEARNED: Final = ("scholar", "professor")  # whose networks the kernel reads


class Answering(Protocol):
    """A bot of the SDK, as far as it is used here; the SDK is a layer above."""

    def answer(self, view: View) -> Action:
        """Return the action for any turn."""
        ...


class Bots:
    """A bot for each row, made anew for each hand with a seed made from its deck, so the same deck is played in the same way.

    It is not told results, and sees each hand as the first of a match. Raises: ValueError, for a name that cannot play here.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._make = _load(name)
        self._seated: dict[int, tuple[bytes, Answering]] = {}  # by row: the deck, and the bot that plays it

    def choose(self, states: States, rows: NDArray[np.intp], rules: Rules) -> NDArray[np.int32]:
        """Return the actions of the acting seats of some rows."""
        if self._name in LEARNED:
            return _choose_by_networks(self._name, states[rows], rules)
        return np.array([number_of(self._answer(row, states[row], rules)) for row in rows.tolist()], np.int32)

    def forget(self, rows: NDArray[np.intp]) -> None:
        """Make new bots for some rows."""
        for row in rows.tolist():
            self._seated.pop(row, None)

    def _answer(self, row: int, state: Any, rules: Rules) -> Action:  # noqa: ANN401 - a row of a structured array
        deck, seated = state["deck"].tobytes(), self._seated.get(row)
        if seated is None or seated[0] != deck:
            seated = self._seated[row] = deck, self._make(deck.hex())
        return seated[1].answer(see(hand_of(state, rules), Scoreline()))


def _load(name: str) -> Callable[[str], Any]:
    """Return the class of an installed bot. Raises: ValueError."""
    points = {point.name: point for point in entry_points(group="arena.bots")}
    classes = sorted(known for known, point in points.items() if point.attr)  # without one, it is a package with a manifest
    if name not in classes:
        found = "is a program, which cannot play within a step" if name in points else "is not installed"
        raise ValueError(f"opponent: {name!r:.80} {found}; expected a function, 'random', or one of {', '.join(classes)}")
    try:
        found_class: Callable[[str], Any] = points[name].load()
    except ImportError as error:
        raise ValueError(f"opponent: {name!r} cannot be imported: {error}") from None
    return found_class


@cache
def _networks(name: str) -> calls.Networks:
    """Return the networks of a bot, in the memory of the kernel."""
    bot = _load(name)("")
    return calls.Networks([(one.rows, one.biases, one.weights, one.bias) for one in (bot.after, bot.before, bot.knock)])


def _choose_by_networks(name: str, states: States, rules: Rules) -> NDArray[np.int32]:
    """Return the actions of the acting seats."""
    actions = np.zeros(len(states), np.int32)
    arrays = {"states": states, "places": np.arange(len(states)), "actions": actions}
    calls.ask(arrays, terms_of(rules), _networks(name), size=len(states), player=SCHOLAR, other=SCHOLAR)
    return actions
