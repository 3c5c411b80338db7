"""Check the return values of a bot's methods; an error names the class, file and line, and what was expected.

Each check runs where the SDK receives the value. Without it, a wrong value would fail three calls later with an
``AttributeError`` inside the SDK.
"""

from operator import index
from types import CodeType
from typing import Any

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import Card
from arena.text import in_one_line

# Compared by exact type: isinstance on msgspec's classes goes through ABCMeta and takes ten times as long.
ACTIONS = frozenset({Pass, Take, Draw, Discard, Knock, BigGin, LayOff})
THROWS = frozenset({Discard, Knock})
DECLARES = frozenset({Knock, BigGin, LayOff})
EXPECTED = {
    "upcard": "Take() or Pass()",
    "draw": "Draw() or Take()",
    "discard": "Discard(card), Knock(card) or BigGin()",
    "lay_off": "LayOff()",
    "last_take": "Take() or Pass()",
}
ANY_ACTION = "an action, such as Draw() or Discard(card)"
SHOWN = 60  # characters of a wrong value


class BotError(Exception):
    """A mistake in a bot's class; its text is one line that names the place."""

    def __init__(self, detail: str, code: CodeType | None = None) -> None:
        super().__init__(detail)
        self.code = code  # of the wrong method or function; None: unknown, or the mistake is elsewhere

    def report(self) -> str:
        """Return the text for the bot's log: with ``code``, in the form of a traceback, from which reports take file and line."""
        if self.code is None:
            return f"BotError: {self}\n"
        frame = f'  File "{self.code.co_filename}", line {self.code.co_firstlineno}, in {self.code.co_name}'
        return f"Traceback (most recent call last):\n{frame}\nBotError: {self}\n"


class CannotPlayError(BotError):
    """A bot cannot play, whatever it is asked: its key is refused, or a file is missing. Without a sandbox this ends the run."""


def action(bot_type: type, name: str, value: object) -> Action:
    """Return ``value``, which the method ``name`` of a class returned. Raises: BotError, if it is not a valid action."""
    if expected := _expected_action(value, EXPECTED.get(name, ANY_ACTION)):
        raise _wrong_return(bot_type, name, value, expected)
    return value  # type: ignore[return-value]  # its type is one of ACTIONS


def action_of_function(name: str, code: CodeType | None, value: object) -> Action:
    """Return ``value``, which a bot that is a plain function returned. Raises: BotError, if it is not a valid action."""
    if expected := _expected_action(value, ANY_ACTION):
        raise BotError(f"{name}{_where(code)} returned {_describe(value)}; expected {expected}", code)
    return value  # type: ignore[return-value]  # its type is one of ACTIONS


def _expected_action(value: object, actions: str) -> str:
    """Return what was expected: ``actions``, or the form of an action with an invalid part; empty if ``value`` is valid."""
    if type(value) not in ACTIONS:
        return actions
    expected = _expected_in(value)
    return f"{type(value).__name__} with {expected}" if expected else ""


def card(bot_type: type, name: str, value: object) -> Card:
    """Return ``value``, which the method ``name`` of a class returned. Raises: BotError, if it is not a card."""
    if not _is_card(value):
        raise _wrong_return(bot_type, name, value, "a card, a number from 0 to 51, as in view.may_discard")
    return value  # type: ignore[return-value]  # any integer type is accepted, numpy's too


def decision(bot_type: type, name: str, value: object) -> bool:
    """Return ``value``, which the method ``name`` returned, as a bool. Raises: BotError, for None, a str or an action."""
    if value is None or type(value) is str or type(value) in ACTIONS:
        raise _wrong_return(bot_type, name, value, "True or False")
    return bool(value)


def text(name: str, value: object) -> str:
    """Return ``value``, an argument of the method ``name``, as text that can be sent: lone surrogates are escaped.

    Raises: TypeError, whose traceback leads to the call, for anything but text.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name}() was given {_describe(value)}; expected text")
    return value.encode("utf-8", "backslashreplace").decode()


def in_method(bot_type: type, name: str, wrong: str) -> BotError:
    """Return the error for a method of a class; ``wrong`` is as ``returned None; expected Draw() or Take()``."""
    return BotError(f"{place(bot_type, name)} {wrong}", _code(bot_type, name))


def place(bot_type: type, name: str) -> str:
    """Return the place of a method, as ``Mine.draw (mine.py:6)``."""
    owner = next((base for base in bot_type.__mro__ if name in vars(base)), bot_type)
    return f"{owner.__qualname__}.{name}{_where(_code(bot_type, name))}"


def _where(code: CodeType | None) -> str:
    return f" ({code.co_filename.rpartition('/')[2]}:{code.co_firstlineno})" if code else ""


def _code(bot_type: type, name: str) -> CodeType | None:
    code = getattr(getattr(bot_type, name, None), "__code__", None)
    return code if isinstance(code, CodeType) else None


def _wrong_return(bot_type: type, name: str, value: object, expected: str) -> BotError:
    return in_method(bot_type, name, f"returned {_describe(value)}; expected {expected}")


def _describe(value: object) -> str:
    shown = in_one_line(repr(value))
    if value is None or type(value) in ACTIONS:
        return shown
    return f"{shown if len(shown) <= SHOWN else shown[:SHOWN] + '...'}, of type {type(value).__name__}"


def _expected_in(value: Any) -> str:  # noqa: ANN401 - an action, known by its type
    """Return the expected form of the first invalid part of an action; empty if all parts are valid."""
    if type(value) in THROWS and not _is_card(value.card):
        return "a card, a number from 0 to 51"
    if type(value) in DECLARES and not _are_melds(value.melds):
        return "melds as arrange(cards) returns them, each a number with a bit for each card"
    if type(value) is LayOff and not _are_lay_offs(value.lay_offs):
        return "lay-offs as pairs of a card and the number of a meld in view.knocker.melds"
    return ""


def _are_melds(value: object) -> bool:
    return value is None or (isinstance(value, (tuple, list)) and all(_is_number(meld, 1 << 52) for meld in value))


def _are_lay_offs(value: object) -> bool:
    return value is None or (isinstance(value, (tuple, list)) and all(map(_is_lay_off, value)))


def _is_lay_off(value: object) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2 and _is_card(value[0]) and _is_number(value[1], 10)  # as in LaidOff


def _is_card(value: object) -> bool:
    return _is_number(value, 52)


def _is_number(value: object, end: int) -> bool:
    """Tell whether a value is an integer, of Python or of a library, at least 0 and below ``end``."""
    try:
        return not isinstance(value, bool) and 0 <= index(value) < end  # type: ignore[arg-type]  # a TypeError is the answer
    except TypeError:
        return False
