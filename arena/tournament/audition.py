"""What a bot must pass before it is entered: that it starts, obeys, repeats itself, and is content with its time and its walls.

Every step is told as soon as it is over; the first that fails is the last. Hands are played by the same referee, process and
sandbox as in a tournament, against a partner who makes every phase of the game come up.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from statistics import quantiles
from typing import Annotated

from msgspec import Meta, Struct

from arena.gin.deal import Seat
from arena.gin.hand import Phase
from arena.gin.rules import Rules
from arena.players.base import PlayerFault
from arena.players.child import Exit
from arena.players.inline import InlinePlayer
from arena.players.remote import LineLimits, RemotePlayer, TimeLimits
from arena.players.sandboxes.base import Sandbox
from arena.players.sandboxes.clues import clue
from arena.players.sandboxes.walls import WALLS
from arena.players.watched import Forgetful, Late, Watched
from arena.protocol import notation
from arena.protocol.codec import encode, quoted
from arena.records import Fixture, HandRecord, MatchRecord
from arena.referee.faults import FaultCosts
from arena.referee.job import bot_seed, contest
from arena.referee.referee import Referee
from arena.roster.entrant import Launch
from arena.tournament import sparring

SEED = "audition"
AT_ONCE = FaultCosts(costs="match")  # the first fault is what is told
WORDS: dict[str, str] = dict(WALLS.items())
AVOIDABLE = frozenset({Phase.LAST_KNOCK})  # comes to those alone who took the last discard themselves
LATE_HANDS = 12  # that a bot joins late, to meet a phase which its own play never leads to
LONG_MATCH = 1400  # decisions of one player: 110 hands, the longest of best-of-five matches to 250 points that were measured


class Finding(Struct, frozen=True, kw_only=True):
    """What came of one step."""

    step: str
    passed: bool
    told: str  # one line
    turn: str = ""  # the very turn that broke it, as it was sent
    answer: str = ""  # what came back
    stderr: str = ""  # the end of what the bot had to say
    advice: tuple[str, ...] = ()
    replay: tuple[str, ...] = ()  # options of `arena debug BOT` that show it again


class Audition(Struct, frozen=True, kw_only=True):
    """What a bot is tried under."""

    launch: Launch
    rules: tuple[Rules, ...]  # it plays some hands by each
    sandbox: Sandbox
    time: TimeLimits
    hands: Annotated[int, Meta(ge=1)] = 200  # in all
    seed: str = SEED

    def findings(self) -> Iterator[Finding]:
        """Yield what came of each step; after one that failed there is no other. Raises: WorkerLost, SandboxError."""
        trials: list[Trial] = []
        for step in (self._start, self._legal, self._repeats, self._forgets, self._in_time, self._in_memory, self._walled):
            finding = step(trials)
            yield finding
            if not finding.passed:
                return

    # --- the steps

    def _start(self, _: "list[Trial]") -> Finding:
        player = self._player(self.rules[0], 0)
        try:
            player.begin(0, None)
        except PlayerFault as fault:
            return _broken("start", fault.kind, fault.detail, fault.stderr, answer=quoted(fault.answer))
        finally:
            player.close()
        called = f" and calls itself {player.ready.bot!r}" if player.ready.bot else ""
        return Finding(step="start", passed=True, told=f"is ready after {player.start_cpu:.2f} s of processor time{called}")

    def _legal(self, trials: "list[Trial]") -> Finding:
        """Play hands by every ruleset, and fill in the trials."""
        each = max(1, self.hands // len(self.rules))
        for number, rules in enumerate(self.rules):
            trial = self.play(rules, each, number & 1)
            trials.append(trial)
            if trial.record.faults:
                return self._fault("hands", trial, rules, number & 1)
        for phase in _missed(trials, AVOIDABLE):
            rules = next((rules for rules in self.rules if rules.stock_out == "last_take"), self.rules[0])
            trials.append(self.play(rules, LATE_HANDS, 0, late=phase))
            if trials[-1].record.faults:
                return self._fault("hands", trials[-1], rules, 0, late=phase)
        met, missed = _met(trials), _missed(trials, frozenset())
        hands = sum(len(trial.record.hands) for trial in trials)
        told = f"{hands} hands under {len(self.rules)} rulesets, {met.total():,} turns, every answer legal"
        return Finding(step="hands", passed=True, told=told + (f"; never came to {' and '.join(missed)}" if missed else ""))

    def _repeats(self, trials: "list[Trial]") -> Finding:
        first = trials[0]
        again = self.play(self.rules[0], len(first.record.hands), 0)
        if again.record.faults:
            return self._fault("same play", again, self.rules[0], 0)
        hand = _first_difference(first.record.hands, again.record.hands)
        if hand is None:
            return Finding(step="same play", passed=True, told=f"the same seed gave the same {len(first.record.hands)} hands again")
        one, other = first.record.hands[hand].actions, again.record.hands[hand].actions
        return Finding(
            step="same play",
            passed=False,
            told=f"the same seed and the same hand {hand}, and yet {_parting(one, other)}",
            advice=(
                "take all chance from the `seed` of hello (in Python: self.random); order nothing by a hash or an address",
                "stop a search after so many steps, not after so much time",
            ),
            replay=_replay(self.rules[0], hand, 0, self.seed),
        )

    def _forgets(self, trials: "list[Trial]") -> Finding:
        first = trials[0]
        anew = self.play(self.rules[0], len(first.record.hands), 0, forgetful=True)
        if anew.record.faults:
            return self._fault("restart", anew, self.rules[0], 0)
        hand = _first_difference(first.record.hands, anew.record.hands)
        told = "started anew before every hand it plays on"
        if hand is None:
            return Finding(step="restart", passed=True, told=f"{told}, and plays the same")
        return Finding(
            step="restart", passed=True, told=f"{told}, but plays hand {hand} otherwise: it remembers hands, or chance runs on"
        )

    def _in_time(self, trials: "list[Trial]") -> Finding:
        costs = [cost for trial in trials for cost in trial.bot.costs]
        mean, slowest = sum(costs) / len(costs), max(costs)
        rare = quantiles(costs, n=100)[-1] if len(costs) > 1 else slowest
        match = mean * LONG_MATCH
        told = (
            f"{1e3 * mean:.2f} ms of processor time a turn, 1 in 100 above {1e3 * rare:.1f} ms, {1e3 * slowest:.1f} ms at most,"
            f" of {self.time.per_turn:g} s; about {match:.1f} s for a long match, of {self.time.per_match:g} s"
        )
        if match <= self.time.per_match:
            return Finding(step="time", passed=True, told=told)
        advice = ("think less: `limits.match_cpu` of hello tells what there is", "or give more: `time: {per_match: N}` in the spec")
        return Finding(step="time", passed=False, told=told, advice=advice)

    def _in_memory(self, trials: "list[Trial]") -> Finding:
        ended = [trial.ended for trial in trials if trial.ended]
        peak = max(exit_.peak_kb for exit_ in ended) / 1024
        limit = self.sandbox.wrap(self.launch).memory_mb
        told = f"{peak:.0f} MB at the most" + (
            "" if limit is None else f"; {limit} MB are allowed, not counting what libraries map"
        )
        if all(exit_.code == 0 for exit_ in ended):
            return Finding(step="memory", passed=True, told=told)
        odd = next(exit_ for exit_ in ended if exit_.code != 0)
        advice = (f"after bye it ended with {odd}; a bot should end by itself, with exit code 0",)
        return Finding(step="memory", passed=True, told=told, advice=advice)

    def _walled(self, _: "list[Trial]") -> Finding:
        given = self.sandbox.assurance()
        told = f"all of this behind {WORDS.get(given.profile, 'no walls at all')}" + (
            "" if given.isolated else ", which may not hold against malice"
        )
        return Finding(step="sandbox", passed=True, told=told, advice=tuple(f"missing: {wall}" for wall in given.missing))

    # --- playing

    def play(self, rules: Rules, hands: int, seat: Seat, *, forgetful: bool = False, late: Phase | None = None) -> "Trial":
        """Return what came of so many hands by ``rules``, with the bot in ``seat``; ``late``: the phase in which it joins each."""
        remote = self._player(rules, seat)
        plays = sparring.partner(self.seed) if late is None else sparring.patient(self.seed)
        bot = Late(remote, plays, late) if late else Forgetful(remote) if forgetful else Watched(remote)
        fixture = Fixture(f"audition/{rules.name}", ("bot", "partner") if seat == 0 else ("partner", "bot"), rules.name, hands)
        partner = InlinePlayer(plays)
        players = (bot, partner) if seat == 0 else (partner, bot)
        record = Referee(fixture, rules, contest(fixture, rules, self.seed), players, AT_ONCE).play()
        return Trial(record, bot, remote.ended)

    def _player(self, rules: Rules, seat: Seat) -> RemotePlayer:
        return RemotePlayer(self.sandbox.wrap(self.launch), rules, self.time, LineLimits(), bot_seed(self.seed, rules.name, seat))

    def _fault(self, step: str, trial: "Trial", rules: Rules, seat: Seat, late: Phase | None = None) -> Finding:
        fault = trial.record.faults[0]
        view = trial.bot.view
        turn = encode(notation.turn(view)).decode().strip() if view and view.game == fault.game else ""
        clause = f" ({fault.clause})" if fault.clause else ""
        told = f"{rules.name}, hand {fault.game}: {fault.detail}{clause}"
        replay = (*_replay(rules, fault.game, seat, self.seed), *(("--from", late.value) if late else ()))
        return _broken(step, fault.kind, told, fault.stderr, turn=turn, answer=fault.answer, replay=replay)


class Trial(Struct, frozen=True):
    """Some hands that a bot played."""

    record: MatchRecord
    bot: Watched
    ended: Exit | None


def _met(trials: "list[Trial]") -> Counter[Phase]:
    return sum((trial.bot.phases for trial in trials), Counter[Phase]())


def _missed(trials: "list[Trial]", but: frozenset[Phase]) -> list[Phase]:
    met = _met(trials)
    return [phase for phase in Phase if phase is not Phase.OVER and phase not in but and not met[phase]]


_ADVICE = {
    "malformed": "one line of JSON an answer, and nothing else on standard output: log to stderr",
    "illegal": "`may` and `may_discard` of the turn tell what is legal; arena/gin/README.md has the clause",
    "timeout": "flush each answer, and read line by line; `limits` of hello tells what an answer may cost",
    "crash": "",  # the last words say it
    "memory": "use less, or raise `sandbox: {name: standard, memory_mb: N}` in the spec",
}


def _broken(
    step: str, kind: str, detail: str, stderr: str, *, turn: str = "", answer: str = "", replay: tuple[str, ...] = ()
) -> Finding:
    hint = clue(stderr) if kind in ("crash", "memory", "timeout") else None
    advice = (f"it looks as if it {hint.wall}", hint.advice) if hint else (_ADVICE[kind],)
    return Finding(
        step=step,
        passed=False,
        told=f"{kind}: {detail}",
        turn=turn,
        answer=answer,
        stderr=stderr,
        advice=tuple(filter(None, advice)),
        replay=replay,
    )


def _replay(rules: Rules, hand: int, seat: Seat, seed: str) -> tuple[str, ...]:
    options = ("--against", sparring.NAME, "--rules", rules.name, "--hand", str(hand), "--seed", seed)
    return (*options, "--seat", "1") if seat else options


def _first_difference(one: Sequence[HandRecord], other: Sequence[HandRecord]) -> int | None:
    pairs = enumerate(zip(one, other, strict=True))
    return next((number for number, (first, second) in pairs if first.actions != second.actions), None)


def _parting(one: str, other: str) -> str:
    """Return where two lines of actions part."""
    pairs = enumerate(zip_longest(one.split(), other.split(), fillvalue="nothing"))
    number, (first, second) = next((number, both) for number, both in pairs if both[0] != both[1])
    return f"action {number} was {first} once and {second} then"
