"""Submissions to a league's server: who may send what, and everything that an attacker tries. No bot runs here."""

import asyncio
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.leagues.sites import BOT, ClubSite, club, jobs_of, league, token
from support.servers.asgi import HOST, Response, asked

from arena.league import jobs
from arena.league.jobs import TooManyRequestsError
from arena.league.leagues import JOBS
from arena.league.uploads import Upload, UploadLimits, receiving
from arena.moments import Moment, later
from arena.web.club.context import ClubTerms
from arena.web.club.receiving import Patience


def test_an_author_sends_a_bot_by_program_and_follows_it(site: ClubSite) -> None:
    sent = site.upload(site.ann)
    assert (sent.status, sent.document["state"], sent.headers["location"]) == (201, "waiting", "/api/uploads/000001")
    assert site.get("/api/uploads/000001", site.ann).document["file"] == "mine.py"
    assert [one["id"] for one in site.get("/api/uploads", site.ann).document] == ["000001"]
    assert site.get("/me/uploads/000001", site.ann).status == 200


@pytest.mark.process
def test_of_a_file_with_several_bots_the_class_is_named_in_the_query(site: ClubSite) -> None:
    body = BOT + b"class Other(Bot):\n    pass\n"
    site.upload(site.ann, "two.py", body)
    site.test_all()
    assert (site.stored[0].state, str(site.path) in site.stored[0].reason) == ("refused", False)
    assert "two.py: found Mine, Other; expected one: " in site.stored[0].reason
    assert site.stored[0].reason.endswith("over HTTP by class=Mine")
    site.upload(site.ann, "two.py&class=Other", body)
    site.test_all()
    assert (site.stored[1].state, site.stored[1].version) == ("joined", "Other@1")
    refused = site.upload(site.ann, "two.py&class=a%20b", body)
    assert (refused.status, refused.text.count("\n")) == (400, 1)
    assert "expected a name of the bot in the file" in refused.text


@pytest.mark.process
def test_a_refusal_names_no_folder_of_a_server_that_was_started_beside_its_league(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(league(tmp_path).parent)
    with club(Path("friday"), ClubTerms(submit=True, limits=UploadLimits(free=0))) as made:
        site = ClubSite(made)
        site.upload(site.ann, "two.py", BOT + b"class Other(Bot):\n    pass\n")
        site.test_all()
        assert site.stored[0].reason.startswith("two.py: found Mine, Other; expected one: ")


def test_every_answer_forbids_scripts_of_others_embedding_and_guessing_of_types(site: ClubSite) -> None:
    for target in ("/", "/sign-in", "/bots/ann-bot", "/me", "/organiser", "/nothing", "/api/uploads", "/table.json"):
        answer = site.get(target)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert not any(text in answer.text for text in ("<script>", " style=", " onclick="))


def test_other_hosts_and_methods_are_refused(site: ClubSite) -> None:
    assert site.get("/", host="evil.example").status == 421
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert site.ask(method, "/api/uploads", bearer=site.ann).status == 405


# --- what is sent


@pytest.mark.parametrize(
    "file",
    [
        "..%2F..%2Fmine.py",
        "%2Fetc%2Fcron.d%2Fmine.py",
        "..%5C..%5Cmine.py",
        "mine.py%00.txt",
        "%E2%80%AEyp.mine.py",
        "a" * 5000 + ".py",
    ],
)
def test_a_name_that_leads_elsewhere_stays_in_the_folder_of_its_upload(site: ClubSite, file: str) -> None:
    site.get("/")  # the access log is there
    before = {path for path in site.path.rglob("*") if JOBS not in path.parts}
    assert site.upload(site.ann, file).status == 201
    assert {path for path in site.path.rglob("*") if JOBS not in path.parts} == before
    body = site.path / JOBS / "000001" / "body"
    assert [path.parent for path in body.iterdir()] == [body]


@pytest.mark.parametrize("query", ["", "?file=", "?file=..", "?file=mine.py&name=a%20b"])
def test_a_bad_name_is_refused_in_one_line(site: ClubSite, query: str) -> None:
    answer = site.send(f"/api/uploads{query}", BOT, site.ann)
    assert answer.status == 400
    assert "expected" in answer.text
    assert answer.text.count("\n") == 1


def test_a_script_in_a_name_is_shown_as_text_or_refused(site: ClubSite) -> None:
    assert site.upload(site.ann, "%3Cscript%3Ealert(1)%3C%2Fscript%3E.py").status == 201
    assert site.send("/api/uploads?file=a.py&name=%3Cscript%3E", BOT, site.ann).status == 400
    site.jobs.end(replace(site.stored[0], state="refused", reason="<script>alert(1)</script>"))
    for page in (site.get("/me", site.ann), site.get("/me/uploads/000001", site.ann), site.get("/organiser", site.organiser)):
        assert "<script>alert" not in page.text
        assert "&lt;script&gt;alert" in page.text


def nothing_left(site: ClubSite) -> bool:
    return [path.name for path in (site.path / JOBS).iterdir()] == ["arena.lock"]


def test_a_file_that_is_too_large_is_refused_whether_or_not_it_says_so(site: ClubSite) -> None:
    said = site.upload(site.ann, body=b"x", content_length="5001", ends="silent")
    unsaid = site.upload(site.ann, body=b"x" * 5001)
    assert (said.status, unsaid.status) == (413, 413)
    assert nothing_left(site)


def test_a_sender_who_is_too_slow_is_refused_and_leaves_nothing(site: ClubSite) -> None:
    answer = site.upload(site.ann, ends="silent")
    assert (answer.status, answer.text) == (408, "nothing came for 0 seconds\n")
    assert nothing_left(site)


@pytest.mark.process
def test_a_sender_who_drips_is_refused_when_the_time_for_the_whole_is_up(tmp_path: Path) -> None:
    with club(league(tmp_path), ClubTerms(submit=True, patience=Patience(whole=0.2, quiet=60))) as made:
        assert ClubSite(made).upload(token(made.context.path, "eve"), ends="silent").status == 408


def test_a_connection_that_is_lost_leaves_nothing(site: ClubSite) -> None:
    assert site.upload(site.ann, ends="closed").status == 400
    assert nothing_left(site)
    assert site.upload(site.ann).status == 201


def test_two_uploads_at_once_get_two_numbers(site: ClubSite) -> None:
    async def both() -> list[Response]:
        headers = {"authorization": f"Bearer {site.ann}"}
        return await asyncio.gather(*(asked(site.app, "POST", f"/api/uploads?file={name}.py", [BOT], **headers) for name in "ab"))

    assert sorted(answer.document["id"] for answer in asyncio.run(both())) == ["000001", "000002"]


def test_too_many_uploads_are_refused(site: ClubSite) -> None:
    assert [site.upload(site.ann).status for _ in range(4)] == [201, 201, 201, 429]
    assert site.upload(site.ben).status == 201


def test_an_upload_that_ends_while_another_begins_still_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = UploadLimits(free=0, waiting=1)
    with jobs_of(tmp_path, limits) as queue, ExitStack() as first:
        draft = first.enter_context(receiving(queue, limits, "ann", "mine.py", None))
        draft.write(BOT)

        def end_first(moment: Moment, by: timedelta) -> Moment:
            draft.commit()
            first.close()
            return later(moment, by)

        monkeypatch.setattr(jobs, "later", end_first)
        with pytest.raises(TooManyRequestsError), receiving(queue, limits, "ann", "mine.py", None):
            pass


@pytest.mark.process
def test_forty_authors_at_once_are_all_received(tmp_path: Path) -> None:
    with club(league(tmp_path)) as made:
        app = made.app([HOST])
        bearers = [token(made.context.path, f"author-{number}") for number in range(40)]

        async def all_at_once() -> list[Response]:
            return await asyncio.gather(
                *(asked(app, "POST", "/api/uploads?file=mine.py", [BOT], authorization=f"Bearer {one}") for one in bearers)
            )

        assert {answer.status for answer in asyncio.run(all_at_once())} == {201}
        assert made.context.jobs
        assert {upload.author for upload in made.context.jobs.waiting(Upload)} == {f"author-{number}" for number in range(40)}


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    with club(league(tmp_path), ClubTerms(submit=True, limits=UploadLimits(free=1 << 60))) as made:
        site = ClubSite(made)
        answer = site.upload(site.ann)
        assert (answer.status, answer.text) == (507, "the disk of the league is full; the organiser has to make room\n")
        assert "The disk is full" in site.get("/").text
        assert site.get("/ready").status == 503


def test_without_a_sandbox_nothing_is_received_and_the_page_says_why(site: ClubSite) -> None:
    del site.club.context.unsafe
    assert site.upload(site.ann).status == 503
    assert "Bots cannot be isolated on this machine" in site.get("/").text
    assert "bots cannot be isolated" in site.get("/ready").document["reasons"][0]
    assert "no sandbox: the bots can do whatever you can" in site.get("/organiser", site.organiser).text


# --- others


def test_an_author_gets_nothing_that_is_not_their_own(site: ClubSite) -> None:
    site.upload(site.ben)
    assert site.get("/api/uploads/000001", site.ann).status == 404
    assert site.get("/me/uploads/000001", site.ann).status == 404
    assert site.get("/api/uploads", site.ann).document == []
    assert site.get("/me/logs/ben-bot@1", site.ann).status == 404
    assert site.send("/me/retire", b"version=ben-bot%401", site.ann).status == 404
    assert site.send("/me/reinstate", b"version=ben-bot%401", site.ann).status == 404
    assert site.get("/organiser", site.ann).status == 403
    for act in ("suspend", "reinstate", "end-season"):
        assert site.send(f"/organiser/{act}", b"version=ben-bot%401&reason=spite", site.ann).status == 403


def test_no_secret_is_in_a_log(site: ClubSite) -> None:
    cookie = site.sign_in(site.ann).cookie
    site.upload(site.ann)
    site.get(f"/?token={site.ann}", cookie=cookie)
    site.get("/api/uploads", "arena-wrong")
    text = (site.path / "logs" / "access.jsonl").read_text()
    assert text.count("\n") >= 5
    assert '"path":"/api/uploads","status":201' in text
    assert '"author":"ann"' in text
    for secret in (site.ann, cookie.partition("=")[2], "arena-wrong"):
        assert secret not in text


@pytest.mark.parametrize("body", [b"x" * 9000, b"a=1&" * 50, b"\xff\xfe", b"=&=&="])
def test_a_malformed_form_is_refused(site: ClubSite, body: bytes) -> None:
    assert site.send("/me/retire", body, site.ann).status in (400, 404, 413)
