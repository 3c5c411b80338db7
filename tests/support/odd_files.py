"""Files that nobody would send by mistake: bots, manifests, wheels and archives that were generated and then spoiled.

    python tests/support/odd_files.py 10000 FOLDER [SEED]

Takes 10,000 of them in, and ends with an error for the first at which arena has one. ``FOLDER`` is new; what was found stays there.
"""

import io
import struct
import sys
import tarfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from unittest.mock import patch

from hostile_archives import ATTACKS
from msgspec import Struct

from arena.errors import RosterError
from arena.league.spec import SubmissionTerms
from arena.players.sandboxes.none import NoSandbox
from arena.runs.leagues import intake
from arena.runs.submissions import unpacker, unpacking
from arena.runs.submissions.confined_reader import ConfinedReader
from arena.runs.submissions.unpacking import UnpackLimits

BOT = "from arena.sdk import Bot\n\nclass Mine(Bot):\n    pass\n"
TERMS = SubmissionTerms(archive_mb=1)
NAMES = (
    *("mine.py", "mine/__init__.py", "mine/player.py", "bot.yaml", "mine/bot.yaml", "requirements.txt", "setup.py", "PKG-INFO"),
    *(
        "a" * 119 + ".py",
        "a/" * 19 + "b.py",
        "é.py",
        "e\u0301.py",
        "\u202emine.py",
        "mine .py",
        "class.py",
        "1.py",
        "a.b.py",
        "mine.pyc",
    ),
    *(
        "../mine.py",
        "/mine.py",
        "C:\\mine.py",
        "mine\0.py",
        "mine\n.py",
        "",
        ".",
        "..",
        "mine.py/",
        "__pycache__/x.pyc",
        "mine.json",
    ),
    *("mine-1.0.dist-info/METADATA", "mine-1.0.dist-info/WHEEL", "mine-1.0.dist-info/entry_points.txt", "mine-1.0.data/x", "x.pth"),
    *("arena.sqlite", "bot.yml", "mine.yaml", "\udcff.py", "CON.py", "mine.PY", "ﬀ.py", "İ.py", "\U0001f0cf.py"),
)
SOURCES = (
    *(BOT, "class X(Bot" + ".x" * 950 + "):\n    pass\n", "class X(Bot" + ".x" * 90_000 + "): pass\n", "x = " + "(" * 5000),
    *("x = " + "-" * 100_000 + "1", "x = " + "[" * 150 + "]" * 150, "x = " + "1+" * 50_000 + "1", "x = " + "9" * 10_000),
    *("class Mine(Bot): pass\n" * 3000, "import " + "a." * 5000 + "a", "from " + "." * 5000 + " import x", "from . import *"),
    *(
        "# coding: klingon\n",
        "# coding: utf-7\n+AGE-",
        "\ufeff" + BOT,
        "a\0b",
        "\xff",
        "if 1:\n\tx\n        y",
        "\f\f\f",
        "\\",
        "'''",
    ),
    *("class Mine(Bot, metaclass=M): pass", "class Mine(*Bot): pass", "class Mine(**Bot): pass", "class Mine(Bot[int]): pass"),
    *("async def Mine(): pass", "Mine = Bot", "exec('x')", "from arena.sdk import *", "class Mine(f'{Bot}'): pass", "x = '\\N{'"),
    *(
        "match x:\n    case Mine(): pass",
        "class Mine[T](Bot): pass",
        "x = 0777",
        "print 'x'",
        "x: " + "a[" * 300 + "]" * 300,
        "lambda" * 900,
    ),
    *(
        BOT + "\nif True:\n" + "".join(" " * n + "if True:\n" for n in range(1, 120)) + " " * 120 + "pass\n",
        "class Ⅿine(Bot): pass",
    ),
    *(
        "import mine.mine.mine",
        "from mine import player",
        "from .. import x",
        BOT.replace("Mine", "M" * 70_000),
        "del " + "(" * 90 + "x" + ")" * 90,
    ),
)
MANIFESTS = (
    *(
        "name: mine\ncommand: [python3, -m, arena.sdk, 'mine.py:Mine']\n",
        "name: mine\ncommand: [sh]\n",
        "name: mine\n",
        "[]",
        "1",
        "",
    ),
    *(
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nname: mine\n",
        "a: &a\n  <<: *a\n",
        "&a [*a]",
        "? [a]\n: b",
        "!!python/object/apply:os.system [id]",
    ),
    *(
        "a: " + "[" * 900,
        "a: " + "{a: " * 900,
        "- " * 9000,
        "a: 0x" + "f" * 5000,
        "a: " + "9" * 399,
        "a: .inf",
        "a: 1e999999",
        "a: 2026-99-99",
    ),
    *(
        "a: 'x\n",
        "a: \x07",
        "\ufeffname: mine\n",
        'a: "\\ud800"',
        "%YAML 9.9\n---\na: b",
        "--- a\n--- b",
        "a: |9999\n x",
        "\ta: b",
        "a:\n- b\n c",
    ),
    *(
        "name: mine\ncommand: ['']\n",
        "name: mine\ncommand: [/bin/sh]\nthreads: 99999999999999999999\n",
        "name: ..\ncommand: [sh]\n",
        "<<: 1",
    ),
    *(
        "name: mine\ncommand: ['" + "x" * 5000 + "']\n",
        "name: mine\ncommand: ['a\\0b']\n",
        "1: 2",
        "null: 1",
        "~",
        "!!set {a}",
        "!!binary x",
        "!!omap [a]",
    ),
    *(
        "name: !!str mine\ncommand: !!seq [sh]\nversion: !!float x\n",
        "a: !!int ''",
        "a: !!timestamp x",
        "a: !<tag:x> y",
        "a: *b",
        "a: &a\na: *a",
    ),
)
LINES = (
    *(
        "numpy>=2",
        "numpy; os_name ~= 'x'",
        "numpy; python_version > 'x'",
        "numpy; extra == 'a' and extra",
        "numpy @ file:///etc",
        "-e .",
    ),
    *(
        "numpy" + "[a]" * 900,
        "numpy; " + "(" * 900,
        "numpy==" + "9" * 5000,
        "numpy==1.*.*",
        "numpy; os_name in os_name",
        "arena",
        "arena==x",
        "arena>=99",
    ),
    *(
        "numpy (>=1",
        "numpy; 'a' == 'b'",
        "\u202enumpy",
        "é",
        "numpy; platform_version >= 'x'",
        "numpy; python_version in '3 4'",
        "a" * 9000,
        "==1",
    ),
    *(
        "numpy; python_full_version ~= '3'",
        "numpy; implementation_name === 'x'",
        "numpy; unknown == 'x'",
        "numpy===" + "x" * 300,
        "numpy!=1.*",
        "x;y",
    ),
    *(
        "numpy; extras == 'x'",
        "numpy; 'x' in extras",
        "numpy; dependency_groups == 'a'",
        "n; sys_platform > ''",
        "n; os_name != ''",
        "n[,]",
        "n[" + "a," * 900 + "]",
    ),
)
POINTS = (
    *(
        "[arena.bots]\nmine = mine.player:Mine\n",
        "[arena.bots]\nmine = mine\n",
        "[arena.bots]\n= x\n",
        "[arena.bots]\nmine =\n",
        "[arena.bots\nx=y",
    ),
    *(
        "[arena.bots]\n" + "x = y:z\n" * 900,
        "[arena.plugins]\nx = y\n",
        "[arena.bots]\nmine = " + "a." * 9000 + "a:B",
        "[]\nx=y",
        "\0",
        "[arena.bots]\nmine = mine.player:Mine [" + "a," * 900 + "]",
    ),
    *(
        "[arena.bots]\nmine = ../x:Y\n",
        "[arena.bots]\nmine = mine.player:Mine [[x]]",
        "[arena.bots]\n" + "m" * 9000 + " = mine.player:Mine",
        "[arena.bots]\nmine = \ud7ff:X",
    ),
)
WHEELS = (
    *(
        "Wheel-Version: 1.0\n",
        "Wheel-Version: 2.0\n",
        "",
        "Wheel-Version: 1.0\nWheel-Version: 1.0\n",
        ":\n",
        " x\n",
        "Wheel-Version\n",
        "\0",
        "Wheel-Version: =?x?q?y?=\n",
    ),
    *(
        "Wheel-Version: " + "1." * 9000,
        "A: b\n" * 9000,
        "Wheel-Version: 1.0\r\n\r\nbody",
        "Content-Type: multipart/mixed; boundary=x\n\n--x\n",
        "From x\nWheel-Version: 1.0\n",
    ),
)
Drawn = tuple[str, bytes]  # the name of a file and its content


class Draw:
    """Draws odd files."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def file(self) -> Drawn:
        """Return a file that somebody may send."""
        makes: Sequence[Callable[[], Drawn]] = (
            self._source,
            self._zip,
            self._zip,
            self._tar,
            self._wheel,
            self._wheel,
            self._anything,
        )
        return self._chance.choice(makes)()

    def _one(self, texts: Sequence[str]) -> bytes:
        """Return one of some texts as bytes, now and then spoiled or with another one after it."""
        chance = self._chance
        text = chance.choice(texts).encode("utf-8", "surrogatepass")
        if chance.random() < 0.2:
            text += b"\n" + chance.choice(texts).encode("utf-8", "surrogatepass")
        return self._spoiled(text) if chance.random() < 0.2 else text

    def _spoiled(self, content: bytes) -> bytes:
        chance, changed = self._chance, bytearray(content)
        for _ in range(chance.choice((1, 1, 3, 20)) if changed else 0):
            place = chance.randrange(len(changed))
            match chance.randrange(5):
                case 0:
                    changed[place] = chance.randrange(256)
                case 1:
                    changed[place:place] = chance.choice(
                        (b"\0", b"\xff", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\r", b"\xe2\x80\xa8")
                    )
                case 2:
                    del changed[place : place + chance.randrange(1, 9)]
                case 3:
                    changed[place:place] = changed[place : place + 50]
                case 4:
                    changed[place : place + 4] = chance.choice(
                        (b"\xff" * 4, bytes(4), b"\x7f\xff\xff\xff", struct.pack("<I", chance.randrange(1 << 32)))
                    )
            if not changed:
                break
        return bytes(changed)

    def _files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files of an archive."""
        for _ in range(self._chance.choice((0, 1, 1, 2, 3, 6))):
            name = self._chance.choice(NAMES)
            texts = MANIFESTS if name.endswith(("yaml", "yml")) else LINES if name.endswith("txt") else SOURCES
            yield name, self._one(texts)

    def _source(self) -> Drawn:
        return "mine.py", self._one(SOURCES)

    def _anything(self) -> Drawn:
        name = self._chance.choice(
            (
                "mine.zip",
                "mine.tar",
                "mine.tar.gz",
                "mine.tgz",
                "mine.tar.xz",
                "mine.tar.bz2",
                "mine-1.0-py3-none-any.whl",
                "mine.py",
                "mine.yaml",
            )
        )
        return name, self._chance.choice(
            (b"", self._chance.randbytes(300), b"PK\x05\x06" + bytes(18), b"\x1f\x8b" + bytes(50), self._one(MANIFESTS))
        )

    def _zip(self) -> Drawn:
        made = zipped(self._files(), self._chance)
        return "mine.zip", self._spoiled(made) if self._chance.random() < 0.5 else made

    def _wheel(self) -> Drawn:
        info = "mine-1.0.dist-info"
        metadata = b"Metadata-Version: 2.1\nName: mine\nRequires-Dist: " + self._one(LINES)
        files = [
            *(("mine/__init__.py", b""), ("mine/player.py", self._one(SOURCES)), (f"{info}/WHEEL", self._one(WHEELS))),
            *((f"{info}/METADATA", metadata), (f"{info}/entry_points.txt", self._one(POINTS)), *self._files()),
        ]
        made = zipped(iter(files), self._chance)
        return "mine-1.0-py3-none-any.whl", self._spoiled(made) if self._chance.random() < 0.2 else made

    def _tar(self) -> Drawn:
        mode = self._chance.choice(("", ":gz", ":xz", ":bz2"))
        file = io.BytesIO()
        form = self._chance.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))
        with tarfile.open(fileobj=file, mode=f"w{mode}", format=form) as archive:
            for name, content in self._files():
                entry = tarfile.TarInfo(name.replace("\0", "0") or "x")
                entry.size = len(content)
                entry.type = self._chance.choice(
                    (tarfile.REGTYPE,) * 9 + (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.GNUTYPE_SPARSE, b"\xff")
                )
                if self._chance.random() < 0.2:
                    entry.pax_headers = {
                        self._chance.choice(("path", "size", "GNU.sparse.map", "mtime", "x")): self._chance.choice(
                            ("", "-1", "x", "9" * 5000, "\0", "../x")
                        )
                    }
                archive.addfile(entry, io.BytesIO(content))
        made = file.getvalue()
        return f"mine.tar{mode.replace(':', '.')}", self._spoiled(made) if self._chance.random() < 0.5 else made


def zipped(files: Iterator[tuple[str, bytes]], chance: Random) -> bytes:
    """Return a zip of some files, perhaps with numbers that do not agree."""
    file = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(file, "w") as archive:
        archive.comment = chance.choice((b"", b"", b"PK\x06\x06" * 9, b"x" * 3000))
        for name, content in files:
            info = zipfile.ZipInfo("x")
            info.filename = name.replace("\udcff", "?")
            info.compress_type = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
            odd = chance.random() < 0.1
            info.external_attr = chance.choice((0o040755 << 16, 0o120777 << 16, 0xFFFFFFFF)) if odd else 0o100644 << 16
            if chance.random() < 0.1:
                info.extra = chance.choice((b"\x01\x00\x10\x00" + b"\xff" * 16, b"\x01\x00\xff\xff", b"\x75\x70\x05\x00\x01aaaa"))
            archive.writestr(info, content)
    return file.getvalue()


class Taken(Struct, frozen=True):
    """What came of a file: the beginning of the refusal; empty: a bot was found in it."""

    refusal: str


class SharedReader(ConfinedReader):
    """A process that reads file after file; only a test may use the same for several bots."""

    def close(self) -> None:
        """Keep the process, unless it has failed."""
        if self._child and self._child.ended:
            super().close()

    def end(self) -> None:
        """End the process."""
        super().close()


@contextmanager
def shared_reader() -> Iterator[None]:
    """Have one process read the files of all bots, and this one unpack their archives: otherwise each would start two."""
    reader = SharedReader(NoSandbox())

    @contextmanager
    def given(_: object) -> Iterator[ConfinedReader]:
        yield reader

    with patch.object(intake, "confined_reader", given), patch.object(unpacking, "unpack", _unpack):
        try:
            yield
        finally:
            reader.end()


def _unpack(archive: Path, name: str, folder: Path, limits: UnpackLimits, _: object) -> None:
    report = archive.with_name("report")
    with report.open("wb") as out:
        unpacker.main(str(archive), out)
    with report.open("rb") as source:
        unpacking.receive(source.fileno(), name, folder, limits, archive.stat().st_size)


def take(name: str, content: bytes, folder: Path) -> Taken:
    """Take a file in. Raises: any error of arena."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    try:
        with intake.copied(str(folder / name), folder / "bots", TERMS, NoSandbox()):
            return Taken("")
    except RosterError as error:
        assert len(str(error).splitlines()) == 1, error
        assert str(error).isprintable(), repr(error)
        assert str(folder) not in str(error).replace(str(folder / name), ""), error
        return Taken(str(error).partition(": ")[2][:40])
    finally:
        (folder / name).unlink()


def main(count: int, folder: Path, seed: str) -> None:
    """Take odd files in."""
    folder.mkdir(parents=True)
    began, found = time.monotonic(), Counter[str]()
    draw = Draw(Random(seed))
    with shared_reader():
        for number in range(count):
            name, content = draw.file()
            try:
                found[take(name, content, folder).refusal] += 1
            except Exception:
                (folder / f"found-{number}-{name}").write_bytes(content)
                raise
    sys.stdout.write(
        f"{count} files in {time.monotonic() - began:.0f} s, {found['']} with a bot, {len(found)} different refusals\n"
    )
    for refusal, times in found.most_common(40):
        sys.stdout.write(f"{times:6} {refusal}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "odd")
