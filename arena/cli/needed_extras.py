"""The extras, which are not always installed."""

from collections.abc import Iterator
from contextlib import contextmanager

from arena import distribution
from arena.errors import InputError


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Turn a failed import of a package of an extra into an error that says how to install it. Raises: InputError."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] not in distribution.PACKAGES:  # else it is a bug
            raise InputError(f"{error.name} is not installed; {distribution.install(extra)} brings it") from None
        raise
