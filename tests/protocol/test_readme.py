"""The examples and tables of arena/protocol/README.md agree with the code."""

import re
import shutil
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from msgspec import UNSET
from msgspec.structs import fields
from support.bots.conversation import play_hands, process
from support.hands.by_chance import any_action

import arena.protocol
from arena.gin.actions import Kind
from arena.gin.match import Phase
from arena.gin.moves import MOVES
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.protocol import notation
from arena.protocol.codec import LINE_BYTES, decode_answer, decode_message, decode_ready, encode
from arena.protocol.messages import Answer, Hello, Limits, Turn
from arena.protocol.schema import FROM_BOT, FROM_REFEREE
from arena.records import FaultKind

README = Path(arena.protocol.__file__).with_name("README.md").read_text(encoding="utf-8")
EXAMPLES = [line for block in re.findall(r"^```json\n(.*?)^```", README, re.MULTILINE | re.DOTALL) for line in block.splitlines()]


@pytest.mark.parametrize("line", EXAMPLES, ids=lambda line: line[:40])
def test_every_example_is_a_message_exactly_as_sent(line: str) -> None:
    decode = decode_answer if line.startswith('{"kind"') else decode_ready if '"ready"' in line else decode_message
    assert encode(decode(line.encode())) == line.encode() + b"\n"


@pytest.mark.parametrize("line", [line for line in EXAMPLES if line.startswith('{"kind"')])
def test_every_example_of_an_answer_is_an_action(line: str) -> None:
    assert notation.action(decode_answer(line.encode())).kind in get_args(Kind)


def test_every_message_has_an_example_and_every_member_an_explanation() -> None:
    shown = {f'"type":"{message.__struct_config__.tag}"' for message in FROM_REFEREE + FROM_BOT if message is not Answer}
    assert all(any(mark in line for line in EXAMPLES) for mark in shown)
    for message in FROM_REFEREE + FROM_BOT + (Limits,):
        assert all(f"`{field.name}" in README or f".{field.name}`" in README for field in fields(message)), message


def test_every_phase_ending_fault_and_kind_of_action_is_explained() -> None:
    words = [*(phase for phase in Phase if phase is not Phase.OVER), *Ending, *get_args(FaultKind), *get_args(Kind)]
    assert [word for word in words if f"`{word}`" not in README] == []
    assert f"{LINE_BYTES:,} bytes" in README


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.OVER])
def test_the_answers_listed_for_a_phase_are_its_moves(phase: Phase) -> None:
    row = re.search(rf"^\| `{phase}` \|[^|]*\|([^|]*)\|$", README, re.MULTILINE)
    assert row is not None
    listed = set(re.findall(r"`([a-z_]+)`", row.group(1))) - {"may"}
    assert listed == {action.kind for action in MOVES[phase]}


def test_the_example_of_hello_is_the_tournament_ruleset_in_full() -> None:
    hello = next(message for line in EXAMPLES if isinstance(message := _hello(line), Hello))
    assert hello.rules == notation.rules_message(Rules())


def _hello(line: str) -> object:
    return decode_message(line.encode()) if '"type":"hello"' in line else None


def test_a_turn_holds_its_members_in_the_order_shown() -> None:
    shown = next(line for line in EXAMPLES if '"type":"turn"' in line)
    assert re.findall(r'"([a-z_]+)":', shown)[1:] == [field.name for field in fields(Turn) if field.default is not UNSET]


def test_the_tiny_bot_plays_legal_hands(tmp_path: Path) -> None:
    awk = next((command for command in (["mawk", "-W", "interactive"], ["gawk"]) if shutil.which(command[0])), None)
    if awk is None:
        pytest.skip("neither mawk nor gawk is installed here")
    (tmp_path / "tiny.awk").write_text(re.findall(r"^```awk\n(.*?)^```", README, re.MULTILINE | re.DOTALL)[0], encoding="utf-8")
    chance = Random(1)
    with process([*awk, "-f", "tiny.awk"], tmp_path) as (teller, bot):
        played = list(play_hands(teller, Rules(stock_out="last_take"), 20, lambda hand: any_action(hand, chance)))
        assert bot.wait(10) == 0
    assert len(played) == 20
