import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from arena.cli.tools import ratings_text
from arena.cli.tools import strength as app
from arena.errors import InputError
from arena.stats.result_tables import Results, rate

KNOWN = ["sprt", "--pentanomial", "120", "0", "260", "0", "160", "--elo0", "0", "--elo1", "20"]
FIELD = {"players": ["a", "b", "c"], "wins": [[0, 60, 75], [40, 0, 62], [25, 38, 0]], "draws": None}


def run(*arguments: str, stdin: str = "") -> str:
    result = CliRunner().invoke(app, list(arguments), input=stdin, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def strict(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize(("model", "llr"), [("normalized", 2.7377), ("logistic", 2.7226)])
def test_a_known_test_has_its_known_numbers(model: str, llr: float) -> None:
    message = strict(run(*KNOWN, "--model", model, "--json"))
    assert message["llr"] == pytest.approx(llr, abs=5e-5)
    assert message["elo"] == pytest.approx(25.78, abs=0.005)
    assert (message["elo_interval"][1] - message["elo_interval"][0]) / 2 == pytest.approx(21.13, abs=0.005)
    assert message["los"] == pytest.approx(0.9919, abs=5e-5)
    assert (message["state"], message["lower"], message["upper"]) == (
        "continue",
        pytest.approx(-math.log(19)),
        pytest.approx(math.log(19)),
    )
    assert {"llr", "lower", "upper", "state", "elo", "elo_interval", "los", "normalized_elo"} <= set(message)


def test_a_test_can_be_read_by_a_person() -> None:
    assert run(*KNOWN).splitlines()[0] == "continue: LLR 2.7377 (-2.94, 2.94)"
    assert "no pairs" in run("sprt", "--pentanomial", *"00000", "--elo0", "0", "--elo1", "5")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--pentanomial", "1", "-2", "3", "4", "5", "--elo0", "0", "--elo1", "5"],
        ["--pentanomial", "1", "2", "3", "4", "5", "--elo0", "5", "--elo1", "0"],
        ["--pentanomial", "1", "2", "3", "4", "5", "--elo0", "nan", "--elo1", "0"],
        ["--pentanomial", "1", "2", "3", "4", "5", "--elo0", "0", "--elo1", "5", "--alpha", "0"],
        ["--pentanomial", "1", "2", "3", "4", "5", "--elo0", "0", "--elo1", "inf"],
    ],
)
def test_nonsense_is_one_line_of_the_user_s_fault(arguments: list[str]) -> None:
    with pytest.raises(InputError) as message:
        run("sprt", *arguments)
    assert "\n" not in str(message.value)
    assert "expected" in str(message.value)


def test_a_known_field_has_its_known_ratings(tmp_path: Path) -> None:
    file = tmp_path / "field.json"
    file.write_text(json.dumps(FIELD), encoding="utf-8")
    message = strict(run("ratings", str(file), "--json"))
    assert message["ratings"] == pytest.approx([86.20, 4.94, -91.14], abs=0.005)
    assert message["state"] == "ok"
    assert message["se"] == pytest.approx([17.66, 16.92, 17.75], abs=0.005)


def test_a_table_can_come_by_standard_input_and_be_read_by_a_person() -> None:
    text = run("ratings", "-", stdin=json.dumps(FIELD))
    assert [line.split()[:2] for line in text.splitlines()] == [["a", "+86.20"], ["b", "+4.94"], ["c", "-91.14"]]


@pytest.mark.parametrize(
    ("players", "wins", "state"),
    [
        ([], [], "empty"),
        (["a"], [[0]], "single"),
        (["a", "b"], [[0, 0], [0, 0]], "disconnected"),
        (["a", "b"], [[0, 9], [0, 0]], "unbounded"),
    ],
)
def test_a_field_without_an_answer_is_said_to_be_one_without_a_nan(players: list[str], wins: list[list[int]], state: str) -> None:
    message = strict(run("ratings", "-", "--json", stdin=json.dumps({"players": players, "wins": wins})))
    assert message["state"] == state
    assert message["note"]
    assert all(error is None for error in message["se"])


def test_a_prior_answers_for_a_perfect_score_and_says_so() -> None:
    message = strict(
        run("ratings", "-", "--json", "--prior", "3", stdin=json.dumps({"players": ["a", "b"], "wins": [[0, 9], [0, 0]]}))
    )
    assert message["state"] == "perfect"
    assert message["ratings"][0] == -message["ratings"][1] > 100


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"players":["a"]}',
        '{"players":["a","b"],"wins":[[0,1]]}',
        '{"players":["a","b"],"wins":[[0,1],[2]]}',
        '{"players":["a","b"],"wins":[[0,-1],[2,0]]}',
        '{"players":["a","b"],"wins":[[1,1],[2,0]]}',
        '{"players":["a","a"],"wins":[[0,1],[2,0]]}',
        '{"players":["a","b"],"wins":[[0,1],[2,0]],"draws":[[0,1],[2,0]]}',
        '{"players":["a","b"],"wins":[[0,1e999],[2,0]]}',
        '{"players":["a","b"],"wins":[[0,NaN],[2,0]]}',
        '{"players":["a","b"],"wins":[[0,1],[2,0]],"drawn":[]}',
    ],
)
def test_a_table_that_is_none_is_one_line_of_the_user_s_fault(text: str) -> None:
    with pytest.raises(InputError) as message:
        run("ratings", "-", "--json", stdin=text)
    assert "\n" not in str(message.value)


@pytest.mark.parametrize("prior", ["-1", "1e-300", "101"])
def test_a_prior_that_is_none_is_the_user_s_fault(prior: str) -> None:
    with pytest.raises(InputError, match=r"prior: .*; expected 0 for none, or 0\.001 to 100 logits"):
        run("ratings", "-", "--prior", prior, stdin=json.dumps(FIELD))


def test_a_name_cannot_write_over_the_terminal() -> None:
    text = run("ratings", "-", stdin=json.dumps({**FIELD, "players": ["a\n\x1b[31m", "ü", "c"]}))
    assert [line.split()[0] for line in text.splitlines()] == ["a\\n\\x1b[31m", "ü", "c"]


def test_too_many_pairs_are_shown_how_many_may_be() -> None:
    with pytest.raises(InputError, match="expected five counts of pairs, from 0 to 100000000"):
        run("sprt", "--pentanomial", "99999999999", "2", "3", "4", "5", "--elo0", "0", "--elo1", "5")


@pytest.mark.process
@given(st.lists(st.integers(0, 10**6), min_size=5, max_size=5), st.sampled_from(["normalized", "logistic"]))
def test_no_sample_makes_a_number_that_is_none(counts: list[int], model: str) -> None:
    message = strict(run("sprt", "--pentanomial", *map(str, counts), "--elo0", "0", "--elo1", "5", "--model", model, "--json"))
    assert (message["llr"] is None) == (message["state"] == "no pairs")
    assert message["elo"] is not None or message["note"]


def test_a_group_that_cannot_be_compared_with_the_rest_is_rated_by_itself() -> None:
    wins: list[list[float]] = [
        [0, 6, 10, 5, 0],
        [4, 0, 10, 5, 0],
        [0, 0, 0, 0, 0],
        [5, 5, 10, 0, 0],
        [0, 0, 0, 0, 0],
    ]  # C never won, E never played
    rated = rate(Results(players=[*"ABCDE"], wins=wins), 0.0)
    inner = rate(Results(players=[*"ABD"], wins=[[0, 6, 5], [4, 0, 5], [5, 5, 0]]), 0.0)
    assert rated.state == "disconnected"
    assert rated.groups == [["A", "B", "D"], ["C"], ["E"]]
    assert [rated.ratings[place] for place in (0, 1, 3)] == pytest.approx(inner.ratings)
    assert [rated.se[place] for place in (0, 1, 3)] == pytest.approx(inner.se)
    assert (rated.ratings[2], rated.ratings[4]) == (None, None)
    shown = ratings_text(rated)
    assert "C      none  se    none  group 2" in shown
    assert "+0.00" in shown
