"""Calls of the Linux kernel that Python does not provide, made through the C library."""

import ctypes
import os

SECCOMP = {"x86_64": 317, "aarch64": 277}
# System calls from number 424 on have the same number on x86-64 and aarch64.
MOUNT_SETATTR = 442
OPENAT2 = 437
LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446

_library = ctypes.CDLL(None, use_errno=True)
_holding_gil = ctypes.PyDLL(None, use_errno=True)

Argument = int | bytes | None | ctypes.Structure | ctypes.Array[ctypes.c_char]


def call(function: str, *arguments: Argument) -> int:
    """Call a function of the C library that returns -1 when it fails. Raises: OSError."""
    result = int(getattr(_library, function)(*(_c_argument(argument) for argument in arguments)))
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def system_call(number: int, *arguments: Argument) -> int:
    """Make a system call for which the C library has no function. Raises: OSError."""
    return call("syscall", number, *arguments)


def fork_call(number: int, *arguments: int) -> None:
    """Make a system call that returns in two processes, holding the interpreter's lock as os.fork does. Raises: OSError.

    The result, a process number in one of the two, is left in no object of Python.
    """
    syscall = _holding_gil["syscall"]
    syscall.restype = None
    ctypes.set_errno(0)
    syscall(*(ctypes.c_long(argument) for argument in (number, *arguments)))
    if error := ctypes.get_errno():
        raise OSError(error, os.strerror(error))


def _c_argument(argument: Argument) -> object:
    """Return an argument in the C library's form: a number as wide as a register, a structure by its address."""
    if isinstance(argument, int):
        return ctypes.c_long(argument)
    if isinstance(argument, ctypes.Structure):
        return ctypes.byref(argument)
    return argument
