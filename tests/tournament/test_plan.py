"""Plans: specs with their bots found."""

from collections import Counter

import pytest
from msgspec.structs import replace

from arena.errors import RosterError, SpecError
from arena.gin.score import Ending, HandResult
from arena.plugins import manager
from arena.records import Fixture, Result
from arena.roster.entrant import Entrant, Launch
from arena.tournament import completeness, dry_run, plan, spec

KINDS = manager.kinds(manager.load(entry_points=False))


def entrant(bot: str, name: str | None) -> Entrant:
    return Entrant(name=name or bot, version="1", source=bot, digest="0" * 64, launch=Launch(command=(bot,), folder="/"))


def made(bots: str, seed: str | None = "seed") -> plan.Plan:
    return plan.make(spec.parse_spec(f"bots: {bots}\n", KINDS, "league.yaml"), seed, entrant)


def test_the_field_is_in_the_order_of_the_spec() -> None:
    assert made("[b, a, {bot: a, name: second}]").names == ("b", "a", "second")


def test_a_job_has_what_a_worker_needs() -> None:
    job = made("[a, b]").job(Fixture("b:a/0/1", ("b", "a"), "a:b/0"))
    assert [launch.command for launch in job.launches] == [("b",), ("a",)]
    assert job.seed == "seed"


def test_two_entrants_of_one_name_are_refused() -> None:
    with pytest.raises(RosterError) as caught:
        made("[one.py, b, {bot: other.py, name: one.py}]")
    expected = "give one another name, as {bot: other.py, name: another}"
    assert str(caught.value) == f"two entrants are called 'one.py': one.py and other.py; {expected}"


def test_a_wrong_number_of_bots_is_refused_before_there_is_a_run() -> None:
    with pytest.raises(SpecError, match="format duel: 3 bots; expected two"):
        plan.make(spec.parse_spec("bots: [a, b, c]\nformat: duel\n", KINDS, "league.yaml"), None, entrant)


@pytest.mark.parametrize("name", ["a b", "x/y", "a:b", "-a", "é", "x" * 51])
def test_a_name_that_would_make_ids_ambiguous_is_refused(name: str) -> None:
    with pytest.raises(RosterError, match="an entrant is called"):
        made(f"[a, '{name}']")


def test_a_job_needs_a_seed() -> None:
    with pytest.raises(AssertionError):
        made("[a, b]", None).job(Fixture("x", ("a", "b"), "x"))


def test_a_record_that_differs_only_in_the_scores_of_its_hands_is_described_with_them() -> None:
    equity = spec.parse_spec("bots: [a, b]\nformat: {name: duel, statistic: equity}\n", KINDS, "duel.yaml")
    asked = next(iter(equity.format.fixtures(["a", "b"], [])))
    stored = Result(fixture=replace(asked, scored=False), winner=None, games=(0, 0), points=(0, 0), hands=2)
    (wrong,) = completeness.compare(equity, ["a", "b"], [stored]).wrong
    assert wrong.endswith("on deals a:b/0, 2 hands; expected a and b on deals a:b/0, 2 hands at different scores")


def test_a_dry_run_does_not_sum_all_kinds_for_each_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = []

    def total(kinds: Counter[dry_run.Kind]) -> int:
        sums.append(kinds)
        return sum(kinds.values())

    monkeypatch.setattr(Counter, "total", total)
    found = dry_run.dry_run(made("[a, b, c, d, e, f, g, h]"), [HandResult(Ending.KNOCK, 0, 20, (3, 20))], 10.0)
    assert found.fixtures == 8 * 7
    assert len(sums) < 10
