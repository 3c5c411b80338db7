"""Both ends of a conversation in one process, over pipes and with direct calls."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Thread

import pytest
from msgspec.structs import replace
from support.bots.conversation import LIMITS, Teller, play_hands
from support.hands.builders import FIRST, RULESETS, dealt, played
from support.hands.by_chance import any_action

from arena.gin.actions import Action
from arena.gin.deal import Deal
from arena.gin.match import Hand
from arena.gin.rules import Rules
from arena.gin.seeing import disclose, see
from arena.gin.view import Outcome, View
from arena.protocol import codec, dialogue, messages, notation, schema
from arena.sdk import Bot
from arena.sdk.loading import bot_class
from arena.sdk.loop import Conversation, serve

DEAL = dealt("3c4c5c 7d7h7s 2h3h4d Ac", "2c2d2s 9h9c9s Jd Qs 5h 8h", "8d", "Kd")
HELLO = messages.Hello(schema.VERSION, notation.rules_message(Rules()), LIMITS, "1f6e")


class Listener(Bot):
    """Records the outcomes of finished hands."""

    outcomes: list[Outcome]

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self.outcomes = []

    def hand_over(self, outcome: Outcome) -> None:
        """Record the outcome."""
        self.outcomes.append(outcome)


@contextmanager
def linked(bot: Bot) -> Iterator[Teller]:
    """Yield the referee's end of two pipes to a bot that serves in a thread."""
    questions, questions_in = os.pipe()
    answered, answers = os.pipe()
    with (
        os.fdopen(questions, "rb") as bots_in,
        os.fdopen(questions_in, "wb") as referees_out,
        os.fdopen(answered, "rb") as referees_in,
    ):
        serving = Thread(target=serve, args=(lambda _: bot, bots_in, answers))
        serving.start()
        yield Teller(referees_out, referees_in)
        serving.join(10)
        os.close(answers)
        assert not serving.is_alive()


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
@pytest.mark.parametrize("seat", [0, 1])
def test_connected_ends_play_whole_hands_under_every_ruleset(rules: Rules, seat: int) -> None:
    bot, chance = Listener(), Random(rules.name)
    with linked(bot) as teller:
        hands = list(play_hands(teller, rules, 10, lambda hand: any_action(hand, chance), seat=seat))
    results = [played.hand.result for played in hands]
    assert [(outcome.ending, outcome.points) for outcome in bot.outcomes] == [
        (result.ending, result.points) for result in results if result
    ]
    assert [outcome.cards for outcome in bot.outcomes] == [played.hand.cards[:: 1 - 2 * seat] for played in hands]


def test_a_bot_over_a_pipe_plays_what_it_plays_inline() -> None:
    chance, again = Random(5), Random(5)
    with linked(Bot()) as teller:
        over_a_pipe = list(play_hands(teller, Rules(), 10, lambda hand: any_action(hand, chance)))
    for number, piped in enumerate(over_a_pipe):
        hand = Hand.start(Deal(piped.hand.deck, piped.hand.dealer), Rules())
        for action in piped.actions:
            mine = Bot().answer(see(hand, FIRST)) if hand.seat == 0 else any_action(hand, again)
            assert mine == action, f"hand {number}"
            hand = hand.play(mine)


def test_serving_answers_only_the_messages_that_need_an_answer() -> None:
    made: list[str] = []

    def make(seed: str) -> Bot:
        made.append(seed)
        return Bot(seed)

    conversation = Conversation(make)
    assert conversation.answer(HELLO) == messages.Ready(schema.VERSION, "Bot")
    assert made == ["1f6e"]
    assert conversation.answer(codec.decode_message(codec.encode(messages.MatchBegins(0, None)))) is None
    turn = notation.turn(see(played("", DEAL), FIRST))
    assert conversation.answer(codec.decode_message(codec.encode(turn))) == messages.Answer("pass")
    over = played("pass pass draw knock:Kd lay_off", DEAL)
    assert over.result is not None
    message = notation.hand_over(disclose(over, over.result, FIRST, (0, 0), 0))
    assert conversation.answer(codec.decode_message(codec.encode(message))) is None
    assert conversation.answer(codec.decode_message(codec.encode(messages.Bye()))) is None


def test_a_turn_before_its_match_is_out_of_turn() -> None:
    conversation = Conversation(Bot)
    conversation.answer(HELLO)
    with pytest.raises(dialogue.OutOfTurnError, match="turn at stage between; expected: match or bye"):
        conversation.answer(notation.turn(see(played("", DEAL), FIRST)))


def test_a_conversation_without_hello_is_refused() -> None:
    with pytest.raises(dialogue.OutOfTurnError, match="match at stage start; expected: hello"):
        serve(Bot, [codec.encode(messages.MatchBegins(0, None))], -1)


def test_an_invalid_line_ends_the_bot_with_a_reason() -> None:
    with pytest.raises(codec.MalformedError, match="JSON is malformed"):
        serve(Bot, [b"shall we play?\n"], -1)


def test_the_end_of_the_input_and_bye_both_end_the_bot() -> None:
    serve(Bot, [], -1)
    questions, answers = os.pipe()
    serve(Bot, [codec.encode(HELLO), codec.encode(messages.Bye()), b"never read"], answers)
    os.close(answers)
    with os.fdopen(questions, "rb") as said:
        assert said.read() == codec.encode(messages.Ready(schema.VERSION, "Bot"))


def test_every_view_has_the_rules_in_force() -> None:
    seen = []

    class Curious(Bot):
        def answer(self, view: View) -> Action:
            seen.append(view.rules)
            return super().answer(view)

    conversation = Conversation(Curious)
    rules = RULESETS["under-ten"]
    for message in (
        messages.Hello(schema.VERSION, notation.rules_message(rules), LIMITS, ""),
        messages.MatchBegins(0, None),
        notation.turn(see(played("", DEAL), FIRST)),
    ):
        conversation.answer(message)
    assert seen == [notation.rules_message(rules)]


class Learner(Bot):
    """Remembers what it finds when it is made, and what it is told at the end."""

    ends: list[tuple[bool | None, tuple[int, int]]]

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self.found = self.state
        self.ends = []

    def match_over(self, won: bool | None, games: tuple[int, int]) -> None:  # noqa: FBT001 - Bot's
        """Record the end."""
        self.ends.append((won, games))


@pytest.mark.parametrize("state", ["/state", None])
def test_a_bot_has_its_state_folder_when_it_is_made_and_hears_of_the_end(
    state: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bot, "state", None)
    made: list[Learner] = []

    def make(seed: str) -> Learner:
        made.append(Learner(seed))
        return made[0]

    conversation = Conversation(make)
    for message in (
        replace(HELLO, state=state) if state else HELLO,
        messages.MatchBegins(0, None),
        messages.MatchOver(won=True, games=(1, 0)),
        messages.Bye(),
    ):
        conversation.answer(message)

    assert (made[0].found, made[0].ends) == (state, [(True, (1, 0))])


def test_hello_names_a_state_folder_only_where_there_is_one() -> None:
    assert b'"state"' not in codec.encode(HELLO)
    assert codec.encode(replace(HELLO, state="/state")).endswith(b',"state":"/state"}\n')


def test_a_file_in_a_package_imports_its_neighbours_whatever_the_package_is_called(tmp_path: Path) -> None:
    for number, folder in enumerate((tmp_path / "random", tmp_path / "other" / "random")):
        (folder / "inner").mkdir(parents=True)
        (folder / "__init__.py").write_text("from .mine import Mine\n")
        (folder / "mine.py").write_text("from .base import Base\nclass Mine(Base): pass\n")
        (folder / "base.py").write_text(f"from arena.sdk import Bot\nclass Base(Bot):\n    number = {number}\n")
        (folder / "inner" / "__init__.py").touch()
        (folder / "inner" / "deep.py").write_text("from ..base import Base\nclass Deep(Base): pass\n")
        for target in ("mine.py:Mine", "inner/deep.py:Deep", "__init__.py:Mine"):
            assert bot_class(f"{folder}/{target}").number == number  # type: ignore[attr-defined]  # of the bots' base


def test_a_file_with_the_name_of_a_standard_module_imports_that_module(tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text(
        "import random\nfrom arena.sdk import Bot\nclass Mine(Bot):\n    chance = random.Random(1)\n"
    )
    assert bot_class(f"{tmp_path}/random.py:Mine").chance.random() == Random(1).random()  # type: ignore[attr-defined]  # of the bot
