"""A player that is a process: views and actions on one side, lines of JSON on the other."""

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from arena.gin.deal import Seat
from arena.gin.rules import Rules
from arena.gin.view import Outcome, View
from arena.players.base import PlayerFault, Reply
from arena.players.process import Allowance, BotProcess
from arena.protocol import notation
from arena.protocol.codec import LINE_BYTES, Malformed, decode_answer, decode_ready, encode
from arena.protocol.messages import VERSION, Bye, Hello, Limits, MatchBegins, MatchOver, Ready
from arena.roster.entrant import Launch

if TYPE_CHECKING:
    from arena.players.child import Exit

START = 10.0  # seconds of processor time for ``hello``: imports, tables, weights


Seconds = Annotated[float, Meta(gt=0, le=1_000_000)]


class TimeLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What answers may cost, in seconds."""

    per_turn: Seconds = 2.0  # processor time for one answer
    per_match: Seconds = 120.0  # processor time for a whole fixture
    stall: Seconds = 2.0  # doing nothing while the processor was free


class RemotePlayer:
    """Speaks the protocol with a bot's process, and charges its processor time to one account for the fixture."""

    def __init__(self, launch: Launch, rules: Rules, limits: TimeLimits, seed: str) -> None:
        """Take a launch that a sandbox has wrapped already."""
        self._launch = launch
        self._limits = limits
        self._hello = encode(Hello(VERSION, notation.agreed(rules), Limits(limits.per_turn, limits.per_match, LINE_BYTES), seed))
        self._left = limits.per_match
        self._process: BotProcess | None = None
        self.ready = Ready(VERSION)  # what the bot last said of itself
        self.start_cpu = 0.0  # seconds of processor time that its last start took
        self.ended: Exit | None = None  # how its last process ended

    def start(self) -> None:
        """Start the process and say ``hello``; two players that start together wait only once."""
        self._process = BotProcess(self._launch, LINE_BYTES)
        self._process.put(self._hello)

    def begin(self, seat: Seat, hands: int | None) -> None:
        """Hear that the bot is ready, and announce the match."""
        if self._process is None:
            self.start()
        process = self._running()
        process.born()
        line = process.answer(Allowance(START, START, 10 * START))
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
        process.put(question)
        line = process.answer(self._allowance())
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
        """Return what the next answer may cost; the wall limit is so wide that only a busy machine meets it."""
        cpu = min(self._limits.per_turn, max(self._left, 0.0))
        return Allowance(cpu, self._limits.stall, max(5.0, 10 * max(self._limits.per_turn, self._limits.stall)))
