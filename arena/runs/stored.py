"""Stored runs: what was played, by which bots, and how deals, states and ranking are found again.

``StoredRun`` is a tournament. Runs of another kind have a subclass, which ``arena.runs.stored_kinds`` finds.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import InputError, RosterError
from arena.records import Fixture, Result
from arena.roster.entrant import IN_PROCESS_SOURCE, PERSONS_SOURCE, Entered, Entrant
from arena.roster.finder import find, names
from arena.roster.reader import Reader
from arena.runs.agreement import COIN, LEGS, PLUGINS, check_method
from arena.stats.standings import Places
from arena.store.folder import MISSING, Folder
from arena.store.spec_revisions import SpecRevised, TermsInForce, in_force, later_seeds, revisions
from arena.store.store import Facts, Store
from arena.tournament.completeness import Completeness
from arena.tournament.formats.base import Format, places
from arena.tournament.plan import RoundStates
from arena.tournament.seeds import commitment
from arena.tournament.spec import Entry, Kinds, Spec, parse_spec

HIDDEN = "revealed when the tournament is finished"


class StoredRun(Struct, frozen=True, kw_only=True):
    """A tournament, and the base class of all stored runs. Its methods may read the database, which is open as in ``read``."""

    own_pages: ClassVar[str] = ""  # the command that shows its pages; empty: those of every run show it
    has_end: ClassVar[bool] = True  # whether a last match follows from its spec; in a league rounds follow until it is stopped
    rated: ClassVar[bool] = True  # whether its report compares and rates the entrants by pairs of legs
    faults_are_public: ClassVar[bool] = True  # whether an export has the details of faults

    folder: Folder
    store: Store
    facts: Facts
    spec: Spec
    field: tuple[Entered, ...]
    shown: tuple[Entered, ...]  # in a report
    later_seeds: Mapping[str, str] = {}  # by fixture: of those that were not played with the first seed

    @classmethod
    def read(cls, folder: Folder, store: Store, facts: Facts, kinds: Kinds) -> Self:
        """Return the run with these facts. Raises: StoreError, DamagedError, SpecError."""
        terms = in_force(store, facts)
        check_method(folder, terms.plan)
        return cls.of_terms(folder, store, terms, parse_spec(terms.spec, kinds, str(folder.spec)))

    @classmethod
    def of_terms(cls, folder: Folder, store: Store, terms: TermsInForce, spec: Spec) -> Self:
        """Return the run with these terms, whose spec was read already. Raises: DamagedError."""
        return cls(
            folder=folder,
            store=store,
            facts=terms.facts,
            spec=spec,
            field=terms.field,
            shown=terms.field,
            later_seeds=later_seeds(store, terms.facts),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Return the entrants' names."""
        return tuple(entrant.name for entrant in self.field)

    @property
    def finished(self) -> bool:
        """Tell whether the run is over; of a league, whether no round is open."""
        return "finished" in self.facts

    def seed_of(self, fixture: str) -> str | None:
        """Return the seed of a fixture; None: its record has the decks. Raises: StoreError, if it is not revealed yet."""
        return self.later_seeds.get(fixture, self.facts["seed"])

    def coin_decides(self, deals: str) -> bool:
        """Tell whether a coin decided which of the two legs on these deals was played first."""
        del deals
        return self.facts.get(LEGS) == COIN

    def places(self, results: Callable[[], Sequence[Result]]) -> Places | None:
        """Return the ranking; None: it follows from the results."""
        return places(self.spec.format, self.names, results)

    def why_hidden(self, fixture: str) -> str:
        """Return why nobody may see the hands of a fixture yet; empty: they may be seen."""
        del fixture
        return ""

    def provenance(self) -> dict[str, str]:
        """Return the facts that reproduce the run. The seed is hidden as long as a bot that knew it could compute deals to come."""
        grown = revisions(self.store, self.facts)
        plugins = [PLUGINS] if PLUGINS in self.facts else []
        shown = {key: self.facts[key] for key in ("arena", "python", "platform", *plugins, "started", "commitment")}
        is_revealed = "finished" in self.facts or any(one.seed for one in grown)
        shown |= {"seed": self.facts["seed"] if is_revealed else HIDDEN}
        for number, one in enumerate(grown, 1):
            is_revealed = "finished" in self.facts or any(later.seed for later in grown[number:])
            shown |= _revision(one, number + 1, is_revealed=is_revealed)
        return shown

    def term_differences(self) -> Iterator[str]:
        """Yield contradictions in what was decided before play, as a seed that was not committed to. Raises: DamagedError."""
        later = [(one.seed, one.commitment) for one in revisions(self.store, self.facts) if one.seed]
        for seed, committed in [(self.facts["seed"], self.facts["commitment"]), *later]:
            if committed != (found := commitment(seed)):
                yield f"seed: its SHA-256 is {found}; committed was {committed}"

    def differences(self, complete: Completeness) -> Generator[str, None, Sequence[str]]:
        """Yield contradictions between records, events and the copy of the spec; return remarks. Raises: DamagedError.

        Remarks are lines about what could not be checked, or is unfinished; ``complete``: the records compared with the format.
        """
        yield from self.copy_differences()
        people = [one.name for one in self.field if one.source == PERSONS_SOURCE]
        missing = complete.summary + ("" if complete.missing else ", but not that the run is over")
        return [
            *([] if self.finished else [f"unfinished: {missing}"]),
            *([f"unconfined: who answered for {' and '.join(people)} cannot be checked"] if people else []),
        ]

    def copy_differences(self) -> Iterator[str]:
        """Yield the copy of the spec in the folder, if it is another text than the database has.

        It may be missing, or older than the spec in force: a run that was killed as it grew writes it again when it resumes.
        """
        known = (self.facts["spec"], *(one.spec for one in revisions(self.store, self.facts)))
        copied = self.folder.spec.name
        found = self.folder.differs(copied, *known)
        if found not in ("", MISSING):
            yield f"{copied}: {found}; expected the spec of the run, as the database has it: restore it, or remove it"

    def folder_differences(self) -> Iterator[str]:
        """Yield files beside the database that are not as its chain says."""
        return iter(())

    def runs_beside(self) -> Iterator["RunBeside"]:
        """Yield the runs in the folder of this one that its chain names."""
        return iter(())

    def find_bot(self, number: int, reader: Reader) -> Entrant:
        """Return the bot of an entrant of the field as it is now. Raises: RosterError, StoreError, InputError."""
        del reader
        return find_recorded_bot(self.spec.bots[number].bot, self.field[number], self.folder)

    def bot_of_replay(self, number: int, reader: Reader) -> Entrant:
        """Return the same; a bot whose fixtures cannot be played again may have a stand-in. Raises: as ``find_bot``."""
        return self.find_bot(number, reader)

    def states_of(self, fixture: str) -> RoundStates | None:
        """Return what the bots of a fixture had learned before it; None: nothing."""
        del fixture
        return None

    def can_replay(self, fixture: Fixture) -> bool:
        """Tell whether the bots of a fixture, and the states with which it began, are kept."""
        del fixture
        return True


class RunBeside(Struct, frozen=True, kw_only=True):
    """A run in the folder of another one, as the chain of that one has it."""

    name: str
    folder: Folder
    link: str
    needed: bool  # whether it must be there
    compare: Callable[[StoredRun, Sequence[Result]], str]  # returns the first difference from the chain; empty: there is none


class RecordedFixtures(Format, frozen=True, kw_only=True, tag="recorded"):
    """The format of a run that was arranged elsewhere: its fixtures are those on record."""

    grows: ClassVar[bool] = False
    recorded: tuple[Fixture, ...]

    @property
    def counts_lost(self) -> bool:
        """Tell that a lost fixture is a result: it cannot be played again."""
        return True

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[Fixture]:
        """Return the recorded fixtures that are not among those played: none, if ``played`` has all records."""
        del field
        known = {result.fixture.id for result in played}
        return (fixture for fixture in self.recorded if fixture.id not in known)


class RecordedRun(StoredRun, frozen=True, kw_only=True):
    """A run that arena did not arrange, of bots that are not here."""

    @classmethod
    def read(cls, folder: Folder, store: Store, facts: Facts, kinds: Kinds) -> Self:
        """Return the run with these facts. Raises: DamagedError, SpecError."""
        spec, field = parse_spec(facts["spec"], kinds, str(folder.spec)), store.entrants()
        entries = tuple(Entry(entrant.source, entrant.name) for entrant in field)
        spec = replace(spec, bots=entries, format=RecordedFixtures(recorded=tuple(store.fixtures())))
        return cls(folder=folder, store=store, facts=facts, spec=spec, field=field, shown=field)

    def find_bot(self, number: int, reader: Reader) -> Entrant:
        """Refuse, for only the names of the bots are known. Raises: InputError."""
        del reader
        why = "the run keeps no place of this bot, so it cannot play again"
        raise InputError(f"{self.names[number]}: {why}; expected another one, as path/to/bot.py, or no --replay")


def find_recorded_bot(bot: str, then: Entered, folder: Folder) -> Entrant:
    """Find a bot of a spec; a file by its recorded path, because the spec may name it relative to another folder.

    Raises: RosterError.
    """
    if then.source == PERSONS_SOURCE:
        raise RosterError(f"{then.name!r} is a person, who cannot be asked to play again")
    if then.source == IN_PROCESS_SOURCE:
        raise RosterError(f"bot {then.name!r} played in the process of a program, so it cannot be started again")
    is_file = Path(then.source).is_absolute() and bot.partition("(")[0] not in names()
    return find(then.source if is_file else bot, folder=folder.path)


def _revision(one: SpecRevised, number: int, *, is_revealed: bool) -> dict[str, str]:
    """Return the facts about a later spec of a run that has grown; the run's original spec has the number 1."""
    shown = {f"spec {number}": f"since {one.at}, after {one.matches} matches; the link was {one.link}"}
    if one.seed:
        shown[f"commitment {number}"] = one.commitment or ""
        shown[f"seed {number}"] = one.seed if is_revealed else HIDDEN
    return shown
