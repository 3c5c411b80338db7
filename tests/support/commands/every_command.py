"""Every command of arena with its parameters, as Typer knows them, and a call of each that is right but for one value."""

import inspect
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import pytest
from msgspec import json
from support.commands.calls import arena
from support.repository.installing import shared

from arena.cli import built_pages
from arena.cli.app import function, own_commands

CUP = """
title: Cup
bots: [greedy, cautious]
rules: {target: 10, best_of: 1}
format: {pairs: 1}
sandbox: none
reports: [console]
"""
FRIDAY = """
title: Friday
rules: {target: 10, best_of: 1}
sandbox: none
audition: {hands: 8}
"""
TUNED = """
from arena.sdk import Bot, Parameter, View


class Tuned(Bot):
    most = Parameter(0, low=0, high=10)

    def knocks(self, view: View, left: int) -> bool:
        return left <= self.most
"""
COUNTS = {"players": ["a", "b"], "wins": [[0, 3], [2, 0]], "draws": [[0, 0], [0, 0]]}
FIXTURE = "greedy:cautious/0/0"
RIGHT = {  # a right value of each parameter that a call needs, by its name
    "spec": "cup.yaml", "run_dir": "run", "results_dir": "run", "league": "friday", "folder": "new", "out": "public",
    "run_dirs": "run", "file": "lines.jsonl", "to": "hands.jsonl",
    "cards": "7h", "kind": "report", "name": "newcomer", "reason": "slow", "pentanomial": "10", "elo0": "0", "elo1": "5",
    "from_table": "2", "results": "practice", "scheme": "scheme.yaml", "place": "copied",
    "a": "greedy", "b": "cautious", "old": "greedy", "new": "cautious",
    "url": "http://127.0.0.1:9", "token": "arena-x", "author": "ann",
    "first": "greedy", "others": "cautious", "bot": "greedy", "candidate": "greedy", "against": "cautious",
}  # fmt: skip
RIGHT_FOR = {
    ("league new", "league"): "saturday",
    ("league new", "spec"): "friday.yaml",
    ("league cup", "spec"): "friday-cup.yaml",
    ("league challenge", "mine"): "greedy@1",
    ("league challenge", "other"): "cautious@1",
    ("league diff", "old"): "greedy@1",
    ("league diff", "new"): "cautious@1",
    ("strength ratings", "file"): "counts.json",
    ("tune", "bot"): "tuned.py",
    **dict.fromkeys((("tables", "folder"), ("invite", "folder"), ("close", "folder")), "games"),
}
OPTIONAL = {("regress", "candidate"), ("regress", "against"), ("play", "bot")}  # that a call without another mode needs
BEFORE = {"--hours": ["--play"]}  # what makes another option mean something


SHORT = {  # options with which a command ends soon
    "duel": "--hands 40",
    "race": "--hands 40",
    "regress": "--hands 40",
    "tune": "--hands 1000 --sandbox none",
    "exploit": "--hands 1000 --stop-after 0.05 --sandbox none",
    "run": "--seed s",
    "match": "--hands 8",
    "diff": "--hands 8",
    "plan": "--seconds 0.1",
    "bots check": "--hands 8",
    "review": "--hands 1",
    "league run": "--matches 2 --workers 1",
    "league cup": "--workers 1",
    "league submit": "random-legal --author cat",
    "league token": "cat --expires 1d",
}


BOTS = ("a", "b", "old", "new", "first", "others", "bot", "candidate", "against")


class Parameter(NamedTuple):
    """An option or an argument of a command."""

    command: str  # as "league run"
    name: str
    option: str  # as it is written; "": an argument
    kind: Any  # its type, without None
    values: int  # that it takes at once
    bounds: tuple[float | None, float | None]

    @property
    def is_path(self) -> bool:
        """Tell whether it names a file or folder: by its type, or because it takes the path of a bot or of lines too."""
        return self.kind is Path or (
            self.kind is str and self.name in {"a", "b", "first", "old", "new", "bot", "candidate", "against", "file"}
        )

    @property
    def is_choice(self) -> bool:
        return get_origin(self.kind) is Literal

    @property
    def number(self) -> type | None:
        """Return int or float, if it takes such a number or several; None: another type."""
        kind = get_args(self.kind)[0] if get_origin(self.kind) is tuple else self.kind
        return kind if kind in (int, float) else None

    def __str__(self) -> str:
        return f"{self.command} {self.option or self.name}"


def prepared(factory: pytest.TempPathFactory, name: str) -> Path:
    """Return a new folder with what the right values name."""
    return shutil.copytree(shared(factory, "prepared", _prepare), factory.mktemp(name), symlinks=True, dirs_exist_ok=True)


def _prepare(folder: Path) -> None:
    """Make specs, a run, a league with two bots and a round."""
    for name, text in (
        ("cup.yaml", CUP),
        ("friday.yaml", FRIDAY),
        ("friday-cup.yaml", "{title: Friday cup, format: {name: knockout, pairs: 1}, reports: [console]}"),
        ("scheme.yaml", "{joined: 5}"),
        ("lines.jsonl", ""),
        ("counts.json", json.encode(COUNTS).decode()),
        ("tuned.py", TUNED),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    for line in (
        "run cup.yaml --results run --seed s",
        "league new friday --spec friday.yaml",
        "league submit friday greedy --author ann",
        "league submit friday cautious --author ben",
        "league run friday --matches 2 --workers 1",
    ):
        done = arena(*line.split(), folder=folder)
        assert done.returncode == 0, done


def parameters() -> Iterator[Parameter]:
    """Yield every parameter of every command that takes a value."""
    for name, command in leaves().items():
        hints = get_type_hints(inspect.unwrap(command.callback), include_extras=True)
        for param in command.params:
            if param.name in hints and (kind := _kind(hints[param.name])) is not bool:
                info = get_args(hints[param.name])[1]
                option = next((text for text in param.opts if text.startswith("--")), "")
                yield Parameter(name, param.name, option, kind, max(1, param.nargs), (info.min, info.max))


leaves = cache(built_pages.leaves)


def right_call(command: str) -> list[str]:
    """Return the line of a call that is right."""
    return call_with(Parameter(command, "", "", None, 1, (None, None)), "")


def call_with(wrong: Parameter, value: str) -> list[str]:
    """Return the line of a call whose other values are right."""
    line, options = wrong.command.split(), BEFORE.get(wrong.option, [])
    for param in leaves()[wrong.command].params:
        option = next((text for text in param.opts if text.startswith("--")), "")
        if param.name == wrong.name:
            given = [value] * wrong.values
        elif param.required or (wrong.command, param.name) in OPTIONAL:
            right = RIGHT_FOR.get((wrong.command, param.name)) or RIGHT[param.name]
            given = [right] * max(1, param.nargs)
        elif param.name == "fixture" and wrong.name == "hand":
            given = [FIXTURE]
        else:
            continue
        if option:
            options = [*options, option, *given]
        else:
            line += given
    return [*line, *options]


def _kind(hint: Any) -> Any:
    """Return the type in a hint, without None, and that of the values for a list."""
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    alternatives = [one for one in get_args(hint) if one is not type(None)]
    if type(None) in get_args(hint):
        (hint,) = alternatives
    return get_args(hint)[0] if get_origin(hint) is list else hint


def registered() -> list[str]:
    """Return every command of arena, those of groups with their group too."""
    own = own_commands()
    inside = [
        f"{name} {_called(one.name, one.callback)}"
        for name, described in own.items()
        for one in getattr(function(described), "registered_commands", ())
    ]
    return [*own, *inside]


def _called(given: str | None, function: object) -> str:
    return given or str(getattr(function, "__name__", "")).replace("_", "-")
