"""Parameters of a bot: numbers that a class declares, and that a bot's name may give other values, as ``mine.py:Mine(weight=2.5)``.

The values stand in the name of the class, so they are part of the command that starts the bot, and of what a spec or a run says.
"""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any, Generic, Self, TypeVar, overload

from msgspec import Struct

Number = TypeVar("Number", int, float)
Values = Mapping[str, float]  # by the parameter's name

STEPS = 1000  # in a range whose parameter gives no step
LARGEST = 1e300  # absolute value of a bound, so that the size of a range is a float too
_CALLED = re.compile(r"(.*?)\(([^()]*)\)\Z", re.DOTALL)
_UNCLOSED = re.compile(r"\([A-Za-z_]\w*=[^()/]*\Z", re.ASCII)
_VALUE = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*\Z", re.ASCII)


class Parameter(Struct, Generic[Number], frozen=True):
    """A number that ``arena tune`` may change: an attribute of a bot's class, and a plain number in the bot.

    Whole if start, low and high are written as whole numbers. Raises: ValueError, for bounds that make no sense.
    """

    start: Number
    low: Number
    high: Number
    step: Number | None = None  # None: 1 for whole numbers, else a thousandth of the range

    def __post_init__(self) -> None:
        """Raise ValueError for bounds that make no sense."""
        given = (self.start, self.low, self.high, *(() if self.step is None else (self.step,)))
        if any(isinstance(one, bool) or not isinstance(one, int | float) or not abs(one) <= LARGEST for one in given):
            raise ValueError(f"found {', '.join(map(repr, given))}; expected finite numbers, at most {LARGEST:g} in size")
        if not self.low <= self.start <= self.high or self.low == self.high:
            raise ValueError(
                f"found start {self.start}, low {self.low}, high {self.high}; expected low <= start <= high, low < high"
            )
        if self.step is not None and not 0 < self.step <= self.high - self.low:
            raise ValueError(f"found step {self.step}; expected more than 0 and at most high - low")
        if self.is_whole and not isinstance(self.grid, int):
            raise ValueError(f"found step {self.step} between whole numbers; expected a whole number")

    @overload
    def __get__(self, bot: None, owner: type) -> Self: ...
    @overload
    def __get__(self, bot: object, owner: type) -> Number: ...
    def __get__(self, bot: object | None, owner: type) -> Self | Number:
        """Return the number, for a bot; the parameter, for its class."""
        return self if bot is None else self.start

    @property
    def is_whole(self) -> bool:
        """Tell whether its values are whole numbers."""
        return all(isinstance(one, int) for one in (self.start, self.low, self.high))

    @property
    def grid(self) -> float:
        """Return the distance between two neighbouring values."""
        if self.step is not None:
            return self.step
        return 1 if self.is_whole else (self.high - self.low) / STEPS

    def share(self, value: float) -> float:
        """Return the place of a value in the range, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)

    def at(self, share: float) -> float:
        """Return the value nearest to a place in the range, from 0 to 1: a whole number of steps from the start, or a bound.

        A value that is not whole is rounded to 10 digits, unless it is a bound.
        """
        value = self.start + self.grid * round((self.low + share * (self.high - self.low) - self.start) / self.grid)
        if self.is_whole:
            return min(max(value, self.low), self.high)
        return float(min(max(float(f"{value:.10g}"), self.low), self.high))

    def check(self, name: str, value: float) -> None:
        """Raise ValueError for a value out of the bounds, or one that is not whole if they are."""
        if not self.low <= value <= self.high or (self.is_whole and not isinstance(value, int)):
            kind = "a whole number" if self.is_whole else "a number"
            raise ValueError(f"{name}: found {value}; expected {kind} from {self.low} to {self.high}")


def parameters_of(bot_class: type) -> dict[str, Parameter[Any]]:
    """Return the parameters of a class by name, its own in place of inherited ones."""
    found = {name: value for base in reversed(bot_class.__mro__) for name, value in vars(base).items()}
    return {name: value for name, value in found.items() if isinstance(value, Parameter)}


def check(given: Values, known: Mapping[str, Parameter[Any]]) -> None:
    """Raise ValueError for the value of a parameter that a bot does not declare, or that is out of its bounds."""
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"no parameter {name!r}; the bot declares {', '.join(sorted(known)) or 'none'}")
        known[name].check(name, value)


def with_values(bot_class: type, given: Values) -> type:
    """Return the class with other values of its parameters. Raises: ValueError, as ``check``."""
    check(given, parameters_of(bot_class))
    return type(
        bot_class.__name__, (bot_class,), {**given, "__module__": bot_class.__module__, "__qualname__": bot_class.__qualname__}
    )


def split_parameters(bot: str) -> tuple[str, dict[str, float]]:
    """Return the name of a bot or a class, and the values in parentheses after it. Raises: ValueError."""
    found = _CALLED.match(bot)
    if not found:
        if _UNCLOSED.search(bot):
            raise ValueError(f"found {bot!r}; expected values that end with a parenthesis, as (weight=2.5,knock=8)")
        return bot, {}
    values: dict[str, float] = {}
    for one in found[2].split(","):
        pair = _VALUE.match(one)
        if not pair or pair[1] in values:
            raise ValueError(f"found {one.strip()!r} among the values of {found[1]}; expected each once, as (weight=2.5,knock=8)")
        values[pair[1]] = _number(pair[2])
    return found[1], values


def join_parameters(bot: str, values: Values) -> str:
    """Return the name of a bot or a class with values; ``split`` is the inverse."""
    return f"{bot}({','.join(f'{name}={value}' for name, value in values.items())})" if values else bot


def _number(text: str) -> float:
    """Return a number: an int if it is written as one of at most 19 characters. Raises: ValueError, unless it is finite."""
    try:
        value = int(text) if text.lstrip("+-").isdigit() and len(text) < 20 else float(text)
    except ValueError:
        raise ValueError(f"found {text!r}; expected a number") from None
    if not isfinite(value):
        raise ValueError(f"found {text!r}; expected a finite number")
    return value
