"""Brackets and tie-breaks in reports: as text, and on the page."""

import re
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from support.matches.outcomes import all_results, by_chance, by_strength
from support.matches.records import match
from support.records.reported import NAUGHTY, about

from arena.reports.base import Renderer
from arena.reports.brackets import bracket_lines
from arena.reports.html_page import HtmlPage
from arena.reports.markdown import Markdown
from arena.reports.rankings import place_tables, rankings
from arena.reports.report import Report
from arena.reports.report_builder import ReportBuilder
from arena.reports.tables import standing_table
from arena.reports.text import ConsoleText
from arena.stats.estimate import Estimate
from arena.stats.format_details import Bracket, BracketRound, Column, Details, PlaceTable, Slot, Tie
from arena.tournament.formats.base import Format
from arena.tournament.formats.divisions import Divisions
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.stages import SpecStage, Stages
from arena.tournament.formats.swiss import Swiss

DOUBLE = Knockout(elimination="double")
CUP = Stages(stages=(SpecStage(format=Swiss(rounds=2)), SpecStage(format=Knockout(third_place=True), top=4)))
FIELD = ["scholar", "monte-carlo", "reader", "greedy", "cautious", "two-way"]


def brackets(league: Format, field: list[str], results: int = 10_000) -> list[Bracket]:
    shown = league.details(field, all_results(league, field, by_chance(3))[:results])
    assert shown is not None
    return shown.brackets


def report(league: Format, field: list[str]) -> Report:
    """Return the report on a tournament in which the earlier of two in the field always wins."""
    results = all_results(league, field, by_strength(field))
    builder = ReportBuilder()
    for one in results:
        builder.add(match(*one.fixture.seats, deals=one.fixture.deals, winner=one.winner, points=[50]))
    known = replace(about(tuple(field), "Cup"), places=league.ranking(field, results), details=league.details(field, results))
    return builder.report(known, {})


SINGLE = Knockout(third_place=True)


@pytest.mark.parametrize(
    ("name", "league", "results"), [("single", SINGLE, 10_000), ("double", DOUBLE, 10_000), ("unfinished", DOUBLE, 7)]
)
def test_a_bracket_is_drawn_as_text_with_empty_places_until_it_is_finished(
    name: str, league: Knockout, results: int, golden: Callable[[str, str], None]
) -> None:
    drawn = [[bracket.title, *bracket_lines(bracket), ""] for bracket in brackets(league, FIELD, results)]
    golden(f"reports/bracket_{name}.txt", "\n".join(line for lines in drawn for line in lines))


@pytest.mark.parametrize("size", [2, 3, 5, 8, 16, 33, 64])
@pytest.mark.parametrize("league", [SINGLE, DOUBLE], ids=["single", "double"])
def test_a_drawing_fits_eighty_columns_and_names_all(league: Knockout, size: int) -> None:
    field = [f"bot-{number}" + "x" * (number % 5) for number in range(size)]
    lines = [line for bracket in brackets(league, field) for line in bracket_lines(bracket)]
    assert max(map(len, lines)) <= 80
    assert all(any(f"bot-{number}" in line for line in lines) for number in range(size))


def test_a_bracket_of_short_names_is_drawn_as_well() -> None:
    lines = bracket_lines(brackets(Knockout(), ["ann", "bob", "cid", "dee"])[0])
    assert any("┐" in line for line in lines)


def test_a_bracket_with_too_many_rounds_for_its_names_is_listed() -> None:
    field = [f"a-bot-with-a-long-name-{number}" for number in range(128)]
    lines = bracket_lines(brackets(Knockout(), field)[0])
    assert lines[0] == "Round 1"
    assert re.fullmatch(r"  a-bot-with-a-long-name-0 \d–\d a-bot-with-a-long-name-127", lines[1])


@pytest.mark.parametrize("renderer", [ConsoleText(), Markdown()], ids=["console", "markdown"])
def test_text_reports_show_the_bracket_then_the_rounds_and_their_tie_breaks_then_the_standings(renderer: Renderer) -> None:
    text = renderer.render(report(CUP, FIELD))
    order = [
        text.index(part)
        for part in ("Stage 2: Knockout", "┐", "Stage 2: Third place", "Stage 1: Swiss", "round 2", "Buchholz", "Standings")
    ]
    assert order == sorted(order)


def test_the_standings_follow_the_ranking_of_the_format() -> None:
    shown = report(Knockout(), FIELD)
    assert [(row.rank, row.entrant) for row in shown.standings[:3]] == [(1, "scholar"), (2, "monte-carlo"), (3, "greedy")]


def test_a_table_of_places_shares_ranks_as_the_standings_do() -> None:
    met, table = place_tables(report(Swiss(rounds=1), ["a", "b", "c", "d"]))
    assert [row[:3] for row in table.rows] == [("1", "a", "1"), ("1", "b", "1"), ("3", "c", "0"), ("3", "d", "0")]
    assert met.rows == [("1", "a", "2–0 c", "1"), ("1", "b", "2–0 d", "1"), ("3", "c", "0–2 a", "0"), ("3", "d", "0–2 b", "0")]


def test_a_table_of_places_without_a_sandbox_has_no_ranks() -> None:
    shown = report(Swiss(rounds=1), ["a", "b"])
    unranked = replace(shown, isolation=replace(shown.isolation, isolated=False, profile="none"))
    assert {row[0] for table in place_tables(unranked) for row in table.rows} == {"–"}


def test_the_page_of_a_knockout_has_its_brackets_before_the_standings_with_links_to_the_pairings() -> None:
    page = HtmlPage().render(report(DOUBLE, FIELD))
    upper, lower = page[: page.index("<nav")].split('<div class="bracket"')[1:]
    titles = ("Grand final", "Semi-finals", "Quarter-finals")
    assert sorted(map(upper.index, titles)) == list(map(upper.index, titles)), "the last round is first"
    assert ">bye<" in upper
    assert 'href="#/pair/scholar/monte-carlo"' in upper
    assert lower.count("<li") == 2 + 2 + 1 + 1


def test_the_ties_on_the_way_of_the_winner_are_marked() -> None:
    page = HtmlPage().render(report(Knockout(), FIELD))
    assert [tie.count("scholar") > 0 for tie in page.split('<li class="path">')[1:]] == [True, True]


def test_the_places_of_a_knockout_are_those_of_its_bracket_and_no_rating_gives_others() -> None:
    standings = {row[1]: row for row in standing_table(report(Knockout(), FIELD)).rows}
    assert [standings[name][0] for name in FIELD] == ["1", "2", "3–4", "3–4", "5–6", "5–6"]
    assert "places" not in standing_table(report(Knockout(), FIELD)).headings


def test_a_bot_that_is_out_does_not_lead_a_knockout() -> None:
    league, field = Knockout(), ["a", "b", "c", "d"]
    results = all_results(league, field, by_strength(["c", "d", "b", "a"]))[:5]
    builder = ReportBuilder()
    for one in results:
        builder.add(match(*one.fixture.seats, deals=one.fixture.deals, winner=one.winner, points=[50]))
    form = replace(
        about(tuple(field)), finished=False, places=league.ranking(field, results), details=league.details(field, results)
    )
    card = builder.report(form, {"a": Estimate(900, 800, 1000, ranks=(0.9, 0.1, 0.0, 0.0))}).answer
    assert card.who == "c leads"
    assert card.how.startswith("final, 2 of 4 are still in; 3–0 in matches")


def test_the_tie_break_that_puts_a_bot_before_the_next_one_is_marked_on_the_page() -> None:
    columns = [
        Column("score", dict.fromkeys("abc", "1")),
        Column("x", dict.fromkeys("abc", "2")),
        Column("y", {"a": "3", "b": "1", "c": "1"}),
    ]
    table = PlaceTable(title="Cup", places=[["a"], ["b", "c"]], columns=columns)
    (shown,) = rankings(replace(report(Swiss(rounds=1), list("abc")), details=Details(tables=[table])))
    assert [[cell.decides for cell in row.cells] for row in shown.rows] == [[False, True], [False, False], [False, False]]


def test_the_page_of_a_format_without_details_has_no_link_to_them() -> None:
    page = HtmlPage().render(report(CUP, FIELD))
    without = HtmlPage().render(replace(report(CUP, FIELD), details=None))
    assert '<a href="#ranking">' in page
    assert '<a href="#ranking">' not in without
    assert 'id="ranking"' in without  # a page that is updated finds the place where it will be


def test_names_with_markup_are_harmless_in_brackets() -> None:
    slots = Slot(entrant=NAUGHTY, seed=1, score="2"), Slot(entrant="b\x1b[2J", seed=2, score="0")
    bracket = Bracket(NAUGHTY, [BracketRound("Final", [Tie(slots=slots, winner=0, note="by games, 2–1")])])
    shown = replace(report(Knockout(), FIELD), details=Details(brackets=[bracket]))
    page = HtmlPage().render(shown)
    assert "<b>*bold*" not in page
    assert "\x1b" not in page + ConsoleText().render(shown) + Markdown().render(shown)
    below = Markdown().render(shown).split("Final")[0].splitlines()
    assert below[-1].startswith("    ")


def test_the_tables_of_divisions_are_on_the_page() -> None:
    page = HtmlPage().render(report(Divisions(), FIELD))
    assert "<h3>Season 2 of 2, division 1</h3>" in page
    assert re.findall(r'<tr data-bot="([\w-]+)" class="(.*?)">', page) == [("greedy", "falls"), ("reader", "rises")]
