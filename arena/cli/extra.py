"""Packages of the extras, which are not always installed."""

from collections.abc import Iterator
from contextlib import contextmanager

from arena import distribution
from arena.errors import InputError


@contextmanager
def needs_web() -> Iterator[None]:
    """Tell how to install what an import in the context did not find. Raises: InputError."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in {"anyio", "markdown_it", "starlette", "uvicorn"}:
            raise InputError(f"{error.name} is not installed; {distribution.install('web')} brings it") from None
        raise
