"""Arguments and options that several commands share."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena import distribution
from arena.errors import InputError
from arena.tournament.seeds import check_seed

MOST_HANDS = 1_000_000  # of a bot that is tested or compared with itself
LEAST_CHANCE, MOST_CHANCE = 1e-9, 0.999  # of a wrong verdict

Bot = Annotated[str, typer.Argument(help="An installed bot's name, path/to/bot.py or path/to/bot.yaml.", show_default=False)]

SpecPath = Annotated[
    Path,
    typer.Argument(
        metavar="SPEC",
        help="The tournament's YAML file, whose keys `arena docs specs` lists; or a folder of bots.",
        show_default=False,
    ),
]

RunDir = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.", show_default=False)]


def executor_options(scheduler: str | None) -> dict[str, str]:
    """Return the options of an executor that were given."""
    return {} if scheduler is None else {"scheduler": scheduler}


def checked_seed(typed: str | None) -> str | None:
    """Return a seed that was typed. Raises: InputError, for one that is empty, too long or no text."""
    return None if typed is None else check_seed(typed)


def checked_sandbox(name: str | None) -> str | None:
    """Return the text of a sandbox, also where it would not be used. Raises: InputError, with the nearest valid name."""
    if name is not None:
        from arena.runs import plans  # noqa: PLC0415 - loads the plugins, which few commands need

        plans.check_sandbox(name)
    return name


def checked_level(name: str) -> str:
    """Return the level of a log. Raises: InputError, with the nearest valid one."""
    from arena.runs.choice import choose  # noqa: PLC0415 - loads the plugins, which few commands need
    from arena.runs.logs import LEVELS  # noqa: PLC0415 - likewise

    return choose(LEVELS, name.upper(), "--log-level")


Seed = Annotated[str | None, typer.Option(callback=checked_seed, help="Seed of the deals; by default one is drawn, and shown.")]
RulesName = Annotated[str, typer.Option("--rules", help="The ruleset, by name or as in a spec: '{name: standard, target: 30}'.")]
SandboxName = Annotated[
    str | None,
    typer.Option(
        "--sandbox",
        callback=checked_sandbox,
        help="The sandbox, by name or as in a spec: '{memory_mb: 2048}'; by default strict on Linux, else standard.",
        show_default=False,
    ),
]
TimeText = Annotated[
    str, typer.Option("--time", help="Time limits as in a spec: '{per_turn: 0.5}'; by default those of specs.", show_default=False)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, only warnings and the outcome.")]
LogLevel = Annotated[
    str, typer.Option("--log-level", callback=checked_level, help="DEBUG, INFO, WARNING or ERROR; DEBUG shows every message.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Workers = Annotated[int | None, typer.Option(min=1, max=1024, help="Matches played at a time; by default one for each core.")]
Where = Annotated[str, typer.Option(help="Where they are played: local, serial, dask, or a plugin's name.")]
Nearby = Annotated[str, typer.Option(help="Where they are reviewed or asked: local, serial, dask, or a plugin's name.")]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="The scheduler of --executor dask, as tcp://host:8786 or tls://host:8786.", show_default=False
    ),
]
Alpha = Annotated[float, typer.Option(min=LEAST_CHANCE, max=MOST_CHANCE, help="The chance to call a bot better that is not.")]
Beta = Annotated[float, typer.Option(min=LEAST_CHANCE, max=MOST_CHANCE, help="The chance to call a bot not as good that is.")]
MostHands = Annotated[
    int, typer.Option(min=2, max=10_000_000, help="Undecided after this many hands; legs that have begun are played to their end.")
]
Leg = Annotated[int, typer.Option(min=1, max=10_000, help="Hands that a process plays.")]
Deterministic = Annotated[
    bool,
    typer.Option(
        "--assume-deterministic", help="Do not play deals on which both bots make the same decisions; the verdict says so."
    ),
]
Legs = Annotated[
    int | None, typer.Option("--workers", min=1, max=1024, help="Legs played at a time; by default one for each core.")
]
ShownHand = Annotated[
    int, typer.Option("--hand", min=0, max=MOST_HANDS - 1, help="Which hand is shown, from 0; those before it are played unseen.")
]
SecretSeed = Annotated[
    str | None, typer.Option("--seed", callback=checked_seed, help="Seed of the deals; by default one drawn in secret.")
]


# Packages of the extras, which are not always installed.

PACKAGES = {"data": {"pyarrow"}, "web": {"anyio", "markdown_it", "starlette", "uvicorn"}}  # of each extra


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Tell how to install what an import in the context did not find. Raises: InputError."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in PACKAGES[extra]:
            raise InputError(f"{error.name} is not installed; {distribution.install(extra)} brings it") from None
        raise


needs_web = partial(needs_extra, "web")
needs_data = partial(needs_extra, "data")
