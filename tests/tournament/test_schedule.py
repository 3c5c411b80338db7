"""The schedule: never two fixtures on the same deals, each exactly once, in any order of completion."""

import tracemalloc
from collections import Counter
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from arena.records import Fixture
from arena.tournament.schedule import LOOK_AHEAD, Schedule


def fixture(number: int, deals: str) -> Fixture:
    return Fixture(str(number), ("a", "b"), deals)


@given(st.lists(st.sampled_from("abcdefg")), st.integers(1, 9), st.data())
def test_no_two_fixtures_on_the_same_deals_are_in_play_and_all_are_played_once(
    keys: list[str], ahead: int, data: st.DataObject
) -> None:
    fixtures = [fixture(number, key) for number, key in enumerate(keys)]
    schedule, playing, played = Schedule(iter(fixtures)), list[Fixture](), list[str]()
    losses = 0
    while True:
        while len(playing) < ahead and (started := schedule.start()):
            playing.append(started)
        in_play = Counter(one.deals for one in playing)
        assert max(in_play.values(), default=1) == 1
        if not playing:
            break
        ended = playing.pop(data.draw(st.integers(0, len(playing) - 1)))
        if losses < 5 and data.draw(st.booleans()):
            losses += 1
            schedule.again(ended)
        else:
            schedule.done(ended)
            played.append(ended.id)
    assert sorted(played) == sorted(one.id for one in fixtures)


def test_a_waiting_fixture_does_not_delay_those_behind_it() -> None:
    one, same, other = fixture(0, "a"), fixture(1, "a"), fixture(2, "b")
    schedule = Schedule(iter([one, same, other]))
    assert [schedule.start(), schedule.start(), schedule.start()] == [one, other, None]
    schedule.done(one)
    assert schedule.start() == same


def test_the_iterator_is_read_only_as_far_as_needed() -> None:
    read = []

    def fixtures() -> Iterator[Fixture]:
        for number in range(100):
            read.append(number)
            yield fixture(number, str(number // 2))

    schedule = Schedule(fixtures())
    schedule.start()
    schedule.start()
    assert read == [0, 1, 2]


def test_the_number_of_waiting_fixtures_is_limited() -> None:
    fixtures = (fixture(number, "the same") for number in range(100 * LOOK_AHEAD))
    schedule = Schedule(fixtures)
    tracemalloc.start()
    first = schedule.start()
    assert schedule.start() is None
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    assert first
    schedule.done(first)
    second = schedule.start()
    assert second
    assert second.id == "1"
