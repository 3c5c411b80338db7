"""A game is signed once, at each place with one answer, whatever a server asks; and what signatures prove."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.errors import InputError
from arena.extras.remote.digests import digest_after, opening_digest
from arena.extras.remote.session import ClockTerms
from arena.extras.remote.socket_player import GameMessage
from arena.protocol.messages import Turn
from arena.protocol.notation import turn
from arena.sdk.positions import position
from arena.tournament.seeds import commitment

played = pytest.importorskip("arena.extras.remote.played", reason="needs the extra `remote`")
signing = pytest.importorskip("arena.extras.remote.signing")

GAME = GameMessage("g1", ("ann.a", "bob.b"), 6, commitment("seed"), ClockTerms())
OPENING = opening_digest(GAME.commitment, GAME.game, GAME.hands, GAME.seats)
FIRST: Turn = turn(position("3c4c5c 7d8d9d 2h2s2d 9c Ks"))
LATER = replace(FIRST, game=FIRST.game + 1)
AFTER = digest_after(OPENING, "first question", "draw")
Games = Callable[[], Any]  # of an extra


@pytest.fixture
def games(tmp_path: Path) -> Games:
    """Return what opens the file of a key, as each process does."""
    return lambda: played.SignedGames(signing.SigningKey(tmp_path / "key"), tmp_path / "key.played")


def begun(games: Games) -> Any:
    """Return a game, of which the first question has its answer."""
    game = games().begin(GAME)
    assert game.find(OPENING, "first question", FIRST) is None
    game.sign(OPENING, "first question", FIRST, "draw")
    return game


def test_a_signature_is_of_seed_seats_question_and_all_answers_before_it(games: Games) -> None:
    game, key = begun(games), games().key.public
    answer = game.sign(AFTER, "second question", FIRST, "pass")
    assert signing.is_signed(key, AFTER, "second question", "pass", answer.signature)
    others = [
        replace(GAME, **change) for change in ({"game": "g2"}, {"seats": ("bob.b", "ann.a")}, {"hands": 5}, {"commitment": "0"})
    ]
    openings = {opening_digest(one.commitment, one.game, one.hands, one.seats) for one in others}
    assert len(openings | {OPENING}) == 5
    for opening in openings:
        assert not signing.is_signed(
            key, digest_after(opening, "first question", "draw"), "second question", "pass", answer.signature
        )
    assert not signing.is_signed(key, digest_after(OPENING, "first question", "take"), "second question", "pass", answer.signature)


def test_a_question_that_is_asked_again_has_the_same_answer_in_another_process_too(games: Games) -> None:
    begun(games).sign(AFTER, "second question", FIRST, "pass")
    again = games().begin(GAME)
    assert [again.find(*place, FIRST).answer for place in ((OPENING, "first question"), (AFTER, "second question"))] == [
        "draw",
        "pass",
    ]
    first = again.sign(OPENING, "first question", FIRST, "take")
    assert first == again.find(OPENING, "first question", FIRST)
    assert first.answer == "draw"


@pytest.mark.parametrize("how", ["over", "void"])
def test_a_game_that_has_ended_is_not_played_again(games: Games, how: str, tmp_path: Path) -> None:
    begun(games).end(how)
    with pytest.raises(played.GameRefusedError) as refused:
        games().begin(GAME)
    assert str(refused.value) == (
        f"g1 of the seed with the SHA-256 {GAME.commitment[:16]}… is {how}, and the server offers it again;"
        f" nothing more of it is signed, as {tmp_path / 'key.played'} has it"
    )
    games().begin(replace(GAME, commitment=commitment("another seed")))


@pytest.mark.parametrize("change", [{"seats": ("ann.a", "eve.b")}, {"hands": 5}])
def test_a_game_is_not_played_again_under_other_terms(games: Games, change: dict[str, object]) -> None:
    begun(games)
    with pytest.raises(played.GameRefusedError, match="began with other bots or another number of hands"):
        games().begin(replace(GAME, **change))


@pytest.mark.parametrize(
    ("before", "question", "asked"),
    [
        (OPENING, "another question", FIRST),
        ("", "another question", FIRST),
        ("f" * 64, "first question", FIRST),
        (digest_after(OPENING, "first question", "take"), "second question", LATER),
    ],
)
def test_another_question_at_a_place_that_was_answered_has_no_answer(games: Games, before: str, question: str, asked: Turn) -> None:
    game = begun(games)
    with pytest.raises(played.GameRefusedError, match="was continued from here with another question"):
        game.find(before, question, asked)
    with pytest.raises(played.GameRefusedError, match="was continued from here with another question"):
        game.sign(before, question, asked, "draw")


def test_an_answer_that_came_late_costs_the_hand_and_the_game_goes_on_once(games: Games) -> None:
    game = begun(games)
    assert game.find(OPENING, "a later hand", LATER) is None
    game.sign(OPENING, "a later hand", LATER, "pass")
    for before in (AFTER, OPENING):
        with pytest.raises(played.GameRefusedError, match="was continued from here with another question"):
            game.sign(before, "second question", FIRST, "pass")
    game.sign(digest_after(OPENING, "a later hand", "pass"), "third question", LATER, "draw")


def test_the_file_keeps_of_a_game_that_has_ended_only_a_line(games: Games) -> None:
    begun(games).end("over")
    with games().changing() as database:
        assert database.execute("SELECT game, seats, answers, digest, ended FROM game").fetchall() == [
            ("g1", "ann.a bob.b", 1, AFTER, "over")
        ]
        assert database.execute("SELECT count(*) FROM answer").fetchone() == (0,)


def test_a_file_that_is_something_else_is_named_in_one_line(games: Games, tmp_path: Path) -> None:
    (tmp_path / "key.played").write_text("something else, and long enough to be read as a page" * 99)
    with pytest.raises(InputError, match=r"key\.played: file is not a database; it keeps the games that are signed$"):
        games()
    (tmp_path / "key.played").unlink()
    (tmp_path / "key.played").mkdir()
    with pytest.raises(InputError, match=r"key\.played: cannot be opened: Is a directory"):
        games()


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
def test_games_are_not_kept_through_a_link(end: str, games: Games, tmp_path: Path) -> None:
    target = tmp_path / "mine"
    target.write_bytes(b"mine\n")
    (tmp_path / f"key.played{end}").symlink_to(target)
    with pytest.raises(InputError, match=f"key.played{end}: is a link"):
        games()
    assert target.read_bytes() == b"mine\n"


def test_the_file_of_a_key_may_have_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    place = tmp_path / os.fsdecode(b"odd\xff")
    game = begun(lambda: played.SignedGames(signing.SigningKey(place), place.with_name(f"{place.name}.played")))
    assert game.find(OPENING, "first question", FIRST).answer == "draw"
