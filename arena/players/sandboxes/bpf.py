"""A very small assembler for seccomp programs. Source: seccomp(2), Linux's Documentation/networking/filter.rst.

A program is run for each system call: it reads the call's architecture, number and arguments, and returns what becomes of it. An
argument is compared by its lower 32 bits, which is all that the kernel reads of the flags, numbers and commands compared here.
"""

import ctypes
import struct
from collections.abc import Iterable
from typing import NamedTuple

from arena.players.sandboxes.kernel import call

LOAD, AND, JUMP_IF_EQUAL, RETURN = 0x20, 0x54, 0x15, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets into struct seccomp_data
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
SELF = 0x5E1F5E1F  # stands for the process's own number, which only the launcher knows
ALL_BITS = 0xFFFFFFFF
PR_SET_SECCOMP, MODE_FILTER = 22, 2


class Instruction(NamedTuple):
    """One instruction: struct sock_filter."""

    code: int
    if_true: int  # instructions to skip
    if_false: int
    constant: int


class Test(NamedTuple):
    """Whether the bits of an argument under a mask have a value."""

    argument: int  # 0..5
    mask: int
    value: int


Block = tuple[Instruction, ...]


def answer(action: int) -> Block:
    """End the program."""
    return (Instruction(RETURN, 0, 0, action),)


def load(offset: int) -> Block:
    """Put a word of the call before the instructions that follow."""
    return (Instruction(LOAD, 0, 0, offset),)


def if_equal(constant: int, body: Block) -> Block:
    """Run a body of less than 256 instructions if the loaded word is ``constant``."""
    return (Instruction(JUMP_IF_EQUAL, 0, len(body), constant), *body)


def unless_equal(constant: int, body: Block) -> Block:
    """Run a body of less than 256 instructions if the loaded word is not ``constant``."""
    return (Instruction(JUMP_IF_EQUAL, len(body), 0, constant), *body)


def if_any(tests: Iterable[Test], action: int) -> Block:
    """End the program with an action if one test holds."""
    return tuple(
        instruction
        for test in tests
        for instruction in (
            *load(ARGUMENTS + 8 * test.argument),
            Instruction(AND, 0, 0, test.mask),
            *if_equal(test.value, answer(action)),
        )
    )


def assemble(program: Block) -> bytes:
    """Return a program as the kernel takes it."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def install(program: bytes, own_number: int) -> None:
    """Filter every further system call of this process for good. Needs no_new_privs."""
    program = program.replace(struct.pack("=I", SELF), struct.pack("=I", own_number))
    call("prctl", PR_SET_SECCOMP, MODE_FILTER, _Program(len(program) // 8, program), 0, 0)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))
