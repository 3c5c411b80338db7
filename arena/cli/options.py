"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from arena.stats.statements import ALPHA, BETA
from arena.tournament.seeds import check_seed

MOST_HANDS = 1_000_000  # of a bot that is tested, reviewed or compared with itself; ``MostHands`` is an option of comparisons
LEAST_CHANCE, MOST_CHANCE = 1e-9, 0.999  # of a wrong verdict

Bot = Annotated[str, typer.Argument(help="An installed bot's name, path/to/bot.py or path/to/bot.yaml.")]

SpecPath = Annotated[
    Path,
    typer.Argument(metavar="SPEC", help="The tournament's YAML file, whose keys `arena docs specs` lists; or a folder of bots."),
]

RunDir = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]


def checked_seed(typed: str | None) -> str | None:
    """Return a typed seed unchanged. Raises: InputError, if it is empty, too long or not UTF-8 text."""
    return None if typed is None else check_seed(typed)


def checked_sandbox(name: str | None) -> str | None:
    """Return a typed sandbox unchanged, even if the command then does not use it. Raises: InputError, with the nearest name."""
    if name is not None:
        from arena.runs import named_parts  # noqa: PLC0415 - loads the plugins, which few commands need

        named_parts.check_sandbox(name)
    return name


def checked_level(name: str) -> str:
    """Return a log level in capitals. Raises: InputError, with the nearest valid one."""
    from arena.runs.chosen import choose  # noqa: PLC0415 - loads the plugins, which few commands need
    from arena.runs.logs import LEVELS  # noqa: PLC0415 - likewise

    return choose(LEVELS, name.upper(), "--log-level")


Seed = Annotated[str | None, typer.Option(callback=checked_seed, help="Seed of the deals; by default one is drawn, and shown.")]
Alpha = Annotated[float, typer.Option(min=LEAST_CHANCE, max=MOST_CHANCE, help=str(ALPHA))]
Beta = Annotated[float, typer.Option(min=LEAST_CHANCE, max=MOST_CHANCE, help=str(BETA))]
MostHands = Annotated[
    int, typer.Option(min=2, max=10_000_000, help="Undecided after this many hands; legs that have begun are played to their end.")
]
Leg = Annotated[int, typer.Option(min=1, max=10_000, help="Hands that a process plays.")]
AskedBatches = Annotated[
    int | None, typer.Option("--workers", min=1, max=1024, help="Batches of 25 hands at a time; by default one for each core.")
]
ShownHand = Annotated[
    int, typer.Option("--hand", min=0, max=MOST_HANDS - 1, help="Which hand is shown, from 0; those before it are played unseen.")
]
