"""arena strength: tests and ratings from counts alone."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec import DecodeError, json

from arena import system
from arena.cli.usage import plain_app
from arena.errors import InputError
from arena.reports.numbers import share
from arena.stats import results
from arena.stats.results import Ratings, Results
from arena.stats.sequential import pentanomial as test
from arena.stats.sequential.pentanomial import Sprt
from arena.text import document_text, in_one_line

app = plain_app("Tests and ratings from counts alone.\n\nExample: arena strength ratings results.json")

LARGEST = 1 << 26  # bytes of a table
Counts = tuple[int, int, int, int, int]
AsJsonLine = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]


@app.command()
def sprt(
    pentanomial: Annotated[Counts, typer.Option(metavar="LL LD DDWL WD WW", help="Pairs by their result.")],
    elo0: Annotated[float, typer.Option(help="The difference that H0 claims.")],
    elo1: Annotated[float, typer.Option(help="The difference that H1 claims.")],
    model: Annotated[Literal["normalized", "logistic"], typer.Option(help="What the bounds are measured in.")] = "normalized",
    alpha: Annotated[float, typer.Option(help="The chance to accept H1 wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="The chance to accept H0 wrongly.")] = 0.05,
    *,
    as_json: AsJsonLine = False,
) -> None:
    """Test a difference in strength on pairs of games or matches, as the chess sites do.

    Example: arena strength sprt --pentanomial 10 20 40 25 15 --elo0 0 --elo1 5
    """
    result = test.sprt(pentanomial, elo0, elo1, model, alpha, beta)
    typer.echo(document_text("sprt", result) if as_json else sprt_text(result))


@app.command()
def ratings(
    file: Annotated[str, typer.Argument(help='JSON with "players", "wins" and "draws"; - reads standard input.')],
    prior: Annotated[float, typer.Option(help="Standard deviation of strength beforehand, in logits; 0: none.")] = 0.0,
    *,
    as_json: AsJsonLine = False,
) -> None:
    """Rate a table of results by Bradley-Terry, on the Elo scale.

    Example: arena strength ratings results.json
    """
    rated = results.rate(_read(file, results.Results), prior)
    typer.echo(document_text("ratings", rated) if as_json else ratings_text(rated))


def sprt_text(result: Sprt) -> str:
    """Return a test's result for a person."""
    llr = "none" if result.llr is None else f"{result.llr:.4f}"
    low, high = result.elo_interval
    lines = [
        f"{result.state}: LLR {llr} ({result.lower:.2f}, {result.upper:.2f})",
        f"Elo {_number(result.elo)} [{_number(low)}, {_number(high)}], normalized {_number(result.normalized_elo)}",
        f"likelihood of superiority {'none' if result.los is None else share(result.los, 2)}",
    ]
    return "\n".join([*lines, *filter(None, [result.note])])


def ratings_text(rated: Ratings) -> str:
    """Return ratings for a person, the best first."""
    players = [in_one_line(name) for name in rated.players]
    width = max(map(len, players), default=0)
    rows = sorted(zip(players, rated.ratings, rated.se, strict=True), key=lambda row: (-(row[1] or 0.0), row[0]))
    lines = [f"{name:<{width}}  {_number(value):>8}  se {_number(error):>7}" for name, value, error in rows]
    return "\n".join([*lines, *filter(None, [rated.state, rated.note] if rated.note else [])])


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:+.2f}"


def _read(file: str, kind: type[Results]) -> Results:
    """Return the table in a file. Raises: InputError, if it is not such a table; OSError."""
    try:
        text = sys.stdin.buffer.read(LARGEST + 1) if file == "-" else system.read(Path(file), LARGEST)
        return json.decode(text, type=kind)
    except (system.TooLargeError, DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from error
