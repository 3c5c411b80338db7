"""Which core of the engine is in use: its source, or what Cython made of it. Both give the same results."""

from types import FunctionType
from typing import Final, Literal

from arena.gin.melds import deadwood

Core = Literal["compiled", "python"]

CORE: Final[Core] = "python" if isinstance(deadwood, FunctionType) else "compiled"
