"""A seat at a server elsewhere: it answers the protocol's lines in place of a bot's process."""

from collections.abc import Iterator
from contextlib import contextmanager

from arena.extras.models.seat import TextSeat
from arena.gin.rules import Rules
from arena.protocol import codec, messages, notation, schema


class SeatAnswers:
    """Answers a referee's lines with the moves of a seat; implements ``arena.extras.remote.client.Answers``."""

    def __init__(self, seat: TextSeat) -> None:
        self._seat = seat
        self._rules = Rules()

    def ask(self, _: str, line: bytes) -> bytes:
        """Return the answer to a line, without a newline; wait for the move of a turn. Raises: MalformedError, RunStoppedError."""
        message = codec.decode_message(line)
        if isinstance(message, messages.Turn):
            with _malformed():
                view = notation.view(message, self._rules)
            reply = self._seat.ask(view)
            return codec.encode(notation.answer(reply.action, reply.note or None)).rstrip(b"\n")
        if isinstance(message, messages.Hello):
            self._rules = message.rules
        return codec.encode(messages.Ready(schema.VERSION)).rstrip(b"\n")

    def queue(self, line: bytes) -> None:
        """Take a line that needs no answer. Raises: MalformedError."""
        match codec.decode_message(line):
            case messages.HandOver() as message:
                with _malformed():
                    outcome = notation.outcome(message)
                self._seat.hand_over(outcome)
            case messages.MatchOver(won, games):
                self._seat.match_over(won=won, games=games)
            case _:
                pass

    def close(self) -> None:
        """Do nothing: a seat stays for the next game."""


@contextmanager
def _malformed() -> Iterator[None]:
    """Turn the error of an invalid card into MalformedError."""
    try:
        yield
    except ValueError as error:
        raise codec.MalformedError(str(error)) from None
