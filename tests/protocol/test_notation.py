from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict
from support.hands import strategies
from support.hands.builders import RULESETS, melds

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import NAMES, card, in_order
from arena.gin.facts import GameScore
from arena.gin.match import Scoreline
from arena.gin.rules import Rules, possible_facts
from arena.gin.rulesets import Oklahoma
from arena.gin.seeing import disclose, see
from arena.protocol import notation
from arena.protocol.codec import decode_answer, decode_message, encode
from arena.protocol.messages import Answer, HandOver, Hello, Limits, Turn

STANDING = Scoreline(game=1, hand=4, score=(30, 170), games=(0, 1))
THREE = Scoreline(hand=4, score=(30, 20), columns=tuple(GameScore(points) for points in ((120, 20), (30, 20), (0, 20))))
standings = st.sampled_from([STANDING, THREE])


@given(strategies.play_outs(), standings)
def test_every_view_reads_back_from_its_turn(play_out: strategies.PlayOut, standing: Scoreline) -> None:
    for hand in play_out[0][:-1]:
        view = see(hand, standing)
        message = decode_message(encode(notation.turn(view)))
        assert isinstance(message, Turn)
        assert notation.view(message, hand.rules) == view


@given(strategies.play_outs())
def test_every_action_reads_back_from_its_answer(play_out: strategies.PlayOut) -> None:
    for action in play_out[1]:
        assert notation.action(decode_answer(encode(notation.answer(action)))) == action


@given(strategies.play_outs(), standings, strategies.seats)
def test_every_outcome_reads_back_from_its_message(play_out: strategies.PlayOut, standing: Scoreline, seat: int) -> None:
    over = play_out[0][-1]
    assert over.result is not None
    outcome = disclose(over, over.result, standing, (1, 1), seat)
    message = decode_message(encode(notation.hand_over(outcome)))
    assert isinstance(message, HandOver)
    assert notation.outcome(message) == outcome


def sent(rules: Rules) -> dict[str, Any]:
    """Return the options that ``hello`` has: the limit as a number, which is all that most bots need."""
    return asdict(rules) | {
        "name": rules.name,
        "knock_limit": rules.limits[-1],
        "upcard_limit": rules.knock_limit == "upcard",
    }


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_hello_has_all_options_of_any_ruleset(rules: Rules) -> None:
    message = decode_message(encode(Hello(1, notation.rules_message(rules), Limits(1.0, 60.0, 65536), "seed")))
    assert isinstance(message, Hello)
    assert message.rules.name == rules.name
    assert asdict(message.rules) == sent(rules)
    assert message.rules.games_to_win == rules.games_to_win


@pytest.mark.rule("R6.7")
@pytest.mark.parametrize("rules", [Oklahoma(), Oklahoma(ace="one", double="spades"), Rules(), Rules(first_turn="eleven")])
def test_a_bot_that_deals_itself_has_the_terms_of_every_upcard(rules: Rules) -> None:
    sent = notation.rules_message(rules)
    for facts in possible_facts(rules):
        assert sent.terms(facts) == rules.terms(facts)


@given(strategies.rules())
def test_hello_has_every_override(rules: Rules) -> None:
    message = decode_message(encode(Hello(1, notation.rules_message(rules), Limits(1.0, 60.0, 65536), "seed")))
    assert isinstance(message, Hello)
    assert asdict(message.rules) == sent(rules)


def test_hello_has_all_options_of_an_unknown_ruleset() -> None:
    class Short(Rules, frozen=True, kw_only=True, tag="short"):
        knock_limit: int = 5

    message = decode_message(encode(Hello(1, notation.rules_message(Short()), Limits(1.0, 60.0, 65536), "seed")))
    assert isinstance(message, Hello)
    assert (message.rules.name, message.rules.knock_limit, message.rules.target) == ("short", 5, 250)


@pytest.mark.parametrize(
    ("action", "line"),
    [
        (Pass(), b'{"kind":"pass"}\n'),
        (Take(), b'{"kind":"take"}\n'),
        (Draw(), b'{"kind":"draw"}\n'),
        (Discard(card("7h")), b'{"kind":"discard","card":"7h"}\n'),
        (Knock(card("7h")), b'{"kind":"knock","card":"7h"}\n'),
        (Knock(card("7h"), melds("3c4c5c")), b'{"kind":"knock","card":"7h","melds":[["3c","4c","5c"]]}\n'),
        (BigGin(), b'{"kind":"big_gin"}\n'),
        (LayOff(), b'{"kind":"lay_off"}\n'),
        (LayOff((), ((card("6c"), 0),)), b'{"kind":"lay_off","melds":[],"lay_offs":[["6c",0]]}\n'),
    ],
)
def test_an_action_has_the_documented_notation(action: Action, line: bytes) -> None:
    assert encode(notation.answer(action)) == line
    assert notation.action(decode_answer(line)) == action


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (Answer("discard"), "discard without a card"),
        (Answer("knock", melds=()), "knock without a card"),
        (Answer("discard", "7h\n"), "is not a card"),
        (Answer("discard", "1c"), "'1c' is not a card"),
        (Answer("knock", "7h", (("3c", "3c", "3d"),)), "'3c' is named twice"),
        (Answer("pass", "7h"), "pass with card; expected: only the kind"),
        (Answer("draw", None, ()), "draw with melds; expected: only the kind"),
        (Answer("discard", "7h", ()), "discard with melds; expected: card"),
        (Answer("knock", "7h", None, ()), "knock with lay_offs; expected: card and melds"),
        (Answer("big_gin", "7h"), "big_gin with card; expected: melds"),
        (Answer("lay_off", "7h"), "lay_off with card; expected: melds and lay_offs"),
    ],
)
def test_an_answer_that_is_not_an_action_is_refused_with_the_reason(answer: Answer, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        notation.action(answer)


@given(st.lists(strategies.a_card, max_size=20).map(tuple))
def test_the_discard_pile_keeps_its_order(pile: tuple[int, ...]) -> None:
    assert in_order([NAMES[card] for card in pile]) == pile
