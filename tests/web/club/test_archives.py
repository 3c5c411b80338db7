"""Archives and wheels that are sent to a league's server: from the request to the verdict that its author reads."""

import re
import signal
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import json
from support.hostile.archives import ATTACKS, bomb
from support.hostile.submissions import BOT, entry, tar_of, wheel, zip_of
from support.leagues.sites import ORIGIN, ClubSite, club, form_key, isolated, league, token
from support.processes.waiting import until
from support.servers.serving import ask, started

from arena.league import leagues
from arena.league.leagues import JOBS
from arena.league.uploads import Upload, UploadLimits
from arena.web.club.context import ClubTerms

SENT = (
    "parent",
    "absolute",
    "backslashes",
    "twice",
    "link in a zip",
    "encrypted",
    "symbolic link",
    "hard link",
    "device",
    "sparse",
)
ENTRY = "[arena.bots]\nwheeled = mine.player:Mine\n"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ClubSite]:
    path = league(tmp_path)
    with club(path, ClubTerms(submit=True, limits=UploadLimits(size=1 << 20, an_hour=1000, waiting=100, free=0))) as made:
        yield ClubSite(made)


def honest(folder: Path) -> dict[str, Path]:
    """Return a bot as a zip, a tar and a wheel, under the names that each is to have."""
    text = BOT.format
    return {
        "zipped": zip_of(folder / "mine.zip", {"other.py": text("zip")}),
        "packed": tar_of(
            folder / "mine.tar.gz", [(entry("deep", tarfile.DIRTYPE), b""), (entry("deep/x.py"), text("tar").encode())], "w:gz"
        ),
        "wheeled": wheel(folder, "mine", {"mine/__init__.py": "", "mine/player.py": text("wheel")}, ENTRY),
    }


def files(path: Path) -> set[Path]:
    """Return the files of a league, but for its database and log."""
    return {one for one in path.rglob("*") if not one.name.startswith(("arena.", "access."))}


@pytest.mark.process
def test_a_bot_is_sent_as_a_zip_a_tar_or_a_wheel_by_program_and_by_page(site: ClubSite, tmp_path: Path) -> None:
    cookie = site.sign_in(site.ann).cookie
    page = {"cookie": cookie, "origin": ORIGIN, "x_form_key": form_key(site.get("/me", cookie=cookie))}
    for (name, path), signed in zip(honest(tmp_path).items(), (page, {"bearer": site.ann}, page), strict=True):
        assert site.send(f"/api/uploads?file={path.name}&name={name}", path.read_bytes(), **signed).status == 201
    site.test_all()
    assert {one.version for one in site.stored} == {"zipped@1", "packed@1", "wheeled@1"}
    assert "<strong>zipped@1 joined</strong>" in site.get("/me", site.ann).text
    assert not list((site.path / JOBS).glob("*/body"))


@pytest.mark.process
def test_an_archive_with_tricks_is_refused_with_the_reason_and_writes_nothing(site: ClubSite, tmp_path: Path) -> None:
    around = {one for one in tmp_path.iterdir() if one != site.path}
    before = files(site.path)
    for number, attack in enumerate(SENT):
        path = ATTACKS[attack][0](tmp_path / f"hostile{number}")
        assert site.upload(site.ann, path.name, path.read_bytes()).status == 201
        path.unlink()
    site.test_all()
    refusals = site.jobs.of(Upload, "ann")[::-1]
    for attack, upload in zip(SENT, refusals, strict=True):
        assert upload.state == "refused"
        assert re.search(ATTACKS[attack][1], upload.reason), upload.reason
        assert upload.reason in site.get(f"/api/uploads/{upload.id}", site.ann).document["reason"]
        assert str(site.path) not in upload.reason
        assert len(upload.reason.splitlines()) == 1
    assert {one for one in files(site.path) - before if JOBS not in one.parts and "logs" not in one.parts} == set()
    assert {one for one in tmp_path.iterdir() if one != site.path} == around
    assert not Path("/etc/out").exists()


@pytest.mark.process
def test_a_bomb_is_refused_at_its_limit_and_leaves_nothing(site: ClubSite, tmp_path: Path) -> None:
    path = bomb(tmp_path / "bomb.zip", 20)
    assert path.stat().st_size < 1 << 20
    before = files(site.path / "bots")
    assert site.upload(site.ann, "bomb.zip", path.read_bytes()).status == 201
    site.test_all()
    assert re.search(r"bomb\.zip: .*more than \d+ MB", site.stored[0].reason), site.stored[0].reason
    assert files(site.path / "bots") == before


@pytest.mark.parametrize("file", ["mine.zip", "mine.tar.gz", "mine-1.0-py3-none-any.whl", "mine.py", "mine.exe"])
def test_what_is_not_what_its_name_says_is_refused_in_one_line(site: ClubSite, file: str) -> None:
    assert site.upload(site.ann, file, b"\x00\xff not what it says <script>alert(1)</script>").status == 201
    site.test_all()
    (upload,) = site.stored
    assert (upload.state, len(upload.reason.splitlines())) == ("refused", 1)
    page = site.get(f"/me/uploads/{upload.id}", site.ann).text
    assert "<script>" not in page
    assert file in page
    assert str(site.path) not in page + site.get(f"/api/uploads/{upload.id}", site.ann).text


def test_names_in_an_archive_are_shown_as_text(site: ClubSite, tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"<img src=x onerror=alert(1)>/../x": "x"})
    site.upload(site.ann, "a.zip", path.read_bytes())
    site.test_all()
    assert "onerror" in site.stored[0].reason
    for page in (site.get("/me", site.ann), site.get("/me/uploads/000001", site.ann), site.get("/organiser", site.organiser)):
        assert "<img" not in page.text


# --- with everything real


def curl(address: str, text: str, path: Path, name: str) -> int:
    """Send a file as HOSTING.md says, and return the status."""
    target = f"{address}api/uploads?file={path.name}&name={name}"
    called = ["curl", "-H", f"Authorization: Bearer {text}", "-T", str(path), "-X", "POST", target]
    quiet = ["-s", "-o", "/dev/null", "-w", "%{http_code}"]
    return int(subprocess.run([*called, *quiet], capture_output=True, text=True, check=True).stdout)


def states(address: str, text: str) -> dict[str, str]:
    """Return the states of an author's uploads, by file."""
    answer = ask(address, "/api/uploads", Authorization=f"Bearer {text}")
    return {one["file"]: one["state"] for one in json.decode(answer.body)}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_archives_sent_by_curl_are_tested_in_the_sandbox_and_none_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    path, sent = isolated(tmp_path), tmp_path / "sent"
    sent.mkdir()
    text, bots = token(path, "ann"), honest(sent)
    bots |= {"linked": ATTACKS["symbolic link"][0](sent / "linked"), "bomb": bomb(sent / "bomb.zip", 20)}
    options = ("--submit", "--free-mib", 0, "--waiting", 10, "--port", 0)
    with started("serve", path, *options) as (server, address):
        until(lambda: ask(address, "/").status == 200)
        assert [curl(address, text, file, name) for name, file in bots.items()] == [201] * 5
        until(lambda: "running" in states(address, text).values())
        server.send_signal(signal.SIGKILL)
        server.wait()
    with started("serve", path, *options) as (_, address):
        until(lambda: ask(address, "/").status == 200)
        until(lambda: not {"waiting", "running"} & set(states(address, text).values()))
        found = states(address, text)
    assert {found[bots[name].name] for name in ("zipped", "packed", "wheeled")} <= {"joined", "known"}
    assert {found[bots[name].name] for name in ("linked", "bomb")} == {"refused"}
    with leagues.open_league(path) as opened:
        assert {one.id for one in leagues.field(opened.store).active} == {"zipped@1", "packed@1", "wheeled@1"}
