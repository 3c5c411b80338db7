"""A scripted language model on loopback, which speaks ``POST /v1/chat/completions``."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from msgspec import Struct

COUNTED = {"prompt_tokens": 100, "completion_tokens": 10}
Conversation = Sequence[dict[str, str]]


class Scripted(Struct, frozen=True, kw_only=True):
    """One reply of the model."""

    text: str | None = None  # None: ``body`` is sent as it is
    body: bytes = b""
    status: int = 200
    header: tuple[str, str] = ("Content-Type", "application/json")
    finish: str = "stop"
    delay: float = 0.0  # seconds
    counts: bool = True  # whether it says how many tokens there were: 100 and 10


class ChatEndpoint:
    """Where the model is, and what it was asked."""

    def __init__(self, script: Callable[[Conversation], Scripted]) -> None:
        self.asked: list[dict[str, Any]] = []  # the requests
        self.keys: list[str] = []  # the authorizations
        self.headers: list[dict[str, str]] = []  # of the requests, by name in lower case
        self.paths: list[str] = []  # with their query
        self.hangs_up = False  # closes each connection without a reply
        self.script = script
        self.url = ""


@contextmanager
def chat_endpoint(script: Callable[[Conversation], Scripted]) -> Iterator[ChatEndpoint]:
    """Serve a scripted model."""
    endpoint = ChatEndpoint(script)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if endpoint.hangs_up:
                self.close_connection = True
                return
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.asked.append(request)
            endpoint.keys.append(self.headers.get("Authorization", ""))
            endpoint.headers.append({name.lower(): value for name, value in self.headers.items()})
            endpoint.paths.append(self.path)
            reply = endpoint.script(request["messages"])
            time.sleep(reply.delay)
            choice = {"message": {"content": reply.text}, "finish_reason": reply.finish}
            completion = {"choices": [choice], "usage": COUNTED if reply.counts else None}
            body = reply.body if reply.text is None else json.dumps(completion).encode()
            self.send_response(reply.status)
            self.send_header(*reply.header)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def handle(self) -> None:
            with suppress(OSError):  # who asked did not wait
                super().handle()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def error(status: int, message: str, header: tuple[str, str] = ("Content-Type", "application/json"), **more: str) -> Scripted:
    """Return an error in the form of OpenAI's."""
    return Scripted(body=json.dumps({"error": {"message": message, **more}}).encode(), status=status, header=header)


def choice(message: dict[str, Any], finish: str = "stop") -> Scripted:
    """Return a completion with a message of any form, whose tokens are counted."""
    completion = {"choices": [{"message": message, "finish_reason": finish}], "usage": COUNTED}
    return Scripted(body=json.dumps(completion).encode())


def in_order(*replies: Scripted | str) -> Callable[[Conversation], Scripted]:
    """Return a script of replies, one after another; the last one is repeated."""
    waiting = [Scripted(text=one) if isinstance(one, str) else one for one in replies]
    return lambda _: waiting.pop(0) if len(waiting) > 1 else waiting[0]
