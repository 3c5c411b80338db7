"""Groups of options that several commands have: a command takes a group as one parameter (``spread``)."""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from msgspec import Struct

if TYPE_CHECKING:
    from arena.runs.runner import Runner
from arena.cli.options import checked_level, checked_sandbox, checked_seed

RulesName = Annotated[str, typer.Option("--rules", help="The ruleset, by name or as in a spec: '{name: standard, target: 30}'.")]
SandboxName = Annotated[
    str | None,
    typer.Option(
        "--sandbox",
        callback=checked_sandbox,
        help="The sandbox, by name or as in a spec: '{memory_mb: 2048}'; by default strict on Linux, else standard.",
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
Where = Annotated[str, typer.Option(help="The executor: local, serial or a plugin's, by name or as '{name: dask, scheduler: …}'.")]
WorkerProcesses = Annotated[
    int | None, typer.Option("--workers", min=1, max=1024, help="Worker processes; by default one for each core.")
]
SecretSeed = Annotated[
    str | None, typer.Option("--seed", callback=checked_seed, help="Seed of the deals; by default one drawn in secret.")
]


class Conditions(Struct, frozen=True):
    """The rules, time limits and sandbox under which bots play, as in a spec."""

    rules: RulesName = "tournament"
    time: TimeText = "{}"
    sandbox: SandboxName = None


class Execution(Struct, frozen=True, kw_only=True):
    """Where matches are played."""

    executor: Where = "local"
    workers: Workers = None

    def runner(self, warn: Callable[[str], None] | None = None) -> "Runner":
        """Return the executor with its workers. Raises: InputError, MachineError, PluginError."""
        return runner_of(self.executor, self.workers, warn)


class LegExecution(Execution, frozen=True, kw_only=True):
    """Where the legs of a comparison are played."""

    workers: WorkerProcesses = None


class Presentation(Struct, frozen=True):
    """The seed of a comparison, and how much is printed and logged."""

    seed: SecretSeed = None
    quiet: Quiet = False
    log_level: LogLevel = "INFO"
    json: AsJson = False


def runner_of(executor: str, workers: int | None, warn: Callable[[str], None] | None = None) -> "Runner":
    """Return the executor that a text names, with its workers. Raises: InputError, MachineError, PluginError."""
    from arena.plugins import manager  # noqa: PLC0415 - not for the help
    from arena.runs.runner import Runner  # noqa: PLC0415 - likewise

    return Runner(manager.load(), executor, workers, warn=warn or (lambda _: None))


def spread(function: Callable[..., None]) -> Callable[..., None]:
    """Return a command in which each parameter whose type is a Struct is replaced by an option for each field of the Struct."""
    parameters: dict[str, list[Parameter]] = {}
    groups: dict[str, type[Struct]] = {}
    for name, parameter in signature(function).parameters.items():
        parameters[name] = [parameter]
        if isinstance(parameter.annotation, type) and issubclass(parameter.annotation, Struct):
            group = groups[name] = parameter.annotation
            hints, defaults = get_type_hints(group, include_extras=True), group.__struct_defaults__
            parameters[name] = [
                Parameter(field, Parameter.KEYWORD_ONLY, default=default, annotation=hints[field])
                for field, default in zip(group.__struct_fields__, defaults, strict=True)
            ]

    def command(*arguments: Any, **given: Any) -> None:  # noqa: ANN401 - those of any command
        values = {
            name: group(**{field: given.pop(field) for field in group.__struct_fields__ if field in given})
            for name, group in groups.items()
        }
        function(*arguments, **given, **values)

    every = list(chain.from_iterable(parameters.values()))
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__annotations__ = {one.name: one.annotation for one in every}
    vars(command)["__signature__"] = Signature(every)
    return command
