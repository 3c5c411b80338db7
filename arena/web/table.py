"""The application of ``arena play --web``: one person plays one match against one bot in a browser.

The match runs in its own thread and waits in ``WebPlayer`` for the person's moves. Each state that is shown has a number, and a
move names the number of the state that it answers: a move that was clicked twice, or in an old tab, is ignored.
"""

import asyncio
import queue
import secrets
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from typing import Any

from msgspec import DecodeError, Struct
from msgspec.json import decode, encode
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from arena.gin.cards import NAMES, each, names
from arena.gin.melds import arrange, deadwood
from arena.gin.view import Outcome, View
from arena.human.describe import PHASES, defence, ended, lay_off_lines, match_ended, no_lay_off, opponent_did
from arena.human.moves import Move, hint, moves
from arena.human.player import HumanPlayer
from arena.protocol.notation import laid, written
from arena.reports.page import assets
from arena.web.channel import Channel, event
from arena.web.guard import Guard
from arena.web.streams import problem, static

LARGEST_MESSAGE = 1000  # bytes, from the browser


class SentMove(Struct, frozen=True, forbid_unknown_fields=True):
    """A move from the browser."""

    state: int  # the number of the state that it answers
    move: str


class WebPlayer(HumanPlayer):
    """A person at a browser. Methods block the thread of the match until the browser has sent a move."""

    def __init__(self, opponent: str, show: Callable[[dict[str, Any]], None]) -> None:
        super().__init__()
        self._opponent = opponent
        self._show = show
        self._number = 0  # of the state that is shown
        self._moves: queue.SimpleQueue[SentMove | None] = queue.SimpleQueue()

    def receive(self, move: SentMove | None) -> None:
        """Accept a move from the browser; None leaves the match. Thread-safe."""
        self._moves.put(move)

    def _wait(self, state: dict[str, Any], legal: Collection[str]) -> str | None:
        """Show a state and return the move that answers it; None: the person left."""
        self._number += 1
        self._show({"state": self._number, "opponent": self._opponent, **state})
        while (sent := self._moves.get()) is not None:
            if sent.move == "leave":
                return None
            if sent.state == self._number and sent.move in legal:
                return sent.move
        return None

    def choose(self, view: View) -> Move | None:
        """Return the move that the browser sends; None: the person left."""
        legal = moves(view)
        name = self._wait(_turn(view, self.before, legal), legal)
        return None if name is None else legal[name]

    def hand_over(self, outcome: Outcome) -> None:
        """Show both players' cards until the person continues."""
        self.before = None
        if not self.left and self._wait(_over(outcome, self._opponent), ("next",)) is None:
            self.left = True

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Show the winner."""
        self._number += 1
        text = match_ended(self._opponent, won=won, games=games)
        self._show({"state": self._number, "opponent": self._opponent, "kind": "match_over", "text": text})


def _turn(view: View, before: View | None, legal: dict[str, Move]) -> dict[str, Any]:
    melds, advice = arrange(view.cards), hint(view)
    return {
        "kind": "turn",
        "game": view.game,
        "hand": view.hand,
        "score": view.score,
        "games": view.games,
        "target": view.rules.target,
        "dealer": view.dealer,
        "text": PHASES[view.phase.value],
        "cards": names(view.cards),
        "melds": written(melds),
        "deadwood": deadwood(view.cards),
        "drawn": None if view.drawn is None else NAMES[view.drawn],
        "pile": [NAMES[card] for card in view.pile],
        "stock": view.stock,
        "known": names(view.opponent_holds),
        "did": opponent_did(before, view),
        "moves": {name: move.message for name, move in legal.items()},
        "hint": {"move": advice.move.name, "text": advice.move.message, "why": advice.why},
        "knock": _knock(view),
    }


def _knock(view: View) -> dict[str, Any] | None:
    """Return the melds of an opponent who knocked, and the best defence; None if the opponent has not knocked."""
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
        "text": ended(outcome, opponent),
        "cards": [[NAMES[card] for card in each(cards)] for cards in outcome.cards],
        "melds": [written(melds) for melds in outcome.melds],
        "lay_offs": laid(outcome.lay_offs),
        "deadwood": outcome.deadwood,
        "score": outcome.score,
        "games": outcome.games,
    }


class TableServer:
    """The page, its events, and the moves that it sends.

    The address contains a random key: any other program on the machine could play otherwise.
    """

    def __init__(self, opponent: str) -> None:
        self.key = secrets.token_urlsafe(16)
        self.person = WebPlayer(opponent, self._show)
        self._opponent = opponent
        self._channel = Channel()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._first: bytes | None = None  # an event from before the event loop started

    def app(self, allowed: Collection[str]) -> Starlette:
        """Return the application; ``allowed`` are the Host headers that it accepts."""
        routes = [
            Route("/static/{name:path}", static),
            Route(f"/{self.key}/", self._page),
            Route(f"/{self.key}/events", self._events),
            Route(f"/{self.key}/act", self._receive, methods=["POST"]),
        ]
        guard = Middleware(Guard, allowed=allowed, methods=("GET", "HEAD", "POST"))
        return Starlette(routes=routes, middleware=[guard], lifespan=self._life, exception_handlers={HTTPException: problem})

    def leave(self) -> None:
        """Leave the match, as if the person had clicked the button."""
        self.person.receive(None)

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        if self._first:
            self._channel.send(self._first)
        try:
            yield
        finally:
            self._loop = None

    def _show(self, state: dict[str, Any]) -> None:
        message = event(encode(state))
        if (loop := self._loop) is None:
            self._first = message
        else:
            with suppress(RuntimeError):  # the loop was closed meanwhile: no browser is connected
                loop.call_soon_threadsafe(self._channel.send, message)

    async def _page(self, _: Request) -> Response:
        return HTMLResponse(assets.environment().get_template("table.html").render(opponent=self._opponent))

    async def _events(self, _: Request) -> Response:
        return StreamingResponse(self._channel.listen(), media_type="text/event-stream")

    async def _receive(self, request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST_MESSAGE:
                return PlainTextResponse(f"message longer than {LARGEST_MESSAGE} bytes", 413)
        try:
            self.person.receive(decode(body, type=SentMove))
        except DecodeError as error:
            return PlainTextResponse(f"expected a state and a move: {error}", 400)
        return Response(status_code=204)
