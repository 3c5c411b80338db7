"""Health, readiness, metrics and the access log."""

import re
from pathlib import Path

import pytest
from msgspec import json
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send
from support.leagues.events import joined
from support.leagues.sites import ClubSite, club, league
from support.servers.asgi import HOST, ask

from arena.web.club.access_log import AccessLog, Traffic
from arena.web.club.context import ClubTerms
from arena.web.club.metrics import Metric, exposition


def test_a_metric_is_written_in_the_text_format_of_prometheus() -> None:
    metrics = [Metric("a_total", "What it is.", 12_345_678), Metric("b", "Another.", 0.25)]
    assert exposition(metrics) == (
        "# HELP a_total What it is.\n# TYPE a_total counter\na_total 12345678\n# HELP b Another.\n# TYPE b gauge\nb 0.25\n"
    )


def test_every_line_of_the_metrics_can_be_read_and_each_name_stands_once(tmp_path: Path) -> None:
    with club(league(tmp_path, *joined("ann-bot"))) as made:
        answer = ask(made.app([HOST]), "GET", "/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.text.splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z_]+ [0-9.e+-]+", line) for line in samples)
    names = [line.split()[0] for line in samples]
    assert len(set(names)) == len(names) == len(lines) / 3
    assert {"arena_matches_per_minute", "arena_uploads_waiting", "arena_audition_seconds_total", "arena_disk_free_bytes"} <= set(
        names
    )
    assert "arena_active_bots 1" in samples


def test_a_server_is_healthy_also_when_it_is_not_ready(tmp_path: Path) -> None:
    with club(league(tmp_path), ClubTerms(submit=True)) as made:
        app = made.app([HOST])
        assert ask(app, "GET", "/health").text == "ok\n"
        answer = ask(app, "GET", "/ready")
        assert (answer.status, answer.document) == (503, {"ready": False, "reasons": ["nothing tests the uploads"]})


def test_an_access_log_has_a_json_line_for_each_request_and_no_query(tmp_path: Path) -> None:
    with club(league(tmp_path)) as made:
        site = ClubSite(made)
        site.get("/bots/%0Aforged?token=secret")
        site.get("/health")
        lines = (site.path / "logs" / "access.jsonl").read_text().splitlines()
    found = [json.decode(line) for line in lines]
    assert [(one["method"], one["path"], one["status"]) for one in found] == [
        ("GET", "/bots/\nforged", 404),
        ("GET", "/health", 200),
    ]
    assert {one["client"] for one in found} == {"127.0.0.1"}
    assert set(found[0]) == {"at", "client", "method", "path", "status", "bytes", "ms"}


def test_a_request_that_fails_by_an_error_in_arena_is_logged_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with club(league(tmp_path)) as made:
        monkeypatch.setattr("arena.web.club.metrics.exposition", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            ask(made.app([HOST]), "GET", "/metrics")
        (line,) = (made.context.path / "logs" / "access.jsonl").read_text().splitlines()
    assert json.decode(line)["status"] == 500
    assert (made.traffic.requests, made.traffic.errors) == (1, 1)


@pytest.mark.parametrize(("error", "errors"), [(ValueError, 1), (ClientDisconnect, 0)])
def test_an_error_after_a_response_has_begun_is_counted_and_a_client_that_has_left_is_none(
    error: type[Exception], errors: int
) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise error

    traffic = Traffic(None)
    with pytest.raises(error):
        ask(AccessLog(app, traffic), "GET", "/events")
    assert (traffic.requests, traffic.errors) == (1, errors)
