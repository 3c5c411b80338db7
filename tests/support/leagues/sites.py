"""Leagues on the web for tests: a league's folder, its authors' tokens, and its application in this process."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Semaphore
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from starlette.routing import Route
from support.leagues.admitting import admitting
from support.servers.asgi import HOST, Endpoint, Response, ask

from arena.errors import SandboxError
from arena.league import leagues
from arena.league.jobs import JobQueue, JobRunner, ServerJob, open_jobs
from arena.league.leagues import new
from arena.league.observing import LeagueObserver
from arena.league.play import StopRule, play_rounds
from arena.league.rules.events import NO_REASON, AnyEvent
from arena.league.submit import submit_bot, submit_for_author
from arena.league.tokens import issue
from arena.league.uploads import Upload, UploadLimits, receiving
from arena.plugins import manager
from arena.runs.named_parts import sandbox
from arena.runs.runner import Runner
from arena.web.club.context import ClubTerms
from arena.web.club.site import Club, job_limits, open_club

if TYPE_CHECKING:
    from arena.tournament.audition import Finding

SPEC = """
title: Friday league
rules: {target: 10, best_of: 1}
sandbox: none
audition: {hands: 8}
pairing: {newcomer: 3}
suspension: {share: 1}
likeness: null
"""
BOT = b"from arena.sdk import Bot\n\nclass Mine(Bot):\n    pass\n"
ORIGIN = f"http://{HOST}"
LIMITS = UploadLimits(free=0)
LONG = 120.0  # seconds of an audition, at most
READ = 30.0  # seconds until a small league has been read, at most


def league(folder: Path, *events: AnyEvent, rules: str = "{target: 10, best_of: 1}", likeness: str = "null") -> Path:
    """Make a league with events."""
    text = SPEC.replace("{target: 10, best_of: 1}", rules).replace("likeness: null", f"likeness: {likeness}")
    (folder / "friday.yaml").write_text(text)
    new(folder / "friday", folder / "friday.yaml")
    with leagues.open_league(folder / "friday", write=True) as made:
        leagues.add(made.store, *events)
    return folder / "friday"


def isolated(folder: Path, terms: str = "") -> Path:
    """Make a league whose bots are isolated, perhaps with more terms, or skip the test where they cannot be."""
    try:
        if not sandbox(None, []).assurance().isolated:
            pytest.skip("this machine cannot isolate bots")
    except SandboxError as error:
        pytest.skip(str(error))
    (folder / "friday.yaml").write_text(
        f"{{title: Friday league, rules: {{target: 30, best_of: 1}}, audition: {{hands: 8}}{terms}}}"
    )
    new(folder / "friday", folder / "friday.yaml")
    return folder / "friday"


def entered(folder: Path, made: Callable[[Path], Path] = league) -> Path:
    """Make a league that the bots of ann and ben have joined."""
    path = made(folder)
    for author in ("ann", "ben"):
        (folder / "bot.py").write_bytes(BOT + f"# of {author}\n".encode())
        with admitting():
            assert submit_bot(path, str(folder / "bot.py"), author, f"{author}-bot", lambda _: None).version
    return path


def play(path: Path, matches: int, *plugins: object) -> None:
    """Play some matches of a league in this process, with some plugins."""
    loaded = manager.load(entry_points=False)
    for plugin in plugins:
        loaded.register(plugin)
    play_rounds(path, Runner(loaded, "serial"), StopRule(matches=matches), LeagueObserver(), None)


def with_results(folder: Path) -> Path:
    """Make a league that the bots of ann and ben have joined and played some rounds in."""
    path = entered(folder)
    play(path, 6)
    return path


def token(path: Path, name: str, *, organiser: bool = False, days: int = 1) -> str:
    """Return a new token."""
    return issue(path, name, timedelta(days=days), organiser=organiser).text


def jobs_of(path: Path, limits: UploadLimits = LIMITS, seconds: float = LONG) -> AbstractContextManager[JobQueue]:
    """Open the jobs of a league, as its server does; an audition may take some ``seconds``."""
    return open_jobs(path, job_limits(ClubTerms(limits=limits, audition_seconds=seconds)))


def send(jobs: JobQueue, content: bytes = BOT, author: str = "ann", file: str = "mine.py", limits: UploadLimits = LIMITS) -> Upload:
    """Send a file to the jobs of a league."""
    with receiving(jobs, limits, author, file, None) as draft:
        draft.write(content)
        return draft.commit()


def send_to(path: Path) -> Upload:
    """Send a file to a league."""
    with jobs_of(path) as jobs:
        return send(jobs)


@contextmanager
def club(path: Path, terms: ClubTerms | None = None) -> Iterator[Club]:
    """Yield a league's server, which has read the league once and thinks that the bots are isolated. No audition runs."""
    with open_club(path, terms or ClubTerms(submit=True)) as made:
        made.context.unsafe = NO_REASON
        shown, watch = Semaphore(0), made.context.watch
        watch._changed = lambda _: shown.release()  # noqa: SLF001 - the pages are asked for in loops that end
        watch.start()
        try:
            for _ in ("without rating curves", "with them"):
                assert shown.acquire(timeout=READ), watch.problem
            yield made
        finally:
            watch.stop()


class DirectAuditions(JobRunner):
    """Auditions in this process; ``league/test_jobs.py`` tests that they are processes of their own."""

    def _run_job(self, job: ServerJob) -> ServerJob:
        assert isinstance(job, Upload)
        assert self._queue.league
        findings: list[Finding] = []
        outcome = submit_for_author(self._queue.league, job.source(self._queue.league), job.author, job.name, findings.append)
        return replace(job, findings=tuple(findings)).after_outcome(outcome)


class ClubSite:
    """A league's server with two authors and an organiser, and requests to it."""

    def __init__(self, club: Club) -> None:
        self.club = club
        self.path = club.context.path
        self.app = club.app([HOST])
        self.ann, self.ben = token(self.path, "ann"), token(self.path, "ben")
        self.organiser = token(self.path, "olga", organiser=True)

    @property
    def endpoints(self) -> list[Endpoint]:
        """Return each path that is answered, with each of its methods."""
        routes = [route for route in self.app.routes if isinstance(route, Route)]
        return [Endpoint(method, route.path) for route in routes for method in sorted(route.methods or ())]

    @property
    def jobs(self) -> JobQueue:
        assert self.club.context.jobs
        return self.club.context.jobs

    @property
    def stored(self) -> list[Upload]:
        return self.jobs.all(Upload)

    def ask(self, method: str, target: str, body: bytes = b"", bearer: str = "", **options: str) -> Response:
        signed = {"authorization": f"Bearer {bearer}"} if bearer else {}
        return ask(self.app, method, target, [body] if body else [], **options, **signed)

    def get(self, target: str, bearer: str = "", **options: str) -> Response:
        return self.ask("GET", target, b"", bearer, **options)

    def send(self, target: str, body: bytes = b"", bearer: str = "", **options: str) -> Response:
        return self.ask("POST", target, body, bearer, **options)

    def upload(self, bearer: str, file: str = "mine.py", body: bytes = BOT, **options: str) -> Response:
        return self.send(f"/api/uploads?file={file}", body, bearer, **options)

    def test_all(self) -> None:
        """Give every upload its verdict."""
        auditions = DirectAuditions("auditions", self.jobs, (Upload,))
        while self.jobs.waiting(Upload):
            auditions.poll()

    def sign_in(self, text: str) -> Response:
        page = self.get("/sign-in")
        body = f"form_key={form_key(page)}&token={text}".encode()
        return self.send("/sign-in", body, origin=ORIGIN, cookie=page.cookie)


def form_key(page: Response) -> str:
    """Return the value that a form of a page must contain."""
    return page.text.partition('name="form_key" value="')[2].partition('"')[0]
