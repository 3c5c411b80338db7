"""``arena melds``: the best melds of some cards."""

from typing import Annotated, Any

import typer

from arena.cli.parts import AsJson


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
    from arena.cli.lines import answer_lines, print_json
    from arena.errors import InputError

    if jsonl:
        source, *more = cards or ["-"]
        if more:
            raise InputError(f"melds --jsonl: {1 + len(more)} arguments; expected one file at most, for its lines hold the cards")
        answer_lines(source, _answer)
        return
    try:
        best = arranged(cards or [])
    except ValueError as error:
        raise InputError(f"melds: {error}") from None
    if json:
        print_json(best)
        return
    typer.echo(f"deadwood {best['deadwood']}")
    for meld in best["melds"]:
        typer.echo("  " + " ".join(meld))
    for card, left in sorted(best.get("discards", {}).items(), key=lambda item: item[1]):
        typer.echo(f"  without {card}: {left}")


def arranged(names: list[str]) -> dict[str, Any]:
    """Return the arrangement with least deadwood, and for eleven cards what each discard leaves. Raises: ValueError."""
    from arena.gin.cards import NAMES, each
    from arena.gin.melds import arrange, deadwood
    from arena.protocol.notation import written

    held = _held(names)
    best = {"deadwood": deadwood(held), "melds": written(arrange(held))}
    if len(names) == 11:
        best["discards"] = {NAMES[card]: deadwood(held ^ 1 << card) for card in each(held)}
    return best


def defended(names: list[str], knocker: list[list[str]], *, gin: bool) -> dict[str, Any]:
    """Return the defender's best melds and lay-offs against a knocker's. Raises: ValueError, for melds that are none too."""
    from arena.gin.actions import IllegalAction
    from arena.gin.cards import cards
    from arena.gin.cards import names as names_of
    from arena.gin.declarations import check_melds
    from arena.gin.melds import defend, laid_cards, points, union
    from arena.protocol.notation import laid, written

    held = _held(names)
    table = tuple(cards(meld) for meld in knocker)
    try:
        check_melds(table, union(table))
        if both := held & union(table):
            raise ValueError(f"knocker_melds: {' '.join(names_of(both))} is held by the defender too")
    except IllegalAction as error:
        raise ValueError(f"knocker_melds: {error}") from None
    own, lay_offs = defend(held, () if gin else table)
    left = points(held & ~union(own) & ~laid_cards(lay_offs))
    return {"deadwood": left, "melds": written(own), "lay_offs": laid(lay_offs)}


def _held(names: list[str]) -> int:
    from arena.gin.cards import cards

    if not 1 <= len(names) <= 11:
        raise ValueError(f"{len(names)} cards; expected one to eleven")
    return cards(names)


def _answer(line: bytes) -> dict[str, Any]:
    from arena.cli.cases import MeldsCase, read

    case = read(line, MeldsCase)
    if case.knocker_melds is not None:
        return defended(case.cards, case.knocker_melds, gin=case.gin)
    return arranged(case.cards)
