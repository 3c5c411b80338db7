"""Moments and durations as people write them."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated

from msgspec import Meta

from arena.errors import InputError

Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")]  # UTC; moments sort as texts
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def now() -> Moment:
    """Return the present moment."""
    return _moment(datetime.now(UTC))


def duration(text: str) -> timedelta:
    """Return the duration in a text, as 10m. Raises: InputError."""
    found = re.fullmatch(r"([0-9]{1,6})([smhdw])", text)
    if not found or not int(found[1]):
        raise InputError(f"found {text!r}; expected a duration as 90s, 10m, 12h, 1d or 2w")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


FIRST: Moment = "0001-01-01T00:00:00Z"  # the earliest that a datetime can hold


def moment(text: str, before: Moment | None = None) -> Moment:
    """Return the moment that a text means: a date or a moment, in UTC if it names no zone, or a duration back from ``before``.

    ``before``: None: a duration is an error. Raises: InputError.
    """
    if before is not None:
        with suppress(InputError):
            span = duration(text)
            try:
                return _moment(datetime.fromisoformat(before) - span)
            except OverflowError:
                return FIRST
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"found {text!r}; expected a duration as 12h or 1d, or a date as 2026-01-31") from None
    try:
        return _moment(found if found.tzinfo else found.replace(tzinfo=UTC))
    except OverflowError:
        raise InputError(f"found {text!r}, which lies outside the years 1 to 9999 in UTC") from None


def later(at: Moment, by: timedelta) -> Moment:
    """Return a moment after another. Raises: InputError, if it lies after the year 9999."""
    try:
        return _moment(datetime.fromisoformat(at) + by)
    except OverflowError:
        raise InputError(f"found a duration of {by.days} days; expected one that ends before the year 10000") from None


def _moment(found: datetime) -> Moment:
    return f"{found.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"  # strftime writes the year 1 as 1
