"""Distributions of strangers, written as an installer leaves them: modules, and a folder of metadata beside them."""

from collections.abc import Mapping
from pathlib import Path


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


def wheel_files(name: str, modules: Mapping[str, str], entry_points: str, version: str = "1.2") -> dict[str, str]:
    """Return the files of a wheel, by their names in the archive. Source: the binary distribution format, PEP 427."""
    info = f"{name}-{version}.dist-info"
    files = {
        **modules,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": entry_points,
    }
    record = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    return {**files, f"{info}/RECORD": record}
