"""The events of a league. They are stored in the chain of the records and never change.

An event records what was decided, not how it was computed: who plays whom follows from the field and the results, but is stored
before the first match is played, so that nothing that happens afterwards changes it. The field, the seasons and the rounds are
computed from the events (:mod:`arena.league.rules.field`, :mod:`arena.league.rules.round_seeds`).
"""

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct, field, json

from arena.errors import MALFORMED, DamagedError
from arena.moments import Moment
from arena.records import Hash
from arena.roster.entrant import NAME_PATTERN, EntrantName, Name

LONGEST_TEXT, LONGEST_TURN = 10_000, 1 << 18  # characters
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]


class Reason(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Why something happened or cannot happen; an empty reason is false.

    The two parts are never joined before they are shown, so no page has to find out where the public one ends.
    """

    public: Text = ""  # arena's own words and numbers, or what a person has written for the public
    detail: Text = ""  # for the organiser, and the author whose bot it is: it may quote the bot, an error or the machine

    def __bool__(self) -> bool:
        return bool(self.public or self.detail)

    def __str__(self) -> str:
        """Return both parts."""
        return "; ".join(filter(None, (self.public, self.detail)))


NO_REASON = Reason()


VersionName = Annotated[str, Meta(pattern=NAME_PATTERN.removesuffix(r"\Z") + r"@[1-9][0-9]{0,5}\Z")]  # as ``ann-bot@3``
Counted = Annotated[int, Meta(ge=1, le=1_000_000)]
Turn = Annotated[str, Meta(max_length=LONGEST_TURN)]  # the message to a bot, as it was sent
SideKind = Literal["events", "people"]  # of matches beside the rounds: cups, and rated matches of people
SIDE_KINDS: tuple[SideKind, ...] = get_args(SideKind)
By = Annotated[str, Meta(pattern=rf"^\Z|{NAME_PATTERN}")]  # the name of the person who decided it; empty: a rule did, or a command


class Event(Struct, frozen=True, kw_only=True, tag_field="event", forbid_unknown_fields=True):
    """The base of all events."""

    at: Moment  # wall clock; daily limits and the ends of seasons depend on it, pairings and ratings do not


class Library(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A wheel that a bot imports."""

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")]
    version: Annotated[str, Meta(pattern=r"^[!-~]{1,100}\Z")]
    wheel: Annotated[str, Meta(pattern=r"^[!-.0-~]{1,300}\Z")]  # name of its file
    sha256: Hash  # of that file


class BotEnvironment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The libraries of a bot, as they were chosen when it was submitted."""

    requirements: tuple[Text, ...]  # that its author named
    libraries: tuple[Library, ...]  # the wheels that were chosen
    digest: Hash  # of their unpacked files, and the name of their folder
    files: Hash  # digest of the bot's own files


class Submitted(Event, frozen=True, kw_only=True, tag="submitted"):
    """A bot was handed in; it joins only if it passes its audition."""

    version: VersionName
    author: Name
    digest: Hash  # of its files; with libraries, of its files and the libraries
    entry: Text  # what starts it, in its folder: ``mine.py:Mine`` (a file), ``bot.yaml``, or ``mine.player:Mine`` (a module)
    environment: BotEnvironment | None = None  # None: it has no libraries of its own
    reads_while_playing: bool = False  # whether it opens files while it plays


class Auditioned(Event, frozen=True, kw_only=True, tag="auditioned"):
    """A submitted bot was tested. A bot that failed is no entrant, and the number of its version is used again."""

    version: VersionName
    passed: bool
    reason: Reason = NO_REASON  # why it failed
    turn: Turn = ""  # at which it failed


class Activated(Event, frozen=True, kw_only=True, tag="activated", omit_defaults=True):
    """A version joined: it plays from the next round on, or waits for the next season."""

    version: VersionName
    waits: bool = False  # whether it came after a deadline, and plays from the next season on


class Answered(Event, frozen=True, kw_only=True, tag="answered"):
    """A version was asked for its answers in the league's positions (:mod:`arena.league.positions`)."""

    version: VersionName
    positions: Hash  # of the set
    answers: Annotated[str, Meta(max_length=1 << 18)]  # a word for each position


class TemplateAnswered(Event, frozen=True, kw_only=True, tag="template-answered"):
    """A template of the league, or one that comes with arena, was asked for its answers in the league's positions."""

    template: Text  # as the spec names it; of arena's own the words in a notice, after ``arena: ``
    digest: Hash  # of its files
    positions: Hash  # of the set
    answers: Annotated[str, Meta(max_length=1 << 18)]  # a word for each position


class Suspended(Event, frozen=True, kw_only=True, tag="suspended"):
    """A version plays no more: because of its faults, because its copy is missing or changed, or because an organiser says so."""

    version: VersionName
    reason: Reason
    fixture: Text = ""  # of the last of these faults; empty: it was suspended for another reason
    by: By = ""
    turn: Turn = ""  # at that fault


class Retired(Event, frozen=True, kw_only=True, tag="retired"):
    """A version plays no more, by a person's decision or because a newer version took its place."""

    version: VersionName
    reason: Text = ""
    by: By = ""


class Reinstated(Event, frozen=True, kw_only=True, tag="reinstated"):
    """A version that was suspended, retired or withdrawn plays again."""

    version: VersionName
    reason: Text = ""
    by: By = ""


class Withdrawn(Event, frozen=True, kw_only=True, tag="withdrawn"):
    """The copy, libraries or state of a version are lost: it plays no more, and its matches cannot be replayed."""

    version: VersionName
    reason: Text = ""


class SeasonOpened(Event, frozen=True, kw_only=True, tag="season-opened"):
    """A season began. The commitment covers the seeds of all its rounds (:mod:`arena.league.rules.history`)."""

    season: Counted
    rounds: Counted  # the most that it can have
    commitment: Hash


class SeasonStopped(Event, frozen=True, kw_only=True, tag="season-stopped"):
    """A person decided that a season has no further round. It is closed when its open round is."""

    season: Counted
    reason: Text = ""
    by: By = ""


class SeasonClosed(Event, frozen=True, kw_only=True, tag="season-closed"):
    """A season ended."""

    season: Counted


class Challenged(Event, frozen=True, kw_only=True, tag="challenged"):
    """An author has requested a rated match, which waits until a round takes it (:mod:`arena.league.rules.challenges`)."""

    version: VersionName  # of the author
    opponent: VersionName


class Requested(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A challenge that a round takes."""

    place: Counted  # of the challenge among all events of the league, from 1
    one: VersionName  # of its two versions, the first by name
    other: VersionName


class RoundOpened(Event, frozen=True, kw_only=True, tag="round-opened"):
    """The fixtures of a round were decided."""

    round: Counted  # counted through all seasons
    commitment: Hash  # the SHA-256 of the round's seed
    pairings: tuple[tuple[VersionName, VersionName], ...]
    pairs: Counted  # of legs, for each pairing
    hands: Counted | None = None  # single hands in a leg; None: a leg is a match
    deals: Literal["own"] = "own"  # each pairing has its own deals; the only value, kept because stored rounds have it
    # versions that open files while they play: the legs of their pairs have different deals
    separate_deals: tuple[VersionName, ...] = field(default=(), name="apart")
    coin: bool = False  # whether a coin decides which leg of a pair is played first; false in rounds of older versions
    method: Counted = 1  # of the pairing (:mod:`arena.league.rules.pairing`)
    requested: tuple[Requested, ...] = ()  # challenges that are played after the drawn pairings, a pair of legs each

    @property
    def meetings(self) -> tuple[tuple[VersionName, VersionName], ...]:
        """Return every two versions that meet, by draw or on request."""
        return (*self.pairings, *((one.one, one.other) for one in self.requested))


class RoundClosed(Event, frozen=True, kw_only=True, tag="round-closed"):
    """All fixtures of a round were played, its seed is revealed, and the new states of its bots are in force."""

    round: Counted
    seed: Hash
    learned: tuple[tuple[VersionName, Hash], ...] = ()  # versions whose state has changed, with the digest of the new one


class SideOpened(Event, frozen=True, kw_only=True, tag="side-opened"):
    """Matches beside the rounds were decided (:mod:`arena.league.rules.side_matches`), before their first card."""

    kind: SideKind  # also the folder in which that of its run is
    name: Name  # of that folder; of a person's match its number, counted through all of them
    title: Text
    spec: Text  # its YAML
    rounds: Annotated[int, Meta(ge=0, le=1_000_000)]  # that were closed: the table is that of their results
    # with the digests of their copies; of a cup the best first, of a person's match the person, without a copy, and the bot
    entrants: Annotated[tuple[tuple[EntrantName, Hash], ...], Meta(min_length=2)]
    commitment: Hash  # the SHA-256 of its seed
    method: Counted = 1  # by which they were taken from the table

    @property
    def run(self) -> str:
        """Return the folder of its run, in that of the league."""
        return f"{self.kind}/{self.name}"

    @property
    def person(self) -> str:
        """Return the person who plays; empty: bots alone do."""
        return self.entrants[0][0] if self.kind == "people" else ""

    @property
    def version(self) -> str:
        """Return the version that a person plays against; empty: bots alone play."""
        return self.entrants[1][0] if self.kind == "people" else ""


class SideClosed(Event, frozen=True, kw_only=True, tag="side-closed", omit_defaults=True):
    """Matches beside the rounds were played, their seed is revealed, and the result is known; or they are void.

    No rating of a bot depends on them.
    """

    kind: SideKind
    name: Name
    void: Text = ""  # why a person's match does not count: the server could not play it; empty: it counts
    seed: Hash | None = None  # None: it is void
    places: tuple[tuple[EntrantName, ...], ...] = ()  # the first place first; those in one place share its rank
    points: int = 0  # of a person, net
    adjusted: Annotated[tuple[float, ...], Meta(max_length=1000)] = ()  # the same for each hand, less the luck of its draws
    link: Hash | None = None  # the end of the chain of its run

    @property
    def run(self) -> str:
        """Return the folder of its run, in that of the league."""
        return f"{self.kind}/{self.name}"


AnyEvent = (
    Submitted
    | Auditioned
    | Activated
    | Answered
    | TemplateAnswered
    | Suspended
    | Retired
    | Reinstated
    | Withdrawn
    | SeasonOpened
    | SeasonStopped
    | SeasonClosed
    | Challenged
    | RoundOpened
    | RoundClosed
    | SideOpened
    | SideClosed
)
_DECODER: json.Decoder[AnyEvent] = json.Decoder(AnyEvent)


def bot_name(version: str) -> str:
    """Return the name of a version's bot: ``ann-bot`` of ``ann-bot@3``."""
    return version.rpartition("@")[0]


def encode(event: Event) -> str:
    """Return an event as JSON. Raises: DamagedError, if it could not be read back, as a text that is too long."""
    text = json.encode(event).decode()
    decode(text)
    return text


def decode(text: str) -> AnyEvent:
    """Return the event in a JSON text. Raises: DamagedError."""
    try:
        return _DECODER.decode(text)
    except MALFORMED as error:
        raise DamagedError(f"event: {' '.join(str(error).split())}") from None
