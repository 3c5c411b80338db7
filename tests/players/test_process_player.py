"""A player that is a process: valid answers, and the fault for every other answer."""

import errno
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.bots.players import UPCARD, asked, begun, fault, player
from support.bots.programs import AT_ITS_TURN, GREETS, IMPORTS, READY, playing, program
from support.processes.marked import left
from support.processes.waiting import until

from arena.confinement.status import LaunchFailedError
from arena.errors import BotUnavailableError
from arena.gin.actions import Action, Pass
from arena.limits import TimeLimits
from arena.players import child
from arena.players.base import PlayerFaultError
from arena.players.sandboxes import NoSandbox, StandardSandbox
from arena.roster.entrant import Launch
from arena.roster.finder import find

MARK = f"arena-test-of-remote-players-{os.getpid()}"  # unique, since the same tests may run twice at the same time
LIMITS = TimeLimits(per_turn=0.5, per_match=5.0, stall=0.5)
SLOW_TURN = """
while '"turn"' not in sys.stdin.readline(): pass
sys.stderr.write(hello); sys.stderr.flush()
{}print('{{"kind":"pass"}}', flush=True); sys.stdin.read()
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="orphans are read from Linux's /proc")


@pytest.fixture(autouse=True)
def _no_process_is_left() -> Iterator[None]:
    yield
    assert left(MARK) == []


def answering(text: str) -> Launch:
    """Return a bot that answers its first turn with these bytes and a newline."""
    return program(f"{AT_ITS_TURN}os.write(1, {text.encode('latin-1')!r} + b'\\n'); sys.stdin.read()", mark=MARK)


def doing(code: str) -> Launch:
    """Return a bot that does this at its first turn."""
    return program(AT_ITS_TURN + code, mark=MARK)


def greeting(text: str) -> Launch:
    """Return a bot that answers ``hello`` with this line."""
    return program(f"{IMPORTS}sys.stdin.readline(); print({text!r}, flush=True); sys.stdin.read()", mark=MARK)


def test_an_answer_becomes_an_action() -> None:
    reply = asked(answering('{"kind":"pass"}'))
    assert reply.action == Pass()
    assert reply.question.startswith(b'{"type":"turn","game":0')
    assert reply.answer == b'{"kind":"pass"}'


GIVES_UP = "print('no such model', file=sys.stderr); sys.exit(69)"


@pytest.mark.parametrize("launch", [doing(GIVES_UP), program(f"{IMPORTS}{GIVES_UP}")], ids=["at its turn", "at its start"])
def test_a_bot_that_may_end_the_run_ends_it_by_its_exit_code_with_its_last_words(launch: Launch) -> None:
    with pytest.raises(BotUnavailableError, match="a bot cannot play: no such model"):
        asked(replace(launch, may_end_run=True))


def test_a_bot_in_a_sandbox_cannot_end_the_run() -> None:
    found = fault(doing(GIVES_UP))
    assert (found.kind, found.detail) == ("crash", "ended with exit code 69 without an answer")
    assert NoSandbox().wrap(doing("")).may_end_run
    assert not StandardSandbox().wrap(doing("")).may_end_run


@pytest.mark.parametrize("spaced", ['  {"kind": "pass"}  ', '{"kind":"pass","card":null}', '{"kind":"\\u0070ass"}'])
def test_json_may_be_written_in_any_valid_way(spaced: str) -> None:
    assert asked(answering(spaced)).action == Pass()


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        ('{"kind":"pass"} {}', "JSON is malformed"),
        ('{"kind":"pass"}\r\n', "more than one line"),
        ('{"kind":"discard"}', "discard without a card"),
        ('{"kind":"pass","card":"7h"}', "pass with card; expected: only the kind"),
        ('{"kind":"knock","card":"7h","melds":[["7h","7h","7c"]]}', "7h"),
        ('{"a":' * 10_000, "unknown field `a`|nested too deep"),
        ('{"kind":"pa\xff"}', "not UTF-8|Invalid UTF-8|invalid utf-8"),
        ("\x00\x00\x00", "JSON is malformed"),
    ],
    ids=lambda text: repr(text[:24]),
)
def test_an_invalid_answer_is_malformed_with_its_reason(answer: str, detail: str) -> None:
    caught = fault(answering(answer))
    assert caught.kind == "malformed"
    assert re.search(detail, caught.detail)


def test_a_fault_contains_no_control_characters() -> None:
    caught = fault(answering('{"kind":"pass","\x1b[2J\x1b]0;owned\x07":1}'))
    assert caught.detail.isprintable()
    assert caught.detail.isascii()


@pytest.mark.process
@pytest.mark.parametrize(
    ("code", "kind", "detail"),
    [
        ("time.sleep(60)", "timeout", r"no answer; idle for 0\.\d+ s; allowed: 0\.500 s"),
        ("while True: pass", "timeout", r"no answer within 0\.500 s of processor time"),
        ("os.close(1); time.sleep(60)", "crash", "closed its output without an answer"),
        ("x = [0] * (1 << 60)", "memory", "ran out of memory"),
        ("raise KeyError('seven')", "crash", "ended with exit code 1 without an answer"),
    ],
)
def test_a_missing_answer_is_a_fault_of_the_right_kind(code: str, kind: str, detail: str) -> None:
    caught = fault(doing(code), LIMITS)
    assert caught.kind == kind
    assert re.fullmatch(detail, caught.detail)


def test_a_crash_contains_the_end_of_the_traceback() -> None:
    assert fault(doing("raise KeyError('seven')")).stderr.endswith("KeyError: 'seven'\n")


def hasty(has_begun: Path, before: str = "") -> Launch:
    """Return a bot that answers before it is asked, but not before its ``ready`` was read: that would be two lines to ``hello``."""
    waits = f"while not os.path.exists({str(has_begun)!r}): time.sleep(0.001)\n"
    return program(
        f"{GREETS}{waits}{before}print('early', flush=True); print('done', file=sys.stderr); sys.stdin.read()", mark=MARK
    )


def test_an_answer_before_its_turn_is_malformed(tmp_path: Path) -> None:
    with pytest.raises(PlayerFaultError, match="an answer before the question"), begun(hasty(tmp_path / "begun")) as remote:
        (tmp_path / "begun").touch()
        until(lambda: "done" in remote.log())
        remote.ask(UPCARD)


def test_a_second_line_after_ready_is_malformed() -> None:
    caught = fault(program(f"{IMPORTS}sys.stdin.readline(); os.write(1, b'{READY}\\nearly\\n'); sys.stdin.read()", mark=MARK))
    assert (caught.kind, caught.detail) == ("malformed", "more than one line in answer to one question")


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        ('{"type":"ready","protocol":2}', "speaks protocol 2; expected 1"),
        ('{"type":"ready"}', "expected ready: Object missing required field `protocol`"),
        ("ready", "expected ready: JSON is malformed"),
    ],
)
def test_an_invalid_answer_to_hello_is_malformed(line: str, detail: str) -> None:
    caught = fault(greeting(line))
    assert caught.kind == "malformed"
    assert caught.detail.startswith(detail)


def test_a_missing_program_is_a_crash() -> None:
    assert fault(Launch(command=("/no/such/bot",), folder="/")).detail.startswith("could not be started: ")


@pytest.mark.process
def test_processor_time_is_charged_to_one_account_for_the_fixture() -> None:
    slow = playing("end = time.process_time() + 0.15\nwhile time.process_time() < end: pass", mark=MARK)
    with begun(slow, TimeLimits(per_turn=0.5, per_match=0.4, stall=5.0)) as remote, pytest.raises(PlayerFaultError) as caught:
        for _ in range(4):
            remote.ask(UPCARD)
    assert caught.value.kind == "timeout"


@pytest.mark.process
def test_a_fault_is_charged_to_the_account_too() -> None:
    slow = playing("while turn['hand'] == 0: pass", mark=MARK)
    with player(slow, TimeLimits(per_turn=0.3, per_match=0.5, stall=5.0)) as remote:
        for allowed in ("0.300", "0.1|0.2"):
            remote.begin(0, None)
            with pytest.raises(PlayerFaultError, match=rf"no answer within ({allowed})\d* s of processor time") as caught:
                remote.ask(UPCARD)
            assert caught.value.cpu >= 0.1
            assert caught.value.question.startswith(b'{"type":"turn"')
            remote.close()


@pytest.mark.process
def test_an_answer_before_its_turn_is_charged_to_the_account_too(tmp_path: Path) -> None:
    burns = "end = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
    with player(hasty(tmp_path / "begun", burns), TimeLimits(per_turn=0.5, per_match=0.4, stall=30.0)) as remote:
        for _ in range(2):
            remote.begin(0, None)
            (tmp_path / "begun").touch()
            until(lambda: "done" in remote.log())
            with pytest.raises(PlayerFaultError, match="an answer before the question") as caught:
                remote.ask(UPCARD)
            assert caught.value.cpu >= 0.2
            remote.close()
            (tmp_path / "begun").unlink()
        remote.begin(0, None)
        with pytest.raises(PlayerFaultError, match=r"no answer within 0\.000 s of processor time"):
            remote.ask(UPCARD)


@pytest.mark.process
def test_a_start_in_its_opponents_time_is_not_charged_to_the_account(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    burns_once = f"{IMPORTS}while not os.path.exists({str(begun)!r}): pass\n"
    launch = program(f'{burns_once}{AT_ITS_TURN}print(\'{{"kind":"pass"}}\', flush=True); sys.stdin.read()', mark=MARK)
    with player(launch, TimeLimits(per_turn=0.2, per_match=0.2, stall=5.0, start=0.3)) as remote:
        remote.start()
        until(lambda: remote.overspent() is not None)
        remote.close()
        begun.touch()
        remote.begin(0, None)
        assert remote.ask(UPCARD).action == Pass()


def test_the_wait_for_its_opponent_does_not_count_as_a_bots_start() -> None:
    with player(playing(mark=MARK), TimeLimits(start=1.0)) as remote:
        remote.start()
        process = remote._process  # noqa: SLF001
        assert process
        process._sent_at -= 1000.0  # noqa: SLF001 - as if its opponent had been awaited for so long
        remote.begin(0, None)
        assert remote.ask(UPCARD).action == Pass()


@pytest.mark.parametrize("error", [OSError(errno.EMFILE, "Too many open files"), BrokenPipeError(errno.EPIPE, "Broken pipe")])
def test_a_machine_that_cannot_start_a_process_or_ends_a_template_is_no_fault_of_the_bot(
    monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    def start(*_: object) -> None:
        raise error

    monkeypatch.setattr(child, "_start", start)
    with player(replace(playing(mark=MARK), prefork=True)) as remote, pytest.raises(LaunchFailedError, match=str(error.strerror)):
        remote.start()


def test_a_closed_player_can_begin_again() -> None:
    with player(playing(mark=MARK)) as remote:
        for _ in range(2):
            remote.begin(0, None)
            assert remote.ask(UPCARD).action == Pass()
            remote.close()
            remote.close()


def test_a_player_that_is_not_running_cannot_be_asked() -> None:
    with player(playing(mark=MARK)) as remote, pytest.raises(PlayerFaultError, match="not running"):
        remote.ask(UPCARD)


# --- Python bots on the SDK


BOT = "from arena.sdk import Bot, Pass\n"


def python_bot(folder: Path, text: str) -> Launch:
    (folder / "mine.py").write_text(text, encoding="utf-8")
    return StandardSandbox().wrap(find(f"{folder}/mine.py:Mine").launch)


def first_action(folder: Path, upcard: str) -> Action:
    body = f"{BOT}class Mine(Bot):\n    def upcard(self, view):\n        {upcard}\n        return Pass()\n"
    return asked(python_bot(folder, body)).action


@pytest.mark.parametrize(
    "line", ["print('thinking')", "import sys; sys.stdout.write('{}'); sys.stdout.flush()", "import os; os.write(1, b'{}')"]
)
def test_a_bot_may_print_in_its_turn(tmp_path: Path, line: str) -> None:
    assert first_action(tmp_path, line) == Pass()


def test_a_bot_may_print_at_import(tmp_path: Path) -> None:
    launch = python_bot(tmp_path, f"{BOT}print('hello')\nclass Mine(Bot):\n    def upcard(self, view): return Pass()\n")
    assert asked(launch).action == Pass()


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("import nothing_of_that_name\nMine = None", "ModuleNotFoundError: No module named 'nothing_of_that_name'\n"),
        ("exec('def Mine(:')", "SyntaxError: invalid syntax\n"),
    ],
)
def test_a_bot_that_cannot_be_imported_or_built_is_a_crash_with_the_end_of_its_traceback(
    tmp_path: Path, text: str, end: str
) -> None:
    caught = fault(python_bot(tmp_path, text))
    assert (caught.kind, caught.detail) == ("crash", "ended with exit code 1 without an answer")
    assert caught.stderr.endswith(end)


def test_running_out_of_memory_is_a_memory_fault(tmp_path: Path) -> None:
    text = f"{BOT}class Mine(Bot):\n    def upcard(self, view):\n        return bytearray(1 << 30)\n"
    caught = fault(python_bot(tmp_path, text))
    assert (caught.kind, caught.detail) == ("memory", "ran out of memory; allowed: 256 MB")


def test_ready_contains_the_protocols_version() -> None:
    assert READY == '{"type":"ready","protocol":1}'
    with begun(greeting(READY)):
        pass


@pytest.mark.process
@pytest.mark.parametrize("pace", [1.0, 40.0])
def test_on_a_slower_machine_a_bot_has_more_time_and_gets_the_same_limits(pace: float) -> None:
    used = "while time.process_time() < 0.4: pass\n"
    slow = program(f"{IMPORTS}hello = sys.stdin.readline(); print('{READY}', flush=True)\n{SLOW_TURN.format(used)}", mark=MARK)
    with begun(slow, TimeLimits(per_turn=0.1, per_match=0.2), pace=pace) as remote:
        if pace > 1:
            assert remote.ask(UPCARD).cpu > 0.2
        else:
            with pytest.raises(PlayerFaultError, match=r"0\.100 s of processor time|allowed: 0\.100 s"):
                remote.ask(UPCARD)
        assert '"turn_cpu":0.1,"match_cpu":0.2' in remote.log()
