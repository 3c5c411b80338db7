"""A client of HTTP for servers of other people: whatever a server sends, a response ends within its bytes and its seconds.

Both are counted below ``http.client``, where bytes leave the socket. So they bound the response as a whole: status lines, headers,
any number of interim responses, chunk sizes, trailers and body, one byte at a time or all at once, also of a proxy's tunnel. Within
them ``http.client`` bounds a line (64 KiB) and the headers (100). Nothing is decompressed. Where the network has given up on an
address, the next one of its host has only the seconds that are left; looking up the name is left to the system and its own limit.

A redirection is an answer like any other, and is not followed unless its caller says so: a request carries a token, a key or a
message for one address alone.
"""

import io
import os
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Any
from urllib.request import HTTPErrorProcessor, HTTPHandler, HTTPRedirectHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from arena.text import in_one_line, shorten

REDIRECTIONS = (301, 302, 303, 307, 308)  # status codes
CHUNK = 1 << 16  # bytes of a body that are read at a time
LONGEST_REASON = 200  # characters of a server's words in a message


class NoResponseError(Exception):
    """There is no whole response within the limits; has the reason, in one printable line, and its error as the cause."""


class TooLongError(HTTPException):
    """A response is longer than its limit."""


class _ResponseLimits:
    """What is left of the bytes and seconds of one response, with all redirections that it takes."""

    def __init__(self, seconds: float, most: int) -> None:
        self._until = time.monotonic() + seconds
        self._most = most
        self._left = most

    def seconds(self) -> float:
        """Return the seconds that are left. Raises: TimeoutError."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        return left

    def count(self, received: int) -> None:
        """Count bytes that were received. Raises: TooLongError."""
        self._left -= received
        if self._left < 0:
            raise TooLongError(f"more than {self._most:,} bytes")


class _LimitedReader(io.RawIOBase):
    """The bytes of a socket within limits."""

    def __init__(self, raw: io.RawIOBase, source: socket.socket, limits: _ResponseLimits) -> None:
        self._raw = raw
        self._source = source
        self._limits = limits

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401 - a writable buffer, which has no name before Python 3.12
        self._source.settimeout(self._limits.seconds())
        received: int | None = self._raw.readinto(buffer)
        self._limits.count(received or 0)
        return received

    def close(self) -> None:
        self._raw.close()
        super().close()


class _LimitedResponse(HTTPResponse):
    def __init__(self, limits: _ResponseLimits, source: socket.socket, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as http.client passes them
        super().__init__(source, *given, **named)
        raw = self.fp.detach()
        self.fp = io.BufferedReader(_LimitedReader(raw, source, limits))


class _LimitedConnection(HTTPConnection):
    def __init__(self, limits: _ResponseLimits, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as urllib passes them
        super().__init__(*given, **named)
        self._limits = limits
        self.response_class = partial(_LimitedResponse, limits)  # type: ignore[assignment] # it is only called
        self._create_connection = self._connect_to_any  # its own tries each address of a host for as long as the first

    def _connect_to_any(self, address: tuple[str, int], *_: object) -> socket.socket:
        """Connect to the first address of a host that accepts. Raises: OSError."""
        refusal: OSError = OSError("it has no address")
        for family, kind, protocol, _name, place in socket.getaddrinfo(*address, 0, socket.SOCK_STREAM):
            found = socket.socket(family, kind, protocol)
            try:
                found.settimeout(self._limits.seconds())
                found.connect(place)
                found.settimeout(self._limits.seconds())  # for TLS, whose handshake has them as a whole
            except OSError as error:
                refusal = error
                found.close()
            else:
                return found
        raise refusal

    def send(self, data: Any) -> None:  # noqa: ANN401 - as http.client
        """Send a part of the request."""
        if self.sock:
            self.sock.settimeout(self._limits.seconds())
        super().send(data)


class _LimitedTlsConnection(_LimitedConnection, HTTPSConnection):
    pass


class _PlainHandler(HTTPHandler):
    def __init__(self, limits: _ResponseLimits) -> None:
        super().__init__()
        self._limits = limits

    def http_open(self, request: Request) -> HTTPResponse:
        return self.do_open(partial(_LimitedConnection, self._limits), request)


class _TlsHandler(HTTPSHandler):
    def __init__(self, limits: _ResponseLimits, context: ssl.SSLContext) -> None:
        super().__init__(context=context)
        self._tls = context
        self._limits = limits

    def https_open(self, request: Request) -> HTTPResponse:
        return self.do_open(partial(_LimitedTlsConnection, self._limits), request, context=self._tls)


class _Redirections(HTTPErrorProcessor):
    """Follows redirections if that is wanted; any other response is returned, whatever its status is."""

    def __init__(self, *, follow: bool) -> None:
        self._follow = follow

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:
        is_redirection = response.status in REDIRECTIONS and "Location" in response.headers
        return super().http_response(request, response) if self._follow and is_redirection else response

    https_response = http_response


class BoundedResponse:
    """A response of any status, whose body is read within the limits of its request."""

    def __init__(self, response: HTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.reason = in_one_line(shorten(response.reason or "", LONGEST_REASON))
        self.headers = response.headers
        self.location = in_one_line(shorten(response.headers.get("Location") or "", LONGEST_REASON))  # of a redirection

    @property
    def is_success(self) -> bool:
        """Tell whether the status says that the request has succeeded."""
        return 200 <= self.status < 300

    def check_success(self) -> None:
        """Raise NoResponseError for a status that does not say so."""
        if not self.is_success:
            raise NoResponseError(f"HTTP {self.status} {self.reason}".rstrip())

    def chunks(self) -> Iterator[bytes]:
        """Yield the body as it arrives. Raises: NoResponseError."""
        with _explained():
            while chunk := self._response.read1(CHUNK):
                yield chunk
            if self._response.length:  # bytes that are missing
                raise IncompleteRead(b"", self._response.length)

    def read(self) -> bytes:
        """Return the whole body. Raises: NoResponseError."""
        return b"".join(self.chunks())


@cache
def _certificates(*_: str | None) -> ssl.SSLContext:
    """Return a context with the certificates of this machine, which are read once for each place that the environment names."""
    return ssl.create_default_context()


class HttpClient:
    """Sends requests. It has a copy of the certificates, so a program that makes one early opens no file later."""

    def __init__(self, proxies: Mapping[str, str] | None = None) -> None:
        """``proxies``, by scheme; None: those of the environment."""
        self._proxies = None if proxies is None else dict(proxies)
        self._context = _certificates(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
        "host".encode("idna")  # Python looks for this encoding when it looks up the first name of a host

    @contextmanager
    def open(self, request: Request, *, seconds: float, most: int, follow: bool = False) -> Iterator[BoundedResponse]:
        """Send a request and yield its response, of any status and of at most ``most`` bytes in all.

        ``seconds`` begin now and end with the body. ``follow`` redirections; otherwise they are yielded.
        Raises: NoResponseError, also when the body is read.
        """
        opener, limits = OpenerDirector(), _ResponseLimits(seconds, most)
        for handler in (
            ProxyHandler(self._proxies),
            _PlainHandler(limits),
            _TlsHandler(limits, self._context),
            HTTPRedirectHandler(),
            _Redirections(follow=follow),
        ):
            opener.add_handler(handler)
        with _explained():
            response = opener.open(request, timeout=seconds)
            if response is None:  # no handler takes it
                raise ValueError("expected an address of http or https")
        with response:
            yield BoundedResponse(response)


@contextmanager
def _explained() -> Iterator[None]:
    """Turn every error of a request into NoResponseError."""
    try:
        yield
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error  # of an URLError, the error that it wraps
        text = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        raise NoResponseError(in_one_line(shorten(text, LONGEST_REASON))) from error
