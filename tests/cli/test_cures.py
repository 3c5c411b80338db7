"""The commonest mistakes of a first day: each is one line that says what was found, and what to write instead."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import arena
from arena.cli import app
from arena.errors import ArenaError

FILES = {
    "mine.py": "from arena.sdk import Bot\nclass Mine(Bot):\n    pass\n",
    "two.py": "from arena.sdk import Bot\nclass One(Bot):\n    pass\nclass Two(Bot):\n    pass\n",
    "plain.py": "class Mine:\n    pass\n",
    "function.py": "def discard(view):\n    return None\n",
    "colon.py": "class Mine:\n    def discard(self, view)\n",
    "wrong_module.py": "from arena import Bot\nclass Mine(Bot):\n    pass\n",
    "small_letter.py": "from arena.sdk import bot\nclass Mine(bot):\n    pass\n",
    "folder/other.py": "from arena.sdk import Bot\nclass Other(Bot):\n    pass\n",
    "folder/more.py": "from other import Other\nfrom arena.sdk import Bot\nclass More(Bot):\n    pass\n",
    "empty/notes.txt": "",
    "old/arena.sqlite": "",
    "cup.yaml": "bots: [greedy, cautious]\n",
    "tabs.yaml": "bots:\n\t- greedy\n\t- cautious\n",
    "words.yaml": "bots: greedy, cautious\n",
    "report.yaml": "bots: [greedy, cautious]\nreports: html\n",
    "module.yaml": "bots: [mine, greedy]\n",
    "class.yaml": "title: Cup\nbots:\n  - greedy\n  - mine.py:Mien\n",
    "twice.yaml": "bots:\n  - greedy\n  - greedy\n",
    "key.yaml": "title: Cup\nbot: [greedy, cautious]\n",
}

BOTS = [  # as every command that takes a bot says it
    ("mine", "no bot 'mine'; did you mean the file 'mine.py'?"),
    ("mine:Mine", "no bot 'mine:Mine'; did you mean the file 'mine.py:Mine'?"),
    ("mine.Mine", "no bot 'mine.Mine'; did you mean the file 'mine.py:Mine'?"),
    ("mine.pyy", "no bot 'mine.pyy'; did you mean the file 'mine.py'?"),
    ("mien.py", "no file 'mien.py' in {here}; did you mean 'mine.py'?"),
    ("mine.py:mine", "{here}/mine.py: no class 'mine'; found Mine"),
    ("two.py", "{here}/two.py: found One, Two; name one, as {here}/two.py:One"),
    (
        "plain.py",
        "{here}/plain.py: found no class that inherits from Bot; write `class Mine(Bot)`, with `from arena.sdk import Bot`",
    ),
    ("function.py", "{here}/function.py: found no class that inherits from Bot; write `class Mine(Bot)`, with "),
    ("plain.py:Mine", "{here}/plain.py:1: class Mine has no base class; expected a subclass of arena.sdk.Bot"),
    ("colon.py", "{here}/colon.py:2: not valid Python: expected ':'"),
    ("wrong_module.py", "{here}/wrong_module.py:1: found `from arena import Bot`; expected `from arena.sdk import Bot`"),
    ("small_letter.py", "{here}/small_letter.py:1: found `from arena.sdk import bot`; expected `from arena.sdk import Bot`"),
    (
        "folder",
        "{here}/folder: found {here}/folder/more.py:More, {here}/folder/other.py:Other; expected one bot in it, or the name",
    ),
    ("empty", "'empty' is a folder without bot.yaml and without a bot; name a file, as my/bot.py or my/bot.yaml"),
    ("cup.yaml", "{here}/cup.yaml: found the spec of a tournament, which arena run plays; expected the manifest of a bot"),
    ("gredy", "no bot 'gredy'; did you mean 'greedy'? installed: "),
]
SPECS = [
    ("cpu.yaml", "cpu.yaml: cannot be read: No such file or directory; did you mean 'cup.yaml'?"),
    ("mine.py", "mine.py: names a bot; expected a spec, as league.yaml, or a folder of bots; arena duel mine.py greedy plays it"),
    ("greedy", "greedy: names a bot; expected a spec"),
    ("old", "old: holds a run, which arena report old shows; expected its spec, or a folder of bots"),
    ("tabs.yaml", "tabs.yaml:2: found a tab; expected spaces, with which YAML indents"),
    ("words.yaml", "words.yaml:1: bots: expected a list; found 'greedy, cautious'; did you mean [greedy, cautious]?"),
    ("report.yaml", "report.yaml:2: reports: expected a list; found 'html'; did you mean [html]?"),
    ("module.yaml", "module.yaml:1: bots.0: no bot 'mine'; did you mean the file 'mine.py'?"),
    ("class.yaml", "class.yaml:4: bots.1: {here}/mine.py: no class 'Mien'; found Mine"),
    ("twice.yaml", "twice.yaml:3: bots.1: two entrants are called 'greedy': greedy and greedy; give one another name"),
    ("key.yaml", "key.yaml:2: bot: unknown key; did you mean 'bots'? expected one of bots, rules, "),
]
RUNS = [
    ("odl", "odl: not the folder of one run; it does not exist; did you mean 'old'?"),
    ("zzzzzzzz", "zzzzzzzz: not the folder of one run; it does not exist; expected a folder with arena.sqlite, as in results/"),
    ("cup.yaml", "cup.yaml: not the folder of one run; it is a file; expected the folder that a run was written to"),
    ("empty", "empty: not the folder of one run; expected arena.sqlite in it"),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with what a user has written."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


def complaint(*words: str) -> str:
    """Return the line in which a command refuses."""
    error = CliRunner().invoke(app.build(), words, prog_name="arena").exception
    assert isinstance(error, ArenaError), error
    assert "\n" not in str(error)
    return str(error)


@pytest.mark.parametrize(("bot", "line"), BOTS)
def test_a_bot_that_is_not_one_is_named_with_the_cure(here: Path, bot: str, line: str) -> None:
    assert complaint("duel", bot, "greedy").startswith(line.format(here=here))


@pytest.mark.parametrize(
    "words",
    [
        ("match", "mine", "greedy"),
        ("diff", "greedy", "mine"),
        ("regress", "mine", "--against", "greedy"),
        ("debug", "mine"),
        ("play", "mine"),
        ("bots", "check", "mine"),
    ],
    ids=lambda words: words[0],
)
def test_each_command_that_takes_a_bot_says_the_same(here: Path, words: tuple[str, ...]) -> None:
    del here
    assert complaint(*words) == "no bot 'mine'; did you mean the file 'mine.py'?"


@pytest.mark.parametrize("command", ["run", "plan"])
@pytest.mark.parametrize(("spec", "line"), SPECS)
def test_a_spec_that_is_not_one_is_named_with_the_cure(here: Path, command: str, spec: str, line: str) -> None:
    assert complaint(command, spec).startswith(line.format(here=here))


@pytest.mark.parametrize("command", ["report", "replay", "review"])
@pytest.mark.parametrize(("run", "line"), RUNS)
def test_a_run_that_is_not_one_is_named_with_the_cure(here: Path, command: str, run: str, line: str) -> None:
    del here
    assert complaint(command, run) == line


@pytest.mark.parametrize("place", ["cup.yaml", "cup.yaml/run"])
def test_results_in_place_of_a_file_are_refused_before_anything_is_played(here: Path, place: str) -> None:
    line = f"{place}: is a file, or lies in one; expected the folder of a run, or a new one"
    assert complaint("run", "cup.yaml", "--results", place) == line
    assert (here / "cup.yaml").is_file()


def test_a_wrong_format_from_python_names_its_key_in_full(here: Path) -> None:
    del here
    with pytest.raises(ArenaError, match=r"^format\.name: found 'swis'; did you mean 'swiss'\? expected one of "):
        arena.play(["greedy", "cautious"], format="swis")
