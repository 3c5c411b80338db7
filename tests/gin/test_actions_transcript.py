import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hands import strategies
from support.hands.builders import cards, melds

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take, read_actions, word, write_actions
from arena.gin.cards import card

a_meld = st.sampled_from(melds("3c4c5c 7d7h7s 9s9c9d9h AhAd2h Ks"))
some_melds = st.none() | st.lists(a_meld, max_size=4).map(tuple)
some_lay_offs = st.none() | st.lists(st.tuples(strategies.a_card, st.integers(0, 9)), max_size=4).map(tuple)
actions = st.one_of(
    st.sampled_from([Pass(), Take(), Draw()]),
    st.builds(Discard, strategies.a_card),
    st.builds(Knock, strategies.a_card, some_melds),
    st.builds(BigGin, some_melds),
    st.builds(LayOff, some_melds, some_lay_offs),
)


@pytest.mark.parametrize(
    ("action", "written"),
    [
        (Pass(), "pass"),
        (Take(), "take"),
        (Draw(), "draw"),
        (Discard(card("Kd")), "Kd"),
        (Knock(card("Kd")), "knock:Kd"),
        (Knock(card("Kd"), melds("3c4c5c 7d7h7s")), "knock:Kd:melds=3c4c5c,7d7h7s"),
        (Knock(card("Kd"), ()), "knock:Kd:melds="),
        (BigGin(), "big_gin"),
        (BigGin(melds("AcAdAh")), "big_gin:melds=AcAdAh"),
        (LayOff(), "lay_off"),
        (LayOff((), ()), "lay_off:melds=:on="),
        (LayOff(None, ((card("6c"), 0), (card("8s"), 1))), "lay_off:on=6c0,8s1"),
        (LayOff((cards("9s9c9d"),), ()), "lay_off:melds=9c9d9s:on="),
    ],
)
def test_an_action_is_written_as_one_word_and_read_back(action: Action, written: str) -> None:
    assert word(action) == written
    assert read_actions(written) == (action,)


@given(st.lists(actions).map(tuple))
def test_a_transcript_reads_back(several: tuple[Action, ...]) -> None:
    assert read_actions(write_actions(several)) == several


@given(strategies.play_outs())
def test_a_played_hand_reads_back_from_its_transcript(play_out: strategies.PlayOut) -> None:
    assert read_actions(write_actions(play_out[1])) == play_out[1]


@pytest.mark.parametrize(
    "line",
    [
        "Kx",
        "knock",
        "knock:",
        "knock:Kd:foo",
        "knock:Kd:on=6c0",
        "Kd:melds=",
        "big_gin:on=6c0",
        "lay_off:on=6c",
        "lay_off:on=6c-1",
        "lay_off:on=6c0:melds=",
        "lay_off:melds=3c4c,",
        "lay_off:melds=3c3c4c",
        "PASS",
        "lay_off:on=6c0,",
        "discard:Kd",
        "pass:",
    ],
)
def test_an_invalid_word_is_refused_with_the_reason(line: str) -> None:
    with pytest.raises(ValueError, match=f"^'{line}' is not an action: "):
        read_actions(f"pass {line} draw")
