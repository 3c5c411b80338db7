from msgspec import structs

from arena.reports.verdict import PastVerdict, lines
from arena.stats.wealth import Interval


def past(date: str, digest: str, found: Interval | None, question: str = "head to head") -> PastVerdict:
    return PastVerdict(
        date=date,
        arena="1",
        question=question,
        baseline="v1",
        candidate="mine",
        version="2.0",
        digest=digest * 64,
        verdict="not weaker by 0.5 or more" if found else "undecided",
        hands=1240,
        unit="points a hand",
        difference=found,
    )


def test_verdicts_on_a_baseline_are_drawn_on_one_scale() -> None:
    up, down = Interval(1.0, 0.0, 2.0), Interval(-1.0, -2.0, 0.0)
    shown = list(lines([past("2026-11-20 10:00", "a", up), past("2026-11-21 10:00", "b", down)]))
    title, first, second, scale = shown
    assert title == "against v1, head to head: points a hand"
    assert first.startswith("  2026-11-20 10:00  mine 2.0 aaaaaaaa  not weaker by 0.5 or more   1,240 hands  +1.00 [+0.00, +2.00] ")
    drawn = [line[103:] for line in (first, second, scale)]
    assert drawn == [
        "                    |---------o----------",
        "----------o---------|",
        "-2.00               0               +2.00",
    ]


def test_each_question_has_a_chart_of_its_own() -> None:
    both = [past("x", "a", Interval(0, -1, 1)), past("y", "a", None, "against the field")]
    assert [line for line in lines(both) if line.startswith("against")] == [
        "against v1, against the field: points a hand",
        "against v1, head to head: points a hand",
    ]
    assert any(line.endswith("nothing was played") for line in lines(both))


def test_a_file_queue_again_as_losts_says_so() -> None:
    assert list(lines([])) == ["no verdict has been kept"]


def test_wide_intervals_and_many_hands_do_not_move_a_chart() -> None:
    wide = structs.replace(past("2026-11-20 10:00", "a", Interval(-12.0, -20.0, -4.0)), hands=1_000_000)
    shown = list(lines([wide, past("2026-11-21 10:00", "b", Interval(0.0, -1.0, 1.0))]))
    assert len({line.rindex(middle) for line, middle in zip(shown[1:], ("|", "o", "0  "), strict=True)}) == 1
