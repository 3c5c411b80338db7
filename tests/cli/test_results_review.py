"""``arena review``: prices as JSON and as text, kept beside the run."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.matches.in_process import PLAN, SEED, match

from arena.cli.results import review as command
from arena.errors import InputError
from arena.reports.priced_turns import action_words
from arena.reports.reviewed import review_lines
from arena.review.summary import DecisionPrice, Place, ReviewedHand, review
from arena.roster.entrant import Entered
from arena.runs.review_cache import keep, read_kept
from arena.store.folder import Folder
from arena.store.store import Store

SPEC = "title: League\nbots: [a.py:A, b.py:B]\nrules: tournament\nformat: {name: round-robin}\n"
PRICE = DecisionPrice(48, "knock:5c:melds=3s4s5s", "5c", 15.3, 2.4, {"knock": 15.3, "lay_off": 0.0}, {"knock": 12.1}, -9.0)
HAND = ReviewedHand(place=Place("a:b/0", 2, 15), bot="a", seat=0, points=-9, luck=-3.0, decisions=(PRICE,))
FIELD = (Entered("a", "1", "a.py:A", "1" * 64), Entered("b", "2", "b.py:B", "2" * 64))
ABOUT = {
    "arena": "0",
    "python": "3",
    "platform": "x",
    "started": "2026-01-01 00:00:00",
    "walls": '{"isolated": false, "profile": "none"}',
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = Folder(tmp_path)
    with Store(folder.database, write=True) as store:
        store.begin({"title": "League", "seed": SEED, "spec": SPEC, "plan": PLAN, "commitment": "c" * 64, **ABOUT}, FIELD)
        store.add(match(hands=1))
    return tmp_path


@pytest.mark.process
def test_a_hand_is_reviewed_once_and_kept(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command(run, bot="a", executor="serial", json=True, seed="review")
    found = json.loads(capsys.readouterr().out)
    assert list(found["bots"]) == ["a"]
    assert set(found["bots"]["a"]) >= {"decisions", "error_rate", "se", "kinds", "luck"}
    assert list(found["bots"]["a"]["kinds"]) == ["draw", "discard", "knock", "lay_off"]
    assert {one["hand"] for one in found["decisions"]} == {"0.0"}
    kept = (run / "review.jsonl").read_bytes()
    assert len(kept.splitlines()) == 1
    command(run, bot="a", executor="serial", json=True, seed="review")
    assert json.loads(capsys.readouterr().out) == found
    assert (run / "review.jsonl").read_bytes() == kept


@pytest.mark.process
def test_of_a_single_hand_no_standard_error_is_said(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command(run, bot="a", executor="serial", json=True, seed="review")
    found = json.loads(capsys.readouterr().out)["bots"]["a"]
    assert found["hands"] == 1
    assert (found["se"], {*found["kinds_se"].values()}) == (None, {None})
    command(run, bot="a", executor="serial", seed="review")
    printed = capsys.readouterr().out
    summary = printed.partition("costliest")[0]
    assert "points a hand; the standard error of a single hand is not known\n" in summary
    assert "±" not in summary
    assert " ± 0.00" not in (run / "report.html").read_text()


@pytest.mark.process
def test_a_review_is_in_the_reports_of_the_run_and_grows(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command(run, bot="a", executor="serial", json=True, seed="review")
    printed = capsys.readouterr()
    document = json.loads((run / "results.json").read_text())
    assert {"schema": "arena/review/1", **document["review"]} == json.loads(printed.out)
    assert printed.err.splitlines()[-1].startswith(f"Written to {run}: ")
    assert "Where points are lost" in (run / "report.html").read_text()
    command(run, bot="b", executor="serial", json=True, seed="review")
    assert list(json.loads(capsys.readouterr().out)["bots"]) == ["b"]
    assert list(json.loads((run / "results.json").read_text())["review"]["bots"]) == ["a", "b"]


def test_a_review_with_another_seed_or_of_another_run_begins_anew(run: Path) -> None:
    folder = Folder(run)
    keep(folder, "c" * 64, "review", [HAND])
    keep(folder, "c" * 64, "review", [replace(HAND, seat=1, bot="b")])
    found = read_kept(folder, "c" * 64)
    assert found is not None
    assert list(found.bots) == ["a", "b"]
    assert read_kept(folder, "c" * 64, lambda fixture: fixture != HAND.place.fixture) is None
    assert read_kept(folder, "d" * 64) is None
    keep(folder, "c" * 64, "other", [HAND])
    found = read_kept(folder, "c" * 64)
    assert found is not None
    assert list(found.bots) == ["a"]
    (run / "reviewed.json").write_text("{")
    assert read_kept(folder, "c" * 64) is None


def test_a_run_without_hands_is_named(tmp_path: Path) -> None:
    with Store(Folder(tmp_path).database, write=True) as store:
        store.begin({"title": "League", "seed": SEED, "spec": SPEC, "plan": PLAN, "commitment": "c" * 64, **ABOUT}, FIELD)
    with pytest.raises(InputError, match="found no hands to review"):
        command(tmp_path, executor="serial", seed="review")


def test_what_is_not_there_is_named(run: Path) -> None:
    with pytest.raises(InputError, match="--bot: found 'nobody'"):
        command(run, bot="nobody", executor="serial", seed="review")


def test_the_text_names_kinds_and_the_command_that_shows_a_decision() -> None:
    assert list(review_lines(review([HAND]), "results/x")) == [
        "a: 1 hand, 1 decision",
        "  error rate 12.10 points a hand; the standard error of a single hand is not known",
        "    draw or take          0.00",
        "    discard               0.00",
        "    knock                12.10",
        "    melds and lay-offs    0.00",
        "  result -9.00 points a hand: luck of the draws -3.00, the rest -6.00",
        "  marks: inaccuracies 0, mistakes 0, blunder 1",
        "  costliest decisions:",
        "     15.3 ± 4.8  knock: knock with 5c, better throw 5c, blunder",
        "           turn 48: arena replay results/x a:b/0 2.15 --seat 0",
    ]


def test_a_marked_decision_shows_what_a_stronger_player_says_and_is_not_listed_if_it_finds_no_error() -> None:
    several = tuple(replace(PRICE, turn=turn, confirmed=confirmed) for turn, confirmed in ((46, 1.25), (48, -0.5)))
    listed = [line for line in review_lines(review([replace(HAND, decisions=several)]), "results/x") if "better throw" in line]
    assert listed == ["    15.3 ± 4.8, confirmed 1.2  knock: knock with 5c, better throw 5c"]


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ((-1.0, -1.5), ": it plays better than the reviewer's policy"),
        ((-3.0, 2.0), ": it plays as well as the reviewer's policy"),
        ((3.0, 2.0), ""),
    ],
)
def test_what_a_negative_error_rate_means_is_said(errors: tuple[float, float], said: str) -> None:
    decisions = (DecisionPrice(2, "5c", "6c", 0.0, 1.0, {"discard": 0.0}, {"discard": error}, 0.0) for error in errors)
    hands = [ReviewedHand(place=Place("a:b/0", 0, 0), bot="a", seat=0, points=0, luck=0.0, decisions=(one,)) for one in decisions]
    assert list(review_lines(review(hands), "x"))[1].endswith(f"points a hand{said}")


def test_actions_are_said_in_words() -> None:
    words = [
        "draw",
        "big_gin",
        "Kd",
        "knock:4d:melds=6d7d8d",
        "lay_off",
        "lay_off:melds=:on=",
        "lay_off:melds=6d7d8d,9c9d9h:on=4d0,5d0",
    ]
    assert [action_words(word) for word in words] == [
        "draw",
        "big gin",
        "throw Kd",
        "knock with 4d",
        "lay off the best",
        "lay down nothing",
        "lay down 6d7d8d 9c9d9h, lay off 4d 5d",
    ]
