"""The bots of a stored run are found again, from any folder."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.errors import InputError, RosterError
from arena.league.rules.events import SideClosed, SideOpened
from arena.league.rules.side_matches import SideMatch
from arena.results import convert
from arena.results.imports import import_hands
from arena.results.recorded import RecordedDecision, ask_again
from arena.results.verify import find_recorded_bot, result_difference
from arena.roster.entrant import IN_PROCESS_SOURCE, NO_DIGEST, PERSONS_SOURCE, Entered
from arena.roster.finder import find
from arena.store.folder import Folder
from arena.tournament.formats.round_robin import Single

BOT = "from arena.sdk import Bot, Parameter\n\n\nclass Mine(Bot):\n    weight = Parameter(1.0, 0.0, 5.0)\n"


AT = "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "bot", ["mine.py", "mine.py:Mine", "mine.py(weight=2.5)", "../bots/mine.py", "program", "program/bot.yaml", "greedy"]
)
def test_a_bot_is_found_where_the_run_found_it(bot: str, tmp_path: Path) -> None:
    for name in ("specs", "bots"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(BOT)
    (tmp_path / "specs" / "program").mkdir()
    (tmp_path / "specs" / "program" / "bot.yaml").write_text("name: mine\ncommand: [sh, run.sh]\n")
    then = find(bot, folder=tmp_path / "specs")
    assert find_recorded_bot(bot, then, Folder(tmp_path / "run")) == then


def test_a_person_is_not_searched_as_a_bot(tmp_path: Path) -> None:
    with pytest.raises(RosterError, match="'ann' is a person"):
        find_recorded_bot("person", Entered("ann", "0", PERSONS_SOURCE, NO_DIGEST), Folder(tmp_path))


def test_a_bot_of_another_process_is_not_confused_with_an_installed_one_of_its_name(tmp_path: Path) -> None:
    then = Entered("greedy", "0", IN_PROCESS_SOURCE, NO_DIGEST)
    with pytest.raises(RosterError, match="bot 'greedy' played in the process of a program, so it cannot be started again"):
        find_recorded_bot("greedy", then, Folder(tmp_path))


def test_a_bot_of_an_imported_run_is_asked_for_by_its_file(tmp_path: Path) -> None:
    hands = tmp_path / "hands.jsonl"
    convert.main(["openspiel", str(Path(__file__).parent / "logs" / "openspiel.txt"), str(hands), "--names", "ours", "greedy"])
    import_hands(hands, tmp_path / "run", lambda *_: None)
    decision = RecordedDecision(fixture="openspiel/1", hand="0.0", turn=1)
    with pytest.raises(InputError, match="greedy: the run keeps no place of this bot; expected a path"):
        ask_again("greedy", Folder(tmp_path / "run"), decision, None, raw=False, show=print)


@pytest.mark.parametrize(
    ("said", "difference"),
    [
        ({}, ""),
        ({"points": 9}, "ends with points 0; the chain of the league says 9"),
        ({"adjusted": (1.0,)}, "ends with adjusted (); the chain of the league says (1.0,)"),
        ({"places": ()}, "ends with places (('cat', 'ann@1'),); the chain of the league says ()"),
        ({"seed": "8" * 64}, "its seed is not the one in the chain of the league"),
        ({"entrants": (("cat", NO_DIGEST), ("ann@1", "8" * 64))}, "others have played than the chain of the league names"),
    ],
)
def test_all_of_a_result_beside_the_rounds_is_compared_with_its_run(said: dict[str, Any], difference: str) -> None:
    closed = {"seed": "7" * 64, "places": (("cat", "ann@1"),)} | said
    entrants = closed.pop("entrants", (("cat", NO_DIGEST), ("ann@1", NO_DIGEST)))
    known: dict[str, Any] = {"at": AT, "kind": "people", "name": "1"}
    opened = SideOpened(**known, title="", spec="", rounds=1, entrants=entrants, commitment="0" * 64)
    field = [SimpleNamespace(name=name, digest=NO_DIGEST) for name in ("cat", "ann")]
    run = SimpleNamespace(field=field, facts={"seed": "7" * 64}, spec=SimpleNamespace(format=Single()), names=("cat", "ann"))
    result = SideClosed(**known, **closed)
    assert result_difference(SideMatch(opened, result), result, cast("Any", run), []) == difference
