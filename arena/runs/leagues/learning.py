"""The states of a league's bots, in the folder ``states`` of the league, and what a round needs of them."""

from collections.abc import Iterable
from pathlib import Path

from arena.league import learning
from arena.league.events import AnyEvent, RoundOpened
from arena.league.spec import LeagueSpec
from arena.players.confinement.profiles import check_state
from arena.players.kept_states import KeptStates
from arena.players.learned_state import EMPTY_DIGEST
from arena.records import Assurance, LeftStates
from arena.roster.entrant import StateLimits
from arena.runs.leagues.folder import League
from arena.tournament.plan import RoundStates

FOLDER = "states"


def check_possible(spec: LeagueSpec, assurance: Assurance) -> None:
    """Check that this machine can give bots their state folders. Raises: SandboxError."""
    if spec.learning and assurance.profile != "none":
        check_state(assurance.profile)


def check_playable(league: League) -> None:
    """Check that the bots can learn here, before a round is played. Raises: SandboxError."""
    if league.spec.learning:
        check_possible(league.spec, league.spec.sandbox.assurance())


def round_states(league: Path, limits: StateLimits | None, events: Iterable[AnyEvent], opened: RoundOpened) -> RoundStates | None:
    """Return what becomes of the states in a round; ``events`` are those before what is played. None: the bots do not learn."""
    if limits is None:
        return None
    return RoundStates(
        folder=str(league.absolute() / FOLDER), limits=limits, starts=learning.starts(events), lessons=learning.lessons(opened)
    )


def check_states(states: RoundStates | None, playing: Iterable[str]) -> None:
    """Read the states with which bots begin a round. Raises: StoreError, naming the first that is missing or was changed."""
    if states:
        kept = KeptStates(Path(states.folder), states.limits)
        for name in playing:
            kept.state(states.starts.get(name, EMPTY_DIGEST))


def prune(league: League, events: Iterable[AnyEvent], left: Iterable[LeftStates]) -> None:
    """Remove the states that nothing needs any more, and those of fixtures that were not stored, as their process was killed.

    ``left``: what is on record of the open round. Raises: StoreError.
    """
    if terms := league.spec.learning:
        open_round = {state for states in left for _, state in states.by_name()}
        KeptStates(league.folder.path / FOLDER, terms).remove_others(learning.needed(events, terms.rounds) | open_round)
