"""What the records of a comparison say: the verdict, what it means in games, and how the evidence grew."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from support.matches.comparisons import compared
from support.matches.records import batch, match
from support.records.reported import about

from arena.plugins.manager import installed_kinds
from arena.records import Fixture, MatchRecord, Result, result
from arena.reports.comparison_report import ComparisonReport
from arena.reports.html_page import HtmlPage
from arena.reports.markdown import Markdown
from arena.reports.report import Report
from arena.reports.report_builder import make
from arena.reports.text import ConsoleText
from arena.reports.verdict import describe, verdict
from arena.results import comparison_evidence
from arena.stats.duels import Verdict
from arena.stats.ratings import BradleyTerry
from arena.stats.scales import Interval
from arena.tournament import spec as specs
from arena.tournament.spec import Spec

Play = Callable[[Fixture], MatchRecord]
DUEL, GAUNTLET = ("ann", "bob"), ("ann", "bob", "cid", "dan")


def asked(names: Sequence[str], **form: Any) -> Spec:
    bots = [{"bot": "greedy", "name": name} for name in names]
    return specs.spec_from_values({"title": "Test", "bots": bots, "format": {"leg": 10, **form}}, installed_kinds())


def better_by(edge: float) -> Play:
    """Return play in which ann is better than the others by some points a hand."""

    def play(fixture: Fixture) -> MatchRecord:
        deal, own = Random(fixture.deals), Random(fixture.id)
        sign = {0: 1, 1: -1}[fixture.seats.index("ann")] if "ann" in fixture.seats else 0
        points = [round(deal.gauss(0, 20) + own.gauss(0, 10) + sign * edge) for _ in range(fixture.hands or 30)]
        if fixture.hands is None:
            return replace(
                match(*fixture.seats, winner=int(sum(points) < 0), points=points, games=[int(sum(points) < 0)]), fixture=fixture
            )
        return replace(batch(*fixture.seats, points), fixture=fixture)

    return play


def played_out(spec: Spec, names: Sequence[str], play: Play) -> list[MatchRecord]:
    records: list[MatchRecord] = []
    while fixtures := list(spec.format.fixtures(names, [result(record) for record in records])):
        records += map(play, fixtures)
    return records


def reported(spec: Spec, names: tuple[str, ...], records: Sequence[MatchRecord]) -> tuple[ComparisonReport, Report]:
    found = comparison_evidence.comparison_report(spec, names, lambda: [result(record) for record in records])
    assert found
    facts = replace(about(names), comparison=found, rated_by="bradley-terry")
    return found, make(
        enumerate(records), {record.fixture.id: record for record in records}.__getitem__, facts, BradleyTerry(), lambda _: "a seed"
    )


@pytest.fixture(scope="module")
def duel() -> tuple[ComparisonReport, Report]:
    spec = asked(DUEL, name="duel")
    return reported(spec, DUEL, played_out(spec, DUEL, better_by(3.0)))


@pytest.fixture(scope="module")
def gauntlet() -> tuple[ComparisonReport, Report]:
    spec = asked(GAUNTLET, name="gauntlet", hands=20_000, leg=4)
    return reported(spec, GAUNTLET, played_out(spec, GAUNTLET, better_by(4.0)))


@pytest.mark.process
def test_the_last_point_of_a_history_is_the_outcome(duel: tuple[ComparisonReport, Report]) -> None:
    found, _ = duel
    last = found.history[-1]
    assert (last.hands, last.better, last.worse) == (found.outcome.hands, found.outcome.better, found.outcome.worse)
    assert found.outcome.difference == Interval(last.value, last.low, last.high)  # type: ignore[arg-type]
    assert [point.hands for point in found.history] == sorted({point.hands for point in found.history})
    assert len(found.history) <= comparison_evidence.POINTS + 1


@pytest.mark.process
def test_a_point_of_a_history_is_what_was_known_at_that_moment() -> None:
    spec = asked(DUEL, name="duel", hands=800, bounds=[-0.1, 0.1])
    results = [result(record) for record in played_out(spec, DUEL, better_by(0.0))]
    found = comparison_evidence.comparison_report(spec, DUEL, lambda: results)
    earlier = comparison_evidence.comparison_report(
        spec, DUEL, lambda: [one for one in results if int(one.fixture.deals.rpartition("/")[2]) < 14]
    )
    assert found
    assert earlier
    assert earlier.outcome.hands == 14 * 20
    assert earlier.history[-1] in found.history


@pytest.mark.process
def test_every_renderer_begins_with_the_verdict_and_shows_no_matches(duel: tuple[ComparisonReport, Report]) -> None:
    found, made = duel
    said = f"{verdict(found)}."
    assert said.startswith("ann is stronger than bob, decided after ")
    assert made.summary == said
    console, markdown, page = (renderer.render(made) for renderer in (ConsoleText(), Markdown(), HtmlPage()))
    assert " ".join(console.split()).startswith(said)
    assert markdown.splitlines()[2].removesuffix("\\") == said
    assert page.index(made.answer.who) < page.index('id="chart-evidence"') < page.index("<h2")
    for text in (console, markdown):
        assert not {"matches", "games", "Standings", "Elo", "places"} & set(
            text.replace("|", " ").split("Hands and faults")[0].split()[80:]
        )
    assert 'id="ratings"' not in page
    assert 'id="ranks"' not in page


@pytest.mark.process
def test_a_gauntlet_compares_two_and_ranks_nobody(gauntlet: tuple[ComparisonReport, Report]) -> None:
    found, made = gauntlet
    assert made.summary.startswith("ann is not weaker than bob by 1 point a hand or more against cid and dan, decided after ")
    console = ConsoleText().render(made)
    assert "Standings" not in console
    assert "#" not in console
    table = console[console.index("Results") : console.index("Hands and faults")]
    assert "against" in table
    assert [line.split()[0] for line in table.splitlines() if line.startswith((" cid", " dan"))] == ["cid", "dan"]
    assert found.in_games
    assert found.in_games.games.low <= found.in_games.games.value <= found.in_games.games.high
    assert found.in_games.games.value > 0.5
    assert "Between two bots such a difference wins" in console


@pytest.mark.process
def test_a_duel_on_matches_has_a_history_too() -> None:
    spec = asked(DUEL, name="duel", statistic="matches", bounds=[0, 40], hands=4000)
    found, made = reported(spec, DUEL, played_out(spec, DUEL, better_by(8.0)))
    assert found.outcome.verdict is Verdict.BETTER
    assert made.summary.startswith("ann is stronger than bob, decided after ")
    assert len(found.history) <= comparison_evidence.MATCH_POINTS + 1
    assert "matches pairs games" in " ".join(ConsoleText().render(made).split())


def test_a_comparison_that_has_not_begun_can_be_shown() -> None:
    for names, form in ((DUEL, "duel"), (GAUNTLET, "gauntlet")):
        found, made = reported(asked(names, name=form), names, [])
        assert made.summary.startswith("Not decided yet whether ")
        assert made.summary.endswith(", after 0 hands.")
        assert found.history == []
        assert HtmlPage().render(made)


def test_another_format_is_no_comparison_and_its_results_are_not_read() -> None:
    def refuse() -> Sequence[Result]:
        raise AssertionError

    league = specs.spec_from_values({"title": "Test", "bots": ["greedy", "cautious"]}, installed_kinds())
    assert comparison_evidence.comparison_report(league, ("greedy", "cautious"), refuse) is None


# --- the sentence


DECIDED = "decided after 1,200 of 1,240 hands"


def sentences() -> Iterator[tuple[tuple[float, float], Verdict, str]]:
    yield (0.0, 0.5), Verdict.BETTER, f"a is stronger than b, {DECIDED}"
    yield (
        (0.0, 0.5),
        Verdict.NOT_AS_GOOD,
        f"a is not stronger than b by 0.5 points a hand or more, {DECIDED}",
    )
    yield (-0.5, 0.0), Verdict.BETTER, f"a is not weaker than b by 0.5 points a hand or more, {DECIDED}"
    yield (-0.5, 0.0), Verdict.NOT_AS_GOOD, f"a is weaker than b, {DECIDED}"
    yield (1.0, 2.0), Verdict.BETTER, f"a is stronger than b by more than 1 point a hand, {DECIDED}"
    yield (-2.0, -1.0), Verdict.NOT_AS_GOOD, f"a is weaker than b by more than 1 point a hand, {DECIDED}"
    undecided = "Not decided whether a is stronger than b, after 1,240 hands"
    yield (0.0, 0.5), Verdict.UNDECIDED, undecided


@pytest.mark.parametrize(("bounds", "reached", "text"), tuple(sentences()))
def test_the_verdict_is_one_sentence_about_the_bound_that_was_asked(
    bounds: tuple[float, float], reached: Verdict, text: str
) -> None:
    difference, decided = Interval(0.3, -0.2, 0.8), None if reached is Verdict.UNDECIDED else 1200
    counts = {"hands": 1240, "decided": decided, "pairs": 620}
    outcome = compared(verdict=reached, bounds=bounds, difference=difference, better=1e9, worse=1e-9, **counts)
    shown = ComparisonReport(first="a", second="b", most_hands=1200, outcome=outcome)
    assert verdict(shown) == text
    lines = list(describe(shown))
    assert lines[0] == f"{text}."
    assert (
        lines[1] == "Difference: +0.30 points a hand; at least -0.20 with 95 % and at most +0.80 with 95 %, however often you look."
    )
    assert lines[2].endswith(": more than 1,000,000 (needs 20).")
    assert lines[3].endswith(": less than 0.01 (needs 20).")
    assert lines[4] == "1,240 of at most 1,240 hands were played."
