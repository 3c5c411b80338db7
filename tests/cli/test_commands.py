"""One contract for every command, read from the commands themselves; an exception is listed by name, with its reason."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import DecodeError, json
from msgspec.json import schema as json_schema
from support.commands.calls import arena, document
from support.commands.every_command import leaves, prepared, registered

from arena.cli import app
from arena.cli import docs as schema
from arena.cli.built_pages import usage
from arena.cli.commands import PLAYING_INSIDE

NOT_STORED = "nothing is stored, so there is no log"
ONE_HAND = "one process plays one hand after another"
IN_SPEC = "the spec says it, which is kept with the run"
IN_LEAGUE = "the spec of the league says it, for all rounds"
NO_PROGRESS = "there is no line of progress"
FOR_ALL = "it measures the same on every machine"
PLAYS = {  # the commands that play bots, with the options that they do not have
    "run": {"--rules": IN_SPEC, "--time": IN_SPEC, "--sandbox": IN_SPEC},
    "plan": dict.fromkeys(("--rules", "--time", "--sandbox"), IN_SPEC) | {"--log-level": NOT_STORED},
    "match": {"--log-level": NOT_STORED},
    "duel": {},
    "regress": {},
    "race": {},
    "rate": dict.fromkeys(("--rules", "--time"), "that of the scale"),
    "tune": {},
    "exploit": {"--log-level": "its rounds have no log"},
    "diff": {"--log-level": NOT_STORED},
    "debug": {"--workers": ONE_HAND, "--log-level": NOT_STORED},
    "play": {
        "--time": "a person decides how long", "--workers": ONE_HAND, "--quiet": NO_PROGRESS,
        "--log-level": "the folder of the record has the log at its usual level",
    },
    "seat": {
        "--time": "a program decides how long", "--workers": ONE_HAND, "--quiet": NO_PROGRESS,
        "--log-level": "the folder of the record has the log at its usual level",
    },
    "verify": {"--rules": "those of the run", "--time": "that of the run", "--log-level": NOT_STORED},
    "bots check": {"--workers": ONE_HAND, "--log-level": NOT_STORED},
    "join": dict.fromkeys(("--rules", "--time"), "the server's") | {
        "--workers": ONE_HAND, "--quiet": "its games are the outcome", "--log-level": NOT_STORED,
    },
    "league run": dict.fromkeys(("--rules", "--time", "--sandbox"), IN_LEAGUE),
    "league cup": dict.fromkeys(("--rules", "--time", "--sandbox"), IN_LEAGUE),
    "league practice": dict.fromkeys(("--rules", "--time", "--sandbox"), IN_LEAGUE)
    | {"--workers": ONE_HAND, "--log-level": NOT_STORED},
    "league challenge": dict.fromkeys(("--rules", "--time", "--sandbox"), IN_LEAGUE)
    | {"--workers": ONE_HAND, "--quiet": NO_PROGRESS, "--log-level": NOT_STORED},
    "league diff": dict.fromkeys(("--rules", "--time", "--sandbox"), IN_LEAGUE)
    | {"--log-level": NOT_STORED},
    "league debug": dict.fromkeys(("--rules", "--time", "--sandbox"), IN_LEAGUE)
    | {"--workers": ONE_HAND, "--log-level": NOT_STORED},
}  # fmt: skip
SET = ("--rules", "--time", "--sandbox", "--workers", "--quiet", "--log-level")
NO_DOCUMENT = {  # the commands without --json
    "debug": "a hand is shown while it is played",
    "league debug": "a hand is shown while it is played",
    "docs": "a page is Markdown",
    "judge": "it reads and writes JSON lines",
    "join": "the server has the record",
    "invite": "what it prints is the token",
    "close": "`arena report --json` shows the games",
    "play": "a person plays; `arena replay --json` shows the record",
    "seat": "it speaks the protocol of its client",
    **dict.fromkeys(("serve", "tables"), "it serves pages until it is stopped"),
    "schema": "what it prints is JSON Schema",
    "league new": "the exit code says it all",
    "cite": "what it prints is a JSON document",
    "export": "what it writes is the outcome",
    "import": "`arena report --json` shows the run that it makes",
    "league practice": "its folder is a run, of which `arena report --json` shows everything",
    "league export": "what it writes is the outcome, with table.json among it",
}
GROUPS = {"league", "league season", "bots", "strength"}
SHOWS_PROGRESS = {  # or plays bots, so that the option is never refused there
    "bots check",
    "debug",
    "league debug",
    "league diff",
    "league submit",
    "match",
    "plan",
    "run",
    "duel",
    "regress",
    "race",
    "rate",
    "tune",
    "exploit",
    "diff",
    "review",
    "verify",
    "export",
    "import",
    "league cup",
    "league practice",
    "league run",
}


def options(command: str) -> set[str]:
    return {text for param in leaves()[command].params for text in param.opts}


def test_every_command_that_plays_bots_has_the_options_of_play() -> None:
    for command, left in PLAYS.items():
        assert {one for one in SET if one not in options(command)} == left.keys(), command


def test_no_command_that_starts_bots_is_forgotten() -> None:
    # which test or find a bot by the league's spec
    audition = {"league new", "league submit", "league backup", "league reinstate"}
    playing = {name for name, described in app.own_commands().items() if described.plays} | PLAYING_INSIDE
    assert playing | {"verify"} == PLAYS.keys() | audition


def test_every_command_that_shows_something_has_json() -> None:
    assert {command for command in leaves() if "--json" not in options(command)} == NO_DOCUMENT.keys()


def test_every_command_that_shows_progress_has_quiet() -> None:
    assert {command for command in leaves() if "--quiet" in options(command)} == SHOWS_PROGRESS


def test_every_command_that_tests_can_call_is_among_those_that_are_registered() -> None:
    assert leaves().keys() - {"league season close"} <= set(registered())


def test_the_same_word_means_the_same_thing_everywhere() -> None:
    words = {"run_dir": "RUN", "spec": "SPEC", "league": "DIR", "bot": "BOT", "old": "OLD", "new": "NEW", "a": "A", "b": "B"}
    for name, command in leaves().items():
        arguments = [param.name for param in command.params if param.param_type_name == "argument"]
        shown = [piece.strip("[]{}.").upper() for piece in usage(name, command).removeprefix(f"arena {name}").split()]
        assert [words.get(one, text) for one, text in zip(arguments, shown, strict=True)] == shown, name


@pytest.mark.parametrize("name", schema.documents())
def test_every_document_has_a_json_schema_that_names_it(name: str) -> None:
    shown = json.decode(json.encode(json_schema(schema.kind_of(name))))
    found = shown["$defs"][shown["$ref"].rpartition("/")[2]]
    assert found["properties"]["schema"] == {"enum": [f"arena/{name}/1"]}
    assert "schema" in found["required"]


def check(text: str, name: str) -> Any:
    """Return a document, and check that it is one of that name by decoding it as its struct."""
    shown = json.decode(text)
    assert next(iter(shown)) == "schema"
    try:
        json.decode(text, type=schema.kind_of(name))
    except DecodeError as error:
        pytest.fail(f"{name}: {error}")
    return shown


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run and a league."""
    folder = prepared(tmp_path_factory, "contract")
    folder.chmod(0o755)
    return folder


CALLS = [  # each document with a call that prints it
    ("report", "run cup.yaml --results run --json --quiet"),
    ("report", "report run --json"),
    ("verify", "verify run --json --quiet"),
    ("replay-run", "replay run --json"),
    ("replay-fixture", "replay run greedy:cautious/0/0 --json"),
    ("replay-hand", "replay run greedy:cautious/0/0 0.0 --json"),
    ("review", "review run --hands 2 --json --quiet"),
    ("plan", "plan cup.yaml --seconds 0.1 --json"),
    ("match", "match greedy cautious --hands 8 --sandbox none --json"),
    ("duel", "duel greedy cautious --hands 60 --sandbox none --json --quiet --results duel"),
    ("duel", "duel greedy greedy --json --quiet --results same"),
    (
        "regress",
        "regress greedy --against cautious --hands 60 --sandbox none --json -q --results regress",
    ),
    ("diff", "diff greedy cautious --hands 2 --sandbox none --json"),
    ("diff", "diff greedy cautious --hands 2 --sandbox none --explain --quiet --json"),
    ("bots-list", "bots list --json"),
    ("bots-check", "bots check greedy --hands 8 --rules standard --sandbox none --json"),
    ("written", "bots new newcomer --json"),
    ("written", "init start --json"),
    ("plugins-list", "plugins list --json"),
    ("written", "plugins new my-part --kind format --json"),
    ("melds", "melds 3c 4c 5c --json"),
    ("sprt", "strength sprt --pentanomial 10 20 40 25 15 --elo0 0 --elo1 5 --json"),
    ("ratings", "strength ratings counts.json --json"),
    ("league-table", "league table friday --json"),
    ("league-bot", "league show friday greedy --json"),
    ("league-run", "league run friday --matches 2 --workers 1 --quiet --json"),
    ("league-challenge", "league challenge friday greedy cautious --json"),
    ("league-token", "league token friday ann --json"),
    ("league-tokens", "league tokens friday --json"),
    ("league-token", "league token friday ann --revoke --json"),
    ("league-version", "league retire friday greedy --json"),
    ("league-version", "league reinstate friday greedy --json"),
    ("league-season", "league season close friday --json"),
    ("league-version", "league withdraw friday greedy --json"),
    ("league-backup", "league backup friday friday-backup --json"),
]


@pytest.mark.process
def test_what_commands_print_with_json_is_as_the_schemas_say(place: Path) -> None:
    for name, line in CALLS:
        done = arena(*line.split(), folder=place)
        assert done.returncode in (0, 1, 4, 5), (line, done)
        assert "results in" not in done.stderr, line
        check(done.stdout, name)
    submitted = arena(*["league", "submit", "friday", "greedy", "--author", "ann", "--json"], folder=place)
    for text in submitted.stdout.splitlines():
        check(text, "submission")


@pytest.mark.process
def test_a_seat_that_looks_at_a_hand_in_json_sees_no_card_of_the_other(place: Path) -> None:
    whole = document("replay", "run", "greedy:cautious/0/0", "0.0", "--json", folder=place)
    seen = document("replay", "run", "greedy:cautious/0/0", "0.0", "--seat", "1", "--json", folder=place)
    assert [len(cards) for cards in whole["cards"]] == [10, 10]
    assert (seen["cards"][0], seen["cards"][1]) == ([], whole["cards"][1])
    for turn, both in zip(seen["turns"], whole["turns"], strict=True):
        assert len(turn["cards"][0]) + turn["unseen"][0] == len(both["cards"][0])
        assert turn["seat"] == 1 or turn["drawn"] in (None, *turn["cards"][0]), "a card from the discard pile is seen by both"


def test_schema_lists_the_documents_and_shows_one() -> None:
    assert arena("schema").stdout.split() == list(schema.documents())
    assert "arena/duel/1" in arena("schema", "duel").stdout
    assert arena("schema", "dual").stderr.startswith("arena: NAME: found 'dual'; did you mean 'duel'?")
