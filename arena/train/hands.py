"""Many hands under one ruleset, played at once by the kernel."""

import warnings
from collections.abc import Callable
from copy import deepcopy
from ctypes import addressof, pointer
from types import FunctionType
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.gin.actions import IllegalActionError
from arena.gin.rules import Rules
from arena.train import checks, kernel
from arena.train.calls import fill
from arena.train.checks import STATE, States
from arena.train.engine import why_illegal
from arena.train.native import ACTIONS, GREEDY, IDLE, NO_PLAYER, OVER, RANDOM, HandBatch
from arena.train.opponents import Bots
from arena.train.rule_tables import terms_of

Ints = NDArray[np.int64]
Mask = NDArray[np.uint8]
Policy = Callable[[Ints, Mask], ArrayLike]  # from the observations and masks of some rows to their actions

_COPIED: Final = ("_states", "_ended", "_actions", "_final", "mask", "bits", "rewards", "done")
PLAYERS: Final = {"random": RANDOM, "greedy": GREEDY}  # of the kernel
_KNOWN: Final = " or ".join(map(repr, PLAYERS))
SLOW: Final = (
    "arena.train is interpreted here, two hundred times as slow as compiled: install a C compiler, then arena again from source"
)


class Hands:
    """``size`` hands, each in a row of every array.

    All arrays belong to this object and are overwritten by its methods: copy what you keep. With an ``opponent``, the caller plays
    the seat ``learner``, and the opponent the other seat between two steps: it is a player of the kernel or an installed bot in
    Python, by name, or a function that gets the observations and masks of the rows in which it is to act. Without one, the caller
    plays both seats. With ``autoreset``, a hand that ends is followed by a new one within the same step; a new hand that ends
    before the learner acts is skipped. The hands begin from ``states``, or are dealt at random.

    A copy (``copy``, ``pickle``) shares nothing with the original and continues in the same way, as far as an opponent that is a
    function does.

    Raises: ValueError, for an invalid argument. Warns: RuntimeWarning, if the kernel is not compiled.
    """

    compiled: ClassVar[bool] = not isinstance(kernel.step, FunctionType)

    def __init__(
        self,
        size: int,
        rules: Rules | str | None = None,
        *,
        opponent: str | Policy | None = None,
        learner: int = 0,
        autoreset: bool = True,
        states: ArrayLike | None = None,
    ) -> None:
        size = checks.number("size", size, 1)
        self.learner: Final = checks.number("learner", learner, 0, 1)
        self.rules: Final = checks.rules(rules)
        if not (opponent is None or callable(opponent) or isinstance(opponent, str)):
            raise ValueError(f"opponent: {opponent!r:.80}; expected the name of a player, or a function")
        if not self.compiled:
            warnings.warn(SLOW, RuntimeWarning, stacklevel=2)
        self._opponent = opponent
        self._policy = opponent if callable(opponent) else None
        self._bots = Bots(opponent) if isinstance(opponent, str) and opponent not in PLAYERS else None
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
            learner=self.learner,
            opponent=PLAYERS.get(opponent, NO_PLAYER) if isinstance(opponent, str) else NO_PLAYER,
            terms=pointer(self._terms),
        )
        self._address = addressof(self._batch)
        if states is None:
            self.reset()
        else:
            self.put(np.arange(size), states)

    @classmethod
    def of(cls, states: ArrayLike, rules: Rules | str | None = None, **options: Any) -> "Hands":  # noqa: ANN401 - those of the class
        """Return hands that begin from some states. To branch: ``Hands.of(hands.states[rows], hands.rules)``.

        A state includes its random generator, so copies of a state are played in the same way by the kernel, and followed
        by the same hands.
        """
        return cls(len(np.atleast_1d(states)), rules, states=states, **options)

    def __reduce__(self) -> tuple[Callable[..., "Hands"], tuple[Any, ...]]:
        """Return what makes a copy with memory of its own: the batch of the kernel points to this object's."""
        options = {"opponent": self._opponent, "learner": self.learner, "autoreset": bool(self._batch.autoreset)}
        arrays = {name: getattr(self, name).copy() for name in _COPIED}
        return _restore, (type(self), self.rules, options, arrays, self._bots, self.decisions)

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
        not replaced by a step, even with ``autoreset``. Raises: ValueError, for invalid rows or states.
        """
        at = checks.rows(rows, len(self))
        self._states[at] = checks.states(states)
        self.done[at], self.rewards[at] = False, 0  # they were of the overwritten hands
        if self._bots:
            self._bots.forget(at)
        self._let_opponent_act()

    def reset(self, seed: int | None = None, rows: ArrayLike | None = None) -> None:
        """Deal a new hand in each row, or in those of ``rows``, a mask or numbers; the others are left as they are.

        With a seed, a row gets the same hands and the same later random numbers each time. Raises: ValueError.
        """
        at = np.arange(len(self)) if rows is None else checks.rows(rows, len(self))
        if seed is not None or not self._states["chance"].any():  # all 0: these hands were never seeded
            chance = checks.seed(seed).generate_state(len(self), np.uint64)
            self._states["deck"][at], self._states["chance"][at] = np.arange(52), chance[at]
        if rows is None:
            self._begin(fresh=True)
        else:
            self._begin_some(at)

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

    def step(self, actions: ArrayLike, rows: ArrayLike | None = None) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play an action in each row; return the points of both seats (hands x 2), and a mask of the rows in which a hand ended.

        With ``rows``, a mask or numbers, ``actions`` has one for each of these, and the others are left alone. The action of a hand
        that was over before is ignored. Raises: ValueError and IllegalActionError, with the row; then no action is played. An error
        of the opponent comes after these actions, and its own are still to be played: then call ``reset``, ``deal`` or ``put``
        before the next step.
        """
        if rows is None:
            self._actions[:] = checks.whole_numbers("actions", actions, (len(self),), ACTIONS - 1)
        else:
            at = checks.rows(rows, len(self))
            chosen = checks.whole_numbers("actions", actions, at.shape, ACTIONS - 1)
            self._actions[:] = IDLE
            self._actions[at] = chosen
        self._play(first=True)
        self._let_python_act()  # a player of the kernel has acted within the step
        return self.rewards, self.done

    def final_obs(self, seat: int | None = None) -> Ints:
        """Return the observations of a seat, by default the learner, at the end of the last ended hand of each row (hands x 8).

        Raises: ValueError, for another seat than 0 or 1.
        """
        kernel.look_back(self._address, self.learner if seat is None else checks.number("seat", seat, 0, 1))
        return self._final

    def choose(self, player: str) -> NDArray[np.int32]:
        """Return the actions that a player of the kernel chooses; for a hand that is over, 0."""
        kernel.ask(self._address, _number(player))
        return np.maximum(self._actions, 0)

    def finish(self, zero: str, one: str) -> NDArray[np.float32]:
        """Play every hand to its end with a player for each seat, and return the points of both seats (hands x 2).

        ``decisions`` is then the number of decisions in all these hands. With ``autoreset`` new hands are dealt.
        """
        self.decisions = kernel.finish(self._address, _number(zero), _number(one))
        self._let_opponent_act()
        return self.rewards

    def _begin(self, *, fresh: bool) -> None:
        kernel.begin(self._address, fresh)
        if self._bots:
            self._bots.forget(np.arange(len(self)))
        self._let_python_act()
        self._forget_skipped(slice(None))

    def _begin_some(self, at: NDArray[np.intp]) -> None:
        """Deal new hands in some rows: in a batch of their own, because the kernel begins all of a batch."""
        states, done, rewards = self._states[at], np.zeros(len(at), np.uint8), np.zeros((len(at), 2), np.float32)
        arrays = {"states": states, "done": done, "rewards": rewards}
        batch = fill(HandBatch, arrays, size=len(at), opponent=NO_PLAYER, terms=pointer(self._terms))
        kernel.begin(addressof(batch), True)  # noqa: FBT003 - as the compiled function has it
        self.put(at, states)
        self._forget_skipped(at)

    def _forget_skipped(self, at: NDArray[np.intp] | slice) -> None:
        """Do not report the new hands that the opponent ended before the learner acted, where others replaced them."""
        if self._batch.autoreset:
            self.rewards[at] = 0
            self.done[at] = False

    def _play(self, *, first: bool) -> None:
        """Play the actions. Raises: IllegalActionError."""
        row = kernel.step(self._address, first)
        if row >= 0:
            number = int(self._actions[row])
            error = why_illegal(self._states[row], self.rules, number)
            raise IllegalActionError(error.clause, f"row {row}, action {number}: {error.detail}")

    def _let_opponent_act(self) -> None:
        """Let the opponent, if there is one, act until it is the learner's turn in every hand that is not over."""
        kernel.let_opponent_act(self._address)
        self._let_python_act()

    def _let_python_act(self) -> None:
        """Let an opponent that is no player of the kernel act."""
        if self._opponent is None or self._opponent in PLAYERS:
            return
        while len(rows := np.flatnonzero((self._states["seat"] != self.learner) & (self._states["phase"] != OVER))):
            actions = checks.whole_numbers("opponent's actions", self._ask_python(rows), (len(rows),), ACTIONS - 1)
            self._actions[:] = IDLE
            self._actions[rows] = actions
            self._play(first=False)

    def _ask_python(self, rows: NDArray[np.intp]) -> ArrayLike:
        """Return the opponent's actions in some rows."""
        if self._bots:
            return self._bots.choose(self._states, rows, self.rules)
        assert self._policy
        bits, mask = self.look()
        return self._policy(bits[rows], mask[rows])


def _restore(
    kind: type[Hands], rules: Rules, options: dict[str, Any], arrays: dict[str, NDArray[Any]], bots: Bots | None, decisions: int
) -> Hands:
    """Return a copy of hands from the parts of ``Hands.__reduce__``."""
    hands = kind(len(arrays["_states"]), rules, states=arrays["_states"], **options)
    for name, array in arrays.items():
        getattr(hands, name)[:] = array
    hands._bots, hands.decisions = deepcopy(bots), decisions  # noqa: SLF001 - the other half of __reduce__
    return hands


def _number(player: str) -> int:
    if player not in PLAYERS:
        raise ValueError(f"player: {player!r}; expected {_KNOWN}")
    return PLAYERS[player]


def _read_only(array: States) -> States:
    view = array.view()
    view.flags.writeable = False
    return view
