"""Arguments and options that commands of a league share."""

from pathlib import Path
from typing import Annotated

import typer

Dir = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the league.")]
Name = Annotated[str, typer.Argument(metavar="BOT", help="A bot's name, or a version as ann-bot@3.")]
Reason = Annotated[str, typer.Option(help="Why; it is shown.", show_default=False)]
Since = Annotated[str, typer.Option(metavar="TIME", help="Show what has changed since: 12h, 1d, or a date as 2026-01-31.")]
