"""Many hands under one ruleset, played at once by the kernel."""

import warnings
from collections.abc import Callable
from ctypes import addressof, pointer
from types import FunctionType
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.gin.actions import IllegalActionError
from arena.gin.rules import Rules
from arena.train import checks, kernel
from arena.train.calls import fill
from arena.train.checks import STATE, States
from arena.train.engine import terms_of, why_illegal
from arena.train.native import ACTIONS, GREEDY, IDLE, NO_PLAYER, OVER, RANDOM, HandBatch

Ints = NDArray[np.int64]
Mask = NDArray[np.uint8]
Policy = Callable[[Ints, Mask], ArrayLike]  # from the observations and masks of some rows to their actions
Player = Literal["random", "greedy"]

PLAYERS: Final = {"random": RANDOM, "greedy": GREEDY}
_KNOWN: Final = " or ".join(map(repr, PLAYERS))
SLOW: Final = (
    "arena.train is interpreted here, two hundred times as slow as compiled: install a C compiler, then arena again from source"
)


class Hands:
    """``size`` hands, each in a row of every array.

    All arrays belong to this object and are overwritten by its methods: copy what you keep. With an ``opponent``, the caller plays
    the seat ``learner``, and the opponent the other seat between two steps: it is a player of the kernel, by name, or a function
    that gets the observations and masks of the rows in which it is to act. Without one, the caller plays both seats. With
    ``autoreset``, a hand that ends is followed by a new one within the same step; a new hand that ends before the learner acts is
    skipped. The hands begin from ``states``, or are dealt at random.

    Raises: ValueError, for an invalid argument. Warns: RuntimeWarning, if the kernel is not compiled.
    """

    compiled: ClassVar[bool] = not isinstance(kernel.step, FunctionType)

    def __init__(
        self,
        size: int,
        rules: Rules | None = None,
        *,
        opponent: Player | Policy | None = None,
        learner: int = 0,
        autoreset: bool = True,
        states: ArrayLike | None = None,
    ) -> None:
        if size < 1:
            raise ValueError(f"size: {size}; expected at least 1")
        if learner not in (0, 1):
            raise ValueError(f"learner: {learner}; expected 0 or 1")
        if not (opponent is None or callable(opponent) or opponent in PLAYERS):
            raise ValueError(f"opponent: {opponent!r}; expected {_KNOWN}, or a function")
        if not self.compiled:
            warnings.warn(SLOW, RuntimeWarning, stacklevel=2)
        self.rules: Final = Rules() if rules is None else rules
        self.learner: Final = learner
        self._policy = opponent if callable(opponent) else None
        self._states = np.zeros(size, STATE)
        self._ended = np.zeros(size, STATE)
        self._actions = np.zeros(size, np.int32)
        self._final = np.zeros((size, 8), np.int64)
        self.mask: Final = np.zeros((size, ACTIONS), np.uint8)
        self.bits: Final = np.zeros((size, 8), np.int64)
        self.rewards: Final = np.zeros((size, 2), np.float32)
        self.done: Final = np.zeros(size, np.bool_)
        self.decisions = 0
        self._terms = terms_of(self.rules)  # kept alive, like the arrays, because the batch points to it
        arrays = {"states": self._states, "ended": self._ended, "actions": self._actions, "final": self._final}
        arrays |= {"mask": self.mask, "bits": self.bits, "rewards": self.rewards, "done": self.done.view(np.uint8)}
        self._batch = fill(
            HandBatch,
            arrays,
            size=size,
            autoreset=autoreset,
            learner=learner,
            opponent=PLAYERS[opponent] if isinstance(opponent, str) else NO_PLAYER,
            terms=pointer(self._terms),
        )
        self._address = addressof(self._batch)
        if states is None:
            self.reset()
        else:
            self.put(np.arange(size), states)

    @classmethod
    def of(cls, states: ArrayLike, rules: Rules | None = None, **options: Any) -> "Hands":  # noqa: ANN401 - those of the class
        """Return hands that begin from some states. To branch: ``Hands.of(hands.states[rows], hands.rules)``.

        A state includes its random generator, so copies of a state are played in the same way by the kernel, and followed
        by the same hands.
        """
        return cls(len(np.atleast_1d(states)), rules, states=states, **options)

    def __len__(self) -> int:
        """Return the number of hands."""
        return len(self._states)

    @property
    def states(self) -> States:
        """Return the hands as a structured array that is read-only; ``put`` changes it."""
        return _read_only(self._states)

    @property
    def ended(self) -> States:
        """Return the last hand of each row that ended: that of the last step where ``done`` is set."""
        return _read_only(self._ended)

    def put(self, rows: ArrayLike, states: ArrayLike) -> None:
        """Overwrite some rows; then an opponent acts where it is its turn.

        A hand that the opponent ends is in ``done``, ``rewards`` and ``ended`` until the next step. A hand that is over already is
        not replaced by a step, even with ``autoreset``. Raises: ValueError, for invalid states; IndexError.
        """
        at = np.asarray(rows)
        self._states[at] = checks.states(states)
        self.done[at], self.rewards[at] = False, 0  # they were of the overwritten hands
        self._let_opponent_act()

    def reset(self, seed: int | None = None) -> None:
        """Deal a new hand in each row; with a seed, the same hands and the same later random numbers each time."""
        if seed is not None or not self._states["chance"].any():  # all 0: these hands were never seeded
            self._states["deck"] = np.arange(52)
            self._states["chance"] = np.random.SeedSequence(seed).generate_state(len(self), np.uint64)
        self._begin(fresh=True)

    def deal(self, decks: ArrayLike, dealers: ArrayLike) -> None:
        """Begin each hand from a deck (hands x 52, in the order of dealing) and a dealer. Raises: ValueError."""
        checked = checks.decks(decks, len(self))
        self._states["dealer"] = checks.whole_numbers("dealers", dealers, (len(self),), 1)
        self._states["deck"] = checked
        self._begin(fresh=False)

    def look(self) -> tuple[Ints, Mask]:
        """Return what the acting seat of each row sees (hands x 8) and which actions are legal (hands x 108)."""
        kernel.look(self._address)
        return self.bits, self.mask

    def step(self, actions: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play an action in each row; return the points of both seats (hands x 2), and a mask of the rows in which a hand ended.

        The action of a hand that was over before is ignored. Raises: ValueError and IllegalActionError, with the row; then no
        action is played. An error of the opponent's function comes after these actions, and its own are still to be played: then
        call ``reset``, ``deal`` or ``put`` before the next step.
        """
        self._actions[:] = checks.whole_numbers("actions", actions, (len(self),), ACTIONS - 1)
        self._play(first=True)
        if self._policy:  # a player of the kernel has acted within the step
            self._let_opponent_act()
        return self.rewards, self.done

    def final_obs(self, seat: int | None = None) -> Ints:
        """Return the observations of a seat, by default the learner, at the end of the last ended hand of each row (hands x 8)."""
        kernel.look_back(self._address, self.learner if seat is None else int(bool(seat)))
        return self._final

    def choose(self, player: Player) -> NDArray[np.int32]:
        """Return the actions that a player of the kernel chooses; for a hand that is over, 0."""
        kernel.ask(self._address, _number(player))
        return np.maximum(self._actions, 0)

    def finish(self, zero: Player, one: Player) -> NDArray[np.float32]:
        """Play every hand to its end with a player for each seat, and return the points of both seats (hands x 2).

        ``decisions`` is then the number of decisions in all these hands. With ``autoreset`` new hands are dealt.
        """
        self.decisions = kernel.finish(self._address, _number(zero), _number(one))
        self._let_opponent_act()
        return self.rewards

    def _begin(self, *, fresh: bool) -> None:
        kernel.begin(self._address, fresh)
        self._let_opponent_act()
        if self._policy and self._batch.autoreset:  # a hand that it ended before the learner acted was replaced by a new one
            self.rewards[:] = 0
            self.done[:] = False

    def _play(self, *, first: bool) -> None:
        """Play the actions. Raises: IllegalActionError."""
        row = kernel.step(self._address, first)
        if row >= 0:
            number = int(self._actions[row])
            error = why_illegal(self._states[row], self.rules, number)
            raise IllegalActionError(error.clause, f"row {row}, action {number}: {error.detail}")

    def _let_opponent_act(self) -> None:
        """Let the opponent, if there is one, act until it is the learner's turn in every hand that is not over."""
        if self._policy is None:
            kernel.let_opponent_act(self._address)
            return
        while len(rows := np.flatnonzero((self._states["seat"] != self.learner) & (self._states["phase"] != OVER))):
            bits, mask = self.look()
            actions = checks.whole_numbers("opponent's actions", self._policy(bits[rows], mask[rows]), (len(rows),), ACTIONS - 1)
            self._actions[:] = IDLE
            self._actions[rows] = actions
            self._play(first=False)


def _number(player: str) -> int:
    if player not in PLAYERS:
        raise ValueError(f"player: {player!r}; expected {_KNOWN}")
    return PLAYERS[player]


def _read_only(array: States) -> States:
    view = array.view()
    view.flags.writeable = False
    return view
