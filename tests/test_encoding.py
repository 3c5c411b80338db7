"""A byte order mark and UTF-16 are read alike wherever text or JSON comes in."""

import json
from codecs import BOM_UTF8, BOM_UTF16_BE
from collections.abc import Callable
from io import BufferedReader, BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from arena.cli import tools
from arena.encoding import as_utf8, in_utf8
from arena.league.entries import read_table
from arena.results.named_citation import is_citation
from arena.roster.finder import find
from arena.yaml import read, read_text

Write = Callable[[str], bytes]

TEXT = "title: ä\nbots: [a, b]\n"
WAYS: dict[str, Write] = {
    "UTF-8": str.encode,
    "mark": lambda text: BOM_UTF8 + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 BE": lambda text: BOM_UTF16_BE + text.encode("utf-16-be"),
}
DECK = [rank + suit for suit in "cdhs" for rank in "A23456789TJQK"]
HAND = json.dumps({"id": 1, "rules": "standard", "deck": DECK, "dealer": 0, "actions": [{"seat": 1, "kind": "pass"}]})
TABLE = '{"players":["A","B"],"wins":[[0,6],[4,0]],"draws":[[0,2],[2,0]]}\r\n'


@pytest.mark.parametrize("way", WAYS)
def test_a_text_is_the_same_in_each_encoding(way: str) -> None:
    written = WAYS[way](TEXT)
    assert as_utf8(written).decode() == TEXT
    stream = in_utf8(BufferedReader(BytesIO(written)))
    assert [stream.readline(1 << 20) for _ in range(3)] == ["title: ä\n".encode(), b"bots: [a, b]\n", b""]


@pytest.mark.parametrize("way", WAYS)
def test_specs_manifests_tables_and_citations_are_read_in_each(way: str, tmp_path: Path) -> None:
    texts = {
        "spec.yaml": TEXT,
        "bot.yaml": "name: mine\ncommand: [sh, bot.sh]\n",
        "authors.csv": "author,name\r\nann,Ännchen\r\n",
        "cite.json": '{"schema": "arena/citation/1"}',
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(WAYS[way](text))
    assert read(read_text(tmp_path / "spec.yaml")).values["title"] == "ä"
    assert [row["name"] for _, row in read_table(tmp_path / "authors.csv", ["author", "name"])] == ["Ännchen"]
    assert is_citation(tmp_path / "cite.json")
    (tmp_path / "spec.yaml").unlink()  # a bot's folder has no spec
    assert find(str(tmp_path / "bot.yaml")).name == "mine"


@pytest.mark.parametrize("source", ["-", "lines"])
@pytest.mark.parametrize("way", WAYS)
def test_commands_answer_lines_and_tables_in_each(
    way: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for command, text, expected in ((tools.judge, f"{HAND}\r\n\r\n{HAND}\r\n", '"unfinished"'), (tools.ratings, TABLE, "+29.23")):
        Path("lines").write_bytes(WAYS[way](text))
        with Path("lines").open("rb") as file:
            monkeypatch.setattr("sys.stdin", TextIOWrapper(file))
            command(source)
        assert expected in capsys.readouterr().out


def test_half_a_character_of_utf16_is_an_error() -> None:
    with pytest.raises(UnicodeDecodeError):
        as_utf8("x".encode("utf-16") + b"\x00")
