"""Submits a bot to a league: it is copied in, tested in the sandbox, and joins the field in one transaction.

A league may be played meanwhile. The copy and the audition do not touch what is played, and the transaction takes milliseconds; the
next round has the new field. The checks before the audition are repeated in the transaction, because another submission may have
come first. A submission that is killed has changed nothing, and the same command submits again. If the bot is in the league
already and its copy there was lost, the copy is restored.
"""

import getpass
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import InputError, RosterError
from arena.league import leagues
from arena.league.intake import libraries
from arena.league.intake.copies import Intake, copy_in, restore_copy, store_copy
from arena.league.leagues import OpenLeague, add
from arena.league.redaction import redact_paths
from arena.league.rules.consequences import acceptance
from arena.league.rules.events import (
    LONGEST_TEXT,
    LONGEST_TURN,
    NO_REASON,
    Auditioned,
    BotEnvironment,
    Reason,
    Retired,
    Submitted,
    bot_name,
    encode,
)
from arena.league.rules.field import LeagueField, Version
from arena.league.rules.rounds import calendar
from arena.moments import now
from arena.reports.faults import error_line
from arena.roster.entrant import NAME_PATTERN, Entered
from arena.runs.confined_reading import confined_reader
from arena.runs.intake_errors import IntakeError, refusing_errors
from arena.store.witness import SeenLink
from arena.tournament.audition import Audition, Finding

ShowStep = Callable[[Finding], None]  # receives each step of the audition when it is over


class SubmissionOutcome(Struct, frozen=True, kw_only=True):
    """The outcome of a submission."""

    version: Version | None  # None: it was refused
    joined: bool = False  # false with a version: the same bot was in the league already
    replaced: str = ""  # the version whose place it takes
    reason: Reason = NO_REASON  # of a refusal
    error: bool = False  # whether the reason is an error of arena, not of the author
    receipt: SeenLink | None = None  # the last link of the chain after the submission; None: it was refused before it was stored
    closed: str = ""  # when submissions closed for this season; empty: the bot does not wait for the next one


def submit_bot(path: Path, bot: str, author: str | None, name: str | None, report: ShowStep) -> SubmissionOutcome:
    """Submit a bot to the league in a folder.

    Raises: RosterError, InputError; IntakeError, a RosterError, for an unforeseen error of arena before the decision; StoreError,
    SpecError, SandboxError; WorkerLostError, for an error of this machine.
    """
    _check_names(name, author)
    with leagues.open_league(path):  # it is a league
        pass
    with (
        refusing_errors(Path(bot).name, path),
        leagues.open_league(path) as league,
        copy_in(bot, league.bots, league.spec.submissions, league.spec.sandbox) as taken,
    ):
        field = leagues.field(league.store)
        submitted = _submission(taken, field, author, name)
        if known := _same(field, submitted, taken):
            with confined_reader(league.spec.sandbox) as reader:
                restore_copy(taken, known, path, reader)
            return SubmissionOutcome(version=known, receipt=league.store.seen_link())
        field.apply(submitted, league.spec.limits)
        submitted, auditioned = _test(league, field, taken, submitted, report)
    with leagues.open_league(path, write=True) as league:
        return replace(_decide(league, submitted, taken, auditioned), receipt=league.store.seen_link())


def submit_for_author(path: Path, bot: str, author: str | None, name: str | None, report: ShowStep) -> SubmissionOutcome:
    """Submit a bot as :func:`submit`, and return a refusal for an error of its author, or an unforeseen one of arena.

    Raises: StoreError, SpecError, SandboxError, WorkerLostError.
    """
    try:
        return submit_bot(path, bot, author, name, report)
    except (RosterError, InputError) as error:
        return SubmissionOutcome(version=None, reason=_detail(path, str(error)), error=isinstance(error, IntakeError))


def _test(
    league: OpenLeague, field: LeagueField, taken: Intake, submitted: Submitted, report: ShowStep
) -> tuple[Submitted, Auditioned]:
    """Test a bot with its libraries, and store its copy and the libraries if it passes; return the events of both."""
    if not taken.requirements:
        if (auditioned := _audition(league, taken, submitted.version, report)).passed:
            store_copy(taken, submitted.digest, league.bots)
        return submitted, auditioned
    known = [version.environment for version in field.versions if version.environment]
    with libraries.prepare_libraries(taken.requirements, league.libraries, known, league.spec.sandbox) as found:
        environment = BotEnvironment(
            requirements=taken.requirements, libraries=found.libraries, digest=found.digest, files=taken.files
        )
        submitted = replace(submitted, environment=environment, digest=libraries.identity(taken.files, environment))
        with_libraries = replace(taken, entrant=libraries.with_libraries(taken.entrant, found.folder))
        if (auditioned := _audition(league, with_libraries, submitted.version, report)).passed:
            libraries.store_environment(found, league.libraries.folder)
            store_copy(taken, submitted.digest, league.bots)
        return submitted, auditioned


def _submission(taken: Intake, field: LeagueField, author: str | None, name: str | None) -> Submitted:
    """Return the submission of a bot, without its libraries.

    The default name is the bot's own, the default author that of its last version, or the user.
    """
    called = name or taken.name
    earlier = field.of(called)
    by = author or (earlier[-1].author if earlier else _user())
    _check_names(called, by)
    return Submitted(
        at=now(),
        version=_next_version(field, called),
        author=by,
        digest=taken.files,
        entry=taken.entry,
        reads_while_playing=taken.entrant.reads_while_playing,
    )


def _next_version(field: LeagueField, name: str) -> str:
    return f"{name}@{len(field.of(name)) + 1}"


def _check_names(bot: str | None, author: str | None) -> None:
    """Raise InputError for an invalid name of a bot or of an author; None is not checked."""
    for what, name, option in (("bot", bot, "--name"), ("author", author, "--author")):
        if name and not re.match(NAME_PATTERN, name):
            raise InputError(f"the {what} is called {name!r}; expected at most 50 letters, digits and _.-, given by {option}")


def _user() -> str:
    with suppress(OSError, KeyError):  # the user has no name
        return getpass.getuser()
    return "unknown"


def _same(field: LeagueField, submitted: Submitted, taken: Intake) -> Version | None:
    """Return the version that is the same bot; None: there is none. Raises: InputError, if it has another name or author.

    Bots with equal files, requirements and entry are the same; the chosen libraries do not matter.
    """
    name, author = bot_name(submitted.version), submitted.author
    for version in field.versions:
        known = version.environment
        files, requirements = (known.files, known.requirements) if known else (version.digest, ())
        if (files, requirements, version.entry) == (taken.files, taken.requirements, taken.entry):
            if (version.name, version.author) == (name, author):
                return version
            raise InputError(
                f"{name!r} of {author} is the same bot as {version.id} of {version.author}, which is {version.state};"
                " expected a bot of its own"
            )
    return None


def _audition(league: OpenLeague, taken: Intake, version: str, report: ShowStep) -> Auditioned:
    """Test a bot, and return the outcome as an event, which is not stored yet."""

    def failure(detail: str, turn: str = "") -> Auditioned:
        return Auditioned(at=now(), version=version, passed=False, reason=_detail(league.folder.path, detail), turn=turn)

    spec = league.spec
    launch = replace(taken.entrant.launch, state=spec.learning)
    try:
        spec.sandbox.wrap(launch)
    except RosterError as error:
        return failure(str(error))
    trial = Audition(launch=launch, rules=(spec.rules,), sandbox=spec.sandbox, time=spec.time, hands=spec.audition.hands)
    for found in trial.findings():
        finding = replace(found, summary=taken.as_sent(found.summary), stderr=taken.as_sent(found.stderr))
        report(finding)
        if not finding.passed:  # what was found, the bot's own line and its error, and the turn at which it failed
            detail = ": ".join(filter(None, (f"{finding.step}: {finding.summary}", error_line(finding.stderr))))
            return failure(detail, finding.turn[:LONGEST_TURN])
    return Auditioned(at=now(), version=version, passed=True)


def _detail(league: Path, text: str) -> Reason:
    """Return the reason of a refusal; none of it is public."""
    return Reason(detail=redact_paths(league, text)[:LONGEST_TEXT])


def _decide(league: OpenLeague, tested: Submitted, taken: Intake, auditioned: Auditioned) -> SubmissionOutcome:
    """Store the outcome of the audition, if nothing that was stored meanwhile forbids it."""
    with league.store.deciding():
        field = leagues.field(league.store)
        if known := _same(field, tested, taken):
            return SubmissionOutcome(version=known)
        submitted = replace(tested, at=now(), version=_next_version(field, bot_name(tested.version)))
        field.apply(submitted, league.spec.limits)
        if auditioned.passed:
            return _accept(league, field, submitted)
        add(league.store, submitted, replace(auditioned, at=now(), version=submitted.version))
        return SubmissionOutcome(version=None, reason=auditioned.reason)


def _accept(league: OpenLeague, field: LeagueField, submitted: Submitted) -> SubmissionOutcome:
    """Store the events of a bot that joins, and its version as an entrant."""
    name, source = submitted.version, f"bots/{submitted.digest}/{submitted.entry}"
    reads = submitted.reads_while_playing
    entered = Entered(name, name.rpartition("@")[2], source, submitted.digest, reads_while_playing=reads)
    league.store.add_event(encode(submitted), entered)
    season = calendar(leagues.events_of(league.store)).season
    dates = league.spec.deadlines
    closed = dates.closing(season.at, now()) if season else None
    following = acceptance(name, field, now(), waits=closed is not None)
    add(league.store, Auditioned(at=now(), version=name, passed=True), *following)
    replaced = "".join(event.version for event in following if isinstance(event, Retired))
    version = leagues.field(league.store).version(name)
    return SubmissionOutcome(version=version, joined=True, replaced=replaced, closed=dates.words(closed) if closed else "")
