"""The input of a search: the spec in a file, the parameters that a bot declares, and the folder."""

from pathlib import Path

import pytest

from arena.errors import InputError, SpecError, StoreError
from arena.extras.tuner.rounds_file import ROUNDS_FILE
from arena.extras.tuner.setup import TuneSpec, read_spec, set_up


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (TuneSpec(parameters={"caer": None}), "parameters: found 'caer'; did you mean 'care'"),
        (TuneSpec(opponents=("../nobody.yaml",)), "no file '../nobody.yaml'"),
    ],
)
def test_a_spec_that_does_not_suit_the_bot_is_refused(bot: str, tmp_path: Path, spec: TuneSpec, problem: str) -> None:
    with pytest.raises(Exception, match=problem):
        set_up(bot, spec, tmp_path, None)


@pytest.mark.parametrize("declared", ["2.0, low=0.0, high=HIGH", "20.0, low=0.0, high=8.0"])
def test_the_error_for_a_parameter_that_the_source_does_not_tell_says_what_it_must_be(declared: str, tmp_path: Path) -> None:
    text = f"from arena.sdk import Bot, Parameter\nHIGH = 8.0\n\n\nclass Mine(Bot):\n    fear = Parameter({declared})\n"
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(InputError, match="plain numbers, low <= start <= high, as weight = Parameter"):
        set_up(f"{tmp_path}/mine.py", TuneSpec(), tmp_path, None)


def test_the_error_for_a_bot_without_parameters_says_how_to_declare_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"greedy: declares no parameters; .* weight = Parameter"):
        set_up("greedy", TuneSpec(), tmp_path, None)
    with pytest.raises(InputError, match=r"awk-counter: declares no parameters; .* `parameters` of bot\.yaml"):
        set_up("awk-counter", TuneSpec(), tmp_path, None)


def test_a_folder_with_another_search_is_refused(bot: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ROUNDS_FILE).write_text('["another", "seed"]\n')
    with pytest.raises(StoreError, match="holds another search"):
        set_up(bot, TuneSpec(sandbox="none"), tmp_path, tmp_path / "out")


def test_a_file_of_a_search_that_cannot_be_read_is_named(bot: str, tmp_path: Path) -> None:
    (tmp_path / "out" / ROUNDS_FILE).mkdir(parents=True)
    with pytest.raises(StoreError, match=rf"{ROUNDS_FILE}: cannot be read: Is a directory"):
        set_up(bot, TuneSpec(sandbox="none"), tmp_path, tmp_path / "out")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hands: 4000\nparametres: {}\n", "params.yaml:2: parametres: unknown key; did you mean 'parameters'? expected one of "),
        (
            "parameters: {care: {hihg: 1}}\n",
            "params.yaml:1: parameters.hihg: unknown key; did you mean 'high'? expected one of low, high, step",
        ),
        ("parameters: {care: {low: x}}\n", "params.yaml:1: parameters.low: expected "),
        ("hands: many\n", "params.yaml:1: hands: expected a whole number; found 'many'"),
        ("- 1\n", "params.yaml:1: "),
        ("", "params.yaml:1: "),
    ],
)
def test_a_mistake_in_a_spec_is_shown_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "params.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        read_spec(tmp_path / "params.yaml")
    assert str(caught.value).startswith(f"{tmp_path}/{complaint}")


def test_a_seed_of_digits_is_a_seed_as_in_the_spec_of_a_tournament(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("seed: 2026\n", encoding="utf-8")
    assert read_spec(tmp_path / "params.yaml") == TuneSpec(seed="2026")
