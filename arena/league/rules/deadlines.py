"""When a league opens, when its seasons begin, and which submissions wait for the next one: by its spec and the clock.

What follows from the clock is stored as an event before anything depends on it, so ``arena verify`` needs no clock.
"""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Meta, Struct

from arena.errors import InputError
from arena.moments import Moment, duration, moment

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class SeasonTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long a season is, and when the next one begins."""

    rounds: Annotated[int, Meta(ge=1, le=100_000)] = 1000  # at most
    every: Literal["day", "week"] | None = None  # None: a season ends by its rounds, or when a person says so
    at: Annotated[str, Meta(pattern=rf"^(({'|'.join(DAYS)}) )?([01][0-9]|2[0-3]):[0-5][0-9]\Z")] = (
        "00:00"  # as sunday 18:00, in the zone
    )
    zone: Annotated[str, Meta(max_length=100)] = "UTC"  # as Europe/Berlin: in which ``at`` and the dates of the league are read


class Deadlines(Struct, frozen=True, kw_only=True):
    """The dates of a league. Raises: InputError, by :meth:`check`, for dates that mean nothing."""

    season: SeasonTerms
    opens: str | None = None  # a date; None: at once
    closes: str | None = None  # a date, or a duration before the end of each season; None: never

    def check(self) -> None:
        """Check that all dates can be read. Raises: InputError."""
        day, terms = " " in self.season.at, self.season
        try:
            ZoneInfo(terms.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise InputError(f"season: found the zone {terms.zone!r}; expected a name as Europe/Berlin") from None
        if terms.every and day != (terms.every == "week"):
            raise InputError(f"season: found every {terms.every} at {terms.at!r}; expected {_expected(terms)}")
        if self._before_end() and not terms.every:
            raise InputError(
                f"closes: found {self.closes!r}; expected a date, or season: {{every: week, at: sunday 18:00}} beside it"
            )
        for text in filter(None, (self.opens, None if self._before_end() else self.closes)):
            self._date(text)

    def opening(self, at: Moment) -> Moment | None:
        """Return when the league opens, if that is after a moment."""
        opens = self._date(self.opens) if self.opens else None
        return opens if opens and opens > at else None

    def is_over(self, opened: Moment, at: Moment) -> bool:
        """Tell whether the season that opened at a moment has to end by another."""
        end = self.end(opened)
        return end is not None and end <= at

    def end(self, opened: Moment) -> Moment | None:
        """Return when the season that opened at a moment, or later with the league, ends; None: at no given time."""
        if not self.season.every:
            return None
        local = datetime.fromisoformat(self.opening(opened) or opened).astimezone(ZoneInfo(self.season.zone))
        return next(_moment(one) for one in self._times(local) if one > local)

    def closed(self, opened: Moment, at: Moment) -> Moment | None:
        """Return when submissions for the season that opened at a moment were closed; None: they are taken at the other."""
        if self.closes is None:
            return None
        span, end = self._before_end(), self.end(opened)
        since = moment(self.closes, end) if span and end else self._date(self.closes)
        return since if since <= at and (span or opened < since) else None

    def words(self, at: Moment) -> str:
        """Return a moment with its time in the league's zone."""
        local = datetime.fromisoformat(at).astimezone(ZoneInfo(self.season.zone))
        return at if self.season.zone == "UTC" else f"{at} ({local:%A %H:%M} in {self.season.zone})"

    def _before_end(self) -> timedelta | None:
        return duration(self.closes) if self.closes and re.fullmatch(r"[0-9]+[a-z]", self.closes) else None

    def _date(self, text: str) -> Moment:
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            raise InputError(f"found the date {text!r}; expected one as 2026-09-30 18:00") from None
        return _moment(found if found.tzinfo else found.replace(tzinfo=ZoneInfo(self.season.zone)))

    def _times(self, local: datetime) -> Iterable[datetime]:
        """Yield the times of a week from a day on at which a season may begin, by the clock on the wall."""
        day, _, clock = self.season.at.rpartition(" ")
        hour, minute = map(int, clock.split(":"))
        for ahead in range(9):
            one = (local + timedelta(days=ahead)).replace(hour=hour, minute=minute, second=0, microsecond=0)
            if not day or DAYS[one.weekday()] == day:
                yield one


def _expected(terms: SeasonTerms) -> str:
    return "a day and a time as sunday 18:00" if terms.every == "week" else "a time as 18:00"


def _moment(at: datetime) -> Moment:
    return moment(at.isoformat(), "")
