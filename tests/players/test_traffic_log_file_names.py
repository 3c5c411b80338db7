"""Names of files in what a bot writes."""

import json
import sys
from pathlib import Path

import pytest

import arena
from arena.players.shortened_paths import installation, shorten_paths


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ('File "/srv/my bots/mine.py", line 3', 'File "mine.py", line 3'),
        ("/srv/my bots/a/b.py: no", "a/b.py: no"),
        ("/srv/libraries/5f/numpy/core.py", "numpy/core.py"),
        ("/srv/my bots-2/mine.py", "/srv/my bots-2/mine.py"),
        ("/mnt/srv/my bots/mine.py", "/mnt/srv/my bots/mine.py"),
        ("/usr/bin/env /lib/x", "/usr/bin/env /lib/x"),
        (f"{arena.__file__}", "arena/__init__.py"),
    ],
)
def test_a_bots_own_files_are_named_relative_to_its_folder(text: str, short: str) -> None:
    assert shorten_paths(text, ("/srv/my bots", "/srv/libraries/5f")) == short


def test_names_are_shortened_as_the_stack_of_a_bot_out_of_time_has_them() -> None:
    text = r'  File "/srv/\xe9tude \u0142/mine.py", line 3 in draw'
    assert shorten_paths(text, ("/srv/étude ł",)) == '  File "mine.py", line 3 in draw'


@pytest.mark.parametrize("folder", ["/", "/usr"])
def test_a_folder_of_every_machine_is_not_left_out(folder: str) -> None:
    assert shorten_paths("/usr/bin/env /etc/passwd", (folder,)) == "/usr/bin/env /etc/passwd"


def test_pythons_own_files_are_still_known_as_such() -> None:
    shown = shorten_paths(json.__file__, ("/srv",))
    assert shown.endswith(f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/json/__init__.py")
    assert Path(sys.base_prefix) not in installation() or not shown.startswith("/")
