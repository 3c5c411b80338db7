"""What may be submitted to a league: archives, wheels and their libraries; nothing of a stranger's runs outside the sandbox."""

import os
import shutil
import socket
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.hostile.server import Response, answering, at_once, dripping, without_end
from support.hostile.submissions import BOT, entry, sha256, tar_of, wheel, zip_of
from support.records.verifying import first_difference, runner

from arena import distribution
from arena.confinement.profiles import confine
from arena.errors import RosterError, SandboxError, StoreError
from arena.league import leagues
from arena.league.intake import copies, libraries, wheel_choice
from arena.league.leagues import new
from arena.league.observing import LeagueObserver
from arena.league.play import StopRule, play_rounds
from arena.league.rules.events import Library, Submitted, decode
from arena.league.rules.field import Version
from arena.league.rules.spec import SubmissionTerms
from arena.league.submit import SubmissionOutcome, submit_bot
from arena.players import proofs
from arena.players.sandboxes import NoSandbox
from arena.plugins.manager import installed_kinds
from arena.results.replays import Replays
from arena.roster.finder import find
from arena.roster.reader import DIRECT
from arena.runs import requirements
from arena.runs.logs import log_nowhere
from arena.runs.stored_kinds import stored_run
from arena.store.folder import Folder
from arena.store.store import Store

SPEC = """
title: Friday
rules: {target: 10, best_of: 1}
sandbox: none
audition: {hands: 8}
pairing: {newcomer: 1}
submissions: {index: wheels, libraries_mb: 5}
"""
MANIFEST = "name: counter\ncommand: [python3, -m, arena.sdk, 'player.py:Mine']\n"
ENTRY = "[arena.bots]\nmine = mine.player:Mine\n"
NEEDS_TABLES = BOT + "    import tables\n    assert tables.SIZE == 4\n"
WITH_UV = pytest.mark.skipif(
    not (shutil.which("uv") or (Path(sys.executable).parent / "uv").exists()),
    reason="uv is not installed",
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a league without bots, with an index of two libraries."""
    folder = tmp_path_factory.mktemp("leagues")
    (folder / "league.yaml").write_text(SPEC)
    new(folder / "league", folder / "league.yaml")
    index = folder / "league" / "wheels"
    index.mkdir()
    wheel(
        index,
        "tables",
        {"tables/__init__.py": "from numbers4 import FOUR as SIZE\n", "extra.pth": "import os\n"},
        requires=["numbers4>=1"],
    )
    wheel(index, "numbers4", {"numbers4.py": "FOUR = 4\n", "numbers4-1.0.data/scripts/run": "#!python\n"})
    return folder / "league"


@pytest.fixture
def league(empty: Path, tmp_path: Path) -> Path:
    log_nowhere()
    return Path(shutil.copytree(empty, tmp_path / "league"))


def enter(league: Path, bot: object, name: str | None = None) -> SubmissionOutcome:
    return submit_bot(league, str(bot), "ann", name, lambda _: None)


def joined(league: Path, bot: object, name: str | None = None) -> Version:
    outcome = enter(league, bot, name)
    assert outcome.version, outcome.reason
    return outcome.version


def played(league: Path, matches: int) -> None:
    assert play_rounds(league, runner(), StopRule(matches=matches), LeagueObserver(), None).matches == matches


@pytest.fixture(autouse=True)
def beside_the_league(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the folder around the league, so that its path may be relative."""
    monkeypatch.chdir(league.parent)


def faults(league: Path) -> list[str]:
    with Store(league / "arena.sqlite") as store:
        return [fault.kind for record in store.records() for fault in record.faults]


# --- archives


@pytest.mark.process
def test_the_same_bot_as_a_file_and_in_an_archive_is_the_same_bot(league: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT)
    first = joined(league, tmp_path / "mine.py")
    for archive in (
        zip_of(tmp_path / "mine.zip", {"other.py": BOT}),
        tar_of(tmp_path / "mine.tar.gz", [(entry("folder", tarfile.DIRTYPE), b""), (entry("folder/x.py"), BOT.encode())], "w:gz"),
    ):
        again = enter(league, archive)
        assert (again.version, again.joined) == (first, False)


@pytest.mark.process
def test_a_folder_with_a_manifest_is_the_same_bot_in_an_archive(league: Path, tmp_path: Path) -> None:
    folder = tmp_path / "counter"
    shutil.copytree(Path(__file__).parents[2] / "bots" / "awk_counter", folder)
    files = {f"counter/{path.name}": path.read_bytes() for path in folder.iterdir() if path.is_file()}
    first = joined(league, zip_of(tmp_path / "counter.zip", files))
    assert (first.name, first.entry) == ("awk-counter", "bot.yaml")
    assert enter(league, folder).version == first


@pytest.mark.parametrize("bot", ["counter(weight=2.5)", "counter/bot.yaml(weight=2.5)"])
def test_the_copy_of_a_folder_with_a_manifest_keeps_the_values_of_its_parameters(bot: str, league: Path, tmp_path: Path) -> None:
    folder = tmp_path / "counter"
    folder.mkdir()
    (folder / "bot.yaml").write_text(f"{MANIFEST}parameters: {{weight: {{start: 1.0, low: 0.0, high: 5.0}}}}\n")
    (folder / "player.py").write_text(BOT)
    with copies.copy_in(str(tmp_path / bot), league / "bots", SubmissionTerms(), NoSandbox()) as taken:
        assert (taken.entry, taken.entrant.launch.command[-1]) == ("bot.yaml(weight=2.5)", "weight=2.5")
        assert taken.files == find(str(tmp_path / bot)).digest


@pytest.mark.process
def test_a_bot_of_an_installed_package_is_copied_with_its_shared_modules_and_its_data(league: Path) -> None:
    assert joined(league, "scholar").entry.endswith("/scholar.py:Scholar")


PACKAGE = {
    "mine/__init__.py": "",
    "mine/player.py": "from .words import WORD\nfrom mine import words\nfrom pathlib import Path\n"
    "assert (Path(__file__).parent / 'data.bin').read_text() == WORD == words.WORD\n" + BOT,
    "mine/words.py": "WORD = 'x'\n",
    "mine/data.bin": "x",
}


@pytest.mark.process
def test_a_package_in_an_archive_imports_its_own_modules_and_reads_its_own_data(league: Path, tmp_path: Path) -> None:
    version = joined(league, zip_of(tmp_path / "mine.zip", PACKAGE))
    assert (version.name, version.entry) == ("Mine", "mine.player:Mine")
    joined(
        league,
        zip_of(
            tmp_path / "wrapped.zip",
            {f"top/{name}": f"{text}\n" for name, text in PACKAGE.items() if "bin" not in name} | {"top/mine/data.bin": "x"},
        ),
        "other",
    )
    played(league, 2)
    assert faults(league) == []


BESIDE = (
    "from enum import Enum\nfrom typing import NamedTuple\nclass Habit(Enum):\n    a = 1\nclass Pair(NamedTuple):\n    x: int\n"
)


@pytest.mark.process
def test_a_bot_beside_classes_of_other_kinds_is_taken_as_a_file_in_a_folder_and_in_an_archive(league: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BESIDE + BOT)
    version = joined(league, str(tmp_path / "mine.py"))
    assert (version.name, version.entry) == ("Mine", "bot.py:Mine")
    for files in ({"mine.py": BESIDE + BOT}, {"top/mine.py": BESIDE + BOT}):
        assert enter(league, zip_of(tmp_path / "mine.zip", files)).version == version
    other = zip_of(tmp_path / "two.zip", {"mine.py": BOT + "# another\n", "habits.py": BESIDE})
    assert joined(league, other, "other").entry == "mine:Mine"


@pytest.mark.process
def test_an_archive_made_by_macos_is_taken_without_the_attributes_of_its_files(league: Path, tmp_path: Path) -> None:
    path = zip_of(tmp_path / "mine.zip", {"mine/player.py": BOT, "__MACOSX/mine/._player.py": b"\0", "__MACOSX/._mine": b"\0"})
    outcome = submit_bot(league, str(path), "ann", None, lambda _: None)
    assert outcome.joined, outcome.reason


@pytest.mark.process
def test_of_several_bots_in_an_archive_one_is_named(league: Path, tmp_path: Path) -> None:
    archive = zip_of(tmp_path / "mine.zip", {**PACKAGE, "mine/second.py": BOT.replace("Mine", "Second")})
    found = (
        r"found mine.player:Mine, mine.second:Second; expected one: name it as mine.zip:mine.player:Mine, .* class=mine.player:Mine"
    )
    with pytest.raises(RosterError, match=found):
        enter(league, archive)
    assert joined(league, f"{archive}:mine.second:Second").name == "Second"
    with pytest.raises(RosterError, match=r"no module 'mine\.third'"):
        enter(league, f"{archive}:mine.third:Second")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"mine-1.0/PKG-INFO": "", "mine-1.0/mine.py": BOT}, "found PKG-INFO: a source distribution has to be built"),
        ({"mine-1.0/PKG-INFO": "", "mine-1.0/bot.yaml": MANIFEST}, "found PKG-INFO"),
        ({"mine/setup.py": "raise SystemExit", "mine/mine.py": BOT}, "found setup.py: a source distribution has to be built"),
        ({"mine/pyproject.toml": "", "mine/mine.py": BOT}, "submit a wheel of it"),
        ({"__init__.py": "", "player.py": BOT}, "but not its folder, which is its name"),
        ({"notes.txt": ""}, "found no class that inherits from Bot"),
        ({"mine.py": "class Mine:\n"}, "^mine.zip: mine.py:1: not valid Python"),
        (
            {"mine.py": BOT, "requirements.txt": "-e git+https://example.org/x"},
            "^mine.zip: requirements.txt: .* options are ref",
        ),
    ],
)
def test_an_archive_without_a_bot_is_refused_in_one_line(files: dict[str, str], message: str, league: Path, tmp_path: Path) -> None:
    with pytest.raises(RosterError, match=message) as refusal:
        enter(league, zip_of(tmp_path / "mine.zip", files))
    assert len(str(refusal.value).splitlines()) == 1
    assert list((league / "bots").iterdir()) == []


def test_a_project_folder_is_refused_with_what_to_submit_instead(league: Path, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    with pytest.raises(RosterError, match="submit a wheel of it"):
        enter(league, tmp_path)


@pytest.mark.process
def test_an_archive_larger_than_the_league_accepts_is_refused(league: Path, tmp_path: Path) -> None:
    with (tmp_path / "mine.tar").open("wb") as file:
        file.truncate(101 << 20)
    with pytest.raises(RosterError, match="more than 100 MB; the league accepts no larger archives"):
        enter(league, tmp_path / "mine.tar")


# --- wheels


@pytest.mark.process
def test_a_wheel_is_unpacked_and_its_entry_point_names_the_bot(league: Path, tmp_path: Path) -> None:
    version = joined(league, wheel(tmp_path, "ginbot", PACKAGE, ENTRY, requires=["ginrummy-arena"]))
    assert (version.id, version.entry, version.environment) == ("mine@1", "mine.player:Mine", None)
    assert not list((league / "bots" / version.digest).glob("*.dist-info"))
    assert not (league / "environments").exists()


@pytest.mark.process
def test_a_wheel_may_hold_a_bot_with_a_manifest(league: Path, tmp_path: Path) -> None:
    program = (Path(__file__).parents[2] / "bots" / "awk_counter" / "bot.yaml").parent
    files = {f"counter/{path.name}": path.read_bytes() for path in program.iterdir() if path.is_file()}
    version = joined(league, wheel(tmp_path, "ginbot", {"counter/__init__.py": "", **files}, "[arena.bots]\ncount = counter\n"))
    assert (version.id, version.entry) == ("count@1", "bot.yaml")


@pytest.mark.process
def test_a_base_that_is_a_long_chain_of_attributes_is_refused_in_one_line(league: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"from arena.sdk import Bot\n\nclass Mine(Bot{'.x' * 950}): pass\n")
    refused = enter(league, tmp_path / "mine.py")
    assert (refused.version, refused.error) == (None, False)
    assert "has no attribute 'x'" in str(refused.reason)


def changed(**changes: str) -> dict[str, str]:
    return {**PACKAGE, **{name.replace("__", "/"): text for name, text in changes.items()}}


@pytest.mark.parametrize(
    ("files", "points", "message"),
    [
        ({**PACKAGE, "evil.pth": "import os"}, ENTRY, "holds 'evil.pth', which would run code in every program"),
        ({**PACKAGE, "mine/evil.pth": "import os"}, ENTRY, "holds 'evil.pth'"),
        ({**PACKAGE, "ginbot-1.0.data/scripts/ls": "#!"}, ENTRY, r"holds 'ginbot-1.0.data', scripts or data"),
        (PACKAGE, ENTRY + "[arena.plugins]\nx = mine\n", "entry points of the group 'arena.plugins'"),
        (PACKAGE, ENTRY + "[arena]\nx = mine\n", "entry points of the group 'arena'"),
        (PACKAGE, "", "its entry points of the group arena.bots: none"),
        (
            PACKAGE,
            ENTRY + "two = mine.words:Two\n",
            "it holds 2 bots, mine, two; expected one: name it as .*:mine, or over HTTP by class=mine",
        ),
        (PACKAGE, "[arena.bots]\nmine = os; import evil\n", "neither module:Class nor a package"),
        (PACKAGE, "[arena.bots]\nmine = mine\n", "has no bot.yaml, and it names no class"),
        (PACKAGE, "[arena.bots]\nmine = os:path\n", "no module 'os' in its folder"),
        ({"x-1.0.dist-info/WHEEL": "", "x-1.0.dist-info/METADATA": "", **PACKAGE}, ENTRY, "2 folders of metadata"),
    ],
)
def test_a_wheel_that_holds_more_than_a_bot_is_refused(
    files: dict[str, str | bytes], points: str, message: str, league: Path, tmp_path: Path
) -> None:
    with pytest.raises(RosterError, match=message) as refusal:
        enter(league, wheel(tmp_path, "ginbot", files, points))
    assert len(str(refusal.value).splitlines()) == 1


# --- libraries


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("numpy @ https://example.org/numpy.tar.gz", "names an address"),
        ("numpy @ file:///tmp/numpy", "names an address"),
        ("git+https://example.org/numpy", "options are refused"),
        ("-e .", "options are refused"),
        ("--index-url https://example.org", "options are refused"),
        ("-r other.txt", "options are refused"),
        ("./local", "options are refused"),
        ("numpy --hash=sha256:0", "options are refused"),
        ("GinRummy_Arena>=99", "this is ginrummy-arena"),
        ("arena", "'arena' is another project; expected ginrummy-arena"),
        ('numpy; os_name ~= "x"', "is not a name with versions"),
        ("numpy; dependency_groups == 'a'", "is not a name with versions"),
    ],
)
def test_a_requirement_is_a_name_with_versions_and_nothing_else(line: str, message: str) -> None:
    with pytest.raises(RosterError, match=message):
        requirements.applicable_requirements([line], [], distribution.version())


def test_requirements_apply_by_their_markers_and_the_extras_of_the_entry_point() -> None:
    lines = [
        "numpy>=2",
        "numpy >= 2",
        "tomli; python_version < '3'",
        "torch; extra == 'gpu'",
        "ginrummy-arena[web]",
        "Old; extra == 'old'",
    ]
    assert requirements.applicable_requirements(lines, [], distribution.version()) == ("numpy>=2",)
    assert requirements.applicable_requirements(lines, ["gpu"], distribution.version()) == ("numpy>=2", "torch")


def test_comments_are_no_requirements(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("# libraries\n\nnumpy>=2  # arrays\nsix\t# tab\n")
    assert requirements.requirement_lines(tmp_path) == ("numpy>=2", "six")


@pytest.fixture
def with_tables(tmp_path: Path) -> Path:
    return wheel(tmp_path, "ginbot", {"mine/__init__.py": "", "mine/player.py": NEEDS_TABLES}, ENTRY, ["tables", "ginrummy-arena"])


@pytest.mark.process
@WITH_UV
def test_a_bot_plays_with_the_libraries_that_were_chosen_when_it_was_submitted(league: Path, with_tables: Path) -> None:
    version = joined(league, with_tables)
    assert version.environment
    index = league / "wheels"
    assert [(one.name, one.version, one.sha256) for one in version.environment.libraries] == [
        ("numbers4", "1.0", sha256(index / "numbers4-1.0-py3-none-any.whl")),
        ("tables", "1.0", sha256(index / "tables-1.0-py3-none-any.whl")),
    ]
    assert version.digest != version.environment.files
    place = league / "environments" / version.environment.digest
    assert {path.name for path in place.iterdir()} == {"numbers4-1.0.dist-info", "numbers4.py", "tables", "tables-1.0.dist-info"}
    wheel(index, "numbers4", {"numbers4.py": "FOUR = 5\n"}, version="2.0")
    assert enter(league, with_tables).version == version
    joined(league, zip_of(with_tables.with_name("other.zip"), {"other.py": BOT}), "other")
    played(league, 2)
    assert (faults(league), first_difference(league)) == ([], "")
    with Store(league / "arena.sqlite") as store:
        replays = Replays(store, stored_run(Folder(league), store, installed_kinds()), runner(), "none")
        assert replays.first_difference(lambda _, __: None) == ""
    shutil.rmtree(place)
    with pytest.raises(StoreError, match="missing; it holds the libraries of a bot"):
        copies.entrant(version, league, DIRECT)


@pytest.mark.process
@WITH_UV
def test_bots_with_equal_libraries_share_them_and_no_library_may_be_changed(league: Path, with_tables: Path) -> None:
    first = joined(league, with_tables)
    files = {"counter/mine.py": NEEDS_TABLES, "counter/requirements.txt": "tables"}
    second = joined(league, zip_of(with_tables.with_name("second.zip"), files), "second")
    assert first.environment
    assert second.environment
    assert first.environment.digest == second.environment.digest
    assert len(list((league / "environments").iterdir())) == 1
    library = league / "environments" / first.environment.digest / "numbers4.py"
    library.chmod(0o644)
    library.write_text("FOUR = 3\n")
    with pytest.raises(StoreError, match="changed since it was made"):
        copies.entrant(first, league, DIRECT)


@pytest.mark.process
@WITH_UV
def test_a_refused_bot_leaves_neither_files_nor_libraries(league: Path, with_tables: Path) -> None:
    broken = wheel(
        with_tables.parent, "broken", {"mine/__init__.py": "", "mine/player.py": NEEDS_TABLES.replace("4", "3")}, ENTRY, ["tables"]
    )
    assert enter(league, broken).version is None
    assert [list((league / name).iterdir()) for name in ("bots", "environments")] == [[], []]
    with leagues.open_league(league) as opened:
        [submitted] = [event for event in map(decode, opened.store.events()) if isinstance(event, Submitted)]
    assert submitted.environment
    assert [one.name for one in submitted.environment.libraries] == ["numbers4", "tables"]


CONFINED = """
import os, sys, tables
from arena.sdk import Bot

def refused(action, *arguments):
    try:
        action(*arguments)
    except (OSError, ImportError):
        return True

class Mine(Bot):
    def draw(self, view):
        place = os.path.dirname(os.path.dirname(tables.__file__))
        assert tables.SIZE == 4
        assert refused(open, os.path.join(place, "..", "other", "secret.py"))
        assert refused(open, tables.__file__, "a"), "a library can be written"
        assert refused(__import__, "numpy"), "a library of the harness can be read"
        return super().draw(view)
"""


@pytest.mark.process
@WITH_UV
@pytest.mark.timeout(180)
@pytest.mark.parametrize(("profile", "by"), [("A", "template"), ("A", "launcher"), ("B", "template"), ("C", "launcher")])
def test_inside_the_sandbox_a_bot_reads_its_own_libraries_and_no_others(
    profile: str, by: str, league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = SPEC.replace("sandbox: none", f"sandbox: {{name: strict, profile: {profile}}}")
    spec = league.parent / "strict.yaml"
    spec.write_text(text.replace("index: wheels", f"index: {league / 'wheels'}"))
    if by == "launcher":
        monkeypatch.setattr(proofs, "confine", lambda *given, **options: confine(*given, **options | {"templates": False}))
    strict = Path("strict")  # in the folder around the league
    try:
        new(strict, spec)
    except SandboxError as error:
        pytest.skip(f"profile {profile} cannot be proved here: {error}")
    (strict / "environments" / "other").mkdir(parents=True)
    (strict / "environments" / "other" / "secret.py").write_text("SECRET = 1\n")
    joined(strict, wheel(league.parent, "ginbot", {"mine/__init__.py": "", "mine/player.py": CONFINED}, ENTRY, ["tables"]))


def refused(league: Path, requires: Sequence[str], message: str) -> None:
    bot = wheel(league.parent, "ginbot", {"mine/__init__.py": "", "mine/player.py": BOT}, ENTRY, requires)
    with pytest.raises(RosterError, match=message) as refusal:
        enter(league, bot)
    assert len(str(refusal.value).splitlines()) == 1
    assert [list((league / name).glob("*")) for name in ("bots", "environments")] == [[], []]


@pytest.mark.process
@WITH_UV
def test_a_library_that_is_not_in_the_index_is_refused(league: Path) -> None:
    refused(league, ["unknown-library"], "cannot be resolved to wheels: .*unknown-library")


@pytest.mark.process
@WITH_UV
def test_a_library_that_exists_only_as_a_source_distribution_is_refused_and_not_built(league: Path, tmp_path: Path) -> None:
    setup = f"open({str(tmp_path / 'ran')!r}, 'w')\n".encode()
    tar_of(
        league / "wheels" / "evil-1.0.tar.gz",
        [(entry("evil-1.0/setup.py"), setup), (entry("evil-1.0/PKG-INFO"), b"Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")],
        "w:gz",
    )
    wheel(league / "wheels", "innocent", {"innocent.py": ""}, requires=[f"evil @ file://{league}/wheels/evil-1.0.tar.gz"])
    refused(league, ["evil"], "cannot be resolved to wheels")
    refused(league, ["innocent"], "cannot be resolved to wheels: .*evil")
    assert not (tmp_path / "ran").exists()


@pytest.mark.process
@WITH_UV
def test_libraries_beyond_the_limit_of_the_league_are_refused(league: Path) -> None:
    wheel(league / "wheels", "large", {"large.bin": bytes(6 << 20)})
    refused(league, ["large"], "unpacks to more than 5 MB")


@pytest.mark.process
@WITH_UV
def test_a_library_cannot_take_the_place_of_the_harness(league: Path) -> None:
    wheel(league / "wheels", "helper", {"arena/__init__.py": ""})
    refused(league, ["helper"], "provides arena, which every bot has from this arena")


@pytest.mark.process
def test_a_league_may_have_no_libraries(tmp_path: Path) -> None:
    (tmp_path / "no.yaml").write_text(SPEC.replace("libraries_mb: 5", "libraries_mb: 0"))
    new(tmp_path / "no", tmp_path / "no.yaml")
    bot = wheel(tmp_path, "ginbot", {"mine/__init__.py": "", "mine/player.py": BOT}, ENTRY, ["tables"])
    with pytest.raises(RosterError, match="requires tables; this league gives its bots no libraries"):
        enter(tmp_path / "no", bot)


def test_without_uv_the_refusal_says_how_to_install_it(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel_choice, "EXECUTABLE", "/nowhere/python")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    refused(league, ["tables"], r"pip install 'ginrummy-arena\[libraries\]'")


@WITH_UV
def test_without_a_network_the_refusal_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    with socket.socket() as closed:  # bound, but it does not listen
        closed.bind(("127.0.0.1", 0))
        index = f"http://127.0.0.1:{closed.getsockname()[1]}/simple"
        with pytest.raises(RosterError, match=f"cannot be resolved to wheels: .*{index}") as refusal:
            wheel_choice.lock(["tables"], index, tmp_path)
    assert len(str(refusal.value).splitlines()) == 1


@pytest.mark.parametrize("address", ["file:///etc/passwd-1.0-py3-none-any.whl", "ftp://example.org/a-1.0-py3-none-any.whl"])
def test_an_index_cannot_name_files_of_this_machine(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = f'[[packages]]\nname = "a"\nversion = "1.0"\nwheels = [{{ url = "{address}", hashes = {{ sha256 = "{"0" * 64}" }} }}]\n'
    monkeypatch.setattr(wheel_choice, "_resolve", lambda *_: lock)
    with pytest.raises(RosterError, match="expected an address of https or http"):
        wheel_choice.lock(["a"], "https://example.org/simple", tmp_path)


def test_a_wheel_that_cannot_be_had_is_the_bots_fault_and_a_disk_that_cannot_be_written_is_not(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"wheel")
    digest = sha256(tmp_path / "a.whl")
    known, missing = (
        wheel_choice.LockedWheel(Library(name="a", version="1", wheel=name, sha256=digest), (tmp_path / name).as_uri())
        for name in ("a.whl", "b.whl")
    )
    with pytest.raises(RosterError, match=r"^b\.whl: cannot be fetched"):
        libraries.download(missing, tmp_path / "copy", 100)
    with pytest.raises(FileNotFoundError):
        libraries.download(known, tmp_path / "no folder" / "copy", 100)


@pytest.mark.parametrize(
    ("response", "why"),
    [
        (dripping(b"HTTP/1.1 200 OK\r\n\r\n"), "timed out"),
        (without_end(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 9999), "larger than the limit of the league"),
        (without_end(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", b"X: " + b"y" * 60_000 + b"\r\n"), "more than 1,148,576 bytes"),
        (at_once(b"HTTP/1.1 404 No\r\n\r\n"), "HTTP 404 No"),
    ],
)
def test_a_wheel_that_drips_or_has_no_end_is_given_up(
    response: Response, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "FETCH_SECONDS", 0.3 if why == "timed out" else 60.0)
    with answering(response) as address, pytest.raises(RosterError, match=why):
        wheel = wheel_choice.LockedWheel(Library(name="a", version="1", wheel="a.whl", sha256="0" * 64), f"{address}/a.whl")
        libraries.download(wheel, tmp_path / "copy", 100_000)


def test_libraries_whose_files_are_in_place_of_each_others_folders_are_the_bots_fault(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second" / "part"
    for folder in (first, second):
        folder.mkdir(parents=True)
    (first / "part").touch()
    (second / "one.py").touch()
    with pytest.raises(RosterError, match=r"part/one\.py: another library has a file in place of one of its folders"):
        libraries.merge(second.parent, first)
    with pytest.raises(RosterError, match=r"^part: another library has a folder in place of this file"):
        libraries.merge(first, second.parent)


@pytest.mark.process
def test_what_a_killed_submission_left_is_removed_a_day_later(league: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT)
    old, fresh = league / "bots" / ".new-old", league / "bots" / ".new-fresh"
    for folder in (old, fresh):
        folder.mkdir()
    os.utime(old, (0, 0))
    joined(league, tmp_path / "mine.py")
    assert (old.exists(), fresh.exists()) == (False, True)


@pytest.mark.process
def test_what_is_unpacked_can_be_read_by_the_user_of_the_sandbox_whatever_the_umask(league: Path, tmp_path: Path) -> None:
    archive = zip_of(tmp_path / "mine.zip", PACKAGE)
    before = os.umask(0o077)
    try:
        version = joined(league, archive)
    finally:
        os.umask(before)
    place = league / "bots" / version.digest
    assert {oct(path.stat().st_mode & 0o555) for path in (place, place / "mine")} == {"0o555"}
    assert all(path.stat().st_mode & 0o444 == 0o444 for path in place.rglob("*") if path.is_file())
