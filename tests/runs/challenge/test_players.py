"""Bots of players in Java as they were published: what is found, moved, compiled and constructed."""

import shutil
import struct
import subprocess
import zipfile
from pathlib import Path

import pytest

from arena.cli.new import files
from arena.errors import InputError
from arena.runs.challenge.class_files import parse
from arena.runs.challenge.players import AdoptedBot, adopt

TEMPLATE = files("guests/java", "guest-java", "guest-java")
SAMPLE = str(TEMPLATE["LeastDeadwood.java"])


def needs(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed here")


def player(name: str, *, package: str = "", body: str = "", imports: str = "import ginrummy.*;") -> str:
    """Return the source of a player that plays as the sample."""
    text = SAMPLE.replace("import ginrummy.Card;\nimport ginrummy.GinRummyPlayer;\n", f"{imports}\n")
    text = text.replace("class LeastDeadwood implements GinRummyPlayer {", f"class {name} implements GinRummyPlayer {{\n{body}")
    return f"package {package};\n{text}" if package else text


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def class_file(*names: str) -> bytes:
    """Return the file of a class with a constructor without arguments; ``names``: of itself, of its parent, of its interfaces."""
    texts = [*names, "<init>", "()V"]
    pool = b"".join(b"\1" + struct.pack(">H", len(text)) + text for text in (text.encode() for text in texts))
    pool += b"".join(b"\7" + struct.pack(">H", place) for place in range(1, len(names) + 1))
    first = len(texts) + 1  # the place of the first class
    body = struct.pack(">4H", 1, first, first + 1, len(names) - 2)
    body += b"".join(struct.pack(">H", first + place) for place in range(2, len(names)))
    methods = struct.pack(">6H", 0, 1, 1, len(names) + 1, len(names) + 2, 0)
    return b"\xca\xfe\xba\xbe" + bytes(4) + struct.pack(">H", first + len(names)) + pool + body + methods + bytes(2)


def jar(path: Path, *contents: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, content in enumerate(contents):
            archive.writestr(f"C{number}.class", content)
    return path


def words(bot: AdoptedBot) -> list[str]:
    """Return the end of the command: the bridge's class and what follows."""
    lines = str(bot.files["bot.yaml"]).splitlines()
    return [line.removeprefix("  - ").strip('"') for line in lines[lines.index("  - Bridge") + 1 :] if line.startswith("  - ")]


@pytest.mark.process
def test_a_published_file_without_a_package_or_an_import_finds_the_challenges_classes(tmp_path: Path) -> None:
    needs("javac")
    path = write(
        tmp_path / "Mine_v5-1.java", player("Mine_v5", imports="") + "class Helper { int melds = GinRummyUtil.MAX_DEADWOOD; }"
    )
    bot = adopt(TEMPLATE, [path])
    assert str(bot.files["player/Mine_v5.java"]).startswith("import ginrummy.*; ")
    assert words(bot) == ["Mine_v5"]
    assert any("written as Mine_v5.java" in note for note in bot.notes)


@pytest.mark.process
def test_a_player_is_constructed_with_the_arguments_of_a_source_or_with_zeros(tmp_path: Path) -> None:
    needs("javac")
    body = "public Mine(boolean a, double b) {} public Mine(boolean a, String b) {}"
    write(tmp_path / "mine" / "Mine.java", player("Mine", package="some.where", body=body))
    guessed = adopt(TEMPLATE, [tmp_path / "mine"])
    write(
        tmp_path / "mine" / "Main.java",
        'class Main { Object pool = new some.where.Mine(true, "deep"); Object x = new Mine(true, "deep"); }',
    )
    found = adopt(TEMPLATE, [tmp_path / "mine"])
    assert words(guessed) == ["some.where.Mine", "false", "0.0"]
    assert words(found) == ["some.where.Mine", "true", "deep"]


@pytest.mark.process
def test_a_repository_of_which_half_does_not_compile_gives_the_player_that_does(tmp_path: Path) -> None:
    needs("javac")
    write(tmp_path / "Deep.java", player("Deep", imports="import ginrummy.*; import org.nd4j.Array;"))
    write(tmp_path / "Young.java", "public class Young extends Old {}")
    write(tmp_path / "Old.java", player("Old").replace("public class", "public abstract class"))
    write(tmp_path / "ginrummy" / "SimpleGinRummyPlayer.java", player("SimpleGinRummyPlayer", package="ginrummy", imports=""))
    bot = adopt(TEMPLATE, [tmp_path])
    assert words(bot) == ["Young"]
    assert bot.notes[0].startswith("Deep: cannot be compiled: player/Deep.java:")
    assert "Old: is abstract" in bot.notes
    named = adopt(TEMPLATE, [tmp_path / "ginrummy" / "SimpleGinRummyPlayer.java", tmp_path])
    assert words(named) == ["ginrummy.SimpleGinRummyPlayer"]


@pytest.mark.process
def test_the_bridge_moves_to_the_package_of_a_player_with_its_own_copy_of_the_challenge(tmp_path: Path) -> None:
    needs("javac")
    for name in ("Card", "GinRummyPlayer"):
        write(tmp_path / f"{name}.java", str(TEMPLATE[f"ginrummy/{name}.java"]).replace("package ginrummy;", ""))
    write(tmp_path / "Mine.java", player("Mine", imports=""))
    bot = adopt(TEMPLATE, [tmp_path])
    assert "import ginrummy" not in str(bot.files["Bridge.java"])
    assert "Card.java" not in bot.files
    assert "package" not in str(bot.files["GinRummyUtil.java"]).splitlines()[0]


@pytest.mark.process
def test_a_jar_plays_without_being_compiled(tmp_path: Path) -> None:
    needs("javac", "jar")
    for name in ("Card", "GinRummyPlayer"):
        write(tmp_path / "ginrummy" / f"{name}.java", str(TEMPLATE[f"ginrummy/{name}.java"]))
    write(tmp_path / "Mine.java", player("Mine", body="private Mine() {}"))
    subprocess.run(["javac", "-d", "out", "Mine.java"], cwd=tmp_path, check=True)  # noqa: S607 - the author's step
    subprocess.run(["jar", "cf", "mine.jar", "-C", "out", "Mine.class"], cwd=tmp_path, check=True)  # noqa: S607
    bot = adopt(TEMPLATE, [tmp_path / "mine.jar"])
    assert words(bot) == ["Mine"]
    assert "  - lib/mine.jar:guest.jar\n" in str(bot.files["bot.yaml"])
    assert bot.files["lib/mine.jar"] == (tmp_path / "mine.jar").read_bytes()


@pytest.mark.process
def test_a_player_that_needs_an_object_is_refused_with_its_constructors(tmp_path: Path) -> None:
    needs("javac")
    path = write(tmp_path / "Mine.java", player("Mine", body="public Mine(java.io.Writer log) {}"))
    with pytest.raises(InputError, match=r"Mine: has the constructors \(java\.io\.Writer\); expected one without arguments"):
        adopt(TEMPLATE, [path])


def test_a_folder_without_java_and_a_file_of_the_bridges_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no \.java and no \.jar file"):
        adopt(TEMPLATE, [tmp_path])
    with pytest.raises(InputError, match="found none"):
        adopt(TEMPLATE, [write(tmp_path / "Some.java", "class Some {}")])
    with pytest.raises(InputError, match="cannot be read"):
        adopt(TEMPLATE, [tmp_path / "missing.jar"])


@pytest.mark.parametrize(
    "content", [b"", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbe\0\0\0\x3d\0\x05\x07\0\x63\x01\xff\xff", b"PK\3\4" * 9]
)
def test_what_is_not_a_class_file_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="not a class file"):
        parse(content)


def test_a_class_file_is_read_without_a_runtime() -> None:
    found = parse(class_file("me/Mine", "java/lang/Object", "ginrummy/GinRummyPlayer"))
    assert (found.name, found.interfaces, found.constructors) == ("me.Mine", ("ginrummy.GinRummyPlayer",), ((),))


@pytest.mark.parametrize(
    "names",
    [
        ("Mine", "java/lang/Object", "$(shell touch evil)/GinRummyPlayer"),
        ("Mine", "java/lang/Object", "a$b/GinRummyPlayer"),
        ("Mine", "java/lang/Object", "a\0b/GinRummyPlayer"),
        ("Mi\\qne", "java/lang/Object", "ginrummy/GinRummyPlayer"),
        ("Mine\nenv: {}", "java/lang/Object", "ginrummy/GinRummyPlayer"),
    ],
)
def test_no_text_of_a_jar_becomes_a_command_a_path_or_a_key(tmp_path: Path, names: tuple[str, ...]) -> None:
    given = jar(tmp_path / "evil.jar", class_file(*names))
    with pytest.raises(InputError, match=r"^--from: expected a class that implements GinRummyPlayer"):
        adopt(TEMPLATE, [given])


def test_a_jar_of_which_a_part_is_damaged_gives_the_player_that_is_not(tmp_path: Path) -> None:
    path = jar(tmp_path / "part.jar", class_file("Other", "java/lang/Object", "ginrummy/GinRummyPlayer") + bytes(500))
    content = bytearray(path.read_bytes())
    content[40:80] = bytes(range(200, 240))  # the compressed class
    path.write_bytes(content)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("Mine.class", class_file("Mine", "java/lang/Object", "ginrummy/GinRummyPlayer"))
    assert words(adopt(TEMPLATE, [path]))[-1] == "Mine"
