"""Check a bot's class before the first question: it is a Bot, its methods take the right arguments, and no name is misspelt.

What certainly fails raises BotError. A method whose name nearly equals one of Bot's is only likely to be a mistake, so it gives a
warning.
"""

import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType

from arena.sdk.bot import Bot
from arena.sdk.mistakes import BotError, in_method, place

WARNING = "warning: "  # prefix of a line on stderr, which `arena bots check` shows
NOT_OVERRIDDEN = ("note", "taken_note")  # for a bot to call, not to override; their arguments are not checked
METHODS = {name: method for name, method in vars(Bot).items() if isinstance(method, FunctionType) and name not in NOT_OVERRIDDEN}
OVERRIDABLE = tuple(name for name in METHODS if not name.startswith("_"))
_VARIADIC = 0x04  # of co_flags, *args. Source: the inspect module's documentation


def check_class(found: object, name: str) -> type[Bot]:
    """Return ``found`` as a bot's class. Raises: BotError, if it is not a Bot or a method has the wrong arguments."""
    if not (isinstance(found, type) and issubclass(found, Bot)):
        kind = "class" if isinstance(found, type) else type(found).__name__
        raise BotError(
            f"{name}{_line(found)} is a {kind}, not a bot; expected `class {name}(Bot)` with `from arena.sdk import Bot`"
        )
    for method in METHODS:
        _check_arguments(found, method)
    return found


def build(make: Callable[[str], Bot], seed: str, state: str | None = None) -> Bot:
    """Return a new bot; ``state`` is the path of its state folder. Raises: BotError, if its ``__init__`` does not call Bot's."""
    Bot.state = state  # on the class, because an author's ``__init__`` reads it; a process with such a folder has one bot
    bot = make(seed)
    if not hasattr(bot, "_random"):
        raise in_method(type(bot), "__init__", "does not call Bot's; expected `super().__init__(seed)` as its first line")
    return bot


def misspelt(bot_type: type[Bot]) -> Iterator[str]:
    """Yield a warning for each method that was probably meant to be one of OVERRIDABLE.

    To avoid warnings about helper methods, the name must be one typo away from a name that the class does not override, the method
    must take the same arguments, and no method of the author's classes may call it.
    """
    own = [vars(base) for base in reversed(bot_type.__mro__) if not issubclass(Bot, base)]  # of the author's classes
    functions = [(name, method) for each in own for name, method in each.items() if isinstance(method, FunctionType)]
    called = {name for _, method in functions for name in _names(method.__code__)}
    methods = dict(functions)  # an override replaces the method of its base
    for name, method in methods.items():
        if name in METHODS or name in called or name.startswith("_"):
            continue
        for meant in OVERRIDABLE:
            if meant not in methods and _is_typo(name, meant) and _takes(method, METHODS[meant]):
                yield f"{place(bot_type, name)} is never called; did you mean {meant}?"


def _check_arguments(bot_type: type[Bot], name: str) -> None:
    method = next(vars(base)[name] for base in bot_type.__mro__ if name in vars(base))  # a staticmethod as such, not its function
    expected = METHODS[name]
    if isinstance(method, FunctionType) and not _takes(method, expected):
        names = ", ".join(_arguments(expected))
        raise in_method(bot_type, name, f"takes ({', '.join(_arguments(method))}); expected {name}({names})")


def _takes(method: FunctionType, expected: FunctionType) -> bool:
    """Tell whether a method can be called with the positional arguments of ``expected``."""
    code, given = method.__code__, expected.__code__.co_argcount
    least = code.co_argcount - len(method.__defaults__ or ())
    keywords = code.co_kwonlyargcount - len(method.__kwdefaults__ or {})  # required ones
    return least <= given and (given <= code.co_argcount or bool(code.co_flags & _VARIADIC)) and keywords == 0


def _arguments(method: FunctionType) -> tuple[str, ...]:
    return method.__code__.co_varnames[: method.__code__.co_argcount + method.__code__.co_kwonlyargcount]


def _names(code: CodeType) -> Iterator[str]:
    """Yield every name that a function's code uses, nested functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_typo(name: str, meant: str) -> bool:
    """Tell whether two names differ only by underscores, case, and one letter inserted, missing or wrong, or two swapped.

    This matches typos better than difflib's ratio and saves its import at the start of every bot.
    """
    one, other = (text.replace("_", "").lower() for text in (name, meant))
    short, long = sorted((one, other), key=len)
    if len(short) < len(long):
        return len(long) == len(short) + 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    differ = [at for at in range(len(one)) if one[at] != other[at]]
    return len(differ) < 2 or (len(differ) == 2 and sorted(one) == sorted(other))


def _line(found: object) -> str:
    """Return the place of a definition in a bot's module, as `` (mine.py:6)``; empty if it is unknown."""
    path = getattr(sys.modules.get(getattr(found, "__module__", "")), "__file__", None)
    if path is None:
        return ""
    file = path.rpartition("/")[2]
    number = found.__code__.co_firstlineno if isinstance(found, FunctionType) else _class_line(path, getattr(found, "__name__", ""))
    return f" ({file}:{number})" if number else f" ({file})"


def _class_line(path: str, name: str) -> int | None:
    with open(path, encoding="utf-8", errors="replace") as lines:  # noqa: PTH123 - pathlib would slow every start
        starts = (f"class {name}(", f"class {name}:")
        return next((number for number, line in enumerate(lines, 1) if line.lstrip().startswith(starts)), None)
