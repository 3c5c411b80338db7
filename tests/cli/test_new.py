"""``arena bots new``, as an author calls it in an empty folder. test_commands_of_pages.py installs the bot that it writes."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands.calls import arena

from arena.cli.new import Template, missing_lines

GUEST = Path(__file__).parents[2] / "bots" / "guests" / "java"


def new(folder: Path, *arguments: str) -> list[str]:
    """Write a bot, and return the files told."""
    ended = arena("bots", "new", *arguments, folder=folder)
    assert ended.returncode == 0, ended.stderr
    return [line.removeprefix("wrote ") for line in ended.stdout.splitlines() if line.startswith("wrote ")]


@pytest.mark.process
def test_a_python_bot_is_a_package_with_an_entry_point_and_tests_that_pass(tmp_path: Path) -> None:
    assert sorted(new(tmp_path, "sly-fox")) == [
        "sly-fox/README.md",
        "sly-fox/pyproject.toml",
        "sly-fox/sly_fox.py",
        "sly-fox/tests/test_sly_fox.py",
    ]
    assert 'sly-fox = "sly_fox:SlyFox"' in (tmp_path / "sly-fox" / "pyproject.toml").read_text(encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path / "sly-fox",
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    assert "3 passed" in ran.stdout


@pytest.mark.process
def test_a_python_bot_plays_by_its_path(tmp_path: Path) -> None:
    new(tmp_path, "sly-fox")
    ended = arena("match", "sly-fox/sly_fox.py:SlyFox", "greedy", "--hands", "8", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("SlyFox ")


@pytest.mark.process
@pytest.mark.parametrize(("lang", "needs"), [("node", "node"), ("awk", "awk"), ("c", "cc"), ("rust", "cargo")])
def test_a_bot_in_another_language_passes_its_audition(tmp_path: Path, lang: str, needs: str) -> None:
    if shutil.which(needs) is None or shutil.which("make") is None:
        pytest.skip(f"{needs} or make is not installed here")
    written = new(tmp_path, "sly-fox", "--lang", lang, "--folder", "fox")
    assert "fox/bot.yaml" in written
    assert "name: sly-fox" in (tmp_path / "fox" / "bot.yaml").read_text(encoding="utf-8")
    if (tmp_path / "fox" / "Makefile").exists():
        before = arena("bots", "check", "fox/bot.yaml", folder=tmp_path)
        assert before.returncode == 2
        assert "compile it first: make -C" in before.stderr
        subprocess.run(["make", "-C", tmp_path / "fox"], capture_output=True, check=True)  # noqa: S607 - the author's step
    ended = arena("bots", "check", "fox/bot.yaml", "--hands", "16", folder=tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "calls itself 'sly-fox'" in ended.stdout


@pytest.mark.process
@pytest.mark.parametrize(("lang", "needs"), [("rlcard", "rlcard.models"), ("openspiel", "pyspiel")])
def test_a_bot_of_another_program_passes_its_audition(tmp_path: Path, lang: str, needs: str) -> None:
    there = subprocess.run([sys.executable, "-c", f"import {needs}"], capture_output=True, check=False)
    if there.returncode:
        pytest.skip(f"{needs} is not installed here, or cannot be imported")
    assert "sly-fox/sly_fox.py" in new(tmp_path, "sly-fox", "--lang", lang)
    ended = arena("bots", "check", "sly-fox/sly_fox.py", "--hands", "16", folder=tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize(("lang", "adapters"), [("rlcard", {"rlcard_agents.py"}), ("openspiel", {"openspiel.py", "events.py"})])
def test_a_bot_of_another_program_has_the_adapter_that_arena_has(tmp_path: Path, lang: str, adapters: set[str]) -> None:
    written = {Path(path).name: path for path in new(tmp_path, "sly-fox", "--lang", lang)}
    assert written.keys() == {"README.md", "__init__.py", "sly_fox.py", *adapters}
    for name in adapters:
        assert (tmp_path / written[name]).read_bytes() == (GUEST.parent / name).read_bytes()


def test_a_bot_cannot_have_the_name_of_its_adapter(tmp_path: Path) -> None:
    ended = arena("bots", "new", "events", "--lang", "openspiel", folder=tmp_path)
    assert ended.returncode == 2
    assert "'events' is the name of a file of its adapter; expected another name, as my-events" in ended.stderr


def test_a_module_that_the_bot_needs_is_named_with_its_extra() -> None:
    lines = list(missing_lines(Template("rlcard", "my-bot", (), modules={"no_such_module": "rlcard", "sys": "train"})))
    assert lines == ["'no_such_module' is not installed: pip install 'ginrummy-arena[rlcard]'"]


@pytest.mark.process
def test_a_published_player_in_java_passes_its_audition_as_it_is(tmp_path: Path) -> None:
    for tool in ("java", "javac", "jlink", "make"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed here")
    sample = (GUEST / "LeastDeadwood.java").read_text(encoding="utf-8")
    body = 'private Published(int depth, String book) { if (depth != 3 || !book.equals("mid")) throw new IllegalStateException(); }'
    text = sample.replace("LeastDeadwood implements GinRummyPlayer {", f"Published implements GinRummyPlayer {{ {body}")
    (tmp_path / "Published-2.java").write_text(text, encoding="utf-8")
    (tmp_path / "Factory.java").write_text('class Factory { Object it = new Published(3, "mid"); }', encoding="utf-8")
    ended = arena(
        "bots", "new", "sly-fox", "--lang", "java", "--from", "Published-2.java", "--from", "Factory.java", folder=tmp_path
    )
    assert ended.returncode == 0, ended.stderr
    assert "constructed with (3, mid), as in a source" in ended.stdout
    made = subprocess.run(["make", "-C", tmp_path / "sly-fox"], capture_output=True, text=True, check=False)  # noqa: S607 - the author's step
    assert made.returncode == 0, made.stderr
    checked = arena("bots", "check", "sly-fox/bot.yaml", "--hands", "16", folder=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_files_of_a_player_are_taken_for_java_alone(tmp_path: Path) -> None:
    ended = arena("bots", "new", "sly-fox", "--from", "a.jar", folder=tmp_path)
    assert ended.returncode == 2
    assert "--from: found --lang python; expected --lang java" in ended.stderr


@pytest.mark.process
def test_a_bot_with_learned_weights_trains_and_passes_its_audition(tmp_path: Path) -> None:
    assert sorted(new(tmp_path, "sly-fox", "--lang", "numpy")) == [
        f"sly-fox/{name}" for name in ("README.md", "sly_fox.npz", "sly_fox.py", "train.py")
    ]
    ended = arena("bots", "check", "sly-fox/sly_fox.py", "--hands", "8", folder=tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    before = (tmp_path / "sly-fox" / "sly_fox.npz").read_bytes()
    trained = subprocess.run(
        [sys.executable, "-W", "ignore", tmp_path / "sly-fox" / "train.py", "--generations", "1", "--deals", "1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "points a hand" in trained.stdout.splitlines()[-1]
    assert (tmp_path / "sly-fox" / "sly_fox.npz").read_bytes() != before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("random", "would hide the Python module 'random'"),
        ("class", "is a Python keyword"),
        ("greedy", "is the name of an installed bot"),
        ("Fox", "is not a valid name of a bot"),
        ("-fox", "no such option"),
        ("fox-", "is not a valid name of a bot"),
        ("x" * 51, "is not a valid name of a bot"),
    ],
)
def test_a_name_that_would_not_do_is_refused(tmp_path: Path, name: str, message: str) -> None:
    ended = arena("bots", "new", name, folder=tmp_path)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "fox").mkdir()
    (tmp_path / "fox" / "mine.txt").write_text("mine", encoding="utf-8")
    ended = arena("bots", "new", "fox", folder=tmp_path)
    assert ended.returncode == 2
    assert "expected a new or empty folder" in ended.stderr
    assert [path.name for path in (tmp_path / "fox").iterdir()] == ["mine.txt"]


def test_a_name_that_contains_the_templates_module_name_is_written_as_it_is(tmp_path: Path) -> None:
    new(tmp_path, "my_bot2")
    readme = (tmp_path / "my_bot2" / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# my_bot2\n")
    assert "my_bot22" not in readme


def test_a_word_that_ends_as_the_templates_name_stays(tmp_path: Path) -> None:
    new(tmp_path, "sly-fox", "--lang", "openspiel")
    assert "pyspiel.make_simple_gin_rummy_bot(" in (tmp_path / "sly-fox" / "sly_fox.py").read_text(encoding="utf-8")


def test_the_next_commands_quote_a_folder_with_a_space(tmp_path: Path) -> None:
    ended = arena("bots", "new", "sly-fox", "--folder", "a folder", folder=tmp_path)
    assert "    pip install -e 'a folder'\n" in ended.stdout
    ended = arena("plugins", "new", "sly-part", "--kind", "format", "--folder", "a part", folder=tmp_path)
    assert "    python -m pytest 'a part'\n" in ended.stdout


@pytest.mark.process
def test_a_program_that_the_next_commands_need_is_named_in_one_line(tmp_path: Path) -> None:
    ended = arena("bots", "new", "sly-fox", "--lang", "rust", folder=tmp_path, PATH=str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    assert "'cargo' not found on PATH; install Rust, from https://rustup.rs\n" in ended.stdout
