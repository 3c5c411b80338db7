"""Files that nobody would send by mistake: bots, manifests, wheels and archives that are drawn, and then spoiled.

    PYTHONPATH=tests python -m support.hostile.odd_files 10000 FOLDER [SEED]

Takes 10,000 of them in, and ends with an error for the first at which arena has one. ``FOLDER`` is new; what was found stays there.
"""

import io
import re
import struct
import sys
import tarfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from unittest.mock import patch

from support.hostile.submissions import TarMode, unpack

from arena.errors import RosterError
from arena.league.intake import archives, copies
from arena.league.rules.spec import SubmissionTerms
from arena.players.sandboxes import NoSandbox
from arena.runs.confined_reading import ConfinedReader

BOT = "from arena.sdk import Bot\n\nclass Mine(Bot):\n    pass\n"
TERMS = SubmissionTerms(archive_mb=1)
ROUNDS = 20  # bytes that are spoiled at most
Drawn = tuple[str, bytes]  # the name of a file and its content


def texts(lines: str) -> tuple[str, ...]:
    """Return a text for each line, with the escapes of Python; ``@(x*9)`` stands for nine times ``x``."""
    repeated = (re.sub(r"@\((.*?)\*(\d+)\)", lambda found: found[1] * int(found[2]), line) for line in lines.strip().splitlines())
    return tuple(line.encode("latin-1", "backslashreplace").decode("unicode_escape") for line in repeated)


NAMES = texts(r"""
mine.py
mine/__init__.py
mine/player.py
bot.yaml
mine/bot.yaml
requirements.txt
mine-1.0.dist-info/METADATA
mine-1.0.dist-info/entry_points.txt
""")
ODD_NAMES = (
    "",
    *texts(r"""
setup.py
PKG-INFO
@(a*119).py
@(a/*19)b.py
\xe9.py
e\u0301.py
\u202emine.py
mine .py
class.py
1.py
a.b.py
mine.pyc
../mine.py
/mine.py
C:\\mine.py
mine\0.py
mine\n.py
.
..
mine.py/
__pycache__/x.pyc
mine-1.0.data/x
x.pth
bot.yml
CON.py
mine.PY
\ufb00.py
\u0130.py
\U0001f0cf.py
"""),
)
SOURCES = texts(r"""
from arena.sdk import Bot\n\nclass Mine(Bot):\n    pass
class X(Bot@(.x*950)):\n    pass
class X(Bot@(.x*90000)): pass
x = @((*5000)
x = @(-*100000)1
x = @([*150)@(]*150)
x = @(1+*50000)1
x = @(9*10000)
x: @(a[*300)@(]*300)
del @((*90)x@()*90)
@(class Mine(Bot): pass\n*3000)
import @(a.*5000)a
from @(.*5000) import x
from . import *
from .. import x
import mine.mine.mine
from mine import player
from arena.sdk import *
# coding: klingon\n
# coding: utf-7\n+AGE-
\ufefffrom arena.sdk import Bot\nclass Mine(Bot): pass
a\0b
\xff
if 1:\n\tx\n        y
\f\f\f
\\
'''
x = '\\N{'
class Mine(Bot, metaclass=M): pass
class Mine(*Bot): pass
class Mine(**Bot): pass
class Mine(Bot[int]): pass
class Mine[T](Bot): pass
class Mine(f'{Bot}'): pass
class @(M*70000)(Bot): pass
class \u216fine(Bot): pass
async def Mine(): pass
Mine = Bot
exec('x')
match x:\n    case Mine(): pass
x = 0777
@(lambda: *900)1
""")
MANIFESTS = texts(r"""
name: mine\ncommand: [python3, -m, arena.sdk, 'mine.py:Mine']\n
name: mine\ncommand: [sh]\n
name: mine\n
[]
1
~
a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nname: mine\n
a: &a\n  <<: *a\n
<<: 1
&a [*a]
a: *b
a: &a\na: *a
? [a]\n: b
!!python/object/apply:os.system [id]
!!set {a}
!!binary x
!!omap [a]
a: !!int ''
a: !!timestamp x
a: !<tag:x> y
a: @([*900)
a: @({a: *900)
@(- *9000)
a: 0x@(f*5000)
a: @(9*399)
a: .inf
a: 1e999999
a: 2026-99-99
a: 'x\n
a: \x07
\ufeffname: mine\n
a: "\\ud800"
%YAML 9.9\n---\na: b
--- a\n--- b
a: |9999\n x
\ta: b
name: mine\ncommand: ['']\n
name: mine\ncommand: ['a\\0b']\n
name: mine\ncommand: ['@(x*5000)']\n
name: mine\ncommand: [/bin/sh]\nthreads: 99999999999999999999\n
name: ..\ncommand: [sh]\n
name: !!str mine\ncommand: !!seq [sh]\nversion: !!float x\n
1: 2
null: 1
""")
REQUIREMENTS = texts(r"""
numpy>=2
numpy; os_name ~= 'x'
numpy; python_version > 'x'
numpy; python_full_version ~= '3'
numpy; platform_version >= 'x'
numpy; python_version in '3 4'
numpy; implementation_name === 'x'
numpy; extra == 'a' and extra
numpy; extras == 'x'
numpy; 'x' in extras
numpy; dependency_groups == 'a'
numpy; os_name in os_name
numpy; unknown == 'x'
numpy; 'a' == 'b'
n; sys_platform > ''
numpy; @((*900)
numpy @ file:///etc
-e .
numpy@([a]*900)
n[@(a,*900)]
n[,]
numpy==@(9*5000)
numpy==1.*.*
numpy===@(x*300)
numpy (>=1
arena
arena==x
arena>=99
\u202enumpy
\xe9
@(a*9000)
==1
""")
ENTRY_POINTS = texts(r"""
[arena.bots]\nmine = mine.player:Mine\n
[arena.bots]\nmine = mine\n
[arena.bots]\n= x\n
[arena.bots]\nmine =\n
[arena.bots\nx=y
[arena.bots]\n@(x = y:z\n*900)
[arena.plugins]\nx = y\n
[arena.bots]\nmine = @(a.*9000)a:B
[arena.bots]\nmine = mine.player:Mine [@(a,*900)]
[arena.bots]\nmine = mine.player:Mine [[x]]
[arena.bots]\nmine = ../x:Y\n
[arena.bots]\n@(m*9000) = mine.player:Mine
[arena.bots]\nmine = \ud7ff:X
[]\nx=y
\0
""")
WHEELS = texts(r"""
Wheel-Version: 1.0\n
Wheel-Version: 2.0\n
Wheel-Version: 1.0\nWheel-Version: 1.0\n
Wheel-Version: @(1.*9000)
Wheel-Version: =?x?q?y?=\n
Wheel-Version: 1.0\r\n\r\nbody
Wheel-Version\n
:\n
\x20x\n
\0
@(A: b\n*9000)
Content-Type: multipart/mixed; boundary=x\n\n--x\n
From x\nWheel-Version: 1.0\n
""")
KINDS = {".txt": REQUIREMENTS, "METADATA": REQUIREMENTS, "points.txt": ENTRY_POINTS, ".yaml": MANIFESTS, ".yml": MANIFESTS}
ARCHIVES = ("mine.zip", "mine.tar", "mine.tar.gz", "mine.tgz", "mine.tar.xz", "mine.tar.bz2", "mine-1.0-py3-none-any.whl")
INSERTED = (b"\0", b"\xff", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\r", b"\xe2\x80\xa8")
TAR_MODES: dict[str, TarMode] = {"tar": "w", "tar.gz": "w:gz", "tar.xz": "w:xz", "tar.bz2": "w:bz2"}
TAR_TYPES = (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.GNUTYPE_SPARSE, b"\xff")
TAR_VALUES = ("", "-1", "x", "9" * 5000, "\0", "../x")


class Draw:
    """Draws odd files."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def file(self) -> Drawn:
        """Return a file that somebody may send."""
        makes = (self._source, self._zip, self._zip, self._tar, self._wheel, self._wheel, self._anything)
        return self._chance.choice(makes)()

    def _happens(self, share: float) -> bool:
        return self._chance.random() < share

    def _one(self, of: Sequence[str]) -> bytes:
        """Return one of some texts as bytes: often the first, now and then spoiled or with another one after it."""
        text = (of[0] if self._happens(0.3) else self._chance.choice(of)).encode("utf-8", "surrogatepass")
        if self._happens(0.1):
            text += b"\n" + self._chance.choice(of).encode("utf-8", "surrogatepass")
        return self._spoiled(text) if self._happens(0.15) else text

    def _spoiled(self, content: bytes) -> bytes:
        chance, changed = self._chance, bytearray(content)
        for _ in range(chance.choice((1, 1, 3, ROUNDS))):
            if not changed:
                break
            place = chance.randrange(len(changed))
            match chance.randrange(5):
                case 0:
                    changed[place] = chance.randrange(256)
                case 1:
                    changed[place:place] = chance.choice(INSERTED)
                case 2:
                    del changed[place : place + chance.randrange(1, 9)]
                case 3:
                    changed[place:place] = changed[place : place + 50]
                case 4:
                    number = chance.choice((0, (1 << 31) - 1, (1 << 32) - 1, chance.randrange(1 << 32)))
                    changed[place : place + 4] = struct.pack("<I", number)
        return bytes(changed)

    def _files(self) -> Iterator[Drawn]:
        """Yield the files of an archive."""
        for _ in range(self._chance.choice((0, 1, 1, 2, 3, 6))):
            name = self._chance.choice(ODD_NAMES if self._happens(0.15) else NAMES)
            kind = next((found for ending, found in KINDS.items() if name.endswith(ending)), SOURCES)
            yield name, self._one(kind)

    def _source(self) -> Drawn:
        return "mine.py", self._one(SOURCES)

    def _anything(self) -> Drawn:
        contents = (b"", self._chance.randbytes(300), b"PK\x05\x06" + bytes(18), b"\x1f\x8b" + bytes(50), self._one(MANIFESTS))
        return self._chance.choice((*ARCHIVES, "mine.py", "mine.yaml")), self._chance.choice(contents)

    def _zip(self) -> Drawn:
        return "mine.zip", self._zipped(self._files())

    def _wheel(self) -> Drawn:
        info, metadata = "mine-1.0.dist-info", b"Metadata-Version: 2.1\nName: mine\nRequires-Dist: " + self._one(REQUIREMENTS)
        files = (
            ("mine/__init__.py", b""),
            ("mine/player.py", self._one(SOURCES)),
            (f"{info}/WHEEL", self._one(WHEELS)),
            (f"{info}/METADATA", metadata),
            (f"{info}/entry_points.txt", self._one(ENTRY_POINTS)),
            *(self._files() if self._happens(0.2) else ()),
        )
        return "mine-1.0-py3-none-any.whl", self._zipped(iter(files))

    def _zipped(self, files: Iterator[Drawn]) -> bytes:
        """Return a zip of some files, perhaps with odd entries, perhaps spoiled."""
        file, odd, chance = io.BytesIO(), self._happens(0.2), self._chance
        with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(file, "w") as archive:
            archive.comment = chance.choice((b"", b"", b"PK\x06\x06" * 9, b"x" * 3000))
            for name, content in files:
                info = zipfile.ZipInfo("x")
                info.filename = name
                info.compress_type = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
                info.external_attr = chance.choice((0o040755 << 16, 0o120777 << 16, 0xFFFFFFFF, 0)) if odd else 0o100644 << 16
                if odd:
                    info.extra = chance.choice(
                        (b"\x01\x00\x10\x00" + b"\xff" * 16, b"\x01\x00\xff\xff", b"\x75\x70\x05\x00\x01aaaa")
                    )
                archive.writestr(info, content)
        return self._spoiled(file.getvalue()) if self._happens(0.2) else file.getvalue()

    def _tar(self) -> Drawn:
        file, chance = io.BytesIO(), self._chance
        suffix, mode = chance.choice(sorted(TAR_MODES.items()))
        form = chance.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))
        with tarfile.open(fileobj=file, mode=mode, format=form) as archive:
            for name, content in self._files():
                entry = tarfile.TarInfo(name.replace("\0", "0") or "x")
                entry.size = len(content)
                entry.type = chance.choice(TAR_TYPES) if self._happens(0.1) else tarfile.REGTYPE
                if self._happens(0.1):
                    entry.pax_headers = {chance.choice(("path", "size", "GNU.sparse.map", "mtime", "x")): chance.choice(TAR_VALUES)}
                archive.addfile(entry, io.BytesIO(content))
        return f"mine.{suffix}", self._spoiled(file.getvalue()) if self._happens(0.3) else file.getvalue()


class SharedReader(ConfinedReader):
    """A process that reads file after file; only a test may use the same for several bots."""

    def close(self) -> None:
        """Keep the process, unless it has failed."""
        if self._child and self._child.has_ended:
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

    with patch.object(copies, "confined_reader", given), patch.object(archives, "unpack_files", unpack):
        try:
            yield
        finally:
            reader.end()


def take(file: Drawn, folder: Path) -> str:
    """Take a file in, and return the refusal; empty: a bot was found in it. Raises: any error of arena."""
    name, content = file
    path = folder / "sent" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    try:
        with copies.copy_in(str(path), folder / "bots", TERMS, NoSandbox()):
            return ""
    except RosterError as error:
        return str(error).replace(str(path), name)
    finally:
        path.unlink()


def take_many(count: int, folder: Path, seed: str) -> Counter[str]:
    """Take odd files in, and return how often each refusal came.

    Raises: AssertionError, for one that is not a printable line or names a folder; any error of arena, with its file in the folder.
    """
    draw, found = Draw(Random(seed)), Counter[str]()
    with shared_reader():
        for number in range(count):
            file = draw.file()
            try:
                refusal = take(file, folder)
                assert refusal.isprintable(), repr(refusal)
                assert str(folder) not in refusal, refusal
            except Exception:
                (folder / f"found-{number}-{file[0]}").write_bytes(file[1])
                raise
            found[refusal] += 1
    return found


def main(count: int, folder: Path, seed: str) -> None:
    """Take odd files in, and print what came of them."""
    folder.mkdir(parents=True)
    began = time.process_time()
    found = take_many(count, folder, seed)
    spent = time.process_time() - began
    sys.stdout.write(f"{count} files in {spent:.0f} s of processor time; {found['']} with a bot, {len(found)} different refusals\n")
    for refusal, times in found.most_common(40):
        sys.stdout.write(f"{times:6} {refusal[:120]}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "odd")
