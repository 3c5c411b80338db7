"""A bot may read the files of its own root and nothing that belongs to another bot or distribution."""

import os
import socket
import tracemalloc
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest
from support.repository.distributions import install_wheel, row

from arena.errors import RosterError
from arena.roster import entrant, manifest_folder
from arena.roster.distributions import read_record
from arena.roster.entrant import Launch
from arena.roster.finder import find
from arena.roster.python_bot import Root
from arena.store import folder as results

BOT = "from arena.sdk import Bot\nclass Mine(Bot): pass\n"
KEY = "a key of the harness's user"


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def readable(launch: Launch) -> set[str]:
    return {*launch.files, *launch.reads} or {launch.folder}


def refused(bot: object) -> str:
    with pytest.raises(RosterError) as caught:
        find(str(bot))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Return a folder with files that no bot may read: an opponent, a database, a spec, keys."""
    names = ("victim.py", "arena.sqlite", "league.yaml", "key.json", "keys.py")
    return write_files(tmp_path / "league", dict.fromkeys(names, KEY) | {"victim.py": BOT, "keys.py": "KEY = 1\n"})


# --- a bot named by its path


def test_a_bot_in_a_file_consists_of_the_file_and_data_files_with_its_name(league: Path) -> None:
    write_files(league, {"mine.py": BOT, "mine.json": "{}", "other.json": "{}"})
    assert readable(find(f"{league}/mine.py:Mine").launch) == {f"{league}/mine.py", f"{league}/mine.json"}


@pytest.mark.parametrize("statement", ["import victim", "from victim import Mine as Theirs", "import keys"])
def test_a_bot_in_a_file_may_not_import_files_beside_it(league: Path, statement: str) -> None:
    write_files(league, {"mine.py": f"{BOT}if False:\n    {statement}\n"})
    assert "which is not part of the bot: a bot in a single file is only that file" in refused(f"{league}/mine.py:Mine")


@pytest.mark.parametrize("dots", [".", "..", "..league.", "..."])
def test_a_relative_import_may_not_leave_the_bots_package(league: Path, dots: str) -> None:
    write_files(league, {"mine.py": f"{BOT}if False:\n    from {dots}victim import x\n"})
    assert ":4: imports from outside the bot's own package" in refused(f"{league}/mine.py:Mine")
    write_files(league, {"own/__init__.py": "", "own/mine.py": f"{BOT}if False:\n    from .{dots}victim import x\n"})
    assert ":4: imports from outside the bot's own package" in refused(f"{league}/own/mine.py:Mine")


def test_a_relative_import_of_the_root_folder_is_refused(league: Path) -> None:
    write_files(league, {"mine.py": f"from {'.' * len((league / 'mine.py').parents)} import x\n{BOT}"})
    assert ":1: imports from outside the bot's own package" in refused(f"{league}/mine.py:Mine")


def test_a_long_import_of_many_names_takes_little_memory(league: Path) -> None:
    text = f"{BOT}from a{'.a' * 3000} import {', '.join(f'x{number}' for number in range(3000))}\n"
    write_files(league / "own", {"__init__.py": "", "mine.py": text})
    tracemalloc.start()
    assert find(f"{league}/own/mine.py:Mine").name == "Mine"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000


def test_a_file_that_is_imported_often_is_examined_once(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{BOT}from . import {'helper, ' * 50}helper\n" + "import helper\n" * 50
    write_files(league / "own", {"__init__.py": "", "mine.py": text, "helper.py": ""})
    examined = Counter[Path]()
    holds = Root.holds
    monkeypatch.setattr(Root, "holds", lambda root, path: examined.update([path]) or holds(root, path))
    find(f"{league}/own/mine.py:Mine")
    assert examined[league / "own" / "helper.py"] == 1


def test_a_bot_reads_the_modules_of_its_package_that_it_imports(league: Path) -> None:
    own = {"__init__.py": "", "mine.py": f"{BOT}import helper\n", "helper.py": "", "helper.json": "{}", "unused.py": ""}
    write_files(league / "own", own)
    names = {"__init__.py", "mine.py", "helper.py", "helper.json"}
    assert readable(find(f"{league}/own/mine.py:Mine").launch) == {f"{league}/own/{name}" for name in names}


@pytest.mark.parametrize("name", ["mine.json", "helper.py", "helper.txt", "inner"])
def test_a_link_that_leaves_the_package_is_refused(league: Path, name: str) -> None:
    write_files(league / "own", {"__init__.py": "", "mine.py": f"{BOT}import helper\nimport inner.keys\n", "helper.py": ""})
    (league / "own" / name).unlink(missing_ok=True)
    (league / "own" / name).symlink_to(league if name == "inner" else league / "keys.py")
    assert ": a link out of the bot's own files, to " in refused(f"{league}/own/mine.py:Mine")


def test_a_link_beside_a_bot_in_a_file_is_refused(league: Path) -> None:
    write_files(league, {"mine.py": BOT})
    (league / "mine.txt").symlink_to("arena.sqlite")
    assert refused(f"{league}/mine.py:Mine").startswith(f"{league}/mine.txt: a link out of the bot's own files")


def test_a_link_inside_the_package_is_followed_and_its_content_is_hashed(league: Path) -> None:
    write_files(league / "own", {"__init__.py": "", "mine.py": BOT, "data/3.json": "{}"})
    (league / "own" / "mine.json").symlink_to("data/3.json")
    before = find(f"{league}/own/mine.py:Mine")
    assert {f"{league}/own/mine.json", f"{league}/own/data/3.json"} <= set(before.launch.files)
    (league / "own" / "data" / "3.json").write_text("[]")
    assert find(f"{league}/own/mine.py:Mine").digest != before.digest


@pytest.mark.parametrize("statement", [f"import {'a' * 300}", f"import a{'.a' * 5000}", f"from . import {'a' * 300}"])
def test_an_import_of_an_impossible_file_name_is_ignored(league: Path, statement: str) -> None:
    write_files(league / "own", {"__init__.py": "", "mine.py": f"{BOT}{statement}\n"})
    assert find(f"{league}/own/mine.py:Mine").name == "Mine"


@pytest.mark.parametrize(
    "bot", ["a" * 300, f"{'a' * 300}.py:Mine", f"{'a' * 300}/bot.yaml", "a/" * 3000 + "b.py:Mine", "a\0.py:Mine"]
)
def test_a_bot_with_an_impossible_file_name_gives_one_line(bot: str) -> None:
    assert "no " in refused(bot)


# --- a bot of a distribution


def test_a_deep_path_in_a_record_takes_little_memory(tmp_path: Path) -> None:
    install_wheel(tmp_path, "deep", {"own.py": "", "inner/data.txt": ""}, "", rows="a/" * 2000 + "b,,\n")
    tracemalloc.start()
    recorded = read_record(PathDistribution(tmp_path / "deep-1.2.dist-info"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
    names = ("own.py", "inner", "inner/data.txt", "inne", "inner/data", "a/a")
    assert [name for name in names if recorded.has(recorded.home / name)] == ["own.py", "inner", "inner/data.txt", "a/a"]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a ``site-packages`` folder with an installed victim and a file that no distribution records."""
    folder = tmp_path / "site"
    write_files(folder, {"keys.py": "KEY = 1\n"})
    modules = {"victim.py": BOT, "victim_package/__init__.py": "", "victim_package/secret.py": BOT, "victim_package/keys.json": KEY}
    install_wheel(folder, "victim", modules, "[arena.bots]\nvictim = victim:Mine\n")
    install_wheel(folder, "library", {"library/__init__.py": "", "library/tables.json": "{}", "space/library.py": ""}, "")
    install_wheel(folder, "neighbour", {"space/neighbour.py": ""}, "")
    monkeypatch.syspath_prepend(folder)
    return folder


def evil(site: Path, text: str, rows: str = "", more: Mapping[str, str] | None = None, requires: str = "") -> None:
    modules = {"evil/__init__.py": "", "evil/bot.py": BOT + text, **(more or {})}
    install_wheel(site, "evil", modules, "[arena.bots]\nevil = evil.bot:Mine\n", rows, requires)


def test_an_installed_bot_reads_its_package_and_the_libraries_that_it_imports(site: Path) -> None:
    own = {"evil/inner/__init__.py": "", "evil/inner/tables.py": "", "evil/inner/tables.json": "{}"}
    evil(site, "from .inner import tables\nimport library\n", more=own)
    launch = find("evil").launch
    assert set(launch.files) == {f"{site}/{name}" for name in ("evil/__init__.py", "evil/bot.py", *own)}
    assert set(launch.reads) == {f"{site}/library", f"{site}/library-1.2.dist-info", f"{site}/space/library.py"}


def test_an_installed_bot_reads_top_level_modules_of_its_own_distribution(site: Path) -> None:
    evil(site, "import evil_tables\n", more={"evil_tables.py": ""})
    assert f"{site}/evil_tables.py" in find("evil").launch.files


def test_the_harness_is_no_file_of_a_bot_even_where_the_same_distribution_has_installed_both(site: Path) -> None:
    evil(site, "import arena.gin\n", more={"arena/__init__.py": "", "arena/sdk.py": "", "arena/gin.py": ""})
    launch = find("evil").launch
    assert (set(launch.files), launch.reads) == ({f"{site}/evil/__init__.py", f"{site}/evil/bot.py"}, ())


def test_a_bot_in_a_file_may_stand_beside_a_folder_with_the_name_of_the_harness(league: Path) -> None:
    write_files(league, {"mine.py": BOT, "arena/__init__.py": KEY})
    assert readable(find(f"{league}/mine.py:Mine").launch) == {f"{league}/mine.py"}


@pytest.mark.parametrize("statement", ["import victim", "import victim_package.secret", "import keys", "import neighbour"])
def test_an_installed_bot_reads_no_other_distribution_and_no_unrecorded_file(site: Path, statement: str) -> None:
    claimed = row("keys.py", "not what is in it") + "victim_package/secret.py,,\nvictim.py,,\nkeys.py,,\n"
    evil(site, f"if False:\n    {statement}\n", rows=claimed, requires="Requires-Dist: victim\n")
    launch = find("evil").launch
    assert set(launch.files) == {f"{site}/evil/__init__.py", f"{site}/evil/bot.py"}
    assert launch.reads == ()


@pytest.mark.parametrize("claimed", ["/etc/passwd,,\n", "../../key,,\n", "keys.py,,\n", "victim_package/secret.py,,\n", '"\n'])
def test_a_library_grants_no_files_that_it_only_claims_to_own(site: Path, claimed: str) -> None:
    install_wheel(site, "helper", {"helper/__init__.py": ""}, "", rows=claimed)
    evil(site, "import helper\n")
    assert set(find("evil").launch.reads) <= {f"{site}/helper", f"{site}/helper-1.2.dist-info"}


def test_a_library_that_was_installed_from_a_local_folder_is_not_granted(site: Path) -> None:
    (site / "library-1.2.dist-info" / "direct_url.json").write_text('{"url": "file:///home/me/library", "dir_info": {}}')
    evil(site, "import library\n")
    assert find("evil").launch.reads == ()


def test_a_relative_import_of_an_installed_bot_may_not_leave_its_package(site: Path) -> None:
    evil(site, "if False:\n    from ..victim_package import secret\n")
    assert ":4: imports from outside the bot's own package" in refused("evil")


def test_a_file_of_another_distribution_in_the_package_is_refused(site: Path) -> None:
    install_wheel(site, "guest", {"evil/guest.py": ""}, "")
    evil(site, "from . import guest\n")
    assert "imports " + str(site / "evil" / "guest.py") + ", which belongs to the distribution guest" in refused("evil")


def test_a_bot_in_the_package_of_another_distribution_reads_only_its_own_file(site: Path) -> None:
    points = "[arena.bots]\nevil = victim_package.bot:Mine\n"
    install_wheel(site, "evil", {"victim_package/bot.py": BOT + "from . import secret\n"}, points)
    assert ":3: imports from outside the bot's own package" in refused("evil")


@pytest.mark.parametrize("forged", ["", '{"url": "file:///", "dir_info": {"editable": true}}'])
def test_an_entry_point_to_another_distributions_module_grants_no_files_of_its_own(site: Path, forged: str) -> None:
    points = "[arena.bots]\nevil = victim_package.secret:Mine\n"
    install_wheel(site, "evil", {"evil.py": BOT}, points, rows="victim_package/secret.py,,\n")
    (site / "evil-1.2.dist-info" / "direct_url.json").write_text(forged)
    try:
        files = find("evil").launch.files
    except RosterError:
        return
    assert f"{site}/evil.py" not in files


def test_a_bot_may_not_import_the_bot_beside_it_in_one_package(site: Path) -> None:
    modules = {"many/__init__.py": "", "many/first.py": f"{BOT}from .second import Mine as Other\n", "many/second.py": BOT}
    install_wheel(site, "many", modules, "[arena.bots]\nfirst = many.first:Mine\nsecond = many.second:Mine\n")
    assert f"imports {site}/many/second.py, which is the bot 'second'; expected shared code" in refused("first")
    assert find("second").launch.files == (f"{site}/many/__init__.py", f"{site}/many/second.py")


def test_two_bots_of_one_module_are_both_found(site: Path) -> None:
    modules = {"many/__init__.py": "", "many/both.py": BOT}
    install_wheel(site, "many", modules, "[arena.bots]\nfirst = many.both:Mine\nsecond = many.both:Mine\n")
    assert find("first").digest == find("second").digest


def test_a_bot_in_an_editable_package_reads_that_package(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(
        tmp_path / "src",
        {"dev/__init__.py": "", "dev/bot.py": f"{BOT}from dev import helper\n", "dev/helper.py": "", "beside.py": ""},
    )
    monkeypatch.syspath_prepend(tmp_path / "src")
    install_wheel(site, "dev", {}, "[arena.bots]\ndev = dev.bot:Mine\n", rows="__editable__.dev.pth,,\n")
    names = ("__init__", "bot", "helper")
    assert find("dev").launch.files == tuple(f"{tmp_path}/src/dev/{name}.py" for name in names)


def test_a_bot_in_a_namespace_package_reads_no_other_part_of_it(site: Path) -> None:
    install_wheel(site, "one", {"space/one/__init__.py": "", "space/one/bot.py": BOT}, "[arena.bots]\none = space.one.bot:Mine\n")
    assert find("one").launch.files == (f"{site}/space/one/__init__.py", f"{site}/space/one/bot.py")
    (site / "space" / "one" / "bot.py").write_text(f"{BOT}from .. import neighbour\n")
    assert "imports from outside the bot's own package" in refused("one")


# --- a bot with a manifest

POINTS = "[arena.bots]\nfolder = many\nfirst = many.first:Mine\n"
MANIFEST = "name: mine\ncommand: [sh, run.sh]\n"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return write_files(tmp_path / "own", {"bot.yaml": MANIFEST, "run.sh": "", "inner/weights": "1"})


def test_the_folder_of_a_manifest_may_have_links_that_stay_inside_it(own: Path) -> None:
    (own / "latest").symlink_to("inner/weights")
    (own / "again").symlink_to("inner")
    (own / "itself").symlink_to("itself")
    before = find(f"{own}/bot.yaml").digest
    (own / "again").unlink()
    (own / "again").symlink_to(".")
    assert find(f"{own}/bot.yaml").digest != before


@pytest.mark.parametrize("target", ["/etc/passwd", "..", "../nowhere", "/"])
def test_a_link_that_leaves_the_folder_of_a_manifest_is_refused(own: Path, target: str) -> None:
    (own / "link").symlink_to(target)
    assert refused(f"{own}/bot.yaml").startswith(f"{own}/link: a link out of the bot's folder, to ")


def test_a_pipe_or_socket_by_which_processes_could_communicate_is_refused(own: Path) -> None:
    os.mkfifo(own / "pipe")
    assert refused(f"{own}/bot.yaml").startswith(f"{own}/pipe: a pipe, socket or device; ")
    (own / "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(own / "pipe"))
        assert refused(f"{own}/bot.yaml").startswith(f"{own}/pipe: a pipe, socket or device; ")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("run/arena.sqlite", "", "a results database"),
        ("arena.sqlite-wal", "", "a results database"),
        ("other/bot.yaml", MANIFEST, "another bot's manifest"),
        ("league.yaml", "seed: 4217\nbots: [a, b]\n", "a tournament spec"),
        ("run/spec.yml", '{"title": "x",\n"bots": [a, b]}', "a tournament spec"),
        ("spec.yaml", "{\n\n \t{ 'bots' : [a, b]}", "a tournament spec"),
    ],
)
def test_a_bots_folder_may_not_contain_files_of_the_arena(own: Path, name: str, text: str, message: str) -> None:
    write_files(own, {name: text})
    assert refused(f"{own}/bot.yaml").startswith(f"{own / name}: {message} in the folder of the bot {own}/bot.yaml; ")


def test_many_empty_lines_in_a_bots_folder_are_read_at_once(own: Path) -> None:
    write_files(own, {"weights.yaml": "\n" * 300_000})
    assert find(f"{own}/bot.yaml").name == "mine"


def test_a_home_and_a_shared_folder_are_refused(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(own / "inner"))
    assert f"the bot could read all of {own}" in refused(f"{own}/bot.yaml")
    monkeypatch.setenv("HOME", str(own))
    assert f"the bot could read all of {own}" in refused(f"{own}/bot.yaml")
    monkeypatch.setenv("HOME", "/nowhere")
    assert find(f"{own}/bot.yaml").name == "mine"
    own.chmod(0o1777)
    assert f"the bot could read all of {own}" in refused(f"{own}/bot.yaml")


def test_an_unprintable_file_name_is_refused(own: Path) -> None:
    (own / "a\nb\x1b[31m").touch()
    assert r"'a\nb\x1b[31m' in its folder; expected printable names" in refused(f"{own}/bot.yaml")


def test_a_folder_with_too_many_files_is_refused(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest_folder, "MOST", 3)
    assert "more than 3 files in its folder" in refused(f"{own}/bot.yaml")


def test_a_bot_that_is_too_large_is_refused_before_it_is_read(own: Path) -> None:
    with (own / "sparse").open("wb") as sparse:
        sparse.truncate(200 << 30)
    assert "bytes; expected at most 1,073,741,824" in refused(f"{own}/bot.yaml")
    write_files(own.parent, {"mine.py": BOT})
    (own / "sparse").rename(own.parent / "mine.npz")
    assert "bytes; expected at most 1,073,741,824" in refused(f"{own.parent}/mine.py:Mine")
    assert entrant.LARGEST == 1 << 30


def test_the_name_of_the_results_database_is_the_same_in_both_modules() -> None:
    assert manifest_folder.DATABASE == results.DATABASE


def test_a_manifest_in_a_folder_that_another_distribution_uses_is_refused(site: Path) -> None:
    install_wheel(site, "evil", {"victim_package/bot.yaml": MANIFEST}, "[arena.bots]\nevil = victim_package\n")
    assert f"{site}/victim_package has files of the distribution victim" in refused("evil")


def test_a_manifest_in_a_folder_that_holds_an_installed_bot_is_refused(site: Path) -> None:
    install_wheel(site, "many", {"many/bot.yaml": MANIFEST, "many/run.sh": "", "many/first.py": BOT}, POINTS)
    for bot in ("folder", f"{site}/many/bot.yaml"):
        assert refused(bot).startswith(f"{site}/many/first.py: the bot 'first' in the folder of the bot {site}/many/bot.yaml")


def test_an_installed_manifest_defines_a_bot(site: Path) -> None:
    install_wheel(site, "fair", {"fair/bot.yaml": MANIFEST, "fair/run.sh": ""}, "[arena.bots]\nfair = fair\n")
    assert find("fair").launch.folder == f"{site}/fair"


def test_a_bot_whose_path_is_not_utf8_is_refused_with_its_bytes(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"odd\xff")
    write_files(odd, {"mine.py": BOT, "bot.yaml": "{name: mine, command: [cat]}"})
    for name in ("mine.py", "bot.yaml", ""):
        assert refused(odd / name).startswith(f"{tmp_path}/odd\\xff/")
