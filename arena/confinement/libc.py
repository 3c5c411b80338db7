"""Calls of the C library and of the kernel that Python has no function for, with their errors as OSError."""

import ctypes
import os

_library = ctypes.CDLL(None, use_errno=True)

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


def _c_argument(argument: Argument) -> object:
    """Return an argument in the C library's form: a number as wide as a register, a structure by its address."""
    if isinstance(argument, int):
        return ctypes.c_long(argument)
    if isinstance(argument, ctypes.Structure):
        return ctypes.byref(argument)
    return argument
