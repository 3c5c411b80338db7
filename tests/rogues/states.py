"""Rogues that abuse a state folder; without a grant they have none, and fail as well."""

import os
import socket
import stat
from pathlib import Path

from rogues.rogue import Scene, rogue, text


@rogue()
def reads_what_another_bot_has_learned(scene: Scene) -> bool:
    return scene.secret in text(f"{scene.stage}/results/states/other")


@rogue()
def links_its_state_to_a_secret(scene: Scene) -> None:
    os.symlink(f"{scene.stage}/home/key", f"{scene.state}/link")


@rogue()
def gives_a_file_a_second_name_in_its_state(scene: Scene) -> None:
    Path(scene.state, "one").touch()
    os.link(f"{scene.state}/one", f"{scene.state}/other")


@rogue()
def links_its_state_to_a_file_of_its_folder(scene: Scene) -> None:
    os.link(f"{scene.folder}/bait", f"{scene.state}/bait")


@rogue()
def leaves_a_pipe_in_its_state(scene: Scene) -> None:
    os.mkfifo(f"{scene.state}/pipe")


@rogue()
def leaves_a_socket_in_its_state(scene: Scene) -> None:
    socket.socket(socket.AF_UNIX).bind(f"{scene.state}/socket")


@rogue()
def leaves_a_device_in_its_state(scene: Scene) -> None:
    os.mknod(f"{scene.state}/device", stat.S_IFCHR | 0o666, os.makedev(0, 0))  # the one device that needs no privilege


@rogue()
def fills_more_than_its_state_may_hold(scene: Scene) -> bool:
    return sum(Path(scene.state, str(number)).write_bytes(bytes(1 << 20)) for number in range(3)) == 3 << 20


@rogue()
def makes_more_files_than_its_state_may_hold(scene: Scene) -> None:
    for number in range(200):
        Path(scene.state, str(number)).touch()


@rogue()
def makes_a_hole_of_a_gigabyte_in_its_state(scene: Scene) -> None:
    with Path(scene.state, "hole").open("wb") as file:
        file.truncate(1 << 30)


@rogue()
def writes_beside_its_state(scene: Scene) -> bool:
    return Path(scene.state, "../beside").write_text("x", encoding="ascii") == 1


@rogue()
def moves_a_file_out_of_its_state(scene: Scene) -> None:
    Path(scene.state, "one").touch()
    Path(scene.state, "one").rename(f"{scene.stage}/open/one")


@rogue()
def moves_a_file_into_its_state(scene: Scene) -> None:
    Path(scene.folder, "bait").rename(f"{scene.state}/bait")


@rogue()
def changes_a_mode_in_its_state(scene: Scene) -> None:
    Path(scene.state, "one").touch()
    Path(scene.state, "one").chmod(0o777)


@rogue()
def dates_a_file_in_its_state(scene: Scene) -> None:
    Path(scene.state, "one").touch()
    os.utime(f"{scene.state}/one", (1, 1))


@rogue()
def runs_a_program_from_its_state(scene: Scene) -> bool:
    program = os.open(f"{scene.state}/program", os.O_WRONLY | os.O_CREAT, 0o777)
    os.write(program, b"#!/bin/sh\nexit 0\n")
    os.close(program)
    return os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(f"{scene.state}/program", ["program"], {}), 0)[1]) == 0


@rogue()
def reaches_the_state_through_the_harness(scene: Scene) -> bool:
    return any(Path(f"/proc/{scene.referee}/fd/{number}").exists() for number in range(64))
