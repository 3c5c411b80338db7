"""Tests of my-part: run them with ``python -m pytest``."""

from my_part import MyPart


def test_half_of_the_cores_play_unless_a_number_is_asked_for() -> None:
    assert [MyPart().workers(None, cores) for cores in (1, 2, 8)] == [1, 1, 4]
    assert MyPart().workers(3, 8) == 3


def test_work_is_done_and_its_errors_come_back() -> None:
    with MyPart().open(1, lambda: None) as pool:
        assert pool.submit(sum, [1, 2]).result() == 3
        assert isinstance(pool.submit(int, "x").exception(), ValueError)
