"""House bots play leagues of each ruleset that other people play; verification and the kernel find every hand as it was played."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from presets import PRESETS, kernel_differences, recorded_hands, study

from arena.gin.rulesets import Oklahoma

pytestmark = pytest.mark.process


@pytest.mark.rule("R2.5")
@pytest.mark.parametrize("rules", PRESETS)
def test_a_league_is_verified_and_the_kernel_has_the_result_of_each_hand(rules: str, tmp_path: Path) -> None:
    found = study(rules, 1, tmp_path / "run")
    assert (found.verify, found.kernel) == ("", ())
    assert found.hands > 20  # a match each, at least
    assert found.multiplied > 0 if "double" in rules else found.multiplied == 0
    assert len(found.limits) == (10 if "oklahoma" in rules else 1)


def test_a_result_that_is_not_the_kernels_is_found(tmp_path: Path) -> None:
    study("oklahoma", 1, tmp_path / "run")
    (hand, deal), *others = recorded_hands(tmp_path / "run")
    (line,) = kernel_differences([(replace(hand, points=hand.points + 1), deal), *others], Oklahoma())
    assert line.startswith(f"{hand.game}.{hand.hand}: HandResult(")
