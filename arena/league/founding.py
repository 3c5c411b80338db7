"""Makes a league: its folder, its database and its first season."""

from pathlib import Path

from arena.errors import StoreError
from arena.league.folder import KIND, SPEC, add, write_secret
from arena.league.rules import rounds as seasons
from arena.league.rules import spec
from arena.league.rules.events import SeasonOpened
from arena.league.rules.spec import LeagueSpec
from arena.league.states import check_possible
from arena.moments import now
from arena.records import Assurance
from arena.runs import session
from arena.runs.plans import kinds
from arena.store.folder import Folder
from arena.tournament import seeds


def new(path: Path, spec_file: Path) -> LeagueSpec:
    """Make a league in a new or empty folder, and return its spec. Raises: SpecError, StoreError, SandboxError."""
    wanted = spec.load(spec_file, kinds())
    folder = session.named_folder(path)
    assurance = wanted.sandbox.assurance()
    check_possible(wanted, assurance)
    with session.open_run(folder) as store:
        if store.facts():
            raise StoreError(f"{path}: holds a run already; expected a new or empty folder")
        folder.write(SPEC, wanted.text)
        (folder.path / "bots").mkdir(exist_ok=True)
        with store.deciding():
            opened = open_season(folder, 1, wanted.season.rounds)
            store.begin(_facts(wanted, opened.commitment, assurance), ())
            add(store, opened)
    return wanted


def open_season(folder: Folder, number: int, rounds: int) -> SeasonOpened:
    """Return the event that opens a season. Its secret is stored before, so that the event is never without it."""
    text = seeds.random_seed()
    write_secret(folder, number, text)
    return SeasonOpened(at=now(), season=number, rounds=rounds, commitment=seasons.commit(text, rounds))


def _facts(wanted: LeagueSpec, commitment: str, assurance: Assurance) -> dict[str, str]:
    known = {"kind": KIND, "title": wanted.title, "spec": wanted.text, "commitment": commitment}
    return known | session.circumstances(assurance)
