"""Logs of other programs become hands that ``arena import`` takes. OpenSpiel 2.0 and the Java framework wrote those in ``logs``."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from arena.errors import InputError
from arena.extras.importer import openspiel
from arena.extras.importer.convert import LeftOut, convert
from arena.extras.importer.eaai import main
from arena.extras.importer.hands import import_hands
from arena.extras.importer.openspiel import FIRST_MELD, KNOCK, PASS, read_openspiel
from arena.gin.moves import check_lay_offs

LOGS = Path(__file__).parent / "logs"
OPENSPIEL, EAAI = (LOGS / name for name in ("openspiel.txt", "eaai.txt"))
RETURNS = [68, -46, -17, 84, 30, -43, 0]  # to player 0, as OpenSpiel's state.returns(); the eighth hand is left out
NAMES = ("--names", "ours", "theirs")


def converted(kind: str, log: Path, folder: Path) -> list[dict[str, Any]]:
    """Convert a log, import what was written, which judges every hand again, and return its lines."""
    main([kind, str(log), str(folder / "hands.jsonl"), *NAMES])
    import_hands(folder / "hands.jsonl", folder / "run", lambda *_: None)
    return [json.decode(line) for line in (folder / "hands.jsonl").read_bytes().splitlines()]


def net(hand: dict[str, Any]) -> int:
    """Return the points of seat 0, less those of seat 1."""
    return {0: 1, 1: -1, None: 0}[hand["winner"]] * int(hand["points"])


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    return capsys.readouterr().err


def changed(log: Path, folder: Path, old: str, new: str) -> Path:
    """Write a copy of a log in which the first text that matches is another one."""
    text = log.read_text()
    assert re.search(old, text)
    (folder / "changed.txt").write_text(re.sub(old, new, text, count=1))
    return folder / "changed.txt"


def test_hands_of_openspiel_have_the_points_that_openspiel_gave(tmp_path: Path) -> None:
    header, *lines = converted("openspiel", OPENSPIEL, tmp_path)
    hands = [line for line in lines if line["line"] == "hand"]
    assert [net(hand) for hand in hands] == RETURNS
    assert [hand["ending"] for hand in hands] == ["knock", "knock", "knock", "gin", "undercut", "knock", "dead"]
    assert "take knock:" in " ".join(hands[5]["actions"])
    assert [entrant["name"] for entrant in header["entrants"]] == ["ours", "theirs"]


def test_hands_of_the_java_framework_have_the_points_that_it_gave(tmp_path: Path) -> None:
    _, *lines = converted("eaai", EAAI, tmp_path)
    hands = [line for line in lines if line["line"] == "hand"]
    tables = re.findall(r"Player\tScore\n0\t(\d+)\n1\t(\d+)\n", EAAI.read_text())
    score, expected = (0, 0), []
    for after in ((int(zero), int(one)) for zero, one in tables):
        expected.append((list(score), after[0] - score[0] - after[1] + score[1]))
        score = (0, 0) if max(after) >= 100 else after
    assert [(hand["score"], net(hand)) for hand in hands] == expected
    assert {hand["ending"] for hand in hands} == {"knock", "gin", "undercut", "dead"}


def test_a_hand_that_openspiel_ends_by_a_rule_of_its_own_is_named_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = main(["openspiel", str(OPENSPIEL), str(tmp_path / "hands.jsonl")])
    assert said == f"Written to {tmp_path / 'hands.jsonl'}: 7 hands; 1 are left out."
    assert re.fullmatch(
        r".*openspiel.txt:\d+: left out: it is not over after \d+ actions: cut off, or ended by a rule that arena does not have\n",
        capsys.readouterr().err,
    )


@pytest.mark.parametrize(
    ("kind", "log", "old", "new", "why"),
    [
        ("openspiel", OPENSPIEL, r"gin_rummy\(\)", "gin_rummy(hand_size=7)", "no ruleset of arena has hand_size=7"),
        ("openspiel", OPENSPIEL, r"gin_rummy\(\)", "gin_rummy(oklahoma=maybe)", "no ruleset of arena has oklahoma=maybe"),
        ("openspiel", OPENSPIEL, r"gin_rummy\(\)", "gin_rummy(gin_bonus=-1)", "Expected `int` >= 0 - at `$.gin_bonus`"),
        ("openspiel", OPENSPIEL, r"gin_rummy\(\)", "chess()", "found the game 'chess()'; expected gin_rummy(…)"),
        (
            "openspiel",
            OPENSPIEL,
            r"gin_rummy\(\)\n\[State\]\n\d+",
            "gin_rummy()\n[State]\n241",
            "241 is not an action; expected 0 to 240",
        ),
        (
            "openspiel",
            OPENSPIEL,
            r"gin_rummy\(\)\n\[State\]\n\d+",
            "gin_rummy()\n[State]\ne4",
            "its state is not a list of numbers",
        ),
        ("openspiel", OPENSPIEL, r"\[State\]\n(\d+)\n\d+", r"[State]\n\1\n\1", " is dealt twice"),
        ("openspiel", OPENSPIEL, r"\n54\n\n# ", "\n\n# ", "it is cut off after the knock"),
        ("openspiel", OPENSPIEL, r"(\[State\](\n\d+){12})(\n\d+)*", r"\1", "it is cut off after 12 cards of the deal"),
        ("eaai", EAAI, "The initial face up card is ..", "The initial face up card is 1X", "'1x' is not a card"),
        ("eaai", EAAI, "0\t[0-9]+", "0\t3", "player 0 scores 3; expected"),
        (
            "eaai",
            EAAI,
            r"(Player [01] draws ..\.\n)(.*\n)*?(Player 0 is dealt)",
            r"\1\3",
            "it is cut off: expected the cards of both",
        ),
        ("eaai", EAAI, "Player ([01]) discards .*", r"Player \1 discards KC illegally and forfeits.", "illegally and forfeits."),
        ("eaai", EAAI, r"Player ([01]) discards (..)\.", r"Player \1 discards ZZ.", "'Zz' is not a card"),
    ],
)
def test_a_hand_that_cannot_be_converted_is_left_out_with_its_line_and_the_reason(
    kind: str, log: Path, old: str, new: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([kind, str(changed(log, tmp_path, old, new)), str(tmp_path / "hands.jsonl")])
    said = capsys.readouterr().err
    assert re.search(r"^.*changed.txt:\d+: left out: .*" + re.escape(why), said, re.MULTILINE), said
    assert "Traceback" not in said


def test_hands_of_two_rulesets_are_not_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = changed(OPENSPIEL, tmp_path, r"gin_rummy\(\)", "gin_rummy(knock_card=10,undercut_bonus=10)")
    main(["openspiel", str(log), str(tmp_path / "hands.jsonl")])
    assert "undercut_bonus: 10, max_takes: 1000}; one file has one ruleset" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["openspiel", "eaai"])
@pytest.mark.parametrize("text", ["", "\n\n", "1. e4 e5 2. Nf3\n", "\x00\xff" * 100])
def test_a_log_without_a_hand_is_refused_and_nothing_is_written(
    kind: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log.txt").write_text(text)
    said = refusal([kind, str(tmp_path / "log.txt"), str(tmp_path / "hands.jsonl")], capsys)
    assert said == f"{tmp_path / 'log.txt'}: it has no hand of such a log; nothing was written\n"
    assert not (tmp_path / "hands.jsonl").exists()


@pytest.mark.parametrize(
    ("log", "names", "why"),
    [
        ("none.txt", ("ours", "theirs"), "none.txt: No such file or directory"),
        (str(EAAI), ("ours", "ours"), "--names: both are 'ours'; expected two names"),
        (str(EAAI), ("ours", "a\nb"), "--names "),
    ],
)
def test_what_the_user_can_correct_is_one_line(
    log: str, names: tuple[str, str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refusal(["eaai", log, str(tmp_path / "hands.jsonl"), "--names", *names], capsys)
    assert said.startswith(why)
    assert said.count("\n") == 1


@pytest.mark.parametrize(("kind", "log"), [("openspiel", OPENSPIEL), ("eaai", EAAI)])
def test_a_log_that_is_cut_anywhere_gives_the_hands_before_the_cut(
    kind: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = log.read_text().splitlines(keepends=True)
    whole = converted(kind, log, tmp_path)[1:]
    for cut in range(0, len(lines), 53):
        (tmp_path / "cut.txt").write_text("".join(lines[:cut])[:-1])
        hands = tmp_path / "cut.jsonl"
        try:
            main([kind, str(tmp_path / "cut.txt"), str(hands), *NAMES])
        except SystemExit:
            continue
        there = [json.decode(line) for line in hands.read_bytes().splitlines()][1:]
        assert there == whole[: len(there)]
    assert "Traceback" not in capsys.readouterr().err


def test_a_conversion_of_nothing_but_left_out_hands_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("[Game]\nchess()\n[State]\n1\n")
    with pytest.raises(InputError, match="none of its 1 hands can be converted; nothing was written"):
        convert(read_openspiel, tmp_path / "log.txt", tmp_path / "hands.jsonl", ("ours", "theirs"), lambda _: None)


def test_lay_offs_that_do_not_fit_are_left_out_without_trying_every_way(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = 0

    def count_tries(*given: Any) -> None:
        nonlocal tries
        tries += 1
        check_lay_offs(*given)

    monkeypatch.setattr(openspiel, "check_lay_offs", count_tries)
    melds, laid = (FIRST_MELD, FIRST_MELD + 8, FIRST_MELD + 16), range(8)
    numbers = (*range(21), KNOCK, 30, *melds, PASS, *laid, PASS, PASS)
    [found] = read_openspiel(["[Game]", "gin_rummy()", "[State]", *map(str, numbers)])
    assert isinstance(found, LeftOut)
    assert "cannot be laid off on the melds of the knock" in found.why
    assert tries < 100


def test_states_of_a_game_that_wraps_the_game_are_the_same_hands(tmp_path: Path) -> None:
    plain = [line for line in OPENSPIEL.read_text().splitlines() if line]
    wrapped, numbers = list[str](), list[str]()
    for line in [*plain, "[Meta]"]:
        if not line.isdecimal():
            wrapped += [f"history={','.join(numbers)}", f"move_number={len(numbers)}", "__dict__="] if numbers else []
            numbers = []
            wrapped.append(line.replace("gin_rummy(", "gin_rummy_proxy("))
        else:
            numbers.append(f"{-1 if len(numbers) < 21 else 0}:{line}")
    (tmp_path / "wrapped.txt").write_text("\n".join(wrapped))
    with OPENSPIEL.open() as one, (tmp_path / "wrapped.txt").open() as other:
        expected, found = list(read_openspiel(one)), list(read_openspiel(other))
    assert [type(hand) for hand in found] == [type(hand) for hand in expected]
    played = [(hand.name, hand.dealt, hand.actions) for hand in found if not isinstance(hand, LeftOut)]
    assert played == [(hand.name, hand.dealt, hand.actions) for hand in expected if not isinstance(hand, LeftOut)]
