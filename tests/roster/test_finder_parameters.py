"""Parameters: declared by a class, given values by a bot's name, and read without running the bot."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena import parameters
from arena.errors import RosterError
from arena.parameters import Parameter
from arena.roster import finder
from arena.roster.entrant import same_program
from arena.sdk import Bot
from arena.sdk.loading import bot_class
from arena.sdk.mistakes import BotError

SOURCE = """
from arena.sdk import Bot, Parameter, View

BASE = 2


class Base(Bot):
    weight = Parameter(2.0, low=0.0, high=6.0, step=0.5)
    most = Parameter(10, low=0, high=10)
    computed = Parameter(BASE, low=0, high=10)


class Mine(Base):
    most: Parameter[int] = Parameter(3, low=0, high=9)

    def knocks(self, view: View, left: int) -> bool:
        return left <= self.most
"""


class Typed(Bot):
    """Declares one of each kind."""

    weight = Parameter(2.0, low=0.0, high=6.0)
    most = Parameter(3, low=0, high=10)


@pytest.fixture
def mine(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(SOURCE, encoding="utf-8")
    return str(tmp_path / "mine.py")


def test_a_parameter_is_a_number_in_the_bot_and_a_subclass_has_other_values() -> None:
    other = parameters.with_values(Typed, {"most": 5})
    assert (Typed().weight, Typed().most) == (2.0, 3)
    bot = other()
    assert isinstance(bot, Typed)
    assert (bot.weight, bot.most, type(bot).__name__) == (2.0, 5, "Typed")


@given(
    st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), st.integers() | st.floats(allow_nan=False, allow_infinity=False))
)
def test_values_after_a_name_are_read_as_they_were_written(values: dict[str, float]) -> None:
    values = {name: value for name, value in values.items() if abs(value) < 1e18}
    name, found = parameters.split_parameters(parameters.join_parameters("path (1)/mine.py:Mine", values))
    assert found == values
    assert list(map(type, found.values())) == list(map(type, values.values()))
    assert name == "path (1)/mine.py:Mine"


@given(st.floats(0, 1))
@example(1.0)
def test_a_tried_value_is_a_number_of_steps_from_the_start_and_in_the_bounds(share: float) -> None:
    for one in (Parameter(1.25, 0.0, 4.1, 0.5), Parameter(3, 0, 10, 2), Parameter(2.0, 0.0, 6.0), Parameter(0.5, 0.0, 2 / 3)):
        value = one.at(share)
        steps = (value - one.start) / one.grid
        assert one.low <= value <= one.high
        assert value in (one.low, one.high) or steps == pytest.approx(round(steps), abs=1e-6)
        assert isinstance(value, int) == one.is_whole


@pytest.mark.parametrize(
    "numbers",
    [
        (2.0, 3.0, 1.0),
        (1.0, 1.0, 1.0),
        (0.0, 0.0, float("inf")),
        (0.0, 0.0, float("nan")),
        (0.0, -1e308, 1e308),
        (0, 0, 10**400),
        (1, 0, 5, 0.5),
        (1, 0, 5, 0),
        (True, 0, 5),
    ],
)
def test_bounds_that_make_no_sense_are_refused(numbers: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"found .*; expected"):
        Parameter(*numbers)


def test_parameters_are_found_in_the_source_with_those_of_a_base_but_not_those_that_are_computed(mine: str) -> None:
    found = finder.parameters_of(finder.find(f"{mine}:Mine"))
    assert found == {"weight": Parameter(2.0, 0.0, 6.0, 0.5), "most": Parameter(3, 0, 9)}
    assert finder.parameters_of(finder.find("greedy")) == {}


def test_a_bot_with_values_is_another_program_whose_command_holds_them(mine: str) -> None:
    plain, other = finder.find(f"{mine}:Mine"), finder.find(f"{mine}:Mine(weight=2.5,most=8)")
    assert other.launch.command == (*plain.launch.command[:-1], f"{mine}:Mine(weight=2.5,most=8)")
    assert other.digest != plain.digest
    assert not same_program(plain, other)
    assert same_program(other, finder.find(f"{mine}:Mine(weight=2.5, most=8)"))


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ("weight=9", "weight: found 9; expected a number from 0.0 to 6.0"),
        ("most=2.5", "most: found 2.5; expected a whole number from 0 to 9"),
        ("danger=1", "no parameter 'danger'; the bot declares most, weight"),
        ("weight", "found 'weight' among the values"),
        ("most=1,most=2", "found 'most=2' among the values"),
        ("most=1.2.3", "found '1.2.3'; expected a number"),
    ],
)
def test_a_wrong_value_is_refused_in_one_line_before_anything_starts(mine: str, values: str, problem: str) -> None:
    with pytest.raises(RosterError, match=problem) as raised:
        finder.find(f"{mine}:Mine({values})")
    assert "\n" not in str(raised.value)


def test_values_without_the_closing_parenthesis_are_named_as_that_and_not_as_an_unknown_bot() -> None:
    with pytest.raises(RosterError, match=r"found 'greedy\(knock=5'; expected values that end with a parenthesis"):
        finder.find("greedy(knock=5")
    assert parameters.split_parameters("folder (old=1/mine.py") == ("folder (old=1/mine.py", {})


def test_a_bots_process_takes_the_values_from_its_command(mine: str) -> None:
    made = bot_class(f"{mine}:Mine(most=8)")
    assert made().most == 8  # type: ignore[attr-defined]  # of the bot's file
    with pytest.raises(BotError, match="expected a whole number from 0 to 9"):
        bot_class(f"{mine}:Mine(most=80)")


MANIFEST = """name: counter
command: [/bin/sh, -c, 'exec awk "$@"', bot.awk]
parameters: {fear: {start: 2.0, low: 0.0, high: 8.0}, last: {start: 3, low: 0, high: 12}}
"""


def test_a_manifest_declares_parameters_whose_values_are_the_last_arguments_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text(MANIFEST, encoding="utf-8")
    plain, other = finder.find(str(tmp_path)), finder.find(f"{tmp_path}(fear=2.5,last=4)")
    assert finder.parameters_of(plain) == {"fear": Parameter(2.0, 0.0, 8.0), "last": Parameter(3, 0, 12)}
    assert finder.parameters_of(other) == finder.parameters_of(plain)
    assert other.launch.command == (*plain.launch.command, "fear=2.5", "last=4")
    assert other.digest != plain.digest
    with pytest.raises(RosterError, match=r"last: found 2\.5; expected a whole number from 0 to 12$"):
        finder.find(f"{tmp_path}(last=2.5)")


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        ("{fear: {start: 9, low: 0, high: 8}}", "parameters.*: found start 9, low 0, high 8; expected low <= start <= high"),
        ("{fear: {start: 1, low: 0}}", "parameters.*'high' is missing"),
        ("{fear: {start: a, low: b, high: c}}", "parameters.*: found 'a', 'b', 'c'; expected finite numbers"),
        ("{2x: {start: 1, low: 0, high: 2}}", "parameters"),
    ],
)
def test_wrong_parameters_of_a_manifest_are_refused_in_one_line(tmp_path: Path, found: str, problem: str) -> None:
    manifest = re.sub(r"parameters: .*", f"parameters: {found}", MANIFEST)
    (tmp_path / "bot.yaml").write_text(manifest, encoding="utf-8")
    with pytest.raises(RosterError, match=problem) as raised:
        finder.find(str(tmp_path))
    assert "\n" not in str(raised.value)
