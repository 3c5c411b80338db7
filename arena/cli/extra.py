"""Packages of the extras, which are not always installed."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from arena import distribution
from arena.errors import InputError

PACKAGES = {"data": {"pyarrow"}, "web": {"anyio", "markdown_it", "starlette", "uvicorn"}}  # of each extra


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Tell how to install what an import in the context did not find. Raises: InputError."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in PACKAGES[extra]:
            raise InputError(f"{error.name} is not installed; {distribution.install(extra)} brings it") from None
        raise


needs_web = partial(needs_extra, "web")
needs_data = partial(needs_extra, "data")
