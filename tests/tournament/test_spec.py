"""The YAML file of a tournament: valid values, and the messages for mistakes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import SpecError
from arena.gin.rules import Rules
from arena.gin.rulesets import Boxes
from arena.players.process_player import TimeLimits
from arena.players.sandboxes import StandardSandbox
from arena.plugins import manager
from arena.referee.referee import FaultCosts
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
    return spec.parse(text, KINDS, "some/league.yaml")


def mistake(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        parsed(text)
    return str(caught.value)


class Other(CsvFile, frozen=True, kw_only=True, tag="other"):
    """Writes the file of another report."""


def test_two_reports_do_not_write_one_file() -> None:
    kinds = replace(KINDS, reports=(*KINDS.reports, Other))
    with pytest.raises(SpecError, match=r":2: reports.1: writes standings.csv, as another report; expected one of them$"):
        spec.parse(f"{BOTS}reports: [csv, other]\n", kinds, "league.yaml")


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
    assert spec.load(path, KINDS).folder == str(TOURNAMENTS)


RULES = "target, best_of, knock_limit, ace, gin_bonus, undercut_bonus, tie"
RULESETS = "boxes, classic, fiftieth-card, hollywood, oklahoma, points-list, standard, straight, summary, tournament, under-ten"
MISTAKES = [
    # not YAML, or not a mapping
    ("", "1: found nothing; expected a mapping of keys to values"),
    ("# nothing\n", "1: found nothing; expected a mapping of keys to values"),
    ("[greedy, cautious]", "1: found a list; expected a mapping of keys to values"),
    (f"{BOTS}rules:\n\tname: x\n", "3: found a tab; expected spaces, with which YAML indents"),
    (f"{BOTS}rules: {{name: x\n", "2: found a bracket { that is not closed"),
    (f"{BOTS}---\n{BOTS}", "2: found a second document; expected one"),
    (f"{BOTS}{BOTS}", "2: key 'bots' is given twice"),
    (f"{BOTS}time:\n  per_turn: 1\n  per_turn: 2\n", "4: key 'per_turn' is given twice"),
    (f"{BOTS}8: on\n", "2: key '8' is not a string; write it as '8'"),
    ("bots: &a [*a, greedy]\n", "1: bots.0: expected a name or a mapping; found a list of 2"),
    # unknown keys
    (
        f"{BOTS}rulse: tournament\n",
        "2: rulse: unknown key; did you mean 'rules'? expected one of bots, rules, format, sandbox, rating, reports",
    ),
    (
        f"{BOTS}rules:\n  gin_bonos: 3\n",
        f"3: rules.gin_bonos: unknown key; did you mean 'gin_bonus'? expected one of name, {RULES}",
    ),
    (f'{BOTS}"a\\nb": 1\n', "2: a\\nb: unknown key; expected one of bots, rules"),
    (f"{BOTS}name: Cup\n", "2: name: unknown key; did you mean 'title'? expected one of bots, rules"),
    (f"{BOTS}format: {{pears: 3}}\n", "2: format.pears: unknown key; did you mean 'pairs'? expected one of name, pairs"),
    (
        f"{BOTS}time: {{per_trun: 2}}\n",
        "2: time.per_trun: unknown key; did you mean 'per_turn'? expected one of per_turn, per_match, stall",
    ),
    (f"{BOTS}faults:\n  cost: hand\n", "3: faults.cost: unknown key; did you mean 'costs'? expected one of costs, at_most, points"),
    (
        "bots:\n  - greedy\n  - bot: cautious\n    nane: y\n",
        "4: bots.1.nane: unknown key; did you mean 'name'? expected one of bot, name",
    ),
    (f"{BOTS}reports:\n  - console\n  - {{name: csv, file: x}}\n", "4: reports.1.file: unknown key; expected one of name"),
    # names of parts
    (f"{BOTS}rules: tornament\n", f"2: rules.name: found 'tornament'; did you mean 'tournament'? expected one of {RULESETS}"),
    (f"{BOTS}rules:\n  name: boxs\n", f"3: rules.name: found 'boxs'; did you mean 'boxes'? expected one of {RULESETS}"),
    (f"{BOTS}format: rond-robin\n", "2: format.name: found 'rond-robin'; did you mean 'round-robin'? expected one of "),
    (f"{BOTS}format: {{name: swis}}\n", "2: format.name: found 'swis'; "),
    (f"{BOTS}sandbox: standrad\n", "2: sandbox.name: found 'standrad'; did you mean 'standard'? expected one of none, standard"),
    (f"{BOTS}rating: bradley\n", "2: rating.name: found 'bradley'; did you mean 'bradley-terry'? expected one of bradley-terry"),
    (
        f"{BOTS}reports:\n- csv\n- consol\n",
        "4: reports.1.name: found 'consol'; did you mean 'console'? expected one of console, csv, html, json",
    ),
    # types
    (f"{BOTS}rules: 7\n", "2: rules: expected a name or a mapping; found 7"),
    (f"{BOTS}rules: [a]\n", "2: rules: expected a name or a mapping; found a list of 1"),
    (f"{BOTS}rules:\n", "2: rules: expected a name or a mapping; found nothing"),
    (f"{BOTS}rules: {{gin_bonus: many}}\n", "2: rules.gin_bonus: expected a whole number; found 'many'"),
    (f"{BOTS}rules: {{layoff_on_gin: maybe}}\n", "2: rules.layoff_on_gin: expected true or false; found 'maybe'"),
    (f"{BOTS}format: {{pairs: 1.5}}\n", "2: format.pairs: expected a whole number; found 1.5"),
    (f"{BOTS}reports: console\n", "2: reports: expected a list; found 'console'"),
    (f"{BOTS}reports: {'x' * 300}\n", f"2: reports: expected a list; found '{'x' * 78}…; did you mean [{'x' * 79}…]?"),
    (f"{BOTS}title:\n", "2: title: expected a string; found nothing"),
    (f"{BOTS}seed: [1]\n", "2: seed: expected a string or nothing; found a list of 1"),
    (f"{BOTS}rules: {{gin_bonus: 1:30}}\n", "2: rules.gin_bonus: expected a whole number; found '1:30'"),
    (f"{BOTS}rules: {{gin_bonus: '20'}}\n", "2: rules.gin_bonus: expected a whole number; found '20'"),
    (f"{BOTS}rules: {{gin_bonus: true}}\n", "2: rules.gin_bonus: expected a whole number; found True"),
    (f"{BOTS}rules: {{layoff_on_gin: 1}}\n", "2: rules.layoff_on_gin: expected true or false; found 1"),
    ("bots: greedy\n", "1: bots: expected a list; found 'greedy'"),
    ("bots: {greedy: cautious}\n", "1: bots: expected a list; found a mapping of 1"),
    ("bots:\n  - greedy\n  -\n", "3: bots.1.bot: expected a string; found nothing"),
    ("bots:\n  - greedy\n  - {bot: [7]}\n", "3: bots.1.bot: expected a string; found a list of 1"),
    # impossible values
    (f"{BOTS}reports: [csv, console, csv]\n", "2: reports.2: 'csv' is named 2 times; expected once"),
    ("title: x\n", "1: bots: missing; only the spec of a league has none; `arena league new DIR --spec FILE` makes a league"),
    ("title: x\nseason: {rounds: 5}\n", "2: season: only the spec of a league has it; `arena league new DIR"),
    ("title: x\nbots: [greedy]\n", "2: bots: expected a list of length >= 2; found a list of 1"),
    ("bots: [greedy, {name: x}]\n", "1: bots.1: 'bot' is missing"),
    ("bots: [greedy, {bot: cautious, name: a b}]\n", "1: bots.1.name: expected a name of at most 50 letters"),
    ('bots: [greedy, {bot: cautious, name: "x\\n"}]\n', "1: bots.1.name: expected a name of at most 50 letters"),
    (f"{BOTS}rules:\n  name: boxes\n  best_of: 4\n", "4: rules.best_of: 4 can end in a tie; expected an odd number"),
    (f"{BOTS}rules:\n  name: standard\n  knock_limit: -1\n", "4: rules.knock_limit: expected a whole number >= 0; found -1"),
    (f"{BOTS}rules: {{target: 0}}\n", "2: rules.target: expected a whole number >= 1; found 0"),
    (f"{BOTS}rules: {{tie: nothin}}\n", "2: rules.tie: found 'nothin'; did you mean 'nothing'? expected one of nothing, undercut"),
    (f"{BOTS}rules: {{big_gin_bonus: -3}}\n", "2: rules.big_gin_bonus: expected a whole number >= 0; found -3"),
    (f"{BOTS}format: {{pairs: 0}}\n", "2: format.pairs: expected a whole number >= 1; found 0"),
    (f"{BOTS}sandbox: {{memory_mb: 1}}\n", "2: sandbox.memory_mb: expected a whole number >= 16; found 1"),
    (f"{BOTS}time: {{per_turn: 0}}\n", "2: time.per_turn: expected a number > 0.0; found 0"),
    (f"{BOTS}time: {{stall: -1}}\n", "2: time.stall: expected a number > 0.0; found -1"),
    (f"{BOTS}time: {{per_match: .nan}}\n", "2: time.per_match: expected a number "),
    (f"{BOTS}time: {{per_match: .inf}}\n", "2: time.per_match: expected a number <= 1000000.0; found inf"),
    (f"{BOTS}faults: {{costs: everything}}\n", "2: faults.costs: found 'everything'; expected one of game, hand, match"),
    (f"{BOTS}faults: {{at_most: 0}}\n", "2: faults.at_most: expected a whole number >= 1; found 0"),
    (f"{BOTS}title: ''\n", "2: title: expected a string of length >= 1; found ''"),
    (f"{BOTS}title: {'x' * 300}\n", f"2: title: expected a string of length <= 200; found '{'x' * 78}…"),
    (f"{BOTS}seed: ''\n", "2: seed: expected a string of length >= 1; found ''"),
    (f'{BOTS}title: "a \\ud800"\n', "2: character '\\ud800' is not allowed"),
    (f'{BOTS}seed: "\\udfff"\n', "2: character '\\udfff' is not allowed"),
    (
        f"{BOTS}format: {{name: batches, hands: 201}}\n",
        "2: format.hands: expected a whole number that's a multiple of 2; found 201",
    ),
    (
        f"{BOTS}time: {{per_turn: 3, wall: 2}}\n",
        "2: time.wall: found 2; expected at least the larger of the other limits of an answer (per_turn is 3, stall is 2)",
    ),
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
    made = spec.from_values({**VALUES, "format": Duel(alpha=alpha), "sandbox": StandardSandbox(memory_mb=64)}, KINDS)
    assert (made.format, made.sandbox) == (Duel(alpha=alpha), StandardSandbox(memory_mb=64))
    again = spec.parse(made.text, KINDS, "spec.yaml")
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
        spec.from_values({**VALUES, **more}, KINDS)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[message for _, message in MISTAKES])
def test_a_mistake_is_reported_in_one_line_with_its_place_and_what_was_expected(text: str, message: str) -> None:
    line = mistake(text)
    assert line.startswith(f"some/league.yaml:{message}")
    assert "\n" not in line
    assert len(line) < 500


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"league\.yaml: cannot be read: No such file or directory"):
        spec.load(tmp_path / "league.yaml", KINDS)
    (tmp_path / "league.yaml").write_bytes(b"title: \xff")
    with pytest.raises(SpecError, match=r"league\.yaml: cannot be read: it is not UTF-8"):
        spec.load(tmp_path / "league.yaml", KINDS)


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
