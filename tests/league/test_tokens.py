"""Tokens of authors: shown once, stored as hashes, revoked, expired and compared."""

from datetime import timedelta
from pathlib import Path

import pytest
from support.commands.calls import arena

from arena.errors import InputError, StoreError
from arena.league import tokens
from arena.league.leagues import new
from arena.league.tokens import Token, describe, find_token, issue, revoke, stored_tokens
from arena.moments import later, now

SPEC = "{title: Friday, sandbox: none}"
DAY = timedelta(days=1)


@pytest.fixture
def league(tmp_path: Path) -> Path:
    (tmp_path / "friday.yaml").write_text(SPEC)
    new(tmp_path / "friday", tmp_path / "friday.yaml")
    return tmp_path / "friday"


def test_a_token_is_found_by_its_text_and_its_text_is_in_no_file(league: Path) -> None:
    issued = issue(league, "ann", DAY)
    assert find_token(stored_tokens(league), issued.text, now()) == issued.token
    assert issued.token.holder == "ann"
    assert not issued.token.organiser
    for path in league.rglob("*"):
        assert not path.is_file() or issued.text.encode() not in path.read_bytes()


def test_the_file_can_be_read_by_its_owner_alone(league: Path) -> None:
    issue(league, "ann", DAY)
    assert (league / tokens.FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "arena-", "x" * 10_000, "\udcff", "arena-\0"])
def test_a_wrong_text_finds_no_token(league: Path, text: str) -> None:
    issue(league, "ann", DAY)
    assert find_token(stored_tokens(league), text, now()) is None


def test_every_token_is_compared_in_constant_time(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    issued = [issue(league, name, DAY) for name in ("ann", "ben", "eve")]
    compared = []

    def comparing(one: str, other: str) -> bool:
        compared.append(one)
        return one == other

    monkeypatch.setattr(tokens, "compare_digest", comparing)
    assert find_token(stored_tokens(league), issued[0].text, now()) == issued[0].token
    assert compared == [one.token.digest for one in issued]


def test_an_expired_token_is_not_found(league: Path) -> None:
    issued = issue(league, "ann", DAY)
    assert find_token(stored_tokens(league), issued.text, later(now(), 2 * DAY)) is None


def test_revoking_ends_every_token_of_a_name_and_of_no_other(league: Path) -> None:
    first, second, other = issue(league, "ann", DAY), issue(league, "ann", DAY, organiser=True), issue(league, "ben", DAY)
    assert revoke(league, "ann") == 2
    left = [one for one in (first, second, other) if find_token(stored_tokens(league), one.text, now())]
    assert left == [other]
    with pytest.raises(InputError, match="'ann' has no valid token"):
        revoke(league, "ann")


@pytest.mark.parametrize("name", ["", "a b", "../x", "<b>", "x" * 51, "a\n"])
def test_a_holder_has_a_name_that_an_author_may_have(league: Path, name: str) -> None:
    with pytest.raises(InputError, match="found the name"):
        issue(league, name, DAY)
    assert stored_tokens(league) == []


@pytest.mark.parametrize("content", [b"[{", b'[{"holder":"\xff"}]'])
def test_a_damaged_file_is_one_line(league: Path, content: bytes) -> None:
    (league / tokens.FILE).write_bytes(content)
    with pytest.raises(StoreError, match=r"tokens\.json: cannot be read"):
        stored_tokens(league)


def test_a_folder_without_a_league_has_no_tokens_to_list(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not the folder of a league"):
        tokens.league_tokens(tmp_path)


def test_a_token_is_described_without_its_digest() -> None:
    at = "2026-01-01T00:00:00Z"
    token = Token(holder="ann", digest="a" * 64, made=at, expires=later(at, DAY))
    assert describe(token) == f"ann  author  made {at}  valid until 2026-01-02T00:00:00Z"


@pytest.mark.process
def test_an_organiser_hands_out_lists_and_revokes_a_token(league: Path) -> None:
    made = arena("league", "token", league, "ann", "--expires", "90d")
    text = made.stdout.strip()
    assert find_token(stored_tokens(league), text, now())
    assert text not in made.stderr
    assert "a token of author ann, valid until" in made.stderr
    listed = arena("league", "tokens", league).stdout
    assert listed.startswith("ann  author  made")
    assert text not in listed
    assert arena("league", "token", league, "ann", "--revoke").stdout == "revoked 1 token of ann\n"
    assert find_token(stored_tokens(league), text, now()) is None


@pytest.mark.process
def test_each_author_of_a_course_has_one_token_in_a_private_file_and_all_are_revoked_together(league: Path, tmp_path: Path) -> None:
    issue(league, "ann", DAY)
    table, out = tmp_path / "authors.csv", tmp_path / "tokens.csv"
    table.write_text("Author,file\nann,a.py\nZoë Li,b.py\nann,c.py\nben,d.py\n", encoding="utf-8")
    done = arena("league", "token", league, "--from", table, "--out", out, "--expires", "12w")
    assert done.stdout == f"{out}: 2 tokens, shown only there\nno new token, because the one before is valid: ann\n"
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert [row[0] for row in rows] == ["author", "Zoe-Li", "ben"]
    assert find_token(stored_tokens(league), rows[1][1], now())
    assert out.stat().st_mode & 0o777 == 0o600
    assert "expected the name of a new file" in arena("league", "token", league, "--from", table, "--out", out).stderr
    assert arena("league", "token", league, "--from", table, "--revoke").stdout.startswith("revoked 3 tokens")
    assert not any(token.is_valid(now()) for token in stored_tokens(league))
