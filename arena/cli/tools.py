"""The tools: ``judge``, ``melds``, ``strength`` and ``doctor``."""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from msgspec import UNSET, Struct, UnsetType, json

from arena import disk
from arena.cli.checked_app import plain_app
from arena.cli.option_groups import AsJson
from arena.cli.terminal import print_result
from arena.encoding import as_utf8, in_utf8
from arena.errors import MALFORMED, InputError
from arena.reports.numbers import count, share, with_ends
from arena.runs.judge import Rulesets, judge_case
from arena.runs.judge_cases import JudgeCase, MeldsCase, read
from arena.runs.melding import arrangement, defence
from arena.stats import result_tables
from arena.stats.pentanomial import Sprt, pentanomial_sprt
from arena.stats.result_tables import Ratings, Results
from arena.stats.statements import ACCEPTED, SUPERIORITY
from arena.text import document_text, in_one_line, json_text

LONGEST = 1 << 20  # bytes of a line


def answer_lines(source: str, answer: Callable[[bytes], dict[str, Any]]) -> None:
    """Print the answer to every line of a file, or of standard input for ``-``. Exit code 2, if any line was bad.

    ``answer`` raises ValueError for an invalid line. Raises: InputError, for a line that is too long; OSError.
    """
    bad = 0
    with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as file:
        text = in_utf8(file)
        for number, line in enumerate(iter(lambda: text.readline(LONGEST + 1), b""), 1):
            if len(line) > LONGEST:
                raise InputError(f"{source}: line {number} has more than {LONGEST} bytes")
            if not line.strip():
                continue
            try:
                answered = answer(line)
            except ValueError as error:
                bad += 1
                answered = {"line": number, "error": " ".join(str(error).split())}
            sys.stdout.write(json_text(answered) + "\n")
    if bad:
        typer.echo(f'arena: {source}: {count(bad, "invalid line")}; see "error" in each answer', err=True)
        raise typer.Exit(2)


def judge(
    file: Annotated[str, typer.Argument(help="A file of JSON lines; - for standard input.")] = "-",
) -> None:
    """Judge hands: each line is a deck, a dealer and actions, and is answered by how the hand ends.

    Example: arena judge hands.jsonl

    A line {"id": 1, "rules": "standard", "deck": [52 cards], "dealer": 0, "actions": [{"seat": 1, "kind": "pass"}, ...]}
    is answered by its "ending", "winner", "points" and "deadwood"; by "illegal" with the action, the clause and a detail;
    or by "unfinished". An action may be a word, as "draw", "3c" or "knock:3c": it is that of the seat whose turn it is.
    """
    rulesets = Rulesets()
    answer_lines(file, lambda line: judge_case(case := read(line, JudgeCase), rulesets.of(case.rules)))


class Arrangement(Struct, frozen=True, kw_only=True):
    """The melds that leave least deadwood."""

    deadwood: int
    melds: list[list[str]]
    discards: dict[str, int] | UnsetType = UNSET  # of eleven cards, the deadwood that each discard leaves


def melds(
    cards: Annotated[list[str] | None, typer.Argument(help="One to eleven cards, as 3c 4c 5c; with --jsonl, a file.")] = None,
    *,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read and write JSON lines.")] = False,
    json: AsJson = False,
) -> None:
    """Show the arrangement of some cards that leaves least deadwood.

    Example: arena melds 3c 4c 5c 7d 7h 7s Kd 2c 9h Jd

    With --jsonl, a line {"cards": [...]} of standard input, or of the file that is the argument, is answered by
    {"deadwood": n, "melds": [...]}; eleven cards get "discards" too, and with "knocker_melds" (and "gin") the answer is the
    defender's best, with "lay_offs".
    """
    if jsonl:
        source, *more = cards or ["-"]
        if more:
            raise InputError(f"melds --jsonl: {1 + len(more)} arguments; expected one file at most, for its lines hold the cards")
        answer_lines(source, _answer)
        return
    try:
        best = arrangement(cards or [])
    except ValueError as error:
        raise InputError(f"melds: {error}") from None
    discards = sorted(best.get("discards", {}).items(), key=lambda item: item[1])
    lines = [f"deadwood {best['deadwood']}", *(f"  {' '.join(meld)}" for meld in best["melds"])]
    lines += [f"  without {card}: {left}" for card, left in discards]
    print_result("melds", Arrangement(**best), lines, json=json)


def _answer(line: bytes) -> dict[str, Any]:
    case = read(line, MeldsCase)
    if case.knocker_melds is not None:
        return defence(case.cards, case.knocker_melds, gin=case.gin)
    return arrangement(case.cards)


strength = plain_app("Tests and ratings from counts alone.\n\nExample: arena strength ratings results.json")

LARGEST = 1 << 26  # bytes of a table
Counts = tuple[int, int, int, int, int]
AsJsonLine = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]


@strength.command()
def sprt(
    pentanomial: Annotated[Counts, typer.Option(metavar="LL LD DDWL WD WW", help="Pairs by their result.")],
    elo0: Annotated[float, typer.Option(help="The difference that H0 claims.")],
    elo1: Annotated[float, typer.Option(help="The difference that H1 claims.")],
    model: Annotated[Literal["normalized", "logistic"], typer.Option(help="What the bounds are measured in.")] = "normalized",
    alpha: Annotated[float, typer.Option(help=ACCEPTED(claim="H1"))] = 0.05,
    beta: Annotated[float, typer.Option(help=ACCEPTED(claim="H0"))] = 0.05,
    *,
    as_json: AsJsonLine = False,
) -> None:
    """Test a difference in strength on pairs of games or matches, as the chess sites do.

    Example: arena strength sprt --pentanomial 10 20 40 25 15 --elo0 0 --elo1 5
    """
    result = pentanomial_sprt(pentanomial, elo0, elo1, model, alpha, beta)
    typer.echo(document_text("sprt", result) if as_json else sprt_text(result))


@strength.command()
def ratings(
    file: Annotated[str, typer.Argument(help='JSON with "players", "wins" and "draws"; - reads standard input.')],
    prior: Annotated[float, typer.Option(help="Standard deviation of strength beforehand, in logits; 0: none.")] = 0.0,
    *,
    as_json: AsJsonLine = False,
) -> None:
    """Rate a table of results by Bradley-Terry, on the Elo scale.

    Example: arena strength ratings results.json
    """
    rated = result_tables.rate(_read(file), prior)
    typer.echo(document_text("ratings", rated) if as_json else ratings_text(rated))


def sprt_text(result: Sprt) -> str:
    """Return a test's result for a person."""
    llr = "none" if result.llr is None else f"{result.llr:.4f}"
    low, high = result.elo_interval
    lines = [
        f"{result.state}: LLR {llr} ({result.lower:.2f}, {result.upper:.2f})",
        f"Elo {with_ends(*map(_number, (result.elo, low, high)))}, normalized {_number(result.normalized_elo)}",
        SUPERIORITY(share="none" if result.los is None else share(result.los, 2)),
    ]
    return "\n".join([*lines, *filter(None, [result.note])])


def ratings_text(rated: Ratings) -> str:
    """Return ratings for a person, the best of each group first."""
    players = [in_one_line(name) for name in rated.players]
    width = max(map(len, players), default=0)
    separate = rated.state in {"disconnected", "unbounded"}  # then only ratings of one group can be compared
    groups = {name: number for number, group in enumerate(rated.groups, 1) for name in group} if separate else {}
    rows = sorted(
        zip(players, rated.ratings, rated.se, [groups.get(name, 0) for name in rated.players], strict=True),
        key=lambda row: (row[3], -(row[1] or 0.0), row[0]),
    )
    lines = [
        f"{name:<{width}}  {_number(value):>8}  se {_number(error):>7}{f'  group {group}' if group else ''}"
        for name, value, error, group in rows
    ]
    return "\n".join([*lines, *([rated.state, rated.note] if rated.note else [])])  # no note: the state is "ok"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{round(value, 2) + 0.0:+,.2f}"  # no -0.00


def _read(file: str) -> Results:
    """Return the table in a file. Raises: InputError, if it is not such a table; OSError."""
    try:
        text = sys.stdin.buffer.read(LARGEST + 1) if file == "-" else disk.read(Path(file), LARGEST)
        return json.decode(as_utf8(text), type=Results)
    except disk.TooLargeError as error:
        raise InputError(f"{file}: {error}") from error
    except MALFORMED as error:
        raise InputError(f'{file}: {error}; expected JSON with "players", "wins" and, if there were any, "draws"') from error
