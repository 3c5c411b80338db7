"""Players in Java for the EAAI challenge's interface, as bots of arena."""

import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.hands.builders import RULESETS
from support.matches.in_process import match
from support.sizes import mostly_nightly

from arena.gin.rules import Rules
from arena.gin.view import View
from arena.limits import LineLimits, TimeLimits
from arena.players.base import ObservedPlayer, Reply
from arena.players.process_player import ProcessPlayer
from arena.players.sandboxes import StandardSandbox
from arena.roster.finder import find

pytestmark = pytest.mark.process

GUEST = Path(__file__).parents[3] / "bots" / "guests" / "java"
RECORDS = """
import ginrummy.*;
import java.util.*;

/** Plays as LeastDeadwood, and writes each event to stderr. */
public class Recorder extends LeastDeadwood {
    private static void say(String what) { System.out.println(what); }
    @Override public void startGame(int me, int starts, Card[] cards) {
        say("start " + cards.length);
        super.startGame(me, starts, cards);
    }
    @Override public void reportDraw(int who, Card card) { say("draw " + card); super.reportDraw(who, card); }
    @Override public void reportDiscard(int who, Card card) { say("discard " + card); super.reportDiscard(who, card); }
    @Override public void reportFinalMelds(int who, ArrayList<ArrayList<Card>> melds) {
        say("melds " + melds.size());
        super.reportFinalMelds(who, melds);
    }
    @Override public void reportScores(int[] scores) { say("scores " + scores.length); }
    @Override public void reportFinalHand(int who, ArrayList<Card> hand) { say("hand " + hand.size()); }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy and compile the guest, with a player that writes each event to stderr."""
    for tool in ("java", "javac", "jlink", "make"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed here")
    copy = tmp_path_factory.mktemp("guest") / "java"
    shutil.copytree(GUEST, copy, ignore=shutil.ignore_patterns("classes", "guest.jar", "runtime"))
    copy.parent.chmod(0o755)
    (copy / "Recorder.java").write_text(RECORDS, encoding="utf-8")
    made = subprocess.run(["make"], cwd=copy, capture_output=True, text=True, check=False)  # noqa: S607 - the author's step
    if made.returncode and "jlink" in made.stderr:
        pytest.skip(f"no runtime can be made here: {made.stderr.strip().splitlines()[0]}")
    assert made.returncode == 0, made.stderr
    return copy


def player(folder: Path, rules: Rules, name: str = "LeastDeadwood") -> ProcessPlayer:
    """Return a player in the sandbox."""
    launch = find(str(folder / "bot.yaml")).launch
    named = replace(launch, command=(*launch.command[:-1], name))
    return ProcessPlayer(StandardSandbox(threads=16).wrap(named), rules, TimeLimits(), LineLimits(stderr_kb=64), "seed")


@pytest.mark.parametrize("rules", mostly_nightly(RULESETS.values(), RULESETS["tournament"]), ids=RULESETS)
def test_it_plays_legal_hands_under_every_ruleset(folder: Path, rules: Rules) -> None:
    guest = player(folder, rules)
    record = match(guest, rules=rules, hands=20)
    assert record.faults == ()
    assert guest.ended is not None
    assert guest.ended.code == 0


def test_it_knocks_only_with_five_points_or_fewer(folder: Path) -> None:
    record = match(player(folder, Rules()), rules=Rules(), hands=60)
    knocks = [hand.deadwood[0] for hand in record.hands if hand.ending in ("knock", "gin") and hand.winner == 0]
    assert knocks
    assert max(knocks) <= 5


def test_it_receives_the_events_of_the_published_interface(folder: Path) -> None:
    guest = player(folder, Rules(), "Recorder")
    logs: list[str] = []
    match(Logged(guest, logs), rules=Rules(), hands=3)
    events = logs[-1].splitlines()
    assert events[0] == "start 10"
    assert {line.split()[0] for line in events} >= {"start", "draw", "discard", "hand", "scores"}
    assert "draw null" in events
    assert not any("discard null" in line for line in events)


class Logged(ObservedPlayer):
    """Records a player's stderr after each hand."""

    def __init__(self, player: ProcessPlayer, logs: list[str]) -> None:
        super().__init__(player)
        self.remote = player
        self.logs = logs

    def ask(self, view: View) -> Reply:
        reply = super().ask(view)
        self.logs.append(self.remote.log())
        return reply
