"""What HOSTING.md says to write into files: its commands exist, and programs that read it do what it says, where they are here."""

import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket

import pytest
from msgspec import json
from support.commands.calls import command
from support.leagues.sites import BOT, isolated, league, token
from support.processes.waiting import until
from support.repository.files import ROOT
from support.servers.serving import ask, free_port, started

PAGE = (ROOT / "arena" / "web" / "HOSTING.md").read_text(encoding="utf-8")
UNIT = re.findall(r"```ini\n(.*?)```", PAGE, re.DOTALL)[0]
NGINX = re.findall(r"```text\n(map \$http_upgrade.*?)```", PAGE, re.DOTALL)[0]
CADDY = re.findall(r"```text\n(club\.example\.org \{.*?)```", PAGE, re.DOTALL)[0]

SYSTEMD = shutil.which("systemd-analyze") or ""
PUBLIC = "club.example.org"
CLIENT = "127.0.0.2"  # an address of this machine that is not the proxy's


def options(called: list[str]) -> list[str]:
    return [word for word in called if word.startswith("--")]


def known_options() -> str:
    return subprocess.run(command("serve", "--help"), capture_output=True, text=True, check=True).stdout


@pytest.mark.process
def test_the_unit_starts_a_command_that_is_there_and_leaves_the_sandbox_alone() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign] # keys of systemd have capitals
    unit.read_string(UNIT)
    started = shlex.split(unit["Service"]["ExecStart"])
    assert started[1:4] == ["serve", "friday", "--submit"]
    assert [option for option in options(started) if option not in known_options()] == []
    assert not {"RestrictNamespaces", "PrivateUsers", "NoNewPrivileges"} & set(unit["Service"])


@pytest.mark.slow
def test_the_command_of_the_unit_serves_a_league_until_it_is_sent_sigterm(tmp_path: Path) -> None:
    line = next(line for line in UNIT.splitlines() if line.startswith("ExecStart="))
    path = league(tmp_path)
    words = [str(path) if word == "friday" else word for word in shlex.split(line)[1:]]
    with started(*words, "--port", 0) as (server, address):
        until(lambda: ask(address, "/").status == 200)
        server.terminate()
        assert server.wait() == 0


@pytest.mark.skipif(not SYSTEMD, reason="systemd is not installed")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    path = tmp_path / "arena.service"
    path.write_text(UNIT.replace("/srv/arena/venv/bin/arena", sys.executable).replace("User=arena\n", ""))
    checked = subprocess.run([SYSTEMD, "verify", str(path)], capture_output=True, text=True, check=False)
    assert [line for line in checked.stderr.splitlines() if "arena.service" in line] == []


@pytest.mark.process
def test_the_options_of_the_container_are_there_and_the_proxy_names_our_port() -> None:
    entry = re.findall(r"ENTRYPOINT \[(.*)\]", PAGE)[0]
    words = [word.strip(' "') for word in entry.split(",")]
    assert words[:2] == ["arena", "serve"]
    assert [option for option in options(words) if option not in known_options()] == []
    assert PAGE.count("127.0.0.1:8000") == 2
    assert "[default: 8000;" in known_options()


def nginx(folder: Path, port: int, to: str) -> list[str]:
    """Write nginx's settings with the recipe in them, and return the command."""
    recipe = NGINX.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace("127.0.0.1:8000", to)
    recipe = re.sub(r"/etc/letsencrypt/live/[^/]*/(fullchain|privkey)", rf"{folder}/\1", recipe)
    temporary = "".join(f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder}/pid;\nerror_log {folder}/proxy.log;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}{recipe}}}\n"
    )
    return ["nginx", "-c", str(folder / "nginx.conf"), "-e", str(folder / "proxy.log")]


def caddy(folder: Path, port: int, to: str) -> list[str]:
    """Write Caddy's settings with the recipe in them, and return the command."""
    own = ("bind 127.0.0.1", f"tls {folder}/fullchain.pem {folder}/privkey.pem")
    begins = f"{PUBLIC} {{\n"
    recipe = CADDY.replace(begins, "\n".join((f"https://{PUBLIC}:{port} {{", *own, ""))).replace("127.0.0.1:8000", to)
    (folder / "Caddyfile").write_text(f"{{\n    admin off\n    auto_https disable_redirects\n}}\n{recipe}")
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


@contextmanager
def proxied(folder: Path, command: list[str], port: int) -> Iterator[None]:
    """Have a proxy run, until it accepts connections and as long as this lasts."""
    with (
        (folder / "proxy.out").open("w") as out,
        subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, "HOME": str(folder)}) as proxy,
    ):
        try:
            until(lambda: proxy.poll() is not None or accepts(port))
            assert proxy.poll() is None, (folder / "proxy.out").read_text()
            yield
        finally:
            proxy.terminate()


def accepts(port: int) -> bool:
    with socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


class ThroughProxy:
    """Requests by curl to a proxy with a certificate of its own."""

    def __init__(self, folder: Path, port: int, host: str = PUBLIC) -> None:
        address = f"{PUBLIC}:{port}"
        trusted = ("--cacert", str(folder / "fullchain.pem"), "--resolve", f"{address}:127.0.0.1")
        self._called = ["curl", "-s", "-i", "--expect100-timeout", "60", "--interface", CLIENT, *trusted, "-H", f"Host: {host}"]
        self._address = f"https://{address}"

    def command(self, path: str, *options: str) -> list[str]:
        return [*self._called, *options, self._address + path]

    def ask(self, path: str, *options: str) -> tuple[int, str]:
        """Return the status, and the head and body."""
        said = subprocess.run(self.command(path, *options), capture_output=True, text=True, check=True).stdout
        final = re.sub(r"\AHTTP/\S+ 100.*?\n\n", "", said, flags=re.DOTALL)
        return int(final.split()[1]), final


def certificate(folder: Path) -> None:
    """Write a certificate that is signed by itself."""
    made = ("-newkey", "rsa:2048", "-nodes", "-keyout", "privkey.pem", "-out", "fullchain.pem", "-days", "2")
    named = ("-subj", f"/CN={PUBLIC}", "-addext", f"subjectAltName=DNS:{PUBLIC}")
    called = ["openssl", "req", "-x509", *made, *named]
    subprocess.run(called, cwd=folder, check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", [nginx, caddy])
def test_the_proxy_of_the_recipe_passes_uploads_and_live_pages_and_names_the_client(
    recipe: Callable[[Path, int, str], list[str]], tmp_path: Path
) -> None:
    absent = [name for name in (recipe.__name__, "curl", "openssl") if not shutil.which(name)]
    if absent:
        pytest.skip(f"{', '.join(absent)}: not installed")
    path, folder, port = isolated(tmp_path), tmp_path / "proxy", free_port()
    folder.mkdir()
    certificate(folder)
    text = token(path, "ann")
    bearer = ("-H", f"Authorization: Bearer {text}")
    for name, size in (("mine.py", 0), ("huge.py", 10 << 20)):
        (folder / name).write_bytes(BOT + b"#" * size)
    with started("serve", path, "--submit", "--public", f"https://{PUBLIC}", "--free-mib", 0, "--port", 0) as (_, address):
        until(lambda: ask(address, "/").status == 200)
        with proxied(folder, recipe(folder, port, address.removeprefix("http://").rstrip("/")), port):
            site = ThroughProxy(folder, port)
            status, page = site.ask("/sign-in")
            assert (status, page.lower().count("strict-transport-security")) == (200, 1)
            cookie = re.search(r"set-cookie: (__Host-arena=[^;]*);.*Secure", page, re.IGNORECASE)
            assert cookie
            key = re.search(r'name="form_key" value="(\w+)"', page)
            assert key
            form = ("-d", f"form_key={key[1]}", "-d", f"token={text}")
            assert site.ask("/sign-in", *form, "-b", cookie[1], "-H", f"Origin: https://{PUBLIC}")[0] == 303
            sent = [site.ask(f"/api/uploads?file={name}", *bearer, "-X", "POST", "-T", str(folder / name))[0] for name in SENT]
            assert sent == [201, 413]
            assert [site.ask(path)[0] for path in ("/metrics", "/health", "/ready")] == [403] * 3
            assert first_event(site).startswith("data: {")
            assert ThroughProxy(folder, port, "evil.example").ask("/")[0] in (200, 421)  # Caddy itself answers, with nothing
            assert "Friday league" not in ThroughProxy(folder, port, "evil.example").ask("/")[1]
        seen = [json.decode(line) for line in (path / "logs" / "access.jsonl").read_bytes().splitlines()]
    assert {one["client"] for one in seen if one["path"] == "/api/uploads"} == {CLIENT}


SENT = ("mine.py", "huge.py")


def first_event(site: ThroughProxy) -> str:
    """Return the first line of data of the live page, which comes although the stream stays open."""
    with subprocess.Popen(site.command("/events", "-N"), stdout=subprocess.PIPE, text=True) as listening:
        assert listening.stdout
        try:
            return next(line for line in listening.stdout if line.startswith("data: "))
        finally:
            listening.terminate()
