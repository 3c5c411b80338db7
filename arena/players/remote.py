"""A player that is a process: views and actions on one side, lines of JSON on the other."""

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from arena.gin.deal import Seat
from arena.gin.rules import Rules
from arena.gin.view import Outcome, View
from arena.players.base import PlayerFault, Reply
from arena.players.minutes import Minutes
from arena.players.process import Allowance, BotProcess
from arena.protocol import notation
from arena.protocol.codec import LINE_BYTES, Malformed, decode_answer, decode_ready, encode
from arena.protocol.messages import VERSION, Bye, Hello, Limits, MatchBegins, MatchOver, Ready
from arena.roster.entrant import Launch

if TYPE_CHECKING:
    from arena.players.child import Exit

Seconds = Annotated[float, Meta(gt=0, le=1_000_000)]


class TimeLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What answers may cost, in seconds."""

    per_turn: Seconds = 2.0  # processor time for one answer
    per_match: Seconds = 120.0  # processor time for a whole fixture
    stall: Seconds = 2.0  # doing nothing while the processor was free
    start: Seconds = 10.0  # processor time, or doing nothing, before ``ready``: imports, tables, weights
    wall: Seconds | None = None  # all in all, for one answer; None: ten times the larger of per_turn and stall, at least 5

    @property
    def answer_wall(self) -> float:
        """Return the wall limit of one answer: so wide that only a machine too busy to be fair meets it."""
        return max(5.0, 10 * max(self.per_turn, self.stall)) if self.wall is None else self.wall


class LineLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much a bot may say, in kilobytes."""

    line_kb: Annotated[int, Meta(ge=1, le=LINE_BYTES >> 10)] = LINE_BYTES >> 10  # one line, its newline included
    stderr_kb: Annotated[int, Meta(ge=0, le=1024)] = 4  # the end of stderr that explains a fault; the rest is thrown away


class RemotePlayer:
    """Speaks the protocol with a bot's process, and charges its processor time to one account for the fixture."""

    def __init__(
        self, launch: Launch, rules: Rules, time: TimeLimits, lines: LineLimits, seed: str, *, bot: str = "", fixture: str = ""
    ) -> None:
        """Take a launch that a sandbox has wrapped already; ``bot`` and ``fixture`` are its names in the log."""
        self._bot = bot
        self._fixture = fixture
        self._launch = launch
        self._limits = time
        self._lines = lines
        limits = Limits(time.per_turn, time.per_match, lines.line_kb << 10)
        self._hello = encode(Hello(VERSION, notation.agreed(rules), limits, seed))
        self._left = time.per_match
        self._process: BotProcess | None = None
        self.ready = Ready(VERSION)  # what the bot last said of itself
        self.start_cpu = 0.0  # seconds of processor time that its last start took
        self.ended: Exit | None = None  # how its last process ended

    def start(self) -> None:
        """Start the process and say ``hello``; two players that start together wait only once."""
        minutes = Minutes(self._bot, self._fixture, self._lines.stderr_kb << 10)
        self._process = BotProcess(self._launch, self._lines.line_kb << 10, minutes)
        self._process.put(self._hello)

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Hear that the bot is ready, and announce the match."""
        if self._process is None:
            self.start()
        process = self._running()
        process.born()
        start = self._limits.start
        line = process.answer(Allowance(start, start, 10 * start))
        try:
            ready = decode_ready(line.text)
        except Malformed as error:
            raise process.fault("malformed", f"expected ready: {error}", line.text) from None
        if ready.protocol != VERSION:
            raise process.fault("malformed", f"speaks protocol {ready.protocol}; expected {VERSION}", line.text)
        self.ready, self.start_cpu = ready, line.cpu
        process.tell(encode(MatchBegins(seat, hands)))

    def ask(self, view: View) -> Reply:
        """Send the turn, and read the action."""
        process = self._running()
        question = encode(notation.turn(view))
        try:
            process.put(question)
            line = process.answer(self._allowance())
        except PlayerFault as fault:
            self._left -= fault.cpu
            raise
        self._left -= line.cpu
        try:
            action = notation.action(decode_answer(line.text))
        except ValueError as error:
            raise process.fault("malformed", str(error), line.text) from None
        return Reply(action, line.cpu, line.wall, question, line.text)

    def hand_over(self, outcome: Outcome) -> None:
        """Tell how a hand ended."""
        self._running().tell(encode(notation.hand_over(outcome)))

    def match_over(self, *, won: bool | None, games: tuple[int, int]) -> None:
        """Tell how the match ended."""
        self._running().tell(encode(MatchOver(won, games)) + encode(Bye()))

    def close(self) -> None:
        """End the process and all that it started."""
        if self._process:
            self.ended = self._process.close()
            self._process = None

    def log(self) -> str:
        """Return the end of what the bot has written to stderr so far, safe to print."""
        return self._process.log() if self._process else ""

    def _running(self) -> BotProcess:
        if self._process is None:
            raise PlayerFault("crash", "not running")
        return self._process

    def _allowance(self) -> Allowance:
        """Return what the next answer may cost: a turn's limit, or what is left of the fixture's."""
        cpu = min(self._limits.per_turn, max(self._left, 0.0))
        return Allowance(cpu, self._limits.stall, self._limits.answer_wall)
