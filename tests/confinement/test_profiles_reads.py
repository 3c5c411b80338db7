"""Bots that are entered as users enter them try to read other files, in real processes under every strict profile."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.repository.distributions import install

from arena.confinement.profiles import StrictProfile
from arena.players.sandboxes import StrictSandbox
from arena.roster.entrant import Launch
from arena.roster.finder import find

READER = """
import json
{imports}
from arena.sdk import Bot

class Mine(Bot): pass

opened = []
for path in {paths}:
    try:
        with open(path) as file:
            opened.append(path + " " + file.read(6))
    except OSError:
        pass
print("opened", json.dumps(opened))
"""
SHELL = 'for path in {paths}; do {{ read -r line <"$path"; }} 2>/dev/null && echo "$line $path" >&2; done; exit 0'
Live = Callable[..., Any]


@pytest.fixture
def secrets(bot_folder: Path) -> list[str]:
    """Return paths that no bot may read, in the folder of the bots; their modes let every user read them."""
    folder = bot_folder / "league"
    names = ("victim.py", "victim/bot.py", "victim/bot.json", "arena.sqlite", "league.yaml", "key.txt", "mine.key", "site/other.py")
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret\n")
    (folder / "way").symlink_to("key.txt")
    return [str(folder / name) for name in (*names, "way", "../league/key.txt")]


def opened(live: Live, profile: StrictProfile, launch: Launch) -> list[str]:
    """Return what a bot in Python could open."""
    log = live(StrictSandbox(profile=profile), launch).log
    (line,) = [line for line in log.splitlines() if line.startswith("opened ")]
    return [str(path) for path in json.loads(line.removeprefix("opened "))]


def test_a_bot_in_a_file_opens_only_itself_and_its_data(live: Live, profile: StrictProfile, secrets: list[str]) -> None:
    folder = Path(secrets[0]).parent
    own = [f"{folder}/mine.py", f"{folder}/mine.json"]
    (folder / "mine.json").write_text("{}")
    (folder / "mine.py").write_text(READER.format(imports="", paths=[*secrets, *own]))
    found = opened(live, profile, find(f"{folder}/mine.py:Mine").launch)
    assert found == [f"{own[0]} \nimpor", f"{own[1]} {{}}"]


def test_a_bot_in_a_package_opens_only_the_modules_that_it_imports(live: Live, profile: StrictProfile, secrets: list[str]) -> None:
    folder = Path(secrets[0]).parent / "own"
    folder.mkdir()
    for name in ("__init__.py", "helper.py", "unused.py"):
        (folder / name).write_text("# mine\n")
    paths = [*secrets, *(f"{folder}/{name}" for name in ("helper.py", "unused.py"))]
    (folder / "mine.py").write_text(READER.format(imports="import helper", paths=paths))
    assert opened(live, profile, find(f"{folder}/mine.py:Mine").launch) == [f"{folder}/helper.py # mine"]


def test_an_installed_bot_opens_no_file_of_another_distribution(
    live: Live, profile: StrictProfile, secrets: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Path(secrets[0]).parent / "site"
    paths = [*secrets, f"{site}/victim_bot.py", f"{site}/keys.py", f"{site}/many/second.py", f"{site}/many/__init__.py"]
    imports = "if False:\n    import victim_bot, keys, other\n    from victim_bot import Mine as Theirs\n"
    modules = {
        "many/__init__.py": "# mine",
        "many/first.py": READER.format(imports=imports, paths=paths),
        "many/second.py": "x = 1",
    }
    install(site, "many", modules, "[arena.bots]\nfirst = many.first:Mine\nsecond = many.second:Mine\n")
    install(site, "victim", {"victim_bot.py": "secret"}, "[arena.bots]\nvictim = victim_bot:Mine\n")
    (site / "keys.py").write_text("secret")
    monkeypatch.syspath_prepend(site)
    launch = find("first").launch
    assert opened(live, profile, replace(launch, command=by_file(launch))) == [f"{site}/many/__init__.py # mine"]


def by_file(launch: Launch) -> tuple[str, ...]:
    """Return a command that needs no other folder of packages than the interpreter's: the launcher has not the test's sys.path."""
    return (*launch.command[:-1], f"{launch.folder}/first.py:Mine")


def test_a_bot_with_a_manifest_opens_only_its_folder(live: Live, profile: StrictProfile, secrets: list[str]) -> None:
    folder = Path(secrets[0]).parent / "own"
    folder.mkdir()
    (folder / "weights").write_text("mine\n")
    (folder / "run.sh").write_text(SHELL.format(paths=" ".join([*secrets, f"{folder}/weights", "weights"])))
    (folder / "bot.yaml").write_text("name: mine\ncommand: [sh, run.sh]\n")
    log = live(StrictSandbox(profile=profile), find(f"{folder}/bot.yaml").launch).log
    assert log.split() == ["mine", f"{folder}/weights", "mine", "weights"]
