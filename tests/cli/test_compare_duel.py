"""``arena duel`` and ``arena regress``.

The duel and the regression test that several tests look at are played by processes, as are bots that break. All other bots are
played in this process: what is tested is what becomes of their hands.
"""

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import pytest
from support.bots.inline import BAD, GOOD, THROWS, install_files
from typer.testing import CliRunner, Result

from arena.cli.app import build
from arena.compare.continued import next_part
from arena.compare.dueling import DuelTerms
from arena.compare.dueling import duel as duel_plan
from arena.errors import InputError, RosterError, StoreError
from arena.store.store import Store

FAST = ("--sandbox", "none", "--executor", "serial", "--seed", "duel", "--leg", "20")  # few starts

Arena = Callable[..., Result]


def write_bots(folder: Path) -> None:
    """Write a good bot, an older copy of it, and a bad one."""
    for name, text in (("good", GOOD), ("old", GOOD), ("bad", BAD)):
        (folder / f"{name}.py").write_text(text)


def run(*arguments: str) -> Result:
    """Run a command in the folder of the bots."""
    return CliRunner().invoke(build(), [arguments[0], *FAST, *arguments[1:]], catch_exceptions=False)


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Arena:
    """Return what runs a command in a folder of its own, that holds the bots."""
    monkeypatch.chdir(tmp_path)
    install_files(monkeypatch, GOOD, BAD)
    write_bots(tmp_path)
    return run


def message(result: Result) -> Any:
    return json.loads(result.stdout)


def once(folder: Path, *arguments: str) -> Any:
    """Run a command in a new folder with the bots, and return its message."""
    write_bots(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return message(run(*arguments, "--json"))


class Played(NamedTuple):
    """What was played once, for several tests."""

    message: Any
    folder: Path


@pytest.fixture(scope="module")
def duel(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Return a duel that was decided, in a folder that is not to be changed."""
    folder = tmp_path_factory.mktemp("duel")
    return Played(once(folder, "duel", "good.py:Mine", "bad.py:Mine"), folder)


@pytest.fixture
def decided(duel: Played, arena: Arena, tmp_path: Path) -> Callable[..., Result]:
    """Return what runs that duel's command again, on a copy of what it has played."""
    shutil.copytree(duel.folder, tmp_path, dirs_exist_ok=True)
    return partial(arena, "duel", "good.py:Mine", "bad.py:Mine", "--results", duel.message["results"])


@pytest.mark.process
def test_the_better_bot_is_shown_with_all_that_there_is_to_say(duel: Played) -> None:
    found = duel.message
    assert (found["a"], found["b"], found["verdict"]) == ("Mine", "Mine-2", "better")
    assert found["bounds"] == [0.0, 0.5]
    assert found["difference"]["low"] > 0
    assert found["decided"] <= found["hands"] <= 1000
    assert found["better"] >= found["proof"][0] == 20
    assert found["implied"]["games"]["value"] > 0.6
    assert found["implied"]["matches"]["value"] >= found["implied"]["games"]["value"] <= 1
    assert found["implied"]["match_wins"] > 0
    with Store(duel.folder / found["results"] / "arena.sqlite") as store:
        assert sum(len(record.hands) for record in store.records()) == found["hands"]
        assert all(hand.luck is not None for record in store.records() for hand in record.hands)


@pytest.mark.process
def test_a_person_reads_it_in_a_few_lines(decided: Arena) -> None:
    result = decided()
    first, gap, label, strip, ticks, end, apart, games, better, worse, cost, same, capped, written = result.stdout.splitlines()
    assert (gap, end) == ("", "")
    assert re.fullmatch(r" +[│┼─● ]+ \+\S+ \(\+\S+ to \+\S+\)", strip)
    assert label == "  Lead of Mine, points a hand"
    assert re.fullmatch(r" +0 +\+\S.*", ticks)
    assert re.fullmatch(r"Mine is stronger than Mine-2, decided after \d+(?: of \d+)? hands\.", first)
    sides = r"at least \+\S+ with 95 % and at most \+\S+ with 95 %, however often you look"
    assert re.fullmatch(rf"Difference: \+\S+ points a hand; {sides}\.", apart)
    assert re.fullmatch(r"\d+\.\d % of hands were worth more than 40 points, and count as 40\.", capped)
    assert "of games and" in games
    assert better.startswith("Evidence that Mine is stronger than Mine-2: ")
    assert worse.startswith("Evidence that it is not stronger than Mine-2 by 0.5 points a hand or more: ")
    assert "of at most 20,000 hands were played; a sequential test on independent match wins would take about" in cost
    assert "deals had the same result for both" in same
    assert written.startswith("Written to results/duel-of-mine-and-mine-2")
    assert "report.html" in written
    assert "arena replay results/" in written


@pytest.mark.process
def test_progress_counts_hands_and_evidence_and_never_more_than_all(arena: Arena) -> None:
    lines = [
        line
        for line in arena("duel", "good.py:Mine", "old.py:Mine", "--hands", "300").stderr.splitlines()
        if " of at most " in line
    ]
    assert lines[0] == "0 of at most 300 hands, evidence 1 (needs 20)"
    shown = [
        tuple(int(number.replace(",", "")) for number in re.findall(r"^([\d,]+) of at most ([\d,]+)", line)[0]) for line in lines
    ]
    assert all(hands <= most for hands, most in shown)
    assert [hands for hands, _ in shown] == sorted(hands for hands, _ in shown)
    assert all("-" not in line.partition(" left")[0].rpartition(", ")[2] for line in lines if " left" in line)


@pytest.mark.process
def test_the_files_of_a_duel_begin_with_its_verdict(duel: Played, decided: Arena) -> None:
    said, here = decided().stdout.splitlines()[0], duel.folder / duel.message["results"]
    assert list(json.loads((here / "results.json").read_text()).items())[:2] == [("schema", "arena/report/1"), ("summary", said)]
    assert (here / "report.md").read_text().splitlines()[2].replace("\\", "") == said
    page = (here / "report.html").read_text()
    who, _, how = said.rstrip(".").partition(", ")
    assert page.index(who) < page.index(how) < page.index("chart-evidence") < page.index('id="standings"')
    assert "matches" not in (here / "report.md").read_text().split("## Provenance")[0].replace("of matches", "")


@pytest.mark.process
def test_a_bot_against_itself_has_the_same_result_on_every_deal_and_is_played_all_the_same(arena: Arena) -> None:
    found = message(arena("duel", "good.py:Mine", "old.py:Mine", "--json", "--hands", "80"))
    assert found["same"] == found["pairs"] == 40
    assert (found["verdict"], found["difference"]["value"], found["plain"]) == ("undecided", 0.0, 0.0)
    assert (found["hands"], found["blocks"]) == (80, 2)


@pytest.mark.parametrize(
    ("bounds", "answer"),
    [
        (("0", "0.5"), "not stronger by 0.5 or more"),
        (("-0.5", "0"), "not weaker by 0.5 or more"),
        (("-0.2", "0.2"), "not weaker by 0.2 or more"),
    ],
)
def test_a_copy_is_the_same_program_so_nothing_is_played(
    arena: Arena, tmp_path: Path, bounds: tuple[str, str], answer: str
) -> None:
    copied(tmp_path)
    found = message(arena("duel", "good.py:Mine", "copy/good.py:Mine", "--bounds", *bounds, "--json"))
    assert (found["hands"], found["pairs"], found["answer"], found["results"]) == (0, 0, answer, None)
    assert found["difference"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert found["same_program"]
    assert not (tmp_path / "results").exists()
    assert arena("duel", "good.py:Mine", "copy/good.py:Mine").stdout == (
        "Mine and Mine-2 are the same program, so neither is better; nothing was played.\n"
    )


@pytest.mark.parametrize("statistic", ["equity", "games", "matches"])
def test_a_copy_is_the_same_program_by_every_statistic(arena: Arena, tmp_path: Path, statistic: str) -> None:
    copied(tmp_path)
    found = message(arena("duel", "good.py:Mine", "copy/good.py:Mine", "--statistic", statistic, "--json"))
    assert (found["hands"], found["verdict"]) == (0, "not as good")


def copied(folder: Path) -> None:
    (folder / "copy").mkdir(mode=0o755)
    shutil.copy(folder / "good.py", folder / "copy" / "good.py")


@pytest.mark.process
def test_a_duel_that_is_over_says_the_same_again_without_a_hand_more(duel: Played, decided: Arena) -> None:
    assert message(decided("--json")) == duel.message


@pytest.mark.process
def test_an_undecided_duel_is_continued_with_fresh_deals(arena: Arena, tmp_path: Path) -> None:
    first = message(arena("duel", "good.py:Mine", "old.py:Mine", "--json", "--hands", "80"))
    more = ("duel", "good.py:Mine", "old.py:Mine", "--json", "--hands", "40", "--continue", "--seed", "another")
    second = message(arena(*more))
    assert (first["hands"], second["hands"], second["pairs"]) == (80, 120, 60)
    assert second["better"] * second["worse"] != first["better"] * first["worse"]
    assert second["parts"] == [{"results": first["results"], "seed": first["seed"], "hands": 80}]
    assert second["results"] == f"{first['results']}/part-2"
    with Store(tmp_path / first["results"] / "arena.sqlite") as one, Store(tmp_path / second["results"] / "arena.sqlite") as two:
        deals = [{record.fixture.deals for record in store.records()} for store in (one, two)]
        assert not deals[0] & deals[1]
        assert two.fact("continues") == one.last_link()
    third = message(arena(*more))
    assert (third["hands"], third["results"], len(third["parts"])) == (160, f"{first['results']}/part-3", 2)


@pytest.mark.process
def test_a_continued_part_is_verified_with_the_part_before(arena: Arena, tmp_path: Path) -> None:
    arena("duel", "good.py:Mine", "old.py:Mine", "--results", "here", "--hands", "40")
    said = arena("duel", "good.py:Mine", "old.py:Mine", "--results", "here", "--hands", "40", "--continue")
    assert said.stdout.splitlines()[-1] == "40 of these hands are in here"
    verify = CliRunner().invoke(build(), ["verify", "here/part-2"], catch_exceptions=False)
    assert (verify.exit_code, "0 differences" in verify.stdout) == (0, True), verify.output
    with sqlite3.connect(tmp_path / "here" / "arena.sqlite") as database:
        database.execute("UPDATE run SET value = ? WHERE key = 'finished'", ("f" * 64,))
    verify = CliRunner().invoke(build(), ["verify", "here/part-2"], catch_exceptions=False)
    assert (verify.exit_code, "continues: the last link of the part before is ffff" in verify.output) == (1, True), verify.output


@pytest.mark.process
def test_an_interrupted_part_is_resumed(arena: Arena, tmp_path: Path) -> None:
    again = ("duel", "good.py:Mine", "old.py:Mine", "--results", "here", "--hands", "80", "--json", "--continue")
    arena("duel", "good.py:Mine", "old.py:Mine", "--results", "here", "--hands", "40")
    whole = message(arena(*again))
    with sqlite3.connect(tmp_path / "here" / "part-2" / "arena.sqlite") as database:
        database.execute("DELETE FROM run WHERE key = 'finished'")
    assert message(arena(*again)) == whole


@pytest.mark.process
def test_only_an_undecided_duel_is_continued(duel: Played, decided: Arena, arena: Arena) -> None:
    here = duel.message["results"]
    with pytest.raises(InputError, match="--continue: no duel of Mine and Mine-2 with these options in results/"):
        arena("duel", "good.py:Mine", "old.py:Mine", "--continue")
    with pytest.raises(InputError, match=f"{here}: this duel is decided: stronger; only an undecided one is continued"):
        decided("--continue")
    with pytest.raises(StoreError, match=r"format\.statistic was 'points'"):
        decided("--continue", "--statistic", "equity", "--bounds", "0", "0.5")


def test_a_part_is_not_taken_for_the_duel_that_it_continues(tmp_path: Path) -> None:
    (tmp_path / "arena.sqlite").touch()
    with pytest.raises(InputError, match=f"one part of a duel; expected the folder of the whole duel, {tmp_path}$"):
        next_part(partial(duel_plan, ()), DuelTerms(), None, tmp_path / "part-2")


@pytest.mark.process
def test_a_folder_of_another_duel_is_refused(arena: Arena) -> None:
    arena("duel", "good.py:Mine", "bad.py:Mine", "--results", "here", "--hands", "40")
    with pytest.raises(StoreError, match=r"format\.hands was 40"):
        arena("duel", "good.py:Mine", "bad.py:Mine", "--results", "here", "--hands", "80")


@pytest.mark.process
def test_equity_plays_from_scores_that_the_bots_are_shown(arena: Arena, tmp_path: Path) -> None:
    found = message(arena("duel", "good.py:Mine", "bad.py:Mine", "--statistic", "equity", "--hands", "80", "--json"))
    assert found["unit"] == "% of a game a hand"
    with Store(tmp_path / found["results"] / "arena.sqlite") as store:
        scores = [hand.score for record in store.records() for hand in record.hands]
    assert len(set(scores)) == 40, "each deal has one, the same in both legs"
    assert all(score is not None and max(score) < 250 for score in scores)


@pytest.mark.process
def test_games_and_matches_are_judged_by_wins(arena: Arena) -> None:
    asked = ("duel", "good.py:Mine", "bad.py:Mine", "--statistic", "games", "--hands", "150", "--results", "here")
    found = message(arena(*asked, "--json"))
    assert found["unit"] == "Elo"
    assert sum(found["pentanomial"]) == found["pairs"] > 0
    assert re.search(r"\nOf \d+ pairs Mine won both of \d+", arena(*asked).stdout)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--bounds", "1", "0"), "^bounds: 1 and 0; expected the first below the second, both between -40 and 40"),
        (("--bounds", "nan", "0"), "^--bounds: found nan; expected a finite number"),
        (("--alpha", "0"), r"^--alpha: found '0'; expected a number from 1e-09 to 0\.999$"),
        (("--hands", "1"), r"^--hands: found '1'; expected a whole number from 2 to 10000000$"),
        (("--hands", "1.5"), r"^--hands: found '1\.5'; expected a whole number from 2 to 10000000$"),
        (("--bounds", "x", "0"), r"^--bounds: found 'x'; expected a number$"),
        (("--bounds", "1"), r"^option '--bounds' requires 2 arguments$"),
        (("--statistic", "matches", "--bounds", "5", "0"), "^bounds: elo0: 5, elo1: 0"),
        (("--executor", "nowhere"), "expected one of .*local, serial"),
        (("--sandbox", "sand"), "standard"),
    ],
)
@pytest.mark.usefixtures("arena")
def test_terms_that_make_no_sense_are_one_line_of_the_user_s_fault(arguments: tuple[str, ...], what: str) -> None:
    with pytest.raises(InputError, match=what) as raised:
        CliRunner().invoke(build(), ["duel", "greedy", "cautious", *arguments], catch_exceptions=False)
    assert "\n" not in str(raised.value)


@pytest.mark.process
@pytest.mark.usefixtures("arena")
def test_a_bot_has_the_threads_that_it_asks_for(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parents[2] / "bots" / "awk_counter", tmp_path / "counter")
    manifest = tmp_path / "counter" / "bot.yaml"
    manifest.write_text(manifest.read_text() + "threads: 8\n")
    sandboxed = ["--hands", "4", "--leg", "2", "--sandbox", "standard", "--executor", "serial", "--json"]
    done = CliRunner().invoke(build(), ["duel", "counter/bot.yaml", "good.py:Mine", *sandboxed], catch_exceptions=False)
    found = message(done)
    assert found["hands"] == 4


@pytest.mark.process
def test_a_bot_that_breaks_is_not_passed_off_as_a_weak_one(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(THROWS.format(how="(lambda cards, key: 1 / 0)"))
    found = arena("duel", "broken.py:Mine", "good.py:Mine", "--hands", "40", "--leg", "4")
    lines = [line for line in found.stderr.splitlines() if line.startswith("arena: Mine: ")]
    assert len(lines) == 1
    assert " × ZeroDivisionError at broken.py:" in lines[0]
    assert ", asked to discard" in lines[0]


def test_a_bot_that_nobody_knows_is_the_user_s_fault(arena: Arena) -> None:
    with pytest.raises(RosterError, match="no bot 'nobody'"):
        arena("duel", "greedy", "nobody")


# --- regress


def regress(arena: Arena, candidate: str, against: str, *more: str) -> tuple[int, Any]:
    result = arena("regress", f"{candidate}.py:Mine", "--against", against, "--json", *more)
    return result.exit_code, message(result)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_an_explanation_says_what_the_changed_decisions_cost(arena: Arena) -> None:
    code, found = regress(arena, "bad", "good.py:Mine", "--explain")
    explained = found["explanation"]
    assert code == 4
    assert explained["gain"] < -2 * explained["se"] < 0
    assert explained["hands"] == 100
    _, plain = regress(arena, "good", "good.py:Mine")
    assert "explanation" not in plain


@pytest.mark.process
def test_a_weaker_bot_is_shown_by_exit_code_four(arena: Arena, tmp_path: Path) -> None:
    code, found = regress(arena, "bad", "good.py:Mine", "--gauntlet", "greedy", "--junit", "out.xml")
    assert (code, found["verdict"], found["baseline"]) == (4, "weaker", "Mine-baseline")
    assert len(found["parts"]) == 1, "who is weaker head to head need not meet the field"
    suite = ET.parse(tmp_path / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
    assert [failure.get("type") for failure in suite.iter("failure")] == ["weaker"]
    assert "better" not in (tmp_path / "out.xml").read_text()


@pytest.mark.process
def test_a_stronger_bot_passes_both_questions(arena: Arena) -> None:
    code, found = regress(arena, "good", "bad.py:Mine", "--gauntlet", "random-legal", "--stronger", "--leg", "5")
    assert (code, found["verdict"]) == (0, "stronger")
    head, field = found["parts"]
    assert (head["question"], head["outcome"]["bounds"]) == ("head to head", [0.0, 0.5])
    assert (field["question"], field["outcome"]["bounds"]) == ("against the field", [-1.0, 0.0])
    assert field["outcome"]["difference"]["value"] > 0


def test_a_copy_is_not_weaker_at_once_against_the_baseline_and_the_field(arena: Arena, tmp_path: Path) -> None:
    copied(tmp_path)
    options = ("--gauntlet", "greedy", "--junit", "out.xml")
    code, found = regress(arena, "good", "copy/good.py:Mine", *options)
    assert (code, found["verdict"]) == (0, "not weaker")
    assert [part["outcome"]["hands"] for part in found["parts"]] == [0, 0]
    assert [part["results"] for part in found["parts"]] == [None, None]
    assert not (tmp_path / "results").exists()
    suite = ET.parse(tmp_path / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "0", "0")


@pytest.mark.process
def test_what_the_limit_leaves_open_is_shown_by_exit_code_five(arena: Arena, tmp_path: Path) -> None:
    code, found = regress(arena, "good", "old.py:Mine", "--hands", "80", "--junit", "out.xml")
    assert (code, found["verdict"]) == (5, "undecided")
    assert ET.parse(tmp_path / "out.xml").getroot().get("errors") == "1"


@pytest.mark.process
def test_a_test_of_fixed_length_plays_all_its_hands(arena: Arena) -> None:
    code, found = regress(arena, "bad", "good.py:Mine", "--fixed", "200", "--leg", "10")
    assert (code, found["verdict"]) == (4, "weaker")
    outcome = found["parts"][0]["outcome"]
    assert (outcome["hands"], outcome["decided"]) == (200, 200)


def test_a_bot_against_itself_is_not_weaker_and_nowhere_called_better(arena: Arena, tmp_path: Path) -> None:
    code, found = regress(arena, "good", "good.py:Mine", "--junit", "out.xml")
    assert (code, found["verdict"], found["parts"][0]["answer"]) == (0, "not weaker", "not weaker by 0.5 or more")
    text = (tmp_path / "out.xml").read_text()
    assert "not weaker by 0.5 or more" in text
    assert "better" not in text


@pytest.mark.parametrize("place", ["nowhere/out.xml", "."])
def test_a_place_where_nothing_can_be_written_is_shown_before_anything_is_played(arena: Arena, tmp_path: Path, place: str) -> None:
    with pytest.raises(InputError, match=r"cannot be written: .*; expected a file in a folder that exists"):
        regress(arena, "bad", "good.py:Mine", "--junit", place)
    assert not (tmp_path / "results").exists()
