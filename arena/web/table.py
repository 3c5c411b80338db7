"""The application of ``arena play --web``: one person plays matches against bots in a browser, one at a time.

The match runs in its own thread and waits in ``WebPlayer`` for the person's moves. Each state that is shown has a number, and a
move names the number of the state that it answers: a move that was clicked twice, or in an old tab, is ignored.
"""

import asyncio
import queue
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import quote

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
from arena.human.cards import signed
from arena.human.describe import PHASES, defence, ended, lay_off_lines, match_ended, no_lay_off, opponent_did, standing, you_did
from arena.human.moves import Move, breaks_meld, hint, knocks, moves
from arena.human.player import HumanPlayer
from arena.protocol.notation import laid, written
from arena.reports.html_page import page
from arena.reports.page import assets, rows
from arena.reports.report import Report
from arena.web.channel import Channel, event
from arena.web.guard import Guard
from arena.web.streams import problem, static

LARGEST_MESSAGE = 1000  # bytes, from the browser
LOG_LINES = 60  # of the log that is shown
AGAIN = "play:"  # and the name of a bot: the move that asks for another match


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
        self._closed = False  # the server stops: nobody is asked any more
        self._result = ""  # of the match
        self._log: list[str] = []

    def receive(self, move: SentMove | None) -> None:
        """Accept a move from the browser; None leaves the table for good. Thread-safe."""
        self._moves.put(move)

    def meet(self, opponent: str) -> None:
        """Begin a match against another bot, or the same again."""
        self._opponent, self.left, self.before, self._log = opponent, False, None, []

    def _send(self, state: dict[str, Any]) -> None:
        self._number += 1
        self._show({"state": self._number, "opponent": self._opponent, "log": self._log[-LOG_LINES:], **state})

    def _wait(self, state: dict[str, Any], legal: Collection[str]) -> str | None:
        """Show a state and return the move that answers it; None: the person left."""
        self._send(state)
        while not self._closed:
            sent = self._moves.get()
            self._closed = sent is None
            if sent is None or sent.move == "leave":
                return None
            if sent.state == self._number and sent.move in legal:
                return sent.move
        return None

    def choose(self, view: View) -> Move | None:
        """Return the move that the browser sends; None: the person left."""
        legal = moves(view)
        if self.before is None:
            self._note(f"{standing(view, self._opponent)}.")
        for did in opponent_did(self.before, view):
            self._note(f"{self._opponent} {did}.")
        name = self._wait(turn_shown(view, self.before, legal, self._opponent), legal)
        if name is None:
            return None
        self._note(f"You {you_did(name)}.")
        return legal[name]

    def _note(self, line: str) -> None:
        self._log.append(signed(line))

    def hand_over(self, outcome: Outcome) -> None:
        """Show both players' cards until the person continues."""
        self.before = None
        text = ended(outcome, self._opponent, self.rules)
        self._note(text)
        if not self.left and self._wait(_over(outcome, text), ("next",)) is None:
            self.left = True

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Show the winner."""
        self._result = match_ended(self._opponent, won=won, games=games)
        self._note(self._result)
        self._send({"kind": "match_over", "text": self._result})

    def after(self, saved: str, replay: str, bots: Sequence[str]) -> str | None:
        """Show where the match was ``saved``, and return the bot to play next, the same or another; None: none."""
        asked = {"kind": "match_saved", "text": self._result, "saved": saved, "replay": replay, "bots": bots}
        name = self._wait(asked, {"done", *(AGAIN + bot for bot in bots)})
        if name is None or name == "done":
            self._send({"kind": "closed", "text": self._result})
            return None
        return name.removeprefix(AGAIN)


def turn_shown(view: View, before: View | None, legal: dict[str, Move], opponent: str) -> dict[str, Any]:
    """Return what the page shows of a turn."""
    melds, advice = arrange(view.cards), hint(view)
    return {
        "kind": "turn",
        "standing": f"{standing(view, opponent)}.",
        "dealer": view.dealer,
        "text": PHASES[view.phase.value],
        "cards": names(view.cards),
        "melds": written(melds),
        "deadwood": deadwood(view.cards),
        "drawn": None if view.drawn is None else NAMES[view.drawn],
        "pile": [NAMES[card] for card in view.pile],
        "stock": view.stock,
        "known": names(view.opponent_holds),
        "did": [signed(did) for did in opponent_did(before, view)],
        "moves": {name: signed(move.message) for name, move in legal.items()},
        "knocks": [f"knock:{NAMES[card]}" for card in knocks(view)] if "knock" in view.may else [],
        "breaks": [NAMES[card] for card in each(view.may_discard) if breaks_meld(view, card)],
        "hint": {"move": advice.move.name, "text": signed(advice.move.message), "why": signed(advice.why)},
        "knock": _knock(view),
    }


def _knock(view: View) -> dict[str, Any] | None:
    """Return the melds of an opponent who knocked, and the best defence; None if the opponent has not knocked."""
    if view.knocker is None:
        return None
    own, lay_offs, left = defence(view)
    why = [*lay_off_lines(lay_offs, view.knocker.melds), *filter(None, [no_lay_off(view)])]
    return {
        "melds": written(view.knocker.melds),
        "deadwood": view.knocker.deadwood,
        "own": written(own),
        "lay_offs": laid(lay_offs),
        "left": left,
        "why": [signed(line) for line in why],
    }


def _over(outcome: Outcome, text: str) -> dict[str, Any]:
    return {
        "kind": "hand_over",
        "standing": f"Hand {outcome.game}.{outcome.hand}; score {outcome.score[0]} to {outcome.score[1]},"
        f" games {outcome.games[0]} to {outcome.games[1]}.",
        "text": text,
        "cards": [[NAMES[card] for card in each(cards)] for cards in outcome.cards],
        "melds": [written(melds) for melds in outcome.melds],
        "lay_offs": laid(outcome.lay_offs),
        "deadwood": outcome.deadwood,
    }


class TableServer:
    """The page, its events, and the moves that it sends.

    The address contains a random key: any other program on the machine could play otherwise.
    """

    def __init__(self, opponent: str) -> None:
        self.key = secrets.token_urlsafe(16)
        self.person = WebPlayer(opponent, self._show)
        self._opponent = opponent
        self._report: str | None = None  # the page of the last match
        self._channel = Channel()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._first: bytes | None = None  # an event from before the event loop started

    def app(self, allowed: Collection[str]) -> Starlette:
        """Return the application; ``allowed`` are the Host headers that it accepts."""
        routes = [
            Route("/static/{name:path}", static),
            Route(f"/{self.key}/", self._page),
            Route(f"/{self.key}/events", self._events),
            Route(f"/{self.key}/report", self._match),
            Route(f"/{self.key}/act", self._receive, methods=["POST"]),
        ]
        guard = Middleware(Guard, allowed=allowed, methods=("GET", "HEAD", "POST"))
        return Starlette(routes=routes, middleware=[guard], lifespan=self._life, exception_handlers={HTTPException: problem})

    def leave(self) -> None:
        """Leave the match, as if the person had clicked the button."""
        self.person.receive(None)

    def play_again(self, report: Report, saved: str, bots: Sequence[str]) -> str | None:
        """Show a match that was stored, with its report, and return the bot to play next; None: none."""
        self._report = page(report, rows.document(report), {"links": assets.REPORT_SCRIPTS})
        chosen = self.person.after(saved, f"report#/match/{quote(report.results[0].fixture.id, safe='')}", bots)
        if chosen is not None:
            self._opponent = chosen
            self.person.meet(chosen)
        return chosen

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

    async def _match(self, _: Request) -> Response:
        if self._report is None:
            raise HTTPException(404, "no match has been played yet")
        return HTMLResponse(self._report)

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
