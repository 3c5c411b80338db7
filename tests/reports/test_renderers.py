"""Every renderer on one report, compared with golden files."""

import csv
import re
from base64 import b64decode
from collections.abc import Callable
from gzip import decompress
from io import StringIO
from math import isfinite
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace
from support.matches.records import counted, match
from support.records.reported import NAUGHTY, about, fault, records, report

from arena.records import UNCONFINED, Fixture, lost_record
from arena.reports.base import Renderer
from arena.reports.csv_file import CsvFile
from arena.reports.html_page import HtmlPage
from arena.reports.json_file import JsonFile
from arena.reports.markdown import Markdown
from arena.reports.numbers import rating
from arena.reports.report_builder import FAULTS_SHOWN, ReportBuilder
from arena.reports.tables import played_line
from arena.reports.text import ConsoleText, first_screen, table_lines
from arena.reports.text_table import TextTable
from arena.stats.estimate import Estimate
from arena.stats.format_details import Column, Details, PlaceTable
from arena.stats.second_leg_test import SecondLegs
from arena.stats.tally import Tally

CHANCES = {"chance_of_first", "chance_of_first_from", "chance_of_first_to", "rank_from", "rank_to"}
LEFT_OUT = {"bot", "note", "cpu_a_decision", *CHANCES}  # not numbers, or not in this report
RENDERERS: dict[str, Renderer] = {"console.txt": ConsoleText(), "report.md": Markdown(), "standings.csv": CsvFile()}


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_a_star_needs_no_table_of_every_two_entrants() -> None:
    alone = report()
    met = {name: {"alpha": alone.tally.between(name, "alpha")} for name in ("beta", "gamma")}
    star = replace(alone, tally=Tally({"alpha": {name: alone.tally.between("alpha", name) for name in met}, **met}))
    for renderer in (ConsoleText(), Markdown()):
        assert "Head to head" in renderer.render(alone)
        assert "Head to head" not in renderer.render(star)


@pytest.mark.parametrize("columns", ["30", "40", "80"])
@pytest.mark.parametrize("numbers", [1, 2, 3, 4, 5, 6, 7])
def test_a_text_is_shown_beside_a_long_name_and_after_many_numbers(
    columns: str, numbers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    headings = ("bot", "author", *("number" for _ in range(numbers)), "state")
    row = ("n" * 90, "ann", *("12345678" for _ in range(numbers)), "active")
    lines = table_lines(TextTable("", headings, [row], (0, 1, numbers + 2)))
    assert max(map(len, lines)) <= int(columns)
    assert [" ".join(lines).count(word) for word in ("ann", "12345678", "active")] == [1, numbers, 1]


def test_no_block_of_a_table_has_one_column_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "34")
    lines = table_lines(TextTable("Points", ("bot", "one", "two", "three", "four"), [("ann", *["12345678"] * 4)], (0,)))
    assert [line.split()[1:] for line in lines if line.strip().startswith("bot")] == [["one", "two"], ["three", "four"]]


@pytest.mark.parametrize("name", RENDERERS)
def test_a_report_equals_its_golden_file(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"reports/{name}", RENDERERS[name].render(report()))


def test_the_json_document_equals_its_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("reports/results.json", JsonFile().render(report()))


def test_the_json_document_has_every_number_of_the_report() -> None:
    document: dict[str, Any] = json.decode(JsonFile().render(report()))
    assert document["matches"] == 6
    assert document["hands"] == sum(len(record.hands) for record in records())
    assert [row["entrant"] for row in document["standings"]] == ["alpha", "beta", "gamma", "delta"]
    assert document["standings"][3]["rating"] is None
    assert [group["count"] for group in document["fault_groups"]] == [2, 1]
    assert len(document["faults"]) == 3


def test_the_report_on_a_large_field_has_no_numbers_of_every_two_entrants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.reports.report.LARGEST_CROSS_TABLE", 3)
    for renderer in (ConsoleText(), Markdown(), HtmlPage()):
        assert "Head to head" not in renderer.render(report())
    document: dict[str, Any] = json.decode(JsonFile().render(report()))
    assert document["tally"] == {"crosstable": {}}
    assert [row["entrant"] for row in document["standings"]] == ["alpha", "beta", "gamma", "delta"]
    assert not any(row["rating"]["ranks"] for row in document["standings"] if row["rating"])


def test_a_page_without_its_data_weighs_at_most_305_kilobytes_and_its_data_are_compressed() -> None:
    page = HtmlPage().render(report())
    assert page == HtmlPage().render(report())
    packed = re.search(r'id="packed-data">([A-Za-z0-9+/=]*)<', page)
    assert packed
    data = decompress(b64decode(packed[1]))
    assert json.decode(data)["words"]
    assert len(page) - len(packed[1]) < 305_000


def test_the_csv_file_has_a_row_for_each_entrant_and_a_number_in_each_cell() -> None:
    rows = list(csv.DictReader(StringIO(CsvFile().render(report()))))
    assert [row["bot"] for row in rows] == ["alpha", "beta", "gamma", "delta"]
    tally = counted(records())
    for row in rows[:3]:
        assert int(row["hands"]) == tally.of(row["bot"]).hands
        assert all(isfinite(float(cell)) for name, cell in row.items() if name not in LEFT_OUT)
    assert rows[3]["points_a_hand"] == rows[3]["rating"] == ""  # it has not played


def test_a_bot_that_is_called_like_a_number_keeps_its_name_in_the_csv_file_of_unconfined_games() -> None:
    bot = "12.50"
    shown = report(odd=bot)
    columns = [Column("class", {bot: "-"}), Column("points", {bot: "+1,234.50"}, {bot: 1234.5}), Column("± 95 %", {bot: ""}, {})]
    table = PlaceTable(title="Unconfined games", places=[[bot]], columns=columns)
    unconfined = replace(
        shown, rated=False, isolation=replace(shown.isolation, profile=UNCONFINED), details=Details(tables=[table])
    )
    (row,) = csv.DictReader(StringIO(CsvFile().render(unconfined)))
    assert row == {"#": "1", "bot": bot, "class": "'-", "points": "1234.5", "± 95 %": "", "faults": "3"}


@pytest.mark.parametrize("sign", "=+-@")
def test_a_name_cannot_be_a_formula_in_a_spreadsheet(sign: str) -> None:
    text = CsvFile().render(report(odd=f"{sign}SUM(A1)"))
    assert f"'{sign}SUM(A1)" in text


def unescaped(text: str) -> str:
    """Return Markdown without its escaped characters and its drawings, which are code by their indentation."""
    return re.sub(r"\\.", "", re.sub(r"^    .*$", "", text, flags=re.MULTILINE))


def test_names_and_titles_with_markup_are_harmless_in_markdown() -> None:
    text = unescaped(Markdown().render(report(odd=NAUGHTY, title=f"{NAUGHTY} <script>")))
    assert not set("<>*`[]") & set(text)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {line.count("|") for line in rows} == {4, 6, 10, 11}  # one more than there are headings


@pytest.mark.parametrize(("specs", "said"), [(0, "17 hands"), (1, "17 hands, grown once"), (2, "17 hands, grown 2 times")])
def test_a_report_says_how_often_its_run_has_grown(specs: int, said: str) -> None:
    made = report()
    grown = replace(made, provenance=made.provenance | {f"spec {number + 2}": "since then" for number in range(specs)})
    assert played_line(grown) == f"6 matches, {said}"


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_a_narrow_terminal_splits_tables_and_no_name(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = ConsoleText().render(report())
    tables = text[text.index("Standings") : text.index("\nFaults")]
    assert max(map(len, tables.splitlines())) <= columns
    for row in report().standings:
        assert tables.count(f" {row.entrant} ") >= 1
    assert ("Standings, continued" in tables) == (columns == 40)


def test_the_text_is_returned_in_a_notebook_too_and_not_shown_there(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ConsoleText().render(report())
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert ConsoleText().render(report()) == expected


def test_names_with_markup_are_shown_unchanged_on_a_terminal() -> None:
    text = ConsoleText().render(report(odd="[red]x[/red]:smile:"))
    assert "[red]x[/red]:smile:" in text.replace("\n", "")


@pytest.mark.parametrize("renderer", [ConsoleText(), Markdown()], ids=["console", "markdown"])
def test_faults_are_shown_with_their_cause_and_clause(renderer: Renderer) -> None:
    text = " ".join(renderer.render(report()).split())
    assert "R3.4" in text
    assert "2 × KeyError at mine.py:6: 31" in text
    assert "hand 0.1, asked to pass or take" in text
    assert "\x1b" not in text


QUIET = {
    "beta": SecondLegs(pairs=3, hands=60, gain=0.25, evidence=0.42),
    "gamma": SecondLegs(pairs=1, hands=20, gain=-1, evidence=0.9),
}
CHEAT = {"alpha": SecondLegs(pairs=1200, hands=24_000, gain=2.5, evidence=1234.0)}
CARRIES = "carries information from the first leg of a pair to the second"
FLAG = "alpha plays better in legs played second: evidence 1,234 of 1,000; the legs may share information"


@pytest.mark.parametrize("renderer", [ConsoleText(), Markdown(), HtmlPage()], ids=["console", "markdown", "page"])
def test_an_advantage_in_second_legs_stands_at_the_top_and_its_absence_in_a_line_below(renderer: Renderer) -> None:
    def text(found: dict[str, SecondLegs]) -> str:
        shown = renderer.render(replace(report(), second_legs=found))
        return " ".join(shown[shown.find("<body>") + 1 :].split())

    noticed, quiet, nothing = text(CHEAT | QUIET), text(QUIET), text({})
    assert FLAG in noticed[: noticed.index("tandings", noticed.index("gamma"))]
    assert f"o sign that another bot {CARRIES} (most evidence: 0.9 of 1,000 needed, gamma)" in noticed.replace("\\", "")
    assert "better in legs played second:" not in quiet + nothing
    assert f"o sign that a bot {CARRIES} (most evidence: 0.9 of 1,000 needed, gamma)" in quiet.replace("\\", "")
    assert "egs played second: no pair to compare, of which a coin decided which leg is played first" in nothing


def test_what_is_known_of_second_legs_is_a_number_in_json_and_csv() -> None:
    shown = replace(report(), second_legs=CHEAT)
    assert json.decode(JsonFile().render(shown))["second_legs"] == {
        "alpha": {"pairs": 1200, "hands": 24_000, "gain": 2.5, "evidence": 1234.0, "threshold": 1000.0}
    }
    first, second, *_ = csv.DictReader(StringIO(CsvFile().render(shown)))
    assert (first["second_legs_gain"], first["second_legs_evidence"]) == ("2.5", "1234.0")
    assert second["second_legs_gain"] == second["second_legs_evidence"] == ""


def test_the_report_on_an_unfinished_run_says_that_it_is_not_finished() -> None:
    assert "not finished" in ConsoleText().render(report(finished=False))
    assert "not finished" not in ConsoleText().render(report())


def test_tables_fit_a_terminal_of_eighty_columns() -> None:
    lines = ConsoleText().render(report()).splitlines()
    assert all(len(line) <= 80 for line in lines if ": " not in line)
    assert FAULTS_SHOWN >= 20


def test_a_drawn_match_is_shown_alike_on_the_page_and_the_console() -> None:
    growing = ReportBuilder()
    for record in (match("a", "b", winner=None, points=[5]), match("b", "a", winner=0, points=[5])):
        growing.add(record)
    drawn = growing.report(about(("a", "b")), {})
    assert "1–1–0" in ConsoleText().render(drawn)
    assert HtmlPage().render(drawn).count("1–1–0<") == 2  # the standings and the crosstable


def test_a_match_that_was_lost_does_not_make_a_report_one_of_batches() -> None:
    growing = ReportBuilder()
    growing.add(lost_record(Fixture("1", ("a", "b"), "1"), "killed"))
    assert not growing.report(about(("a", "b")), {}).batches


def test_void_matches_and_excused_faults_are_shown_with_the_entrants() -> None:
    growing = ReportBuilder()
    growing.add(lost_record(Fixture("1", ("hog", "b"), "1"), "the worker ended"))
    growing.add(replace(match("hog", "b", winner=1, points=[5]), excused=(replace(fault("was killed"), seat=0, kind="lost"),)))
    shown = growing.report(about(("hog", "b")), {})
    assert shown.void == {"hog": 1, "b": 1}
    assert [(row.counts.faults.total, row.counts.excused) for row in shown.standings if row.entrant == "hog"] == [(0, 1)]
    for text in (ConsoleText().render(shown), HtmlPage().render(shown)):
        assert "1 result is void, lost with the process that played: hog 1, b 1" in text
        assert "lost: was killed" in text


def test_a_rating_is_shown_with_its_interval_on_both_sides() -> None:
    assert rating(Estimate(10.0, -5.2, 25.2)) == "+10 ± 15"
    assert rating(Estimate(-0.001, -0.251, 0.249)) == "+0.00 ± 0.25"
    assert rating(Estimate(10.0, -0.2, 25.0)) == "+10 (+0 to +25)"
    assert rating(Estimate(0.49, -8.51, 9.49)) == "+0.5 ± 9"
    assert rating(None) == "–"


@pytest.mark.parametrize("renderer", [ConsoleText(), Markdown(), HtmlPage()], ids=["console", "markdown", "page"])
def test_a_report_says_who_was_not_sealed(renderer: Renderer) -> None:
    def text(**changes: Any) -> str:
        return " ".join(renderer.render(replace(report(), **changes)).split()).replace("\\", "")

    assert "NOT SEALED" not in text()
    assert "NOT SEALED because they open files while they play: gamma, beta" in text(reading=("gamma", "beta"))
    assert "NOT SEALED" in text(isolation=replace(report().isolation, sealed=False))


@pytest.mark.parametrize("columns", [60, 80])
def test_the_brief_report_of_four_bots_fits_a_screen_of_24_lines(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = first_screen(report()).splitlines()
    assert lines[0].startswith("alpha won")
    assert len(lines) <= 24 + 9 * (columns == 60), "the standings take a second block of columns then"
    assert max(map(len, lines)) <= columns
