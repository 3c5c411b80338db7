"""The preflight check: every entrant is started once before a tournament."""

import os
import sys
from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from support.bots.programs import GREETS, IMPORTS, PLAYS, playing, program
from support.processes.marked import left

from arena.errors import RosterError
from arena.limits import TimeLimits
from arena.players.sandboxes import NoSandbox
from arena.plugins import manager
from arena.roster.entrant import Entrant, Launch
from arena.tournament import plan, spec
from arena.tournament.preflight import PARALLEL, check_starts

MARK = f"arena-test-of-preflight-{os.getpid()}"
KINDS = manager.kinds(manager.load(entry_points=False))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="orphans are read from Linux's /proc")


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    yield
    assert left(MARK) == []


def planned(**launches: Launch) -> plan.Plan:
    read = replace(
        spec.parse_spec(f"bots: [{', '.join(launches)}]\n", KINDS, "league.yaml"), sandbox=NoSandbox(), time=TimeLimits(start=0.5)
    )

    def entrant(bot: str, _: str | None) -> Entrant:
        return Entrant(name=bot, version="1", source=bot, digest="0" * 64, launch=launches[bot])

    return plan.make(read, None, entrant)


def test_bots_that_are_ready_are_started_and_ended() -> None:
    names = [f"bot{number}" for number in range(PARALLEL + 3)]
    check_starts(planned(**{name: playing(mark=MARK) for name in names}))


def test_what_the_sdk_warns_of_is_returned_for_each_bot_that_starts() -> None:
    talks = program(
        f"{IMPORTS}print('warning: Mine.thorws is never called\\n' * 20, file=sys.stderr, flush=True)\n{PLAYS}", mark=MARK
    )
    found = check_starts(planned(fine=playing(mark=MARK), mine=talks))
    assert found == ["bot 'mine': warning: Mine.thorws is never called"] * 10


@pytest.mark.process
def test_every_bot_that_fails_to_start_is_reported_in_one_line_with_its_stderr() -> None:
    with pytest.raises(RosterError) as raised:
        check_starts(
            planned(
                fine=playing(mark=MARK),
                gone=Launch(command=("/no/such/bot",), folder="/"),
                breaks=program("import nothing_of_that_name", mark=MARK),
                sleeps=program(f"{IMPORTS}time.sleep(60)", mark=MARK),
                mumbles=program(f"{IMPORTS}print('hello \\x1b[2J', flush=True); sys.stdin.read()", mark=MARK),
                late=program(f"{GREETS}sys.stdin.read()", mark=MARK),
            )
        )
    line = str(raised.value)
    assert "\n" not in line
    assert line.isprintable()
    assert line.startswith("4 bots cannot be started: 'gone': could not be started: [Errno 2] No such file or directory")
    assert (
        "; 'breaks': ended with exit code 1 without an answer: ModuleNotFoundError: No module named 'nothing_of_that_name'" in line
    )
    assert "; 'sleeps': no answer; idle for 0.5" in line
    assert "; 'mumbles': expected ready: JSON is malformed" in line
    assert "'late'" not in line
    assert "'fine'" not in line
