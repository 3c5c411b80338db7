"""A comparison that is continued with fresh deals.

A run has one seed and one limit of hands, so more hands are another run: a *part*, in the folder ``part-2`` of the first one,
with its own seed and commitment. Its format is the same with a higher limit, and receives the results of the earlier parts too.
So it plays the pairs after theirs, and the bettors continue with the wealth that they had: evidence multiplies. A part stores
the last link of the hash chain of the part before, so a later change of that one is found.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.compare.dueling import DuelTerms, model_plays
from arena.errors import InputError, StoreError
from arena.plugins.manager import installed_kinds
from arena.reports.fallbacks import why_not_judged
from arena.reports.verdict import decision_words
from arena.runs import compared_parts, starts
from arena.runs.agreement import check_bots_and_seed, check_same, plan_text, question
from arena.runs.compared_parts import comparison_parts, earlier_of_parts
from arena.runs.starts import RunStart
from arena.runs.stored_kinds import stored_run
from arena.stats.duels import Verdict
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.formats.tested import Tested
from arena.tournament.plan import Plan

MakePlan = Callable[[DuelTerms], Plan]  # returns the plan of a comparison


class _StoredPart(Struct, frozen=True):
    """The format of a part on file, and whether it is finished."""

    form: Tested
    finished: bool

    def terms(self, terms: DuelTerms) -> DuelTerms:
        """Return ``terms`` with the limit of hands of this part.

        The limit is not changed for a test of fixed length: with another length it is another test.
        """
        return terms if terms.until == "limit" else replace(terms, hands=self.form.hands)


def next_part(make: MakePlan, terms: DuelTerms, seed: str | None, results: Path | None) -> RunStart:
    """Return the start of the next part of an undecided comparison, or that of its last part, if it was interrupted.

    ``terms.hands`` are played in addition. Raises: InputError, if there is no undecided comparison of these bots and terms in
    ``results`` or below ``results/``; StoreError.
    """
    if results and compared_parts.PART.fullmatch(results.name) and Folder(results.parent).database.is_file():
        raise InputError(f"{results}: one part of a duel; expected the folder of the whole duel, {results.parent}")
    first = Folder(results) if results else _newest(make, terms, _check_same)
    if first is None:
        names = " and ".join(make(terms).names[:2])
        raise InputError(f"--continue: no duel of {names} with these options in {starts.RESULTS}/")
    parts = list(comparison_parts(first))
    if not parts:
        raise InputError(f"{first.path}: holds no run; expected the folder of the duel to continue")
    stored = _read_stored(parts[-1])
    last = _plan_of_parts(make, stored.terms(terms), parts[:-1])
    _check_same(last, parts[-1])
    if stored.finished:
        if (verdict := _verdict(last, parts)) is not Verdict.UNDECIDED:
            decided = decision_words(verdict, stored.form.bounds)
            raise InputError(f"{first.path}: this duel is decided: {decided}; only an undecided one is continued")
        return _part_after(make, stored.terms(terms), terms.hands, seed, parts)
    if len(parts) == 1:
        raise InputError(f"{first.path}: this duel has not ended; the same command without --continue resumes it")
    return RunStart(plan=replace(last, seed=seed), folder=parts[-1])


def start_or_continue(make: MakePlan, terms: DuelTerms, seed: str | None, results: Path | None) -> RunStart:
    """Return the start of a new run, of the stored run of the same question, or of its next part, if it has no verdict yet.

    A question that is repeated until the answer suits would be answered wrongly too often. So a repeated question continues the
    evidence on file, and an answered one gets the same answer; a test of fixed length has always been answered. Raises: InputError;
    StoreError, for a folder of another question.
    """
    first = Folder(results) if results else _newest(make, terms, _check_question)
    parts = list(comparison_parts(first)) if first else []
    if not parts:
        return starts.find_start(replace(make(terms), seed=seed), results)
    stored = _read_stored(parts[-1])
    at_levels = replace(terms, alpha=stored.form.alpha, beta=stored.form.beta)
    last = _plan_of_parts(make, stored.terms(at_levels), parts[:-1])
    _check_question(last, parts[-1])
    answered = terms.until == "limit" or (at_levels == terms and _verdict(last, parts) is not Verdict.UNDECIDED)
    unreported = parts[-1].unreported_mark.exists()  # it ended before its answer was shown, which is shown now
    if not stored.finished or unreported or answered:
        return RunStart(plan=replace(last, seed=seed), folder=parts[-1])
    return _part_after(make, stored.terms(terms), terms.hands, seed, parts)


def _part_after(make: MakePlan, terms: DuelTerms, more: int, seed: str | None, parts: Sequence[Folder]) -> RunStart:
    """Return the start of the part after the last of ``parts``, which has these terms; ``more`` hands are played in addition.

    Raises: InputError, if a language model has decided too little of that part: no later one would make it evidence.
    """
    with Store(parts[-1].database) as store:
        if reason := why_not_judged(model_plays(store)):
            raise InputError(f"{parts[-1].path}: {reason}, so it cannot be continued; expected a new run, in another --results")
    following = _plan_of_parts(make, replace(terms, hands=terms.hands + more), parts)
    return RunStart(plan=replace(following, seed=seed), folder=Folder(parts[0].inside(f"part-{len(parts) + 1}")))


def _newest(make: MakePlan, terms: DuelTerms, check: Callable[[Plan, Folder], None]) -> Folder | None:
    """Return the newest comparison of these bots and terms below ``results/`` that passes a check; None: there is none."""
    for folder in starts.candidate_folders(make(terms).spec.title):
        if folder.database.is_file():
            with suppress(StoreError):
                check(_plan_of_parts(make, _read_stored(folder).terms(terms), ()), folder)
                return folder
    return None


def _check_same(plan: Plan, folder: Folder) -> None:
    """Raise StoreError if a part was played by other bots or under other terms."""
    with Store(folder.database) as store:
        facts = store.begun_facts()
        check_same(plan, folder, facts, store.field(), facts["plan"])


def _check_question(plan: Plan, folder: Folder) -> None:
    """Raise StoreError if a part was played by other bots, or asks another question."""
    with Store(folder.database) as store:
        facts, field = store.begun_facts(), store.field()
        if question(plan_text(plan)) != question(facts["plan"]):
            check_same(plan, folder, facts, field, facts["plan"])
        check_bots_and_seed(plan, folder, facts, field)


def _verdict(plan: Plan, parts: Sequence[Folder]) -> Verdict:
    """Return the verdict of a plan on the results of some parts."""
    assert isinstance(plan.spec.format, Tested)
    form = plan.spec.format
    return form.verdict(form.sets(plan.names, earlier_of_parts(parts).results))


def _read_stored(folder: Folder) -> _StoredPart:
    with Store(folder.database) as store:
        run = stored_run(folder, store, installed_kinds())
        if not isinstance(run.spec.format, Tested):
            raise StoreError(f"{folder.path}: holds no duel")
        return _StoredPart(run.spec.format, run.finished)


def _plan_of_parts(make: MakePlan, terms: DuelTerms, parts: Sequence[Folder]) -> Plan:
    """Return the plan of a comparison that continues some parts, without a seed."""
    return replace(make(terms), earlier=earlier_of_parts(parts))
