"""A language model plays, is played again from its recording, and is ranked with its cost: as a user does it."""

import hashlib
import re
from pathlib import Path

import pytest
from chat_endpoint import Conversation, Scripted, chat_endpoint
from commands import arena, stored
from matches import SEED, match
from msgspec import json
from msgspec.structs import replace

from arena.gin.rules import Rules
from arena.records import Assurance, Note
from arena.results.models import ModelTable, model_table, text_table
from arena.roster.entrant import Entered
from arena.sdk.model_notes import read_cost
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.seeds import commitment

KEY = "sk-very-secret"


def least_deadwood(conversation: Conversation) -> Scripted:
    """Name the move that leaves least, after a broken, a wrong or an illegal reply to some questions."""
    question = conversation[1]["content"]
    kind = hashlib.sha256(question.encode()).digest()[0] % 6
    if kind == 0:
        return Scripted(body=b"<html>")
    if kind == 1 and len(conversation) == 2:
        return Scripted(text='{"move": "the best one"}')
    legal = re.findall(r"^\d+\. (\S+): .*?(\d*)(?: points of deadwood)?$", question.partition("Moves:\n")[2], re.MULTILINE)
    best = min(legal, key=lambda move: (not move[0].startswith("knock"), move[0] == "take", int(move[1] or 0)))
    return Scripted(text=f'{{"move": "{best[0]}", "why": "least is left"}}')


@pytest.mark.process
def test_a_model_plays_is_ranked_and_plays_the_same_from_its_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    assert arena("bots", "new", "my-bot", "--lang", "llm", "--folder", "bot", folder=tmp_path).returncode == 0
    spec = tmp_path / "bot" / "models.yaml"
    spec.write_text(spec.read_text(encoding="utf-8").replace("hands: 40", "hands: 8"), encoding="utf-8")
    (tmp_path / "bot").chmod(0o777)
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


def test_a_run_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    batch = match(rules=Rules(), hands=3, name="a-b/0/0")
    noted = replace(batch.hands[0], notes=(Note(0, "gpt: 10+2 tokens, 1.0 s, cost 0.500000"),))
    facts = dict.fromkeys(("title", "arena", "python", "platform", "started", "plan"), "x") | {
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
    unheard = replace(once, models=(replace(row, fallbacks=row.decisions),))
    assert "No decision was made by gpt: the notes of `arena replay RUN` say why, after FALLBACK." in text_table(unheard).note
