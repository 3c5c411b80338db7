import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from support.hands.builders import FIRST, dealt, played

from arena.gin.rules import Rules
from arena.gin.seeing import disclose, see
from arena.protocol import notation
from arena.protocol.dialogue import Dialogue, OutOfTurnError, Stage
from arena.protocol.messages import Answer, Bye, Hello, Limits, MatchBegins, MatchOver, Ready

DEAL = dealt("3c4c5c 7d7h7s 2h3h4d Ac", "2c2d2s 9h9c9s Jd Qs 5h 8h", "8d", "Kd")
OVER = played("pass pass draw knock:Kd lay_off", DEAL)
assert OVER.result is not None
MESSAGES: dict[str, Struct] = {
    "hello": Hello(1, notation.rules_message(Rules()), Limits(1.0, 60.0, 65536), "seed"),
    "ready": Ready(1),
    "match": MatchBegins(0, None),
    "turn": notation.turn(see(played("", DEAL), FIRST)),
    "answer": Answer("pass"),
    "hand_over": notation.hand_over(disclose(OVER, OVER.result, FIRST, (0, 0), 0)),
    "match_over": MatchOver(won=True, games=(3, 0)),
    "bye": Bye(),
}


def after(words: str) -> Dialogue:
    """Return the dialogue after some messages."""
    dialogue = Dialogue()
    for word in words.split():
        dialogue = dialogue.after(MESSAGES[word])  # type: ignore[arg-type]  # they are all messages
    return dialogue


@pytest.mark.parametrize(
    "words",
    [
        "hello ready match turn answer turn answer hand_over turn answer hand_over match_over bye",
        "hello ready match hand_over match_over match turn answer hand_over match_over bye",
        "hello ready match turn answer bye",
        "hello ready match match_over bye",
        "hello ready bye",
    ],
)
def test_a_whole_conversation_ends_with_bye(words: str) -> None:
    assert after(words).stage is Stage.ENDED


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("turn", "turn at stage start; expected: hello"),
        ("hello hello", "hello at stage greeted; expected: ready"),
        ("hello answer", "answer at stage greeted; expected: ready"),
        ("hello ready turn", "turn at stage between; expected: match or bye"),
        ("hello ready match match", "match at stage playing; expected: turn or hand_over or match_over or bye"),
        ("hello ready match answer", "answer at stage playing; expected: turn or hand_over or match_over or bye"),
        ("hello ready match turn turn", "turn at stage asked; expected: answer"),
        ("hello ready match turn hand_over", "hand_over at stage asked; expected: answer"),
        ("hello ready match match_over hand_over", "hand_over at stage between; expected: match or bye"),
        ("hello ready bye bye", "bye at stage ended; expected: nothing: the conversation has ended"),
    ],
)
def test_a_message_out_of_turn_is_refused_with_the_expected_ones(words: str, complaint: str) -> None:
    with pytest.raises(OutOfTurnError, match=f"^{complaint}$"):
        after(words)


@pytest.mark.parametrize(
    ("words", "owed"), [("", False), ("hello", True), ("hello ready match", False), ("hello ready match turn", True)]
)
def test_only_after_a_question_the_bot_must_answer(words: str, owed: bool) -> None:  # noqa: FBT001 - a table's column
    assert after(words).bot_to_send is owed


@given(st.lists(st.sampled_from(sorted(MESSAGES)), max_size=12))
def test_every_sequence_of_messages_is_accepted_or_out_of_turn(words: list[str]) -> None:
    dialogue = Dialogue()
    for word in words:
        complaint = ""
        try:
            dialogue = dialogue.after(MESSAGES[word])  # type: ignore[arg-type]  # they are all messages
        except OutOfTurnError as error:
            complaint = str(error)
        assert not complaint or complaint.startswith(f"{word} at stage {dialogue.stage}; expected: ")
