"""What HOSTING.md says to write into files: as far as it can be tested without the programs that read them."""

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import command
from repository import ROOT

PAGE = (ROOT / "arena" / "web" / "HOSTING.md").read_text(encoding="utf-8")
UNIT = re.findall(r"```ini\n(.*?)```", PAGE, re.DOTALL)[0]

SYSTEMD = shutil.which("systemd-analyze") or ""


def options(called: list[str]) -> list[str]:
    return [word for word in called if word.startswith("--")]


def known_options() -> str:
    return subprocess.run(command("serve", "--help"), capture_output=True, text=True, check=True).stdout


def test_the_unit_starts_a_command_that_is_there_and_leaves_the_sandbox_alone() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign] # keys of systemd have capitals
    unit.read_string(UNIT)
    started = shlex.split(unit["Service"]["ExecStart"])
    assert started[1:4] == ["serve", "friday", "--submit"]
    assert [option for option in options(started) if option not in known_options()] == []
    assert not {"RestrictNamespaces", "PrivateUsers", "NoNewPrivileges"} & set(unit["Service"])


@pytest.mark.skipif(not SYSTEMD, reason="systemd is not installed")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    path = tmp_path / "arena.service"
    path.write_text(UNIT.replace("/srv/arena/venv/bin/arena", sys.executable).replace("User=arena\n", ""))
    checked = subprocess.run([SYSTEMD, "verify", str(path)], capture_output=True, text=True, check=False)
    assert [line for line in checked.stderr.splitlines() if "arena.service" in line] == []


def test_the_options_of_the_container_are_there_and_the_proxy_names_our_port() -> None:
    entry = re.findall(r"ENTRYPOINT \[(.*)\]", PAGE)[0]
    words = [word.strip(' "') for word in entry.split(",")]
    assert words[:2] == ["arena", "serve"]
    assert [option for option in options(words) if option not in known_options()] == []
    assert PAGE.count("127.0.0.1:8000") == 2
    assert "[default: 8000;" in known_options()
