"""Bots on their way to a worker: which files they consist of, and how they are started from a copy."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.matches.sent_bots import equip, sent
from support.repository.distributions import install_wheel

from arena.confinement.read_access import package_folders
from arena.errors import RosterError
from arena.extras.cluster.bot_cache import BotCache
from arena.extras.cluster.files import UnfitError, local_launch, pieces, shipment_of
from arena.roster.entrant import Launch
from arena.roster.finder import find


def test_a_program_is_started_from_the_copy_with_its_links_and_its_rights(program: Launch, cache: BotCache) -> None:
    here = sent(program, cache)
    assert here.folder == str(cache.folder / shipment_of(program).digest)
    assert here.command == (f"{here.folder}/run", "data/weights.bin")
    assert Path(here.folder, "link").read_bytes() == bytes(range(256))
    assert os.access(here.command[0], os.X_OK)
    assert not os.access(f"{here.folder}/bot.yaml", os.X_OK)


@pytest.mark.parametrize("bot", ["greedy", "guest-openspiel-simple", "awk-counter"])
def test_an_installed_bot_is_imported_from_the_copy(bot: str, cache: BotCache) -> None:
    try:
        launch = find(bot).launch
    except RosterError as error:
        pytest.skip(str(error))
    here = sent(launch, cache)
    copy = str(cache.folder / shipment_of(launch).digest)
    assert Path(here.folder).is_relative_to(copy)
    assert all(Path(file).is_relative_to(copy) and Path(file).exists() for file in here.files)
    if here.files:
        assert dict(here.environment)["PYTHONPATH"] == copy
        module = here.command[-1].partition(":")[0]
        code = f"import {module} as m; print(m.__file__)"
        imported = subprocess.check_output([sys.executable, "-P", "-c", code], env={"PYTHONPATH": copy}, text=True)
        assert imported.strip() in here.files


MINE = "\nfrom arena.sdk import Bot\n\nclass Mine(Bot): pass\n"
DISTRIBUTIONS = {  # by the module of their bot
    "duo.inner.player": {
        "duo/__init__.py": "",
        "duo/inner/__init__.py": "",
        "duo/inner/player.py": f"import duo_tables, trio.tables\nfrom .. import common{MINE}",
        "duo/common.py": "",
        "duo_tables.py": "",
        "trio/__init__.py": "",
        "trio/tables.py": "",
    },
    "space.solo.player": {
        "space/solo/__init__.py": "",
        "space/solo/player.py": f"from . import rest{MINE}",
        "space/solo/rest.py": "",
    },
    "single": {"single.py": f"import single_tables{MINE}", "single_tables.py": ""},
    "whole": {"whole/__init__.py": f"from . import rest{MINE}", "whole/rest.py": ""},
}


@pytest.mark.process
@pytest.mark.parametrize("module", DISTRIBUTIONS)
def test_a_bot_of_several_packages_and_modules_has_each_where_its_imports_look(
    module: str, tmp_path: Path, cache: BotCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path / "site")
    install_wheel(tmp_path / "site", "mine", DISTRIBUTIONS[module], f"[arena.bots]\nmine = {module}:Mine\n")
    here = sent(find("mine").launch, cache)
    copy = Path(dict(here.environment)["PYTHONPATH"])
    assert {path.relative_to(copy).as_posix() for path in copy.rglob("*.py")} == set(DISTRIBUTIONS[module])
    code = f"import sys, {module} as module; print(module.__file__)"
    assert (
        subprocess.check_output([sys.executable, "-P", "-c", code], env={"PYTHONPATH": str(copy)}, text=True).strip() in here.files
    )


def test_the_digest_depends_on_places_rights_and_contents(program: Launch) -> None:
    digests = [shipment_of(program).digest]
    (Path(program.folder) / "run").chmod(0o644)
    digests.append(shipment_of(program).digest)
    (Path(program.folder) / "run").write_text("#!/bin/sh\nexit\n", encoding="ascii")
    digests.append(shipment_of(program).digest)
    (Path(program.folder) / "run").rename(Path(program.folder) / "walk")
    digests.append(shipment_of(program).digest)
    assert len(set(digests)) == 4


def test_a_large_file_is_sent_in_pieces(program: Launch, cache: BotCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.extras.cluster.files.PIECE", 100)
    parts = [piece for piece in pieces(program, shipment_of(program)) if piece.place == "data/weights.bin"]
    assert [(len(part.content), part.begins) for part in parts] == [(100, True), (100, False), (56, False)]
    assert Path(sent(program, cache).folder, "data/weights.bin").read_bytes() == bytes(range(256))


def test_a_file_that_was_removed_after_its_bot_was_read_is_one_line(program: Launch) -> None:
    launch = replace(program, files=(f"{program.folder}/run",))
    shipment = shipment_of(launch)
    Path(program.folder, "run").unlink()
    with pytest.raises(RosterError, match="/run: cannot be read: No such file or directory"):
        list(pieces(launch, shipment))


def test_a_worker_without_the_program_or_the_library_of_a_bot_is_unfit(program: Launch, cache: BotCache) -> None:
    shipment = shipment_of(program)
    with pytest.raises(UnfitError, match="it has no program no-such-program"):
        local_launch(replace(program, command=("/usr/bin/no-such-program",)), shipment, cache.folder)
    library = f"{min(package_folders())}/no_such_library-1.0.dist-info"
    with pytest.raises(UnfitError, match=r"it has no no_such_library-1\.0\.dist-info"):
        local_launch(replace(program, reads=(library,)), shipment, cache.folder)


def test_a_library_is_read_where_the_worker_has_it(program: Launch, cache: BotCache) -> None:
    shipment = replace(shipment_of(program), packages=("/there/site-packages",))
    here = local_launch(replace(program, reads=("/there/site-packages/msgspec", "/usr/lib/x.so")), shipment, cache.folder)
    assert Path(here.reads[0]).name == "msgspec"
    assert Path(here.reads[0]).exists()
    assert here.reads[1] == "/usr/lib/x.so"


def test_a_bot_in_a_folder_of_its_own_imports_from_the_copy(program: Launch, cache: BotCache) -> None:
    environment = (("PYTHONPATH", program.folder),)
    launch = replace(program, command=("/there/python", "-m", "arena.sdk", "bot:Mine"), environment=environment)
    here = sent(launch, cache)
    assert here.command == (sys.executable, "-m", "arena.sdk", "bot:Mine")
    assert here.environment == (("PYTHONPATH", here.folder),)


def test_the_libraries_of_a_bot_are_sent_with_it_and_are_all_that_it_may_read(with_libraries: Launch, cache: BotCache) -> None:
    here = equip(with_libraries, cache)
    [libraries] = here.reads
    assert here.environment == (("PYTHONPATH", f"{here.folder}:{libraries}"),)
    assert Path(libraries).parent == cache.folder
    code = "import counting; print(counting.TWO)"
    assert subprocess.check_output([sys.executable, "-P", "-c", code], env=dict(here.environment), text=True) == "2\n"


def test_libraries_that_are_compiled_are_known_as_such(with_libraries: Launch) -> None:
    assert [one.compiled for one in shipment_of(with_libraries).environments] == [True]
    next(Path(with_libraries.reads[0]).rglob("*.so")).unlink()
    assert [one.compiled for one in shipment_of(with_libraries).environments] == [False]


def test_a_folder_that_may_hold_more_than_libraries_is_not_sent(program: Launch) -> None:
    with pytest.raises(RosterError, match="imports from /there/everything, which does not hold its libraries"):
        shipment_of(replace(program, environment=(("PYTHONPATH", f"{program.folder}:/there/everything"),)))
