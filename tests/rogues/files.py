"""Rogues that read files that are not theirs."""

import os
from pathlib import Path

from rogues.rogue import Scene, call, rogue, text


def _contains_secret(scene: Scene, path: str) -> bool:
    return scene.secret in text(path)


@rogue()
def reads_a_secret_from_home(scene: Scene) -> bool:
    return _contains_secret(scene, f"{scene.stage}/home/key")


@rogue()
def reads_the_spec(scene: Scene) -> bool:
    return _contains_secret(scene, f"{scene.stage}/results/spec.yaml")


@rogue()
def reads_the_seed(scene: Scene) -> bool:
    return _contains_secret(scene, f"{scene.stage}/results/seed")


@rogue()
def reads_another_bots_source(scene: Scene) -> bool:
    return _contains_secret(scene, f"{scene.stage}/bots/other/bot.py")


@rogue()
def reads_by_way_of_dot_dot(scene: Scene) -> bool:
    return _contains_secret(scene, "../other/bot.py")


@rogue()
def reads_by_way_of_a_link_in_its_folder(scene: Scene) -> bool:
    return _contains_secret(scene, f"{scene.folder}/link-to-the-secret")


@rogue()
def reads_by_way_of_an_open_folder(scene: Scene) -> bool:
    folder = os.open(f"{scene.stage}/bots", os.O_RDONLY | os.O_DIRECTORY)
    return scene.secret.encode() in os.read(os.open("other/bot.py", os.O_RDONLY, dir_fd=folder), 1000)


@rogue()
def reads_a_file_it_inherited(scene: Scene) -> bool:
    return scene.secret.encode() in os.pread(scene.inherited, 1000, 0)


@rogue()
def lists_the_bots(scene: Scene) -> bool:
    return "other" in os.listdir(f"{scene.stage}/bots")


@rogue()
def lists_home(scene: Scene) -> bool:
    return "key" in os.listdir(f"{scene.stage}/home")


@rogue()
def reads_the_systems_users(_: Scene) -> bool:
    return "root:" in text("/etc/passwd")


@rogue(root_only=True)
def reads_the_systems_passwords(_: Scene) -> bool:
    return "root:" in text("/etc/shadow")


@rogue(known_under_c=True)
def sees_that_a_file_is_there(scene: Scene) -> bool:
    return os.stat(f"{scene.stage}/home/key").st_size > 0


@rogue()
def reads_the_referees_command(scene: Scene) -> bool:
    return len(text(f"/proc/{scene.referee}/cmdline")) > 0


@rogue()
def reads_the_referees_environment(scene: Scene) -> bool:
    return _contains_secret(scene, f"/proc/{scene.referee}/environ")


@rogue()
def reads_the_referees_files(scene: Scene) -> bool:
    return len(os.listdir(f"/proc/{scene.referee}/fd")) > 0


@rogue()
def reads_the_referees_memory_map(scene: Scene) -> bool:
    return "heap" in text(f"/proc/{scene.referee}/maps")


@rogue()
def lists_the_processes(_: Scene) -> bool:
    return any(name.isdigit() for name in os.listdir("/proc"))


@rogue()
def reads_the_machines_mounts(_: Scene) -> bool:
    return len(text("/proc/self/mountinfo")) > 0


@rogue()
def reads_the_kernels_settings(_: Scene) -> bool:
    return len(text("/proc/sys/kernel/hostname")) > 0


@rogue()
def reads_the_device_tree(_: Scene) -> bool:
    return len(os.listdir("/sys")) > 0


@rogue()
def opens_the_terminal(_: Scene) -> bool:
    return os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY) >= 0


@rogue()
def opens_an_endless_file(_: Scene) -> bool:
    return len(os.read(os.open("/dev/zero", os.O_RDONLY), 10)) > 0


@rogue()
def names_a_file_by_handle(scene: Scene) -> bool:
    handle = (128).to_bytes(4, "little") + bytes(132)
    return call("name_to_handle_at", -100, f"{scene.stage}/home/key".encode(), handle, bytes(8), 0) == 0


@rogue()
def reads_the_attributes_of_a_file(scene: Scene) -> bool:
    return isinstance(os.listxattr(f"{scene.stage}/open/note"), list)


@rogue()
def watches_the_results(scene: Scene) -> bool:
    watcher = call("inotify_init1", 0)
    return call("inotify_add_watch", watcher, f"{scene.stage}/open".encode(), 0xFFF) >= 0


@rogue()
def changes_into_home(scene: Scene) -> bool:
    os.chdir(f"{scene.stage}/home")
    return scene.secret in Path("key").read_text(encoding="utf-8")
