"""The integer that the compiled core keeps in a register: ``i64`` to mypyc, an ordinary ``int`` to Python.

This module is not compiled, so that the core needs no package of mypyc when it runs. As a parameter, an ``i64`` also takes integers
of other libraries, such as numpy's. It must never stand on the right of ``1 << n``: mypyc makes a shift of 32 bits of it without a
warning.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64
else:
    i64 = int

__all__ = ["i64"]
