"""The author's end at a server that is slow, talks without end, out of order or twice: it gives up, and keeps next to nothing."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from threading import Event

import pytest
from support.hostile.server import Response, answering, at_once, dripping, without_end
from support.servers.wire import HELLO, TURN, WELCOME, game_line, line

from arena.errors import InputError
from arena.extras.remote.digests import opening_digest
from arena.extras.remote.record import MOST_HANDS
from arena.gin.score import Ending
from arena.protocol.codec import LINE_BYTES
from arena.protocol.messages import HandOver

client = pytest.importorskip("arena.extras.remote.client", reason="needs the extra `remote`")
wires = pytest.importorskip("arena.extras.remote.wires")

CARDS, PAIR = ((), ()), (0, 0)
HAND_OVER = line(
    HandOver(
        game=0,
        hand=0,
        ending=Ending.DEAD,
        won=None,
        points=0,
        multiplier=1,
        cards=CARDS,
        melds=CARDS,
        lay_offs=(),
        deadwood=PAIR,
        score=PAIR,
        games=PAIR,
    )
)
GAME = [f"1 {game_line()}", f"2 {HELLO}"]
OVER = '{"type":"game_over","game":"g1","points":3}'


class StoppedError(Exception):
    """The test has seen enough."""


class Answered:
    """A player that answers every question alike, and keeps what it is sent."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.queued: list[bytes] = []

    def ask(self, _: str, question: bytes) -> bytes:
        self.asked.append(question)
        return b'{"kind":"draw"}'

    def queue(self, content: bytes) -> None:
        self.queued.append(content)

    def close(self) -> None:
        pass


class ScriptedWire:
    """A connection with a script, after which it is lost."""

    def __init__(self, frames: Iterable[str]) -> None:
        self._frames = iter(frames)
        self.sent: list[str] = []

    def receive(self) -> str:
        try:
            return next(self._frames)
        except StopIteration:
            raise wires.ConnectionLostError("the script is over") from None

    def send(self, frame: str) -> None:
        self.sent.append(frame)

    def close(self) -> None:
        pass


class Joined:
    """An author's end that plays over scripted connections, and what it did."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        *scripts: Iterable[str],
        answers: object = None,
        signed: object = None,
        ends: type[Exception] = StoppedError,
    ) -> None:
        self.said: list[str] = []
        self.pauses: list[float] = []
        self.player = answers or Answered()
        self.wires: list[ScriptedWire] = []
        left = iter(scripts)

        def connect(*_: object) -> ScriptedWire:
            script = next(left, None)
            if script is None:
                raise StoppedError
            self.wires.append(ScriptedWire(script))
            return self.wires[-1]

        monkeypatch.setattr(client, "SocketWire", connect)
        monkeypatch.setattr(client.time, "sleep", self.pauses.append)
        request = client.JoinRequest(url="http://192.0.2.1", token="arena-x", name="a", answers=self.player)  # noqa: S106 - any
        with pytest.raises(ends) as ended:
            client.Joining(request, signed, self.said.append).play()
        self.end = str(ended.value)


def lost(said: Sequence[str]) -> str:
    """Return why a connection was lost."""
    found = re.fullmatch(r"connection lost \((.*)\); another one in \d+ s", said[-1])
    assert found
    return found[1]


# Order and repetition.


@pytest.mark.parametrize(
    ("frames", "why"),
    [
        (["2 {}"], "it sends no frame but '2 {}'"),
        ([f"2 {HELLO}"], "it sends frame 2; expected 1"),
        ([f"1 {HELLO}"], "it sends a line of a game, and none is played"),
        (['1 {"type":"bye"}'], "it sends a line of a game, and none is played"),
        ([f"1 {OVER}"], "it sends a line of a game, and none is played"),
        ([*GAME, f"3 {OVER}", f"4 {OVER}"], "it sends a line of a game, and none is played"),
        ([*GAME, f"3 {OVER}".replace("g1", "g2")], "it ends g2, which is not played"),
        ([*GAME, f"3 {game_line('g2')}"], "it begins g2 of ann.a and bob.b; expected one game of ann.a"),
        (
            [f"1 {game_line(seats=('eve.a', 'bob.b'))}"],
            "it begins g1 of eve.a and bob.b; expected one game of ann.a",
        ),
        (
            [f"1 {game_line(seats=('ann.a', 'ann.a'))}"],
            "it begins g1 of ann.a and ann.a; expected one game of ann.a",
        ),
        ([f"1 {game_line()}", '2 {"type":"void","game":"g1","why":"x"}'], "g1 had no question"),
        ([WELCOME.replace('"s"', '"t"')], "it welcomes ann.a to another session; expected ann.a"),
    ],
)
def test_a_frame_that_does_not_fit_ends_the_connection(monkeypatch: pytest.MonkeyPatch, frames: list[str], why: str) -> None:
    assert lost(Joined(monkeypatch, [WELCOME, *frames]).said) == why


def test_a_welcome_of_another_bot_is_refused() -> None:
    request = client.JoinRequest(url="http://192.0.2.1", token="arena-x", name="a", answers=Answered())  # noqa: S106 - any
    joining = client.Joining(request, None, print)
    with pytest.raises(wires.ConnectionLostError, match=r"^it welcomes eve\.b to another session; expected a in a new one$"):
        joining._begin(ScriptedWire([]), client.WelcomeMessage("s", "eve.b"))  # noqa: SLF001 - the first frame


def test_a_frame_that_comes_twice_or_over_the_next_connection_is_answered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    joined = Joined(monkeypatch, [WELCOME, *GAME, *GAME, *GAME, f"3 {TURN}"], [WELCOME, *GAME, f"3 {TURN}", f"4 {OVER}"])
    assert [len(wire.sent) for wire in joined.wires] == [5, 2]  # seek, and two frames a question; the last answer, and seek
    assert len(joined.player.asked) == 2  # type: ignore[attr-defined] # an Answered


def test_a_question_whose_receipt_cannot_be_sent_is_still_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    def send(self: ScriptedWire, frame: str) -> None:
        if frame == "2" or (frame.startswith("2 ") and len(broken) < 2):
            broken.append(frame)
            raise wires.ConnectionLostError("it broke")
        self.sent.append(frame)

    broken: list[str] = []
    monkeypatch.setattr(ScriptedWire, "send", send)
    joined = Joined(monkeypatch, [WELCOME, *GAME], [WELCOME])
    assert joined.wires[1].sent == ['2 {"kind":"draw"}']


# Size.


@pytest.mark.parametrize(
    "frame",
    [
        f"1 {game_line()}\n",
        f'1 {game_line()}\r\n2 {{"type":"bye"}}',
        '1 {"type":"bye",\n"x":1}',
        '1 {"type":"bye","x":' + "[" * 9999,
        '1 {"type":"bye","x":"' + "x" * LINE_BYTES + '"}',
        '1 {"type":"turn"}',
        *(f"1 {TURN}".replace('"hand":0', f'"hand":{hand}') for hand in (-1, MOST_HANDS, 1 << 63)),
        '\u0661 {"type":"bye"}',
        '+1 {"type":"bye"}',
        f'{"9" * 5000} {{"type":"bye"}}',
        f"1:{'a' * 63} {TURN}",
        *(f"1 {game_line(game)}" for game in ("../../x", "g0", "g1\x1b[2J", "g" + "1" * 11, "")),
        f"1 {game_line(seats=('ann.a', 'b' * 51))}",
        f"1 {game_line(seats=('ann.a', chr(0x202E)))}",
        f"1 {game_line(hands=10**9)}",
        '1 {"type":"game_over","game":"g1","points":99999999999999}',
        '0 {"type":"welcome","session":"%s","bot":"ann.a"}' % ("x" * 65),
        '0 {"type":"welcome","session":"\\u001b","bot":"ann.a"}',
    ],
)
def test_a_line_or_a_name_beyond_its_limits_is_no_frame(frame: str) -> None:
    with pytest.raises(wires.ConnectionLostError, match=r"^it sends no frame but ") as refused:
        client.read_frame(frame)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 400


def test_what_is_queued_between_two_questions_is_bounded_also_over_many_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    def flood(first: int) -> Iterator[str]:
        yield WELCOME
        yield from (GAME if first == 3 else ())
        yield from (f"{number} {HAND_OVER}" for number in range(first, 10**6))

    first = Joined(monkeypatch, flood(3))
    assert lost(first.said) == f"it sends more than {LINE_BYTES} bytes without a question"
    count = len(first.player.queued)  # type: ignore[attr-defined] # an Answered
    again = Joined(monkeypatch, flood(3), flood(count + 4), flood(count + 5))
    assert len(b"".join(again.player.queued)) <= LINE_BYTES  # type: ignore[attr-defined] # likewise


@pytest.mark.parametrize("frame", ['0 {"type":"waiting"}', '0 {"type":"x"}', WELCOME, GAME[0]])
def test_frames_without_a_question_are_bounded_in_number(monkeypatch: pytest.MonkeyPatch, frame: str) -> None:
    def flood() -> Iterator[str]:
        yield from [WELCOME, *GAME]
        while True:
            yield frame

    assert lost(Joined(monkeypatch, flood()).said) == "it sends more than 200 frames a second without a question"


def test_many_questions_are_no_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    joined = Joined(monkeypatch, [WELCOME, *GAME, *(f"{number} {TURN}" for number in range(3, 1000))])
    assert lost(joined.said) == "the script is over"
    assert len(joined.player.asked) == 998  # type: ignore[attr-defined] # an Answered


def test_the_words_of_a_server_are_one_short_line(monkeypatch: pytest.MonkeyPatch) -> None:
    void = '3 {"type":"void","game":"g1","why":"\\u001b[2J\\n%s"}' % ("x" * 999)
    said = Joined(monkeypatch, [WELCOME, *GAME, void]).said[-2]
    assert said.startswith("g1 is void: \\x1b[2J\\nxxx")
    assert len(said) < 250


def test_a_turn_of_cards_that_are_none_stops_a_seat_no_harder_than_a_broken_line(monkeypatch: pytest.MonkeyPatch) -> None:
    seat = pytest.importorskip("arena.extras.models.seat", reason="arena/extras/models is not here")
    answers = pytest.importorskip("arena.extras.models.seat_answers")
    for broken in (TURN.replace('"3c"', '"1c"'), HAND_OVER.replace('"cards":[[]', '"cards":[["1c"]')):
        joined = Joined(monkeypatch, [WELCOME, *GAME, f"3 {broken}"], answers=answers.SeatAnswers(seat.TextSeat("bob")))
        assert lost(joined.said).startswith("it sends a line that is ")


# Signed games.


def test_a_signed_game_is_resumed_with_the_same_answer_and_not_played_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    signing = pytest.importorskip("arena.extras.remote.signing")
    played = pytest.importorskip("arena.extras.remote.played")

    def join(*scripts: list[str], ends: type[Exception] = StoppedError) -> Joined:
        signed = played.SignedGames(signing.SigningKey(tmp_path / "key"), tmp_path / "key.played")
        return Joined(monkeypatch, *scripts, signed=signed, ends=ends)

    message = client.read_frame(GAME[0]).message
    opening = opening_digest(message.commitment, "g1", message.hands, message.seats)
    question = f"3:{opening} {TURN}"
    first = join([WELCOME, *GAME, question])
    again = join([WELCOME, *GAME, question], [WELCOME, f"4 {OVER}"])
    assert first.wires[0].sent[-1] == again.wires[0].sent[-1]
    assert re.fullmatch(r'3:[\w-]{86} \{"kind":"draw"\}', first.wires[0].sent[-1])
    assert [len(one.player.asked) for one in (first, again)] == [2, 1]  # type: ignore[attr-defined] # `ready` is not signed

    last = join([WELCOME, *GAME, question], ends=played.GameRefusedError)
    assert last.end.startswith("g1 of the seed with the SHA-256 ")
    assert f"keeps what it signs in {tmp_path / 'key.played'}" in last.said[0]
    assert last.wires[0].sent == ['0 {"type":"seek"}']


# Slowness.


def test_the_pause_doubles_until_a_question_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    idle, more = [[WELCOME]] * 7, [[WELCOME, *GAME], [WELCOME]]
    assert Joined(monkeypatch, *idle, *more).pauses == [1, 2, 4, 8, 16, 30, 30, 1, 2]


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait hardly at all for the other end to close a connection."""
    for name in ("CLOSE_SECONDS", "SILENCE"):
        monkeypatch.setattr(wires, name, 0.05)


def test_a_session_that_is_over_again_and_again_is_begun_anew_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    def over() -> Iterator[str]:
        yield WELCOME
        raise wires.SessionOverError(wires.NO_TABLES)

    joined = Joined(monkeypatch, *(over() for _ in range(4)))
    assert lost(joined.said) == "the server does not know the session any more"
    assert joined.pauses == [1, 2, 4, 8]


def accepted(head: bytes) -> bytes:
    """Return the response that accepts a WebSocket."""
    from websockets.utils import accept_key  # noqa: PLC0415 - the extra, which may not be installed

    found = re.search(rb"(?i)\r\nsec-websocket-key: (\S+)", head)
    assert found
    fields = ["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Accept: {accept_key(found[1].decode())}"]
    return "\r\n".join(["HTTP/1.1 101 OK", *fields, "", ""]).encode()


def over_a_websocket(*parts: bytes, again: bytes = b"") -> Response:
    """Return a response that accepts a WebSocket, sends parts of frames, and repeats one as fast as it is read."""

    def send(head: bytes, over: Event) -> Iterator[bytes]:
        yield accepted(head)
        yield from parts
        while not over.is_set():
            yield again
            if not again:
                over.wait(0.01)

    return send


def receive(address: str) -> str:
    """Return the first frame that comes over a WebSocket."""
    wire = wires.SocketWire(address, "bot=a", "arena-x")
    try:
        while (frame := wire.receive()) is None:
            pass
        return str(frame)
    finally:
        wire.close()


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    "response",
    [
        over_a_websocket(b"\x81\x7f" + (1 << 40).to_bytes(8), again=b"x" * 9999),  # a long message
        over_a_websocket(b"\x01\x7e" + (60_000).to_bytes(2) + b"x" * 60_000, again=b"\x00\x7e" + (9999).to_bytes(2) + b"x" * 9999),
        over_a_websocket(b"\x01\x01x", again=b"\x00\x00" * 999),  # fragments without content
        over_a_websocket(again=b"\x89\x7d" + b"x" * 125),  # pings
        over_a_websocket(again=b"\x8a\x00" * 999),  # pongs
        over_a_websocket(b"\xc1\x01x"),  # a compressed frame
        over_a_websocket(b"\x81\x01\xff"),  # not UTF-8
    ],
    ids=["long", "fragments", "empty-fragments", "pings", "pongs", "compressed", "not-utf-8"],
)
def test_a_websocket_that_sends_no_message_within_bounds_is_given_up(response: Response) -> None:
    with answering(response) as address, pytest.raises(wires.ConnectionLostError):
        receive(address)


@pytest.mark.usefixtures("hasty")
def test_no_compression_is_offered() -> None:
    requests = list[bytes]()
    with answering(over_a_websocket(b"\x81\x01x"), requests) as address:
        assert receive(address) == "x"
    assert b"extensions" not in requests[0].lower()


@pytest.mark.process
@pytest.mark.usefixtures("hasty")
def test_a_server_that_reads_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wires, "UNREAD_SECONDS", 0.2)
    with answering(over_a_websocket()) as address:
        wire = wires.SocketWire(address, "bot=a", "arena-x")
        with pytest.raises(wires.ConnectionLostError):
            while True:
                wire.send("x" * 60_000)
        wire.close()


@pytest.mark.parametrize(
    "response", [dripping(b""), dripping(b"HTTP/1.1 101 Switching Protocols\r\nX: "), dripping(b"HTTP/1.1 401 No\r\n\r\n")]
)
def test_a_handshake_has_its_time_as_a_whole(monkeypatch: pytest.MonkeyPatch, response: Response) -> None:
    monkeypatch.setattr(wires, "OPEN_SECONDS", 0.2)
    with answering(response) as address, pytest.raises(wires.ConnectionLostError, match="timed out"):
        receive(address)


def test_a_poll_is_bounded_in_bytes_and_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def poll(response: Response) -> str:
        with answering(response) as address:
            return str(wires.PollWire(address, lambda: "bot=a", "arena-x").receive())

    for head in (b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 503 Busy\r\n\r\n", b"HTTP/1.1 401 No\r\n\r\n"):
        with pytest.raises(wires.ConnectionLostError, match=r"^more than 262,144 bytes$"):
            poll(without_end(head, b"x" * 9999))
    monkeypatch.setattr(wires, "POLL_SECONDS", 0.2)
    with pytest.raises(wires.ConnectionLostError, match=r"^timed out$"):
        poll(dripping(b"HTTP/1.1 200 OK\r\n\r\n"))
    with pytest.raises(InputError, match=r"^the server refuses: \\x1b\[2Jx+…$"):
        poll(at_once(b"HTTP/1.1 401 No\r\n\r\n\x1b[2J" + b"x" * 9999))
    text = '1 {"x":"\u2028\x85"}'
    assert poll(at_once(f"HTTP/1.1 200 OK\r\n\r\n{text}\n".encode())) == text


@pytest.mark.parametrize(("body", "frame"), [("", None), (WELCOME, WELCOME)])  # at None, `--until` may end it
def test_a_server_that_has_nothing_at_once_is_not_polled_without_a_pause(
    monkeypatch: pytest.MonkeyPatch, body: str, frame: str | None
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(wires.time, "sleep", pauses.append)
    with answering(at_once(f"HTTP/1.1 200 OK\r\n\r\n{body}".encode())) as address:
        wire = wires.PollWire(address, lambda: "bot=a", "arena-x")
        assert [wire.receive() for _ in range(3)] == [frame] * 3
    assert [0.0 < pause <= wires.LEAST_POLL for pause in pauses] == [True] * 3
