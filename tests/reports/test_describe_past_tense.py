"""What happened in a hand, in words that fit every name."""

from support.hands.builders import melds

from arena.gin.cards import card
from arena.gin.score import Ending
from arena.reports.replay_words import DID, ENDINGS, laid_down, score_words

PRESENT = ("passes", "takes", "draws", "throws", "discards", "knocks", "goes", "lays", "deals", "scores")


def test_no_verb_changes_with_the_name() -> None:
    words = {word for said in DID.values() for word in said.split()}
    assert words.isdisjoint(PRESENT)


def test_who_scored_is_said_with_the_ending() -> None:
    assert score_words(ENDINGS[Ending.BIG_GIN], "you", 31) == "big gin: you scored 31"
    assert score_words(ENDINGS[Ending.DEAD], None, 0) == "dead hand: nobody scored"


def test_a_lay_off_names_its_card_and_the_meld_it_lies_on() -> None:
    own, table = melds("9c9d9h"), melds("3c4c5c 7d7h7s")
    said = laid_down(own, ((card("6c"), 0), (card("7c"), 1)), table)
    assert said == "laid 9c 9d 9h, laid off 6c on 3c 4c 5c, 7c on 7d 7h 7s"
    assert laid_down((), (), table) == "laid no meld"
