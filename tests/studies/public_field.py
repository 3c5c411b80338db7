"""``python tests/studies/public_field.py FOLDER [--pairs N] [--hands N]``: published players of the EAAI challenge and house bots.

FOLDER has a clone of each repository of PLAYERS at its commit, as ``owner+name``; nothing is fetched, and ``--list`` prints what to
fetch. A player's files must have the digest given here. ``arena bots new --lang java --from`` makes it a bot, ``make`` builds it,
which needs a JDK, ``arena bots check`` checks it, and it plays in the strict sandbox under the challenge's protocol and under the
tournament's rules. A player that fails before it plays has the reason in its row. The same command resumes: what is built, checked
and played stays. ``--only searcher baseline`` plays these alone, in a folder of their own.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from field_players import PLAYERS, SANDBOX, TIME, Tried, arena, try_player
from msgspec import Struct
from msgspec.json import decode, encode

Bot = str | Mapping[str, str]  # as a spec lists it

HOUSE = ("professor", "searcher", "challenger")
# Games to 100. One difference: in the challenge the same player begins again after a dead hand; here the deal passes (R2.3).
CHALLENGE = "{name: standard, big_gin_bonus: null}"
TOURNAMENT = "{name: tournament, stock: two-ended}"
SPEC = """\
title: The public field, {title}
bots: {bots}
rules: {rules}
time: {time}
sandbox: {sandbox}
format: {format}
"""


class Row(Struct, frozen=True):
    """A bot's results under one protocol."""

    rating: str
    won: str  # of its matches, or points a hand
    milliseconds: float  # of processor time a decision


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


def bots_to_play(tried: Sequence[Tried], folder: Path) -> Mapping[str, Bot]:
    """Return the house bots and the players that play, by name."""
    files = {one.player.name: folder / "bots" / one.player.name / "bot.yaml" for one in tried if not one.reason}
    return {**{name: name for name in HOUSE}, **{name: {"bot": str(file), "name": name} for name, file in files.items()}}


def spec_of(title: str, bots: Sequence[Bot], pairs: int, hands: int) -> str:
    """Return the spec of a protocol for some bots."""
    kinds = {
        "challenge": (CHALLENGE, TIME, f"{{name: round-robin, pairs: {pairs}}}"),
        "tournament": (TOURNAMENT, "{per_turn: 30, per_match: 3000}", f"{{name: batches, hands: {hands}}}"),
    }
    rules, time, form = kinds[title]
    return SPEC.format(title=title, bots=encode(bots).decode(), rules=rules, time=time, sandbox=SANDBOX, format=form)


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


def main() -> None:
    """Build, check and play, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=50, help="of games of every two bots under the challenge's protocol; 0: none")
    parser.add_argument("--hands", type=int, default=400, help="of every two bots under the tournament's rules; 0: none")
    names = (*HOUSE, *(player.name for player in PLAYERS))
    parser.add_argument("--only", nargs="+", default=(), choices=names, help="play these alone, in a folder of their own")
    parser.add_argument("--report", action="store_true", help="play nothing; show what has been played")
    parser.add_argument("--list", action="store_true", help="say what to fetch, and end")
    args = parser.parse_args()
    if args.list:
        for player in PLAYERS:
            print(f"git clone https://github.com/{player.repository} {player.repository.replace('/', '+')}  # {player.commit}")  # noqa: T201
        sys.exit()
    folder = args.folder.resolve()
    tried = [try_player(player, folder) for player in PLAYERS]
    bots = [bot for name, bot in bots_to_play(tried, folder).items() if not args.only or name in args.only]
    runs = folder / "+".join(args.only)
    runs.mkdir(exist_ok=True)
    reports = {}
    for title, count in (("challenge", args.pairs), ("tournament", args.hands)):
        if count and not args.report:
            reports[title] = play(title, spec_of(title, bots, args.pairs, args.hands), runs)
        elif (runs / title).is_dir():
            reports[title] = report_of(runs / title)
    print("\n".join(lines(tried, reports)))  # noqa: T201


if __name__ == "__main__":
    main()
