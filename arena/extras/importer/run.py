"""Imported runs, whose records hold their decks."""

from collections.abc import Generator, Iterator, Sequence

from arena.runs.stored import RecordedRun
from arena.tournament.completeness import Completeness

KIND = "import"


class ImportedRun(RecordedRun, frozen=True, kw_only=True):
    """A run that was made of a file of hands."""

    def seed_of(self, fixture: str) -> None:
        """Return None: the records hold their decks."""

    def provenance(self) -> dict[str, str]:
        """Return the file; nothing else is known."""
        seed = "not known: the decks are stored as they were imported, and cannot be checked against it"
        return {"imported": self.facts["imported"], "seed": seed}

    def term_differences(self) -> Iterator[str]:
        """Yield nothing: there was no commitment to a seed."""
        return iter(())

    def differences(self, complete: Completeness) -> Generator[str, None, Sequence[str]]:
        """Yield those of every run; remark that nothing but the hands could be checked."""
        remarks = yield from super().differences(complete)
        unchecked = "the decks cannot be checked against a seed, nor the bots and their times"
        return [*remarks, f"imported: {unchecked}; all else was checked"]
