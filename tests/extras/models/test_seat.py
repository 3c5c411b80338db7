"""A seat for a program: it looks, and names moves, from another thread than the match's."""

import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.cli import play
from arena.errors import InputError, RunStoppedError
from arena.extras.models import seat_command
from arena.extras.models.seat import TextSeat
from arena.extras.models.seat_answers import SeatAnswers
from arena.extras.remote.session import LONGEST_FRAME
from arena.human.matches import MatchRequest, match_plan
from arena.players.base import Reply
from arena.protocol.codec import encode
from arena.protocol.notation import turn
from arena.runs.starts import RunStart
from arena.sdk.named_moves import moves
from arena.sdk.positions import position
from arena.store.folder import Folder

VIEW = position("3c4c5c 7d8d9d 2h2s2d 9c Ks")


def ask(seat: TextSeat) -> Reply:
    """Play a turn, after which the match is over."""
    reply = seat.ask(VIEW)
    seat.end("The match is over.")
    return reply


def test_a_program_sees_its_view_and_moves_and_what_it_says_is_noted() -> None:
    seat = TextSeat("greedy")
    with ThreadPoolExecutor(1) as match:
        reply = match.submit(ask, seat)
        seen = seat.look()
        with pytest.raises(InputError, match="'Zz' is not possible now; expected a number from 1 to 13 or one of 3c, 4c"):
            seat.act("Zz")
        assert seat.act(" 12 ", "nine is little") == "The match is over."
    assert "Your cards: 3c 4c 5c 9c" in seen
    assert "12. knock:Ks: knock with 9, throwing Ks" in seen.splitlines()
    assert (reply.result().action, reply.result().note) == (moves(VIEW)["knock:Ks"].action, "nine is little")
    with pytest.raises(InputError, match="The match is over"):
        seat.act("1")


def test_a_move_out_of_turn_is_refused() -> None:
    with pytest.raises(InputError, match="It is not your turn"):
        TextSeat("greedy").act("1")


def test_a_long_reason_is_cut_so_that_a_line_to_a_server_is_not_too_long() -> None:
    seat = TextSeat("greedy")
    line = encode(turn(VIEW)).rstrip(b"\n")
    with ThreadPoolExecutor(1) as match:
        answer = match.submit(SeatAnswers(seat).ask, "game", line)
        seat.look()
        match.submit(seat.end, "The match is over.")
        seat.act("knock:Ks", "x" * 5000)
    assert len(answer.result()) < LONGEST_FRAME / 2


def test_a_seat_that_is_closed_stops_the_match() -> None:
    seat = TextSeat("greedy")
    with ThreadPoolExecutor(1) as match:
        reply = match.submit(seat.ask, VIEW)
        seat.stop()
        with pytest.raises(RunStoppedError):
            reply.result()


def test_an_option_that_has_no_effect_at_a_seat_is_refused() -> None:
    with pytest.raises(InputError, match="--games"):
        seat_command.seat("greedy", mcp=True, games=5, name="agent")
    with pytest.raises(InputError, match="--target"):
        seat_command.seat("https://club.example.org", mcp=True, target=50, name="agent")


def test_the_command_that_is_printed_replays_a_folder_with_a_space(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(play, "play_person", lambda *_: None)
    request, folder = MatchRequest(bot="greedy"), Path("results", "my match")
    play.play_and_keep(request, RunStart(plan=match_plan(request), folder=Folder(folder)), [])
    assert shlex.split(capsys.readouterr().err.partition(": ")[2]) == ["arena", "replay", str(folder)]
