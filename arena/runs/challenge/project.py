"""The folder of a bot that plays by the bridge in Java (bots/guests/java), with a player's files in it."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.json import encode

from arena import publishing
from arena.errors import InputError
from arena.runs.challenge import class_files
from arena.runs.challenge.class_files import JavaClass
from arena.runs.challenge.given import INTERFACE, PACKAGE, PLACE, Files, GivenFiles, JavaSource, placed

SAMPLE: Final = "LeastDeadwood"  # the bridge's own player
COMPILE_SECONDS: Final = 300
OPTIONS: Final = ("-proc:none", "-nowarn", "-Xlint:none", "-encoding", "UTF-8", "-cp", "lib/*", "-sourcepath", f"{PLACE}:.")


class JavaPlayer(Struct, frozen=True, kw_only=True):
    """A class that plays, and how it is constructed."""

    name: str
    interface: str  # the name of the challenge's interface, with the package in which the player has it
    arguments: tuple[str, ...] = ()  # of its constructor
    construction: str = ""  # says how those were chosen
    source: JavaSource | None  # None: it is in a jar


def bot_files(template: Files, given: GivenFiles, player: JavaPlayer) -> dict[str, str | bytes]:
    """Return the files of the player's bot. Raises: InputError, if a given file has the name of one of the bridge."""
    bridge = _bridge(template, given, player.interface.rpartition(".")[0])
    bridge["Makefile"] = re.sub(r"(?m)^SOURCES =.*$", f"SOURCES = {' '.join(_roots(bridge, given, player))}", bridge["Makefile"])
    bridge["bot.yaml"] = _manifest(bridge["bot.yaml"], given, player)
    files = placed(given)
    if both := bridge.keys() & files.keys():
        raise InputError(f"{min(both)!r} is the name of a file of the bridge; expected another name")
    return {**bridge, **files}


def compile_player(template: Files, given: GivenFiles, source: JavaSource) -> list[JavaClass]:
    """Return the classes that are compiled for a source, those that it needs among them. Raises: InputError.

    The compiler runs no code of a source: annotation processors, which it would run, are switched off.
    """
    compiler = shutil.which("javac")
    if compiler is None:
        raise InputError("'javac' not found on PATH; expected a JDK")
    declared = [one.package for one in given.sources if one.name == INTERFACE]
    package = declared[0] if declared and PACKAGE not in declared else PACKAGE
    player = JavaPlayer(name=source.class_name, interface=f"{package}.{INTERFACE}".lstrip("."), source=source)
    files = bot_files(template, given, player)
    with tempfile.TemporaryDirectory() as folder:
        publishing.write_together(Path(folder), files)
        command = [compiler, *OPTIONS, "-d", "classes", *_roots(files, given, player)]
        try:
            ended = subprocess.run(command, cwd=folder, capture_output=True, timeout=COMPILE_SECONDS, check=False)  # noqa: S603 - no shell
        except subprocess.TimeoutExpired:
            raise InputError(f"was not compiled within {COMPILE_SECONDS} s") from None
        if ended.returncode:
            raise InputError(f"cannot be compiled: {_first_error(ended.stderr.decode(errors='replace'))}")
        return [class_files.parse(path.read_bytes()) for path in sorted(Path(folder, "classes").rglob("*.class"))]


def _first_error(output: str) -> str:
    lines = output.splitlines()
    place = next((place for place, line in enumerate(lines) if " error: " in line or line.startswith("error: ")), None)
    if place is None:
        return lines[0] if lines else "the compiler does not say why"
    symbol = next((line for line in lines[place : place + 5] if line.startswith("  symbol:")), "")
    return " ".join((lines[place] + symbol).split())


def _bridge(template: Files, given: GivenFiles, package: str) -> dict[str, str]:
    """Return the bridge, and those of the challenge's classes that were not given, in the player's package for them."""
    own = {source.class_name for source in given.sources}
    texts = {name: text for name, text in template.items() if isinstance(text, str)}
    files = {name: texts[name] for name in ("Makefile", "bot.yaml")}
    files["Bridge.java"] = _moved(texts["Bridge.java"], package)
    for name, text in texts.items():
        folder, _, file = name.rpartition("/")
        class_name = f"{package}.{file.removesuffix('.java')}".lstrip(".")
        if folder == PACKAGE and class_name not in own:
            files[f"{class_name.replace('.', '/')}.java"] = _moved(text, package)
    return files


def _moved(text: str, package: str) -> str:
    """Return a source of the bridge with the challenge's classes in another package; nothing imports from the default one."""
    if package:
        return re.sub(rf"(?m)^(package|import) {PACKAGE}\b", rf"\1 {package}", text)
    return re.sub(rf"(?m)^(package|import) {PACKAGE}\b.*\n", "", text)


def _roots(files: Files, given: GivenFiles, player: JavaPlayer) -> list[str]:
    """Return the sources that are compiled with those that they need.

    A player in a jar may need any class of the challenge that was given as a source; the compiler does not look into it.
    """
    bridge = sorted(name for name in files if name.endswith(".java") and not name.startswith(f"{PLACE}/"))
    needed = [player.source] if player.source else [source for source in given.sources if source.package == PACKAGE]
    return [*bridge, *(source.path for source in needed)]


def _manifest(text: str, given: GivenFiles, player: JavaPlayer) -> str:
    """Return the manifest that starts the bridge with a player; classes in a jar of the player come before the bridge's."""
    classes = ":".join((*(f"lib/{name}" for name in sorted(given.jars)), "guest.jar"))
    words = "".join(f"\n  - {encode(word).decode()}" for word in (player.name, *player.arguments))
    text = re.sub(r"(?m)^  - guest\.jar$", lambda _: f"  - {classes}", text)
    text = re.sub(rf"(?m)^  - {SAMPLE}$", lambda _: words[1:], text)
    description = f"description: {player.name}, a player of the Gin Rummy EAAI challenge."
    return re.sub(r"(?m)^description: .*$", lambda _: description, text)
