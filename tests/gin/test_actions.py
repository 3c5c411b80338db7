from typing import get_args

import msgspec
import pytest

from arena.gin.actions import Action, Discard, IllegalActionError, Kind, Knock, LayOff


def test_every_kind_of_action_has_one_class() -> None:
    assert [action.kind for action in get_args(Action)] == list(get_args(Kind))


def test_an_action_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Discard(3).card = 4  # type: ignore[misc]  # that it is refused is the point


def test_what_is_not_declared_is_not_the_same_as_an_empty_declaration() -> None:
    assert Knock(3) != Knock(3, ())
    assert LayOff() != LayOff((), ())
    assert LayOff() == LayOff(None, None)


def test_an_illegal_action_names_the_clause_it_breaks() -> None:
    error = IllegalActionError("R6.1", "a knock with 11 points of deadwood; the limit is 10")
    assert str(error) == "a knock with 11 points of deadwood; the limit is 10 (R6.1)"
    assert error.clause == "R6.1"


def test_actions_are_values() -> None:
    assert len({Knock(3, (7,)), Knock(3, (7,)), Discard(3)}) == 2
    assert msgspec.structs.asdict(Knock(3)) == {"card": 3, "melds": None}
