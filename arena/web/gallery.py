"""The components of pages, each in all its states, for who changes one: ``arena serve --gallery``.

Values are fixed, so that two versions can be compared by eye and by tests. Reports and exports have nothing of it.
"""

from collections.abc import Collection
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins
from msgspec.json import encode
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from arena.gin.deal import Deal
from arena.gin.match import Hand, Scoreline
from arena.gin.rules import Rules
from arena.gin.seeing import disclose, see
from arena.gin.shuffling import shuffle
from arena.human.advice import hint
from arena.reports.answer import NOTHING_PLAYED, AnswerCard, Proof, Strip
from arena.reports.page import assets
from arena.sdk.wording import moves
from arena.web.crowd import Crowd
from arena.web.pages import Channel
from arena.web.server import Guard, problem_handler, public_stream, static
from arena.web.table_states import hand_over_shown, turn_shown, wait_shown, waiting

if TYPE_CHECKING:
    from arena.gin.view import View

COMPONENTS = {
    "answer": "Answer card",
    "tables": "Tables",
    "charts": "Charts",
    "cards": "Cards",
    "controls": "Buttons and panels",
    "messages": "Messages and empty states",
    "table": "Table of a person",
}
SCRIPTS = ("numbers.js", "dom.js", "estimates.js", "charts.js", "gallery.js")
OPPONENT = "greedy"
START = Scoreline(game=0, hand=2, score=(22, 35), games=(0, 0))
ENOUGH = frozenset({"upcard", "draw", "discard", "knock", "lay_off", "waits", "hand_over"})  # kinds that some hands must show


class ShownAnswer(Struct, frozen=True):
    """An answer card with what stands around it."""

    title: str
    state: str
    played: str
    card: AnswerCard


def _strips(*rows: tuple[str, int, int]) -> tuple[Strip, ...]:
    return tuple(Strip(name, value, value - half, value + half, f"{value:+d} ± {half}") for name, value, half in rows)


FOUR = _strips(
    ("score-keeper", 287, 288), ("challenger", 343, 282), ("a-bot-with-a-very-long-name-indeed", 242, 304), ("b", -30, 317)
)
GAP = (Strip("", 0.33, -3.57, 4.23, "+0.33 ± 3.90"),)
DUEL = "arena duel score-keeper challenger"
CARD = AnswerCard(finished=True, who="score-keeper won", unit="Elo", strips=FOUR)
CLOSE = "challenger and early-bird are not separated from it"

ANSWERS = (
    ShownAnswer("Not begun", "running", "0 of 40 matches", NOTHING_PLAYED),
    ShownAnswer(
        "Round robin, settled",
        "finished",
        "240 matches",
        replace(
            CARD,
            how="58–2 in matches, +7.10 points a hand",
            sure="Settled",
            why="a chance of more than 99 % that score-keeper is the strongest by Elo; it is separated from all others",
            chance=(0.99, 1.0),
        ),
    ),
    ShownAnswer(
        "Swiss, being played",
        "running",
        "12 of 40 matches",
        replace(
            CARD,
            who="challenger leads",
            how="4–1 in matches, +3.96 points a hand",
            sure="Open",
            why=f"a chance of 25 % to 59 % that challenger is the strongest by Elo; {CLOSE}",
            chance=(0.25, 0.59),
            surer="the rest of this run",
        ),
    ),
    ShownAnswer(
        "Knockout, weak evidence",
        "finished",
        "22 matches",
        replace(
            CARD,
            how="the final against challenger, 2–2 in matches, by points, 2459–2427",
            sure="Weak as evidence of strength",
            why="by Elo challenger is more likely the strongest, with a chance of 13 % to 48 %; score-keeper has 13 % to 28 %",
            chance=(0.13, 0.28),
            surer="a duel of score-keeper and challenger",
            command=DUEL,
        ),
    ),
    ShownAnswer(
        "Divisions, stopped",
        "stopped",
        "31 of 54 matches",
        replace(
            CARD,
            who="early-bird leads",
            how="6–2 in matches, +6.82 points a hand",
            sure="Open",
            why=f"a chance of 34 % to 40 % that early-bird is the strongest by Elo; {CLOSE}",
            chance=(0.34, 0.4),
            surer="the rest of this run",
            command="arena run tournaments/divisions.yaml --results results/divisions",
        ),
    ),
    ShownAnswer(
        "Shared first place, grown",
        "finished",
        "44 matches, grown twice",
        replace(CARD, who="score-keeper and challenger share the first place", sure="Open", why="their results are equal"),
    ),
    ShownAnswer(
        "Duel without a verdict",
        "running",
        "1,540 hands",
        replace(
            CARD,
            who="No verdict yet",
            why="both answers are open",
            unit="points a hand",
            strips=GAP,
            marks=(-0.5, 0.5),
            proofs=(Proof("better", "3.1 of 20", 0.38), Proof("not better by 0.5", "1.2 of 20", 0.06)),
            surer="about 14,000 more hands",
            command=f"{DUEL} --continue results/duel-2026-01-31",
        ),
    ),
    ShownAnswer("A single match", "finished", "1 match", replace(CARD, who="you won the only match", strips=())),
)


@cache
def table_states() -> dict[str, dict[str, Any]]:
    """Return what the page of a person shows, by kind: of hands whose players both follow the quick hint."""
    over = {"text": "You won the match, 1 game to 0."}
    saved = {"saved": "results/you-2026-01-31", "replay": "#", "bots": [OPPONENT, "cautious", "challenger"]}
    found = {"begins": waiting(OPPONENT)}
    for number in count():
        for kind, state in _hand_states(Hand.start(Deal(shuffle(f"gallery {number}"), number & 1), Rules())):
            found.setdefault(kind, state)
        if found.keys() >= ENOUGH:
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
    return [*found, ("hand_over", hand_over_shown(disclose(hand, hand.result, START, (0, 0), 0), OPPONENT, hand.rules))]


CHARTS: dict[str, Any] = {
    "rows": [
        {"entrant": strip.name, "rating": (strip.value, strip.low, strip.high), "endings": [40, 2, 90, 9, 6, 0, 70, 20, 12]}
        for strip in FOUR
    ],
    "history": {strip.name: [(100 * at, strip.value / 50 + 4 / at, 9 / at) for at in range(1, 8)] for strip in FOUR},
    "comparison": {
        "above": "better",
        "below": "not better by 0.5",
        "proof": (20, 20),
        "bounds": (0.0, 0.5),
        "unit": "points a hand",
        "history": [(200 * at, 1.4**at, 0.8**at, 0.33, 0.33 - 8 / at, 0.33 + 8 / at) for at in range(1, 8)],
    },
}


@cache
def page(component: str) -> str:
    """Return the page of a component."""
    values = {
        "component": component,
        "components": COMPONENTS,
        "answers": ANSWERS,
        "charts": CHARTS,
        "table_states": table_states(),
    }
    links = (*assets.LIBRARIES, *SCRIPTS)
    return assets.environment().get_template("gallery.html").render(**values, title=COMPONENTS[component], links=links)


async def _component(request: Request) -> Response:
    """Return the page of a component, at first that of the answer card."""
    name = request.path_params.get("component", "answer")
    if name not in COMPONENTS:
        raise HTTPException(404)
    return HTMLResponse(page(name))


async def _table(request: Request) -> Response:
    """Return the page of a person, which asks for its one state."""
    if request.path_params["state"] not in table_states():
        raise HTTPException(404)
    return HTMLResponse(assets.environment().get_template("table.html").render(opponent=OPPONENT))


def app(allowed: Collection[str], crowd: Crowd) -> Starlette:
    """Return the application; ``allowed`` are the Host headers that it accepts."""

    async def events(request: Request) -> Response:
        channel = Channel()
        channel.send(b"data: " + encode(table_states().get(request.path_params["state"])) + b"\n\n")
        return public_stream(channel, crowd, request)

    routes = [
        Route("/", _component),
        Route("/static/{name:path}", static),
        Route("/table/{state}/", _table),
        Route("/table/{state}/events", events),
        Route("/{component}", _component),
    ]
    guard = Middleware(Guard, allowed=allowed)
    return Starlette(routes=routes, middleware=[guard], exception_handlers={HTTPException: problem_handler("/")})
