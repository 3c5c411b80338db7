"""A league as its organiser sees it: commands, in processes of their own."""

import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from random import Random

import pytest
from msgspec import json
from support.bots.inline import KNOCKS
from support.commands.calls import arena, command, document
from support.commands.runs import matches_stored, stored
from support.leagues.admitting import admitting
from support.processes.waiting import until
from support.sizes import size

from arena.league.leagues import new
from arena.league.submit import submit_bot

SPEC = """
title: Friday league
rules: {target: 10, best_of: 1}
sandbox: {name: none}
audition: {hands: 8}
pairing: {newcomer: 3}
suspension: {least: 4}
"""
KILLS = size(6, 40)
BROKEN = KNOCKS.replace("card = min", "card = mim")


def bot(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def entered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a league with two bots, in a folder with their files."""
    folder = tmp_path_factory.mktemp("leagues")
    (folder / "friday.yaml").write_text(SPEC)
    new(folder / "friday", folder / "friday.yaml")
    for name, limit in (("one", 10), ("two", 5)):
        path = bot(folder, name, KNOCKS.replace("{0}", str(limit)))
        with admitting():
            assert submit_bot(folder / "friday", str(path), "host", name, lambda _: None).joined
    return folder


@pytest.fixture
def league(entered: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copytree(entered, tmp_path / "leagues")) / "friday"


MISSPELT = "from arena.sdk import Bot\n\nclass Mine(Bot):\n    def thorws(self, view):\n        return super().throws(view)\n"


@pytest.mark.process
def test_commands_for_a_league_whose_folder_has_a_space_can_be_copied(tmp_path: Path) -> None:
    (tmp_path / "friday.yaml").write_text(SPEC)
    done = arena("league", "new", tmp_path / "on friday", "--spec", tmp_path / "friday.yaml")
    assert f"`arena league submit '{tmp_path}/on friday' BOT`" in done.stdout


@pytest.mark.process
def test_a_misspelt_method_is_shown_in_every_way_to_enter_a_bot(league: Path) -> None:
    path = bot(league.parent, "mine", MISSPELT)
    (league.parent / "spec.yaml").write_text("{bots: [mine.py, greedy], rules: {target: 10, best_of: 1}, sandbox: none}")
    for call in (
        ("league", "submit", league, path, "--author", "ann"),
        ("bots", "check", path, "--hands", 8, "--sandbox", "none"),
        ("run", league.parent / "spec.yaml", "--results", league.parent / "run"),
        ("match", path, "greedy", "--hands", 4, "--sandbox", "none"),
        ("duel", path, "greedy", "--hands", 8, "--sandbox", "none", "--results", league.parent / "duel"),
    ):
        done = arena(*call)
        warning = r"warning: Mine\.thorws \((mine|bot)\.py:4\) is never called; did you mean throws\?"
        assert re.search(warning, done.stdout + done.stderr), (call, done.stdout, done.stderr)


def run(league: Path, *options: object) -> "subprocess.CompletedProcess[str]":
    return arena("league", "run", league, "--workers", 1, *options)


@pytest.mark.process
def test_a_newcomer_opens_a_league_and_reads_from_its_table_who_leads_and_what_has_changed(league: Path) -> None:
    folder = league.parent

    def submit(name: str, text: str, author: str = "ann") -> "subprocess.CompletedProcess[str]":
        return arena("league", "submit", league, bot(folder, name, text), "--name", name, "--author", author)

    broken = submit("mine", BROKEN)
    assert broken.returncode == 2
    assert ": NameError at mine.py:7: name 'mim' is not defined" in broken.stderr
    assert broken.stderr.startswith("arena: ")
    assert len(broken.stderr.splitlines()) == 1
    assert "see it again: arena debug" in broken.stdout
    assert "mine.py" in broken.stdout.partition("arena debug")[2]
    copied = submit("mine", (folder / "one.py").read_text())
    assert (copied.returncode, copied.stderr.startswith("arena: 'mine' of ann is the same bot as one@1 of host")) == (2, True)
    assert submit("mine", KNOCKS.replace("{0}", "0")).stdout.startswith("mine@1 of ann joined;")
    assert run(league, "--matches", 6, "--quiet").stdout == "6 matches played, 1 round closed\n"
    assert submit("mine", KNOCKS.replace("{0}", "8")).stdout.startswith("mine@2 of ann joined in place of mine@1;")
    assert submit("mine", KNOCKS.replace("{0}", "8")).stdout.startswith("the same bot is in the league already: mine@2 of ann")
    assert run(league, "--matches", 6, "--quiet").returncode == 0
    assert arena("league", "retire", league, "two", "--reason", "slow").stdout == "two@1 is retired\n"
    rows = document("league", "table", league, "--json")["rows"]
    assert [list(row) for row in rows] == [
        [
            *("rank", "name", "author", "version", "digest", "rating", "low", "high", "places", "matches", "faults"),
            *("state", "second_legs", "reads_while_playing"),
        ]
    ] * 4
    assert [row["rank"] for row in rows] == [1, 2, None, None]
    assert {(row["name"], row["version"]): row["state"] for row in rows} == {
        ("one", 1): "active",
        ("mine", 2): "active",
        ("two", 1): "retired",
        ("mine", 1): "retired",
    }
    shown = arena("league", "table", league).stdout
    for line in (
        "mine@2 joined",
        "mine@1 was retired: replaced by mine@2",
        "a submission of mine was refused: hands: crash",
        "two@1 was retired: slow",
    ):
        assert f"- {line}" in shown
    assert "Since " in shown
    assert "mine@1" in arena("league", "show", league, "mine").stdout
    assert re.fullmatch(r"link [0-9a-f]{64}\nwitness: .*\n\d+ hands, 0 differences\n", arena("verify", league).stdout)
    assert arena("verify", league, "--replay", "--sandbox", "none").returncode == 0
    assert "mine@2" in arena("report", league).stdout
    assert "r1/" in arena("replay", league).stdout
    fixture = next(iter(stored(league)))
    assert "dealt" in arena("replay", league, fixture, "0.0").stdout
    assert arena("league", "export", league, folder / "public").returncode == 0
    assert arena("verify", folder / "public").returncode == 0


@pytest.mark.process
def test_a_second_run_is_refused_and_names_the_first_while_submissions_are_not(league: Path) -> None:
    with subprocess.Popen(
        command("league", "run", league, "--workers", "1"), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as first:
        wait_for_records(league, 1)
        second = run(league)
        assert second.returncode == 3
        assert second.stderr == f"arena: {league}: process {first.pid} is playing it already\n"
        path = bot(league.parent, "late", KNOCKS.replace("{0}", "3"))
        assert arena("league", "submit", league, path, "--name", "late", "--author", "zoe").returncode == 0
        assert arena("league", "table", league).returncode == 0
        before = len(stored(league))
        wait_for_records(league, before + 6)
        first.send_signal(signal.SIGTERM)
        _, said = first.communicate()
    assert first.returncode == 3
    assert "the same command resumes the run" in said
    assert any("late@1" in fixture for fixture in stored(league))
    assert arena("verify", league).returncode in (0, 3)
    assert run(league, "--for", "1s", "--quiet").returncode == 0


def wait_for_records(league: Path, count: int) -> None:
    until(lambda: len(stored(league)) >= count)


@pytest.mark.process
def test_a_teacher_sees_copies_beyond_the_template_with_the_cards_and_the_public_does_not(tmp_path: Path) -> None:
    (tmp_path / "course.yaml").write_text(f"{SPEC}templates: [starter.py]\n")
    league, classroom = tmp_path / "course", tmp_path / "class"
    classroom.mkdir()
    assert (
        "course.yaml: templates: no file 'starter.py'" in arena("league", "new", league, "--spec", tmp_path / "course.yaml").stderr
    )
    bot(tmp_path, "starter", "import none\nfrom arena.sdk import Bot\n\nclass Mine(Bot):\n    pass\n")
    assert "answers in no position" in arena("league", "new", league, "--spec", tmp_path / "course.yaml").stderr
    starter, copied = (
        KNOCKS.replace("{0}", "10"),
        KNOCKS.replace("deadwood(view.without(card)))", "deadwood(view.without(card)) // 4)"),
    )
    bot(tmp_path, "starter", starter)
    assert arena("league", "new", league, "--spec", tmp_path / "course.yaml").returncode == 0
    for name, text in {"ann": copied, "bob": copied, "cat": starter, "dan": starter}.items():
        bot(classroom, name, f"{text}# {name}\n".replace("{0}", "10"))
    assert arena("league", "submit", league, "--all", classroom, "--workers", 1).returncode == 0
    assert run(league, "--rounds", 1, "--quiet").returncode == 0
    said = arena("league", "likeness", league, "--html", tmp_path / "suspected.html").stdout
    template = r"2 bots decide like the template starter\.py in at least (\d+) of \1 positions: cat@1, dan@1\n"
    assert re.match(template + "ann@1 and bob@1 decide alike", said)
    page = (tmp_path / "suspected.html").read_text()
    assert ("pile " in page, "; the template starter.py: <code>" in page, (tmp_path / "suspected.html").stat().st_mode & 0o77) == (
        True,
        True,
        0,
    )
    assert "decide alike" in arena("league", "table", league).stdout
    assert arena("verify", league).returncode == 0
    assert arena("league", "export", league, tmp_path / "public").returncode == 0
    assert "decide alike" not in (tmp_path / "public" / "index.html").read_text()


@pytest.mark.process
def test_a_class_that_is_stopped_keeps_what_was_tested_and_a_line_break_in_a_name_makes_no_second_line(league: Path) -> None:
    classroom = league.parent / "class"
    classroom.mkdir()
    for name in ("a\nb", *(f"late{number}" for number in range(30))):
        bot(classroom, name, f"{KNOCKS}# {name!r}\n".replace("{0}", "3"))
    asked = command("league", "submit", league, "--all", classroom, "--workers", "1")
    with subprocess.Popen(asked, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as first:
        assert first.stderr
        assert first.stderr.readline() == "1 of 31: a\\nb.py: joined\n"
        first.send_signal(signal.SIGINT)
        _, said = first.communicate()
    assert (league / "submissions.json").exists()
    assert said.endswith("stopped; the outcomes so far are kept, and the same command tests the others\n")
    assert first.returncode == 3


@pytest.mark.process
def test_an_event_of_the_best_that_is_killed_continues_with_the_same_bots_changes_no_rating_and_is_verified(league: Path) -> None:
    (league.parent / "cup.yaml").write_text("title: Cup\nformat: {name: knockout, pairs: 15}\nreports: [console]\n")
    asked = ("league", "cup", league, league.parent / "cup.yaml", "--workers", 1, "--from-table")
    assert "0 bots that play have a rank" in arena(*asked, 2).stderr
    assert run(league, "--rounds", 1, "--quiet").returncode == 0
    with subprocess.Popen(command(*asked, 2), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as first:
        until(lambda: matches_stored(league / "events" / "cup") >= 3)
        first.kill()
    assert arena("league", "retire", league, "one").returncode == 0
    before = document("league", "table", league, "--json")["rows"]
    assert "cup cup" not in arena("verify", league).stdout
    assert "was decided with the best 2" in arena(*asked, 3).stderr
    done = arena(*asked, 2)
    assert ("Cup" in done.stdout, done.returncode) == (True, 0), done.stderr
    assert len(stored(league / "events" / "cup")) >= 30
    assert arena(*asked, 2).returncode == 0
    assert "won the cup cup" in arena("league", "table", league).stdout
    after = document("league", "table", league, "--json")["rows"]
    assert {row["name"]: row["rating"] for row in after} == {row["name"]: row["rating"] for row in before}
    assert "cup cup: " in arena("verify", league).stdout
    assert arena("verify", league / "events" / "cup", "--replay", "--sandbox", "none").returncode == 0
    assert arena("league", "export", league, league.parent / "public").returncode == 0
    assert "cup cup: " in arena("verify", league.parent / "public").stdout
    shutil.copy(league / "arena.sqlite", league / "events" / "cup" / "arena.sqlite")
    assert arena("verify", league).stdout.startswith("difference: events/cup: ")


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "LEAGUE", "--for", "soon"), "found 'soon'; expected a duration as 90s, 10m, 12h, 1d or 2w"),
        (("table", "LEAGUE", "--since", "x"), "found 'x'; expected a duration as 12h or 1d, or a date as 2026-01-31"),
        (("show", "LEAGUE", "who"), "no bot 'who' in this league; expected one of one, two"),
        (("show", "LEAGUE", "one@7"), "no bot 'one@7' in this league; expected one of one@1"),
        (("retire", "LEAGUE", "who"), "no bot 'who' in this league; expected one of one, two"),
        (("submit", "LEAGUE", "nowhere.py:Mine"), "no file 'nowhere.py' in "),
        (("submit", "LEAGUE", "greedy", "--workers", "2"), "found --author-from or --workers without --all"),
        (("submit", "LEAGUE", "gredy"), "no bot 'gredy'; did you mean 'greedy'?"),
        (("table", "nowhere"), "nowhere: not the folder of a league"),
        (("tokens", "nowhere"), "nowhere: not the folder of a league"),
        (("token", "LEAGUE", "ann", "--revoke", "--expires", "soon"), "found 'soon'; expected a duration"),
        (("run", "LEAGUE", "--for", ""), "--for: found an empty value; expected another, or none at all"),
        (("new", "LEAGUE", "--spec", "nowhere.yaml"), "nowhere.yaml: cannot be read: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line(league: Path, arguments: tuple[str, ...], message: str) -> None:
    done = arena("league", *(str(league) if word == "LEAGUE" else word for word in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("arena: ")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_tournament_is_not_played_in_the_folder_of_a_league_nor_the_other_way(league: Path) -> None:
    (league.parent / "cup.yaml").write_text(
        "title: Cup\nbots: [greedy, cautious]\nrules: {target: 10, best_of: 1}\nsandbox: none\n"
    )
    done = arena("run", league.parent / "cup.yaml", "--results", league)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        2,
        f"arena: {league}: holds a run of the kind 'league', not a tournament; expected another folder",
    )


@pytest.mark.process
def test_an_edited_spec_is_shown_and_not_played(league: Path) -> None:
    (league / "league.yaml").write_text(f"# as we agreed{SPEC}")
    assert run(league, "--matches", 1, "--quiet").returncode == 0, "a comment changes nothing"
    (league / "league.yaml").write_text(SPEC.replace("target: 10", "target: 20"))
    done = run(league, "--matches", 1)
    said = f"arena: {league}/league.yaml: rules.target was 10, and is 20 now; a league keeps the spec that it was made with: "
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith(said)
    table = arena("league", "table", league)
    assert (table.returncode, table.stderr) == (0, done.stderr)
    (league / "league.yaml").write_text("title: [")
    assert run(league).stderr.startswith(f"arena: {league}/league.yaml:")
    (league / "league.yaml").unlink()
    assert run(league, "--matches", 1, "--quiet").returncode == 0


@pytest.mark.parametrize(
    ("option", "at"),
    [("--at", "0001-01-01"), ("--at", "9999-12-31"), ("--since", "0001-01-01T00:00:00"), ("--at", "1969-12-31")],
)
def test_a_table_can_be_shown_at_the_ends_of_the_calendar(league: Path, option: str, at: str) -> None:
    done = arena("league", "table", league, option, at)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "10000-01-01"])
def test_a_moment_outside_the_calendar_is_refused(league: Path, at: str) -> None:
    done = arena("league", "table", league, "--at", at)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith(f"arena: found '{at}'")


@pytest.mark.slow
def test_of_submissions_at_once_no_more_join_than_the_spec_allows(league: Path) -> None:
    paths = [bot(league.parent, f"b{limit}", KNOCKS.replace("{0}", str(limit))) for limit in (1, 2, 3, 4, 6)]
    calls = [command("league", "submit", league, path, "--name", path.stem, "--author", "ann") for path in paths]
    several = [subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for call in calls]
    ends = [(one.communicate(), one.returncode) for one in several]
    assert sorted(code for _, code in ends) == [0, 0, 0, 2, 2]
    assert all("ann has 3 active bots" in said for (_, said), code in ends if code)
    rows = document("league", "table", league, "--json")["rows"]
    assert sum(row["author"] == "ann" for row in rows) == 3
    assert arena("verify", league).returncode == 0


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_league_killed_at_random_moments_loses_and_repeats_nothing(league: Path) -> None:
    chance, kills = Random(5), 0
    while kills < KILLS:
        with subprocess.Popen(
            command("league", "run", league, "--workers", "2"), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        ) as playing:
            wait_for_records(league, len(stored(league)) + chance.randrange(6))
            time.sleep(chance.uniform(0, 0.2))
            if kills == KILLS // 2:
                path = bot(league.parent, "late", KNOCKS.replace("{0}", "3"))
                assert arena("league", "submit", league, path, "--name", "late").returncode == 0
            playing.send_signal(chance.choice((signal.SIGKILL, signal.SIGTERM)))
        kills += 1
        done = arena("verify", league)
        assert done.returncode in (0, 3), done.stdout + done.stderr
    assert run(league, "--matches", 4, "--quiet").returncode == 0
    assert len(stored(league)) > KILLS
    rows = json.decode(arena("league", "table", league, "--json").stdout)["rows"]
    assert sum(row["matches"] for row in rows) == 2 * len(stored(league))


@pytest.mark.process
def test_a_challenge_is_asked_for_played_and_verified(league: Path) -> None:
    path = bot(league.parent, "mine", KNOCKS.replace("{0}", "0"))
    assert arena("league", "submit", league, path, "--name", "mine", "--author", "ann").returncode == 0
    refused = arena("league", "challenge", league, "one", "two")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "one@1 and two@1 are both of host; expected a bot of another author" in refused.stderr
    asked = arena("league", "challenge", league, "mine", "one")
    assert asked.stdout == "mine@1 meets one@1 in a later round; 1 waiting, with this one\n"
    assert run(league, "--rounds", 2, "--quiet").returncode == 0
    [place] = {name.rpartition("/")[0] for name in stored(league) if "/q" in name}
    assert place == "r2/mine@1:one@1/q11"
    assert "rated matches on request: 1 asked for, 1 played, 0 waiting" in arena("league", "table", league).stdout
    assert arena("verify", league, "--replay", "--sandbox", "none").returncode == 0
