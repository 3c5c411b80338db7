"""What users install plays what users enter, wherever it is played: for an ordinary user, in a folder with an unusual name."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import json
from support.hostile.submissions import wheel, zip_of
from support.processes.waiting import until
from support.records.endings import untimed
from support.repository.distributions import DUO, DUO_POINTS
from support.repository.installing import ODD, Place, give, installed, own_folder
from support.servers.clusters import cluster, skip_without_dask
from support.servers.serving import ask, started
from support.sizes import mostly_nightly

skip_without_dask()

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

MINE = "from arena.sdk import Bot\n\nclass Mine(Bot):\n    pass\n"
NEEDY = "import tables\nfrom arena.sdk import Bot\n\nclass Needy(Bot):\n    assert tables.SIZE == 4\n"
LEAGUE = """
title: Friday
rules: {target: 10, best_of: 1}
audition: {hands: 8}
pairing: {newcomer: 3}
submissions: {index: wheels, libraries_mb: 5}
"""
SPEC = """
title: Winter
bots: [greedy, scholar, 'mine.py:Mine', duo]
rules: {target: 10, best_of: 1}
format: {pairs: 1}
"""
KINDS = ("wheel", "editable")
WHERE = ("local", "dask")


@contextmanager
def options(where: str, folder: Path, scripts: Path) -> Iterator[tuple[str, ...]]:
    """Give the options of a command that plays here, or on a cluster whose workers have the programs of an environment."""
    if where == "local":
        yield ()
        return
    with cluster(folder / "cluster", 2, scripts / "python", ordinary=True) as workers:
        yield ("--executor", workers.executor)


def place(kind: str, folder: Path, factory: pytest.TempPathFactory) -> Place:
    """Return an installation, and a folder with a bot of each kind."""
    own = own_folder(folder, f"{ODD} of {kind}")
    (own / "mine.py").write_text(MINE)
    (own / "spec.yaml").write_text(SPEC)
    (own / "league.yaml").write_text(LEAGUE)
    wheel(own, "duo", DUO, DUO_POINTS, requires=["ginrummy-arena"])
    zip_of(own / "needy.zip", {"needy/needy.py": NEEDY, "needy/requirements.txt": "tables\n"})
    return Place(installed(factory, kind), give(own))


@pytest.mark.nightly
def test_a_tournament_of_house_bots_a_file_and_a_package_ends_alike_everywhere(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ends, workers = {}, installed(tmp_path_factory, "editable")  # also for the director from a wheel
    for kind in KINDS:
        here = place(kind, tmp_path, tmp_path_factory)
        for where in WHERE:
            with options(where, here.folder, workers) as there:
                here.run("arena", "run", "spec.yaml", "--results", where, "--seed", "one seed for all", "-q", *there)
            ends[kind, where] = str(untimed(here.folder / where / "results.json")).replace(kind, "")
        here.run("arena", "verify", where, "--replay")
    assert len(set(ends.values())) == 1


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=() if kind == "wheel" else pytest.mark.nightly) for kind in KINDS])
@pytest.mark.parametrize("where", mostly_nightly([*WHERE, "serve"], "serve"))
def test_a_league_of_house_bots_a_file_an_archive_with_libraries_and_a_package_is_played(
    kind: str, where: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    here = place(kind, tmp_path, tmp_path_factory)
    here.run("arena", "league", "new", "friday", "--spec", "league.yaml")
    index = here.folder / "friday" / "wheels"
    index.mkdir()
    wheel(index, "tables", {"tables/__init__.py": "SIZE = 4\n"})
    give(index)
    here.run("arena", "league", "submit", "friday", "greedy", "--author", "cid")
    files = ("mine.py", "needy.zip", "duo-1.0-py3-none-any.whl")
    if where == "serve":
        submit_and_play_by_server(here, files)
    else:
        for file in files:
            here.run("arena", "league", "submit", "friday", file, "--author", "ann")
        with options(where, here.folder, here.scripts) as there:
            here.run("arena", "league", "run", "friday", "--matches", "24", "--quiet", *there)
    rows = json.decode(here.run("arena", "league", "table", "friday", "--json"))["rows"]
    assert {row["name"]: row["faults"] for row in rows} == dict.fromkeys(("Mine", "Needy", "duo", "greedy"), 0)
    assert here.run("arena", "verify", "friday", codes=(0, 3)).endswith(", 0 differences\n")  # 3: in the middle of a round


def submit_and_play_by_server(here: Place, files: tuple[str, ...]) -> None:
    """Have a server take bots and play with them, until each has played."""
    token = here.run("arena", "league", "token", "friday", "ann").split()[-1]
    python = here.scripts / "python"
    with started("serve", "friday", "--submit", "--play", "--port", 0, python=python, folder=here.folder, ordinary=True) as (
        _,
        address,
    ):
        for file in files:
            bearer = {"Authorization": f"Bearer {token}"}
            sent = ask(address, f"/api/uploads?file={file}", "POST", body=(here.folder / file).read_bytes(), **bearer)
            assert sent.status == 201, sent.text
        until(lambda: len(played(address)) == 4)


def played(address: str) -> list[str]:
    return [row["name"] for row in json.decode(ask(address, "/table.json").body) if row["matches"]]
