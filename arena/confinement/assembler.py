"""A small assembler for seccomp programs.

Source: seccomp(2), Linux's Documentation/networking/filter.rst.

The kernel runs a program for each system call. The program reads the call's architecture, number and arguments, and returns what
the kernel does with it. Flags, numbers and commands are compared by their lower 32 bits, because the kernel uses no others;
pointers by all 64.
"""

import ctypes
import struct
from collections.abc import Iterable
from typing import NamedTuple

from arena.confinement.libc import call, system_call
from arena.confinement.syscalls import NUMBERS_HERE

LOAD, AND, JUMP_IF_EQUAL, RETURN = 0x20, 0x54, 0x15, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets into struct seccomp_data
ALLOW, ERRNO, KILL, NOTIFY = 0x7FFF0000, 0x00050000, 0x80000000, 0x7FC00000
SELF = 0x5E1F5E1F  # a placeholder: ``install`` replaces it by the number of its own process
ALL_BITS = 0xFFFFFFFF
PR_SET_SECCOMP, MODE_FILTER = 22, 2
SET_MODE_FILTER, NEW_LISTENER = 1, 8


class Instruction(NamedTuple):
    """One instruction: struct sock_filter."""

    code: int
    if_true: int  # instructions to skip
    if_false: int
    constant: int


class Test(NamedTuple):
    """A comparison: the bits of an argument under a mask equal a value."""

    argument: int  # 0..5
    mask: int
    value: int


Block = tuple[Instruction, ...]


def return_block(action: int) -> Block:
    """End the program and return ``action`` for the call."""
    return (Instruction(RETURN, 0, 0, action),)


def load(offset: int) -> Block:
    """Load 32 bits of struct seccomp_data for the comparisons that follow."""
    return (Instruction(LOAD, 0, 0, offset),)


def if_equal(constant: int, body: Block) -> Block:
    """Run a body of fewer than 256 instructions if the loaded word is ``constant``."""
    return (Instruction(JUMP_IF_EQUAL, 0, len(body), constant), *body)


def unless_equal(constant: int, body: Block) -> Block:
    """Run a body of fewer than 256 instructions if the loaded word is not ``constant``."""
    return (Instruction(JUMP_IF_EQUAL, len(body), 0, constant), *body)


def if_any(tests: Iterable[Test], action: int) -> Block:
    """End the program with an action if one of the tests is true."""
    return tuple(
        instruction
        for test in tests
        for instruction in (
            *load(ARGUMENTS + 8 * test.argument),
            Instruction(AND, 0, 0, test.mask),
            *if_equal(test.value, return_block(action)),
        )
    )


def assemble(program: Block) -> bytes:
    """Return a program in the kernel's binary form."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def install(program: bytes, own_number: int) -> None:
    """Filter every further system call of this process, permanently. Needs no_new_privs. Raises: OSError."""
    program = program.replace(struct.pack("=I", SELF), struct.pack("=I", own_number))
    call("prctl", PR_SET_SECCOMP, MODE_FILTER, _Program(len(program) // 8, program), 0, 0)


def install_with_listener(program: bytes) -> int:
    """As ``install``, for a program that answers NOTIFY; return the descriptor that receives such calls. Raises: OSError.

    A process can have one such program, so EBUSY means that a container runtime has installed one.
    """
    return system_call(NUMBERS_HERE["seccomp"], SET_MODE_FILTER, NEW_LISTENER, _Program(len(program) // 8, program))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))
