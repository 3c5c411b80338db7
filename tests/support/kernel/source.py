"""Modules of the kernel as their source, whether or not they are compiled here, and with a fault in it if a test plants one."""

from types import ModuleType

from support.repository.files import ROOT


def interpreted(name: str, right: str = "", wrong: str = "") -> ModuleType:
    """Return a module of the kernel, in whose source ``wrong`` stands in place of ``right``."""
    path = ROOT / "arena" / "train" / f"{name}.py"
    source = path.read_text(encoding="utf-8")
    assert not right or source.count(right) == 1, f"{right!r} is {source.count(right)} times in {name}"
    made = ModuleType(name)
    exec(compile(source.replace(right, wrong), path, "exec"), made.__dict__)  # noqa: S102 - our own source
    if "melds" in made.__dict__:
        made.__dict__["melds"] = interpreted("melds")
    return made
