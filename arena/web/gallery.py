"""The components of pages, each in all its states, for developers who change one: ``arena serve --gallery``.

Values are fixed, so that two versions can be compared by eye and by tests. Reports and exports contain none of these pages.
"""

from collections.abc import Collection
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins
from msgspec.json import encode
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
from arena.reports.page import assets
from arena.sdk.wording import moves
from arena.web.crowd import Crowd
from arena.web.gallery_samples import ANSWERS, BRACKETS, CHARTS, DIVISION
from arena.web.pages import Channel, render
from arena.web.server import Guard, problem_handler, public_stream, static
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
SCRIPTS = ("numbers.js", "dom.js", "estimates.js", "charts.js", "gallery.js")
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
    return [*found, ("hand_over", hand_over_shown(disclose(hand, hand.result, START, (0, 0), 0), OPPONENT, hand.rules))]


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
    return render("gallery.html", **values, title=COMPONENTS[component], links=links)


async def _component(request: Request) -> Response:
    """Return the page of a component, by default the answer card's."""
    name = request.path_params.get("component", "answer")
    if name not in COMPONENTS:
        raise HTTPException(404)
    return HTMLResponse(page(name))


async def _table(request: Request) -> Response:
    """Return a person's page, whose event stream has one fixed state."""
    if request.path_params["state"] not in table_states():
        raise HTTPException(404)
    return HTMLResponse(render("table.html", opponent=OPPONENT))


def app(allowed: Collection[str], crowd: Crowd) -> Starlette:
    """Return the application; ``allowed`` are the Host headers that it accepts."""

    async def events(request: Request) -> Response:
        if (state := table_states().get(request.path_params["state"])) is None:
            raise HTTPException(404)
        channel = Channel()
        channel.send(b"data: " + encode(state) + b"\n\n")
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
