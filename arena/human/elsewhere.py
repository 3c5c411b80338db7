"""A seat at a server elsewhere: it answers the lines of the protocol in the place of a bot's process."""

from arena.gin.rules import Rules
from arena.human.seat import TextSeat
from arena.protocol import messages, notation


class SeatAnswers:
    """Has a seat answer the questions of a referee."""

    def __init__(self, seat: TextSeat) -> None:
        self._seat = seat
        self._rules = Rules()

    def ask(self, _: str, line: bytes) -> bytes:
        """Return the answer to a line, without a newline; a turn waits for the move. Raises: MalformedError, RunStoppedError."""
        message = messages.decode_message(line)
        if isinstance(message, messages.Turn):
            reply = self._seat.ask(notation.view(message, self._rules))
            return messages.encode(notation.answer(reply.action, reply.note or None)).rstrip(b"\n")
        if isinstance(message, messages.Hello):
            self._rules = message.rules
        return messages.encode(messages.Ready(messages.VERSION)).rstrip(b"\n")

    def queue(self, line: bytes) -> None:
        """Take a line that needs no answer."""
        match messages.decode_message(line):
            case messages.HandOver() as message:
                self._seat.hand_over(notation.outcome(message))
            case messages.MatchOver(won, games):
                self._seat.match_over(won=won, games=games)
            case _:
                pass

    def close(self) -> None:
        """Do nothing: a seat stays for the next game."""
