"""Distributions of strangers, written as an installer leaves them: modules, and a folder of metadata beside them."""

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path

DUO = {  # a bot in a package that needs another package, and a module, of its distribution
    "duo/__init__.py": "",
    "duo/player.py": """
import duo_tables
from arena.sdk import Bot
from duo_more import SIZE

class Duo(Bot):
    assert duo_tables.SIZE == SIZE
""",
    "duo_more/__init__.py": "SIZE = 4\n",
    "duo_tables.py": "SIZE = 4\n",
}
DUO_POINTS = "[arena.bots]\nduo = duo.player:Duo\n"


def install(site: Path, name: str, modules: Mapping[str, str], entry_points: str, version: str = "1.2", requires: str = "") -> None:
    """Lay a distribution into a folder that is, or will be, on the path of imports."""
    for module, text in modules.items():
        path = site / module
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    required = f"Requires-Dist: {requires}\n" if requires else ""
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{required}")
    (info / "entry_points.txt").write_text(entry_points)


def row(path: str, text: str) -> str:
    """Return the row of a file in a RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
    return f"{path},sha256={digest},{len(text)}\n"


def install_wheel(site: Path, name: str, modules: Mapping[str, str], points: str, rows: str = "", requires: str = "") -> None:
    """Lay a distribution into a folder as pip does: with a RECORD, which also contains ``rows``."""
    install(site, name, modules, points)
    info = site / f"{name}-1.2.dist-info"
    with (info / "METADATA").open("a") as metadata:
        metadata.write(requires)
    metadata_row = row(f"{info.name}/METADATA", (info / "METADATA").read_text())
    (info / "RECORD").write_text("".join(row(path, text) for path, text in modules.items()) + metadata_row + rows)
