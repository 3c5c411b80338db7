"""The seasons of a league: their rounds, and when each begins and ends.

The dates of a league: when it opens, when its seasons end, and from when submissions wait for the next season.

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
from arena.tournament import spec_problems
from arena.tournament.spec import MistakeError
from arena.type_errors import form

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class SeasonTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long a season is, and when it ends."""

    rounds: Annotated[int, Meta(ge=1, le=100_000)] = 1000  # at most
    every: Literal["day", "week"] | None = None  # it ends at that time too; None: only after its rounds, or when a person ends it
    at: Annotated[str, form(rf"^(({'|'.join(DAYS)}) )?([01][0-9]|2[0-3]):[0-5][0-9]\Z", "a time as 18:00 or sunday 18:00")] = (
        "00:00"  # in the zone
    )
    zone: Annotated[str, Meta(max_length=100)] = "UTC"  # as Europe/Berlin: in which ``at`` and the dates of the league are read


class Deadlines(Struct, frozen=True, kw_only=True):
    """The dates of a league; :meth:`check` comes before the other methods."""

    season: SeasonTerms
    opens: str | None = None  # a date; None: at once
    closes: str | None = None  # a date, or a duration before the end of each season; None: never

    def check(self) -> None:
        """Check that all dates can be read and fit together. Raises: MistakeError, with the key of the first that cannot."""
        day, terms = " " in self.season.at, self.season
        try:
            ZoneInfo(terms.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise _mistake("season.zone", f"found the zone {terms.zone!r}; expected a name as Europe/Berlin") from None
        if terms.every and day != (terms.every == "week"):
            form = "a day and a time as sunday 18:00" if terms.every == "week" else "a time as 18:00"
            raise _mistake("season.at", f"found every {terms.every} at {terms.at!r}; expected {form}")
        if not terms.every and terms.at != SeasonTerms().at:
            raise _mistake("season.at", f"found {terms.at!r} without `every`; expected every: day or every: week beside it")
        for key, text in (("opens", self.opens), ("closes", self.closes)):
            try:
                if text and not (key == "closes" and self._before_end()):
                    self._date(text)
            except InputError as error:
                raise _mistake(key, str(error)) from None
        if self._before_end() and not terms.every:
            either = "a date, or season: {every: week, at: sunday 18:00} beside it"
            raise _mistake("closes", f"found {self.closes!r}; expected {either}")

    def opening(self, at: Moment) -> Moment | None:
        """Return when the league opens; None: it is open at the moment ``at``."""
        opens = self._date(self.opens) if self.opens else None
        return opens if opens and opens > at else None

    def is_over(self, opened: Moment, at: Moment) -> bool:
        """Tell whether the season that was opened at ``opened`` has to end by ``at``."""
        end = self.end(opened)
        return end is not None and end <= at

    def end(self, opened: Moment) -> Moment | None:
        """Return the end of the season opened at ``opened``: the first after it and the league's opening; None: no time is set."""
        if not self.season.every:
            return None
        start = self.opening(opened) or opened
        local = datetime.fromisoformat(start).astimezone(ZoneInfo(self.season.zone))
        return next(end for end in map(_moment, self._times(local)) if end > start)

    def closing(self, opened: Moment, at: Moment) -> Moment | None:
        """Return when submissions closed for the season that was opened at ``opened``; None: they are still open at ``at``."""
        if self.closes is None:
            return None
        span, end = self._before_end(), self.end(opened)
        since = moment(self.closes, end) if span and end else self._date(self.closes)
        # a date is a deadline only for the season during which it comes
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
        """Yield the times at which a season may end, in the league's zone, from the day of ``local`` to eight days later."""
        day, _, clock = self.season.at.rpartition(" ")
        hour, minute = map(int, clock.split(":"))
        for ahead in range(9):
            one = (local + timedelta(days=ahead)).replace(hour=hour, minute=minute, second=0, microsecond=0)
            if not day or DAYS[one.weekday()] == day:
                yield one


def _mistake(key: str, what: str) -> MistakeError:
    return MistakeError(spec_problems.SpecProblem(tuple(key.split(".")), what))


def _moment(at: datetime) -> Moment:
    return moment(at.isoformat())
