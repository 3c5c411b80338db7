"""The Linux kernel's calls that Python does not offer, by way of the C library."""

import ctypes
import os

# The same on x86-64 and aarch64: system calls share their numbers from 424 on.
MOUNT_SETATTR = 442
LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446

_library = ctypes.CDLL(None, use_errno=True)

Argument = int | bytes | None | ctypes.Structure | ctypes.Array[ctypes.c_char]


def call(function: str, *arguments: Argument) -> int:
    """Call a function of the C library that says -1 when it failed. Raises: OSError."""
    found = int(getattr(_library, function)(*(_passed(argument) for argument in arguments)))
    if found == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return found


def system_call(number: int, *arguments: Argument) -> int:
    """Make a system call that the C library has no function for. Raises: OSError."""
    return call("syscall", number, *arguments)


def _passed(argument: Argument) -> object:
    """Return an argument as the C library takes it: a number as wide as a register, a structure by its address."""
    if isinstance(argument, int):
        return ctypes.c_long(argument)
    if isinstance(argument, ctypes.Structure):
        return ctypes.byref(argument)
    return argument
