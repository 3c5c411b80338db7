"""A server that keeps what is posted to it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

Posts = list[tuple[dict[str, str], bytes]]  # the headers and the body of each


@contextmanager
def listening(received: Posts, status: int = 200) -> Iterator[str]:
    """Yield the address of a webhook, which gives each answer this status."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/hook"
        server.shutdown()
        thread.join()
