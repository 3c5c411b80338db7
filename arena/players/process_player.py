"""A player that is a process: translates views and actions to and from lines of JSON, and accounts for the bot's time."""

import logging
from contextlib import nullcontext
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from msgspec.structs import replace

from arena.confinement.status import LaunchFailedError
from arena.errors import OutOfTimeError
from arena.gin.facts import Seat
from arena.gin.rules import Rules
from arena.gin.view import Outcome, View
from arena.limits import LineLimits, TimeLimits
from arena.players.base import Player, PlayerFaultError, Reply
from arena.players.process import Allowance, BotProcess
from arena.players.state import EMPTY_STATE, UnfitStateError
from arena.players.state_folder import StateFolder
from arena.players.traffic_log import TrafficLog
from arena.protocol import codec, messages, notation, schema
from arena.roster.entrant import Launch

if TYPE_CHECKING:
    from arena.players.child import Exit

log = logging.getLogger(__name__)


class ProcessPlayer(Player):
    """Speaks the protocol with a bot's process, and charges the processor time of its turns to one account for the fixture.

    The account survives restarts, and a fault in a turn is charged too: otherwise a bot could use a turn's whole limit again after
    every restart. Starts are not charged; each has the limit ``start``.
    """

    def __init__(
        self,
        launch: Launch,
        rules: Rules,
        time: TimeLimits,
        lines: LineLimits,
        seed: str,
        *,
        bot: str = "",
        fixture: str = "",
        until: float = inf,
        pace: float = 1.0,
        state: bytes = EMPTY_STATE,
        keeps_state: bool = False,
    ) -> None:
        """Prepare a launch that a sandbox has already wrapped; ``bot`` and ``fixture`` are its names in the log.

        After ``until``, in monotonic seconds, it is not asked any more. Its time limits are ``pace`` times those of the run, where
        the processor is that much slower than the director's; ``hello`` has those of the run, so that it plays the same everywhere.
        ``state``: what each of the bot's processes finds in its state folder, if it has one; ``keeps_state``: whether the one that
        it leaves is kept.
        """
        self._bot = bot
        self._fixture = fixture
        self._launch = launch
        self._turn, self._stall, self._start, self._answer_wall = (
            pace * seconds for seconds in (time.per_turn, time.stall, time.start, time.answer_wall)
        )
        self._lines = lines
        limits = messages.Limits(time.per_turn, time.per_match, lines.line_kb << 10)
        self._hello = messages.Hello(schema.VERSION, notation.rules_message(rules), limits, seed)
        self._left = time.per_match * pace  # seconds of processor time
        self._until = until
        self._process: BotProcess | None = None
        self._state = state
        self._keeps_state = keeps_state
        self._folder: StateFolder | None = None  # of the process; None: it has no state folder
        self.learned: bytes | None = None  # the state that the bot has left, to be kept; None: there is none to keep
        self.unfit = ""  # why its state is not kept
        self._begun = False  # whether the running process has sent ``ready``
        self.ready = messages.Ready(schema.VERSION)  # the bot's last ``ready``
        self.start_cpu = 0.0  # seconds of processor time of its last start
        self.ended: Exit | None = None  # how its last process ended

    def start(self) -> None:
        """Start the process and send ``hello``, without waiting: so two players start at the same time."""
        traffic = TrafficLog(self._bot, self._fixture, self._lines.stderr_kb << 10, (self._launch.folder, *self._launch.reads))
        self._begun, hello = False, self._hello
        if self._launch.state is not None:
            self._folder = StateFolder(self._launch, self._launch.state, self._state)
            hello = replace(hello, state=self._folder.path)
        with self._folder.content() if self._folder else nullcontext() as content:
            try:
                self._process = BotProcess(self._launch, self._lines.line_kb << 10, traffic, content)
            except OSError as error:  # the machine lacks descriptors, processes or memory
                raise LaunchFailedError("start", error.strerror or str(error)) from None
        self._process.send(codec.encode(hello))

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Wait for the bot's ``ready``, seal it, and queue ``match``, which goes with the first question."""
        if self._process is None:
            self.start()
        process = self._running()
        process.wait_ready()
        start = self._start
        # Not since ``hello``: its opponent, which is awaited before it, must not use up its time.
        line = process.receive(Allowance(cpu=start, stall=start, wall=10 * start), since=monotonic())
        try:
            ready = codec.decode_ready(line.text)
        except codec.MalformedError as error:
            raise process.fault("malformed", f"expected ready: {error}", line.text) from None
        if ready.protocol != schema.VERSION:
            raise process.fault("malformed", f"speaks protocol {ready.protocol}; expected {schema.VERSION}", line.text)
        self.ready, self.start_cpu, self._begun = ready, line.cpu, True
        process.seal()  # before it is sent anything about a hand
        process.queue(codec.encode(messages.MatchBegins(seat, hands)))

    def ask(self, view: View) -> Reply:
        """Send the turn and return the action. Raises: OutOfTimeError; otherwise as ``Player``."""
        if monotonic() > self._until:
            raise OutOfTimeError
        process = self._running()
        question = codec.encode(notation.turn(view))
        try:
            process.send(question)
            line = process.receive(self._allowance())
        except PlayerFaultError as fault:
            self._left -= fault.cpu
            raise
        self._left -= line.cpu
        try:
            answer = codec.decode_answer(line.text)
            action = notation.action(answer)
        except ValueError as error:
            raise process.fault("malformed", str(error), line.text) from None
        return Reply(action, line.cpu, line.wall, question, line.text, answer.note or "")

    def overspent(self) -> PlayerFaultError | None:
        """Return the fault of a bot that used more processor time than its next answer or its start may take; None: it did not."""
        if self._process is None:
            return None
        fault = self._process.overspent(self._allowance().cpu if self._begun else self._start)
        if fault and self._begun:
            self._left -= fault.cpu
        return fault

    def hand_over(self, outcome: Outcome) -> None:
        """Queue the result of a hand, to be sent with the next question."""
        self._running().queue(codec.encode(notation.hand_over(outcome)))

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Queue the result of the match and ``bye``; if its state is to be kept, send them and read the state that it leaves."""
        process = self._running()
        process.queue(codec.encode(messages.MatchOver(won, games)) + codec.encode(messages.Bye()))
        if self._keeps_state and self._folder:
            self._read_state(process, self._folder)

    def _read_state(self, process: BotProcess, folder: StateFolder) -> None:
        """Read the state of a bot that ends by itself: one that is killed may have written only a part of it."""
        ended_cleanly = process.ends_by_itself(self._allowance())
        folder.receive(process.take_state())
        self._process, self.ended = None, process.close()
        try:
            self.learned = folder.read_left(ended_cleanly=ended_cleanly)
        except UnfitStateError as error:
            self.unfit = str(error)
            log.warning("%s: the state of %s is not kept: %s", self._fixture, self._bot, error)
        self.close()

    def close(self) -> None:
        """End the process and everything that it started."""
        if self._process:
            self.ended = self._process.close()
            self._process = None
        if self._folder:
            self._folder.close()
            self._folder = None

    def log(self) -> str:
        """Return the end of what the bot has written to stderr so far, safe to print."""
        return self._process.log() if self._process else ""

    def _running(self) -> BotProcess:
        if self._process is None:
            raise PlayerFaultError("crash", "not running")
        return self._process

    def _allowance(self) -> Allowance:
        """Return the limits of the next answer; of processor time the turn's, or what is left of the fixture's if that is less."""
        cpu = min(self._turn, max(self._left, 0.0))
        return Allowance(cpu=cpu, stall=self._stall, wall=self._answer_wall)
