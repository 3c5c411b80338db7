"""The YAML file of a tournament: valid values, and the messages for mistakes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support import refusals

from arena.errors import SpecError
from arena.gin.rules import Rules
from arena.gin.rulesets import Boxes
from arena.limits import FaultCosts, TimeLimits
from arena.players.sandboxes import StandardSandbox
from arena.plugins import manager
from arena.reports.csv_file import CsvFile
from arena.stats.ratings import BradleyTerry, PointsRating
from arena.tournament import spec
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.spec import Entry, Spec

KINDS = manager.kinds(manager.load(entry_points=False))
BOTS = "bots: [greedy, cautious]\n"
TOURNAMENTS = Path(__file__).parents[2] / "tournaments"


def parsed(text: str) -> Spec:
    return spec.parse_spec(text, KINDS, "some/league.yaml")


def mistake(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        parsed(text)
    return str(caught.value)


class Other(CsvFile, frozen=True, kw_only=True, tag="other"):
    """Writes the file of another report."""


def test_two_reports_do_not_write_one_file() -> None:
    kinds = replace(KINDS, reports=(*KINDS.reports, Other))
    with pytest.raises(SpecError, match=r":2: reports.1: writes standings.csv, as another report; expected one of them$"):
        spec.parse_spec(f"{BOTS}reports: [csv, other]\n", kinds, "league.yaml")


def test_only_bots_are_required() -> None:
    read = parsed(BOTS)
    assert read.bots == (Entry("greedy"), Entry("cautious"))
    assert (read.title, read.seed, read.folder, read.text) == ("Tournament", None, "some", BOTS)
    assert (read.rules, read.format, read.time, read.faults) == (Rules(), RoundRobin(), TimeLimits(), FaultCosts())
    assert isinstance(read.rating, BradleyTerry)
    assert [type(part).__struct_config__.tag for part in read.reports] == ["console", "markdown", "json", "csv", "html"]


def test_every_part_is_created_with_its_options() -> None:
    read = parsed(
        f"{BOTS}rules: {{name: boxes, target: 60}}\nformat: {{pairs: 3}}\nsandbox: {{memory_mb: 64}}\nreports: [csv]\nseed: 7\n"
    )
    assert read.rules == Boxes(target=60)
    assert read.format == RoundRobin(pairs=3)
    assert read.reports == (CsvFile(),)
    assert read.sandbox == type(read.sandbox)(memory_mb=64)
    assert read.seed == "7"
    assert isinstance(parsed(f"{BOTS}sandbox: standard").sandbox, StandardSandbox)


def test_options_without_a_name_apply_to_the_default_part() -> None:
    assert parsed(f"{BOTS}rules: {{best_of: 1}}").rules == Rules(best_of=1)


@pytest.mark.rule("R2.5")
def test_the_largest_multiplier_of_a_format_is_that_of_the_rules() -> None:
    doubled = parsed(f"{BOTS}rules: {{name: oklahoma, double: spades}}\nformat: {{name: duel, multiplier: 7}}\n").format
    assert isinstance(doubled, Duel)
    assert doubled.multiplier == 2


@pytest.mark.parametrize("path", sorted(TOURNAMENTS.glob("*.yaml")), ids=lambda path: path.name)
def test_every_spec_that_comes_with_arena_is_valid(path: Path) -> None:
    assert spec.parse_spec(spec.spec_text(path), KINDS, str(path)).folder == str(TOURNAMENTS)


MISTAKES = [  # with the line that is named
    # not YAML, or not a mapping
    ("", 1),
    ("# nothing\n", 1),
    ("[greedy, cautious]", 1),
    (f"{BOTS}rules:\n\tname: x\n", 3),
    (f"{BOTS}rules: {{name: x\n", 2),
    (f"{BOTS}---\n{BOTS}", 2),
    (f"{BOTS}{BOTS}", 2),
    (f"{BOTS}time:\n  per_turn: 1\n  per_turn: 2\n", 4),
    (f"{BOTS}8: on\n", 2),
    ("bots: &a [*a, greedy]\n", 1),
    # unknown keys
    (f"{BOTS}rulse: tournament\n", 2),
    (f"{BOTS}rules:\n  gin_bonos: 3\n", 3),
    (f'{BOTS}"a\\nb": 1\n', 2),
    (f"{BOTS}name: Cup\n", 2),
    (f"{BOTS}format: {{pears: 3}}\n", 2),
    (f"{BOTS}time: {{per_trun: 2}}\n", 2),
    (f"{BOTS}faults:\n  cost: hand\n", 3),
    ("bots:\n  - greedy\n  - bot: cautious\n    nane: y\n", 4),
    (f"{BOTS}reports:\n  - console\n  - {{name: csv, file: x}}\n", 4),
    # names of parts
    (f"{BOTS}rules: tornament\n", 2),
    (f"{BOTS}rules:\n  name: boxs\n", 3),
    (f"{BOTS}format: rond-robin\n", 2),
    (f"{BOTS}format: {{name: swis}}\n", 2),
    (f"{BOTS}sandbox: standrad\n", 2),
    (f"{BOTS}rating: bradley\n", 2),
    (f"{BOTS}reports:\n- csv\n- consol\n", 4),
    # types
    (f"{BOTS}rules: 7\n", 2),
    (f"{BOTS}rules: [a]\n", 2),
    (f"{BOTS}rules:\n", 2),
    (f"{BOTS}rules: {{gin_bonus: many}}\n", 2),
    (f"{BOTS}rules: {{layoff_on_gin: maybe}}\n", 2),
    (f"{BOTS}format: {{pairs: 1.5}}\n", 2),
    (f"{BOTS}reports: console\n", 2),
    (f"{BOTS}reports: {'x' * 300}\n", 2),
    (f"{BOTS}title:\n", 2),
    (f"{BOTS}seed: [1]\n", 2),
    (f"{BOTS}rules: {{gin_bonus: 1:30}}\n", 2),
    (f"{BOTS}rules: {{gin_bonus: '20'}}\n", 2),
    (f"{BOTS}rules: {{gin_bonus: true}}\n", 2),
    (f"{BOTS}rules: {{layoff_on_gin: 1}}\n", 2),
    ("bots: greedy\n", 1),
    ("bots: {greedy: cautious}\n", 1),
    ("bots:\n  - greedy\n  -\n", 3),
    ("bots:\n  - greedy\n  - {bot: [7]}\n", 3),
    # impossible values
    (f"{BOTS}reports: [csv, console, csv]\n", 2),
    ("title: x\n", 1),
    ("title: x\nseason: {rounds: 5}\n", 2),
    ("title: x\nbots: [greedy]\n", 2),
    ("bots: [greedy, {name: x}]\n", 1),
    ("bots: [greedy, {bot: cautious, name: a b}]\n", 1),
    ('bots: [greedy, {bot: cautious, name: "x\\n"}]\n', 1),
    (f"{BOTS}rules:\n  name: boxes\n  best_of: 4\n", 4),
    (f"{BOTS}rules:\n  name: standard\n  knock_limit: -1\n", 4),
    (f"{BOTS}rules: {{target: 0}}\n", 2),
    (f"{BOTS}rules: {{tie: nothin}}\n", 2),
    (f"{BOTS}rules: {{big_gin_bonus: -3}}\n", 2),
    (f"{BOTS}format: {{pairs: 0}}\n", 2),
    (f"{BOTS}sandbox: {{memory_mb: 1}}\n", 2),
    (f"{BOTS}time: {{per_turn: 0}}\n", 2),
    (f"{BOTS}time: {{stall: -1}}\n", 2),
    (f"{BOTS}time: {{per_match: .nan}}\n", 2),
    (f"{BOTS}time: {{per_match: .inf}}\n", 2),
    (f"{BOTS}faults: {{costs: everything}}\n", 2),
    (f"{BOTS}faults: {{at_most: 0}}\n", 2),
    (f"{BOTS}title: ''\n", 2),
    (f"{BOTS}title: {'x' * 300}\n", 2),
    (f"{BOTS}seed: ''\n", 2),
    (f'{BOTS}title: "a \\ud800"\n', 2),
    (f'{BOTS}seed: "\\udfff"\n', 2),
    (f"{BOTS}format: {{name: batches, hands: 201}}\n", 2),
    (f"{BOTS}time: {{per_turn: 3, wall: 2}}\n", 2),
]


NUMBERS = [("1e-3", 0.001), ("1E-1", 0.1), (".05", 0.05), ("5.e-2", 0.05), ("0.000000001", 1e-9), ("1e-09", 1e-9), ("+0.25", 0.25)]
WHOLE = [("20_000", 20_000), ("2e4", 20_000), ("020", 20), ("0x10", 16), ("0o17", 15), ("4.0", 4), ("+12", 12)]


@pytest.mark.parametrize(("key", "written", "number"), [*(("alpha", *one) for one in NUMBERS), *(("hands", *one) for one in WHOLE)])
def test_a_number_may_have_any_usual_form(key: str, written: str, number: float) -> None:
    assert parsed(f"{BOTS}format: {{name: duel, {key}: {written}}}").format == Duel(**{key: number})  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["no", "on", "7", "007", "1e3", "1.10", "true", "0x1F"])
def test_where_a_text_is_expected_a_word_is_its_source_text(word: str) -> None:
    read = parsed(f"title: {word}\nbots: [{word}, {{bot: {word}, name: {word}}}]\nseed: {word}\n")
    assert (read.title, read.seed) == (word, word)
    assert read.bots == (Entry(word), Entry(word, word))


def test_a_date_and_a_time_are_texts() -> None:
    read = parsed(f"{BOTS}title: 2026-01-31\nseed: 20:15\n")
    assert (read.title, read.seed) == ("2026-01-31", "20:15")


@pytest.mark.parametrize(("word", "means"), [("yes", True), ("On", True), ("true", True), ("no", False), ("OFF", False)])
def test_yes_and_no_are_booleans_where_a_boolean_is_expected(word: str, *, means: bool) -> None:
    assert parsed(f"{BOTS}rules: {{layoff_on_gin: {word}}}").rules == Rules(layoff_on_gin=means)


VALUES = {"title": "7", "bots": [{"bot": "no"}, {"bot": "cautious", "name": "two"}]}


@pytest.mark.parametrize("alpha", [1e-9, 1e-300, 0.1 + 0.2 - 0.25, 0.05])
def test_a_spec_from_values_has_a_text_that_parses_to_the_same_spec(alpha: float) -> None:
    made = spec.spec_from_values({**VALUES, "format": Duel(alpha=alpha), "sandbox": StandardSandbox(memory_mb=64)}, KINDS)
    assert (made.format, made.sandbox) == (Duel(alpha=alpha), StandardSandbox(memory_mb=64))
    again = spec.parse_spec(made.text, KINDS, "spec.yaml")
    assert replace(again, text=made.text) == made


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"format": {"name": "duel", "alpha": 2.0}}, "format.alpha: expected a number < 1.0; found 2.0"),
        ({"format": "deul"}, "format.name: found 'deul'; did you mean 'duel'? expected one of "),
        ({"title": 7}, "title: expected a string; found 7"),
        ({"title": "\udcff"}, "'\\udcff': expected text that UTF-8 can hold"),
    ],
)
def test_a_mistake_in_values_has_no_line(more: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        spec.spec_from_values({**VALUES, **more}, KINDS)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("text", "line"), MISTAKES)
def test_a_mistake_is_reported_with_its_place(text: str, line: int) -> None:
    with pytest.raises(SpecError) as caught:
        parsed(text)
    assert (caught.value.path, caught.value.line) == ("some/league.yaml", line)


def test_a_mistake_is_one_line_that_says_what_was_found_and_what_was_expected(golden: Callable[[str, str], None]) -> None:
    golden("messages/spec.txt", refusals.page(SpecError, {text: partial(parsed, text) for text, _ in MISTAKES}))
    assert all(len(mistake(text)) < 500 for text, _ in MISTAKES)


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"league\.yaml: cannot be read: No such file or directory"):
        spec.spec_text(tmp_path / "league.yaml")
    (tmp_path / "league.yaml").write_bytes(b"title: \xff")
    with pytest.raises(SpecError, match=r"league\.yaml: cannot be read: it is not UTF-8"):
        spec.spec_text(tmp_path / "league.yaml")


@given(st.text(alphabet="abots:[]{}&*!|>'\"#%@`,-? \n\t0.7~é", max_size=60))
def test_any_text_is_a_spec_or_a_reported_mistake(text: str) -> None:
    try:
        parsed(BOTS + text)
    except SpecError as error:
        assert str(error).startswith("some/league.yaml:")  # noqa: PT017 - either outcome is right


def test_single_hands_are_rated_by_points_unless_the_spec_says_otherwise() -> None:
    assert parsed("bots: [greedy, cautious]\nformat: batches\n").rating == PointsRating()
    assert parsed("bots: [greedy, cautious]\nformat: {name: batches, hands: 20}\n").rating == PointsRating()
    assert parsed("bots: [greedy, cautious]\nformat: batches\nrating: bradley-terry\n").rating == BradleyTerry()
    assert parsed("bots: [greedy, cautious]\n").rating == BradleyTerry()
