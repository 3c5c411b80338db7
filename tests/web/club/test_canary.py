"""What a league publishes has nothing of the server in it: a word in the names of its folders is found nowhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.hostile.archives import ATTACKS
from support.hostile.submissions import wheel
from support.leagues.sites import BOT, SPEC, ClubSite, club, play
from support.servers.webhooks import Posts, listening

from arena.errors import SandboxError, StoreError
from arena.league import leagues, membership, uploads
from arena.league import membership as changes
from arena.league.exported import export
from arena.league.jobs import JobRunner
from arena.league.leagues import new
from arena.league.redaction import PathRedactor
from arena.league.requests import VersionChange, ask_comparison
from arena.league.rules.events import Reason
from arena.league.submit import submit_bot
from arena.moments import now
from arena.plugins.consent import WEBHOOK
from arena.runs.background import EndedCommand
from arena.web.club import static_site
from arena.web.club.context import ClubTerms
from arena.web.club.hosting import PlayTerms

pytestmark = pytest.mark.process

CANARY = "canary7"
WORD = CANARY.encode()
BROKEN = BOT.replace(b"    pass", b"    def discard(self, view):\n        raise ValueError(__file__)")
REFUSED = {  # what an author sends, and is refused
    "broken.py": BROKEN,
    "syntax.py": b"class Mine(:\n",
    "none.py": b"",
    "two.py": BOT + b"class Other(Bot):\n    pass\n",
    "not.zip": b"PK",
    "not.whl": b"x",
}


@pytest.fixture(scope="module")
def posted() -> Posts:
    return []


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, posted: Posts) -> Path:
    """Return a league below folders with the word, in which a copy was changed and another one is gone."""
    folder = tmp_path_factory.mktemp(CANARY)
    folder.chmod(0o755)
    (folder / "friday.yaml").write_text(SPEC.replace("newcomer: 3", "newcomer: 1") + "reports: [html, csv, json]\n")
    path = folder / f"friday-{CANARY}"
    new(path, folder / "friday.yaml")
    for name in ("ann", "ben", "cid", "dan", "eve"):
        (folder / "bot.py").write_bytes(BOT + f"# of {name}\n".encode())
        assert submit_bot(path, str(folder / "bot.py"), name, f"{name}-bot", lambda _: None).version
    (folder / "bot.py").write_bytes(BROKEN)
    assert submit_bot(path, str(folder / "bot.py"), "ann", "ann-bot", lambda _: None).version is None
    monkey = pytest.MonkeyPatch()
    with listening(posted) as address, monkey.context() as context:
        context.setenv(WEBHOOK, address)
        play(path, 2)  # the webhook begins with what happens from now on
        spoil(path)
        membership.suspend(path, "eve-bot", "a copy of ann-bot", "olga")
        play(path, 12)  # until the next round is decided
    return path


def spoil(path: Path) -> None:
    """Change a copy, and remove another one."""
    with leagues.open_league(path) as league:
        cid, dan = (leagues.field(league.store).version(name) for name in ("cid-bot@1", "dan-bot@1"))
    (path / "bots" / cid.digest / "bot.py").chmod(0o644)
    (path / "bots" / cid.digest / "bot.py").write_bytes(BOT)
    (path / "bots" / dan.digest / "bot.py").unlink()


@pytest.fixture
def site(path: Path) -> Iterator[ClubSite]:
    """Return its server, in which everything has failed that can."""
    with club(path, ClubTerms(submit=True, play=PlayTerms())) as made:
        site, context = ClubSite(made), made.context
        for file, content in REFUSED.items():
            site.upload(site.ann, file, content)
            site.test_all()
        packed = {"link.zip": ATTACKS["link in a zip"][0](path.parent / "link"), "odd.whl": odd_wheel(path.parent)}
        for file, archive in packed.items():
            site.upload(site.ben, file, archive.read_bytes())
            site.test_all()
        context.watch.stop()
        context.watch._thread.join()  # noqa: SLF001 - it would forget the problem
        said = f"{path}/arena.sqlite: is locked"
        context.watch.problem = Reason("the league cannot be read at the moment", said)
        context.unsafe = Reason("bots cannot be isolated", str(SandboxError(f"user 60001 may not read {path}")))
        assert context.hosting
        context.hosting.poll_once = lambda: 0.0  # type: ignore[method-assign] # it plays nothing
        context.hosting._on_end(EndedCommand(2, b"", f"arena: {path / 'season-1.secret'}: missing", late=False))  # noqa: SLF001 - as after a process
        assert context.auditions
        context.auditions.problem = Reason("uploads cannot be done at the moment", said)
        context.auditions.error = "auditions: an error in arena; see the server's log"
        old, fresh = (replace(context.snapshot.field.versions[0], digest=digit * 64) for digit in "12")
        ask_comparison(site.jobs, "ann", old, fresh)
        requests = JobRunner("requests", site.jobs, (VersionChange,))
        requests._run_job = lambda job: fail(StoreError(said))  # type: ignore[method-assign] # noqa: ARG005, SLF001
        requests.poll()
        context.requests = requests
        yield site


def fail(error: Exception) -> Any:
    raise error


def odd_wheel(folder: Path) -> Path:
    return wheel(folder, "odd", {"odd.py": BOT.decode()}, "[arena.bots]\nodd = odd:Mine\n", requires=["x @ file:///etc"])


FILLED = {
    "{name}": "ann-bot",
    "{one}": "ann-bot@1",
    "{other}": "ben-bot@1",
    "{old}": "ann-bot@1",
    "{new}": "ann-bot@1",
    "{version}": "ann-bot@1",
    "{name:path}": "style.css",
}


def targets(site: ClubSite) -> Iterator[str]:
    """Yield an address for every page that is not a stream, of several bots, uploads and matches."""
    snapshot = site.club.context.snapshot
    fixtures = [pair.deals + "/0" for pair in snapshot.history.played][:2]
    for endpoint in site.endpoints:
        if endpoint.method == "GET" and not endpoint.path.endswith("/events"):
            path = endpoint.path
            for known in ({**FILLED, "{name}": name} for name in ("ann-bot", "cid-bot", "dan-bot", "nobody")):
                filled = path
                for parameter, value in known.items():
                    filled = filled.replace(parameter, value)
                for number in (upload.id for upload in site.stored):
                    yield filled.replace("{number}", number).replace("{fixture:path}", fixtures[0])
    yield from (f"/hands?fixture={fixture}" for fixture in (*fixtures, "r1/nobody"))


def answers(site: ClubSite, bearer: str) -> dict[str, bytes]:
    """Return what is answered to all of these, and to what is sent and refused."""
    found = {target: site.get(target, bearer, accept="text/html").body for target in dict.fromkeys(targets(site))}
    for act in ("/me/retire", "/me/reinstate", "/me/changes", "/organiser/suspend", "/organiser/end-season"):
        body = b"version=ann-bot%401&reason=x&old=ann-bot%401&new=ann-bot%401"
        found[f"POST {act}"] = site.send(act, body, bearer).body
    found["POST /api/uploads"] = site.upload(bearer, "mine.py").body if bearer else b""
    context = site.club.context
    found["/events"] = site.club._public.update(context.snapshot)  # noqa: SLF001 - what the stream sends
    return found


def failing(site: ClubSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have whatever reads or writes fail with a message that names a file."""
    error = StoreError(f"{site.path}/arena.sqlite: cannot be written")
    for act in ("retire", "reinstate", "suspend", "end_season"):
        monkeypatch.setattr(changes, act, lambda *_: fail(error))
    monkeypatch.setattr(uploads, "check_disk", lambda *_: fail(error))


def test_no_page_answer_or_event_has_the_word(site: ClubSite, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(site, monkeypatch)
    for bearer in ("", site.ann, site.ben, site.organiser):
        assert [target for target, body in answers(site, bearer).items() if WORD in body] == []


def test_what_everybody_reads_has_the_word_nowhere_before_folders_are_left_out_either(
    site: ClubSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(site, monkeypatch)
    monkeypatch.setattr(PathRedactor, "redact", lambda _, text: text)
    for bearer in ("", site.ben):
        found = {target: body for target, body in answers(site, bearer).items() if "/uploads" not in target}
        assert [target for target, body in found.items() if WORD in body] == []
    assert WORD in site.get("/organiser", site.organiser).body  # so the word is looked for where it can be


def test_an_author_reads_why_a_bot_was_suspended_and_refused_and_others_only_that_it_was(site: ClubSite) -> None:
    text = site.get("/").text
    assert "cid-bot@1 was suspended: its copy is missing, was changed or cannot be read<" in text
    assert "eve-bot@1 was suspended by olga: a copy of ann-bot" in text
    assert "changed since cid-bot@1 was submitted" in site.get("/organiser", site.organiser).text
    reasons = {upload.file: upload.reason for upload in site.stored}
    assert "two.py" in reasons["two.py"]
    assert all(CANARY not in reason and "body" not in reason for reason in reasons.values())


def test_an_export_has_the_word_in_no_file(path: Path, tmp_path: Path) -> None:
    export(path, tmp_path / "out", now(), now())
    static_site.write(tmp_path / "out")
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert {"index.html", "table.json", "arena.sqlite", "report.html", "cid-bot.html"} <= {file.name for file in files}
    assert [file.name for file in files if WORD in file.read_bytes()] == []


def test_the_webhook_has_posted_suspensions_without_the_word(posted: Posts, path: Path) -> None:
    assert path.exists()
    bodies = b"".join(body for _, body in posted)
    assert b"cid-bot@1" in bodies
    assert b"its copy is missing, was changed or cannot be read" in bodies
    assert WORD not in bodies
