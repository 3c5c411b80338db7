"""Whole games over lines that break, delay and double: nothing is lost or counted twice, and no hidden card is sent."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from msgspec import Struct
from msgspec.json import decode, encode
from msgspec.structs import replace
from support.servers.wire import FakeClock, FaultyLine

from arena.errors import RunStoppedError
from arena.extras.remote.digests import digest_after, line_digest, opening_digest
from arena.extras.remote.game_server import GameServer, NoEntryError
from arena.extras.remote.lobby import GameTerms
from arena.extras.remote.record import ELSEWHERE, GameOpened, KeptAnswer, answer_events, chronicle, differences, signature_lines
from arena.extras.remote.session import ClockTerms, Dropped, Session
from arena.extras.remote.socket_player import GameMessage, SeatLink, SocketPlayer
from arena.gin.cards import names
from arena.gin.match import Hand, walk
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.league.tokens import add_token
from arena.limits import FaultCosts
from arena.players.base import PlayerFaultError
from arena.records import Fixture, MatchRecord
from arena.referee.asking import recorded_hands
from arena.referee.job import contest
from arena.referee.referee import Referee
from arena.roster.entrant import NO_DIGEST, Entered
from arena.store.store import Store
from arena.tournament.seeds import commitment

signing = pytest.importorskip("arena.extras.remote.signing", reason="needs the extra `remote`")

BOTS = ("ann.a", "bob.b")
RULES, COSTS, SEED = Rules(), FaultCosts(), "f" * 64
FIXTURE = Fixture("g1", BOTS, "g1", 3)
CARD = re.compile(r'"([A2-9TJQK][cdhs])"')


class PlayedGame(Struct, frozen=True):
    record: MatchRecord
    seen: tuple[list[str], list[str]]  # by each seat
    kept: tuple[list[KeptAnswer], list[KeptAnswer]]
    keys: tuple[str, str]


def play(folder: Path, seed: int, fault: float) -> PlayedGame:
    clock, key = FakeClock(), signing.SigningKey(folder / "key")
    links = tuple(SeatLink(Session(bot, bot[:3], 0.0), key.public if bot == BOTS[0] else "", clock) for bot in BOTS)

    def sign(before: str, question: str, answer: str) -> str:
        return str(key.sign(before, line_digest(question.encode()), answer))

    lines = [
        FaultyLine(link, clock, Random(seed + seat), fault, sign if seat == 0 else lambda *_: "") for seat, link in enumerate(links)
    ]
    kept: tuple[list[KeptAnswer], list[KeptAnswer]] = ([], [])
    terms = ClockTerms(away=1e6)
    zero, one = (
        SocketPlayer(link, GameMessage("g1", BOTS, 3, commitment(SEED), terms), RULES, "chance", kept[seat])
        for seat, link in enumerate(links)
    )
    record = Referee(FIXTURE, RULES, contest(FIXTURE, RULES, SEED), (zero, one), COSTS).play()
    for line in lines:
        line.pump(1.0)
    return PlayedGame(record, (lines[0].seen, lines[1].seen), kept, (key.public, ""))


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> PlayedGame:
    return play(tmp_path_factory.mktemp("played"), 7, 0.3)


def test_a_line_that_breaks_and_doubles_changes_no_action(game: PlayedGame, tmp_path: Path) -> None:
    smooth = play(tmp_path, 7, 0.0)

    assert [hand.actions for hand in game.record.hands] == [hand.actions for hand in smooth.record.hands]
    assert (game.record.faults, len(game.record.hands)) == ((), 3)
    assert [len(kept) for kept in game.kept] == [len(kept) for kept in smooth.kept]


@pytest.mark.parametrize("seat", [0, 1])
def test_no_hidden_card_is_in_anything_that_a_seat_is_sent(game: PlayedGame, seat: int) -> None:
    turns = (line for line in game.seen[seat] if '"type":"turn"' in line)
    for held in hidden(game.record, seat):
        assert set(CARD.findall(next(turns))).isdisjoint(held)
    assert next(turns, None) is None
    others = [line for line in game.seen[seat] if decode(line)["type"] not in ("turn", "hand_over")]
    assert [line for line in others if CARD.search(line) or SEED in line] == []


def hidden(record: MatchRecord, seat: int) -> Iterator[set[str]]:
    """Yield the cards that a seat cannot know at each of its turns."""
    for played in recorded_hands(record, RULES, SEED):
        for state in walk(played.deal, RULES, played.actions[:-1]):
            if state.seat == seat:
                laid = state.laid[1 - seat]
                shown = state.took[1 - seat] | sum(laid.melds if laid else ())
                stock = sum(1 << card for card in state.deck[state.top : state.bottom])
                yield set(names(state.cards[1 - seat] & ~shown | stock))


def stored(folder: Path, game: PlayedGame, kept: tuple[list[KeptAnswer], list[KeptAnswer]]) -> list[str]:
    """Return the differences of a folder that holds a game with these answers; without any, what the signatures prove."""
    field = [Entered(bot, "0", f"{ELSEWHERE}{bot[:3]}", NO_DIGEST) for bot in BOTS]
    with Store(folder / "arena.sqlite", write=True) as store:
        store.begin({"title": "t"}, field)
        store.add_event(encode(GameOpened("2026-01-01T00:00:00Z", "g1", BOTS, 3)).decode())
        store.add(game.record)
        for seat in (0, 1):
            for event in answer_events("g1", seat, game.keys[seat], kept[seat]):
                store.add_event(event)
        known = chronicle(store)
        return list(differences(store, known, RULES, SEED)) or list(signature_lines(known, tuple(store.fixtures())))


def test_verify_compares_every_answer_with_question_action_and_signature(game: PlayedGame, tmp_path: Path) -> None:
    first, second = game.kept
    hand = first[4].hand

    def found(name: str, answers: list[KeptAnswer]) -> list[str]:
        (folder := tmp_path / name).mkdir()
        return stored(folder, game, (answers, second))

    proved, not_proved = found("as it was", first)
    assert proved.startswith(
        f"signed: {len(first)} answers in 1 of 1 game of ann.a by the key {game.keys[0][:16]}…, each with its seed"
    )
    assert not_proved == "not signed: who has a key, whether a missing answer was late, whether games were left out"
    unfit = f"g1: seat 0, hand {first[1].hand}: a signature does not fit its answer, or those before it"
    assert found("without the first", first[1:])[0] == unfit
    forged = [*first[:4], replace(first[4], line='{"kind":"big_gin"}'), *first[5:]]
    assert found("forged", forged)[0] == f"g1: seat 0, hand {hand}: a signature does not fit its answer, or those before it"
    assert any("is not the action on record" in line for line in found("forged too", forged))
    assert any("its answer is missing" in line for line in found("missing", first[:-1]))
    strange = [*first, replace(first[-1], hand=9)]
    assert "g1: seat 0, hand 9: answers, but it is not on record" in found("of no hand", strange)
    moved = [*first[:4], replace(first[4], question=first[3].question), *first[5:]]
    assert any("one to another question" in line for line in found("moved", moved))


def test_a_game_that_is_resumed_asks_for_a_signature_after_the_answers_that_are_kept(game: PlayedGame, tmp_path: Path) -> None:
    link = SeatLink(Session("ann.a", "ann", 0.0), signing.SigningKey(tmp_path / "key").public, FakeClock())
    message, kept = GameMessage("g1", BOTS, 3, commitment(SEED), ClockTerms()), game.kept[0]
    link.connect(0)
    link.stop()
    begun = contest(FIXTURE, RULES, SEED)
    for count in (0, 1, 5):
        with pytest.raises(RunStoppedError):
            SocketPlayer(link, message, RULES, "", kept[:count]).ask(see(Hand.start(begun.deal(), RULES), begun.standing))
    named = [text.partition(" ")[0].partition(":")[2] for _, text in link.session.frames(0) if '"turn"' in text]
    assert named[0] == opening_digest(commitment(SEED), "g1", 3, BOTS)
    assert named[1] == digest_after(named[0], kept[0].question, kept[0].line)
    assert signing.is_signed(game.keys[0], named[2], kept[5].question, kept[5].line, kept[5].signature)


def test_a_token_opens_only_the_sessions_of_its_own_author(tmp_path: Path) -> None:
    clock = FakeClock()
    server = GameServer(tmp_path, GameTerms(), clock)
    old, ann = (add_token(tmp_path, "ann", time).text for time in (timedelta(0), timedelta(days=1)))
    dotted = add_token(tmp_path, "ann.x", timedelta(days=1)).text
    assert server.check_token(ann).holder == "ann"
    secret, link = server.enter("ann", "a", "")
    link.session.ask("turn", 0.0)

    refusals: list[tuple[Callable[[], object], int]] = [
        (lambda: server.check_token(old), 401),
        (lambda: server.check_token("arena-wrong"), 401),
        (lambda: server.check_token(dotted), 422),
        (lambda: server.enter("bob", "a", secret), 404),
        (lambda: server.enter("ann", "a", "another"), 404),
        (lambda: server.enter("ann", "../a", ""), 422),
    ]
    for refused, status in refusals:
        with pytest.raises(NoEntryError) as error:
            refused()
        assert error.value.status == status
    assert server.enter("ann", "a", secret)[1] is link
    assert server.enter("bob", "a", "")[1].receive("1 draw") == Dropped(1, "no question is open")
    assert link.session.question == 1


def test_a_new_session_of_a_bot_takes_the_place_of_an_idle_one_and_not_of_one_that_plays(tmp_path: Path) -> None:
    server = GameServer(tmp_path, GameTerms(), FakeClock())
    for bot in "abcd":
        server.enter("ann", bot, "")

    _, link = server.enter("ann", "d", "")
    assert len(server.links) == 4
    link.game = "g1"
    for bot, status in (("d", 409), ("e", 429)):
        with pytest.raises(NoEntryError) as error:
            server.enter("ann", bot, "")
        assert error.value.status == status


def test_a_seat_that_stays_away_loses_the_hand_and_a_later_answer_does_not_count() -> None:
    clock = FakeClock()
    link = SeatLink(Session("ann.a", "ann", 0.0), "", clock)
    link.wait = lambda seconds: setattr(clock, "at", clock.at + seconds)  # type: ignore[method-assign]
    link.connect(0)
    link.disconnect()
    player = SocketPlayer(link, GameMessage("g1", BOTS, 3, commitment(SEED), ClockTerms(away=30.0)), RULES, "", [])

    with pytest.raises(Exception, match="no answer in 30 s, away for 30 s of them"):
        player.begin(0, 3)
    assert link.receive('2 {"type":"ready","protocol":1}') == Dropped(2, "no question is open")


@pytest.mark.parametrize("signature", ["", ":" + "x" * 86])
def test_an_action_without_a_signature_that_fits_is_malformed_where_the_bot_has_a_key(tmp_path: Path, signature: str) -> None:
    link = SeatLink(Session("ann.a", "ann", 0.0), signing.SigningKey(tmp_path / "key").public, FakeClock())
    link.connect(0)

    def give_answer(seconds: float) -> None:
        assert seconds
        link.receive(f'{link.session.question}{signature} {{"kind":"draw"}}')

    link.wait = give_answer  # type: ignore[method-assign]
    kept: list[KeptAnswer] = []
    player = SocketPlayer(link, GameMessage("g1", BOTS, 3, commitment(SEED), ClockTerms()), RULES, "", kept)
    begun = contest(FIXTURE, RULES, SEED)

    with pytest.raises(PlayerFaultError, match="its signature is missing, or does not fit"):
        player.ask(see(Hand.start(begun.deal(), RULES), begun.standing))
    assert kept == []
