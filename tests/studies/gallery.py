"""The components of pages, each in all its states, for developers who change one.

    python tests/studies/gallery.py [PORT]

Values are fixed, so that two versions can be compared by eye and by tests.
"""

import sys
from collections.abc import Collection
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from msgspec import Struct, to_builtins
from msgspec.json import encode
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from arena.cli.web_server import run_server
from arena.gin.deal import Deal
from arena.gin.match import Hand, Scoreline
from arena.gin.rules import Rules
from arena.gin.seeing import disclose, see
from arena.gin.shuffling import shuffle
from arena.human.advice import hint
from arena.reports.answer import answer_of_league
from arena.reports.answer_card import NOTHING_PLAYED, AnswerCard, Strip
from arena.reports.comparison_answer import answer_of_comparison
from arena.reports.comparison_report import ComparisonReport
from arena.reports.html_page import render
from arena.reports.page import assets
from arena.reports.rankings import RankedRow, Ranking, ShownCell, ShownEncounter
from arena.reports.verdict import answers
from arena.sdk.named_moves import moves
from arena.stats.duels import ComparisonOutcome, Verdict
from arena.stats.estimate import Estimate
from arena.stats.format_details import Bracket, BracketRound, Slot, Tie
from arena.stats.scales import Interval
from arena.stats.statements import LEADER, MORE_LIKELY, PLACES, SETTLED, STRONGEST
from arena.web.channels import Channel, event, public_stream
from arena.web.connection_limits import ConnectionLimits
from arena.web.responses import small_application
from arena.web.table_states import hand_over_shown, turn_shown, wait_shown, waiting

if TYPE_CHECKING:
    from arena.gin.view import View

COMPONENTS = {
    "answer": "Answer card",
    "formats": "Brackets and rounds",
    "tables": "Tables",
    "charts": "Charts",
    "cards": "Cards",
    "controls": "Buttons and panels",
    "messages": "Messages and empty states",
    "table": "Table of a person",
}
SCRIPTS = ("numbers.js", "dom.js", "estimates.js", "charts.js")
TEMPLATES = jinja2.FileSystemLoader([Path(__file__).parent, assets.FOLDER / "templates"])
SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
OPPONENT = "greedy"
START = Scoreline(game=0, hand=2, score=(22, 35), games=(0, 0))
# the kinds of states for which hands are played until each was seen
WANTED = frozenset({"upcard", "draw", "discard", "knock", "lay_off", "waits", "hand_over"})


@cache
def table_states() -> dict[str, dict[str, Any]]:
    """Return the states of a person's page by kind, from hands in which both players follow the quick hint."""
    over = {"text": "You won the match, 1 game to 0."}
    saved = {"saved": "results/you-2026-01-31", "replay": "#", "bots": [OPPONENT, "cautious", "challenger"]}
    found = {"begins": waiting(OPPONENT)}
    for number in count():
        for kind, state in _hand_states(Hand.start(Deal(shuffle(f"gallery {number}"), number & 1), Rules())):
            found.setdefault(kind, state)
        if found.keys() >= WANTED:
            break
    found |= {"match_over": {"kind": "match_over", **over}, "match_saved": {"kind": "match_saved", **over, **saved}}
    log = {"state": 1, "opponent": OPPONENT, "log": ["You threw 7♥."], "notice": "", "review": None, "last_hand": ""}
    shown = found | {"closed": {"kind": "closed", **over}}
    return {kind: to_builtins({**log, **state}) for kind, state in shown.items()}


def _hand_states(hand: Hand) -> list[tuple[str, dict[str, Any]]]:
    """Return the states of a hand, each with its kind."""
    found: list[tuple[str, dict[str, Any]]] = []
    before: View | None = None
    while hand.result is None:
        view = see(hand, START)
        legal, advice = moves(view), hint(view).move
        if hand.seat == 0:
            kind = "knock" if any(name.startswith("knock:") for name in legal) else view.phase.value
            found += [(kind, turn_shown(view, before, legal, OPPONENT)), ("waits", wait_shown(view, advice, OPPONENT))]
            before = view
        hand = hand.play(advice.action)
    outcome = disclose(hand, hand.result, START, games=(0, 0), seat=0)
    return [*found, ("hand_over", hand_over_shown(outcome, OPPONENT, hand.rules))]


@cache
def page(component: str) -> str:
    """Return the page of a component."""
    values = {
        "component": component,
        "components": COMPONENTS,
        "answers": ANSWERS,
        "charts": CHARTS,
        "brackets": BRACKETS,
        "rankings": [DIVISION],
        "placed_by": "What a format decides",
        "table_states": table_states(),
    }
    links = (*assets.LIBRARIES, *SCRIPTS)
    template = assets.environment().overlay(loader=TEMPLATES).get_template("gallery.html")
    return template.render(values, title=COMPONENTS[component], links=links)


async def _component(request: Request) -> Response:
    """Return the page of a component, by default the answer card's."""
    name = request.path_params.get("component", "answer")
    if name not in COMPONENTS:
        raise HTTPException(404)
    return HTMLResponse(page(name))


async def _script(_: Request) -> Response:
    return Response(SCRIPT, media_type="text/javascript")


async def _table(request: Request) -> Response:
    """Return a person's page, whose event stream has one fixed state."""
    if request.path_params["state"] not in table_states():
        raise HTTPException(404)
    return HTMLResponse(render("table.html", opponent=OPPONENT))


def app(allowed: Collection[str], limits: ConnectionLimits) -> Starlette:
    """Return the application; ``allowed`` are the Host headers that it accepts."""

    async def events(request: Request) -> Response:
        if (state := table_states().get(request.path_params["state"])) is None:
            raise HTTPException(404)
        channel = Channel()
        channel.send(event(encode(state)))
        return public_stream(channel, limits, request)

    routes = [
        Route("/", _component),
        Route("/gallery.js", _script),
        Route("/table/{state}/", _table),
        Route("/table/{state}/events", events),
        Route("/{component}", _component),
    ]
    return small_application(routes, allowed)


# The values: answers in all their states, brackets, a division and charts, each free of contradictions.


class ShownAnswer(Struct, frozen=True):
    """An answer card with what stands around it."""

    title: str
    state: str
    played: str
    card: AnswerCard


def _strips(*rows: tuple[str, int, int]) -> tuple[Strip, ...]:
    return tuple(Strip(name, value, value - half, value + half, f"{value:+d} ± {half}") for name, value, half in rows)


LONG = "a-bot-with-a-very-long-name-indeed"
FOUR = _strips(("score-keeper", 287, 288), ("challenger", 343, 282), (LONG, 242, 304), ("b", -30, 317))
APART = _strips(("score-keeper", 412, 96), ("challenger", 164, 88), (LONG, 131, 87), ("b", -402, 140))
LEADING = _strips(("challenger", 343, 282), ("score-keeper", 287, 288), ("early-bird", 242, 304), ("two-way", -30, 317))
DUEL = "arena duel score-keeper challenger"
CARD = AnswerCard(finished=True, who="score-keeper won", unit="Elo", strips=FOUR)


def _comparison(
    verdict: Verdict, bounds: tuple[float, float], gap: Interval, proofs: tuple[float, float], hands: int
) -> ComparisonReport:
    """Return a comparison of two bots; ``proofs``: the evidence for either verdict, of 20."""
    outcome = ComparisonOutcome(
        verdict=verdict,
        unit="points a hand",
        bounds=bounds,
        difference=gap,
        better=proofs[0],
        worse=proofs[1],
        proof=(20, 20),
        hands=hands,
        decided=None if verdict is Verdict.CONTINUE else hands,
        pairs=hands // 2,
    )
    return ComparisonReport(first="score-keeper", second="challenger", most_hands=20_000, outcome=outcome)


OPEN_DUEL = _comparison(Verdict.CONTINUE, (0.0, 0.5), Interval(0.33, -3.57, 4.23), (3.1, 1.2), 1_540)
GAUNTLET = replace(
    _comparison(Verdict.BETTER, (0.0, 0.5), Interval(1.2, 0.3, 2.1), (24, 0.02), 6_200), opponents=("greedy", "cautious")
)
WEAKER = replace(
    _comparison(Verdict.NOT_AS_GOOD, (-0.5, 0.0), Interval(-1.6, -2.9, -0.3), (0.01, 31), 4_400), second="score-keeper@release"
)


def _estimate(value: float, half: float, chance: float) -> Estimate:
    """Return a rating with a chance to be the strongest, whose range is 14 percentage points wide."""
    first = (chance - 0.07, chance + 0.07) if chance else (0.0, 0.0)
    return Estimate(value, value - half, value + half, ranks=(chance, 1 - chance, 0.0), first=first)


def _league() -> AnswerCard:
    """Return the answer of a league whose first two are not separated."""
    rated = {
        "score-keeper@3": _estimate(4.1, 0.9, 0.62),
        "challenger@1": _estimate(3.6, 1.1, 0.38),
        "b@12": _estimate(-4.4, 1.6, 0.0),
    }
    found = answer_of_league(list(rated), rated, dict.fromkeys(rated, 620), "points")
    assert found
    return found


BOT = AnswerCard(
    finished=False,
    who="challenger@2 has rank 2 of 12",
    how="next match: in round 32, against score-keeper@3",
    why=f"{PLACES}: 1 to 4",
    unit="points a hand, mean 0",
    strips=(Strip("challenger@2", 3.6, 2.5, 4.7, "+3.60"), Strip("challenger@1", 1.9, 1.1, 2.7, "+1.90")),
)


def _answer(title: str, state: str, played: str, **changed: Any) -> ShownAnswer:
    """Return the card of a run that differs from ``CARD``."""
    return ShownAnswer(title, state, played, replace(CARD, **changed))


ANSWERS = (
    ShownAnswer("Not begun", "running", "0 of 40 matches", NOTHING_PLAYED),
    _answer(
        "Round robin, settled",
        "finished",
        "240 matches",
        how="58–2 in matches, +7.10 points a hand",
        sure=str(SETTLED),
        why=STRONGEST(rating="Elo", bots="score-keeper"),
        chance=(0.99, 1.0),
        strips=APART,
    ),
    _answer(
        "Swiss, being played",
        "running",
        "12 of 40 matches",
        who="challenger leads",
        how="round 2 of 5; 3–1 in matches, +3.96 points a hand",
        sure="Not settled",
        why=LEADER(chance="25 % to 59 %", bot="challenger", rating="Elo"),
        chance=(0.25, 0.59),
        strips=LEADING,
        surer="the rest of this run",
    ),
    _answer(
        "Knockout, weak evidence",
        "finished",
        "22 matches",
        how="the final against challenger, 2–2 in matches, by points, 2459–2427",
        sure="Weak as evidence of strength",
        why=MORE_LIKELY(rating="Elo", strongest="challenger", chance="13 % to 48 %", leader="score-keeper", own="13 % to 28 %"),
        chance=(0.13, 0.28),
        surer="a duel of score-keeper and challenger",
        command=DUEL,
    ),
    _answer(
        "Divisions, stopped",
        "stopped",
        "31 of 54 matches",
        who="challenger leads",
        how="season 2 of 3; 6–2 in matches, +6.82 points a hand",
        sure="Not settled",
        why=LEADER(chance="34 % to 40 %", bot="challenger", rating="Elo"),
        chance=(0.34, 0.4),
        strips=LEADING,
        surer="the rest of this run",
        command="arena run tournaments/divisions.yaml --results results/divisions",
    ),
    _answer(
        "Shared first place, grown",
        "finished",
        "44 matches, grown twice",
        who="score-keeper and challenger share the first place",
        sure="Not settled",
        why="their results are equal",
        strips=_strips(("score-keeper", 120, 214), ("challenger", 120, 214), ("b", -240, 251)),
    ),
    _answer(
        "An interval that leaves the axis",
        "stopped",
        "9 of 40 matches",
        who="challenger leads",
        how="3–0 in matches, +9.20 points a hand",
        strips=(*LEADING[:2], Strip("b", -30, -2400, 287, "-30 (-2,400 to +287)")),
    ),
    ShownAnswer("Duel without a verdict", "running", "1,540 hands", answer_of_comparison(OPEN_DUEL, finished=False)),
    ShownAnswer("Gauntlet, decided", "finished", "6,200 hands", answer_of_comparison(GAUNTLET, finished=True)),
    ShownAnswer("Regression test, weaker", "finished", "4,400 hands", answer_of_comparison(WEAKER, finished=True)),
    ShownAnswer("A league", "running", "930 matches in 31 rounds, round 32 is open; aim: the whole order", _league()),
    ShownAnswer("A bot of a league", "active", "", BOT),
    ShownAnswer("A single match", "finished", "1 match", replace(CARD, who="you won the only match", strips=())),
)


SEEDS = {"score-keeper": 1, "challenger": 2, LONG: 3, "b": 4}


def _tie(one: str, other: str, score: str, note: str = "") -> Tie:
    """Return a tie that the first side has won; without a score it is not played yet."""
    won, _, lost = score.partition("–")
    slots = Slot(entrant=one, seed=SEEDS[one], score=won), Slot(entrant=other, seed=SEEDS.get(other), score=lost)
    return Tie(slots=slots, winner=0 if score else None, note=note)


BRACKETS = (
    Bracket(
        "Finished",
        [
            BracketRound("Semi-finals", [_tie("score-keeper", "b", "2–0"), _tie(LONG, "challenger", "2–2", "by games, 6–4")]),
            BracketRound("Final", [_tie("score-keeper", LONG, "2–2", "by points, 2459–2427")]),
        ],
    ),
    Bracket(
        "Being played",
        [
            BracketRound("Semi-finals", [_tie("score-keeper", "b", "2–0"), _tie(LONG, "challenger", "")]),
            BracketRound("Final", [_tie("score-keeper", "", "")]),
        ],
    ),
)
NOT_MET = ShownEncounter()
BEATEN_LONG, BEATEN_B = ShownEncounter(LONG, "2–0", "ahead"), ShownEncounter("b", "2–0", "ahead")
LOST = ShownEncounter("score-keeper", "0–2", "behind")
LEVEL_LONG, LEVEL_B = ShownEncounter(LONG, "1–1", "level"), ShownEncounter("b", "1–1", "level")


def _row(place: str, name: str, score: str, met: list[ShownEncounter], cells: list[ShownCell], move: str = "") -> RankedRow:
    return RankedRow(place=place, name=name, score=score, met=met, cells=cells, move=move)


DIVISION = Ranking(
    title="A division",
    score="score",
    columns=["Sonneborn-Berger", "points"],
    opponents=["score-keeper", LONG, "b"],
    moves=True,
    rows=[
        _row("1", "score-keeper", "2", [NOT_MET, BEATEN_LONG, BEATEN_B], [ShownCell("1"), ShownCell("+310")], "up"),
        _row("2", LONG, "0.5", [LOST, NOT_MET, LEVEL_B], [ShownCell("0.25"), ShownCell("-96", decides=True)]),
        _row("3", "b", "0.5", [LOST, LEVEL_LONG, NOT_MET], [ShownCell("0.25"), ShownCell("-214")], "down"),
    ],
    note="Score: 1 for a pairing won; a half for one drawn.",
)

CHARTS: dict[str, Any] = {
    "rows": [
        {"entrant": strip.name, "rating": (strip.value, strip.low, strip.high), "endings": [40, 2, 90, 9, 6, 0, 70, 20, 12]}
        for strip in FOUR
    ],
    "history": {strip.name: [(100 * at, strip.value / 50 + 4 / at, 9 / at) for at in range(1, 8)] for strip in FOUR},
    "comparison": {
        "above": answers(OPEN_DUEL)[0],
        "below": answers(OPEN_DUEL)[1],
        "proof": OPEN_DUEL.outcome.proof,
        "bounds": OPEN_DUEL.outcome.bounds,
        "unit": "points a hand",
        "history": [(220 * at, 1 + 0.3 * at, 1 + at / 35, 0.33, 0.33 - 27.3 / at, 0.33 + 27.3 / at) for at in range(1, 8)],
    },
}


if __name__ == "__main__":
    limits = ConnectionLimits()
    run_server(int(sys.argv[1]) if sys.argv[1:] else 8000, "the components of pages", partial(app, limits=limits), limits)
