"""A table to play at, in a browser: one person, one bot, one match."""

import asyncio
import queue
import secrets
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from typing import Any

from msgspec import DecodeError, Struct
from msgspec.json import decode, encode
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from arena.gin.cards import NAMES, each, names
from arena.gin.melds import arrange, deadwood
from arena.gin.view import Outcome, View
from arena.protocol.notation import laid, written
from arena.reports.page import assets
from arena.table.moves import Move, hint, moves
from arena.table.sitting import Person
from arena.table.words import PHASES, defence, ended, lay_off_lines, match_ended, no_lay_off, opponent_did
from arena.web.app import static
from arena.web.channel import Channel, event
from arena.web.guard import Guard

LARGEST = 1000  # bytes of a message from the browser


class Act(Struct, frozen=True, forbid_unknown_fields=True):
    """What the browser sends: a move, for the state that it has seen."""

    state: int
    move: str


class Browser(Person):
    """A person at a browser. The match waits in its own thread until the browser sends a move."""

    def __init__(self, opponent: str, show: Callable[[dict[str, Any]], None]) -> None:
        super().__init__()
        self._opponent = opponent
        self._show = show
        self._number = 0  # of the state that is shown; a move for another one is too late
        self._moves: queue.SimpleQueue[Act | None] = queue.SimpleQueue()

    def act(self, act: Act | None) -> None:
        """Take a move from the browser; None leaves the table. May be called from any thread."""
        self._moves.put(act)

    def _wait(self, state: dict[str, Any], legal: Collection[str]) -> str | None:
        """Show a state until one of its moves comes; None: the table was left."""
        self._number += 1
        self._show({"state": self._number, "opponent": self._opponent, **state})
        while (act := self._moves.get()) is not None:
            if act.move == "leave":
                return None
            if act.state == self._number and act.move in legal:
                return act.move
        return None

    def choose(self, view: View) -> Move | None:
        """Return the move that the browser sends."""
        legal = moves(view)
        name = self._wait(_turn(view, self.before, legal), legal)
        return None if name is None else legal[name]

    def hand_over(self, outcome: Outcome) -> None:
        """Show both players' cards until the person has seen them."""
        self.before = None
        if not self.left and self._wait(_over(outcome, self._opponent), ("next",)) is None:
            self.left = True

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Show who has won."""
        self._number += 1
        told = match_ended(self._opponent, won=won, games=games)
        self._show({"state": self._number, "opponent": self._opponent, "kind": "match_over", "told": told})


def _turn(view: View, before: View | None, legal: dict[str, Move]) -> dict[str, Any]:
    melds, wise = arrange(view.cards), hint(view)
    return {
        "kind": "turn",
        "game": view.game,
        "hand": view.hand,
        "score": view.score,
        "games": view.games,
        "target": view.rules.target,
        "dealer": view.dealer,
        "told": PHASES[view.phase.value],
        "cards": names(view.cards),
        "melds": written(melds),
        "deadwood": deadwood(view.cards),
        "drawn": None if view.drawn is None else NAMES[view.drawn],
        "pile": [NAMES[card] for card in view.pile],
        "stock": view.stock,
        "known": names(view.opponent_holds),
        "did": opponent_did(before, view),
        "moves": {name: move.told for name, move in legal.items()},
        "hint": {"move": wise.move.name, "told": wise.move.told, "why": wise.why},
        "knock": _knock(view),
    }


def _knock(view: View) -> dict[str, Any] | None:
    """Return what the opponent has laid, and the best answer to it."""
    if view.knocker is None:
        return None
    own, lay_offs, left = defence(view)
    why = [*lay_off_lines(lay_offs, view.knocker.melds), *filter(None, [no_lay_off(view)])]
    return {"melds": written(view.knocker.melds), "deadwood": view.knocker.deadwood, "own": written(own), "left": left, "why": why}


def _over(outcome: Outcome, opponent: str) -> dict[str, Any]:
    return {
        "kind": "hand_over",
        "game": outcome.game,
        "hand": outcome.hand,
        "told": ended(outcome, opponent),
        "cards": [[NAMES[card] for card in each(held)] for held in outcome.cards],
        "melds": [written(melds) for melds in outcome.melds],
        "lay_offs": laid(outcome.lay_offs),
        "deadwood": outcome.deadwood,
        "score": outcome.score,
        "games": outcome.games,
    }


class Table:
    """The application: a page, its events, and the moves that it sends.

    Its address holds a key that nobody can guess, for who knows it can play.
    """

    def __init__(self, opponent: str) -> None:
        self.key = secrets.token_urlsafe(16)
        self.person = Browser(opponent, self._show)
        self._opponent = opponent
        self._channel = Channel()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._first: bytes | None = None  # what was shown before the loop ran

    def app(self, allowed: Collection[str]) -> Starlette:
        """Return the application; ``allowed`` are the hosts that it answers to."""
        routes = [
            Route("/static/{name:path}", static),
            Route(f"/{self.key}/", self._page),
            Route(f"/{self.key}/events", self._events),
            Route(f"/{self.key}/act", self._act, methods=["POST"]),
        ]
        guard = Middleware(Guard, allowed=allowed, methods=("GET", "HEAD", "POST"))
        return Starlette(routes=routes, middleware=[guard], lifespan=self._life)

    def leave(self) -> None:
        """Leave the table, as a person does who closes the program."""
        self.person.act(None)

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        if self._first:
            self._channel.say(self._first)
        try:
            yield
        finally:
            self._loop = None

    def _show(self, state: dict[str, Any]) -> None:
        said = event(encode(state))
        if (loop := self._loop) is None:
            self._first = said
        else:
            with suppress(RuntimeError):  # it was closed just now: nobody looks any more
                loop.call_soon_threadsafe(self._channel.say, said)

    async def _page(self, _: Request) -> Response:
        return HTMLResponse(assets.environment().get_template("table.html").render(opponent=self._opponent))

    async def _events(self, _: Request) -> Response:
        return StreamingResponse(self._channel.listen(), media_type="text/event-stream")

    async def _act(self, request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST:
                return PlainTextResponse("too long", 413)
        try:
            self.person.act(decode(body, type=Act))
        except DecodeError as error:
            return PlainTextResponse(f"expected a state and a move: {error}", 400)
        return Response(status_code=204)
