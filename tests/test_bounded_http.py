"""A response ends within its bytes and seconds, whatever a server sends."""

import gzip
import socket
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from urllib.request import Request

import pytest
from support.hostile.server import Response, answering, at_once, dripping, without_end

from arena.bounded_http import HttpClient, NoResponseError

MOST = 1 << 18
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def read(address: str, seconds: float = 60.0, *, follow: bool = False, proxies: dict[str, str] | None = None) -> bytes:
    with HttpClient(proxies or {}).open(Request(address), seconds=seconds, most=MOST, follow=follow) as response:  # noqa: S310 - of this machine
        return response.read()


@pytest.mark.parametrize(
    "response",
    [
        without_end(OK + b"\r\n", b"x" * 9999),
        without_end(OK + b"Content-Length: 99999999999999\r\n\r\n", b"x" * 9999),
        without_end(CHUNKED, b"1\r\nx\r\n"),
        without_end(CHUNKED + b"1;", b"x" * 9999),
        without_end(CHUNKED + b"-1\r\n", b"x" * 9999),
        without_end(CHUNKED + b"0\r\n", b"X: y\r\n"),
        without_end(b"HTTP/1.1 503 Busy\r\n\r\n", b"x" * 9999),
        without_end(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        without_end(OK, b"X: " + b"y" * 60_000 + b"\r\n"),
        without_end(b"", b"x" * 9999),
        without_end(OK, b"X: y\r\n"),
    ],
    ids=["body", "length", "chunks", "extension", "negative", "trailers", "error", "interim", "headers", "line", "many-headers"],
)
def test_a_response_without_end_is_given_up(response: Response) -> None:
    with (
        answering(response) as address,
        pytest.raises(NoResponseError, match=r"^(more than 262,144 bytes|got more than|status line|chunk size|.*read)"),
    ):
        read(address)


@pytest.mark.parametrize(
    "response",
    [dripping(b"", b""), dripping(b""), dripping(OK + b"X: "), dripping(OK + b"\r\n"), dripping(CHUNKED, b"1\r\nx\r\n")],
    ids=["silence", "line", "header", "body", "chunks"],
)
def test_the_seconds_are_those_of_the_whole_response(response: Response) -> None:
    with answering(response) as address, pytest.raises(NoResponseError, match=r"^timed out$"):
        read(address, 0.2)


def test_the_tunnel_of_a_proxy_is_bounded_too() -> None:
    with answering(without_end(OK, b"X: y\r\n")) as proxy, pytest.raises(NoResponseError, match=r"^more than 262,144 bytes$"):
        read("https://192.0.2.1/", proxies={"https": proxy})


def test_a_body_that_ends_early_is_no_response() -> None:
    with answering(at_once(OK + b"Content-Length: 9\r\n\r\nhalf")) as address, pytest.raises(NoResponseError, match="5 more"):
        read(address)


def test_a_compressed_body_stays_as_it_is() -> None:
    bomb = gzip.compress(bytes(1 << 22))
    with answering(at_once(OK + b"Content-Encoding: gzip\r\n\r\n", bomb)) as address:
        assert read(address) == bomb


def test_a_redirection_is_followed_only_on_request_and_within_the_same_limits() -> None:
    requests = list[bytes]()
    with answering(without_end(OK + b"\r\n", b"x" * 9999)) as other:
        there = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + other.encode() + b"\r\n\r\n"
        with answering(at_once(there), requests) as address:
            assert read(address) == b""
            with pytest.raises(NoResponseError, match=r"^more than 262,144 bytes$"):
                read(address, follow=True)
    with answering(at_once(b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n"), requests) as address:
        with pytest.raises(NoResponseError):
            read(address, follow=True)
        with answering(at_once(b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n"), requests) as circle, pytest.raises(NoResponseError):
            read(circle, follow=True)


def test_the_words_of_a_server_are_one_printable_line() -> None:
    with (
        answering(at_once(b"HTTP/1.1 500 \x1b[2J" + b"x" * 999 + b"\r\n\r\n")) as address,
        HttpClient({}).open(Request(address), seconds=60.0, most=MOST) as response,  # noqa: S310 - of this machine
        pytest.raises(NoResponseError, match=r"^HTTP 500 \\x1b\[2Jx{100}"),
    ):
        response.check_success()
    with answering(at_once(b"\x1b[2J\n" * 99)) as address, pytest.raises(NoResponseError) as refused:
        read(address)
    assert str(refused.value).isprintable()


def test_an_address_that_refuses_is_followed_by_the_next_one_of_its_host(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed, answering(at_once(OK + b"\r\nhere")) as address:
        closed.bind(("127.0.0.1", 0))  # it does not listen
        places = [closed.getsockname(), ("127.0.0.1", int(address.rpartition(":")[2]))]
        monkeypatch.setattr(
            socket, "getaddrinfo", lambda *_: [(socket.AF_INET, socket.SOCK_STREAM, 0, "", place) for place in places]
        )
        assert read("http://example.org/") == b"here"
        places.pop()
        with pytest.raises(NoResponseError, match=r"^Connection refused$"):
            read("http://example.org/")


@pytest.mark.process
def test_tls_has_the_same_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = certificate(tmp_path / "server.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(made))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(made)
    with answering(at_once(OK + b"Content-Length: 4\r\n\r\nhere"), tls=tls) as address:
        assert read(address) == b"here"
    with answering(without_end(CHUNKED, b"1\r\nx\r\n"), tls=tls) as address, pytest.raises(NoResponseError, match=r"^more than"):
        read(address)
    for response in (dripping(OK + b"X: "), dripping(OK + b"\r\n")):
        with answering(response, tls=tls) as address, pytest.raises(NoResponseError, match=r"timed out$"):
            read(address, 0.4)
    with answering(dripping(b"")) as address, pytest.raises(NoResponseError):
        read(address.replace("http", "https"), 0.2)  # its handshake never ends


def certificate(path: Path) -> Path:
    """Write a certificate of this machine, signed by itself, with its key."""
    x509 = pytest.importorskip("cryptography.x509", reason="needs the extra `remote`")
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 - the extra
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - likewise

    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "here")])
    begin = datetime.now(tz=UTC) - timedelta(days=1)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    builder = builder.not_valid_before(begin).not_valid_after(begin + timedelta(days=2))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(private + builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return path
