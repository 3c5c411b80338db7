"""The field of a league, every version of every bot, as a fold over its events, and which events may follow.

``LeagueField.apply`` decides whether an event is possible, for the commands that store it and for ``arena verify``.

A bot has versions, ``ann-bot@1``, ``ann-bot@2`` and so on, and each is an entrant with results of its own. A new version replaces
its predecessor, the version before it. The predecessor is retired in the same transaction or, if the new version waits for the next
season, when that season opens. It may be reinstated, and then both play.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.errors import DamagedError, InputError
from arena.league.rules.events import (
    NO_REASON,
    Activated,
    AnyEvent,
    Auditioned,
    BotEnvironment,
    Event,
    Reason,
    Reinstated,
    Retired,
    RoundOpened,
    SeasonOpened,
    Submitted,
    Suspended,
    Withdrawn,
    bot_name,
)
from arena.moments import Moment

VersionState = Literal["submitted", "waiting", "active", "suspended", "retired", "withdrawn"]
ENTERED: tuple[VersionState, ...] = ("active", "waiting")  # of a version that plays, or waits for the next season

# for each event about a version, the states of the version in which it is possible
POSSIBLE: Mapping[type[Event], tuple[VersionState, ...]] = {
    Activated: ("submitted",),
    Suspended: ENTERED,
    Retired: ("active", "waiting", "suspended"),
    Reinstated: ("suspended", "retired", "withdrawn"),
    Withdrawn: ("active", "waiting", "suspended", "retired"),
}


class FieldLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many versions may be active or waiting."""

    active: Annotated[int, Meta(ge=2, le=1000)] = 250  # of all authors
    per_author: Annotated[int, Meta(ge=1, le=250)] = 3


class Version(Struct, frozen=True, kw_only=True):
    """A version of a bot."""

    id: str  # the entrant's name, as ``ann-bot@3``
    author: str
    digest: str
    entry: str
    environment: BotEnvironment | None = None  # its libraries
    reads_while_playing: bool = False  # whether it opens files while it plays, and so is never sealed
    state: VersionState = "submitted"
    since: Moment  # when the state began
    reason: Reason = NO_REASON  # of a suspension, a retirement or a withdrawal
    predecessor: str | None = None  # the version before it; None: it is the first
    joined: int = 1  # the first round after it was last activated or reinstated

    @property
    def name(self) -> str:
        """Return the bot's name."""
        return bot_name(self.id)

    @property
    def number(self) -> int:
        """Return the number of the version, from 1."""
        return int(self.id.rpartition("@")[2])


class Refusal(Struct, frozen=True, kw_only=True):
    """A submission that failed its audition."""

    version: Version  # as it would have been called
    at: Moment
    reason: Reason
    turn: str = ""  # at which it failed; empty: it failed at none


class LeagueField(Struct, kw_only=True):
    """The versions, and what was refused. ``add`` is for a field that nothing else uses; all other methods leave it as it is."""

    by_id: dict[str, Version] = {}  # in the order in which they were submitted
    refusals: list[Refusal] = []
    opened: int = 0  # the number of the last round that was opened
    late: set[str] = set()  # versions accepted for the next season, whatever their state is now

    @property
    def versions(self) -> tuple[Version, ...]:
        """Return the versions in the order in which they were submitted."""
        return tuple(self.by_id.values())

    @property
    def active(self) -> tuple[Version, ...]:
        """Return the versions that play."""
        return tuple(version for version in self.versions if version.state == "active")

    @property
    def entered(self) -> tuple[Version, ...]:
        """Return the versions that play, or wait for the next season."""
        return tuple(version for version in self.versions if version.state in ENTERED)

    def version(self, id: str) -> Version:  # noqa: A002 - the name of the value
        """Return a version. Raises: DamagedError, if there is none."""
        if id not in self.by_id:
            raise DamagedError(f"event: version {id!r} was never submitted")
        return self.by_id[id]

    def of(self, name: str) -> tuple[Version, ...]:
        """Return the versions of a bot, the first one first; empty: there is no such bot."""
        beginning = f"{name}@"
        return tuple(version for version in self.versions if version.id.startswith(beginning))

    def by(self, author: str) -> tuple[Version, ...]:
        """Return the active versions of an author."""
        return tuple(version for version in self.active if version.author == author)

    def after(self, event: AnyEvent) -> "LeagueField":
        """Return the field after a stored event. Raises: DamagedError, as ``fold``."""
        return fold([event], self)

    def apply(self, event: AnyEvent, limits: FieldLimits) -> "LeagueField":
        """Return the field after a new event.

        Raises: InputError, if the event is not possible: the version is in another state, its name is another author's, or a
        limit of versions that play or wait is reached, not counting those that will be replaced; DamagedError.
        """
        match event:
            case Submitted(version=name, author=author):
                every = self.of(bot_name(name))
                before = every[-1:]
                if before and before[0].author != author:
                    raise InputError(f"the name {before[0].name!r} is that of a bot of {before[0].author}; expected another")
                # a version that replaces a waiting one replaces the active one before it too, when the season opens
                replaced = every if before and before[0].state == "waiting" else before
                self._check_room([version for version in self.entered if version not in replaced], author, limits)
            case Activated() | Suspended() | Retired() | Withdrawn():
                self._check_state(event, event.version)
            case Reinstated():
                self._check_state(event, event.version)
                self._check_room(self.entered, self.version(event.version).author, limits)
        return self.after(event)

    def _check_state(self, event: Event, name: str) -> None:
        version, possible, act = self.version(name), POSSIBLE[type(event)], event.__struct_config__.tag
        if version.state not in possible:
            expected = " or ".join(state for state in possible if state != "waiting")
            raise InputError(f"{name} is {version.state} since {version.since}; expected {expected} to be {act}")

    def _check_room(self, others: Sequence[Version], author: str, limits: FieldLimits) -> None:
        """Raise InputError, if a limit is reached by ``others``, not counting those that one of them replaces later."""
        waiting = {version.name for version in others if version.state == "waiting"}
        replaced = {version.name: version.id for version in others if version.state == "active" and version.name in waiting}
        others = [version for version in others if version.id not in replaced.values()]
        mine = [version.id for version in others if version.author == author]
        bots = "active or waiting bots" if any(version.state == "waiting" for version in others) else "active bots"
        if len(mine) >= limits.per_author:
            raise InputError(
                f"{author} has {len(mine)} {bots}, {', '.join(mine)}; expected less than {limits.per_author}: retire one first"
            )
        if len(others) >= limits.active:
            raise InputError(f"the league has {len(others)} {bots}; expected less than {limits.active}: retire one first")

    def add(self, event: AnyEvent) -> None:
        """Add an event, in constant time unless it opens a season. Raises: DamagedError, as ``fold``."""
        match event:
            case Submitted():
                self._submit(event)
            case Auditioned(passed=False):
                self._refuse(event)
            case Activated() | Reinstated():
                self._join(event)
            case Suspended():
                self._change(event.version, state="suspended", since=event.at, reason=event.reason)
            case Retired():
                self._change(event.version, state="retired", since=event.at, reason=Reason(event.reason))
            case Withdrawn():
                self._change(event.version, state="withdrawn", since=event.at, reason=Reason(event.reason))
            case SeasonOpened():
                self._begin_season(event.at)
            case RoundOpened():
                self.opened = event.round

    def _submit(self, event: Submitted) -> None:
        name, _, number = event.version.rpartition("@")
        before = self.by_id.get(f"{name}@{int(number) - 1}")
        if event.version in self.by_id or (before is None and number != "1"):
            raise DamagedError(f"event: {event.version!r} was submitted; expected {name}@{len(self.of(name)) + 1}")
        self.by_id[event.version] = Version(
            id=event.version,
            author=event.author,
            digest=event.digest,
            entry=event.entry,
            environment=event.environment,
            reads_while_playing=event.reads_while_playing,
            since=event.at,
            predecessor=before.id if before else None,
        )

    def _join(self, event: Activated | Reinstated) -> None:
        """Let a version play, or wait if it was accepted for the next season."""
        if isinstance(event, Activated) and event.waits:
            self.late.add(event.version)
        if event.version in self.late:
            self._change(event.version, state="waiting", since=event.at, reason=NO_REASON)
        else:
            self._change(event.version, state="active", since=event.at, reason=NO_REASON, joined=self.opened + 1)

    def _begin_season(self, at: Moment) -> None:
        """Activate the waiting versions; the first of each bot replaces the last active version of this bot."""
        playing = {one.name: one.id for one in self.by_id.values() if one.state == "active"}
        for version in [one for one in self.by_id.values() if one.state == "waiting"]:
            if before := playing.pop(version.name, None):
                self._change(before, state="retired", since=at, reason=Reason(f"replaced by {version.id}"))
            self._change(version.id, state="active", since=at, joined=self.opened + 1)
        self.late.clear()

    def _refuse(self, event: Auditioned) -> None:
        refused = self.version(event.version)
        del self.by_id[refused.id]
        if refused.predecessor:
            self.version(refused.predecessor)  # raises, if it was refused before
        self.refusals.append(Refusal(version=refused, at=event.at, reason=event.reason, turn=event.turn))

    def _change(self, changed: str, **values: object) -> None:
        self.by_id[changed] = replace(self.version(changed), **values)


EMPTY = LeagueField()


def fold(events: Iterable[AnyEvent], before: LeagueField = EMPTY) -> LeagueField:
    """Return the field after the events; their versions must exist, and ``apply`` checks the rest. Raises: DamagedError."""
    found = LeagueField(by_id=before.by_id.copy(), refusals=before.refusals.copy(), opened=before.opened, late=before.late.copy())
    for event in events:
        found.add(event)
    return found
