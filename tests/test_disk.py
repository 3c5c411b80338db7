"""Files of arena's own: never through a link, and all of them by one module."""

import ast
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structure
from support.repository.pages import is_here

from arena import disk
from arena.disk import UnsafeFileError

WRITES = {"write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "mkdir", "makedirs", "mkfifo"}
LIBRARIES = {"shutil.copyfile", "shutil.copytree", "shutil.copy", "shutil.copy2", "shutil.move", "sqlite3.connect"}
PARSED = re.compile(r"FileHandler|open\(|shutil|connect|" + "|".join(WRITES))  # a file without any of these needs no parsing
NEW = "into a folder that arena has just made"
NAMED = "a file that the user names"
WRITERS = {  # modules that write without ``arena.disk``: why they may
    "arena/publishing.py": NEW,
    "arena/league/backup.py": NEW,
    "arena/league/intake/archives.py": NEW,
    "arena/league/intake/copies.py": NEW,
    "arena/league/intake/libraries.py": NEW,
    "arena/league/intake/packed_bots.py": NEW,
    "arena/league/intake/wheels.py": NEW,
    "arena/league/exported.py": NEW,
    "arena/league/uploads.py": NEW,
    "arena/players/proofs.py": NEW,
    "arena/extras/cluster/bot_cache.py": "into a folder that only this user may write, of a director whose code it runs anyway",
    "arena/cli/bots.py": NAMED,
    "arena/cli/new.py": NAMED,
    "arena/compare/junit.py": NAMED,
    "arena/extras/remote/played.py": "the path is checked first",
    "arena/extras/remote/signing.py": f"{NAMED}, if it is new",
    "arena/sdk/recording.py": f"{NAMED}, by a bot that runs with the user's rights",
    "arena/sdk/network.py": f"{NAMED}, in a program of the user's own",
    "arena/store/file.py": "the path is checked before SQLite opens it",
    "arena/store/store.py": NEW,
    "arena/store/folder.py": "the folder of the run itself, which the user names",
    "arena/cli/terminal.py": "/dev/null",
    "arena/players/child.py": "a pipe",
    "arena/runs/log_file.py": "a descriptor of arena.disk",
    "arena/disk.py": "the one place",
}


def writing_calls(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if PARSED.search(text) else ():
        if isinstance(node, ast.Call):
            owner, _, name = ast.unparse(node.func).rpartition(".")
            if name in WRITES or f"{owner}.{name}" in LIBRARIES or name.endswith("FileHandler") or _opens_to_write(name, node):
                yield f"{path}:{node.lineno}: {ast.unparse(node)[:80]}"


def _opens_to_write(name: str, call: ast.Call) -> bool:
    """Tell whether a call opens a file by a mode or flags that write."""
    if name not in ("open", "fdopen"):
        return False
    words = [one.value for one in ast.walk(call) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    modes = [word for word in words if word and set(word) <= set("rwaxbt+")]
    flags = {one.attr for one in ast.walk(call) if isinstance(one, ast.Attribute)}
    return any(set(mode) & set("wax+") for mode in modes) or bool(flags & {"O_WRONLY", "O_RDWR", "O_CREAT"})


def test_what_is_written_is_written_by_one_module_or_stands_in_a_list_with_the_reason() -> None:
    found = {str(path.relative_to(structure.ROOT)): list(writing_calls(path)) for path in structure.files("arena")}
    inside = ("arena/confinement/", "arena/runs/templates/")  # the sandbox, in its own mounts; files that are copied
    writers = {path for path, calls in found.items() if calls and not path.startswith(inside)}
    assert writers == set(filter(is_here, WRITERS)), [call for path in writers - WRITERS.keys() for call in found[path]]


Open = Callable[[Path], object]


def append(path: Path) -> None:
    disk.append_line(path, b"more")


def lock(path: Path) -> None:
    os.close(disk.lock(path))


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_bytes(b"mine\n")
    return tmp_path / "elsewhere" / "file"


@pytest.mark.parametrize("use", [append, lock])
@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_a_file_that_is_a_link_or_has_another_name_is_refused_and_not_changed(
    use: Open, link: Callable[[Path, Path], None], victim: Path, tmp_path: Path
) -> None:
    link(tmp_path / "own", victim)
    with pytest.raises(UnsafeFileError, match=rf"^{tmp_path}/own: is a (link|file with another name)[;,]"):
        use(tmp_path / "own")
    assert victim.read_bytes() == b"mine\n"


@pytest.mark.parametrize("use", [append, lock])
def test_a_link_to_nothing_makes_no_file(use: Open, tmp_path: Path) -> None:
    (tmp_path / "own").symlink_to(tmp_path / "new")
    with pytest.raises(UnsafeFileError):
        use(tmp_path / "own")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("use", [append, lock])
def test_a_pipe_is_refused_and_not_waited_for(use: Open, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "own")
    with pytest.raises(UnsafeFileError, match="is not a regular file"):
        use(tmp_path / "own")


def test_a_file_that_is_written_as_a_whole_takes_the_place_of_a_link(victim: Path, tmp_path: Path) -> None:
    (tmp_path / "own").symlink_to(victim)
    disk.write(tmp_path / "own", b"new")
    assert (victim.read_bytes(), (tmp_path / "own").read_bytes(), (tmp_path / "own").is_symlink()) == (b"mine\n", b"new", False)


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_a_draft_that_leads_elsewhere_is_refused(link: Callable[[Path, Path], None], victim: Path, tmp_path: Path) -> None:
    link(tmp_path / ".own.new", victim)
    with pytest.raises(UnsafeFileError, match=r"\.own\.new: is a "):
        disk.write(tmp_path / "own", b"new")
    assert victim.read_bytes() == b"mine\n"


def test_a_folder_to_which_a_link_leads_is_refused_but_links_in_the_named_path_are_followed(victim: Path, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "logs").symlink_to(victim.parent)
    for use in (disk.inside, disk.make_folder):
        with pytest.raises(UnsafeFileError, match=rf"^{tmp_path}/given/logs: is a link"):
            use(tmp_path / "given", "logs", "more")
    assert disk.make_folder(tmp_path / "given" / "logs", "more") == tmp_path / "given" / "logs" / "more"
    assert (victim.parent / "more").is_dir()
