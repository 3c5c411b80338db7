"""The base class of formats: rankings, and the default of none."""

from collections.abc import Iterable, Sequence
from typing import NoReturn

from arena.records import Fixture, Result
from arena.tournament.formats.base import Format, places
from arena.tournament.formats.round_robin import RoundRobin


class Fixed(Format, frozen=True, kw_only=True, tag="fixed"):
    """A format with a given ranking."""

    order: tuple[tuple[str, ...], ...]

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        return []

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> Sequence[Sequence[str]]:
        return self.order


def unread() -> NoReturn:
    raise AssertionError("the results were read")


def test_a_format_without_a_ranking_reads_no_results() -> None:
    assert places(RoundRobin(), ["a", "b"], unread) is None
    assert Fixed(order=()).least(3) == 0, "not known"


def test_a_ranking_is_a_list_of_places() -> None:
    assert places(Fixed(order=(("b",), ("a", "c"))), ["a", "b", "c"], list) == (("b",), ("a", "c"))
