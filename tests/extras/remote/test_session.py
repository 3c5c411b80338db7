"""The frames of a session: each answer counts once, and a reconnect loses nothing."""

from random import Random

import pytest

from arena.extras.remote.session import LONGEST_FRAME, Dropped, Elapsed, FloodError, GivenAnswer, SeekGame, Session


def connected() -> Session:
    session = Session("ann.a", "ann", 0.0)
    session.connect(0, 0.0)
    return session


def asked() -> Session:
    session = connected()
    session.send("hand_over")
    session.ask("turn", 1.0)
    return session


@pytest.mark.parametrize(
    ("frame", "meaning"),
    [
        ("2 draw", GivenAnswer("draw", "", Elapsed(wall=1.0))),
        (f"2:{'x' * 86} draw", GivenAnswer("draw", "x" * 86, Elapsed(wall=1.0))),
        ("1 draw", Dropped(1, "question 2 is open")),
        ("3 draw", Dropped(3, "question 2 is open")),
        ("1", None),
        ("9", Dropped(9, "the last frame was 2")),
        ('0 {"type":"seek"}', SeekGame("seek")),
        ("0 {}", Dropped(0, 'expected {"type":"seek"}')),
        ('0 {"type":"sek"}', Dropped(0, 'expected {"type":"seek"}')),
        ('0 {"type":"seek","x":' + "[" * 4000, Dropped(0, 'expected {"type":"seek"}')),
        ("{}", Dropped(0, "expected NUMBER LINE, NUMBER:SIGNATURE LINE or NUMBER")),
        ("٣ draw", Dropped(0, "expected NUMBER LINE, NUMBER:SIGNATURE LINE or NUMBER")),
    ],
)
def test_a_frame_counts_only_with_the_number_of_the_open_question(frame: str, meaning: object) -> None:
    assert asked().receive(frame, 2.0) == meaning


def test_an_answer_that_comes_twice_or_after_the_question_was_withdrawn_is_dropped() -> None:
    session = asked()
    session.receive("2 draw", 2.0)
    assert session.receive("2 take", 2.0) == Dropped(2, "no question is open")

    session.ask("turn", 3.0)
    session.withdraw()
    assert session.receive("3 draw", 4.0) == Dropped(3, "no question is open")


def test_the_time_without_a_connection_and_the_lag_are_measured_for_the_open_question() -> None:
    session = asked()
    session.receive("2", 1.5)
    session.disconnect(2.0)
    session.disconnect(3.0)
    assert (session.away(5.0), session.elapsed(5.0).away) == (3.0, 3.0)
    session.connect(2, 6.0)

    assert session.elapsed(7.0) == Elapsed(wall=6.0, away=4.0, lag=0.5)

    session.receive("2 draw", 7.0)
    session.disconnect(8.0)
    session.ask("turn", 10.0)
    session.connect(2, 11.0)
    assert session.elapsed(11.0) == Elapsed(wall=1.0, away=1.0)


@pytest.mark.parametrize("frames", [["1"] * 401, ["1" * (LONGEST_FRAME + 1)]])
def test_a_client_that_sends_too_much_is_refused(frames: list[str]) -> None:
    session = connected()

    with pytest.raises(FloodError):
        for frame in frames:
            session.receive(frame, 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_a_line_that_drops_doubles_delays_and_breaks_changes_no_answer(seed: int) -> None:
    # given a client that answers each question with its own line, over a line that loses and repeats frames in both directions
    chance, session, now = Random(seed), connected(), 0.0
    received, replies, on_their_way = 0, {0: "0"}, list[str]()
    answers = list[str]()
    for number in range(40):
        session.ask(f"q{number}", now)
        while session.question is not None:
            now += 1.0
            for at, text in list(session.frames(received)):
                if chance.random() < 0.3:  # the connection breaks: what was on its way may still come, late
                    session.disconnect(now)
                    session.connect(received, now)
                    break
                received = at
                replies[at] = f"{at} a{text.split()[1]}"
                on_their_way += [replies[at]] * chance.randint(0, 2)
            on_their_way += [replies[received]] if chance.random() < 0.5 else []  # sent again after a reconnect
            chance.shuffle(on_their_way)
            # when they arrive in any order
            while on_their_way and chance.random() < 0.7:
                found = session.receive(on_their_way.pop(), now)
                answers += [found.line] if isinstance(found, GivenAnswer) else []
    # then each question has one answer, its own
    assert answers == [f"aq{number}" for number in range(40)]
