"""The build backend: setuptools, and compiled modules.

The kernel of ``arena.train``, ``KERNEL``, is compiled by Cython wherever there is a C compiler, for editable installs too: Python
finds the compiled modules only as long as the source from which they were made is unchanged (``arena/train/compiled.py``). Where
that fails, the source is installed alone and runs interpreted. ``ARENA_COMPILE=1`` also compiles the core, ``CORE``: each of its
modules is installed twice, as its source and as an extension module of the same name, which Python prefers; what cannot be compiled
then ends the install. With ``ARENA_COMPILE=0`` this is setuptools alone, and the wheel is for any platform. The ``.pxd`` beside a
module has its types. Those of the kernel include files that are written here: what the sources themselves say of the types of
functions, by their annotations, and of the structures of ``arena/train/native.py``.

Every wheel is built from the source alone: what an earlier build has left in ``build`` is removed first, because setuptools would
install it too, old machine code and deleted modules. Its RECORD has the hashes of sources and machine code, which ``arena doctor``
compares with what is installed (``arena/runs/needs.py``).

Only functions are compiled: a module that defines a Struct is never in ``CORE``. tests/gin/test_types.py looks for that, and for
shifts that would have 32 bits.
"""

import ast
import ctypes
import os
import runpy
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - the hooks that this module does not change
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel

SWITCH = "ARENA_COMPILE"
CORE = [f"arena/gin/{name}.py" for name in ("cards", "melds", "moves", "seeing", "shuffling")]
KERNEL = [f"arena/train/{name}.py" for name in ("melds", "kernel", "learned", "simple", "beliefs", "school", "rollouts", "walks")]
DIRECTIVES = {  # of Cython: types come from the .pxd beside a module, and what it includes
    "annotation_typing": False,
    "cdivision": True,  # no division of a negative number
    "language_level": 3,
}
OF_CORE = {"binding": False}  # functions that are called quickly, as those of C; they have no signature
OF_KERNEL = {"infer_types": True}  # integers without a type are those of C, too: nothing there exceeds 64 bits
NUMBERS = {  # the types of native.py, as native.pxd names them
    ctypes.c_uint64: "u64",
    ctypes.c_int64: "i64",
    ctypes.c_int32: "i32",
    ctypes.c_int16: "i16",
    ctypes.c_uint8: "u8",
    ctypes.c_int8: "i8",
    ctypes.c_float: "float",
    ctypes.c_double: "double",
}
ANNOTATIONS = {  # the types of the functions of the kernel, besides structures of native.py
    "Cards": "native.u64",
    "bool": "bint",
    "float": "double",
    "int": "native.i64",
    "None": "void",
    "native.Bits": "native.i64*",
    "native.Decisions": "native.OnePublicDecision*",
    "native.Mask": "native.u8*",
    "native.NetworkArray": "native.OneKernelNetwork*",
}
PAGES = ("README.md", "tournaments/README.md", "results/README.md")  # see arena/runs/manual.py
CYTHON = "cython>=3.1,<4"


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return what building a wheel needs."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *([CYTHON] if asked() else compiling())]


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return what an editable install needs; refuse a compiled one, in which a change of the source would have no effect."""
    if asked():
        raise SystemExit(f"{SWITCH}=1: an editable install runs the source; install without -e, or without {SWITCH}")
    return [*build_meta.get_requires_for_build_editable(config_settings), *compiling()]


def compiling() -> list[str]:
    """Return the requirements for compiling the kernel, where it is compiled because that is possible."""
    return [CYTHON] if os.environ.get(SWITCH, "") == "" and compiler() is None else []


class Wheel(bdist_wheel):
    """A wheel from a clean start, with the compiled modules if they are asked for."""

    def run(self) -> None:
        """Build the wheel."""
        self.get_finalized_command("clean").all = True
        self.run_command("clean")
        modules = [*core_extensions(), *kernel_extensions()] if asked() else kernel_if_possible()
        if modules:
            self.distribution.ext_modules = modules
            self.root_is_pure = False
        super().run()


class Editable(editable_wheel):
    """An editable install, with the compiled kernel beside its source."""

    def run(self) -> None:
        """Build the wheel."""
        self.distribution.ext_modules = kernel_if_possible()
        for old in Path("arena/train").glob("compiled_*"):
            shutil.rmtree(old)
        for one in self.distribution.ext_modules[:1]:
            Path(*one.name.split(".")[:-1]).mkdir()
        super().run()


class Sources(build_py):
    """The sources, and with them the pages that are in no package, and for an sdist this file."""

    def run(self) -> None:
        """Build the sources."""
        super().run()
        for page in () if self.editable_mode else PAGES:
            copy = Path(self.build_lib, "arena", "pages", page)
            self.mkpath(str(copy.parent))
            self.copy_file(page, str(copy))

    def get_source_files(self) -> list[str]:
        """Return the files that an sdist must hold."""
        return [*super().get_source_files(), *PAGES, os.path.relpath(__file__)]


def asked() -> bool:
    """Return whether a compiled core is asked for. Raises: SystemExit, for a value that says neither."""
    value = os.environ.get(SWITCH, "0") or "0"
    if value not in ("0", "1"):
        raise SystemExit(f"{SWITCH}={value}; expected 1, to compile the core, or 0")
    return value == "1"


def core_extensions() -> list[Any]:
    """Return the extension modules of the core. Raises: SystemExit, if there is no compiler."""
    return compiled(CORE, OF_CORE)


def kernel_if_possible() -> list[Any]:
    """Return the extension modules of the kernel, which may fail to compile; none, if nothing can or shall be compiled."""
    if not compiling():
        return []
    try:
        made = kernel_extensions()
    except Exception as error:  # noqa: BLE001 - whatever a version of Cython says: the source runs without it
        sys.stderr.write(f"arena.train will run interpreted: {error!r}\n")
        return []
    for one in made:
        one.optional = True
    return made


def kernel_extensions(build: str = "build") -> list[Any]:
    """Return the extension modules of the kernel; their C goes below ``build``. Raises: SystemExit, if there is no compiler."""
    texts = {"native": structures(runpy.run_path("arena/train/native.py"))}
    texts |= {Path(name).stem: functions(Path(name).read_text(encoding="utf-8")) for name in KERNEL}
    for name, text in texts.items():
        file = Path(build, "cython", f"{name}.pxi")
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:  # else it would be compiled again
            file.write_text(text, encoding="utf-8")
    made = compiled(KERNEL, OF_KERNEL, build)
    folder = runpy.run_path("arena/train/compiled.py")["folder_of"](Path("arena/train"))
    for one in made:
        one.name = ".".join((*folder.parts, one.name.rpartition(".")[2]))
    return made


def structures(native: dict[str, Any]) -> str:
    """Return the numbers and structures of ``native``, the contents of native.py, as Cython declares them.

    The elements of arrays of structures are arrays of one, as ``OneHandState``. These decay to a pointer, so that states[row] is a
    hand that can be changed, in C as in Python.
    """
    numbers = {name: int(value) for name, value in native.items() if name.isupper() and isinstance(value, int | float)}
    lines = ["cdef enum:", *(f"    {name} = {value}" for name, value in numbers.items())]
    for name, value in native.items():
        if hasattr(value, "_fields_"):
            fields = [f"    {type_in_c(kind)} {field}" for field, kind in value._fields_]
            lines += [f"cdef struct {name}:", *fields, f"ctypedef {name}[1] One{name}"]
    return "\n".join(lines) + "\n"


def functions(source: str) -> str:
    """Return the imports and functions of a module of the kernel as Cython declares them; Python calls those with an address."""
    lines = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            lines.append(f"c{ast.unparse(node)}")
        elif isinstance(node, ast.FunctionDef):
            kind, end = ("cpdef", "noexcept") if node.args.args[0].arg == "address" else ("cdef", "noexcept nogil")
            arguments = ", ".join(f"{annotated(one.annotation)} {one.arg}" for one in node.args.args)
            lines.append(f"{kind} {annotated(node.returns)} {node.name}({arguments}) {end}")
    return "\n".join(lines) + "\n"


def annotated(annotation: ast.expr | None) -> str:
    """Return the type of an annotation in C; that of a structure is a pointer to it."""
    assert annotation
    written = ast.unparse(annotation)
    return ANNOTATIONS.get(written, f"{written}*")


def type_in_c(kind: Any, lengths: str = "") -> str:  # noqa: ANN401 - ctypes has no public base class of its types
    """Return a type of ctypes as Cython names it; ``lengths`` are those of the arrays around it, the outermost first."""
    if hasattr(kind, "_length_"):
        return type_in_c(kind._type_, f"{lengths}[{kind._length_}]")
    if hasattr(kind, "contents"):  # a pointer
        return f"{type_in_c(kind._type_)}*"
    return f"{NUMBERS.get(kind, f'One{kind.__name__}')}{lengths}"


def compiled(modules: list[str], more: dict[str, bool], build: str = "build") -> list[Any]:
    """Return modules as extension modules, with more directives for Cython. Raises: SystemExit, if there is no compiler."""
    check_compiler()
    from Cython.Build import cythonize  # noqa: PLC0415 - a requirement of a compiled build alone

    made: list[Any] = cythonize(  # type: ignore[no-untyped-call]
        modules,
        compiler_directives=DIRECTIVES | more,
        build_dir=f"{build}/cython",
        include_path=[".", f"{build}/cython"],
        quiet=True,
    )
    for one in made:
        # a multiplication and an addition in one step would round otherwise than the interpreter does
        one.extra_compile_args = ["-ffp-contract=off", "-g0"] if os.name == "posix" else []
    return made


def check_compiler() -> None:
    """Raise SystemExit if there is no C compiler."""
    if missing := compiler():
        raise SystemExit(f"{SWITCH}=1: C compiler {missing!r} not found on PATH; install it, or install without {SWITCH}")


def compiler() -> str | None:
    """Return the name of the C compiler, if it is not found; None if it is."""
    name = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    return name if os.name == "posix" and not shutil.which(name) else None
