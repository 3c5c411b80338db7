"""A language model plays, is played again from its recording, and is ranked with its cost: as a user does it."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import json
from msgspec.structs import replace
from support.commands.calls import arena
from support.commands.runs import stored
from support.matches.in_process import PLAN, SEED, match
from support.servers.chat_endpoint import ChatEndpoint, Conversation, Scripted, chat_endpoint, error

from arena.extras.models.table import ModelTable, model_table, text_table
from arena.gin.rules import Rules
from arena.records import Assurance, Note
from arena.roster.entrant import Entered
from arena.sdk.model_notes import read_cost
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.seeds import commitment

KEY = "sk-very-secret"


def least_deadwood(conversation: Conversation) -> Scripted:
    """Name the move that leaves least, after a broken, a wrong or an illegal reply to some questions."""
    question = conversation[1]["content"]
    kind = hashlib.sha256(question.encode()).digest()[0] % 40
    if kind == 0:
        return Scripted(body=b"<html>")
    if kind < 8 and len(conversation) == 2:
        return Scripted(text='{"move": "the best one"}')
    legal = re.findall(r"^\d+\. (\S+): .*?(\d*)(?: points of deadwood)?$", question.partition("Moves:\n")[2], re.MULTILINE)
    best = min(legal, key=lambda move: (not move[0].startswith("knock"), move[0] == "take", int(move[1] or 0)))
    return Scripted(text=f'{{"move": "{best[0]}", "why": "least is left"}}')


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """Write the bot, with a spec of four hands, into a folder."""
    tmp_path.chmod(0o755)
    assert arena("bots", "new", "my-bot", "--lang", "llm", "--folder", "bot", folder=tmp_path).returncode == 0
    spec = tmp_path / "bot" / "models.yaml"
    spec.write_text(spec.read_text(encoding="utf-8").replace("hands: 40", "hands: 4"), encoding="utf-8")
    (tmp_path / "bot").chmod(0o777)
    return tmp_path / "bot"


Use = Callable[..., None]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Use:
    """Return what has bots ask an endpoint, with other settings by their short names."""

    def set_variables(endpoint: ChatEndpoint, **given: str) -> None:
        for name, text in {"url": endpoint.url, "model": "gpt-x", **given}.items():
            monkeypatch.setenv(f"ARENA_BOT_{name.upper()}", text)

    return set_variables


@pytest.mark.process
def test_a_model_plays_is_ranked_and_plays_the_same_from_its_recording(
    bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = bot / "models.yaml"
    spec.write_text(spec.read_text(encoding="utf-8").replace("hands: 4", "hands: 8"), encoding="utf-8")
    usual = ("run", spec, "--seed", "a model", "--workers", "2", "--quiet")
    with chat_endpoint(least_deadwood) as endpoint:
        given = {"URL": endpoint.url, "MODEL": "gpt-x", "MODEL_other": "gpt-y", "KEY": KEY, "PRICE_IN": "1", "PRICE_OUT": "10"}
        for name, text in given.items():
            monkeypatch.setenv(f"ARENA_BOT_{name}", text)
        ended = arena(*usual, "--results", tmp_path / "played")
    monkeypatch.undo()
    assert ended.returncode == 0, ended.stderr
    assert set(endpoint.keys) == {f"Bearer {KEY}"}

    records = stored(tmp_path / "played")
    notes = [note.text for record in records.values() for hand in record.hands for note in hand.notes]
    assert not [fault for record in records.values() for fault in record.faults]
    assert all(map(read_cost, notes))
    assert {"least is left", "FALLBACK: a reply that is not a chat completion: Expecting value: line 1 column 1 (char 0)"} <= {
        noted.text for noted in map(read_cost, notes) if noted
    }

    again = arena(*usual, "--results", tmp_path / "again", ARENA_BOT_RECORDED="recorded.jsonl")
    assert again.returncode == 0, again.stderr
    assert stored(tmp_path / "again") == records
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]

    ranked = arena("models", "played", "again", folder=tmp_path)
    assert re.search(r"1 my-bot +gpt-x +greedy +16", ranked.stdout), ranked.stdout + ranked.stderr
    first = json.decode(arena("models", "played", "--json", folder=tmp_path).stdout, type=ModelTable).models[0]
    assert (first.hands, first.noted_hands) == (8, 8)
    assert 0 < first.fallbacks < first.decisions
    assert round(first.money, 6) == round(sum(one.cost.money for one in map(read_cost, notes) if one) / 8, 6)
    assert arena("verify", "played", folder=tmp_path).returncode == 0


@pytest.mark.process
def test_a_run_whose_model_is_refused_ends_with_the_reason_and_is_resumed_by_the_same_command(bot: Path, use: Use) -> None:
    played = bot.parent / "played"
    run = ("run", bot / "models.yaml", "--results", played, "--quiet", "--workers", "1", "--seed", "a model")
    wrong = error(401, "wrong key")
    with chat_endpoint(lambda _: wrong if len(endpoint.asked) > 60 else least_deadwood(endpoint.asked[-1]["messages"])) as endpoint:
        use(endpoint, key=KEY)
        ended = arena(*run)
    assert ended.returncode == 2
    line = ended.stderr.splitlines()[-1]
    assert "a bot cannot play: gpt-x: HTTP 401 Unauthorized: wrong key; see ARENA_BOT_KEY; 1 match is stored in" in line
    assert line.endswith("; the same command resumes the run")
    before = stored(played)
    assert len(before) == 1

    with chat_endpoint(least_deadwood) as endpoint:
        use(endpoint)
        assert arena(*run).returncode == 0
    after = stored(played)
    assert (len(after), {name: after[name] for name in before}) == (2, before)
    assert arena("verify", played).returncode == 0
    again = arena(*run[:3], bot.parent / "again", "--quiet", "--seed", seed_of(played), ARENA_BOT_RECORDED="recorded.jsonl")
    assert again.returncode == 0, again.stderr
    assert stored(bot.parent / "again") == after, "the replies to the match that was broken off are not mixed with the later ones"


def seed_of(results: Path) -> str:
    with Store(results / "arena.sqlite") as store:
        return store.fact("seed")


@pytest.mark.process
def test_a_run_without_a_decision_of_the_model_has_no_verdict(bot: Path, use: Use) -> None:
    played = bot.parent / "played"
    with chat_endpoint(lambda _: Scripted(text="I pass on that.")) as endpoint:
        use(endpoint, tries="1")
        ended = arena("run", bot / "models.yaml", "--results", played, "--quiet")
    assert ended.returncode == 0
    for text in (ended.stdout, (played / "report.md").read_text(encoding="utf-8")):
        words = " ".join(text.split())
        assert "No verdict: a model made fewer than 95 % of the decisions of my-bot. Fallbacks, which the model did not" in words
    ranked = arena("models", played)
    assert re.search(r"^ – my-bot +gpt-x", ranked.stdout, re.MULTILINE)
    assert "No rank, because the model made fewer than 95 % of the decisions: my-bot with gpt-x" in " ".join(ranked.stdout.split())
    cited = json.decode(arena("cite", played).stdout)
    assert (cited["outcome"]["verdict"], cited["summary"][:11]) == ("undecided", "No verdict:")
    assert "decisions of my-bot" in cited["outcome"]["void"]


@pytest.mark.process
def test_a_comparison_without_a_decision_of_the_model_is_undecided_and_cannot_be_continued(bot: Path, use: Use) -> None:
    target, limits = f"{bot}/my_bot.py:MyBot", ("--sandbox", "none", "--time", "{stall: 90, wall: 180}", "--hands", "4", "--quiet")
    duel = ("duel", target, "greedy", *limits, "--results", bot.parent / "duel")
    with chat_endpoint(lambda _: Scripted(text="I pass on that.")) as endpoint:
        use(endpoint, tries="1")
        decided = json.decode(arena(*duel, "--json").stdout)
        asked = len(endpoint.asked)
        continued = arena(*duel, "--continue")
        assert len(endpoint.asked) == asked
        tested = arena("regress", target, "--against", "random-legal", *limits, "--results", bot.parent / "regress")
        matched = arena("match", target, "greedy", *limits[:-1])
    reason = "a model made fewer than 95 % of the decisions of MyBot"
    assert (decided["verdict"], decided["void"]) == ("undecided", reason)
    assert continued.returncode == 2
    assert f"{reason}, so it cannot be continued" in continued.stderr
    assert tested.returncode == 5, tested.stderr
    assert "decisions differ" not in tested.stderr
    assert f"MyBot against greedy: no comparison, because {reason}" in matched.stdout
    assert len(endpoint.asked) < 1000, "the decisions that differ are not counted"


@pytest.mark.process
def test_a_check_asks_a_model_only_if_that_is_agreed_to(bot: Path, use: Use) -> None:
    check = ("bots", "check", f"{bot}/my_bot.py:MyBot", "--sandbox", "none", "--hands", "8", "--rules", "standard")
    with chat_endpoint(least_deadwood) as endpoint:
        use(endpoint)
        refused = arena(*check)
        assert (refused.returncode, endpoint.asked) == (2, [])
        assert "the bot asks gpt-x about 120 times in 8 hands, for about 66,000 tokens; expected --yes" in refused.stderr
        passed = arena(*check, "--yes")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert passed.stdout.count("not tested: a language model may answer otherwise") == 2
    assert endpoint.asked


def test_a_run_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    batch = match(rules=Rules(), hands=3, name="a-b/0/0")
    noted = replace(batch.hands[0], notes=(Note(0, "gpt: 10+2 tokens, 1.0 s, cost 0.500000"),))
    facts = dict.fromkeys(("title", "arena", "python", "platform", "started"), "x") | {
        "plan": PLAN,
        "seed": SEED,
        "commitment": commitment(SEED),
        "spec": "{title: Cup, bots: [a, b]}",
        "walls": json.encode(Assurance(isolated=False, profile="none")).decode(),
    }
    with Store(tmp_path / "arena.sqlite", write=True) as store:
        store.begin(facts, [Entered(name, "1", name, "1" * 64) for name in "ab"])
        store.add(replace(batch, hands=(noted, *batch.hands[1:])))
    once = model_table([Folder(tmp_path)])
    assert "FALLBACK" not in text_table(once).note
    assert (once.models[0].hands, once.models[0].money) == (3, 0.5)
    assert model_table([Folder(tmp_path), Folder(tmp_path / ".." / tmp_path.name)]) == once
    (row,) = once.models
    free = text_table(replace(once, models=(replace(row, money=0.0),)))
    assert not any("0.000000" in text for text in (*free.rows[0], free.note)), "no price is known"
    unheard = replace(once, models=(replace(row, fallbacks=row.decisions),))
    assert "No decision was made by gpt: the notes of `arena replay RUN` say why, after FALLBACK." in text_table(unheard).note
