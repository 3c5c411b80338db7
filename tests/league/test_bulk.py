"""What a class has handed in: whose each entry is, and what is submitted of it."""

from pathlib import Path

import pytest
from submissions import BOT, zip_of

from arena.errors import InputError
from arena.league import bulk
from arena.league.bulk import BulkEntry, BulkOutcome, BulkSubmission
from arena.league.folder import new

SPEC = "title: Friday\nrules: {target: 10, best_of: 1}\nsandbox: {name: none}\n"


@pytest.fixture
def league(tmp_path: Path) -> Path:
    (tmp_path / "friday.yaml").write_text(SPEC)
    new(tmp_path / "friday", tmp_path / "friday.yaml")
    return tmp_path / "friday"


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[BulkEntry]:
    """Return the entries that are submitted; each joins."""
    done: list[BulkEntry] = []

    def join(_: Path, one: BulkEntry, path: Path) -> BulkOutcome:
        done.append(one)
        assert path.exists()
        return BulkOutcome(entry=one.name, author=one.author, state="joined", bot=f"{one.bot}@1")

    monkeypatch.setattr(bulk, "_submit", join)
    return done


def submit(league: Path, source: Path, author_from: str = "filename") -> BulkSubmission:
    return bulk.submit_all(league, source, author_from, 1, lambda *_: None)


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
    table.write_text("name\n")
    with pytest.raises(InputError, match=r"no column 'file'; found name, expected file and author"):
        submit(league, tmp_path / "class", str(table))


def test_a_second_call_tests_only_what_is_new_or_changed(league: Path, tmp_path: Path, submitted: list[BulkEntry]) -> None:
    folder = handed_in(tmp_path / "class", "ann.py", "ben/mine.py", "ben/help.py")
    submit(league, folder)
    handed_in(folder, "cat.py")
    (folder / "ben" / "help.py").write_text("x = 1")
    done = submit(league, folder)
    assert [one.author for one in submitted] == ["ann", "ben", "ben", "cat"]
    assert [one.state for one in done.entries] == ["joined"] * 3
    assert (league / bulk.STORED).stat().st_mode & 0o777 == 0o600


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
