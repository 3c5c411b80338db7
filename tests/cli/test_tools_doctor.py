import io

import pytest
import typer
from msgspec.json import decode
from rich.console import Console
from typer.testing import CliRunner

from arena.cli.docs import kind_of
from arena.cli.doctor import doctor, show
from arena.players.proofs import Diagnosis, ProfileTest, diagnose
from arena.runs.installed import CORE

app = typer.Typer()
app.command()(doctor)


@pytest.mark.process
def test_doctor_says_the_same_in_json_as_by_its_exit_code() -> None:
    message = CliRunner().invoke(app, ["--json"])

    assert decode(message.stdout, type=Diagnosis) == diagnose()
    decode(message.stdout, type=kind_of("doctor"))
    assert message.exit_code == diagnose().exit_code


def test_doctor_names_the_core_in_use() -> None:
    assert decode(CliRunner().invoke(app, ["--json"]).stdout)["core"] == CORE
    assert f"\ncore: {CORE}\n" in CliRunner().invoke(app, []).stdout


def test_doctor_shows_every_profile_with_its_reason() -> None:
    tests = tuple(
        ProfileTest(profile=profile, state="REFUSED", layers="seccomp", reason="namespaces: [Errno 1] no", advice="do this")
        for profile in ("A", "C")
    )
    text = io.StringIO()

    show(
        Diagnosis(profiles=tests, system="Linux", landlock="ABI 7", user_namespaces="", apparmor="", cgroup=""),
        Console(file=text, width=120),
    )

    for expected in ("REFUSED", "namespaces: [Errno 1] no", "do this", "ABI 7", "No sandbox can be had"):
        assert expected in text.getvalue()


def test_doctor_shows_why_templates_are_not_used() -> None:
    test = ProfileTest(profile="A", state="PROVED", layers="seccomp", templates="namespaces: [Errno 28] No space left on device")
    text = io.StringIO()

    show(
        Diagnosis(profiles=(test,), system="Linux", landlock="ABI 7", user_namespaces="", apparmor="", cgroup=""),
        Console(file=text, width=200),
    )

    assert "Python bots start slowly, without templates: namespaces: [Errno 28] No space left on device" in text.getvalue()
