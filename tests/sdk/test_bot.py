"""The defaults of ``Bot`` play legally and reproducibly."""

import pytest
from hypothesis import given, settings
from support.hands import strategies
from support.hands.builders import FIRST, RULESETS, holding
from support.hands.by_chance import play_out
from support.sizes import mostly_nightly, size

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import card
from arena.gin.deal import Deal
from arena.gin.match import Hand, Phase, Scoreline
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.gin.view import View
from arena.sdk import Bot
from arena.sdk.checks import check_class, misspelt
from arena.sdk.positions import position


class Mine(Bot):
    """A bot without overrides."""


def played(rules: Rules, deal: Deal, bots: tuple[Bot, Bot]) -> Hand:
    """Return the finished hand of two bots."""
    hand = Hand.start(deal, rules)
    while hand.result is None:
        hand = hand.play(bots[hand.seat].answer(see(hand, FIRST)))
    return hand


@pytest.mark.parametrize("rules", mostly_nightly(RULESETS.values(), RULESETS["tournament"], RULESETS["oklahoma"]), ids=RULESETS)
def test_the_defaults_play_legal_hands_to_their_end_under_every_ruleset(rules: Rules) -> None:
    endings = [played(rules, Deal(shuffle(f"{n}"), n & 1), (Mine(), Mine())).result for n in range(200)]
    assert {result.ending for result in endings if result} >= {Ending.GIN} | ({Ending.KNOCK} if rules.limits[-1] else set())


@pytest.mark.process
@settings(max_examples=size(60, 300))
@given(strategies.play_outs())
def test_the_defaults_have_a_legal_answer_in_hands_that_others_play(chance_play: strategies.PlayOut) -> None:
    for hand in chance_play[0][:-1]:
        hand.play(Mine().answer(see(hand, FIRST)))


@pytest.mark.parametrize("rules", mostly_nightly(RULESETS.values(), RULESETS["tournament"], RULESETS["oklahoma"]), ids=RULESETS)
def test_the_defaults_have_a_legal_answer_in_every_state_of_many_hands(rules: Rules) -> None:
    for number in range(40):
        for hand in play_out(Deal(shuffle(f"led {number}"), number & 1), rules, number)[0][:-1]:
            hand.play(Mine().answer(see(hand, FIRST)))


@pytest.mark.parametrize(
    ("cards", "drawn", "action"),
    [
        ("3c4c5c6c 7d7h7s AcAdAhAs", "6c", BigGin()),
        ("3c4c5c 7d7h7s AcAdAhAs Kd", "Kd", Knock(card("Kd"))),
        ("3c4c5c 7d7h7s Ah2h4h KsQd", "Qd", Discard(card("Qd"))),
    ],
)
def test_the_default_discard_goes_gin_knocks_or_discards_its_dearest_deadwood(cards: str, drawn: str, action: Action) -> None:
    assert Mine().answer(see(holding(cards, drawn=drawn), FIRST)) == action


class Recorder(Bot):
    """Records which of its methods were called."""

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self.asked: list[str] = []

    def upcard(self, view: View) -> Action:
        """Record the call and pass."""
        self.asked.append(f"upcard {view.stock}")
        return Pass()

    def draw(self, view: View) -> Action:
        """Record the call and draw."""
        self.asked.append(f"draw {view.stock}")
        return Draw()

    def discard(self, view: View) -> Action:
        """Record the call and discard the drawn card."""
        self.asked.append(f"discard {view.stock}")
        assert view.drawn is not None
        return Discard(view.drawn)

    def last_take(self, view: View) -> Action:
        """Record the call and pass."""
        self.asked.append(f"last_take {view.stock}")
        return Pass()


def test_each_phase_calls_its_method_and_a_forced_draw_calls_none() -> None:
    bots = (Recorder(), Recorder())
    played(Rules(stock_out="last_take"), Deal(shuffle("asked"), 1), bots)
    assert bots[0].asked[:4] == ["upcard 31", "discard 30", "draw 29", "discard 28"]
    assert bots[1].asked[:3] == ["upcard 31", "draw 30", "discard 29"]
    assert bots[1].asked[-1] == "last_take 2"


def test_a_knock_calls_lay_off_and_a_last_take_is_followed_by_a_knock() -> None:
    assert Mine().answer(see(holding("3c4c5c7d7h7sAh2h4hKs", phase=Phase.LAY_OFF), FIRST)) == LayOff()
    last = holding("3c4c5c 7d7h7s Ah2h3h 4h Kd", phase=Phase.LAST_KNOCK, drawn="4h", taken=True)
    assert Mine().answer(see(last, FIRST)) == Knock(card("Kd"))


class Gambler(Bot):
    """Chooses at random where it may."""

    def upcard(self, view: View) -> Action:
        """Take or pass at random."""
        return Take() if self.random.random() < view.stock / 62 else Pass()


def tosses(bot: Bot, hands: list[tuple[int, int]]) -> list[float]:
    """Return two random numbers of each hand."""
    hand = Hand.start(Deal(shuffle("tosses"), 1), Rules())
    numbers = []
    for game, number in hands:
        bot.answer(see(hand, Scoreline(game, number)))
        numbers.append(bot.random.random())
    return numbers


def test_random_numbers_restart_with_every_hand() -> None:
    whole = tosses(Gambler("seed"), [(0, 0), (0, 1), (1, 0), (1, 1)])
    assert len(set(whole)) == 4
    assert tosses(Gambler("seed"), [(1, 0)]) == [whole[2]]
    assert tosses(Gambler("seed"), [(0, 1), (0, 0), (1, 1)]) == [whole[1], whole[0], whole[3]]


def test_random_numbers_before_the_first_turn_do_not_change_the_first_hand() -> None:
    bot = Gambler("seed")
    bot.random.random()
    assert tosses(bot, [(0, 0)]) == tosses(Gambler("seed"), [(0, 0)])


def test_random_numbers_continue_within_a_hand_and_differ_between_seeds() -> None:
    first, second = tosses(Gambler("seed"), [(0, 0), (0, 0)])
    assert first != second
    assert tosses(Gambler("seed"), [(0, 0)]) == [first]
    assert tosses(Gambler("other"), [(0, 0)]) != [first]


class Talker(Bot):
    """Notes what it does, more than once in a turn."""

    def draw(self, view: View) -> Action:
        """Say two things, one of them with half of a character."""
        self.note("no run")
        self.note("so \ud800")
        return super().draw(view)


def test_the_notes_of_a_turn_go_with_its_answer_and_with_no_other() -> None:
    bot = Talker()
    assert bot.answer(position("3c4c 7d8d Jh Qh 2s 6s 9s Ks", phase="draw", pile="5c")) == Take()
    assert bot.taken_note() == r"no run; so \ud800"
    assert bot.taken_note() == ""


def test_a_note_that_is_too_long_is_cut_and_what_is_no_text_is_refused() -> None:
    bot = Bot()
    for _ in range(3):
        bot.note("x" * 150)
    assert bot.taken_note() == "x" * 150 + "; " + "x" * 47 + "…"
    with pytest.raises(TypeError, match=r"note\(\) was given 7, of type int; expected text"):
        bot.note(7)  # type: ignore[arg-type]


def test_a_bot_may_have_a_method_called_note_of_its_own() -> None:
    class Diarist(Bot):
        def note(self, view: View, what: str) -> None:  # type: ignore[override]
            """Do something else."""

        def notes(self, text: str) -> None:
            """Have a name near that of an offered method."""

    assert check_class(Diarist, "Diarist") is Diarist
    assert list(misspelt(Diarist)) == []
