"""``arena melds``: the best melds of some cards."""

from typing import Annotated, Any

import typer
from msgspec import UNSET, Struct, UnsetType

from arena.cli.lines import answer_lines, print_json
from arena.cli.options import AsJson
from arena.errors import InputError
from arena.runs.judge import MeldsCase, arrangement, defence, read


class Arrangement(Struct, frozen=True, kw_only=True):
    """The melds that leave least deadwood."""

    deadwood: int
    melds: list[list[str]]
    discards: dict[str, int] | UnsetType = UNSET  # of eleven cards, the deadwood that each discard leaves


def melds(
    cards: Annotated[
        list[str] | None, typer.Argument(help="One to eleven cards, as 3c 4c 5c; with --jsonl, a file.", show_default=False)
    ] = None,
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
    if json:
        print_json("melds", Arrangement(**best))
        return
    typer.echo(f"deadwood {best['deadwood']}")
    for meld in best["melds"]:
        typer.echo("  " + " ".join(meld))
    for card, left in sorted(best.get("discards", {}).items(), key=lambda item: item[1]):
        typer.echo(f"  without {card}: {left}")


def _answer(line: bytes) -> dict[str, Any]:
    case = read(line, MeldsCase)
    if case.knocker_melds is not None:
        return defence(case.cards, case.knocker_melds, gin=case.gin)
    return arrangement(case.cards)
