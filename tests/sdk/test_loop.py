"""Linked ends: the referee's dialogue and the bot's, in one process, over pipes and passed by hand."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from threading import Thread

import pytest
from builders import FIRST, RULESETS, any_action, dealt, played
from table import LIMITS, Teller, play_hands

from arena.gin.actions import Action
from arena.gin.deal import Deal
from arena.gin.hand import Hand
from arena.gin.rules import Rules
from arena.gin.view import Outcome, View, disclose, see
from arena.protocol import notation
from arena.protocol.codec import Malformed, decode_told, encode
from arena.protocol.dialogue import OutOfTurn
from arena.protocol.messages import VERSION, Answer, Bye, Hello, MatchBegins, Ready
from arena.sdk import Bot
from arena.sdk.loop import Serving, serve

DEAL = dealt("3c4c5c 7d7h7s 2h3h4d Ac", "2c2d2s 9h9c9s Jd Qs 5h 8h", "8d", "Kd")
HELLO = Hello(VERSION, notation.agreed(Rules()), LIMITS, "1f6e")


class Listener(Bot):
    """Keeps what it is told of finished hands."""

    heard: list[Outcome]

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self.heard = []

    def hand_over(self, outcome: Outcome) -> None:
        """Keep it."""
        self.heard.append(outcome)


@contextmanager
def linked(bot: Bot) -> Iterator[Teller]:
    """Give the referee's end of two pipes, a bot serving at the other."""
    questions, told = os.pipe()
    answered, answers = os.pipe()
    with os.fdopen(questions, "rb") as bots_in, os.fdopen(told, "wb") as referees_out, os.fdopen(answered, "rb") as referees_in:
        serving = Thread(target=serve, args=(lambda _: bot, bots_in, answers))
        serving.start()
        yield Teller(referees_out, referees_in)
        serving.join(10)
        os.close(answers)
        assert not serving.is_alive()


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
@pytest.mark.parametrize("seat", [0, 1])
def test_linked_ends_play_whole_hands_under_every_ruleset(rules: Rules, seat: int) -> None:
    bot, chance = Listener(), Random(rules.name)
    with linked(bot) as teller:
        hands = list(play_hands(teller, rules, 10, lambda hand: any_action(hand, chance), seat=seat))
    results = [played.hand.result for played in hands]
    assert [(outcome.ending, outcome.points) for outcome in bot.heard] == [
        (result.ending, result.points) for result in results if result
    ]
    assert [outcome.cards for outcome in bot.heard] == [played.hand.cards[:: 1 - 2 * seat] for played in hands]


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


def test_ends_linked_by_hand_answer_just_what_they_owe() -> None:
    made: list[str] = []

    def make(seed: str) -> Bot:
        made.append(seed)
        return Bot(seed)

    serving = Serving(make)
    assert serving.answer(HELLO) == Ready(VERSION, "Bot")
    assert made == ["1f6e"]
    assert serving.answer(decode_told(encode(MatchBegins(0, None)))) is None
    turn = notation.turn(see(played("", DEAL), FIRST))
    assert serving.answer(decode_told(encode(turn))) == Answer("pass")
    over = played("pass pass draw knock:Kd lay_off", DEAL)
    assert over.result is not None
    assert serving.answer(decode_told(encode(notation.hand_over(disclose(over, over.result, FIRST, (0, 0), 0))))) is None
    assert serving.answer(decode_told(encode(Bye()))) is None


def test_a_turn_before_its_match_is_out_of_turn() -> None:
    serving = Serving(Bot)
    serving.answer(HELLO)
    with pytest.raises(OutOfTurn, match="turn at stage between; expected: match or bye"):
        serving.answer(notation.turn(see(played("", DEAL), FIRST)))


def test_a_bot_that_is_not_greeted_does_not_start() -> None:
    with pytest.raises(OutOfTurn, match="match at stage start; expected: hello"):
        serve(Bot, [encode(MatchBegins(0, None))], -1)


def test_a_line_that_is_no_message_ends_the_bot_with_a_reason() -> None:
    with pytest.raises(Malformed, match="JSON is malformed"):
        serve(Bot, [b"shall we play?\n"], -1)


def test_the_end_of_the_questions_ends_the_bot_and_so_does_bye() -> None:
    serve(Bot, [], -1)
    questions, answers = os.pipe()
    serve(Bot, [encode(HELLO), encode(Bye()), b"never read"], answers)
    os.close(answers)
    with os.fdopen(questions, "rb") as said:
        assert said.read() == encode(Ready(VERSION, "Bot"))


def test_a_bot_is_told_the_rules_in_force_with_every_view() -> None:
    seen = []

    class Curious(Bot):
        def answer(self, view: View) -> Action:
            seen.append(view.rules)
            return super().answer(view)

    serving = Serving(Curious)
    rules = RULESETS["under-ten"]
    for told in (
        Hello(VERSION, notation.agreed(rules), LIMITS, ""),
        MatchBegins(0, None),
        notation.turn(see(played("", DEAL), FIRST)),
    ):
        serving.answer(told)
    assert seen == [notation.agreed(rules)]
