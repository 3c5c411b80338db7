"""A course: whose each entry is, what is submitted of it, and the grades by a league's table and a scheme."""

import os
import unicodedata
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.hostile.submissions import BOT, zip_of
from support.leagues.events import joined, moment, pair, refused

from arena.cli.bots import gradescope
from arena.cli.course import _submission_lines
from arena.errors import InputError, SpecError
from arena.league import course, entries, grading, leagues
from arena.league.course import BulkOutcome, BulkSubmission, stored_outcomes
from arena.league.entries import BulkEntry, read_table
from arena.league.grading import BaselineTerms, FaultTerms, Grade, GradingScheme, RankBand, award
from arena.league.leagues import new
from arena.league.membership import retire
from arena.league.rules.events import AnyEvent, Reason, Retired, SeasonClosed, Suspended
from arena.league.rules.field import LeagueField
from arena.league.rules.history import History
from arena.league.rules.league_table import LeagueTable
from arena.league.rules.ratings import RatingTerms
from arena.league.rules.table import table
from arena.stats.ratings import PointsRating
from arena.tournament.audition import Finding
from arena.tournament.spec import read_struct

SPEC = "title: Friday\nrules: {target: 10, best_of: 1}\nsandbox: {name: none}\naudition: {hands: 8}\nlikeness: null\n"


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


def test_only_line_breaks_end_a_row_of_a_table(tmp_path: Path) -> None:
    table = tmp_path / "class.csv"
    table.write_bytes("author\r\nAnn\vLee\rBob\u2028Ray\n".encode())
    assert [row["author"] for _, row in read_table(table, ("author",))] == ["Ann\vLee", "Bob\u2028Ray"]


def test_a_row_of_a_table_is_named_by_the_line_on_which_it_begins(tmp_path: Path) -> None:
    table = tmp_path / "class.csv"
    table.write_text('author,note\n\nann,"two\nlines"\n\nbob\n', encoding="utf-8")
    assert list(read_table(table, ("author",))) == [
        (3, {"author": "ann", "note": "two\nlines"}),
        (6, {"author": "bob", "note": ""}),
    ]
    table.write_text(f'author\n\nann\n\n"{"x" * 140_000}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"class.csv:5: cannot be read: field larger than field limit"):
        list(read_table(table, ("author",)))


def test_a_table_that_does_not_exist_is_one_line_without_a_number_of_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"none\.csv: cannot be read: No such file or directory; expected a CSV file in UTF-8 with author$"
    ):
        list(read_table(tmp_path / "none.csv", ("author",)))


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


@pytest.mark.process
def test_a_bot_for_which_there_was_no_place_joins_when_there_is_one(tmp_path: Path) -> None:
    league = tmp_path / "small"
    (tmp_path / "small.yaml").write_text(f"{SPEC}limits: {{active: 2}}\n")
    new(league, tmp_path / "small.yaml")
    folder = handed_in(tmp_path / "class", "ann.py", "ben.py", "cat.py")
    for one in folder.iterdir():
        one.write_text(f"{BOT}# {one.name}\n")
    done = submit(league, folder)
    assert done.counts == {"joined": 2, "refused": 1}
    assert {one.reason for one in stored_outcomes(league).values()} == {
        "",
        "the league has 2 active bots; expected less than 2: retire one first",
    }
    retire(league, next(one.bot for one in done.entries if one.bot), "")
    submit(league, folder)
    assert {one.bot for one in submit(league, folder).entries} == {"ann@1", "ben@1", "cat@1"}


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


SCHEME = GradingScheme(
    joined=40,
    baseline=BaselineTerms(bot="base", points=30),
    ranks=(RankBand(best=1, points=10), RankBand(best=0.5, points=20), RankBand(best=0.1, points=30)),
    faults=FaultTerms(points=1, most=3),
)


def graded(scheme: GradingScheme = SCHEME, authors: tuple[str, ...] = (), **faults: int) -> dict[str, Grade]:
    """Return the grades where ann beats ben and base, ben equals base, cat loses and dan has failed; ann has a weaker bot, too."""
    bots = (("ann", "anns"), ("low", "anns"), ("ben", "bens"), ("cat", "cats"), ("base", "host"))
    events: list[AnyEvent] = [event for name, author in bots for event in joined(name, author=author)]
    submitted, failed = refused("dan", 1, 21)
    events += [replace(submitted, author="dans"), failed, Retired(at=moment(30), version="low@1")]
    points = {"ann": 400, "low": -300, "ben": 5, "cat": -200, "base": 0}
    played = tuple(
        pair(f"{one}@1", f"{other}@1", number, points=points[one] - points[other])
        for number in range(1, 9)
        for place, one in enumerate(points)
        for other in list(points)[place + 1 :]
    )
    history = History(events=tuple(events), played=played, faults=())
    found = table(history, RatingTerms(rating=PointsRating()))
    rows = tuple(replace(row, faults=faults.get(row.name, 0)) for row in found.rows)
    return {
        one.author: one for one in award(LeagueTable(rows), history.field(), {"fays": "not valid Python"}, scheme, authors).grades
    }


def test_each_author_is_graded_by_the_best_bot_and_the_baselines_author_is_not() -> None:
    grades = graded(ben=2, cat=9)
    assert [(one.bot, one.rank, one.ranked) for one in grades.values()][:3] == [
        ("ann@1", 1, 30),
        ("ben@1", 2, 20),
        ("cat@1", 3, 10),
    ]
    assert (grades["anns"].baseline, grades["bens"].baseline, grades["cats"].baseline) == (30, 0, 0)
    assert (grades["anns"].confidence or 0) > 0.95 > (grades["bens"].confidence or 0) > 0.3 > (grades["cats"].confidence or 0)
    assert [one.points for one in grades.values()] == [100, 58, 47, 0, 0]
    assert (grades["dans"].bot, grades["dans"].note) == ("", "crash")
    assert grades["fays"].note == "not valid Python"
    assert "host" not in grades


def test_an_author_whose_bot_has_no_rank_has_the_reason_in_its_row() -> None:
    events: list[AnyEvent] = [event for name in ("ann", "ben", "cat", "dan") for event in joined(name, author=f"{name}s")]
    events += [
        Retired(at=moment(30), version="ann@1", by="olga", reason="it was handed in twice"),
        Suspended(at=moment(31), version="ben@1", reason=Reason("at fault in 3 of 8 matches")),
        Retired(at=moment(32), version="cat@1"),
    ]
    history = History(events=tuple(events), played=(), faults=())
    found = award(table(history, RatingTerms(rating=PointsRating())), history.field(), {}, GradingScheme(joined=40))
    assert [(one.author, one.points, one.note) for one in found.grades] == [
        ("anns", 40, f"ann@1 is retired since {moment(30)}: it was handed in twice"),
        ("bens", 40, f"ben@1 is suspended since {moment(31)}: at fault in 3 of 8 matches"),
        ("cats", 40, f"cat@1 is retired since {moment(32)}"),
        ("dans", 40, "dan@1 has not played yet"),
    ]


def test_grades_are_those_of_a_moment_or_of_the_end_of_a_season(league: Path, tmp_path: Path) -> None:
    scheme = tmp_path / "scheme.yaml"
    scheme.write_text("joined: 40\n")
    first, second, third = (f"2099-01-0{day}T00:00:00Z" for day in (1, 2, 4))
    events = [
        *(replace(event, at=first) for event in joined("ann", author="anns")),
        SeasonClosed(at=second, season=1),
        *(replace(event, at=third) for event in joined("ben", author="bens")),
    ]
    with leagues.open_league(league, write=True) as opened, opened.store.deciding():
        leagues.add(opened.store, *events)
    assert [one.author for one in grading.grades(league, scheme).grades] == ["anns", "bens"]
    assert [one.author for one in grading.grades(league, scheme, season=1).grades] == ["anns"]
    assert [one.author for one in grading.grades(league, scheme, at="2099-01-03T00:00:00Z").grades] == ["anns"]
    with pytest.raises(InputError, match=r"^--season: found 2; expected a season that is over, of which the last is 1$"):
        grading.grades(league, scheme, season=2)


@pytest.mark.parametrize(("best", "places"), [(0.28, 7), (0.29, 8), (0.01, 1), (1, 25)])
def test_a_band_of_ranks_has_the_share_of_places_that_is_written_rounded_up(best: float, places: int) -> None:
    history = History(events=tuple(joined("ann", author="anns")), played=(), faults=())
    (row,) = table(history, RatingTerms(rating=PointsRating())).rows
    authors = [f"author-{number}" for number in range(1, 26)]
    rows = tuple(replace(row, rank=rank, author=author) for rank, author in enumerate(authors, 1))
    scheme = GradingScheme(ranks=(RankBand(best=best, points=10),))
    grades = award(LeagueTable(rows), LeagueField(), {}, scheme, authors).grades
    assert [one.author for one in grades if one.ranked] == authors[:places]


def test_who_has_handed_in_nothing_is_graded_if_the_course_says_so() -> None:
    grades = graded(authors=("cats", "eve"))
    assert (grades["cats"].rank, grades["cats"].points) == (1, 70)
    assert (grades["eve"].points, grades["eve"].note) == (0, "nothing was handed in")
    with pytest.raises(InputError, match=r"^baseline\.bot: no bot 'none' in this league; expected one of ann, "):
        graded(replace(SCHEME, baseline=BaselineTerms(bot="none", points=1)))


def test_a_scheme_is_read_and_its_mistakes_are_named_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "scheme.yaml").write_text("joined: 40\nbaseline: {bot: base, points: 30}\nranks: [{best: 0.1, points: 30}]\n")
    assert read_struct(tmp_path / "scheme.yaml", GradingScheme) == replace(SCHEME, ranks=SCHEME.ranks[2:], faults=None)
    (tmp_path / "scheme.yaml").write_text("joined: 40\nranks: [{best: 2, points: 30}]\n")
    with pytest.raises(SpecError, match=r"scheme.yaml:2: ranks\.0\.best: expected a number <= 1\.0; found 2"):
        read_struct(tmp_path / "scheme.yaml", GradingScheme)


def test_a_baseline_that_is_not_in_the_league_is_named_with_the_file_of_the_scheme(league: Path, tmp_path: Path) -> None:
    scheme = tmp_path / "scheme.yaml"
    scheme.write_text("baseline: {bot: none, points: 30}\n")
    with pytest.raises(InputError, match=r"scheme\.yaml: baseline\.bot: no bot 'none' in this league; no bot has joined yet"):
        grading.grades(league, scheme)


def test_an_audition_is_written_as_gradescope_reads_it_also_where_a_step_has_failed() -> None:
    found = [Finding(step="start", passed=True, summary="ready"), Finding(step="hands", passed=False, summary="crash", turn="{}")]
    tests = gradescope("mine.py", found, "").tests
    assert [(one.name, one.score, one.max_score, one.status) for one in tests][:3] == [
        ("start", 10, 10, "passed"),
        ("hands", 0, 40, "failed"),
        ("same play", 0, 10, "failed"),
    ]
    assert sum(one.max_score for one in tests) == 100
    assert "the turn    {}" in tests[1].output
    assert tests[2].output == "not tested, because a step before it failed"
    assert gradescope("mine.py", [], "mine.py:1: not valid Python").tests[0].output == "mine.py:1: not valid Python"


def test_gradescope_shows_the_step_learning_which_has_no_points() -> None:
    *_, learning = gradescope("mine.py", [Finding(step="learning", passed=False, summary="crash")], "").tests
    assert (learning.status, learning.score, learning.max_score) == ("failed", 0, 0)
    assert "crash" in learning.output


def test_a_mistake_that_many_have_copied_is_said_once() -> None:
    same = "warning: Student.throw (bot.py:3) is never called; did you mean throws?"
    entries = tuple(
        BulkOutcome(entry=name, author=name, state="joined", bot=f"{name}@1", warnings=(same, "slow")[: 2 if name == "cat" else 1])
        for name in ("ann", "ben", "cat")
    )
    lines = list(_submission_lines(BulkSubmission(entries=entries)))
    assert lines[-3:] == [f"ann, ben, cat: {same}", "cat: slow", "3 joined"]
