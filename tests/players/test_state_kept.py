from pathlib import Path

import pytest

from arena.confinement.state_files import StateEntry
from arena.errors import StoreError
from arena.players.kept_states import EMPTY_DIGEST, KeptStates
from arena.players.state import EMPTY_STATE, pack
from arena.roster.entrant import StateLimits

STATE = pack([StateEntry("weights", b"1 2 3")])


@pytest.fixture
def kept(tmp_path: Path) -> KeptStates:
    return KeptStates(tmp_path / "states", StateLimits())


def test_a_state_is_kept_under_its_digest_for_its_owner_alone(kept: KeptStates, tmp_path: Path) -> None:
    name = kept.keep(STATE)
    assert kept.state(name) == STATE
    assert [path.name for path in (tmp_path / "states").iterdir()] == [name]
    assert (tmp_path / "states").stat().st_mode & 0o077 == 0
    assert (tmp_path / "states" / name).stat().st_mode & 0o077 == 0
    assert kept.keep(STATE) == name


def test_the_empty_state_needs_no_file(kept: KeptStates, tmp_path: Path) -> None:
    assert kept.keep(EMPTY_STATE) == EMPTY_DIGEST
    assert kept.state(EMPTY_DIGEST) == EMPTY_STATE
    assert not (tmp_path / "states").exists()


@pytest.mark.parametrize("content", [None, b"", STATE + b"x", b"x" * (1 << 22)])
def test_a_state_that_is_missing_or_was_changed_is_named(kept: KeptStates, tmp_path: Path, content: bytes | None) -> None:
    name = kept.keep(STATE)
    path = tmp_path / "states" / name
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StoreError, match=name):
        kept.state(name)


def test_states_of_which_nothing_is_on_record_are_removed_and_so_are_drafts(kept: KeptStates, tmp_path: Path) -> None:
    kept.remove_others(())
    name, other = kept.keep(STATE), kept.keep(pack([StateEntry("other", None)]))
    (tmp_path / "states" / f".{other}.77").write_bytes(b"half")
    kept.remove_others({name})
    assert [path.name for path in (tmp_path / "states").iterdir()] == [name]


def test_a_state_that_cannot_be_written_is_one_line(kept: KeptStates, tmp_path: Path) -> None:
    (tmp_path / "states").write_bytes(b"in its way")
    with pytest.raises(StoreError, match="states: cannot be written: File exists"):
        kept.keep(STATE)
