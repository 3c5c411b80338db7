"""Random requests to a league's server: from its routes, fields and headers, with forms, bots and archives that were spoiled."""

import io
import re
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from random import Random
from urllib.parse import quote, urlencode

from msgspec import Struct
from support.leagues.sites import BOT
from support.servers.asgi import Endpoint

TEXTS = (
    "",
    "ann-bot",
    "ann-bot@1",
    "ben-bot@1",
    "000001",
    "r1/ann-bot@1:ben-bot@1/0/0",
    "../../tokens.json",
    "<script>alert(1)</script>",
    "\u202e\u0000\r\nX: y",
    "x" * 3000,
    "-1",
    "٣",
    "%2e%2e%2f",
    "'; DROP TABLE event; --",
    "{{7*7}}",
    "\U0001f0cf",
)
FILES = ("mine.py", "mine.zip", "mine.tar.gz", "mine-1.0-py3-none-any.whl", "mine.tar", "../mine.py", "mine")
FIELDS = ("file", "name", "version", "reason", "token", "form_key", "fixture", "one", "other", "other field")
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", "X")
ODD_HEADERS = ("content-length", "content-type", "host", "cookie", "authorization", "accept-encoding", "transfer-encoding")


class RandomRequest(Struct, frozen=True):
    """A request: what it asks for, its headers, and its body in parts."""

    method: str
    target: str
    headers: dict[str, str]
    parts: list[bytes]


class RequestSource:
    """Draws requests."""

    def __init__(
        self, endpoints: Sequence[Endpoint], signed: Sequence[Mapping[str, str]], origin: str, key: str, chance: Random
    ) -> None:
        """``signed``: headers of which each signs somebody in, ``key``: of the forms of one of them."""
        self._endpoints = endpoints
        self._signed = signed
        self._origin = origin
        self._key = key
        self._chance = chance
        self._archives = [_zip(), _tar("w"), _tar("w:gz")]

    def draw(self) -> RandomRequest:
        """Return the next request."""
        chance, endpoint = self._chance, self._chance.choice(self._endpoints)
        method = endpoint.method if chance.random() < 0.9 else chance.choice(METHODS)
        return RandomRequest(method, self._target(endpoint.path), self._headers(), self._body())

    def _text(self) -> str:
        chosen = self._chance.choice(TEXTS)
        return chosen if self._chance.random() < 0.8 else "".join(chr(self._chance.randrange(1, 0x2FF)) for _ in range(9))

    def _filled(self, path: str) -> str:
        """Return a path with its parameters filled in, or now and then any other path."""
        if self._chance.random() < 0.05:
            return f"/{quote(self._text(), safe='/@:<>{}')}"
        return re.sub(r"\{[^}]*\}", lambda _: quote(self._text(), safe="/@:"), path)

    def _target(self, path: str) -> str:
        """Return a path with some query."""
        path = self._filled(path)
        if path == "/api/uploads" and self._chance.random() < 0.8:
            return f"{path}?{urlencode({'file': self._chance.choice(FILES), **dict(self._fields())})}"
        return f"{path}?{urlencode(self._fields())}" if self._chance.random() < 0.6 else path

    def _fields(self) -> list[tuple[str, str]]:
        return [(self._chance.choice(FIELDS[1:]), self._text()) for _ in range(self._chance.randrange(5))]

    def _headers(self) -> dict[str, str]:
        """Return headers, of which most are those of a browser or program that is signed in."""
        found = dict(self._chance.choice(self._signed))
        if self._chance.random() < 0.8:
            found["origin"] = self._origin
        if self._chance.random() < 0.7:
            found["x-form-key"] = self._key
        if self._chance.random() < 0.1:
            found[self._chance.choice(ODD_HEADERS)] = quote(self._text())
        return found

    def _body(self) -> list[bytes]:
        """Return the parts of a body: a form, a bot, an archive with some bytes changed, or anything."""
        chance = self._chance
        form = f"form_key={self._key}&{urlencode(self._fields())}".encode()
        archive = self._spoiled(chance.choice(self._archives))
        bot = BOT + f"# {chance.randrange(1000)}\n".encode()
        bots = [bot], [self._spoiled(bot)], [archive], [BOT, b"x" * 3000]
        return chance.choice(([], [form], [form[:20], form[20:]], [chance.randbytes(50)], *bots))

    def _spoiled(self, content: bytes) -> bytes:
        """Return content of which some bytes were changed, or the end is missing."""
        changed = bytearray(content)
        for _ in range(self._chance.choice((0, 1, 3, 20))):
            changed[self._chance.randrange(len(changed))] = self._chance.randrange(256)
        return bytes(changed[: self._chance.choice((len(changed), len(changed), self._chance.randrange(len(changed))))])


def _zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mine/bot.py", BOT)
        archive.writestr("mine/requirements.txt", "")
    return file.getvalue()


def _tar(mode: str) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload] # a mode of our own
        for name in ("mine/bot.py", "mine/more.py"):
            entry = tarfile.TarInfo(name)
            entry.size = len(BOT)
            archive.addfile(entry, io.BytesIO(BOT))
    return file.getvalue()
