"""Links in a stranger's folder, under every name that a command writes there: nothing that they lead to changes."""

import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest
from support.commands.calls import arena
from support.commands.every_command import BEFORE, CUP, SHORT, Parameter, call_with, leaves, parameters, prepared
from support.servers.serving import started
from support.sizes import mostly_nightly

GIVEN = "given"  # the folder, where a new one is expected
NEW = {"init folder", "bots new --folder", "plugins new --folder", "league new league", "league export out"}
NEW |= {f"{command} --results" for command in ("run", "play", "duel", "regress", "race", "tune", "exploit", "league practice")}
NEW |= {"import --results"}
KNOWN = {  # parameters that name a folder which is there: that folder
    **dict.fromkeys(("run_dir", "run_dirs", "results_dir"), "run"),
    "league": "friday",
}
WITHOUT = {  # commands that are not called here: why
    "seat": "waits for a client; it writes by what `play` writes",
    **dict.fromkeys(("serve", "tables"), "wait for requests; they have tests of their own below"),
    **dict.fromkeys(("invite", "close"), "of a folder that `tables` has made; they have a test of their own below"),
    "rate": "takes long, and writes by what `race` writes",
    "league reinstate": "writes into the database alone, if a bot was suspended",
    "join": "writes into no folder but beside a file that the user names; tests/extras/remote/test_signing_games.py tries that",
    **dict.fromkeys(
        ("plan", "match", "diff", "debug", "models", "judge", "melds", "schema", "docs", "doctor"),
        "write nothing into a folder",
    ),
    **dict.fromkeys(("strength sprt", "strength ratings", "bots list", "bots check", "plugins list"), "likewise"),
}
LONG = {  # commands that take long: some names, mostly those to which they write and `run` does not
    "duel": ("arena.lock", ".publishing"),
    "race": ("arena.lock", "bots"),
    "regress": ("head-to-head", "head-to-head/arena.lock"),
    "tune": ("rounds.jsonl", ".rounds.jsonl.new", "tune.html", "verdict", "verdict/arena.lock"),
    "exploit": ("rounds.jsonl", "exploit.json", "arena.lock"),
}
SIDE = ("-wal", "-shm", "-journal")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what the right values name, and hands to import; not to be changed."""
    folder = prepared(tmp_path_factory, "links")
    (folder / "cup.yaml").write_text(CUP.replace("reports: [console]", ""), encoding="utf-8")  # and so with files
    shutil.rmtree(folder / "run")
    for line in ("run cup.yaml --results run --seed s", "export run --to lines.jsonl"):
        assert arena(*line.split(), folder=folder).returncode == 0
    return folder


def folders() -> Iterator[tuple[Parameter, str]]:
    """Yield each parameter that names a folder into which its command may write, and that folder."""
    for param in parameters():
        if param.command not in WITHOUT and (known := GIVEN if str(param) in NEW else KNOWN.get(param.name)):
            yield param, known


def call(param: Parameter, folder: str) -> list[str]:
    return [*call_with(param, folder), *BEFORE.get(param.option, ()), *SHORT.get(param.command, "").split()]


def state(folder: Path) -> dict[str, object]:
    """Return everything below a folder: of a file its content, inode and time, of a link where it leads."""
    found: dict[str, object] = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        content: object = sha256(path.read_bytes()).digest() if stat.S_ISREG(status.st_mode) else None
        found[str(path.relative_to(folder))] = (status.st_mode, content, status.st_ino, content and status.st_mtime_ns)
    return found


def names_written(before: dict[str, object], after: dict[str, object]) -> set[str]:
    """Return what was made or changed, with what comes and goes meanwhile."""
    changed = {name for name in after if before.get(name) != after[name]}
    inner = {str(Path(name).parent) for name in changed} - {"."}
    more = {".publishing"}
    more |= {str(Path(name).with_name(f".{Path(name).name}.new")) for name in changed if Path(name).suffix}
    more |= {f"{name}{side}" for name in changed if name.endswith(".sqlite") for side in SIDE}
    return changed | inner | more


def plant(folder: Path, name: str, outside: Path) -> None:
    """Put a link in the place of a file or folder, to what was there, or else to a new file, outside."""
    path, target = folder / name, outside / "target"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, target, symlinks=True)
        shutil.rmtree(path)
    elif path.exists():
        path.rename(target)
    elif Path(name).suffix or name.endswith(SIDE):
        target.write_bytes(b"mine\n")
    else:
        target.mkdir()
        (target / "mine").write_bytes(b"mine\n")
    path.symlink_to(target)


def names_what_it_refuses(message: str, name: str) -> bool:
    """Tell whether the last line names the link, or what is there and was not expected."""
    kinds = f"/{name}: ", "expected a new", "exists already", "expected a folder of its own"
    line = message.splitlines()[-1]
    return line.startswith("arena: ") and any(kind in line for kind in kinds)


def apart(names: Iterable[str]) -> list[list[str]]:
    """Divide names into groups, none with a name and a folder in which it stands."""
    groups: list[list[str]] = []
    for name in sorted(names):
        inside = (group for group in groups if not any(name.startswith(f"{other}/") for other in group))
        group = next(inside, None)
        if group is None:
            groups.append(group := [])
        group.append(name)
    return groups


class Attempt(NamedTuple):
    """A call with links in the places of some names, all outside the folder."""

    names: list[str]
    code: int
    message: str
    changed: set[object]  # of what the links lead to

    @property
    def mistake(self) -> str:
        """Return what is wrong; empty: nothing outside has changed, and a refusal names what it refuses."""
        if self.changed:
            return f"{self.names}: {self.changed}"
        named = self.code != 2 or any(names_what_it_refuses(self.message, name) for name in self.names)
        return "" if named and "Traceback" not in self.message else f"{self.names}: {self.message[-600:]}"

    def remaining(self) -> list[list[str]]:
        """Return the groups to try next, since a call that was refused has not come to other names than the one that it refused."""
        line = self.message.splitlines()[-1] if self.code == 2 else ""
        if self.code == 0 or len(self.names) == 1:
            return []
        if named := [name for name in self.names if f"/{name}: " in line]:
            return [[name for name in self.names if name != max(named, key=len)]]
        middle = len(self.names) // 2
        return [self.names[:middle], self.names[middle:]]


def attempt(line: list[str], folder: str, names: list[str], place: Path, room: Path) -> Attempt:
    """Call a command on a copy of a place."""
    copy, outside = room / "copy", room / "outside"
    shutil.copytree(place, copy, symlinks=True)
    for number, name in enumerate(names):
        (outside / str(number)).mkdir(parents=True)
        plant(copy / folder, name, outside / str(number))
    kept = state(outside)
    done = arena(*line, folder=copy)
    changed = set[object](state(outside).items() ^ kept.items())
    shutil.rmtree(copy)
    shutil.rmtree(outside)
    return Attempt(names, done.returncode, done.stderr, changed)


def mistakes(line: list[str], folder: str, names: Iterable[str], place: Path, room: Path) -> Iterator[str]:
    """Yield what is wrong with a command, given links at these names in its folder: as many at once as it has no objection to."""
    groups = apart(names)
    while groups:
        made = attempt(line, folder, groups.pop(), place, room)
        groups += made.remaining()
        if made.mistake:
            yield f"{line}: {made.mistake}"


COMMANDS = sorted({param.command for param, _ in folders()})


def test_every_command_is_called_or_stands_in_a_list_with_the_reason() -> None:
    assert leaves().keys() == {*COMMANDS, *WITHOUT}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("command", mostly_nightly(COMMANDS, "run", "report", "league run", "bots new"))
def test_a_command_changes_nothing_to_which_a_link_in_its_folder_leads(command: str, place: Path, tmp_path: Path) -> None:
    mistaken: list[str] = []
    for param, folder in folders():
        if param.command != command:
            continue
        line, plain = call(param, folder), shutil.copytree(place, tmp_path / f"{param.name}-plain", symlinks=True)
        (plain / folder).mkdir(exist_ok=True)
        before = state(plain / folder)
        if not (names := set(LONG.get(command, ()))):
            arena(*line, folder=plain)
            names = names_written(before, state(plain / folder))
        mistaken += mistakes(line, folder, names, place, tmp_path)
    assert not mistaken, "\n".join(mistaken)


AT_JOBS = ("jobs", "jobs/arena.lock", "jobs/000001", "logs", "logs/access.log")
AT_A_RUN = ("arena.lock", "arena.log", "witness.jsonl", "arena.sqlite", "arena.sqlite-wal", "bots", "bots/greedy.stderr")


@pytest.mark.parametrize("name", mostly_nightly(AT_A_RUN, "arena.log", "bots"))
def test_a_run_refuses_a_folder_with_a_link_in_one_line_that_names_it(name: str, tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text("{title: Cup, bots: [greedy, cautious], sandbox: none}", encoding="utf-8")
    (tmp_path / "outside").mkdir()
    plant(tmp_path / GIVEN, name, tmp_path / "outside")
    before = state(tmp_path / "outside")
    done = arena("run", "cup.yaml", "--results", GIVEN, "--quiet", folder=tmp_path)
    assert done.returncode == 2, done
    assert done.stderr.splitlines()[-1].startswith(f"arena: {GIVEN}/{name}: is a link; ")
    assert state(tmp_path / "outside") == before


@pytest.mark.process
@pytest.mark.parametrize("name", mostly_nightly(AT_JOBS, "jobs", "logs"))
def test_a_server_refuses_a_league_with_a_link(name: str, place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "friday", tmp_path / "friday")
    (tmp_path / "outside").mkdir()
    plant(tmp_path / "friday", name, tmp_path / "outside")
    before = state(tmp_path / "outside")
    with suppress(AssertionError), started("serve", tmp_path / "friday", "--submit", "--port", 0) as (server, _):
        server.terminate()
        server.wait()
    assert state(tmp_path / "outside") == before


AT_GAMES = ("arena.lock", "arena.sqlite", "arena.sqlite-wal", "tokens.json", ".tokens.json.new", "witness.jsonl", "report.html")
SERVED = ("--own-bot", "cautious", "--wait", 0, "--port", 0)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a server of games that has ended; not to be changed."""
    folder = tmp_path_factory.mktemp("games") / "games"
    with started("tables", folder, *SERVED):
        assert arena("invite", folder, "ann").returncode == 0
    return folder


@pytest.mark.process
@pytest.mark.parametrize("name", mostly_nightly(AT_GAMES, *AT_GAMES[1::4]))
def test_commands_of_a_server_of_games_change_nothing_to_which_a_link_in_its_folder_leads(
    name: str, games: Path, tmp_path: Path
) -> None:
    shutil.copytree(games, tmp_path / "games")
    (tmp_path / "outside").mkdir()
    plant(tmp_path / "games", name, tmp_path / "outside")
    before = state(tmp_path / "outside")
    invited = arena("invite", "games", "bob", folder=tmp_path)
    with suppress(AssertionError), started("tables", tmp_path / "games", *SERVED) as (server, _):
        server.terminate()
        server.wait()
    closed = arena("close", "games", folder=tmp_path)
    assert state(tmp_path / "outside") == before
    for done in (invited, closed):
        assert "Traceback" not in done.stderr
        assert done.returncode in (0, 2)


def test_results_in_the_current_folder_may_not_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text("{title: Cup, bots: [greedy, cautious], sandbox: none}", encoding="utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "results").symlink_to(tmp_path / "outside")
    done = arena("run", "cup.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("arena: results: is a link; ")
    assert not list((tmp_path / "outside").iterdir())
