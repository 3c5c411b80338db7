"""An author's mistake is reported with class, file, line and what was expected, not as an error inside the SDK."""

import re
from pathlib import Path

import pytest
from support.bots.players import begun, fault, player
from support.hands.builders import FIRST, holding

from arena.gin.actions import Action, Discard, Draw, Knock, LayOff
from arena.gin.cards import Card, each
from arena.gin.match import Phase
from arena.gin.seeing import see
from arena.gin.view import View
from arena.players.base import PlayerFaultError
from arena.protocol.codec import encode
from arena.protocol.notation import answer
from arena.roster.finder import find
from arena.sdk import Bot
from arena.sdk.checks import check_class, misspelt
from arena.sdk.loading import bot_class
from arena.sdk.mistakes import BotError, action_of_function

DISCARD = see(holding("3c4c5c 7d7h7s Ah2h4h KsQd", drawn="Qd"), FIRST)
KNOCK = see(holding("3c4c5c 7d7h7s AcAdAh4h Kd", drawn="Kd"), FIRST)
DRAW = see(holding("3c4c5c 7d7h7s Ah2h4h Ks", phase=Phase.DRAW), FIRST)


class Lines:
    """Has a repr of two lines, as a matrix has."""

    def __repr__(self) -> str:
        return "Lines(\n)"


def named(bot: Bot, view: View) -> str:
    """Return the error for a bot's answer."""
    with pytest.raises(BotError) as caught:
        bot.answer(view)
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (None, "None"),
        ("draw", "'draw', of type str"),
        (7, "7, of type int"),
        (Lines(), "Lines(\\n), of type Lines"),
        (Draw, "<class 'arena.gin.actions.Draw'>, of type StructMeta"),
        ("x" * 500, f"'{'x' * 59}..., of type str"),
    ],
)
def test_an_invalid_action_is_reported_with_the_method_that_returned_it(value: object, described: str) -> None:
    class Mine(Bot):
        def draw(self, view: View) -> Action:
            return value  # type: ignore[return-value]  # an invalid action on purpose

    line = Mine.draw.__code__.co_firstlineno
    assert named(Mine(), DRAW) == (
        f"{Mine.__qualname__}.draw (test_mistakes.py:{line}) returned {described}; expected Draw() or Take()"
    )


def test_a_function_with_the_name_of_a_method_may_return_any_action() -> None:
    with pytest.raises(BotError, match=re.escape("discard returned 7, of type int; expected an action, such as Draw()")):
        action_of_function("discard", None, 7)


class NotANumber:
    """Has the method of integers but is not one, as an array."""

    def __index__(self) -> int:
        raise TypeError("not an integer")


@pytest.mark.parametrize("value", [None, "Ks", -1, 52, True, 2.0, Discard(3), NotANumber(), int])
def test_an_invalid_card_is_reported_with_the_method_that_returned_it(value: object) -> None:
    class Throws(Bot):
        def throws(self, view: View) -> Card:
            return value  # type: ignore[return-value]  # an invalid card on purpose

    class Discards(Bot):
        def discard(self, view: View) -> Action:
            return Discard(value)  # type: ignore[arg-type]  # an invalid card on purpose

    class Knocks(Bot):
        def discard(self, view: View) -> Action:
            return Knock(value)  # type: ignore[arg-type]  # an invalid card on purpose

    assert "Throws.throws (test_mistakes.py:" in named(Throws(), DISCARD)
    assert named(Throws(), DISCARD).endswith("; expected a card, a number from 0 to 51, as in view.may_discard")
    assert "Discards.discard (test_mistakes.py:" in named(Discards(), DISCARD)
    assert named(Discards(), DISCARD).endswith("; expected Discard with a card, a number from 0 to 51")
    assert named(Knocks(), DISCARD).endswith("; expected Knock with a card, a number from 0 to 51")


@pytest.mark.parametrize("value", [None, "yes", Draw()])
def test_an_opinion_that_is_not_a_bool_is_reported(value: object) -> None:
    class Mine(Bot):
        def wants(self, view: View) -> bool:
            return value  # type: ignore[return-value]  # not a bool on purpose

        def knocks(self, view: View, left: int) -> bool:
            return value  # type: ignore[return-value]  # not a bool on purpose

    assert "Mine.wants (" in named(Mine(), DRAW)
    assert "Mine.knocks (" in named(Mine(), KNOCK)
    assert named(Mine(), DRAW).endswith("; expected True or False")


def test_numbers_of_other_libraries_are_accepted_as_cards_and_bools() -> None:
    numpy = pytest.importorskip("numpy")

    class Mine(Bot):
        def wants(self, view: View) -> bool:
            return numpy.bool_(0)  # type: ignore[no-any-return]

        def throws(self, view: View) -> Card:
            return numpy.int64(super().throws(view))  # type: ignore[no-any-return]

    assert Mine().answer(DRAW) == Draw()
    assert Mine().answer(DISCARD) == Bot().answer(DISCARD)


def test_numbers_of_other_libraries_are_sent_in_lay_offs() -> None:
    numpy = pytest.importorskip("numpy")
    assert b'"lay_offs":[["4c",1]]' in encode(answer(LayOff(None, ((numpy.int64(3), numpy.int64(1)),))))


# --- the class itself


def refused(found: object, name: str) -> str:
    with pytest.raises(BotError) as caught:
        check_class(found, name)
    return str(caught.value)


class Player:
    """Has an answer method, but is not a Bot."""


def play(_: str) -> Bot:
    """Return a bot; a function in place of a class."""
    return Bot()


def test_a_target_that_is_not_a_bot_is_reported_with_its_line() -> None:
    line = Path(__file__).read_text().splitlines().index("class Player:") + 1
    expected = "expected `class Player(Bot)` with `from arena.sdk import Bot`"
    assert refused(Player, "Player") == f"Player (test_mistakes.py:{line}) is a class, not a bot; {expected}"
    assert refused(play, "play").startswith(f"play (test_mistakes.py:{play.__code__.co_firstlineno}) is a function, not a bot; ")
    assert refused(3, "THREE").startswith("THREE is a int, not a bot; ")


def test_a_method_with_wrong_arguments_is_reported_with_its_line() -> None:
    class Seedless(Bot):
        def __init__(self) -> None:
            super().__init__()

    class Blind(Bot):
        def throws(self) -> Card:  # type: ignore[override]  # that it takes no view is the point
            return 0

    line = Seedless.__init__.__code__.co_firstlineno
    assert refused(Seedless, "Seedless").endswith(f"__init__ (test_mistakes.py:{line}) takes (self); expected __init__(self, seed)")
    assert refused(Blind, "Blind").endswith("takes (self); expected throws(self, view)")


def test_a_method_with_optional_or_variadic_arguments_is_allowed() -> None:
    class Wide(Bot):
        def __init__(self, *parts: str, depth: int = 3) -> None:
            super().__init__(*parts)
            self.depth = depth

        def throws(self, view: View, depth: int = 3) -> Card:
            return super().throws(view)

    assert check_class(Wide, "Wide") is Wide


def test_a_static_method_is_called_without_self() -> None:
    class Still(Bot):
        @staticmethod
        def throws(view: View) -> Card:
            return next(each(view.may_discard))

    assert check_class(Still, "Still") is Still


# --- misspelt methods


def test_a_method_name_with_a_typo_gives_a_warning() -> None:
    class Mine(Bot):
        def thorws(self, view: View) -> Card:
            return super().throws(view)

        def layOff(self, view: View) -> Action:  # noqa: N802 - a name from another language
            return super().lay_off(view)

        def want(self, view: View) -> bool:
            return super().wants(view)

    line = Mine.thorws.__code__.co_firstlineno
    warnings = [warning.rpartition("<locals>.")[2] for warning in misspelt(Mine)]
    assert warnings[0] == f"Mine.thorws (test_mistakes.py:{line}) is never called; did you mean throws?"
    assert [warning.rpartition(" ")[2] for warning in warnings] == ["throws?", "lay_off?", "wants?"]


def test_helper_methods_give_no_warning() -> None:
    class Mine(Bot):
        def throws(self, view: View) -> Card:
            return self.throw(view)

        def throw(self, view: View) -> Card:  # the class overrides throws
            return super().throws(view)

        def draws(self, held: int, live: int) -> int:  # takes other arguments than draw
            return held & live

        def want(self, view: View) -> bool:  # is called below
            return super().wants(view)

        def upcard(self, view: View) -> Action:
            return Draw() if any(self.want(view) for _ in range(2)) else super().upcard(view)

        def imagine(self, view: View) -> int:
            return view.cards

        def _knock(self, view: View, left: int) -> bool:
            return left < view.stock

    assert list(misspelt(Mine)) == []


def test_a_helper_that_an_override_calls_gives_no_warning() -> None:
    class Base(Bot):
        def value(self, view: View) -> int:
            return view.cards

    class Mine(Base):
        def value(self, view: View) -> int:
            return self.drew(view)

        def drew(self, view: View) -> int:
            return view.upcard

    assert list(misspelt(Mine)) == []


def test_bots_of_this_repository_give_no_warning() -> None:
    root = Path(__file__).parents[2] / "bots"
    for path in sorted(root.glob("*.py")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("class ") and line.endswith("(Bot):"):
                name = line.removeprefix("class ").removesuffix("(Bot):")
                assert list(misspelt(bot_class(f"{path}:{name}"))) == []


# --- in a real process


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("class Mine:\n    pass\n", "BotError: Mine (mine.py:2) is a class, not a bot; expected `class Mine(Bot)`"),
        (
            "def Mine(seed):\n    return Bot(seed)\n",
            "BotError: Mine (mine.py:2) is a function, not a bot; expected `class Mine(Bot)`",
        ),
        ("class Other(Bot):\n    pass\n", "has no class 'Mine'; it has Other\n"),
        (
            "class Mine(Bot):\n    def __init__(self):\n        super().__init__()\n",
            "BotError: Mine.__init__ (mine.py:3) takes (self); expected __init__(self, seed)\n",
        ),
        (
            "class Mine(Bot):\n    def __init__(self, seed):\n        self.table = {}\n",
            "BotError: Mine.__init__ (mine.py:3) does not call Bot's; expected `super().__init__(seed)` as its first line\n",
        ),
    ],
)
def test_a_class_that_is_not_a_bot_exits_at_the_start_with_a_reason(tmp_path: Path, body: str, said: str) -> None:
    text = f"from arena.sdk import *\n{body}"  # after an import of * the roster cannot resolve Mine
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    with player(find(f"{tmp_path}/mine.py:Mine").launch) as remote, pytest.raises(PlayerFaultError) as caught:
        remote.begin(0, None)
    assert said in caught.value.stderr
    assert "/sdk/" not in caught.value.stderr


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("answer(self, view):\n        super().answer(view)", "Mine.answer (mine.py:3) returned None; expected an action"),
        (
            "draw(self, view):\n        return 'draw'",
            "Mine.draw (mine.py:3) returned 'draw', of type str; expected Draw() or Take()",
        ),
        ("lay_off(self, view):\n        return LayOff(('3c4c5c',))", "Mine.lay_off (mine.py:3) returned LayOff(melds=('3c4c5c',)"),
        ("lay_off(self, view):\n        return LayOff((), ((3, '0'),))", "; expected LayOff with lay-offs as pairs of a card and"),
    ],
)
def test_an_invalid_answer_exits_with_the_line_of_the_method_only(tmp_path: Path, method: str, said: str) -> None:
    (tmp_path / "mine.py").write_text(f"from arena.sdk import *\nclass Mine(Bot):\n    def {method}\n", encoding="utf-8")
    phase = Phase.LAY_OFF if method.startswith("lay_off") else Phase.DRAW
    view = see(holding("3c4c5c 7d7h7s Ah2h4h Ks", phase=phase), FIRST)
    heading, frame, line = fault(find(f"{tmp_path}/mine.py:Mine").launch, view=view).stderr.splitlines()
    assert heading == "Traceback (most recent call last):"
    assert frame == f'  File "mine.py", line 3, in {method.partition("(")[0]}'
    assert line.startswith("BotError: ")
    assert said in line


def test_a_misspelt_method_is_logged_before_the_first_answer(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from arena.sdk import Bot\nclass Mine(Bot):\n    def thorws(self, view):\n        return 0\n", encoding="utf-8"
    )
    with begun(find(f"{tmp_path}/mine.py:Mine").launch) as remote:
        log = remote.log()
    assert log == "warning: Mine.thorws (mine.py:3) is never called; did you mean throws?\n"
