"""Every command that a page shows runs, block by block, from an installed wheel, as an ordinary user.

A page's blocks run in their order in one folder, which has the files that pages say to save. What a block leaves running, such as a
server, ends with the block. Numbers that only say how long something lasts, and how much is played, are smaller here, and addresses
are this machine's.
"""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec import Struct
from support.repository.distributions import install
from support.repository.installing import Place, built, environment, give, installed, own_folder, public_python
from support.repository.pages import Block, blocks, is_here, pages
from support.servers.serving import free_port

CLONE = "it is for a clone, where .ci/run runs it"
CONTAINER = "it needs podman and images from a registry; the page says how it was tried"
AUTOGRADER = "it stands in an image of Gradescope; tests of `bots check --gradescope` run its command"
TWO_MACHINES = "it needs two machines; tests/extras/remote/test_client.py plays on one"
PLAYERS = "it needs players that are fetched, and hours"
TORCH = "it needs PyTorch; tests/cli/test_new_pettingzoo.py exports weights where it is installed"
MODEL = "it needs a model; tests/extras/models/test_table.py plays it with a scripted one"
ELSEWHERE = {  # blocks that are marked so in their page, by page and first words
    ("README.md", "python3 -m venv .venv && .venv/bin/pip install -q -e '.[web]'"): CLONE,
    ("README.md", "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]'"): CLONE,
    (".github/CONTRIBUTING.md", "python3 -m venv .venv"): CLONE,
    (".github/CONTRIBUTING.md", "ruff check ."): CLONE,
    ("arena/extras/cluster/CLUSTER.md", "podman build"): CONTAINER,
    ("arena/extras/models/MODELS.md", "arena bots new my-bot --lang llm"): MODEL,
    ("arena/runs/templates/llm/README.md", "export ARENA_BOT_URL"): MODEL,
    ("arena/runs/templates/llm/README.md", "arena run models.yaml"): MODEL,
    ("arena/runs/templates/pettingzoo/README.md", "python train.py"): TORCH,
    ("arena/league/README.md", "#!/usr/bin/env bash\n/opt/arena"): AUTOGRADER,
    ("arena/extras/remote/REMOTE.md", "arena tables games"): TWO_MACHINES,
    ("arena/extras/remote/REMOTE.md", "arena join"): TWO_MACHINES,
    ("arena/web/HOSTING.md", "python3 -m pip wheel"): CONTAINER,
    ("tests/studies/FIELD.md", "python tests/studies/public_field.py"): PLAYERS,
}
SCHEDULED = re.compile(r"^(?:\*/15 \* \* \* \*  |ExecStart=)(.*)$", re.MULTILINE)  # in a table of cron, or a unit of systemd
FENCE = re.compile(r"^ *```.*$", re.MULTILINE)
COMMAND = re.compile(r"^ *(?:\$ .*|(?:arena|cc|curl|dask|git|make|openssl|pip|podman|python3?|uv) .*)$", re.MULTILINE)
PLAYED = re.compile(
    r"^(arena (?:bots check|match) (?:(?! --hands)[^#\n])*?)(?= *(?:#|$))", re.MULTILINE
)  # as many hands as by default
ALL_FILES = {block.file: block.text for language in ("python", "yaml") for block in blocks(language) if block.file}

# ``background READY COMMAND`` starts what does not end by itself, and waits until it writes READY
PRELUDE = """
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
background() {
    local ready="$1" log
    shift
    log=$(mktemp)
    "$@" >"$log" 2>&1 &
    until grep -q "$ready" "$log"; do kill -0 $! || { cat "$log"; exit 1; }; sleep 0.2; done
}
"""
NOT_ENDING = {
    "dask scheduler": "Scheduler at:",
    "dask worker": "Registered to:",
    "exec dask worker": "Registered to:",
    "arena serve": "; Ctrl-C ends it",
    "arena tables": "; Ctrl-C ends it",
}

WEAK = """
from arena.sdk import Bot, View, deadwood, each


class Mine(Bot):
    def throws(self, view: View) -> int:
        return max(each(view.may_discard), key=lambda card: deadwood(view.without(card)))
"""
REPOSITORY = """
git init -q -b main . && git config user.name author && git config user.email author@example.org
mkdir release && cp weak.py release/mine.py && mv mine.py good.py && cp weak.py mine.py
git add mine.py && git commit -qm release && git tag v1.0 && git update-ref refs/remotes/origin/main main
cp good.py mine.py && git commit -qam better
"""
WORSE = """
git tag -f v1.0 >/dev/null
echo '# a remark' >>mine.py && git commit -qam remark && cp weak.py mine.py && git commit -qam worse
"""


class PageSetting(Struct, frozen=True):
    """What the commands of a page assume."""

    first: str = ""  # commands, before the first block
    before: Mapping[str, str] = {}  # commands before a block, in the same shell, by words of the block
    folder: str = "."  # in which the blocks run
    instead: Mapping[str, str] = {}  # words that are replaced
    programs: tuple[str, ...] = ()
    extras: str = ""  # for an environment of its own, where more may be installed; empty: the one that tests share


PROGRAMS = "/usr/local/bin:/usr/bin:/bin"
PORT = "{port}"  # at which nobody listens
SERVER = f"TOKEN=$(arena league token friday ann)\nbackground 'Ctrl-C ends it' arena serve friday --submit --port {PORT}\n"
SCHEDULER = f"background 'Scheduler at:' dask scheduler --host 127.0.0.1 --port {PORT} --no-dashboard\n"
NO_DASHBOARD = {"dask scheduler ": "dask scheduler --no-dashboard ", "dask worker ": "dask worker --no-dashboard "}
SETTINGS = {
    "README.md": PageSetting(),
    "arena/compare/README.md": PageSetting(
        first=REPOSITORY + "echo 'verdict: 100' >few.yaml",
        before={"git bisect": WORSE},
        instead={
            "duel card-counter greedy": "duel card-counter greedy --hands 100",
            "arena regress ": "arena regress --within 4 ",
            "card-counter --hands 4000": "card-counter --hands 100",
            "rate card-counter --hands 2000": "rate cautious --hands 1000",  # which plays faster
            "--hands 40000": "--hands 1000 --spec few.yaml --sandbox none",
            "--stop-after 10": "--stop-after 0.01 --fresh 100",
        },
        programs=("git",),
    ),
    "arena/results/DATA.md": PageSetting(
        first="arena init . && arena run league.yaml --results results/quickstart-2026-01-31", extras="data"
    ),
    "arena/league/README.md": PageSetting(instead={"--for 10m": "--for 10s"}),
    "arena/plugins/README.md": PageSetting(),
    "arena/runs/templates/python/README.md": PageSetting(first="arena bots new my-bot", folder="my-bot", extras="web"),
    "arena/runs/templates/numpy/README.md": PageSetting(
        first="arena bots new my-bot --lang numpy",
        folder="my-bot",
        instead={"train.py": "train.py --generations 1 --deals 2", "MyBot greedy": "MyBot greedy --hands 100"},
    ),
    "arena/runs/templates/pettingzoo/README.md": PageSetting(
        first="arena bots new my-bot --lang pettingzoo", folder="my-bot", instead={"MyBot greedy": "MyBot greedy --hands 20"}
    ),
    "arena/runs/templates/rlcard/README.md": PageSetting(
        first="arena bots new my-bot --lang rlcard", folder="my-bot", extras="rlcard"
    ),
    "arena/runs/templates/openspiel/README.md": PageSetting(
        first="arena bots new my-bot --lang openspiel", folder="my-bot", extras="openspiel"
    ),
    "arena/sdk/README.md": PageSetting(instead={"--hands 2000": "--hands 20"}),  # test_docs.py plays as many, and reads the result
    "arena/extras/importer/IMPORT.md": PageSetting(
        first="arena init . && arena run league.yaml --results results/quickstart-2026-01-31"
    ),
    "arena/extras/cluster/CLUSTER.md": PageSetting(
        first="arena init . && sed -i 's/^rules: .*/rules: {target: 10, best_of: 1}/' league.yaml",
        before={
            "openssl req -x509": "export DASK_CONFIG=$PWD/tls.yaml\n",
            "#SBATCH": f"{SCHEDULER}SCHEDULER=tcp://127.0.0.1:{PORT} SLURM_CPUS_PER_TASK=1\n",
        },
        instead={**NO_DASHBOARD, "10.0.0.1": "127.0.0.1", ":8786": f":{PORT}", "--port 8786": f"--port {PORT}"},
        programs=("openssl",),
    ),
    "arena/train/README.md": PageSetting(
        instead={"train.py": "train.py --generations 1 --deals 2", "sly_fox.py greedy": "sly_fox.py greedy --hands 100"}
    ),
    "arena/web/HOSTING.md": PageSetting(
        before={"curl": SERVER},
        instead={
            "arena serve friday": f"arena serve friday --port {PORT}",
            "https://club.example.org/api": f"http://127.0.0.1:{PORT}/api",
            "--for 14m": "--for 10s",
            "/srv/arena/venv/bin/": "",
            "/srv/arena": ".",
            "venv/bin/": "",
        },
        programs=("curl",),
    ),
    "bots/awk_counter/README.md": PageSetting(first="arena bots new my-bot --lang awk", folder="my-bot", programs=("awk",)),
    "bots/c_counter/README.md": PageSetting(first="arena bots new my-bot --lang c", folder="my-bot", programs=("make", "cc")),
    "bots/guests/README.md": PageSetting(
        first="python -c 'import rlcard.models'",
        instead={"--hands 1000": "--hands 20", " --from MARJJ_v5.java": ""},
        programs=("make", "javac", "jlink"),
        extras="openspiel,rlcard",
    ),
    "bots/node_counter/README.md": PageSetting(first="arena bots new my-bot --lang node", folder="my-bot", programs=("node",)),
    "bots/rust_counter/README.md": PageSetting(
        first="arena bots new my-bot --lang rust", folder="my-bot", programs=("make", "cargo")
    ),
}

DAILY = {  # of the other pages test_docs.py checks that every command has its options, and other tests run such commands
    "README.md",
    "arena/league/README.md",
    "arena/plugins/README.md",
    "arena/sdk/README.md",
}


def commands(page: str) -> list[Block]:
    """Return the blocks of commands of a page, those that a machine starts by itself too."""
    every = (block for language in ("sh", "text", "ini") for block in blocks(language))
    mine = [block for block in every if block.page == page and (block.language == "sh" or SCHEDULED.search(block.text))]
    return sorted((block for block in mine if not block.elsewhere), key=lambda block: block.number)


def test_every_page_with_commands_has_its_setting_and_every_block_that_runs_elsewhere_its_reason() -> None:
    shown = blocks("sh")
    assert {block.page for block in shown if not block.elsewhere} == set(filter(is_here, SETTINGS))
    marked = [block for block in shown if block.elsewhere]
    expected = [(page, begins) for page, begins in ELSEWHERE if is_here(page)]
    assert len(marked) == len(expected)
    for page, begins in expected:
        assert [block for block in marked if block.page == page and block.text.startswith(begins)]


def test_every_block_says_its_language_and_commands_stand_in_blocks_of_a_shell() -> None:
    for page in pages():
        fences = FENCE.findall(page.read_text(encoding="utf-8"))
        assert [fence for fence in fences[::2] if fence.strip() == "```"] == [], page
        assert {fence.strip() for fence in fences[1::2]} <= {"```"}, page
    assert [command for block in blocks("text") for command in COMMAND.findall(block.text)] == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=() if page in DAILY else pytest.mark.nightly) for page in SETTINGS if is_here(page)]
)
def test_the_commands_of_a_page_run(page: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    setting = SETTINGS[page]
    if absent := [name for name in setting.programs if not shutil.which(name, path=PROGRAMS)]:
        pytest.skip(f"{', '.join(absent)}: not installed")
    place = Place(environment_for(setting, tmp_path, tmp_path_factory), own_folder(own_folder(tmp_path)))
    write_files(page, place.folder)
    port = str(free_port())
    run(place, setting.first, port)
    for block in commands(page):
        run(place, script(block, setting), port)


def environment_for(setting: PageSetting, folder: Path, factory: pytest.TempPathFactory) -> Path:
    """Return an environment in which a page's commands run."""
    if not setting.extras:
        return installed(factory, "wheel")
    wanted = f"{built(factory).wheel}[{setting.extras}]"
    try:
        scripts = environment(folder / "venv", wanted, "pytest", python=public_python())
    except AssertionError as error:
        pytest.skip(f"{setting.extras}: cannot be installed here: {str(error).splitlines()[-1]}")
    give(folder / "venv")
    return scripts


def write_files(page: str, folder: Path) -> None:
    """Write what pages say to save, this page's last, and the folder in which its examples are installed."""
    own = {block.file: block.text for kind in ("python", "yaml") for block in blocks(kind) if block.page == page and block.file}
    for name, text in {**ALL_FILES, "weak.py": WEAK, **own}.items():
        (folder / name).write_text(text, encoding="utf-8")
    if page == "arena/plugins/README.md":
        (points,) = (block.text for block in blocks("toml") if block.page == page)
        install(folder / "site", "arena-challenge", own, points.replace("[project.entry-points.arena]", "[arena]").replace('"', ""))
        (spec,) = (block.text for block in blocks("yaml") if block.page == page)
        (folder / "league.yaml").write_text(spec, encoding="utf-8")
    if page == "arena/extras/cluster/CLUSTER.md":
        (tls,) = (block.text for block in blocks("yaml") if block.page == page)
        (folder / "tls.yaml").write_text(tls.replace("/etc/arena", str(folder)), encoding="utf-8")
    give(folder)


def script(block: Block, setting: PageSetting) -> str:
    """Return the commands of a block, as they run here."""
    text = block.text if block.language == "sh" else "\n".join(SCHEDULED.findall(block.text))
    for shown, used in setting.instead.items():
        text = text.replace(shown, used)
    text = PLAYED.sub(r"\1 --hands 20", text)
    first = "".join(commands for words, commands in setting.before.items() if words in block.text)
    return f"cd {setting.folder}\n{first}" + "\n".join(map(in_background, text.splitlines()))


def in_background(line: str) -> str:
    """Return a line that starts what does not end by itself as one that waits until it is ready."""
    ready = next((text for begins, text in NOT_ENDING.items() if line.startswith(begins)), "")
    return f"background '{ready}' {line.removeprefix('exec ')}" if ready else line


def run(place: Place, text: str, port: str) -> str:
    """Run commands of a shell, and return their output."""
    path = f"{place.scripts}:{PROGRAMS}"
    variables = {"PATH": path, "PYTHONPATH": str(place.folder / "site"), "GIT_CONFIG_NOSYSTEM": "1"}
    found = shutil.which("bash") or "bash"
    return place.run(found, "-euo", "pipefail", "-c", PRELUDE + text.replace(PORT, port), variables=variables)
