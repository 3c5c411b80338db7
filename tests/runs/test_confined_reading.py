"""What strangers have written is parsed by a confined process, and no error there or at intake is more than a refusal."""

import ast
import errno
import os
import re
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path

import pytest
import yaml
from packaging import requirements
from support.hostile.submissions import BOT, wheel, zip_of

from arena.errors import RosterError, SandboxError, WorkerLostError
from arena.league.intake.copies import copy_in
from arena.league.rules.spec import SubmissionTerms
from arena.players.sandboxes import NoSandbox
from arena.roster.python_source import UnreadableError, outline
from arena.runs import confined_process
from arena.runs import reader as process
from arena.runs.confined_reading import ConfinedReader, ReadingError, confined_reader
from arena.runs.intake_errors import IntakeError, refusing_errors
from arena.runs.reader import SourceQuestion, answer_question

MANIFEST = "name: mine\ncommand: [sh]\n"
PACKAGE = {"mine/__init__.py": "", "mine/player.py": BOT}


@pytest.fixture
def reader() -> Iterator[ConfinedReader]:
    with confined_reader(NoSandbox()) as reader:
        yield reader


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(BOT)
    return tmp_path / "mine.py"


@pytest.mark.process
def test_the_process_that_has_the_league_open_parses_nothing_of_a_stranger(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [
        source,
        zip_of(tmp_path / "mine.zip", {**PACKAGE}),
        zip_of(tmp_path / "other.zip", {"bot.yaml": MANIFEST, "requirements.txt": "numpy>=2"}),
        wheel(tmp_path, "mine", {**PACKAGE}, "[arena.bots]\nmine = mine.player:Mine\n", requires=["numpy; os_name != 'x'"]),
    ]

    def parse(*_: object, **__: object) -> None:
        raise AssertionError("parsed here")

    found = []
    parsers = ((ast, "parse"), (yaml, "parse"), (yaml, "scan"), (HeaderParser, "parsestr"), (requirements, "Requirement"))
    with monkeypatch.context() as context:
        for owner, name in parsers:
            context.setattr(owner, name, parse)
        for number, file in enumerate(files):
            with copy_in(str(file), tmp_path / f"bots-{number}", SubmissionTerms(), NoSandbox()) as taken:
                found.append(taken.name)
    assert found == ["Mine", "Mine", "mine", "mine"]


def test_a_process_that_fails_for_a_text_costs_that_bot_alone(source: Path, reader: ConfinedReader) -> None:
    assert reader.source(source).definitions[0].name == "Mine"
    child = reader._child  # noqa: SLF001 - as the kernel ends it for its memory
    assert child
    os.kill(child.pid, 9)
    with pytest.raises(RosterError, match=r"mine.py: the process that reads it needed more than 512 MB or 60 s"):
        reader.source(source)
    assert reader.source(source).definitions[0].name == "Mine"


@pytest.mark.parametrize("line", [b"{}", b"[1]", b'{"value":{"imports":1}}', b"null", b"x", b"[" * 100_000, b"", b"\xff"])
def test_whatever_a_process_sends_that_was_taken_over_is_an_outline_or_a_refusal(
    source: Path, line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = ConfinedReader(NoSandbox())
    monkeypatch.setattr(reader, "_exchange", lambda _: line + b"\n")
    with pytest.raises(RosterError, match=r"or has failed$"):
        reader.source(source)


def test_an_error_of_arena_there_is_an_answer_and_here_an_error(
    source: Path, reader: ConfinedReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: bytes) -> None:
        raise KeyError("nobody thought of it")

    monkeypatch.setattr(process, "outline", fail)
    found = answer_question(SourceQuestion(b""))
    assert "KeyError: 'nobody thought of it'" in found.error
    monkeypatch.setattr(reader, "_exchange", lambda _: b'{"error":"KeyError"}\n')
    with pytest.raises(ReadingError, match="KeyError"):
        reader.source(source)


def test_an_error_of_arena_at_intake_is_a_refusal_in_one_line_and_its_traceback_is_kept(tmp_path: Path) -> None:
    with pytest.raises(IntakeError) as refusal, refusing_errors("mine.py", tmp_path):
        raise KeyError("a\nb")
    assert str(refusal.value) == (
        "mine.py: refused because of an error of arena (KeyError), which says nothing about the bot;"
        f" its traceback is in {tmp_path}/logs/errors.log"
    )
    assert "KeyError: 'a\\nb'" in (tmp_path / "logs" / "errors.log").read_text()


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EMFILE, "Too many open files")])
def test_what_the_machine_lacks_refuses_nobody(error: OSError) -> None:
    with (
        pytest.raises(WorkerLostError, match=rf"mine.py: cannot be read at the moment: {error.strerror}"),
        refusing_errors("mine.py"),
    ):
        raise error


def test_a_lack_of_descriptors_refuses_nobody(source: Path, reader: ConfinedReader, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(confined_process, "Child", fail)
    with pytest.raises(SandboxError, match=r"could not be started: .*Too many open files"):
        reader.source(source)


def test_a_long_chain_of_attributes_is_a_base_like_any_other() -> None:
    assert outline(f"class X(Bot{'.x' * 950}): pass".encode()).definitions[0].bases[0][-2:] == ("x", "x")


def test_a_chain_that_is_too_long_for_this_python_is_unreadable() -> None:
    try:
        found = outline(f"class X(Bot{'.x' * 90_000}): pass".encode())
    except UnreadableError as error:
        assert re.search("nested too deeply|too many nested", str(error))  # noqa: PT017 - Python 3.14 reads it
    else:
        assert found.definitions[0].bases[0][-2:] == ("x", "x")
