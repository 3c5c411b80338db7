"""A bot in awk plays whole hands over real pipes, under every awk that is installed."""

import shutil
from pathlib import Path
from random import Random

import pytest
import yaml
from support.bots.conversation import play_hands, process
from support.hands.builders import RULESETS
from support.hands.by_chance import any_action
from support.sizes import mostly_nightly

from arena.gin.actions import Knock, Take
from arena.gin.rules import Rules

FOLDER = Path(__file__).parents[2] / "bots" / "awk_counter"
AWKS = {
    "mawk": ["mawk", "-W", "interactive", "-f"],
    "gawk": ["gawk", "--posix", "-f"],
    "busybox": ["busybox", "awk", "-f"],
    "original-awk": ["original-awk", "-f"],
}


def manifest() -> dict[str, object]:
    """Return the bot's manifest."""
    said = yaml.safe_load((FOLDER / "bot.yaml").read_text(encoding="utf-8"))
    assert isinstance(said, dict)
    return said


def hands_are_legal(command: list[str], rules: Rules, hands: int) -> None:
    chance = Random(rules.name)
    kinds = set()
    with process(command, FOLDER) as (teller, bot):
        for played in play_hands(teller, rules, hands, lambda hand: any_action(hand, chance, 0.9)):
            kinds |= {type(action) for action in played.actions}
        assert bot.wait(10) == 0
        assert bot.stderr is not None
        assert bot.stderr.read() == b""
    assert kinds >= {Knock, Take}


@pytest.mark.parametrize("rules", mostly_nightly(RULESETS.values(), RULESETS["tournament"], RULESETS["oklahoma"]), ids=RULESETS)
def test_it_plays_a_dozen_legal_hands_as_its_manifest_starts_it(rules: Rules) -> None:
    command = manifest()["command"]
    assert isinstance(command, list)
    hands_are_legal(command, rules, hands=12)


@pytest.mark.parametrize("awk", AWKS)
def test_it_plays_legal_hands_under_any_awk(awk: str) -> None:
    if shutil.which(AWKS[awk][0]) is None:
        pytest.skip(f"{awk} is not installed here")
    hands_are_legal([*AWKS[awk], "bot.awk"], Rules(), hands=5)


def test_its_manifest_has_its_name_and_its_command() -> None:
    said = manifest()
    assert (said["name"], said["version"]) == ("awk-counter", "1")
    assert said.keys() <= {"name", "version", "command", "threads", "scratch_mb", "description"}
