"""Jobs are done one after another, uploads by the real command; nothing is lost when it or the server is killed."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from msgspec import json
from msgspec.structs import replace
from support.commands.calls import arena
from support.leagues.sites import BOT, LONG, jobs_of, league, send

from arena.league import leagues
from arena.league.jobs import AGAIN, MOST_LOST, JobQueue, JobRunner, ServerJob
from arena.league.rules.events import NO_REASON, Activated, Reason
from arena.league.submission_lines import SubmissionLine
from arena.league.submit import submit_bot
from arena.league.uploads import Upload
from arena.runs.audition_steps import replay_command
from arena.runs.background import EndedCommand
from arena.tournament.audition import LAST_STEP, Finding

pytestmark = pytest.mark.timeout(240)
BROKEN = BOT.replace(b"    pass", b"    def discard(self, view):\n        raise ValueError('no idea')")
FULL = Reason("the disk is full")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return league(tmp_path)


@contextmanager
def at_work(inbox: JobQueue, why_not_now: Reason = NO_REASON) -> Iterator[tuple[JobRunner, Event]]:
    """Yield the auditions, and an event that is set when nothing waits any more."""
    done = Event()

    def changed(_: ServerJob) -> None:
        if not inbox.waiting(Upload):
            done.set()

    auditions = JobRunner("auditions", inbox, (Upload,), lambda: why_not_now, changed)
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
    with jobs_of(path) as inbox:
        first, second = send(inbox, BROKEN), send(inbox)
        with at_work(inbox) as (auditions, done):
            assert done.wait(LONG)
        refused, joined = inbox.get(Upload, first.id), inbox.get(Upload, second.id)
        assert refused
        assert joined
        assert (refused.state, joined.state, joined.version) == ("refused", "joined", "Mine@1")
        failed = refused.findings[-1]
        assert (failed.step, failed.passed) == ("hands", False)
        assert '"phase":"discard"' in failed.turn
        assert 'File "mine.py", line 5, in discard' in failed.stderr
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
    with jobs_of(path) as inbox:
        upload = send(inbox)
        inbox.change(replace(upload, state="running"))
        submit_bot(path, upload.source(path), "ann", None, lambda _: None)  # the event is stored, the verdict is not
    with jobs_of(path) as inbox, at_work(inbox) as (_, done):
        assert done.wait(LONG)
        found = inbox.get(Upload, upload.id)
        assert found
        assert (found.state, found.version) == ("known", "Mine@1")
    assert activated(path) == ["Mine@1"]


def test_an_upload_is_shown_as_being_tested_after_each_step_that_it_has_passed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_command(*_: object, read: Callable[[bytes], None], **__: object) -> EndedCommand:
        for step in ("start", "hands"):
            read(json.encode(SubmissionLine(finding=Finding(step=step, passed=True, summary=""))))
        return EndedCommand(1, b"", "", late=False)

    shown: list[tuple[str, int]] = []

    def changed(one: ServerJob) -> None:
        assert isinstance(one, Upload)
        shown.append((one.state, len(one.findings)))

    monkeypatch.setattr(JobRunner, "run_command", run_command)
    with jobs_of(path) as inbox:
        send(inbox)
        JobRunner("auditions", inbox, (Upload,), changed=changed).poll()
    assert shown == [("running", 0), ("running", 1), ("running", 2), ("waiting", 0)]


@pytest.mark.parametrize(("step", "state"), [("memory", "refused"), (LAST_STEP, "waiting")])
def test_an_upload_whose_time_is_up_after_its_audition_may_have_joined_and_is_asked_again(
    path: Path, step: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_command(*_: object, read: Callable[[bytes], None], **__: object) -> EndedCommand:
        read(json.encode(SubmissionLine(finding=Finding(step=step, passed=True, summary=""))))
        return EndedCommand(-9, b"", "", late=True)

    monkeypatch.setattr(JobRunner, "run_command", run_command)
    with jobs_of(path) as inbox:
        upload = send(inbox)
        JobRunner("auditions", inbox, (Upload,)).poll()
        after = inbox.get(Upload, upload.id)
    assert after
    assert after.state == state


def test_an_upload_that_is_tested_again_no_longer_says_that_it_waits_for_that(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_command(*_: object, **__: object) -> EndedCommand:
        return EndedCommand(-9, b"", "", late=False)

    shown: list[tuple[str, str]] = []
    monkeypatch.setattr(JobRunner, "run_command", run_command)
    with jobs_of(path) as inbox:
        send(inbox)
        auditions = JobRunner("auditions", inbox, (Upload,), changed=lambda one: shown.append((one.state, one.reason)))
        for _ in range(2):
            auditions.poll()
    assert shown == [("running", ""), ("waiting", AGAIN)] * 2


@pytest.mark.process
def test_an_audition_that_takes_too_long_is_ended_and_the_next_one_has_its_turn(path: Path) -> None:
    with jobs_of(path, seconds=0.2) as inbox:
        send(inbox)
        send(inbox, author="ben")
        with at_work(inbox) as (_, done):
            assert done.wait(LONG)
        assert [upload.reason for upload in inbox.all(Upload)] == ["it took more than 0 seconds"] * 2
    assert activated(path) == []


def test_a_server_that_is_stopped_during_an_audition_tests_it_again_however_often(path: Path) -> None:
    with jobs_of(path) as inbox:
        upload = send(inbox)
    for _ in range(MOST_LOST + 1):
        with jobs_of(path) as inbox:
            stop_when_it_is_tested(inbox)
            if inbox.get(Upload, upload.id) and not inbox.waiting(Upload):
                pytest.skip("the audition was faster than the stop")
    with jobs_of(path) as inbox:
        assert [(one.id, one.state, one.lost) for one in inbox.waiting(Upload)] == [(upload.id, "waiting", 0)]


def stop_when_it_is_tested(inbox: JobQueue) -> None:
    begun = Event()
    auditions = JobRunner("auditions", inbox, (Upload,), changed=lambda _: begun.set())
    auditions.start()
    assert begun.wait(LONG)
    auditions.stop()


@pytest.mark.process
def test_a_machine_that_cannot_test_a_bot_refuses_nobody(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_process(*_: object, **__: object) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    with jobs_of(path) as inbox:
        auditions = JobRunner("auditions", inbox, (Upload,))
        send(inbox)
        with monkeypatch.context() as patch:
            patch.setattr(JobRunner, "run_command", no_process)
            for _ in range(2 * MOST_LOST):
                assert auditions.poll() > 0
                assert "Resource temporarily unavailable" in str(auditions.problem)
        bots = path / "bots"
        bots.rmdir()
        bots.write_text("a disk without room")  # nobody can be copied there, and the command says so
        auditions.poll()
        assert str(bots) in str(auditions.problem)
        assert [(one.state, one.lost) for one in inbox.all(Upload)] == [("waiting", 0)]
        bots.unlink()
        auditions.poll()
        assert [one.state for one in inbox.all(Upload)] == ["joined"]


def test_nothing_is_tested_while_the_machine_has_a_problem(path: Path) -> None:
    with jobs_of(path) as inbox:
        send(inbox)
        with at_work(inbox, why_not_now=FULL) as (auditions, done):
            assert not done.wait(0.2)
            assert (auditions.problem, len(inbox.waiting(Upload))) == (FULL, 1)
