"""``import arena``: the same runs and answers as by the commands, as values."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

import arena
from arena.gin.actions import Action
from arena.gin.view import View
from arena.sdk import Bot
from arena.sdk.mistakes import BotError

SHORT = {"name": "tournament", "target": 25, "best_of": 1}


class Mine(Bot):
    """Plays as the SDK does by default."""


def choose(view: View) -> Action:
    return Mine("seed").answer(view)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    return arena.play([Mine, "greedy"], pairs=1, rules=SHORT, results=tmp_path_factory.mktemp("run") / "one", quiet=True)


def test_the_public_names_are_there_and_a_wrong_one_is_an_attribute_error() -> None:
    assert sorted(arena.__all__) == dir(arena)
    assert all(getattr(arena, name) for name in arena.__all__)
    with pytest.raises(AttributeError, match=r"module 'arena' has no attribute 'plat'; did you mean 'plot'\? it has ArenaError, "):
        arena.plat  # type: ignore[attr-defined] # noqa: B018


def test_the_installed_bots_are_listed() -> None:
    assert {"greedy", "cautious"} <= set(arena.bots())


def test_a_run_with_a_class_is_marked_as_not_isolated_and_ranks_nobody(run: arena.Run) -> None:
    assert run.summary == "The bots played without a sandbox, so nobody is ranked."
    assert not run.report.isolation.isolated
    assert [row.entrant for row in sorted(run.standings, key=lambda row: row.entrant)] == ["Mine", "greedy"]
    assert run.to_dict()["matches"] == 2


def test_a_notebook_shows_the_sentence_and_the_table(run: arena.Run) -> None:
    shown = run._repr_html_()
    assert shown.startswith("<p>The bots played without a sandbox")
    assert '<td style="text-align:left">greedy</td>' in shown


@pytest.mark.parametrize("bot", [Mine("seed"), choose], ids=["an object", "a function"])
def test_an_object_and_a_function_play_too(bot: Bot | Callable[[View], Action]) -> None:
    found = arena.play([bot, Mine], pairs=1, rules=SHORT, quiet=True)
    assert found.report.matches == 2
    assert found.path.parent == Path("results")


def test_a_bot_of_this_process_is_never_resumed() -> None:
    first, second = (arena.play([Mine, choose], pairs=1, rules=SHORT, quiet=True) for _ in range(2))
    assert first.path != second.path


def test_two_bots_of_one_name_get_numbers() -> None:
    found = arena.play([Mine, Mine], pairs=1, rules=SHORT, quiet=True)
    assert sorted(row.entrant for row in found.standings) == ["Mine", "Mine-2"]


def test_a_bot_from_a_file_plays_beside_one_of_this_process_only_without_a_sandbox_by_name(folder: Path) -> None:
    (folder / "other.py").write_text("from arena.sdk import Bot\n\n\nclass Other(Bot):\n    pass\n")
    with pytest.raises(arena.ArenaError, match=r"^Mine plays in this process, so no bot is confined; expected sandbox='none'"):
        arena.play([Mine, "other.py:Other"], pairs=1, rules=SHORT, quiet=True)
    with pytest.raises(arena.ArenaError, match=r"^sandbox: found 'strict', but Mine plays in this process; expected 'none'$"):
        arena.duel(Mine, "other.py:Other", sandbox="strict", quiet=True)


@pytest.mark.parametrize(
    ("bots", "message"),
    [
        (["greedy", "gredy"], r"^no bot 'gredy'; did you mean 'greedy'\?"),
        ([Mine, int], r"^found the class int; expected one that inherits from arena.sdk.Bot$"),
        ([Mine, 7], r"^found 7; expected a bot's name or path, "),
    ],
)
def test_what_is_no_bot_is_one_line(bots: list[object], message: str, folder: Path) -> None:
    with pytest.raises(arena.ArenaError, match=message):
        arena.play(bots, quiet=True)  # type: ignore[arg-type]
    assert not list(folder.iterdir())


def test_an_error_in_a_bot_of_this_process_keeps_its_traceback() -> None:
    def wrong(view: View) -> Action:
        raise ZeroDivisionError(view.phase)

    with pytest.raises(ZeroDivisionError):
        arena.play([wrong, Mine], pairs=1, rules=SHORT, quiet=True)


def test_a_function_that_returns_no_action_is_named_with_what_was_expected() -> None:
    def mine(view: View) -> Action:
        return int(view.dealer)  # type: ignore[return-value]

    with pytest.raises(
        BotError, match=r"^mine \(test_api\.py:\d+\) returned [01], of type int; expected an action, such as Draw\(\) "
    ):
        arena.duel("greedy", mine, hands=4)


@pytest.mark.process
def test_a_duel_and_a_test_for_regression_give_their_answers() -> None:
    found = arena.duel(Mine, choose, hands=16, quiet=True)
    assert (found.a, found.b, found.answer) == ("Mine", "choose", "undecided")
    assert found.run
    assert found.run.report.comparison
    assert found.to_dict()["results"] == str(found.run.path)

    same = arena.regress("greedy", "greedy", quiet=True)
    assert (same.answer, same.run) == ("not weaker by 0.5 or more", None)


def test_matches_and_decisions_are_rows_with_described_columns(run: arena.Run) -> None:
    matches, decisions = list(run.matches()), list(run.decisions())
    assert [(row.bot0, row.bot1) for row in matches] in (
        [("Mine", "greedy"), ("greedy", "Mine")],
        [("greedy", "Mine"), ("Mine", "greedy")],
    )
    assert sum(row.hands for row in matches) == run.report.hands
    assert run.decisions().columns.keys() == asdict(decisions[0]).keys()
    assert all(run.decisions().columns.values())
    first = decisions[0]
    assert (first.turn, first.phase, first.dealer, len(first.cards), first.stock) == (1, "upcard", False, 20, 31)
    assert first.may == ("pass", "take")
    assert all(row.action.partition(":")[0] in (*row.may, *row.may_discard) or row.action in row.may_discard for row in decisions)


def test_scores_before_a_hand_are_those_of_the_hands_before_it_in_the_game(run: arena.Run) -> None:
    for match in run.matches():
        totals = {match.bot0: 0, match.bot1: 0}
        rows = [row for row in run.decisions() if row.fixture == match.fixture and row.turn == 1]
        for row in rows:
            assert (row.score, row.opponent_score) == (totals[row.bot], totals[row.opponent])
            totals[row.bot if row.points > 0 else row.opponent] += abs(row.points)


def test_hands_are_those_that_an_export_has(run: arena.Run) -> None:
    found = list(run.hands())
    assert len(found) == run.report.hands
    assert all(len(set(hand.deck)) == 52 for hand in found)
    assert {"bot0", "deck", "actions", "microseconds"} <= run.hands().columns.keys()


@pytest.mark.process
def test_rows_become_a_table_of_arrow_with_the_descriptions(run: arena.Run) -> None:
    pytest.importorskip("pyarrow")
    found = run.decisions().to_arrow()
    assert found.num_rows == len(list(run.decisions()))
    assert run.hands().to_arrow().column_names == list(run.hands().columns)
    for rows in (run.matches(), run.hands(), run.decisions()):
        assert all(batch.num_rows for batch in rows.to_arrow().to_batches())
    assert str(found.schema.field("may").type) == "list<item: string>"
    assert found.schema.field("price").metadata == {
        b"description": b"what the best alternative gains, in points a hand; null: not reviewed"
    }


@pytest.mark.process  # to import matplotlib takes two seconds
def test_charts_are_axes_of_matplotlib(run: arena.Run) -> None:
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    assert [label.get_text() for label in arena.plot.ratings(run).get_yticklabels()] == [row.entrant for row in run.standings[::-1]]
    assert len(arena.plot.points(run, ["Mine"]).get_lines()) == 2
    found = arena.duel(Mine, choose, hands=16, quiet=True)
    assert arena.plot.difference(found).get_ylabel() == "Mine less choose, points a hand"
    assert arena.plot.evidence(found).get_yscale() == "log"
    with pytest.raises(arena.ArenaError, match="found nothing that was compared"):
        arena.plot.evidence(run)
    with pytest.raises(arena.ArenaError, match="found no bot 'mine'; expected one of "):
        arena.plot.points(run, ["mine"])
    assert len(plt.get_fignums()) == 4


@pytest.mark.process
def test_a_review_prices_the_decisions(run: arena.Run) -> None:
    assert all(row.price is None for row in run.decisions())
    found = run.review(hands=1, workers=1)
    priced = [row for row in run.decisions() if row.price is not None]
    assert len(priced) == len(found.decisions) > 0


def test_what_is_loaded_is_what_was_played(run: arena.Run, folder: Path) -> None:
    loaded = arena.load(run.path)
    assert isinstance(loaded, arena.Run)
    assert loaded.to_dict() == run.to_dict()
    with pytest.raises(arena.ArenaError, match="not the folder of one run"):
        arena.load(folder)


@pytest.mark.parametrize("bots", ["greedy", [], ["greedy"]])
def test_one_bot_or_its_name_alone_is_no_field(bots: list[str]) -> None:
    with pytest.raises(arena.ArenaError, match=r"^bots: found .*; expected a list of at least two, as \['greedy', 'cautious'\]$"):
        arena.play(bots)


@pytest.mark.parametrize("numbers", [{"hands": 0}, {"hands": 1, "workers": 0}])
def test_a_diff_of_no_hands_or_by_no_workers_is_refused(numbers: dict[str, Any]) -> None:
    with pytest.raises(arena.ArenaError, match=f"{[*numbers][-1]}: found 0; expected 1 or more"):
        arena.diff("greedy", "cautious", **numbers)
