"""The audition, which a bot should pass before a tournament: it starts, plays legally, repeats its play, and respects its limits.

Each step yields a finding as soon as it ends; after the first failure no further step runs. Hands are played with the same referee,
process and sandbox as in a tournament, against a partner that makes every phase of the game occur.

A bot without a sandbox that asks a language model says so at its start. Its questions may cost money, so the user is asked before
them; whether it repeats its play is not tested, because a model may answer otherwise.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from statistics import quantiles
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.confinement.evidence import Evidence
from arena.confinement.hints import hint_for
from arena.confinement.profiles import PROFILES, Sandbox
from arena.errors import InputError
from arena.gin.facts import Seat
from arena.gin.match import Phase
from arena.gin.rules import Rules
from arena.limits import FaultCosts, LineLimits, TimeLimits
from arena.players.base import InlinePlayer, LateJoiner, ObservedPlayer, PlayerFaultError, RestartedPlayer, repeating_lost
from arena.players.child import Exit
from arena.players.kept_states import KeptStates
from arena.players.process_player import ProcessPlayer
from arena.players.state import unpack
from arena.protocol import notation
from arena.protocol.codec import encode
from arena.records import Fixture, HandRecord, MatchRecord
from arena.referee.job import Job, JobStates, SeatState, play_between
from arena.reports.fallbacks import can_ask
from arena.reports.numbers import count
from arena.roster.entrant import Launch, StateLimits
from arena.sdk.checks import WARNING
from arena.sdk.model_notes import ASKS
from arena.text import quote
from arena.tournament.preflight import warnings
from arena.tournament.sparring import NAME, partner, patient_partner

SEED = "audition"
LAST_STEP = "sandbox"
END_AT_FAULT = FaultCosts(costs="match")  # end at the first fault, which is the one reported
PROTECTION: dict[str, str] = dict(PROFILES.items())  # PROFILES for look-ups by any text, as ``Assurance.profile`` is
AVOIDABLE = frozenset({Phase.LAST_KNOCK})  # reached only by a player that took the last discard
LATE_HANDS = 12  # hands that a bot joins late, for each phase that its own play has not reached
QUESTIONS, TOKENS = 15, 550  # to a language model: about so many in a hand, and in a question with its reply
PATIENCE_ADVICE = "a language model takes longer: `--time '{stall: 90, wall: 180}'`, with stall above ARENA_BOT_PATIENCE"
LONG_MATCH = 1400  # decisions of one player in the longest measured best-of-five match to 250 points, of 110 hands


class Finding(Struct, frozen=True, kw_only=True):
    """The result of one step."""

    step: str
    passed: bool
    summary: str  # one line
    asks: str = ""  # the language model that the bot asks; "": none
    turn: str = ""  # the turn message at which the bot failed, as it was sent; "": none
    answer: str = ""  # the bot's answer to it
    stderr: str = ""  # the end of the bot's stderr
    advice: tuple[str, ...] = ()
    replay: tuple[str, ...] = ()  # options of `arena debug BOT` that reproduce the failure

    @property
    def ends_audition(self) -> bool:
        """Tell whether a bot has passed all steps with it."""
        return self.passed and self.step == LAST_STEP

    @property
    def warnings(self) -> list[str]:
        """Return the advice on mistakes in the bot's class that do not stop it, but probably change its play."""
        return [line for line in self.advice if line.startswith(WARNING)]


class Expense(Struct, frozen=True):
    """What an audition would cost of a language model."""

    model: str
    hands: int

    @property
    def text(self) -> str:
        """Return the expense, without a full stop."""
        questions = QUESTIONS * self.hands
        tokens = f"{questions * TOKENS:,} tokens"
        return f"the bot asks {self.model} about {questions:,} times in {count(self.hands, 'hand')}, for about {tokens}"


def refuse(expense: Expense) -> None:
    """Raise InputError, because nobody agrees to an expense."""
    raise InputError(f"{expense.text}; expected `arena bots check BOT --yes`")


class Audition(Struct, frozen=True, kw_only=True):
    """The conditions of an audition."""

    launch: Launch
    rules: tuple[Rules, ...]  # the hands are divided among them
    sandbox: Sandbox
    time: TimeLimits
    hands: Annotated[int, Meta(ge=1)] = 200  # in total, without those that the bot joins late or plays again
    seed: str = SEED

    def findings(self, agree: Callable[[Expense], None] = refuse) -> Iterator[Finding]:
        """Yield the result of each step, up to the first failure. Raises: WorkerLostError, SandboxError; what ``agree`` raises.

        ``agree`` is called before the hands of a bot that asks a language model, and raises an error to prevent them.
        """
        model = ""
        trials: list[Trial] = []
        learns = (self._learns,) if self.launch.state else ()
        played = (self._start, self._legal, self._repeats, self._forgets, self._in_time, self._in_memory)
        for step in (*played, *learns, self._sandbox):
            finding = self._untested(step) if model and step in (self._repeats, self._forgets) else step(trials)
            if model and finding.summary.startswith("timeout"):
                finding = replace(finding, advice=(PATIENCE_ADVICE,))
            yield finding
            if not finding.passed:
                return
            if finding.asks:
                model = finding.asks
                agree(Expense(model, self._hands_each * len(self.rules)))

    def _start(self, _: "list[Trial]") -> Finding:
        player = self._player(self.rules[0], 0, self.hands)
        try:
            with repeating_lost():
                player.begin(seat=0, hands=None)
        except PlayerFaultError as fault:
            return self._failure("start", self._evidence(fault.kind, fault.detail, fault.stderr, quote(fault.answer)))
        else:
            warned = warnings(player)
            asks = self._model_in(player.log())
        finally:
            player.close()
        name = f", calls itself {player.ready.bot!r}" if player.ready.bot else ""
        summary = f"ready after {player.start_cpu:.2f} s of processor time{name}{f', asks {asks}' if asks else ''}"
        return Finding(step="start", passed=True, summary=summary, asks=asks, advice=tuple(warned))

    def _legal(self, trials: "list[Trial]") -> Finding:
        """Play hands by every ruleset, and add them to ``trials``."""
        for number, rules in enumerate(self.rules):
            seat = number & 1
            trial = self.play(rules, self._hands_each, seat)
            trials.append(trial)
            if trial.record.faults:
                return self._fault("hands", trial, rules, seat)
        for phase in _missed_phases(trials, AVOIDABLE):
            rules = next((rules for rules in self.rules if rules.stock_out == "last_take"), self.rules[0])
            trials.append(self.play(rules, LATE_HANDS, 0, late=phase))
            if trials[-1].record.faults:
                return self._fault("hands", trials[-1], rules, 0, late=phase)
        met, missed = _phases(trials), _missed_phases(trials, frozenset())
        hands = sum(len(trial.record.hands) for trial in trials)
        unreached = f"; phases never reached: {', '.join(missed)}" if missed else ""
        rulesets = count(len(self.rules), "ruleset")
        summary = f"{hands} hands under {rulesets}, {met.total():,} turns, all answers legal{unreached}"
        return Finding(step="hands", passed=True, summary=summary)

    @property
    def _hands_each(self) -> int:
        """Return the hands under each ruleset."""
        return max(1, self.hands // len(self.rules))

    def _model_in(self, log: str) -> str:
        """Return the model that a bot names in its log; empty: none, or a sandbox would not let it ask one."""
        named = (line.removeprefix(ASKS) for line in log.splitlines() if line.startswith(ASKS))
        return next(named, "") if can_ask(self.sandbox.assurance()) else ""

    def _untested(self, step: object) -> Finding:
        """Return that a step was left out, because the bot asks a model."""
        name = "same play" if step == self._repeats else "restart"
        return Finding(step=name, passed=True, summary="not tested: a language model may answer otherwise; a recording repeats it")

    def _repeats(self, trials: "list[Trial]") -> Finding:
        first = trials[0]
        again = self.play(self.rules[0], len(first.record.hands), 0)
        if again.record.faults:
            return self._fault("same play", again, self.rules[0], 0)
        hand = _first_difference(first.record.hands, again.record.hands)
        if hand is None:
            return Finding(step="same play", passed=True, summary=f"the same seed gave the same {len(first.record.hands)} hands")
        one, other = first.record.hands[hand].actions, again.record.hands[hand].actions
        return Finding(
            step="same play",
            passed=False,
            summary=f"the same seed gave different play in hand {hand}: {_first_change(one, other)}",
            advice=(
                "draw random numbers from the `seed` of hello (in Python: self.random); do not sort by a hash or an address",
                "stop a search after a number of steps, not after a time",
            ),
            replay=self._replay(self.rules[0], hand, 0),
        )

    def _forgets(self, trials: "list[Trial]") -> Finding:
        first = trials[0]
        again = self.play(self.rules[0], len(first.record.hands), 0, restarted=True)
        if again.record.faults:
            return self._fault("restart", again, self.rules[0], 0)
        hand = _first_difference(first.record.hands, again.record.hands)
        if hand is None:
            return Finding(step="restart", passed=True, summary="plays the same when restarted before every hand")
        summary = f"plays hand {hand} differently when restarted before every hand: it remembers hands or earlier random numbers"
        return Finding(step="restart", passed=True, summary=summary)

    def _in_time(self, trials: "list[Trial]") -> Finding:
        costs = [cost for trial in trials for cost in trial.bot.costs]
        mean, slowest = sum(costs) / len(costs), max(costs)
        # quantiles() extrapolates beyond the slowest of few costs
        rare = min(slowest, quantiles(costs, n=100)[-1]) if len(costs) > 1 else slowest
        match = mean * LONG_MATCH
        summary = (
            f"{1e3 * mean:.2f} ms of processor time a turn, 1 in 100 above {1e3 * rare:.1f} ms, {1e3 * slowest:.1f} ms at most;"
            f" limit {self.time.per_turn:g} s; about {match:.1f} s for a long match; limit {self.time.per_match:g} s"
        )
        if match <= self.time.per_match:
            return Finding(step="time", passed=True, summary=summary)
        advice = (
            "use less processor time: `limits.match_cpu` of hello is the limit",
            "or raise the limit: `time: {per_match: N}` in the spec",
        )
        return Finding(step="time", passed=False, summary=summary, advice=advice)

    def _in_memory(self, trials: "list[Trial]") -> Finding:
        ended = [trial.ended for trial in trials if trial.ended]
        peak = max(exit_.peak_kb for exit_ in ended) / 1024
        limit = self.sandbox.wrap(self.launch).memory_mb
        allowed = "" if limit is None else f"; limit {limit} MB, not counting memory mapped by libraries"
        summary = f"{peak:.0f} MB at most{allowed}"
        if all(exit_.code == 0 for exit_ in ended):
            return Finding(step="memory", passed=True, summary=summary)
        unclean = next(exit_ for exit_ in ended if exit_.code != 0)
        advice = (f"after bye it ended with {unclean}; expected it to exit by itself with code 0",)
        return Finding(step="memory", passed=True, summary=summary, advice=advice)

    def _learns(self, _: "list[Trial]") -> Finding:
        """Play hands after which the bot's state is read. A bot need not learn, so only a fault fails this step."""
        assert self.launch.state
        rules = self.rules[0]
        remote = self._player(rules, 0, LATE_HANDS, self.launch.state)
        bot, other = ObservedPlayer(remote), InlinePlayer(partner(self.seed))
        record = play_between((bot, other), _fixture(rules, 0, LATE_HANDS), rules, END_AT_FAULT, self.seed)
        if record.faults:
            return self._fault("learning", Trial(record, bot, remote.ended), rules, 0)
        if remote.learned is None:
            return Finding(step="learning", passed=True, summary=f"its state would not be kept: {remote.unfit}")
        left = unpack(remote.learned, self.launch.state)
        size = sum(len(entry.content or b"") for entry in left)
        summary = f"its state after {LATE_HANDS} hands: {size:,} bytes, entries: {len(left)}"
        return Finding(step="learning", passed=True, summary=summary)

    def _sandbox(self, _: "list[Trial]") -> Finding:
        given = self.sandbox.assurance()
        doubt = "" if given.isolated else "; not proved safe against a malicious bot"
        summary = f"all steps ran under {PROTECTION.get(given.profile, 'no sandbox')}{doubt}"
        return Finding(step=LAST_STEP, passed=True, summary=summary, advice=tuple(f"missing: {layer}" for layer in given.missing))

    def play(self, rules: Rules, hands: int, seat: Seat, *, restarted: bool = False, late: Phase | None = None) -> "Trial":
        """Play hands by ``rules`` with the bot in ``seat``.

        ``restarted``: it is restarted before every hand; ``late``: the phase in which it joins each hand.
        """
        remote = self._player(rules, seat, hands)
        plays = partner(self.seed) if late is None else patient_partner(self.seed)
        bot = LateJoiner(remote, plays, late) if late else RestartedPlayer(remote) if restarted else ObservedPlayer(remote)
        other = InlinePlayer(plays)
        players = (bot, other) if seat == 0 else (other, bot)
        record = play_between(players, _fixture(rules, seat, hands), rules, END_AT_FAULT, self.seed)
        return Trial(record, bot, remote.ended)

    def _player(self, rules: Rules, seat: Seat, hands: int, kept: StateLimits | None = None) -> ProcessPlayer:
        """Return the bot's player; ``kept``: limits within which its state is read at the end."""
        # no folder is used: the state begins empty and is not stored
        states = JobStates(files=KeptStates(Path(), kept), seats=(SeatState(kept=True), SeatState(kept=True))) if kept else None
        job = Job(
            fixture=_fixture(rules, seat, hands),
            launches=(self.launch, self.launch),
            rules=rules,
            sandbox=self.sandbox,
            time=self.time,
            lines=LineLimits(),
            faults=END_AT_FAULT,
            seed=self.seed,
            states=states,
        )
        return job.player(seat)

    def _fault(self, step: str, trial: "Trial", rules: Rules, seat: Seat, late: Phase | None = None) -> Finding:
        fault = trial.record.faults[0]
        view = trial.bot.view
        turn = encode(notation.turn(view)).decode().strip() if view and view.game == fault.game else ""
        clause = f" ({fault.clause})" if fault.clause else ""
        summary = f"{rules.name}, hand {fault.game}: {fault.detail}{clause}"
        replay = (*self._replay(rules, fault.game, seat), *(("--from", late.value) if late else ()))
        return self._failure(step, self._evidence(fault.kind, summary, fault.stderr, fault.answer), turn=turn, replay=replay)

    def _evidence(self, fault: str, detail: str, stderr: str, answer: str) -> Evidence:
        return Evidence(launch=self.launch, fault=fault, detail=detail, stderr=stderr, answer=answer)

    def _failure(self, step: str, seen: Evidence, *, turn: str = "", replay: tuple[str, ...] = ()) -> Finding:
        hint = hint_for(seen)
        return Finding(
            step=step,
            passed=False,
            summary=f"{seen.fault}: {seen.detail}",
            turn=turn,
            answer=seen.answer,
            stderr=seen.stderr,
            advice=(f"the bot {hint.cause}", hint.advice) if hint else (),
            replay=replay,
        )

    def _replay(self, rules: Rules, hand: int, seat: Seat) -> tuple[str, ...]:
        options = ("--against", NAME, "--rules", rules.text, "--hand", str(hand), "--seed", self.seed)
        time = ("--time", self.time.text) if self.time != TimeLimits() else ()
        return (*options, *(("--seat", "1") if seat else ()), *time)


def _fixture(rules: Rules, seat: Seat, hands: int) -> Fixture:
    seats = ("bot", "partner") if seat == 0 else ("partner", "bot")
    return Fixture(f"audition/{rules.name}", seats, rules.name, hands)


class Trial(Struct, frozen=True):
    """The hands of one step."""

    record: MatchRecord
    bot: ObservedPlayer
    ended: Exit | None


def _phases(trials: "list[Trial]") -> Counter[Phase]:
    return sum((trial.bot.phases for trial in trials), Counter[Phase]())


def _missed_phases(trials: "list[Trial]", ignored: frozenset[Phase]) -> list[Phase]:
    met = _phases(trials)
    return [phase for phase in Phase if phase is not Phase.OVER and phase not in ignored and not met[phase]]


def _first_difference(one: Sequence[HandRecord], other: Sequence[HandRecord]) -> int | None:
    pairs = enumerate(zip(one, other, strict=True))
    return next((number for number, (first, second) in pairs if first.actions != second.actions), None)


def _first_change(one: str, other: str) -> str:
    """Return where two lines of actions differ first."""
    pairs = enumerate(zip_longest(one.split(), other.split(), fillvalue="nothing"), 1)
    number, (first, second) = next((number, both) for number, both in pairs if both[0] != both[1])
    return f"turn {number} was first {first}, then {second}"
