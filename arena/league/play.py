"""Plays a league, round by round, until the caller's rule says to stop.

A round is decided in one transaction, from the events and results before it, and stored before its first match is played. Then
it is played like a tournament, and closed in another transaction with the revealed seed and the suspensions that follow from
it. So after a crash, either a round is open and its remaining matches are played, or none is and the next one is decided from the
same events and results.

Submissions and retirements are stored by other processes meanwhile. They change the next round, never the one that is open.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.disk import make_folder
from arena.errors import StoreError, WorkerLostError
from arena.league import leagues, position_answers, position_making
from arena.league.leagues import STATES, LiveLeague, OpenLeague, add, check_possible, open_season, round_states
from arena.league.notices import Notices
from arena.league.observing import LeagueObserver
from arena.league.pair_cache import read_results_cache
from arena.league.playable import Copies
from arena.league.positions import PositionSet
from arena.league.rules import round_seeds
from arena.league.rules.aims import Certainty, certainty
from arena.league.rules.challenges import Challenges
from arena.league.rules.consequences import decide_pairings, separate_deals
from arena.league.rules.events import (
    Answered,
    Event,
    Reason,
    Requested,
    RoundClosed,
    RoundOpened,
    SeasonClosed,
    Suspended,
    TemplateAnswered,
    Withdrawn,
)
from arena.league.rules.history import suspensions
from arena.league.rules.learning import learn, needed_states, starts
from arena.league.rules.likeness import OWN, LikenessRule, is_suspicious
from arena.league.rules.meetings import Pairing
from arena.league.rules.pairing import METHOD
from arena.league.rules.table_making import make_table
from arena.league.templates import own_templates
from arena.moments import now
from arena.players.kept_states import EMPTY_DIGEST, KeptStates
from arena.records import MatchRecord, left_states, result
from arena.roster.entrant import Launch
from arena.runs.logs import logging_to
from arena.runs.play import reporting_stop
from arena.runs.runner import Runner, prepare
from arena.runs.starts import sandbox_warnings
from arena.store.folder import Folder
from arena.tournament.plan import Plan
from arena.tournament.seeds import commitment


class StopRule(Struct, frozen=True, kw_only=True):
    """When to stop; default: when fewer than two bots are active."""

    seconds: float | None = None  # of wall-clock time
    matches: int | None = None  # that are played by this call
    rounds: int | None = None  # that are closed by this call, including one that was open before
    sure: bool = False  # when the aim of the league is known at its level


class PlayedLeague(Struct, frozen=True, kw_only=True):
    """The result of a call of ``run``."""

    matches: int
    rounds: int  # that were closed
    certainty: Certainty | None = None  # None: it was not asked for
    alone: bool = False  # whether fewer than two bots are active, no round is open, and the league is open
    opens: str = ""  # when the league opens; empty: it is open
    waiting: tuple[str, ...] = ()  # where ``alone``: versions that play from the next season on
    season_ends: str = ""  # when that is, if its time is set


def play_rounds(
    path: Path, runner: Runner, stop: StopRule, observer: LeagueObserver, log_level: str | None = "INFO"
) -> PlayedLeague:
    """Play the league in a folder until the rule says to stop.

    Raises: BusyError, if another process plays it; RunStoppedError, if the user stops it; StoreError, SpecError, SandboxError,
    WorkerLostError; any exception of a plugin.
    """
    folder = Folder(path)
    with leagues.open_league(path) as league:
        if edited := leagues.spec_difference(league):
            raise StoreError(edited)
    with folder.lock(), leagues.open_league(path, write=True) as league, reporting_stop(folder, league.store):
        assurance = league.spec.sandbox.assurance()
        for text in sandbox_warnings(assurance):
            observer.warning(text)
        check_possible(league.spec, assurance)
        # the records whose results are cached were checked before; `arena verify` checks them again
        for change in league.store.changes(after=read_results_cache(league.folder, league.store).link):
            raise StoreError(f"{path}: {change}; refusing to resume a league that was changed")
        with logging_to(make_folder(path, "logs") / "arena.log", log_level) as log:
            return _Play(league, runner, stop, observer, partial(prepare, log)).play()


class _Play:
    """A league that is being played."""

    def __init__(
        self, league: OpenLeague, runner: Runner, stop: StopRule, observer: LeagueObserver, prepare_worker: Callable[[], None]
    ) -> None:
        self._league = league
        self._runner = runner
        self._stop = stop
        self._observer = observer
        self._prepare = prepare_worker
        self._live = LiveLeague(league.store, league.folder)
        self._notices = Notices(league, runner.plugins)
        self._deadline = None if stop.seconds is None else time.monotonic() + stop.seconds
        self._matches = self._rounds = 0
        self._copies = Copies(league.folder.path, league.spec.sandbox)
        self._positions: PositionSet | None = None  # None: not read yet

    def play(self) -> PlayedLeague:
        """Play until the rule says to stop."""
        self._prune()
        while not self._is_enough() and not self._is_sure() and (opened := self._round()):
            self._notices.pass_on(self._live.history())
            self._play_round(opened)
        self._notices.pass_on(self._live.history())
        deadlines = self._league.spec.deadlines
        opens = deadlines.opening(now())
        alone = self._live.calendar.current is None and len(self._live.field.active) < 2 and not opens
        found = self._certainty() if self._stop.sure else None
        season = self._live.calendar.season
        ends = deadlines.end(season.at) if season else None
        return PlayedLeague(
            matches=self._matches,
            rounds=self._rounds,
            certainty=found,
            alone=alone,
            opens=deadlines.words(opens) if opens else "",
            waiting=tuple(one.id for one in self._live.field.versions if one.state == "waiting") if alone else (),
            season_ends=deadlines.words(ends) if ends else "",
        )

    def _is_enough(self) -> bool:
        stop = self._stop
        late = self._deadline is not None and time.monotonic() >= self._deadline
        played = stop.matches is not None and self._matches >= stop.matches
        return late or played or (stop.rounds is not None and self._rounds >= stop.rounds)

    def _is_sure(self) -> bool:
        """Tell whether the aim is known; never while a round is open."""
        return self._stop.sure and self._live.calendar.current is None and self._certainty().sure

    def _certainty(self) -> Certainty:
        """Return the certainty about the aim after the closed rounds."""
        spec, history = self._league.spec, self._live.history().closed_rounds()
        ranked = make_table(history, spec.rating_terms).ranking
        unranked = [version.id for version in self._live.field.active if version.id not in ranked]
        ranking = [*ranked, *unranked]
        return certainty(self._live.field.versions, ranking, history.played, spec.aim, spec.level, elo=spec.rating_terms.elo)

    def _round(self) -> RoundOpened | None:
        """Return the open round, or decide the next one; None: fewer than two bots are active, or the league is not open yet."""
        with self._league.store.deciding():
            self._live.catch_up()
            self._close_season()
            if self._league.spec.deadlines.opening(now()):
                return self._live.calendar.current
            if self._live.calendar.season is None:
                season = open_season(self._league.folder, self._live.calendar.seasons + 1, self._league.spec.season.rounds)
                self._add(season)
                self._observer.season(season)
            if self._live.calendar.current is None and (opened := self._next_round()):
                self._add(opened)
            return self._live.calendar.current

    def _close_season(self) -> None:
        """Close the season, if no round is open, and the season has had its last round or its time is over."""
        calendar, deadlines = self._live.calendar, self._league.spec.deadlines
        season = calendar.season
        late = season and calendar.current is None and deadlines.is_over(season.at, now())
        if calendar.season_is_over or late:
            self._add(SeasonClosed(at=now(), season=self._live.calendar.seasons))

    def _next_round(self) -> RoundOpened | None:
        """Return the next round: a function of the field and the results so far."""
        spec, number = self._league.spec, self._live.calendar.number
        chosen, requested = self._playable()
        if not chosen:
            return None
        return RoundOpened(
            at=now(),
            round=number,
            commitment=commitment(self._seed()),
            pairings=chosen,
            pairs=spec.pairs,
            hands=spec.hands,
            separate_deals=separate_deals(self._live.field, (*chosen, *((one.one, one.other) for one in requested))),
            coin=True,
            method=METHOD,
            requested=requested,
        )

    def _playable(self) -> tuple[tuple[Pairing, ...], tuple[Requested, ...]]:
        """Return the pairings of the next round, and the challenges that it takes.

        Bots that cannot be played are suspended (retired ones are withdrawn), and the pairings are decided again.
        """
        spec = self._league.spec
        while True:
            live = self._live
            chosen = decide_pairings(live.field, live.history().played, live.calendar.number, spec)
            requested = Challenges(live.events).next(live.field, len(chosen), spec.pairs, spec.challenges)
            asked = {name for one in requested for name in (one.one, one.other)}
            candidates = [version for version in live.field.versions if version.state == "active" or version.id in asked]
            problems = self._copies.problems(candidates, {name for both in chosen for name in both} | asked)
            if not problems:
                return chosen, requested
            for version, reason in problems.items():
                self._stop_playing(version, reason)

    def _stop_playing(self, version: str, reason: Reason) -> None:
        if self._live.field.version(version).state != "active":
            self._add(Withdrawn(at=now(), version=version, reason=reason.public))
            return
        event = Suspended(at=now(), version=version, reason=reason)
        self._add(event)
        self._observer.suspension(event)

    def _seed(self) -> str:
        """Return the seed of the open round, or of the next one. Raises: StoreError, if the season's secret is lost."""
        calendar = self._live.calendar
        assert calendar.season is not None
        secret = leagues.secret(self._league.folder, calendar.season.season)
        if secret is None or round_seeds.commit(secret, calendar.season.rounds) != calendar.season.commitment:
            name = f"season-{calendar.season.season}.secret"
            raise StoreError(f"{self._league.folder.path / name}: missing or changed; it holds the seeds of the season's rounds")
        number = calendar.in_season if calendar.current else calendar.in_season + 1
        return round_seeds.seed(secret, calendar.season.rounds, number)

    def _play_round(self, opened: RoundOpened) -> None:
        """Play the remaining matches of a round, and close it unless the rule stops it before."""
        self._observer.round(opened, len(self._live.remaining()))
        plan, store, live = self._plan(opened), self._league.store, self._live
        self._ask_positions(plan)
        results = list(map(result, self._records_of(opened)))
        played = self._runner.play_and_store(plan, store, self._prepare, lambda: results, self._observer.warning)
        with closing(played) as batches:
            for batch in batches:
                for record in batch:
                    live.add(record)
                    results.append(result(record))
                    self._matches += 1
                    self._observer.record(record)
                if self._is_enough():
                    break
        if not live.remaining():
            self._close(opened)

    def _records_of(self, opened: RoundOpened) -> Iterator[MatchRecord]:
        return self._league.store.records_of(f"r{opened.round}/")

    def _ask_positions(self, plan: Plan) -> None:
        """Ask the versions that were not asked in the league's positions; if two are suspected, arena's own templates, too."""
        spec, is_first = self._league.spec, self._positions is None
        if not spec.likeness:
            return
        known = self._positions = self._positions or position_making.load_or_make(self._league.folder.path, spec.rules)
        asked = self._live.answered
        new = {bot.name: replace(bot.launch, state=spec.learning) for bot in plan.field if asked.get(bot.name) != known.digest}
        for name, found in self._answers(new, known):
            self._decide(Answered(at=now(), version=name, positions=known.digest, answers=found))
        if (new or is_first) and self._is_suspicious(spec.likeness, known):
            bots = own_templates()
            for name, found in self._answers({name: bot.launch for name, bot in bots.items()}, known):
                digest = bots[name].digest
                self._decide(TemplateAnswered(at=now(), template=name, digest=digest, positions=known.digest, answers=found))

    def _is_suspicious(self, rule: LikenessRule, known: PositionSet) -> bool:
        """Tell whether two bots play alike, and arena's own templates were not asked yet."""
        asked = (one for one in self._live.events if isinstance(one, TemplateAnswered) and one.positions == known.digest)
        if any(one.template.startswith(OWN) for one in asked):
            return False
        return is_suspicious(self._live.field.active, self._live.events, rule)

    def _answers(self, launches: Mapping[str, Launch], known: PositionSet) -> Iterator[tuple[str, str]]:
        """Yield the answers of bots by their names; one whose worker is lost is asked again the next time."""
        if not launches:
            return
        jobs = {name: position_answers.asked(name, launch, self._league.spec, known) for name, launch in launches.items()}
        with self._runner.open_pool(self._prepare) as pool:
            futures = [(name, pool.submit(position_answers.answers, job)) for name, job in jobs.items()]
            for name, future in futures:
                with suppress(WorkerLostError):
                    yield name, future.result()

    def _decide(self, event: Event) -> None:
        with self._league.store.deciding():
            self._live.catch_up()
            self._add(event)

    def _plan(self, opened: RoundOpened) -> Plan:
        names = sorted({name for both in opened.meetings for name in both})
        field = tuple(self._copies.entrant(self._live.field.version(name)) for name in names)
        spec = leagues.as_tournament(self._league.spec, field, (opened,), self._league.folder.path)
        states = round_states(self._league.folder.path, self._league.spec.learning, self._live.events, opened)
        if states:
            kept = KeptStates(Path(states.folder), states.limits)
            for name in names:
                kept.state(states.starts.get(name, EMPTY_DIGEST))  # raises, if it is missing or was changed
        return Plan(spec, field, self._seed(), states=states, coin=opened.coin)

    def _close(self, opened: RoundOpened) -> None:
        """Close a round, suspend the bots with too many faults, and close the season after its last round."""
        with self._league.store.deciding():
            self._live.catch_up()
            left = map(left_states, self._records_of(opened)) if self._league.spec.learning else ()
            changed = learn(starts(self._live.events), left)
            self._add(RoundClosed(at=now(), round=opened.round, seed=self._seed(), learned=changed))
            history, rule = self._live.history(), self._league.spec.suspension
            suspended = suspensions(self._live.field.active, history.played, history.faults, rule, now())
            for event in suspended:
                self._add(event)
            self._close_season()
        self._rounds += 1
        self._prune()
        for event in suspended:
            self._observer.suspension(event)

    def _prune(self) -> None:
        """Remove states that are no longer needed, and those of fixtures whose play was ended before their record was stored."""
        if terms := self._league.spec.learning:
            current, needed = self._live.calendar.current, needed_states(self._live.events, terms.rounds)
            left = map(left_states, self._records_of(current)) if current else ()
            open_round = {state for states in left for _, state in states.by_name()}
            KeptStates(self._league.folder.path / STATES, terms).remove_others(needed | open_round)

    def _add(self, event: Event) -> None:
        add(self._league.store, event)
        self._live.catch_up()
