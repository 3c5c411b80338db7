import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest

from arena.confinement import self_test
from arena.confinement.profiles import PROFILES, Profile, StrictProfile
from arena.confinement.status import LaunchFailedError
from arena.errors import SandboxError
from arena.players import proofs
from arena.players.proofs import Diagnosis, ProfileTest, diagnose
from arena.players.sandboxes import StandardSandbox, StrictSandbox


def result(profile: Profile, state: proofs.State) -> ProfileTest:
    return ProfileTest(profile=profile, state=state, layers="", reason="why")


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
def test_the_exit_code_says_which_sandbox_is_possible(states: tuple[proofs.State, ...], exit_code: int) -> None:
    results = tuple(map(result, PROFILES, states))

    assert Diagnosis(profiles=results, system="", landlock="", user_namespaces="", apparmor="", cgroup="").exit_code == exit_code


def test_a_process_that_may_execute_programs_is_found_to_do_so() -> None:
    targets = self_test.Targets(referee=1, secret="", namespaces=False)

    assert self_test.ATTACKS["executes a program"](targets)


def test_each_profile_is_proved_or_has_a_reason() -> None:
    for test in diagnose().profiles:
        assert test.state == "PROVED" or test.reason, test


def test_the_record_contains_the_proved_profile_with_its_filter(profile: StrictProfile) -> None:
    assurance = StrictSandbox(profile=profile).assurance()

    assert assurance.isolated
    assert assurance.profile == profile
    assert len(assurance.filter) == 64
    assert (assurance.landlock > 0) == (profile != "B")


AS_PROCESS_1 = """
import ctypes, json, os, sys
library = ctypes.CDLL(None, use_errno=True)
root = os.geteuid() == 0
if library.unshare(0x20000000 | 0x20000 | (0 if root else 0x10000000)):
    sys.exit(3)
child = os.fork()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
library.mount(None, b"/", None, ctypes.c_ulong(16384 | 1 << 18), None)
if library.mount(b"proc", b"/proc", b"proc", ctypes.c_ulong(0), None):
    sys.exit(3)
from arena.players.proofs import STRICT, prove
print(json.dumps([os.getpid(), [[prove(profile).state, prove(profile).reason] for profile in STRICT]]))
"""


@pytest.mark.process
def test_the_harness_may_be_process_1_as_in_a_container() -> None:
    ended = subprocess.run([sys.executable, "-c", AS_PROCESS_1], capture_output=True, text=True, check=False)
    if ended.returncode == 3:
        pytest.skip("this machine does not allow a process namespace")
    assert ended.returncode == 0, ended.stderr

    number, results = json.loads(ended.stdout)

    assert number == 1
    assert [result for result in results if result[0] == "HOLES"] == []


def test_strict_refuses_to_start_if_no_profile_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "prove", lambda profile: result(profile, "REFUSED"))

    with pytest.raises(SandboxError, match=r"cannot prove a strict sandbox .A: REFUSED, why; B: REFUSED, why; C: REFUSED, why"):
        StrictSandbox().assurance()


def test_another_system_has_limits_alone_and_seals_no_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    tests = [proofs.prove.__wrapped__(profile) for profile in PROFILES]

    assert [test.state for test in tests] == ["REFUSED", "REFUSED", "REFUSED", "HOLES"]
    assert all(test.unsealed and test.templates for test in tests)
    assert not tests[-1].assurance(StandardSandbox()).sealed
    with pytest.raises(SandboxError, match="cannot seal bots under profile limits"):
        tests[-1].assurance(StandardSandbox(sealed="required"))


def test_a_profile_that_is_refused_seals_no_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_: object) -> NoReturn:
        raise LaunchFailedError("probe", "it ended without output")

    monkeypatch.setattr(proofs, "_run", run)

    test = proofs.prove.__wrapped__("limits")

    assert (test.state, test.unsealed, test.templates) == ("REFUSED", *["probe: it ended without output"] * 2)


def test_the_probe_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    proofs.prove.__wrapped__("A")

    assert list(tmp_path.iterdir()) == []
