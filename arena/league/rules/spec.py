"""The spec of a league: a YAML file like that of a tournament, with the terms of the league in place of bots, format and seed."""

from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import fields

from arena.confinement.profiles import Sandbox
from arena.gin.rules import Rules
from arena.league.rules.aims import Aim, Level
from arena.league.rules.challenges import ChallengeTerms
from arena.league.rules.field import FieldLimits
from arena.league.rules.history import SuspensionRule
from arena.league.rules.likeness import LikenessRule
from arena.league.rules.pairing import PairingPolicy
from arena.league.rules.ratings import Anchor, RatingTerms, VersionTerms
from arena.league.rules.seasons import Deadlines, SeasonTerms
from arena.league.rules.side_matches import PeopleTerms
from arena.limits import FaultCosts, LineLimits, TimeLimits
from arena.reports.base import Renderer
from arena.roster.entrant import StateLimits
from arena.stats.estimate import Rating
from arena.stats.ratings import BradleyTerry, PointsRating
from arena.tournament import conversion, spec_problems
from arena.tournament.spec import (
    DEFAULTS,
    Kinds,
    MistakeError,
    Title,
    any_of,
    check_once,
    convert_fields,
    outline,
    read_document,
    spec_text,
)


class AuditionTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a submission is tested."""

    hands: Annotated[int, Meta(ge=8, le=100_000)] = 60


class SubmissionTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be submitted."""

    archive_mb: Annotated[int, Meta(ge=1, le=1000)] = 100  # of an archive or a wheel, packed, and also unpacked
    libraries_mb: Annotated[int, Meta(ge=0, le=1000)] = 300  # of all libraries that a bot requires, unpacked; 0: it may have none
    # of wheels: an address, or a folder, relative to the league's; None: that of uv's environment variables, else PyPI
    index: Annotated[str, Meta(min_length=1, max_length=1000)] | None = None


class LearningTerms(StateLimits, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of a bot's state, and how long states stay in the league's folder."""

    rounds: Annotated[int, Meta(ge=1, le=1_000_000)] = 50  # the last closed rounds whose states are kept, so they can be replayed


Date = Annotated[str, Meta(min_length=1, max_length=100)]


class LeagueSpec(Struct, frozen=True, kw_only=True):
    """The keys of a league's spec, with their types and defaults."""

    title: Title = "League"
    rules: Rules
    time: TimeLimits = TimeLimits()
    lines: LineLimits = LineLimits()
    faults: FaultCosts = FaultCosts()
    sandbox: Sandbox
    rating: Rating
    versions: VersionTerms = VersionTerms()
    anchors: tuple[Anchor, ...] = ()
    reports: tuple[Renderer, ...]
    aim: Aim = "order"
    level: Level = 0.95  # at which ``run --until-sure`` knows the aim
    pairs: Annotated[int, Meta(ge=1, le=1000)] = 1  # of legs, for each pairing
    hands: Annotated[int, Meta(ge=1, le=100_000)] | None = None  # single hands in a leg; None: a leg is a match
    pairing: PairingPolicy = PairingPolicy()
    limits: FieldLimits = FieldLimits()
    suspension: SuspensionRule = SuspensionRule()
    challenges: ChallengeTerms | None = ChallengeTerms()  # None: authors cannot ask for rated matches
    people: PeopleTerms | None = PeopleTerms()  # None: people cannot play rated matches
    likeness: LikenessRule | None = LikenessRule()  # None: bots are not compared for likeness
    # bots that were handed out, as paths from the spec's folder or names
    templates: tuple[Annotated[str, Meta(min_length=1, max_length=500)], ...] = ()
    opens: Date | None = None  # the date before which no round is played; None: at once
    closes: Date | None = None  # the date, or the duration before a season's end, after which a submission waits; None: never
    season: SeasonTerms = SeasonTerms()
    audition: AuditionTerms = AuditionTerms()
    submissions: SubmissionTerms = SubmissionTerms()
    learning: LearningTerms | None = None  # None: bots keep nothing from round to round
    text: str  # YAML, as it was read

    @property
    def rating_terms(self) -> RatingTerms:
        """Return the terms by which its versions are rated."""
        return RatingTerms(rating=self.rating, versions=self.versions, anchors=self.anchors)

    @property
    def deadlines(self) -> Deadlines:
        """Return its dates."""
        return Deadlines(season=self.season, opens=self.opens, closes=self.closes)


LEAGUE_DEFAULTS = {
    **{key: DEFAULTS[key] for key in ("rules", "sandbox", "reports")},
    "rating": "points",
}


OF_A_TOURNAMENT = {  # keys of a tournament's spec, and why a league has none
    "bots": "authors submit them, by `arena league submit`",
    "format": "each round's pairings follow from the results",
    "seed": "each season has a secret of its own",
}


def load(path: Path, kinds: Kinds) -> LeagueSpec:
    """Return the spec in a file. Raises: SpecError."""
    return parse_league(spec_text(path), kinds, str(path))


def parse_league(text: str, kinds: Kinds, name: str) -> LeagueSpec:
    """Return the spec in a text; ``name`` is the file's, for messages. Raises: SpecError."""

    def make(plain: dict[str, Any], source: conversion.Source) -> LeagueSpec:
        for key, why in OF_A_TOURNAMENT.items():
            if key in plain:
                raise MistakeError(spec_problems.SpecProblem((key,), f"a league has none: {why}; expected the spec of a league"))
        found = LeagueSpec(**convert_fields(plain, _outline(kinds), LEAGUE_DEFAULTS, source, kinds.not_loaded), text=text)
        check_once("templates", list(found.templates))
        check_once("anchors", [anchor.version for anchor in found.anchors])
        found.deadlines.check()
        return found

    return read_document(text, name, make)


def _outline(kinds: Kinds) -> type[Struct]:
    """Return the type of a league's document: the spec, with the tagged union of each kind of part."""
    reports: Any = any_of(kinds.reports)
    parts = {
        "rules": any_of(kinds.rules),
        "sandbox": any_of(kinds.sandboxes),
        "rating": BradleyTerry | PointsRating,
        "reports": tuple[reports, ...],
    }
    known = [field for field in fields(LeagueSpec) if field.name != "text"]
    return outline(*((field.name, parts.get(field.name, field.type), field.default) for field in known))
