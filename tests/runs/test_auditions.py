"""Uploads are tested one after another by the real command; nothing is lost when it or the server is killed."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from clubs import BOT, league, send
from commands import arena
from msgspec import json

from arena.league import folder as leagues
from arena.league.jobs import NOT_FINISHED, Auditions, EndedCommand
from arena.league.rules.events import NO_REASON, Activated, Reason
from arena.league.submit import SubmissionLine, submit
from arena.league.uploads import MOST_LOST, Inbox, Upload, UploadLimits, open_inbox
from arena.runs.debug import replay_command
from arena.tournament.audition import Finding

pytestmark = pytest.mark.timeout(240)
BROKEN = BOT.replace(b"    pass", b"    def discard(self, view):\n        raise ValueError('no idea')")
LONG = 120.0  # seconds
FULL = Reason("the disk is full")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return league(tmp_path)


@contextmanager
def at_work(path: Path, inbox: Inbox, seconds: float = LONG, hindrance: Reason = NO_REASON) -> Iterator[tuple[Auditions, Event]]:
    """Yield the auditions, and an event that is set when nothing waits any more."""
    done = Event()

    def changed(_: Upload) -> None:
        if not inbox.waiting():
            done.set()

    auditions = Auditions(path, inbox, seconds, changed, lambda: hindrance)
    auditions.start()
    try:
        yield auditions, done
    finally:
        auditions.stop()


def activated(path: Path) -> list[str]:
    with leagues.open_league(path) as league:
        return [event.version for event in leagues.history(league.folder, league.store).events if isinstance(event, Activated)]


@pytest.mark.process
def test_uploads_are_tested_in_order_and_a_refusal_names_the_turn_and_the_authors_line(path: Path) -> None:
    with open_inbox(path, UploadLimits(free=0)) as inbox:
        first, second = send(inbox, BROKEN), send(inbox)
        with at_work(path, inbox) as (auditions, done):
            assert done.wait(LONG)
        refused, joined = inbox.get(first.id), inbox.get(second.id)
        assert refused
        assert joined
        assert (refused.state, joined.state, joined.version) == ("refused", "joined", "Mine@1")
        failed = refused.findings[-1]
        assert (failed.step, failed.passed) == ("hands", False)
        assert '"phase":"discard"' in failed.turn
        assert 'File "bot.py", line 5, in discard' in failed.stderr
        command = replay_command(failed, refused.bot)
        assert command[:5] == ("arena", "debug", "mine.py", "--against", "sparring")
        (path.parent / "mine.py").write_bytes(BROKEN)
        shown = arena(*command[1:], "--sandbox", "none", folder=path.parent)
        assert shown.returncode == 1
        assert "fault: crash" in shown.stdout
        assert "ValueError: no idea" in shown.stdout
        assert [finding.step for finding in joined.findings][:2] == ["start", "hands"]
        assert auditions.count == 2
    assert activated(path) == ["Mine@1"]


@pytest.mark.process
def test_a_kill_between_the_event_and_the_verdict_loses_nothing_and_adds_nothing(path: Path) -> None:
    with open_inbox(path, UploadLimits(free=0)) as inbox:
        upload = send(inbox)
        inbox.begin(upload)
        submit(path, str(inbox.body(upload)), "ann", None, lambda _: None)  # the event is stored, the verdict is not
    with open_inbox(path, UploadLimits(free=0)) as inbox, at_work(path, inbox) as (_, done):
        assert done.wait(LONG)
        found = inbox.get(upload.id)
        assert found
        assert (found.state, found.version) == ("known", "Mine@1")
    assert activated(path) == ["Mine@1"]


def test_an_upload_is_shown_as_being_tested_after_each_step_that_it_has_passed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_command(*_: object, began: Callable[[], None], read: Callable[[bytes], None], **__: object) -> EndedCommand:
        began()
        for step in ("start", "hands"):
            read(json.encode(SubmissionLine(finding=Finding(step=step, passed=True, summary=""))))
        return EndedCommand(1, b"", "", late=False)

    shown: list[tuple[str, int]] = []
    monkeypatch.setattr(Auditions, "run_command", run_command)
    with open_inbox(path, UploadLimits(free=0)) as inbox:
        send(inbox)
        Auditions(path, inbox, LONG, lambda one: shown.append((one.state, len(one.findings))), lambda: NO_REASON).look()
    assert shown == [("testing", 0), ("testing", 1), ("testing", 2), ("queued", 0)]


def test_an_upload_that_is_tested_again_no_longer_says_that_it_waits_for_that(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_command(*_: object, began: Callable[[], None], **__: object) -> EndedCommand:
        began()
        return EndedCommand(-9, b"", "", late=False)

    shown: list[tuple[str, str]] = []
    monkeypatch.setattr(Auditions, "run_command", run_command)
    with open_inbox(path, UploadLimits(free=0)) as inbox:
        send(inbox)
        auditions = Auditions(path, inbox, LONG, lambda one: shown.append((one.state, one.reason)), lambda: NO_REASON)
        for _ in range(2):
            auditions.look()
    assert shown == [("testing", ""), ("queued", NOT_FINISHED)] * 2


def test_an_audition_that_takes_too_long_is_ended_and_the_next_one_has_its_turn(path: Path) -> None:
    with open_inbox(path, UploadLimits(free=0)) as inbox:
        send(inbox)
        send(inbox, author="ben")
        with at_work(path, inbox, seconds=0.2) as (_, done):
            assert done.wait(LONG)
        assert [upload.reason for upload in inbox.all()] == ["its audition took more than 0 seconds"] * 2
    assert activated(path) == []


def test_a_server_that_is_stopped_during_an_audition_tests_it_again_however_often(path: Path) -> None:
    with open_inbox(path, UploadLimits(free=0)) as inbox:
        upload = send(inbox)
    for _ in range(MOST_LOST + 1):
        with open_inbox(path, UploadLimits(free=0)) as inbox:
            stop_when_it_is_tested(path, inbox)
            if inbox.get(upload.id) and not inbox.waiting():
                pytest.skip("the audition was faster than the stop")
    with open_inbox(path, UploadLimits(free=0)) as inbox:
        assert [(one.id, one.state, one.lost) for one in inbox.waiting()] == [(upload.id, "queued", 0)]


def stop_when_it_is_tested(path: Path, inbox: Inbox) -> None:
    begun = Event()
    auditions = Auditions(path, inbox, LONG, lambda _: begun.set(), lambda: NO_REASON)
    auditions.start()
    assert begun.wait(LONG)
    auditions.stop()


@pytest.mark.process
def test_a_machine_that_cannot_test_a_bot_refuses_nobody(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_process(*_: object, **__: object) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    with open_inbox(path, UploadLimits(free=0)) as inbox:
        auditions = Auditions(path, inbox, LONG, lambda _: None, lambda: NO_REASON)
        send(inbox)
        with monkeypatch.context() as patch:
            patch.setattr(Auditions, "run_command", no_process)
            for _ in range(2 * MOST_LOST):
                assert auditions.look() > 0
                assert "Resource temporarily unavailable" in str(auditions.problem)
        bots = path / "bots"
        bots.rmdir()
        bots.write_text("a disk without room")  # nobody can be copied there, and the command says so
        auditions.look()
        assert str(bots) in str(auditions.problem)
        assert [(one.state, one.lost) for one in inbox.all()] == [("queued", 0)]
        bots.unlink()
        auditions.look()
        assert [one.state for one in inbox.all()] == ["joined"]


def test_nothing_is_tested_while_the_machine_has_a_problem(path: Path) -> None:
    with open_inbox(path, UploadLimits(free=0)) as inbox:
        send(inbox)
        with at_work(path, inbox, hindrance=FULL) as (auditions, done):
            assert not done.wait(0.2)
            assert (auditions.problem, len(inbox.waiting())) == (FULL, 1)
