"""The field of a league, every version of every bot, as a fold over its events.

A bot has versions, ``ann-bot@1``, ``ann-bot@2`` and so on, and each is an entrant with results of its own. A new version
follows the one before it, its predecessor, which is retired in the same transaction but may be reinstated and play beside it.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import DamagedError
from arena.league.events import (
    Activated,
    AnyEvent,
    Auditioned,
    BotEnvironment,
    Moment,
    Reinstated,
    Retired,
    RoundOpened,
    Submitted,
    Suspended,
)

VersionState = Literal["submitted", "active", "suspended", "retired"]


class Version(Struct, frozen=True, kw_only=True):
    """A version of a bot."""

    id: str  # the entrant's name, as ``ann-bot@3``
    author: str
    digest: str
    entry: str
    environment: BotEnvironment | None = None  # its libraries
    state: VersionState = "submitted"
    since: Moment  # when the state began
    reason: str = ""  # of a suspension or a retirement
    predecessor: str | None = None  # the version before it; None: it is the first
    joined: int = 1  # the first round after it was last activated or reinstated

    @property
    def name(self) -> str:
        """Return the bot's name."""
        return self.id.rpartition("@")[0]

    @property
    def number(self) -> int:
        """Return the number of the version, from 1."""
        return int(self.id.rpartition("@")[2])


class Refusal(Struct, frozen=True, kw_only=True):
    """A submission that failed its audition."""

    version: Version  # as it would have been called
    at: Moment
    reason: str


class LeagueField(Struct, frozen=True, kw_only=True):
    """The versions in the order in which they were submitted, and what was refused."""

    versions: tuple[Version, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    opened: int = 0  # the number of the last round that was opened

    @property
    def active(self) -> tuple[Version, ...]:
        """Return the versions that play."""
        return tuple(version for version in self.versions if version.state == "active")

    def version(self, id: str) -> Version:  # noqa: A002 - the name of the value
        """Return a version. Raises: DamagedError, if there is none."""
        for version in self.versions:
            if version.id == id:
                return version
        raise DamagedError(f"event: version {id!r} was never submitted")

    def of(self, name: str) -> tuple[Version, ...]:
        """Return the versions of a bot, the first one first; empty: there is no such bot."""
        beginning = f"{name}@"
        return tuple(version for version in self.versions if version.id.startswith(beginning))

    def by(self, author: str) -> tuple[Version, ...]:
        """Return the active versions of an author."""
        return tuple(version for version in self.active if version.author == author)

    def after(self, event: AnyEvent) -> "LeagueField":
        """Return the field after an event. Raises: DamagedError, for an event that cannot follow."""
        field = self
        match event:
            case Submitted():
                field = self._with_submission(event)
            case Auditioned(passed=False):
                field = self._without_refused(event)
            case Activated() | Reinstated():
                field = self._with(event.version, state="active", since=event.at, reason="", joined=self.opened + 1)
            case Suspended():
                field = self._with(event.version, state="suspended", since=event.at, reason=event.reason)
            case Retired():
                field = self._with(event.version, state="retired", since=event.at, reason=event.reason)
            case RoundOpened():
                field = replace(self, opened=event.round)
        return field

    def _with_submission(self, event: Submitted) -> "LeagueField":
        name = event.version.rpartition("@")[0]
        earlier = self.of(name)
        if event.version != f"{name}@{len(earlier) + 1}":
            raise DamagedError(f"event: {event.version!r} was submitted; expected {name}@{len(earlier) + 1}")
        version = Version(
            id=event.version,
            author=event.author,
            digest=event.digest,
            entry=event.entry,
            environment=event.environment,
            since=event.at,
            predecessor=earlier[-1].id if earlier else None,
        )
        return replace(self, versions=(*self.versions, version))

    def _without_refused(self, event: Auditioned) -> "LeagueField":
        refused = self.version(event.version)
        left = tuple(version for version in self.versions if version != refused)
        return replace(self, versions=left, refusals=(*self.refusals, Refusal(version=refused, at=event.at, reason=event.reason)))

    def _with(self, changed: str, **values: object) -> "LeagueField":
        version = self.version(changed)
        place = self.versions.index(version)
        return replace(self, versions=(*self.versions[:place], replace(version, **values), *self.versions[place + 1 :]))


def fold(events: Iterable[AnyEvent]) -> LeagueField:
    """Return the field after the events. Raises: DamagedError, for events that cannot follow each other."""
    field = LeagueField()
    for event in events:
        field = field.after(event)
    return field
