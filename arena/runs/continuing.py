"""A comparison that is continued with fresh deals.

A run has one seed and one limit of hands, so more hands are another run: a *part*, in the folder ``part-2`` of the first one, with
a seed and a commitment of its own. Its format is the same with a higher limit, and receives the results of the parts before too. So
it asks for the pairs after theirs, and the bettors continue with the wealth that they had: evidence multiplies. A part keeps the
last link of the part before, so a later change of that one is found.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import InputError, StoreError
from arena.reports.verdict import decided
from arena.runs import session
from arena.runs.agreement import check_bots_and_seed, check_same, played_by, question
from arena.runs.compare import Terms
from arena.runs.earlier import in_parts, parts_of
from arena.runs.parts import kinds
from arena.runs.stored import stored_run
from arena.stats.sequential.betting import Verdict
from arena.store.folder import Folder, candidates
from arena.store.store import Store
from arena.tournament.formats.tested import Tested
from arena.tournament.plan import Plan

Make = Callable[[Terms], Plan]  # returns the plan of a comparison


class _Stored(Struct, frozen=True):
    """What is known of a part on file."""

    form: Tested
    finished: bool

    def terms(self, terms: Terms) -> Terms:
        """Return the terms with the limit of hands of this part, and with what it keeps if an older method began it.

        A test of fixed length is another one if it has another length.
        """
        limited = terms if terms.until == "limit" else replace(terms, hands=self.form.hands)
        if self.form.method == terms.method:
            return limited
        return replace(limited, method=self.form.method, leg=self.form.leg, skip=self.form.skip)

    def levels(self, terms: Terms) -> Terms:
        """Return the terms with the levels of this part."""
        return replace(terms, alpha=self.form.alpha, beta=self.form.beta)


def continued(make: Make, terms: Terms, seed: str | None, results: Path | None) -> tuple[Plan, Folder]:
    """Return the plan and the folder of the next part of an undecided comparison, or of the part that was interrupted.

    ``terms.hands`` are played in addition. Raises: InputError, if there is no undecided comparison of these bots and terms in
    ``results`` or below ``results/``; StoreError.
    """
    first = Folder(results) if results else _newest(make, terms, _check_same)
    if first is None:
        names = " and ".join(make(terms).names[:2])
        raise InputError(f"--continue: no duel of {names} with these options in {session.RESULTS}/")
    parts = list(parts_of(first))
    if not parts:
        raise InputError(f"{first.path}: holds no run; expected the folder of the duel to continue")
    stored = _stored(parts[-1])
    last = _plan_of_parts(make, stored.terms(terms), parts[:-1])
    _check_same(last, parts[-1])
    if stored.finished:
        _check_undecided(last, parts)
        return _following(make, terms, seed, parts)
    if len(parts) == 1:
        raise InputError(f"{first.path}: this duel has not ended; the same command without --continue resumes it")
    return replace(last, seed=seed), parts[-1]


def asked_again(make: Make, terms: Terms, seed: str | None, results: Path | None) -> tuple[Plan, Folder]:
    """Return the plan and the folder of a question: a new run, the one on file that answers it, or the next part of that.

    Asked until the answer suits, it would be answered wrongly too often. So a question that is asked again continues the evidence
    on file, and gets the same answer if it was answered; a test of fixed length always does. Raises: InputError; StoreError, for a
    folder of another question.
    """
    first = on_file(make, terms, results)
    parts = list(parts_of(first)) if first else []
    if not parts:
        plan = replace(make(terms), seed=seed)
        return plan, session.folder_of(plan, results)
    stored = _stored(parts[-1])
    last = _plan_of_parts(make, stored.levels(stored.terms(terms)), parts[:-1])
    _check_question(last, parts[-1])
    same_levels = (stored.form.alpha, stored.form.beta) == (terms.alpha, terms.beta)
    answered = terms.until == "limit" or (same_levels and _verdict(last, parts) is not Verdict.UNDECIDED)
    if not stored.finished or parts[-1].unreported.exists() or answered:
        return replace(last, seed=seed), parts[-1]
    return _following(make, terms, seed, parts)


def on_file(make: Make, terms: Terms, results: Path | None) -> Folder | None:
    """Return the folder of the question in ``results``, or the newest below ``results/``; None: it was not asked."""
    return Folder(results) if results else _newest(make, terms, _check_question)


def holds(first: Folder, part: Path, seed: str) -> bool:
    """Tell whether a folder holds a part of a comparison that begins in ``first``, and was played with a seed."""
    if first.path not in (part, part.parent) or not Folder(part).database.is_file():
        return False
    with Store(Folder(part).database) as store:
        return store.fact("seed") == seed


def _following(make: Make, terms: Terms, seed: str | None, parts: Sequence[Folder]) -> tuple[Plan, Folder]:
    """Return the plan and the folder of the part after the last."""
    kept = _stored(parts[-1]).terms(terms)
    following = _plan_of_parts(make, replace(kept, hands=kept.hands + terms.hands), parts)
    return replace(following, seed=seed), Folder(parts[0].path / f"part-{len(parts) + 1}")


def _newest(make: Make, terms: Terms, check: Callable[[Plan, Folder], None]) -> Folder | None:
    """Return the newest comparison of these bots and terms below ``results/`` that passes a check; None: there is none."""
    title = make(terms).spec.title
    for folder in candidates(session.RESULTS, title, f"{datetime.now(UTC):%Y-%m-%d}"):
        if folder.database.is_file() and _passes(make, terms, folder, check):
            return folder
    return None


def _passes(make: Make, terms: Terms, folder: Folder, check: Callable[[Plan, Folder], None]) -> bool:
    try:
        check(_plan_of_parts(make, _stored(folder).terms(terms), ()), folder)
    except StoreError:
        return False
    return True


def _check_same(plan: Plan, folder: Folder) -> None:
    """Raise StoreError if a part was played by other bots or under other terms."""
    with Store(folder.database) as store:
        check_same(plan, folder, store.facts(), store.field(), store.fact("plan"))


def _check_question(plan: Plan, folder: Folder) -> None:
    """Raise StoreError if a part was played by other bots, or asks another question."""
    with Store(folder.database) as store:
        if question(played_by(plan)) != question(store.fact("plan")):
            check_same(plan, folder, store.facts(), store.field(), store.fact("plan"))
        check_bots_and_seed(plan, folder, store.facts(), plan.field, store.field())


def _check_undecided(plan: Plan, parts: Sequence[Folder]) -> None:
    """Raise InputError if a comparison has a verdict."""
    verdict = _verdict(plan, parts)
    if verdict is not Verdict.UNDECIDED:
        assert isinstance(plan.spec.format, Tested)
        answer = decided(verdict, plan.spec.format.bounds)
        raise InputError(f"{parts[0].path}: this duel is decided: {answer}; only an undecided one is continued")


def _verdict(plan: Plan, parts: Sequence[Folder]) -> Verdict:
    """Return the verdict of a plan on all that was played in some parts."""
    assert isinstance(plan.spec.format, Tested)
    return plan.spec.format.state(plan.names, in_parts(parts).results).verdict


def _stored(folder: Folder) -> _Stored:
    with Store(folder.database) as store:
        form = stored_run(folder, store, kinds()).spec.format
        if not isinstance(form, Tested):
            raise StoreError(f"{folder.path}: holds no duel")
        return _Stored(form, session.is_over(store))


def _plan_of_parts(make: Make, terms: Terms, parts: Sequence[Folder]) -> Plan:
    """Return the plan of a comparison that continues some parts, without a seed."""
    return replace(make(terms), earlier=in_parts(parts))
