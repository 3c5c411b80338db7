"""Unconfined games as a stored run."""

from collections.abc import Generator, Sequence
from typing import ClassVar, Self

from msgspec.structs import replace

from arena.extras.remote.games_table import details, scores
from arena.extras.remote.record import chronicle, open_games
from arena.extras.remote.record_checks import differences, signature_lines
from arena.records import Result
from arena.roster.entrant import Entered
from arena.runs.stored import RecordedFixtures, RecordedRun
from arena.stats.format_details import Details
from arena.stats.standings import Places
from arena.store.folder import Folder
from arena.store.rows import MOST_SHOWN
from arena.store.store import Facts, Store
from arena.tournament.completeness import Completeness
from arena.tournament.spec import Kinds


class UnconfinedGames(RecordedFixtures, frozen=True, kw_only=True, tag="unconfined"):
    """The format of unconfined games, which ranks by points a hand."""

    entered: tuple[Entered, ...]

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> Places:
        """Rank those that have played by luck-adjusted points a hand."""
        del field
        return [[score.bot] for score in scores(played)]

    def details(self, field: Sequence[str], played: Sequence[Result]) -> Details:
        """Return the table of points a hand, luck-adjusted, and who leads it."""
        del field
        return details(self.entered, played)


class UnconfinedRun(RecordedRun, frozen=True, kw_only=True):
    """Games of bots that play from elsewhere. Its report shows the first entrants, if there are many."""

    rated: ClassVar[bool] = False

    @classmethod
    def read(cls, folder: Folder, store: Store, facts: Facts, kinds: Kinds) -> Self:
        """Return the run with these facts. Raises: DamagedError, SpecError."""
        run = super().read(folder, store, facts, kinds)
        games = UnconfinedGames(recorded=tuple(store.fixtures()), entered=run.field)
        return replace(run, spec=replace(run.spec, format=games), shown=run.field[:MOST_SHOWN])

    def differences(self, complete: Completeness) -> Generator[str, None, Sequence[str]]:
        """Yield also those of answers, signatures and ends; remark what these prove. Raises: DamagedError, InputError."""
        known = chronicle(self.store)
        yield from differences(self.store, known, self.spec.rules, self.facts["seed"])
        left = open_games(self.store, known)
        if self.finished:
            yield from (f"{game}: has no end, and the games are closed" for game in left)
        yield from super().differences(complete)
        without_end = f"; without an end: {', '.join(left)}" if left else ""
        return [
            *([] if self.finished else [f"unfinished: the games are not closed{without_end}"]),
            "unconfined: who answered cannot be checked; every answer was compared with the question and the action on record",
            *signature_lines(known, tuple(self.store.fixtures())),
        ]
