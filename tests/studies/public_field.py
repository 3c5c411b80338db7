"""``python tests/studies/public_field.py FOLDER [--pairs N] [--hands N]``: published players of the EAAI challenge and house bots.

FOLDER has a clone of each repository of PLAYERS at its commit, as ``owner+name``; nothing is fetched, and ``--list`` prints what to
fetch. A player's files must have the digest given here. ``arena bots new --lang java --from`` makes it a bot, ``make`` builds it,
which needs a JDK, ``arena bots check`` checks it, and it plays in the strict sandbox under the challenge's protocol and under the
tournament's rules. A player that fails before it plays has the reason in its row. The same command resumes: what is built, checked
and played stays.
"""

import argparse
import hashlib
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.json import decode, encode

from arena import interpreter

HOUSE = ("professor", "searcher", "challenger")
HANDS_OF_CHECK = 44
SANDBOX = "{name: strict, threads: 32, memory_mb: 800}"
# The challenge's limit, 30 s a game. It is processor time, so other programs on the machine cost a player nothing.
TIME = "{per_turn: 30, per_match: 30}"
# Games to 100. One difference: in the challenge the same player begins again after a dead hand; here the deal passes (R2.3).
CHALLENGE = "{name: standard, big_gin_bonus: null}"
TOURNAMENT = "{name: tournament, stock: two-ended}"
# a player that searches needs both of Java's compilers, and more memory
SEARCHES = {
    "-Xmx64m": "-Xmx400m",
    "  - -XX:TieredStopAtLevel=1": "  # -XX:TieredStopAtLevel=1",
    "CodeCacheSize=16m": "CodeCacheSize=64m",
}
SPEC = """\
title: The public field, {title}
bots: {bots}
rules: {rules}
time: {time}
sandbox: {sandbox}
format: {format}
"""


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


class Row(Struct, frozen=True):
    """A bot's results under one protocol."""

    rating: str
    won: str  # of its matches, or points a hand
    milliseconds: float  # of processor time a decision


class NotABotError(Exception):
    """A player that cannot be made a bot; its text is one line."""


# --- from a clone to a bot


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


# --- play


def play(title: str, spec: str, folder: Path) -> Mapping[str, Any]:
    """Play or resume a run, and return its report as far as it was played."""
    file, results = folder / f"{title}.yaml", folder / title
    file.write_text(spec, encoding="utf-8")
    done = arena("run", file, "--results", results, "--workers", 1, "--quiet")
    if not (results / "arena.sqlite").exists():
        raise SystemExit(done.stderr.strip())
    return report_of(results)


def report_of(results: Path) -> Mapping[str, Any]:
    """Return the report of a run, which may not be finished."""
    arena("report", results)
    found: Mapping[str, Any] = decode((results / "results.json").read_bytes())
    return found


def spec_of(title: str, players: Sequence[Tried], folder: Path, pairs: int, hands: int) -> str:
    """Return the spec of a protocol for the house bots and the players that play."""
    guests = [{"bot": str(folder / "bots" / one.player.name / "bot.yaml"), "name": one.player.name} for one in players]
    kinds = {
        "challenge": (CHALLENGE, TIME, f"{{name: round-robin, pairs: {pairs}}}"),
        "tournament": (TOURNAMENT, "{per_turn: 30, per_match: 3000}", f"{{name: batches, hands: {hands}}}"),
    }
    rules, time, form = kinds[title]
    return SPEC.format(title=title, bots=encode([*HOUSE, *guests]).decode(), rules=rules, time=time, sandbox=SANDBOX, format=form)


def rows(report: Mapping[str, Any]) -> dict[str, Row]:
    """Return the row of each bot of a report, the best first."""
    found = {}
    for standing in report["standings"]:
        counts, rating = standing["counts"], standing["rating"]
        hands = counts["hands"] or 1
        share = f"{counts['matches_won']} of {counts['matches_won'] + counts['matches_lost']}"
        points = f"{(counts['points_for'] - counts['points_against']) / hands:+.1f}, {hands} hands"
        faults = sum(counts["faults"].values())
        found[standing["entrant"]] = Row(
            f"{rating['value']:+.1f} ({rating['low']:+.1f} to {rating['high']:+.1f})",
            (points if report["batches"] else share) + (f", {faults} faults" if faults else ""),
            1000 * counts["cpu"] / (counts["decisions"] or 1),
        )
    return found


# --- what is printed


def lines(tried: Sequence[Tried], reports: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the tables of the page."""
    yield "| player | source | digest of its files | check |"
    yield "|---|---|---|---|"
    for player, verdict, reason in ((one.player, one.verdict, one.reason) for one in tried):
        source = f"[{player.repository}](https://github.com/{player.repository}) at {player.commit[:8]}"
        found = ": ".join(filter(None, (verdict or "not built", reason)))
        yield f"| {player.name} | {source} | {player.digest} | {found} |"
    for title, report in reports.items():
        unit, result = ("points a hand", "net") if report["batches"] else ("Elo", "games won")
        yield ""
        yield f"| {title} | {unit}, 95 % | {result} | ms a decision |"
        yield "|---|---|---|--:|"
        for name, row in rows(report).items():
            yield f"| {name} | {row.rating} | {row.won} | {row.milliseconds:.1f} |"


def arena(*words: object, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run a command of arena to its end."""
    return subprocess.run(interpreter.arena(*map(str, words)), cwd=folder, capture_output=True, text=True, check=False)


def main() -> None:
    """Build, check and play, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=50, help="of games of every two bots under the challenge's protocol")
    parser.add_argument("--hands", type=int, default=400, help="of every two bots under the tournament's rules")
    parser.add_argument("--report", action="store_true", help="play nothing; show what has been played")
    parser.add_argument("--list", action="store_true", help="say what to fetch, and end")
    args = parser.parse_args()
    if args.list:
        for player in PLAYERS:
            print(f"git clone https://github.com/{player.repository} {player.repository.replace('/', '+')}  # {player.commit}")  # noqa: T201
        sys.exit()
    folder = args.folder.resolve()
    tried = [try_player(player, folder) for player in PLAYERS]
    able = [one for one in tried if not one.reason]
    reports = {}
    for title in ("challenge", "tournament"):
        if not args.report:
            reports[title] = play(title, spec_of(title, able, folder, args.pairs, args.hands), folder)
        elif (folder / title).is_dir():
            reports[title] = report_of(folder / title)
    print("\n".join(lines(tried, reports)))  # noqa: T201


if __name__ == "__main__":
    main()
