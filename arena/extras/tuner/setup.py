"""The input of a search for a bot's best parameters: its spec, the bots, and the question that its folder belongs to."""

from hashlib import sha256
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, field, json
from msgspec.structs import asdict, astuple, replace

from arena import disk
from arena.compare.dueling import PlayConditions
from arena.errors import InputError
from arena.extras.tuner.rounds_file import ROUNDS_FILE, read_header
from arena.parameters import Parameter, join_parameters, split_parameters
from arena.roster import finder
from arena.runs import chosen, starts
from arena.runs.chosen import ResolvedBot
from arena.tournament import seeds
from arena.tournament.plan import Plan
from arena.tournament.spec import read_struct

METHOD = 2  # version of the search; the rounds of one version cannot be continued by another


class NarrowedParameter(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A narrower range of a parameter that the bot declares."""

    low: int | float | None = None
    high: int | float | None = None
    step: int | float | None = None


class TuneSpec(PlayConditions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of ``params.yaml``."""

    parameters: dict[str, NarrowedParameter | None] = field(default_factory=dict)  # empty: all that the bot declares
    opponents: tuple[str, ...] = ()  # empty: the bot as it is at the start
    hands: Annotated[int, Meta(ge=1000, le=10_000_000)] = 20_000  # of the search
    verdict: Annotated[int, Meta(ge=2, le=10_000_000)] = 20_000  # most hands of the duel at the end
    seed: Annotated[str, Meta(min_length=1, max_length=seeds.LONGEST_SEED)] | None = None
    workers: Annotated[int, Meta(ge=1, le=1024)] | None = None


def read_spec(path: Path | None) -> TuneSpec:
    """Return the spec in a file; None: the defaults. Raises: SpecError, which names the file and the key."""
    return read_struct(path, TuneSpec) if path else TuneSpec()


class TuneSetup(Struct, frozen=True, kw_only=True):
    """The input of a search."""

    start: ResolvedBot
    parameters: dict[str, Parameter[float]]
    plan: Plan  # start and opponents, with the run seed
    question: str  # everything that determines the games, as JSON
    inline: bool  # the bots play in the workers' own processes, without a sandbox
    spec: TuneSpec
    folder: Path

    def name_with(self, values: dict[str, float]) -> str:
        """Return the name, for commands, of the bot with some values."""
        plain, given = split_parameters(self.start.asked)
        return join_parameters(plain, {**given, **values})

    def resolve(self, values: dict[str, float]) -> ResolvedBot:
        """Return the bot with some values. Raises: RosterError."""
        asked = self.name_with(values)
        return ResolvedBot(asked, finder.find(asked, f"{self.start.name[:43]}-tuned"))  # a name has at most 50 characters


def set_up(bot: str, spec: TuneSpec, home: Path, results: Path | None, folder_name: str | None = None) -> TuneSetup:
    """Return the setup of a search in ``results``, or by default below ``results/``, in a folder named after the question's digest.

    ``home`` is the folder to which the paths of opponents are relative; ``folder_name`` begins the name of the default folder.
    Raises: RosterError; InputError, for a spec that does not suit the bot; SandboxError, StoreError.
    """
    (start,) = chosen.resolve((bot,), suffixes=("",))
    parameters = _tuned_parameters(start, spec)
    found = [chosen.resolve((one,), suffixes=("",), folder=home)[0] for one in spec.opponents] or [start]
    opponents = [
        replace(one, entrant=replace(one.entrant, name=f"opponent-{number}-{one.name[:35]}")) for number, one in enumerate(found, 1)
    ]
    launches = [one.entrant.launch for one in (start, *opponents)]
    inline = spec.sandbox == "none" and all(one.command[: len(finder.SDK)] == finder.SDK for one in launches)
    plan = spec.plan(f"Tune of {start.name}", {"name": "batches"}, [start, *opponents], None)
    question = _question(plan, parameters, spec, inline=inline)
    key = sha256(question.encode()).hexdigest()[:8]
    name = f"{folder_name or f'tune-of-{start.name.lower()}'}-{key}"
    folder = results or disk.inside(Path(), str(starts.RESULTS), name)
    if not (folder / ROUNDS_FILE).exists():
        starts.named_folder(folder)  # raises StoreError if it holds other files
    header = read_header(folder, question)
    drawn = seeds.random_seed() if spec.seed is None else seeds.run_seed(spec.seed)
    return TuneSetup(
        start=start,
        parameters=parameters,
        plan=replace(plan, seed=header.seed if header else drawn),
        question=question,
        inline=inline,
        spec=spec,
        folder=folder,
    )


def _question(plan: Plan, parameters: dict[str, Parameter[float]], spec: TuneSpec, *, inline: bool) -> str:
    """Return everything that determines the games of a search, as JSON."""
    found = {
        "method": METHOD,
        "bots": [one.digest for one in plan.field],
        "parameters": {name: astuple(one) for name, one in parameters.items()},
        "rules": plan.spec.rules,
        "time": plan.spec.time,
        "sandbox": plan.spec.sandbox,
        "inside": inline,
        "hands": spec.hands,
        "seed": spec.seed,
    }
    return json.encode(found).decode()


def _tuned_parameters(bot: ResolvedBot, spec: TuneSpec) -> dict[str, Parameter[float]]:
    """Return the parameters to tune, with the values of ``bot`` as starts.

    Raises: InputError, for one that the bot does not declare, or an invalid range.
    """
    declared, given = finder.parameters_of(bot.entrant), split_parameters(bot.asked)[1]
    if not declared:
        on_sdk = bot.entrant.launch.command[: len(finder.SDK)] == finder.SDK
        of_class = "`arena docs sdk` shows how: plain numbers, low <= start <= high, as weight = Parameter(2.0, low=0.0, high=6.0)"
        of_manifest = "`arena docs protocol` shows how, in `parameters` of bot.yaml"
        raise InputError(f"{bot.asked}: declares no parameters; {of_class if on_sdk else of_manifest}")
    found: dict[str, Parameter[float]] = {}
    for name in spec.parameters or declared:
        one, narrowed = chosen.choose(declared, name, "parameters"), spec.parameters.get(name) or NarrowedParameter()
        changes = {key: value for key, value in asdict(narrowed).items() if value is not None}
        try:
            found[name] = Parameter(**{**asdict(one), "start": given.get(name, one.start), **changes})
        except ValueError as error:
            raise InputError(f"parameters.{name}: {error}") from None
        if found[name].low < one.low or found[name].high > one.high or found[name].is_whole != one.is_whole:
            kind = "whole numbers" if one.is_whole else "numbers"
            raise InputError(f"parameters.{name}: expected a range of {kind} within {one.low} to {one.high}, as the bot declares")
    return found
