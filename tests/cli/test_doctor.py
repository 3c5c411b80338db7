import io

import typer
from msgspec.json import decode
from rich.console import Console
from typer.testing import CliRunner

from arena.cli.doctor import doctor, show
from arena.players.sandboxes.probe import Diagnosis, Trial, diagnose

app = typer.Typer()
app.command()(doctor)


def test_doctor_says_the_same_in_json_as_by_its_exit_code() -> None:
    told = CliRunner().invoke(app, ["--json"])

    assert decode(told.stdout, type=Diagnosis) == diagnose()
    assert told.exit_code == diagnose().exit_code


def test_doctor_shows_every_profile_with_its_reason() -> None:
    trials = tuple(
        Trial(profile=profile, state="REFUSED", walls="walls", reason="namespaces: [Errno 1] no", advice="do this")
        for profile in ("A", "C")
    )
    text = io.StringIO()

    show(
        Diagnosis(trials=trials, system="Linux", landlock="ABI 7", user_namespaces="", apparmor="", cgroup=""),
        Console(file=text, width=120),
    )

    for expected in ("REFUSED", "namespaces: [Errno 1] no", "do this", "ABI 7", "No sandbox can be had"):
        assert expected in text.getvalue()
