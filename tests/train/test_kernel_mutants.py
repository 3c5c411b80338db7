"""A wrong kernel is noticed: each small fault in its source is found by comparing hands, or melds, with the engine."""

import pytest
from msgspec import Struct
from support.hands.sampled import corners, pairs
from support.kernel.games import PLAYERS, VARIANTS, DifferenceError, differences, kept
from support.kernel.source import interpreted

from arena.train import hands

TRIES = 15  # of four hands, in which a fault must be found


class Fault(Struct, frozen=True):
    """A fault in the source of the kernel, and where it is looked for."""

    right: str
    wrong: str
    variant: str = "tournament"
    players: str = "random"


FAULTS = (
    Fault("first ^ place & 1", "t.dealer ^ place & 1"),  # R2.1
    Fault("terms.two_ended and t.seat == t.dealer", "terms.two_ended and t.seat != t.dealer", "two-ended"),  # R2.4
    Fault("native.AT_DRAW if terms.any_pile", "native.AT_FIRST_DRAW if terms.any_pile", "under-ten"),  # R3.3
    Fault("if t.taken and not terms.return_taken", "if not terms.return_taken"),  # R4.3
    Fault("t.bottom - t.top > 2", "t.bottom - t.top > 1"),  # R5.1
    Fault("call in (native.CALL_KNOCK, native.CALL_SHOWDOWN)", "call == native.CALL_KNOCK", "under-ten"),  # R5.2
    Fault("return t.phase == native.AT_DISCARD  #", "return True  #", "last take with big gin", "patient"),  # R5.2
    Fault("t.takes >= terms.max_takes", "t.takes > terms.max_takes", "two-ended"),  # R5.3
    Fault("over <= 10", "over < 10", "tournament", "patient"),  # R6.1
    Fault("score.won ^ caller", "score.won", "tournament", "greedy"),  # R6.5
    Fault("and terms.layoff_on_gin", "and not terms.layoff_on_gin", "only gin", "greedy"),  # R7.2
    Fault("terms.big_gin != 0 and", "", "classic", "patient"),  # R8.1
    Fault("held, throwable(t, terms)", "held, held"),
    Fault("t.took[other] & ~own & ~t.piled", "t.took[other] & ~own"),  # R4.4
    Fault("    t.threw[t.seat] |= thrown\n", ""),
)
FAULTS_OF_MELDS = (
    ("rest | low << 39, triple, least", "rest | low << 26, triple, least"),
    ("opened < CHOICE[0]", "opened <= CHOICE[0]"),  # R6.2
    ("& ~held)\n        if opened", ")\n        if opened"),  # R6.2
    ("if laid_off(runs, fourths, part) == part:", "if True:"),  # R6.3
    ("part = part - 1 & most", "part = 0"),  # R6.4
    ("NOT_KING = ALL & ~(ACES << 12)", "NOT_KING = ALL"),  # R1.4
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.right.strip())
def test_a_fault_in_the_rules_is_found(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands, "kernel", interpreted("kernel", fault.right, fault.wrong))
    players = next(each for each in PLAYERS if each.name == fault.players)

    def compare() -> None:
        for seed in range(TRIES):
            differences(VARIANTS[fault.variant], players, 4, seed)

    with pytest.raises((DifferenceError, AssertionError, IndexError)):
        compare()


@pytest.mark.parametrize(("right", "wrong"), FAULTS_OF_MELDS)
def test_a_fault_in_the_melds_is_found(right: str, wrong: str) -> None:
    mutant = interpreted("melds", right, wrong)
    assert any(mutant.after_lay_offs(caller, held) != kept(caller, held) for caller, held in (*pairs(2000), *corners(500)))
