"""The published players of the public field: where they are, and how each becomes a bot that plays in arena."""

import hashlib
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.json import decode, encode

from arena import interpreter

HANDS_OF_CHECK = 44
SANDBOX = "{name: strict, threads: 32, memory_mb: 800}"
# The challenge's limit, 30 s a game. It is processor time, so other programs on the machine cost a player nothing.
TIME = "{per_turn: 30, per_match: 30}"
# a player that searches needs both of Java's compilers, and more memory
SEARCHES = {
    "-Xmx64m": "-Xmx400m",
    "  - -XX:TieredStopAtLevel=1": "  # -XX:TieredStopAtLevel=1",
    "CodeCacheSize=16m": "CodeCacheSize=64m",
}


class Player(Struct, frozen=True):
    """A published player."""

    name: str
    repository: str  # on github.com
    commit: str
    files: tuple[str, ...]  # given to --from, relative to the clone
    digest: str  # of these files, by :func:`digest_of`
    searches: bool = False
    excluded: str = ""  # why its bot is not made


PLAYERS = (
    Player(
        "marjj-v5",
        "aqib-a99/MARJJ",
        "5d1f00c1dff5380021785c8146d039a11efcabc3",
        ("MARJJ_v5-1.java",),
        "5f6a1970f8a1e350",
    ),
    Player(
        "sigra",
        "cudy789/gin-rummy-SIGRA",
        "47ce14ab5fab02d7d49db72f455ed250b3630be1",
        (".",),
        "672a1d22be5de60d",
        searches=True,
    ),
    Player(
        "baseline",
        "tneller/gin-rummy-eaai",
        "559c712516e3b0fd6b908864acd141e254d94f39",
        ("ginrummy/SimpleGinRummyPlayer.java",),
        "8c12619b80ac3a76",
    ),
    Player(
        "aja6082",
        "aqibahm/GinRummyBotV1",
        "e245aea312e84af7a352e2fd585bd6ee5782083b",
        ("GINRUMMYLATEST/gin-rummy-eaai",),
        "5f7485a78c224c27",
    ),
    Player(
        "francis",
        "PeterEFrancis/gin-rummy-AI",
        "7e7e75107193a59ec5df7e688b69f0ff9fd20db5",
        ("GinRummy-maven/src/main/java",),
        "fb742134cd6673a7",
        excluded="its players import org.deeplearning4j, except a copy of baseline",
    ),
    Player(
        "bhaskar",
        "mbhaskar1/Gin-Rummy-Research-Challenge",
        "709a03fe8455ea93153622d54bc58893b1d18239",
        ("GinRummyAgent/src",),
        "803fac05225b4a8f",
    ),
    Player(
        "alextom",
        "rxng8/GinRummySubmission",
        "6195e27b8449a239f0f08f003289ac743da02361",
        ("src/main/java",),
        "42652f0094b108df",
    ),
    Player(
        "princeton",
        "AnthonyHein/GinRummyEAAI-Python",
        "17dba6298601da6d3ecd7574ff80d41ea1e98b5a",
        ("PrincetonGinPlayer.java",),
        "f7be70fc8711fce7",
    ),
)


class Tried(Struct, frozen=True):
    """What became of a player before it played."""

    player: Player
    verdict: str  # of ``arena bots check``; empty: it is not a bot
    reason: str = ""  # why it does not play; empty: it plays


class NotABotError(Exception):
    """A player that cannot be made a bot; its text is one line."""


def digest_of(clone: Path, files: Sequence[str]) -> str:
    """Return the first 16 digits of the SHA-256 of the names and contents of the ``.java`` files given."""
    found = hashlib.sha256()
    for given in files:
        path = clone / given
        for file in [path] if path.is_file() else sorted(path.rglob("*.java")):
            found.update(encode([file.relative_to(clone).as_posix(), hashlib.sha256(file.read_bytes()).hexdigest()]))
    return found.hexdigest()[:16]


def try_player(player: Player, folder: Path) -> Tried:
    """Make a player a bot, build and check it, as far as that is not done."""
    try:
        return judge(player, check(player, make(player, folder), folder))
    except NotABotError as error:
        return Tried(player, "", str(error))


def check(player: Player, bot: Path, folder: Path) -> Mapping[str, Any]:
    """Return the result of ``arena bots check``. Raises: NotABotError, if it could not begin."""
    verdict = folder / "verdicts" / f"{player.name}.json"
    if not verdict.exists():
        said = ("--hands", HANDS_OF_CHECK, "--time", TIME, "--sandbox", SANDBOX, "--json", "--quiet")
        done = arena("bots", "check", bot / "bot.yaml", *said)
        if not done.stdout:
            complain(done, "arena: ")
        verdict.parent.mkdir(exist_ok=True)
        verdict.write_text(done.stdout, encoding="utf-8")
    found: Mapping[str, Any] = decode(verdict.read_bytes())
    return found


def make(player: Player, folder: Path) -> Path:
    """Return the folder of a player's bot, built. Raises: NotABotError."""
    bot, clone = folder / "bots" / player.name, folder / player.repository.replace("/", "+")
    if player.excluded:
        raise NotABotError(player.excluded)
    if not clone.is_dir():
        raise NotABotError("not fetched")
    found = digest_of(clone, player.files)
    if player.digest and found != player.digest:
        raise NotABotError(f"digest {found}; expected {player.digest}")
    if not bot.exists():
        bot.parent.mkdir(exist_ok=True)
        given = [word for file in player.files for word in ("--from", str(clone / file))]
        complain(arena("bots", "new", player.name, "--lang", "java", *given, folder=bot.parent), "arena: ")
        if player.searches:
            manifest = bot / "bot.yaml"
            text = manifest.read_text(encoding="utf-8")
            for old, new in SEARCHES.items():
                text = text.replace(old, new)
            manifest.write_text(text, encoding="utf-8")
    complain(subprocess.run(["make", "-C", str(bot)], capture_output=True, text=True, check=False), "error: ")  # noqa: S607
    return bot


def complain(done: "subprocess.CompletedProcess[str]", mark: str) -> None:
    """Raise NotABotError, if a program failed, with its first line that has a mark."""
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if mark in line] or done.stderr.splitlines() or ["no reason given"]
        raise NotABotError(lines[0].split(mark, 1)[-1].strip())


def judge(player: Player, checked: Mapping[str, Any]) -> Tried:
    """Return what a check says. An unseeded player plays, too: it fails one step, after which the check ends."""
    failed = [step for step in checked["steps"] if not step["passed"]]
    if not failed:
        return Tried(player, "passed")
    if failed[0]["step"] == "same play":
        return Tried(player, "unseeded: passed up to *same play*")
    return Tried(player, f"failed {failed[0]['step']}", failed[0]["summary"])


def arena(*words: object, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run a command of arena to its end."""
    return subprocess.run(interpreter.arena(*map(str, words)), cwd=folder, capture_output=True, text=True, check=False)
