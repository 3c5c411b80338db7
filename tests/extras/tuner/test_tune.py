"""``arena tune``: the search is a pure function of its rounds; what it finds is judged by a duel on other deals."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import asdict
from support.commands.calls import arena
from support.commands.every_command import TUNED
from support.matches.comparisons import compared

from arena.cli.terminal import PLAIN
from arena.compare.dueling import DuelAnswer
from arena.errors import BotUnavailableError, InputError, SpecError, StoreError
from arena.extras.tuner.tune import Round, Tuner, summarize
from arena.extras.tuner.tuning import (
    LEVELS,
    PAGE,
    REPORT,
    ROUNDS_FILE,
    LearnedParameter,
    TuneLeg,
    TuneSpec,
    Tuning,
    advice,
    lines,
    play_leg,
    read_spec,
    set_up,
)
from arena.parameters import Parameter
from arena.records import Fixture
from arena.stats.duels import Verdict

PLANTED = """
from arena.sdk import Bot, Parameter, View, deadwood, each


class Tuned(Bot):
    care = Parameter(0.0, low=0.0, high=1.0, step=0.05)

    def throws(self, view: View) -> int:
        worth = {card: self.care * deadwood(view.without(card)) + (1 - self.care) * (card % 13) for card in each(view.may_discard)}
        return min(worth, key=worth.__getitem__)
"""
KILLED_AFTER_A_ROUND = """
import os
from arena.extras.tuner import tuning
keep = tuning._write_rounds
def killed(setup, rounds):
    keep(setup, rounds)
    os.kill(os.getpid(), 9)
tuning._write_rounds = killed
"""
PARAMETERS: dict[str, Parameter[float]] = {"a": Parameter(0.2, 0.0, 1.0), "b": Parameter(10, 0, 10)}


def search(objective: Callable[[dict[str, float]], float], budget: int = 20_000, deviation: float = 18.0) -> Tuner:
    """Return what is known at the end of a search on a simulated objective."""
    rounds: list[Round] = []
    while True:
        tuner = Tuner(PARAMETERS, "seed", rounds)
        asked = tuner.next_candidates()
        if tuner.reason_to_end(budget) or not asked:
            return tuner
        random = np.random.default_rng(len(rounds))
        scores = [objective(values) + deviation * random.normal(size=80) for values in asked]
        rounds.append(summarize(asked, np.array(scores), 160 * len(asked)))


def peak(values: dict[str, float]) -> float:
    """Return a gain of 3 points where a is 0.7; b does nothing."""
    return 3 * (1 - ((values["a"] - 0.7) / 0.5) ** 2)


def test_a_planted_optimum_is_found_and_a_parameter_that_does_nothing_keeps_its_start() -> None:
    tuner = search(peak, deviation=2.0)
    assert tuner.best["a"] == pytest.approx(0.7, abs=0.1)
    assert tuner.best["b"] == 10
    assert tuner.gain(tuner.best).value == pytest.approx(3, abs=0.5)
    assert [value for value, _ in tuner.curve("b")] == list(range(11))


def test_where_no_parameter_matters_the_search_ends_early_and_keeps_the_start() -> None:
    tuner = search(lambda _: 0.0, deviation=2.0)
    assert tuner.reason_to_end(20_000) == "flat"
    assert tuner.best == tuner.start


def test_the_next_candidates_depend_on_nothing_but_the_seed_and_the_rounds() -> None:
    rounds = search(peak, budget=5_000).rounds
    assert Tuner(PARAMETERS, "seed", rounds).next_candidates() == Tuner(PARAMETERS, "seed", rounds).next_candidates()
    assert Tuner(PARAMETERS, "other", rounds).next_candidates() != Tuner(PARAMETERS, "seed", rounds).next_candidates()
    assert all(one != {"a": 0.2, "b": 10} for round_ in rounds for one in round_.candidates)


def test_a_round_knows_how_much_the_common_deals_correlate_and_in_how_many_blocks_a_candidate_played_as_the_start() -> None:
    random = np.random.default_rng(1)
    common = random.normal(0, 10, 400)
    scores = np.array([common + random.normal(0, 10, 400), common + random.normal(0, 10, 400), np.zeros(400)])
    found = summarize([{"a": 0.1}, {"a": 0.3}, {"a": 0.21}], scores, 2_400)
    assert found.correlation == pytest.approx(0.5, abs=0.1)
    assert found.errors[0] == pytest.approx(200**0.5 / 20, rel=0.1)
    assert found.errors[2] > 0
    assert found.differing == (400, 400, 0)


def test_the_scatter_of_one_result_that_differs_is_no_error_and_candidates_that_played_alike_count_as_one() -> None:
    once, often = [-13.0, *[0.0] * 7], np.random.default_rng(1).normal(0, 13, 8).tolist()
    alone = summarize([{"a": 0.1}, {"a": 0.3}], np.array([once, often]), 64)
    assert alone.differing == (1, 8)
    twice = summarize([{"a": 0.1}, {"a": 0.3}, {"a": 0.4}], np.array([once, often, often]), 64)
    both = twice.errors[1] * ((1 + twice.correlation) / 2) ** 0.5  # the error of the mean of the two
    assert both == pytest.approx(alone.errors[1], rel=0.1)
    none = summarize([{"a": 0.1}, {"a": 0.3}], np.array([[0.0] * 8, often]), 64)
    assert none.errors[0] > 0.2 * none.errors[1]


@pytest.mark.parametrize(("differing", "reason"), [(0, None), (3, None), (40, "narrow")])
def test_a_search_does_not_end_early_on_few_or_mostly_equal_results(differing: int, reason: str | None) -> None:
    # four rounds of fourteen hands a candidate once gave a gain of +7.3 [+4.6, +10.0], where the duel found -3.0 [-6.1, +0.4]
    gains = [(7.0 - 20 * (a - 0.7) ** 2) for a in (0.5, 0.6, 0.7, 0.8, 0.9)]
    tried = tuple({"a": a} for a in (0.5, 0.6, 0.7, 0.8, 0.9))
    found = Round(candidates=tried, gains=tuple(gains), errors=(0.1,) * 5, correlation=0.0, hands=70, differing=(differing,) * 5)
    tuner = Tuner({"a": PARAMETERS["a"]}, "seed", [found] * 4)
    assert tuner.reason_to_end(1_000) == reason


def tuned(verdict: Verdict) -> Tuning:
    """Return the outcome of a search, with the verdict of its duel."""
    outcome = asdict(compared(verdict=verdict))
    duel = DuelAnswer(**outcome, a="mine-tuned", b="mine", answer="", results="out/verdict", seed="s", parts=())
    one = LearnedParameter(name="fear", start=2.0, best=0.0, gain=None, curve=[])
    best = "mine(fear=0.0)" if verdict is Verdict.BETTER else "mine"
    return Tuning(
        bot="mine",
        best=best,
        parameters=[one],
        gain=None,
        ended="budget",
        hands=9,
        rounds=[],
        seed="s",
        results="out",
        verdict=duel,
    )


@pytest.mark.parametrize("verdict", [one for one in Verdict if one is not Verdict.BETTER])
def test_values_that_the_duel_did_not_find_stronger_are_not_recommended(verdict: Verdict) -> None:
    found = tuned(verdict)
    assert advice(found) == "Keep your values: a duel has not found the others stronger."
    assert "Expected gain: not known, fewer than 400 results differ" in list(lines(found))[1]


def test_values_that_the_duel_found_stronger_are_recommended() -> None:
    assert advice(tuned(Verdict.BETTER)) == "Play it as 'mine(fear=0.0)', or write the values into its code."


@pytest.fixture
def bot(tmp_path: Path) -> str:
    """Write a bot whose planted mistake is to throw its lowest cards."""
    (tmp_path / "tuned.py").write_text(PLANTED, encoding="utf-8")
    return str(tmp_path / "tuned.py")


def test_a_crash_of_a_bot_in_this_process_is_a_fault_on_record(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(TUNED.replace("left <= self.most", "1 // 0"), encoding="utf-8")
    tuned = set_up(str(tmp_path / "bad.py"), TuneSpec(sandbox="none", seed="s"), tmp_path, tmp_path / "out")
    start, opponent = tuned.plan.names
    played = play_leg(TuneLeg(tuned.plan.job(Fixture("a/0", (start, opponent), "a", 2)), seat=0, inline=True))
    assert len(played.result.singles) == 2
    assert max(played.result.points) >= 50
    assert played.faults == 2
    assert not (tmp_path / "out").exists()


def test_a_bot_in_this_process_that_cannot_play_ends_the_search(tmp_path: Path) -> None:
    cannot = (
        TUNED.replace("left <= self.most", "self.give_up()")
        + """
    def give_up(self):
        from arena.sdk import CannotPlayError
        raise CannotPlayError("no such model")
"""
    )
    (tmp_path / "bad.py").write_text(cannot, encoding="utf-8")
    tuned = set_up(str(tmp_path / "bad.py"), TuneSpec(sandbox="none", seed="s"), tmp_path, tmp_path / "out")
    start, opponent = tuned.plan.names
    with pytest.raises(BotUnavailableError, match="a bot cannot play: no such model"):
        play_leg(TuneLeg(tuned.plan.job(Fixture("a/0", (start, opponent), "a", 2)), seat=0, inline=True))


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (TuneSpec(parameters={"caer": None}), "parameters: found 'caer'; did you mean 'care'"),
        (TuneSpec(opponents=("../nobody.yaml",)), "no file '../nobody.yaml'"),
    ],
)
def test_a_spec_that_does_not_suit_the_bot_is_refused(bot: str, tmp_path: Path, spec: TuneSpec, problem: str) -> None:
    with pytest.raises(Exception, match=problem):
        set_up(bot, spec, tmp_path, None)


@pytest.mark.parametrize("declared", ["2.0, low=0.0, high=HIGH", "20.0, low=0.0, high=8.0"])
def test_the_error_for_a_parameter_that_the_source_does_not_tell_says_what_it_must_be(declared: str, tmp_path: Path) -> None:
    text = f"from arena.sdk import Bot, Parameter\nHIGH = 8.0\n\n\nclass Mine(Bot):\n    fear = Parameter({declared})\n"
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(InputError, match="plain numbers, low <= start <= high, as weight = Parameter"):
        set_up(f"{tmp_path}/mine.py", TuneSpec(), tmp_path, None)


def test_the_error_for_a_bot_without_parameters_says_how_to_declare_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"greedy: declares no parameters; .* weight = Parameter"):
        set_up("greedy", TuneSpec(), tmp_path, None)
    with pytest.raises(InputError, match=r"awk-counter: declares no parameters; .* `parameters` of bot\.yaml"):
        set_up("awk-counter", TuneSpec(), tmp_path, None)


def test_a_folder_with_another_search_is_refused(bot: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ROUNDS_FILE).write_text('["another", "seed"]\n')
    with pytest.raises(StoreError, match="holds another search"):
        set_up(bot, TuneSpec(sandbox="none"), tmp_path, tmp_path / "out")


def test_a_file_of_a_search_that_cannot_be_read_is_named(bot: str, tmp_path: Path) -> None:
    (tmp_path / "out" / ROUNDS_FILE).mkdir(parents=True)
    with pytest.raises(StoreError, match=rf"{ROUNDS_FILE}: cannot be read: Is a directory"):
        set_up(bot, TuneSpec(sandbox="none"), tmp_path, tmp_path / "out")


@pytest.mark.process
@pytest.mark.timeout(600)
def test_a_planted_mistake_is_found_and_a_search_that_was_killed_goes_on_as_if_it_had_not_been(bot: str, tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("parameters: {care: {high: 0.9}}\nhands: 1000\nverdict: 8\n")
    line = ("tune", bot, "--spec", "params.yaml", "--seed", "s", "--sandbox", "none", "--results", "out", "--quiet", "--json")
    found = json.loads(arena(*line, folder=tmp_path).stdout)
    (care,) = found["parameters"]
    assert care["best"] >= 0.4
    assert (care["gain"], care["curve"]) == (None, [])  # of too few hands
    assert found["best"] == bot  # eight hands do not show that it is stronger
    assert found["verdict"]["results"] == "out/verdict"
    assert json.loads((tmp_path / "out" / REPORT).read_text()) == found
    assert "Keep your values" in (tmp_path / "out" / PAGE).read_text()
    again = [*line[:-3], "again", *line[-2:]]
    file = tmp_path / "again" / ROUNDS_FILE
    assert arena(*again, folder=tmp_path, first=KILLED_AFTER_A_ROUND).returncode == -9
    assert file.read_bytes().count(b"\n") == 2
    outcome = json.loads(arena(*again, folder=tmp_path).stdout)
    assert [outcome[key] for key in ("best", "rounds", "hands")] == [found[key] for key in ("best", "rounds", "hands")]
    assert file.read_bytes() == (tmp_path / "out" / ROUNDS_FILE).read_bytes()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hands: 4000\nparametres: {}\n", "params.yaml:2: parametres: unknown key; did you mean 'parameters'? expected one of "),
        (
            "parameters: {care: {hihg: 1}}\n",
            "params.yaml:1: parameters.hihg: unknown key; did you mean 'high'? expected one of low, high, step",
        ),
        ("parameters: {care: {low: x}}\n", "params.yaml:1: parameters.low: expected "),
        ("hands: many\n", "params.yaml:1: hands: expected a whole number; found 'many'"),
        ("- 1\n", "params.yaml:1: "),
        ("", "params.yaml:1: "),
    ],
)
def test_a_mistake_in_a_spec_is_shown_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "params.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        read_spec(tmp_path / "params.yaml")
    assert str(caught.value).startswith(f"{tmp_path}/{complaint}")


def test_a_seed_of_digits_is_a_seed_as_in_the_spec_of_a_tournament(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("seed: 2026\n", encoding="utf-8")
    assert read_spec(tmp_path / "params.yaml") == TuneSpec(seed="2026")


def test_a_unit_and_a_curve_can_be_read_without_the_characters_that_an_encoding_lacks() -> None:
    assert {*LEVELS, *"µ"} <= {*PLAIN}
    assert len({PLAIN[level] for level in LEVELS}) == len(LEVELS)
