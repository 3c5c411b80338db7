"""The audit of a record finds nothing in one that was played, and finds every change."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.hands.builders import RULESETS
from support.matches.in_process import SEED, SHORT, Answer, by_chance, greedy, match, plain
from support.sizes import size

from arena.gin.actions import Action, BigGin, Draw
from arena.gin.match import FinishedGame
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.view import View
from arena.limits import FaultCosts
from arena.players.base import PlayerFaultError
from arena.records import Fault, Fixture, MatchRecord, lost_record
from arena.referee.audit import differences

COSTS = FaultCosts()


def differences_in(record: MatchRecord, rules: Rules = SHORT, costs: FaultCosts = COSTS, seed: str = SEED) -> list[str]:
    return list(differences(record, rules, costs, seed))


def erring(chance: int) -> Answer:
    """Return a player that acts illegally or not at all in about one of ``chance`` turns."""
    plays, turns = by_chance("erring"), 0

    def answer(view: View) -> Action:
        nonlocal turns
        turns += 1
        if turns * 7919 % chance == 0:
            if turns % 2:
                raise PlayerFaultError("timeout", "no answer")
            return BigGin() if view.phase != "discard" else Draw()
        return plays(view)

    return answer


PLAYERS: dict[str, Callable[[], Answer]] = {
    "greedy": greedy,
    "plain": plain,
    "by chance": by_chance,
    "often faulty": lambda: erring(5),
    "seldom faulty": lambda: erring(150),
}
names = st.sampled_from(list(PLAYERS))
prices = st.builds(
    FaultCosts,
    costs=st.sampled_from(["hand", "game", "match"]),
    at_most=st.integers(1, 30),
    points=st.integers(0, 200),
)


@settings(max_examples=size(20, 180))
@given(
    zero=names,
    one=names,
    rules=st.sampled_from(list(RULESETS.values())),
    best_of=st.sampled_from([1, 3]),
    hands=st.none() | st.integers(1, 6),
    costs=prices,
    key=st.integers(0, 99),
)
def test_a_record_of_real_play_has_no_differences(
    zero: str, one: str, rules: Rules, best_of: int, hands: int | None, costs: FaultCosts, key: int
) -> None:
    rules = replace(rules, best_of=best_of, target=60)
    if "by chance" in zero and "by chance" in one:
        one = "greedy"  # two random players hardly ever end a game
    record = match(PLAYERS[zero](), PLAYERS[one](), rules=rules, hands=hands, costs=costs, name=f"a-b/{key}/0")
    assert differences_in(record, rules, costs) == []


PLAYED = match(greedy("0"), plain("1"), rules=SHORT)
FORFEITED = match(lambda _: BigGin(), greedy("1"), rules=Rules(target=400, best_of=1))
FAULTY = match(erring(31), greedy("1"), rules=Rules(target=2000, best_of=1), costs=FaultCosts(at_most=1000))
BATCH = match(greedy("0"), plain("1"), hands=4)
FORFEITED_BATCH = match(lambda _: BigGin(), greedy("1"), hands=4)
OTHER = match(greedy("0"), plain("1"), name="a-b/1/0")


def with_hand(record: MatchRecord, at: int, **changes: object) -> MatchRecord:
    hands = list(record.hands)
    hands[at] = replace(hands[at], **changes)
    return replace(record, hands=tuple(hands))


HAND_CHANGES: list[tuple[str, dict[str, object]]] = [
    ("game", {"game": 7}),
    ("hand", {"hand": 7}),
    ("dealer", {"dealer": 1 - PLAYED.hands[0].dealer}),
    ("another hand's actions", {"actions": OTHER.hands[0].actions}),
    ("actions cut short", {"actions": PLAYED.hands[0].actions.rpartition(" ")[0]}),
    ("an action too many", {"actions": PLAYED.hands[0].actions + " draw"}),
    ("an unknown action", {"actions": "fold"}),
    ("no actions", {"actions": ""}),
    ("ending", {"ending": Ending.UNDERCUT}),
    ("ended by a fault", {"ending": Ending.FAULT}),
    ("winner", {"winner": 1 - (PLAYED.hands[0].winner or 0)}),
    ("nobody won", {"winner": None}),
    ("points", {"points": PLAYED.hands[0].points + 1}),
    ("deadwood of seat 0", {"deadwood": (PLAYED.hands[0].deadwood[0] + 1, PLAYED.hands[0].deadwood[1])}),
    ("deadwood of seat 1", {"deadwood": (PLAYED.hands[0].deadwood[0], PLAYED.hands[0].deadwood[1] + 1)}),
]


@pytest.mark.parametrize("changes", [changes for _, changes in HAND_CHANGES], ids=[name for name, _ in HAND_CHANGES])
def test_a_change_of_a_hand_is_found_in_that_hand(changes: dict[str, object]) -> None:
    changed = with_hand(PLAYED, 0, **changes)
    assert changed != PLAYED
    line = differences_in(changed)[0]
    assert line.startswith(f"a-b/0/0 hand {changed.hands[0].game}.{changed.hands[0].hand}: ")
    assert "\n" not in line


def test_a_hand_that_its_actions_ended_cannot_have_been_lost_by_a_fault() -> None:
    ended, lost = BATCH.hands[0].ending.value, Fault(seat=0, kind="timeout", game=0, hand=0, detail="slow")
    record = replace(with_hand(BATCH, 0, ending=Ending.FAULT, winner=1, points=COSTS.points), faults=(lost,))
    assert [line.rpartition("; ")[2].startswith(f"expected {ended}, ") for line in differences_in(record)] == [True]


def test_games_are_described_in_words() -> None:
    ((zero, one), winner) = PLAYED.games[0].totals, PLAYED.games[0].winner
    line = f"a-b/0/0: recorded games: {zero}–{one} for seat {winner}; expected none"
    assert line in differences_in(replace(PLAYED, hands=()))


FAULT = FORFEITED.faults[0]
LOST = Fault(seat=1, kind="lost", game=0, hand=0, detail="was killed from outside")
FORFEITING_RULES = Rules(target=400, best_of=1)
MATCH_CHANGES: list[tuple[str, MatchRecord, MatchRecord, Rules]] = [
    ("winner", PLAYED, replace(PLAYED, winner=1 - (PLAYED.winner or 0)), SHORT),
    ("no winner", PLAYED, replace(PLAYED, winner=None), SHORT),
    ("a winner of a batch", BATCH, replace(BATCH, winner=0), SHORT),
    ("no games", PLAYED, replace(PLAYED, games=()), SHORT),
    ("a game's winner", PLAYED, replace(PLAYED, games=(FinishedGame(1 - PLAYED.games[0].winner, PLAYED.games[0].totals),)), SHORT),
    ("a game's total", PLAYED, replace(PLAYED, games=(FinishedGame(PLAYED.games[0].winner, (999, 0)),)), SHORT),
    ("a game too many", PLAYED, replace(PLAYED, games=PLAYED.games * 2), SHORT),
    ("a hand too few", PLAYED, replace(PLAYED, hands=PLAYED.hands[:-1]), SHORT),
    ("the first hand left out", PLAYED, replace(PLAYED, hands=PLAYED.hands[1:]), SHORT),
    ("a hand too many", PLAYED, replace(PLAYED, hands=(*PLAYED.hands, PLAYED.hands[-1])), SHORT),
    ("a hand too few in a batch", BATCH, replace(BATCH, hands=BATCH.hands[:-1]), SHORT),
    (
        "a hand too few after a forfeit in a batch",
        FORFEITED_BATCH,
        replace(FORFEITED_BATCH, hands=FORFEITED_BATCH.hands[:-1]),
        SHORT,
    ),
    ("other deals", PLAYED, replace(PLAYED, fixture=replace(PLAYED.fixture, deals="a-b/1")), SHORT),
    ("a batch instead of a match", PLAYED, replace(PLAYED, fixture=replace(PLAYED.fixture, hands=2)), SHORT),
    ("a forfeit of the winner", PLAYED, replace(PLAYED, forfeit=PLAYED.winner), SHORT),
    ("a forfeit of the loser", PLAYED, replace(PLAYED, forfeit=1 - (PLAYED.winner or 0)), SHORT),
    ("no forfeit", FORFEITED, replace(FORFEITED, forfeit=None), FORFEITING_RULES),
    ("the other's forfeit", FORFEITED, replace(FORFEITED, forfeit=1, winner=0), FORFEITING_RULES),
    ("no faults", FORFEITED, replace(FORFEITED, faults=()), FORFEITING_RULES),
    ("a fault too few", FORFEITED, replace(FORFEITED, faults=FORFEITED.faults[:-1]), FORFEITING_RULES),
    ("the other's fault", FORFEITED, replace(FORFEITED, faults=(replace(FAULT, seat=1), *FORFEITED.faults[1:])), FORFEITING_RULES),
    (
        "a fault in another hand",
        FORFEITED,
        replace(FORFEITED, faults=(replace(FAULT, hand=9), *FORFEITED.faults[1:])),
        FORFEITING_RULES,
    ),
    ("a fault too many", PLAYED, replace(PLAYED, faults=(replace(FAULT, game=0, hand=0),)), SHORT),
    ("a fault that is excused", FORFEITED, replace(FORFEITED, faults=FORFEITED.faults[1:], excused=(FAULT,)), FORFEITING_RULES),
    ("three excused faults", replace(PLAYED, excused=(LOST,) * 2), replace(PLAYED, excused=(LOST,) * 3), SHORT),
    ("an excused fault in a hand that was not played", PLAYED, replace(PLAYED, excused=(replace(LOST, hand=9),)), SHORT),
]


@pytest.mark.parametrize(("before", "after", "rules"), [row[1:] for row in MATCH_CHANGES], ids=[name for name, *_ in MATCH_CHANGES])
def test_a_change_of_a_match_is_found(before: MatchRecord, after: MatchRecord, rules: Rules) -> None:
    assert differences_in(before, rules) == []
    lines = differences_in(after, rules)
    assert lines
    assert all(line.startswith("a-b/0/0") and "\n" not in line for line in lines)


def test_other_rules_seeds_and_costs_are_found() -> None:
    rules = Rules(target=2000, best_of=1)
    lenient = FaultCosts(at_most=1000)
    assert differences_in(FAULTY, rules, lenient) == []
    assert differences_in(FAULTY, replace(rules, knock_limit=3), lenient)
    assert differences_in(FAULTY, rules, lenient, seed="another seed")
    assert differences_in(FAULTY, rules, FaultCosts(at_most=1000, points=51))
    assert differences_in(FAULTY, rules, FaultCosts(at_most=1))
    assert differences_in(FAULTY, rules, FaultCosts(costs="match", at_most=1000))


def test_hands_after_a_forfeit_are_found() -> None:
    rules, strict = Rules(target=2000, best_of=1), FaultCosts(at_most=1)
    assert "a-b/0/0: played on after the forfeit" in differences_in(replace(FAULTY, forfeit=0), rules, strict)


def test_the_example_records_have_the_expected_faults() -> None:
    assert {fault.kind for fault in FAULTY.faults} == {"timeout", "illegal"}
    assert FORFEITED.forfeit == 0


def test_a_leg_that_was_lost_has_no_hands_to_judge_and_no_faults() -> None:
    lost = lost_record(Fixture("a:b/0/0", ("a", "b"), "a:b/0", 2), "the worker ended")
    assert list(differences(lost, Rules(), FaultCosts(), "seed")) == []
    fault = Fault(seat=0, kind="crash", game=0, hand=0, detail="")
    for more in (
        {"faults": (fault,)},
        {"games": FAULTY.games},
        {"hands": FAULTY.hands},
        {"winner": 0},
        {"forfeit": 1},
        {"excused": (fault,)},
    ):
        found = list(differences(replace(lost, **more), Rules(), FaultCosts(), "seed"))
        assert found == ["a:b/0/0: lost with its worker, but it has hands, games, faults or a result"]
