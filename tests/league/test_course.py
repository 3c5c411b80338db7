"""A course: whose each entry is, and what is submitted of it."""

import os
import unicodedata
from pathlib import Path

import pytest
from msgspec import json
from support.hostile.submissions import BOT, zip_of

from arena.errors import InputError
from arena.league import course, entries
from arena.league.course import BulkOutcome, BulkSubmission, stored_outcomes
from arena.league.entries import BulkEntry
from arena.league.leagues import new
from arena.league.membership import retire
from arena.league.submission_lines import SubmissionLine
from arena.tournament.audition import LAST_STEP, Finding


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[BulkEntry]:
    """Return the entries that are submitted; each joins."""
    done: list[BulkEntry] = []

    def join(_: Path, one: BulkEntry, path: Path) -> BulkOutcome:
        done.append(one)
        assert path.exists()
        return BulkOutcome(entry=one.name, author=one.author, state="joined", bot=f"{one.bot}@1")

    monkeypatch.setattr(course, "_submit", join)
    return done


def submit(league: Path, source: Path, author_from: str = "filename") -> BulkSubmission:
    return course.submit_all(league, source, author_from, 1, lambda *_: None)


def handed_in(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(BOT)
    return folder


def authors(done: BulkSubmission) -> dict[str, str]:
    return {one.entry: one.author for one in done.entries if one.state == "joined"}


@pytest.mark.usefixtures("submitted")
def test_the_author_is_in_the_name_of_the_file_also_as_a_system_of_courses_writes_it(league: Path, tmp_path: Path) -> None:
    of_systems = ("Zoë Li_123_assignsubmission_file_/mine.py", "bob_LATE_12_34_mine.py")
    done = submit(league, handed_in(tmp_path / "class", "ann.py", *of_systems, "cat/bot.yaml", ".DS_Store", "__MACOSX/x"))
    names = {"ann.py": "ann", "Zoë Li_123_assignsubmission_file_": "Zoe-Li", "bob_LATE_12_34_mine.py": "bob", "cat": "cat"}
    assert authors(done) == names


def test_of_a_folder_the_one_bot_in_it_is_submitted_and_several_entries_of_an_author_have_names_of_their_own(
    league: Path, tmp_path: Path, submitted: list[BulkEntry]
) -> None:
    names = ("ann/deep/mine.py", "ben/one.py", "ben/notes.txt", "cat_1_a.py", "cat_2_b.py", "dan/pkg/__init__.py")
    submit(league, handed_in(tmp_path / "class", *names))
    assert [(one.path.name, one.bot) for one in submitted] == [
        ("mine.py", "ann"),
        ("ben", "ben"),
        ("cat_1_a.py", "cat-a"),
        ("cat_2_b.py", "cat-b"),
        ("pkg", "dan"),
    ]


def test_of_two_bots_of_an_author_with_one_name_the_second_is_refused(
    league: Path, tmp_path: Path, submitted: list[BulkEntry]
) -> None:
    done = submit(league, handed_in(tmp_path / "class", "ann_1_bot.py", "ann_2_bot.py", "ben_3_bot.py"))
    assert [(one.author, one.bot) for one in submitted] == [("ann", "ann-bot"), ("ben", "ben")]
    assert done.entries[1].reason.startswith("another bot of ann is called ann-bot too")


@pytest.mark.usefixtures("submitted")
def test_what_has_no_author_or_is_no_bot_is_refused_alone(league: Path, tmp_path: Path) -> None:
    folder = handed_in(tmp_path / "class", "ann b.py", "ann-b.py", "ben.py", "日本.py", "notes.txt", "empty/x.txt", "real/mine.py")
    (folder / "link.py").symlink_to(folder / "ben.py")
    done = submit(league, folder)
    assert authors(done) == {"ann b.py": "ann-b", "ben.py": "ben", "real": "real"}
    assert {one.entry for one in done.entries if one.reason.startswith("neither")} == {"notes.txt", "empty", "link.py"}
    assert "'ann-b' and 'ann b' would both be called ann-b" in next(one.reason for one in done.entries if one.entry == "ann-b.py")
    assert {one.entry for one in submit(league, folder, "folder").entries if "no folder" in one.reason} >= {"ben.py", "ann b.py"}


@pytest.mark.usefixtures("submitted")
def test_a_table_names_authors_and_bots_and_its_files_that_are_missing_are_named(league: Path, tmp_path: Path) -> None:
    table = tmp_path / "authors.csv"
    table.write_text("\ufeffFile,author,name\na.py,Ann,best\nb.py,Ben,\nc.py,Cat,not valid!\ngone.py,Dan,\n", encoding="utf-8")
    done = submit(league, handed_in(tmp_path / "class", "a.py", "b.py", "c.py", "d.py"), str(table))
    assert [(one.author, one.bot) for one in done.entries] == [("Ann", "best@1"), ("Ben", "Ben@1"), ("Cat", ""), ("", "")]
    assert done.missing == ("gone.py",)
    table.write_text("file,author\na.py,Ann\na.py,Ben\n")
    with pytest.raises(InputError, match=r"authors.csv:3: 'a.py' stands there twice"):
        submit(league, tmp_path / "class", str(table))
    table.write_text(f'file,author\n"a.py,Ann\n{"b.py,Ben" * 20_000}')  # a quote that is never closed
    with pytest.raises(InputError, match=r"authors.csv:2: cannot be read: field larger than field limit .*; expected a CSV file"):
        submit(league, tmp_path / "class", str(table))
    table.write_text("name\n")
    with pytest.raises(InputError, match=r"no column 'file'; found name, expected file and author"):
        submit(league, tmp_path / "class", str(table))


@pytest.mark.usefixtures("submitted")
def test_a_table_names_a_file_also_if_its_accents_are_written_as_macos_writes_them(league: Path, tmp_path: Path) -> None:
    table = tmp_path / "authors.csv"
    table.write_text("file,author\njürgen.py,Jürgen\n", encoding="utf-8")
    folder = handed_in(tmp_path / "class", unicodedata.normalize("NFD", "jürgen.py"))
    done = submit(league, folder, str(table))
    assert ([one.author for one in done.entries], done.missing) == (["Jurgen"], ())


@pytest.mark.usefixtures("submitted")
def test_a_table_without_rows_names_no_authors(league: Path, tmp_path: Path) -> None:
    (tmp_path / "authors.csv").write_text("file,author\n")
    (done,) = submit(league, handed_in(tmp_path / "class", "ann.py"), str(tmp_path / "authors.csv")).entries
    assert (done.state, done.author) == ("refused", "")
    assert done.reason.endswith("authors.csv has no row for it")


@pytest.mark.usefixtures("submitted")
def test_names_of_files_that_are_not_utf_8_and_old_files_stop_no_class(league: Path, tmp_path: Path) -> None:
    folder = handed_in(tmp_path / "class", "Z\udcf6_1_bot.py", "ann/__init__.py", "ben/__init__.py", "ben/\udcf6.py")
    os.utime(folder / "ann" / "__init__.py", (0, 0))
    done = {one.entry: one for one in submit(league, folder).entries}
    assert {name: one.state for name, one in done.items()} == {"Z\\udcf6_1_bot.py": "joined", "ann": "joined", "ben": "refused"}
    assert done["ben"].reason == "a file in it has a name that is not UTF-8"
    assert set(stored_outcomes(league).values()) == {one for one in done.values() if one.state == "joined"}


@pytest.mark.usefixtures("submitted")
def test_a_folder_that_cannot_be_read_stops_no_class_unless_it_is_the_only_one(
    league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbid(path: Path) -> bool:  # root may read every folder
        raise PermissionError(13, "Permission denied", str(path))

    folder = handed_in(tmp_path / "class", "ann/bot.py", "ben.py")
    monkeypatch.setattr(entries, "_is_bot_folder", forbid)
    done = submit(league, folder)
    assert [(one.state, one.reason) for one in done.entries] == [("refused", "cannot be read: Permission denied"), ("joined", "")]
    (folder / "ben.py").unlink()
    with pytest.raises(InputError, match="class: cannot be read: Permission denied"):
        submit(league, folder)


@pytest.mark.process
def test_a_second_call_tests_only_what_is_new_or_changed(league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    submitted, original = list[str](), course._submit  # noqa: SLF001 - to note whom it submits

    def noted(of: Path, one: BulkEntry, path: Path) -> BulkOutcome:
        submitted.append(one.author)
        return original(of, one, path)

    monkeypatch.setattr(course, "_submit", noted)
    folder = handed_in(tmp_path / "class", "ann.py", "ben/mine.py", "dan.py")
    for path, after in {"ann.py": "# ann", "ben/mine.py": "# ben", "dan.py": "raise ValueError"}.items():
        (folder / path).write_text(f"{BOT}{after}\n")
    submit(league, folder)
    handed_in(folder, "cat.py")
    (folder / "ben" / "help.py").write_text("x = 1")
    done = submit(league, folder)
    assert submitted == ["ann", "ben", "dan", "ben", "cat"]
    assert [one.state for one in done.entries] == ["joined", "joined", "joined", "refused"]
    assert (league / course.STORED).stat().st_mode & 0o777 == 0o600


@pytest.mark.process
def test_a_version_that_was_replaced_is_known_and_not_said_to_have_joined(league: Path, tmp_path: Path) -> None:
    folder = handed_in(tmp_path / "class", "ann.py")
    first = submit(league, folder).entries[0]
    (folder / "ann.py").write_text(f"{BOT}# better\n")
    assert submit(league, folder).entries[0].bot == "ann@2"
    (folder / "ann.py").write_text(BOT)
    again = submit(league, folder).entries[0]
    assert (first.state, first.bot, first.reason) == ("joined", "ann@1", "")
    assert (again.state, again.bot) == ("known", "ann@1")
    assert again.reason.startswith("it is retired since 20")


@pytest.mark.nightly
@pytest.mark.process
def test_a_bot_for_which_there_was_no_place_joins_when_there_is_one(league: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    (tmp_path / "small.yaml").write_text(f"{league.with_suffix('.yaml').read_text()}limits: {{active: 2}}\n")
    new(small, tmp_path / "small.yaml")
    folder = handed_in(tmp_path / "class", "ann.py", "ben.py", "cat.py")
    for one in folder.iterdir():
        one.write_text(f"{BOT}# {one.name}\n")
    done = submit(small, folder)
    assert done.counts == {"joined": 2, "refused": 1}
    assert {one.reason for one in stored_outcomes(small).values()} == {
        "",
        "the league has 2 active bots; expected less than 2: retire one first",
    }
    retire(small, next(one.bot for one in done.entries if one.bot), "")
    submit(small, folder)
    assert {one.bot for one in submit(small, folder).entries} == {"ann@1", "ben@1", "cat@1"}


@pytest.mark.process
def test_a_class_in_an_archive_is_submitted_and_a_broken_bot_refuses_only_itself(league: Path, tmp_path: Path) -> None:
    misspelt = BOT.replace("'''{0}'''", "def discrad(self, view): return None")
    files = {"class/ann.py": misspelt, "class/ben.py": "class Mine(:", "class/cat/mine.py": BOT.replace("{0}", "cat")}
    done = submit(league, zip_of(tmp_path / "class.zip", files))
    assert [(one.entry, one.state, one.bot) for one in done.entries] == [
        ("ann.py", "joined", "ann@1"),
        ("ben.py", "refused", ""),
        ("cat", "joined", "cat@1"),
    ]
    assert done.entries[0].warnings[0].endswith("is never called; did you mean discard?")
    assert done.entries[1].reason == "class/ben.py:1: not valid Python: invalid syntax"


@pytest.mark.process
@pytest.mark.parametrize(("step", "state"), [("memory", "refused"), (LAST_STEP, "untested")])
def test_a_bot_whose_time_is_up_after_its_audition_may_have_joined_and_is_asked_again_by_the_same_command(
    league: Path, tmp_path: Path, step: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = json.encode(SubmissionLine(finding=Finding(step=step, passed=True, summary=""))).decode()
    monkeypatch.setattr(course, "SECONDS", 1.0)
    monkeypatch.setattr("arena.interpreter.arena", lambda *_: ["/bin/sh", "-c", f"echo '{line}'; exec sleep 60"])
    done = submit(league, handed_in(tmp_path / "class", "ann.py"))
    assert [one.state for one in done.entries] == [state]
    assert ("ann.py" in str(stored_outcomes(league))) is (state == "refused")
