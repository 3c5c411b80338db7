"""One report on a fixed set of records, for every renderer."""

from collections.abc import Iterable

from support.hands.builders import FIRST
from support.matches.records import batch, match

from arena.gin.deal import Deal
from arena.gin.match import Hand
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.seeing import see
from arena.protocol import notation
from arena.protocol.codec import encode
from arena.records import Assurance, Fault, MatchRecord, Usage
from arena.reports.report import About, Report
from arena.reports.report_builder import make
from arena.stats.estimate import Estimate, Rating

NAUGHTY = "<b>*bold*|`code`_[x](y)\\"


class Rated(Rating, frozen=True, tag="rated"):
    """Ratings that are the same to the last digit on every machine."""

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for everybody who played."""
        names = sorted({name for record in records for name in record.fixture.seats})
        return {
            name: Estimate(
                value=12.5 - 10 * place,
                low=-1.25 - 10 * place,
                high=26.25 - 10 * place,
                ranks=((0.75, 0.2, 0.05), (0.2, 0.6, 0.2), (0.05, 0.2, 0.75))[place],
            )
            for place, name in enumerate(names)
        }


TURN = encode(notation.turn(see(Hand.start(Deal(tuple(range(52)), 1), Rules()), FIRST))).decode().strip()
TRACEBACK = """Traceback (most recent call last):
  File "/bots/mine.py", line 6, in draw
    return self.plan[view.stock]
KeyError: 31
"""


def fault(detail: str, *, seat: int = 1, clause: str | None = None) -> Fault:
    return Fault(
        seat=seat,
        kind="illegal" if clause else "crash",
        game=0,
        hand=1,
        detail=detail,
        clause=clause,
        answer='{"kind":"\\x1b[2J"}',
        turn=TURN,
        stderr=TRACEBACK,
    )


USAGE = (Usage(10, 0.002, 0.01, 0.001), Usage(8, 0.008, 0.02, 0.004))


def records(odd: str = "gamma") -> list[MatchRecord]:
    """Return three pairs of legs and a batch, with every ending, and faults."""
    endings = [Ending.GIN, Ending.BIG_GIN, Ending.UNDERCUT, Ending.KNOCK, Ending.DEAD]
    return [
        match("alpha", "beta", deals="ab/0", winner=0, points=[45, 51, -27, 12, 0], games=[0], endings=endings, usage=USAGE),
        match("beta", "alpha", deals="ab/0", winner=1, points=[-30, 20, -40], games=[0, 1, 1], usage=USAGE),
        match(
            "alpha",
            odd,
            deals="ag/0",
            winner=0,
            points=[50, 50],
            games=[0],
            faults=[fault("ended with exit code 1 without an answer")] * 2,
        ),
        match(odd, "alpha", deals="ag/0", winner=0, points=[10, 30], games=[0]),
        match(
            "beta",
            odd,
            deals="bg/0",
            winner=0,
            points=[25],
            faults=[fault("pass: <i>|not here; allowed: draw, take", clause="R3.4")],
        ),
        match(odd, "beta", deals="bg/0", winner=1, points=[-25]),
        batch("alpha", "beta", [10, -10, 5], deals="batch"),
    ]


def report(odd: str = "gamma", title: str = "Winter league", **changes: bool) -> Report:
    """Return the report on the records."""
    played = records(odd)
    return make(
        enumerate(played),
        {record.fixture.id: record for record in played}.__getitem__,
        about(("alpha", "beta", odd, "delta"), title, odd, **changes),
        Rated(),
        lambda _: "a seed",
    )


def about(field: tuple[str, ...], title: str = "Winter league", odd: str = "gamma", **changes: bool) -> About:
    """Return what such a report says that is not counted."""
    return About(
        title=title,
        field=field,
        rated_by="rated",
        rules=Rules(),
        coin_decides=lambda _: True,
        finished=changes.get("finished", True),
        isolation=Assurance(isolated=True, profile="A", landlock=7, sealed=True, filter="0123456789abcdef" * 4),
        provenance={
            "arena": "0.1.0",
            "python": "3.11.7",
            "commitment": "c" * 64,
            "seed": "s",
            "sandbox": '{"name":"standard"}',
            f"bot {odd}": "1, there, SHA-256 0",
            "link": "d" * 64,
            "spec": "title: Winter league\nbots: [alpha, beta]\n",
        },
    )
