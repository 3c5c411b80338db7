"""Notes of bots: kept beside the actions, cut, never sent to the opponent, and without any effect on play."""

from collections.abc import Callable
from itertools import chain

import pytest
from msgspec.structs import replace
from support.matches.in_process import SEED, SHORT, Answer, fixture, greedy, match

from arena.gin.actions import Action
from arena.gin.view import View
from arena.limits import FaultCosts
from arena.players.base import InlinePlayer, Reply
from arena.records import NOT_BEGUN, MatchRecord, MatchSoFar, Note
from arena.referee import referee
from arena.referee.divergence import first_divergence
from arena.referee.job import contest
from arena.referee.referee import Notebook, Referee
from arena.reports.playthrough import playthrough
from arena.text import CUT, LONGEST_NOTE, NOTES_IN_MATCH

ESCAPE = "\x1b[2J\x1b[31m"  # clears a terminal, and makes what follows red
HOSTILE = f"<img src=x onerror=alert(1)>{ESCAPE}\u202e\x00\n  1 forged line"


class NotingPlayer(InlinePlayer):
    """Plays by a function, and notes what another one says."""

    def __init__(self, note: Callable[[View], str], answer: Answer | None = None) -> None:
        super().__init__(answer or greedy("0"))
        self._note = note

    def ask(self, view: View) -> Reply:
        """Return the action with a note."""
        return replace(super().ask(view), note=self._note(view))


def by_greed(view: View) -> Action:
    """Answer by greed, whatever was asked before."""
    return greedy()(view)


def noted(note: str) -> MatchRecord:
    return match(NotingPlayer(lambda _: note))


def notes(record: MatchRecord) -> list[Note]:
    return list(chain.from_iterable(hand.notes for hand in record.hands))


def silent(record: MatchRecord) -> MatchRecord:
    return replace(record, hands=tuple(replace(hand, notes=()) for hand in record.hands))


def watched(views: list[View]) -> Answer:
    """Return a bot that keeps every view it is asked about."""
    plays = greedy("1")

    def answer(view: View) -> Action:
        views.append(view)
        return plays(view)

    return answer


def test_a_note_is_kept_at_the_turn_of_its_answer() -> None:
    record = match(NotingPlayer(lambda view: f"{view.phase} with {view.stock} left"))
    hand = record.hands[0]
    words = hand.actions.split()
    assert all(note.text.startswith(("draw", "upcard", "first_draw", "discard", "lay_off")) for note in hand.notes)
    assert {note.text.split()[0] for note in hand.notes if words[note.turn] in ("draw", "take")} <= {"draw", "upcard", "first_draw"}
    assert len(notes(record)) == record.usage[0].decisions


def test_a_match_that_is_continued_has_no_more_room_for_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "NOTES_IN_MATCH", 300)

    def played(so_far: MatchSoFar, kept: list[MatchSoFar]) -> MatchRecord:
        zero = NotingPlayer(lambda view: f"{view.phase}", by_greed)
        one = NotingPlayer(lambda view: f"{view.stock} left", by_greed)
        start = contest(fixture(), SHORT, SEED)
        return Referee(fixture(), SHORT, start, (zero, one), FaultCosts(), so_far=so_far, keep=kept.append).play()

    kept: list[MatchSoFar] = []
    whole = played(NOT_BEGUN, kept)
    assert len(notes(whole)) < whole.usage[0].decisions + whole.usage[1].decisions
    assert all(played(so_far, []) == whole for so_far in kept[::5])


def test_notes_change_nothing_that_is_played() -> None:
    plain = match()
    assert silent(noted("why not")) == plain
    assert notes(plain) == []


def test_records_that_differ_in_notes_alone_do_not_diverge() -> None:
    assert first_divergence(noted("one"), noted("another"), SHORT, "s") is None


def test_the_opponent_is_asked_as_if_there_were_no_notes() -> None:
    seen: list[list[View]] = []
    for said in (NotingPlayer(lambda _: ""), NotingPlayer(lambda _: "I hold three kings")):
        views: list[View] = []
        seen.append(views)
        match(said, watched(views))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("length", [1, LONGEST_NOTE, LONGEST_NOTE + 1, 10_000_000])
def test_a_long_note_is_cut_with_a_mark_and_is_no_fault(length: int) -> None:
    book = Notebook()
    kept = book.keep("é" * length)
    assert len(kept) == min(length, LONGEST_NOTE)
    assert kept.endswith(CUT) == (length > LONGEST_NOTE)


def test_a_bot_that_never_stops_writing_keeps_only_what_a_match_has_room_for() -> None:
    book = Notebook()
    kept = [book.keep("x" * 77) for _ in range(10_000)]
    assert sum(map(len, kept)) == NOTES_IN_MATCH
    assert [note[-1:] for note in kept if note][-1] == CUT
    assert kept[-1] == ""


def test_a_hostile_note_cannot_control_the_terminal_or_forge_a_line() -> None:
    record = noted(HOSTILE)
    lines = list(playthrough(record, record.hands[0], SHORT, "a seed for tests"))
    (one, *_) = [line for line in lines if "onerror" in line]
    assert one.startswith(" " * 20 + "note  <img")
    assert one.endswith(r"\x1b[2J\x1b[31m\u202e\x00\n  1 forged line")
    assert all(line.isprintable() for line in lines)


def test_who_looks_as_one_seat_does_not_read_the_notes_of_the_other() -> None:
    record = noted("secret")
    seen = ["\n".join(playthrough(record, record.hands[0], SHORT, "a seed for tests", viewer)) for viewer in (0, 1, None)]
    assert ["secret" in text for text in seen] == [True, False, True]
