import tempfile
from pathlib import Path

import pytest

from arena.errors import SandboxError
from arena.players.sandboxes import probe
from arena.players.sandboxes.probe import Diagnosis, Trial, diagnose
from arena.players.sandboxes.strict import Strict
from arena.players.sandboxes.walls import WALLS, Profile, StrictProfile


def trial(profile: Profile, state: probe.State) -> Trial:
    return Trial(profile=profile, state=state, walls="", reason="why")


@pytest.mark.parametrize(
    ("states", "exit_code"),
    [
        (("PROVED", "PROVED", "REFUSED", "HOLES"), 0),
        (("REFUSED", "REFUSED", "PROVED", "HOLES"), 0),
        (("REFUSED", "HOLES", "REFUSED", "HOLES"), 1),
        (("REFUSED", "REFUSED", "REFUSED", "PROVED"), 1),
        (("REFUSED", "REFUSED", "REFUSED", "REFUSED"), 2),
    ],
)
def test_the_exit_code_says_which_sandbox_can_be_had(states: tuple[probe.State, ...], exit_code: int) -> None:
    trials = tuple(map(trial, WALLS, states))

    assert Diagnosis(trials=trials, system="", landlock="", user_namespaces="", apparmor="", cgroup="").exit_code == exit_code


def test_each_profile_is_proved_or_says_why_not() -> None:
    for one in diagnose().trials:
        assert one.state == "PROVED" or one.reason, one


def test_a_profile_that_is_proved_stands_in_the_record_with_its_filter(profile: StrictProfile) -> None:
    assurance = Strict(profile=profile).assurance()

    assert assurance.isolated
    assert assurance.profile == profile
    assert len(assurance.filter) == 64
    assert (assurance.landlock > 0) == (profile != "B")


def test_strict_refuses_to_start_where_nothing_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "tried", lambda profile: trial(profile, "REFUSED"))

    with pytest.raises(SandboxError, match=r"cannot prove a strict sandbox .A: REFUSED, why; B: REFUSED, why; C: REFUSED, why"):
        Strict().assurance()


def test_a_probe_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    probe.tried.__wrapped__("A")

    assert list(tmp_path.iterdir()) == []
