"""Rogues that write. The referee compares the files before and after, and does not rely on what they print."""

import os
from pathlib import Path

from rogues.rogue import Scene, rogue


@rogue()
def writes_into_its_folder(scene: Scene) -> bool:
    return Path(scene.folder, "note").write_text("x", encoding="ascii") == 1


@rogue()
def writes_into_a_folder_open_to_all(scene: Scene) -> bool:
    return Path(scene.stage, "open", "message").write_text("x", encoding="ascii") == 1


@rogue()
def writes_into_the_temporary_folder(_: Scene) -> bool:
    return Path("/tmp/message").write_text("x", encoding="ascii") == 1  # noqa: S108 - the attack


@rogue()
def writes_into_another_bots_folder(scene: Scene) -> bool:
    return Path(scene.stage, "bots/other/bot.py").write_text("x", encoding="ascii") == 1


@rogue()
def writes_into_the_package(scene: Scene) -> bool:
    return Path(scene.stage, "package/arena/__init__.py").write_text("x", encoding="ascii") == 1


@rogue()
def writes_into_the_results(scene: Scene) -> bool:
    return Path(scene.stage, "results/arena.sqlite").write_text("x", encoding="ascii") == 1


@rogue()
def appends_to_a_file(scene: Scene) -> bool:
    with Path(scene.stage, "open/note").open("a", encoding="ascii") as note:
        return note.write("x") == 1


@rogue()
def empties_a_file_by_opening_it(scene: Scene) -> bool:
    return os.open(f"{scene.folder}/bait", os.O_RDONLY | os.O_TRUNC) >= 0


@rogue()
def empties_a_file_by_name(scene: Scene) -> None:
    os.truncate(f"{scene.folder}/bait", 0)


@rogue()
def removes_a_file(scene: Scene) -> None:
    Path(scene.folder, "bait").unlink()


@rogue()
def renames_a_file(scene: Scene) -> None:
    Path(scene.folder, "bait").rename(f"{scene.folder}/other")


@rogue()
def makes_a_folder(scene: Scene) -> None:
    Path(scene.folder, "new").mkdir()


@rogue()
def makes_a_symbolic_link(scene: Scene) -> None:
    os.symlink("/", f"{scene.stage}/open/root")


@rogue()
def makes_a_hard_link(scene: Scene) -> None:
    os.link(f"{scene.folder}/bait", f"{scene.folder}/twin")


@rogue()
def makes_a_named_pipe(scene: Scene) -> None:
    os.mkfifo(f"{scene.folder}/pipe")


@rogue()
def changes_a_mode(scene: Scene) -> None:
    Path(scene.folder, "bait").chmod(0o777)


@rogue(root_only=True)
def changes_an_owner(scene: Scene) -> None:
    os.chown(f"{scene.folder}/bait", 12345, 12345)


@rogue()
def changes_a_time(scene: Scene) -> None:
    os.utime(f"{scene.folder}/bait", (1, 1))


@rogue()
def writes_an_attribute(scene: Scene) -> None:
    os.setxattr(f"{scene.folder}/bait", "user.message", b"x")


@rogue()
def makes_a_file_without_a_name(scene: Scene) -> bool:
    return os.write(os.open(f"{scene.stage}/open", os.O_TMPFILE | os.O_RDWR), b"x") == 1


@rogue()
def fills_the_disk(scene: Scene) -> bool:
    """Bounded: 24 MB, in a cage whose disk holds 64."""
    with Path(scene.stage, "open/big").open("wb") as file:
        return sum(file.write(bytes(1 << 20)) for _ in range(24)) == 24 << 20


@rogue()
def uses_up_the_inodes(scene: Scene) -> bool:
    for number in range(500):
        Path(scene.stage, "open", str(number)).touch()
    return True


@rogue()
def writes_into_shared_memory(_: Scene) -> bool:
    return Path("/dev/shm/message").write_text("x", encoding="ascii") == 1  # noqa: S108 - the attack


@rogue()
def writes_a_core(scene: Scene) -> bool:
    return Path(scene.folder, "core").write_bytes(b"x") == 1
