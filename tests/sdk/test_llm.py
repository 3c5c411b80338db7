"""A language model as a bot's player: scripted, with wrong, slow, illegal and broken replies."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chat_endpoint import ChatEndpoint, Scripted, chat_endpoint, in_order
from hostile_server import answering, dripping

from arena.players.sandboxes import NoSandbox
from arena.roster.entrant import Launch
from arena.sdk.endpoint import settings
from arena.sdk.llm import SEARCHED, LanguageModel, ModelChoice, read_cost
from arena.sdk.mistakes import BotError
from arena.sdk.positions import position
from arena.sdk.wording import moves, rules_in_words, view_in_words

KEY = "sk-very-secret"
VIEW = position("3c4c5c 7d8d9d 2h2s2d 9c Ks")
LEGAL = moves(VIEW)
RIGHT = '{"move": "knock:Ks", "why": "nine is little"}'
SLOW = (Scripted(body=b"", status=503), Scripted(text=RIGHT, delay=0.15))
Model = Callable[..., LanguageModel]


@pytest.fixture
def endpoint() -> Iterator[ChatEndpoint]:
    with chat_endpoint(in_order(RIGHT)) as found:
        yield found


@pytest.fixture
def model(endpoint: ChatEndpoint, tmp_path: Path) -> Model:
    """Return what makes a model with settings by their short names."""

    def make(*replies: Scripted | str, seed: str = "one", **given: str) -> LanguageModel:
        if replies:
            endpoint.script = in_order(*replies)
        usual = {"url": endpoint.url, "model": "gpt-x", "key": KEY, "record": str(tmp_path / "recorded.jsonl"), "price_in": "10"}
        return LanguageModel("my_bot", seed, {f"ARENA_BOT_{name.upper()}": text for name, text in (usual | given).items()})

    return make


def ask(model: LanguageModel) -> ModelChoice:
    return model.choose(rules_in_words(VIEW.rules), view_in_words(VIEW), LEGAL)


@pytest.mark.parametrize(
    "reply",
    [
        *(RIGHT, '{"move": 12}', '{"move": "12", "why": "{9}"}'),
        f"I think: ```json\n{RIGHT}\n```",
        f"\ud800 {RIGHT}",
        RIGHT + " or {x}",
        'Not {"move": 1}, but ' + RIGHT + '; see {"note": 1}',
        'So: {"move": 12, "why": {"x": "a {b} c"}}',
    ],
)
def test_a_move_is_named_by_its_name_or_its_number(model: Model, reply: str) -> None:
    assert list(LEGAL).index("knock:Ks") == 11
    assert ask(model(reply)).move == LEGAL["knock:Ks"]


def test_it_is_asked_with_the_key_and_the_moves_and_its_words_and_cost_are_noted(model: Model, endpoint: ChatEndpoint) -> None:
    choice = ask(model(options='{"temperature": 0}'))
    (request,) = endpoint.asked
    assert (request["model"], request["temperature"], endpoint.keys) == ("gpt-x", 0, [f"Bearer {KEY}"])
    assert "12. knock:Ks: knock with 9, throwing Ks" in request["messages"][1]["content"]
    noted = read_cost(choice.note)
    assert noted
    assert (noted.model, noted.cost.asked, noted.cost.said, noted.cost.money) == ("gpt-x", 100, 10, 0.001)
    assert noted.text == "nine is little"


def test_a_wrong_reply_is_corrected_and_asked_again(model: Model, endpoint: ChatEndpoint) -> None:
    choice = ask(model("knock!", '{"move": "Qh"}', RIGHT))
    assert choice.move == LEGAL["knock:Ks"]
    *_, wrong, correction = endpoint.asked[2]["messages"]
    assert wrong == {"role": "assistant", "content": '{"move": "Qh"}'}
    assert 'move: found "Qh"; expected a number from 1 to 13 or one of 3c, 4c' in correction["content"]
    assert "expected a JSON object; found 'knock!'" in endpoint.asked[1]["messages"][-1]["content"]
    assert choice.note.startswith("gpt-x: 300+30 tokens, ")


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Scripted(body=b"<html>"), "a reply that is not a chat completion"),
        (Scripted(body=b'{"choices": []}'), "choices[0].message.content is missing"),
        (Scripted(body=b'{"choices": [{"message": {"content": 3}}]}'), "its content is not a text"),
        (Scripted(body=b" " * (1 << 20 | 1)), "more than 1,048,576 bytes"),
        (Scripted(body=b"", status=401), "HTTP 401"),
        (SLOW[0], "no move within 0.1 s"),
        (Scripted(body=b"", status=302, header=("Location", "http://127.0.0.1:9/")), "HTTP 302"),
        (SLOW[1], "no reply: timed out"),
        (f"the key is {KEY}", "the key is …"),
    ],
)
def test_bot_plays_for_a_model_that_is_broken_or_slow(model: Model, tmp_path: Path, reply: Scripted | str, said: str) -> None:
    choice = ask(model(reply, patience="0.1" if reply in SLOW else "60"))
    noted = read_cost(choice.note)
    assert choice.move is None
    assert noted
    assert noted.text.startswith("FALLBACK: ")
    assert said in noted.text
    assert KEY not in choice.note + (tmp_path / "recorded.jsonl").read_text(encoding="utf-8")


def test_a_model_that_drips_its_header_has_no_more_than_the_time_for_a_decision(model: Model) -> None:
    with answering(dripping(b"HTTP/1.1 200 OK\r\nX: ")) as address:
        noted = read_cost(ask(model(url=address, patience="0.3", tries="1")).note)
    assert noted
    assert "no reply: timed out" in noted.text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tokens": "110"}, "the budget of 110 tokens is used up"),
        ({"money": "0.001"}, "the budget of 0.001 is used up"),
        ({"seconds": "0.0000001"}, "the budget of 1e-07 s is used up"),
    ],
)
def test_a_budget_that_is_used_up_is_said_and_the_model_is_not_asked(
    model: Model, endpoint: ChatEndpoint, given: dict[str, str], said: str
) -> None:
    asked = model(**given)
    first, second = ask(asked), ask(asked)
    assert (first.move, second.move, len(endpoint.asked)) == (LEGAL["knock:Ks"], None, 1)
    assert second.note == f"gpt-x: 0+0 tokens, 0.0 s, cost 0.000000; FALLBACK: {said}"


def test_tokens_that_a_reply_does_not_count_are_estimated(model: Model) -> None:
    noted = read_cost(ask(model(Scripted(text=RIGHT, counts=False))).note)
    assert noted
    assert noted.cost.said == -(-len(RIGHT) // 4)
    assert noted.cost.asked > 400


def test_what_was_recorded_is_given_again_without_the_model(model: Model, tmp_path: Path) -> None:
    recorded = model("what?", Scripted(body=b"", status=404), RIGHT, price_out="7", tries="2")
    before = [ask(recorded) for _ in range(2)]
    other = model(seed="two")
    ask(other)
    again = LanguageModel("my_bot", "one", {"ARENA_BOT_RECORDED": str(tmp_path / "recorded.jsonl")})
    assert [ask(again) for _ in range(2)] == before
    assert [bool(one.move) for one in before] == [False, True]
    with pytest.raises(BotError, match="this question was not recorded"):
        ask(again)
    with pytest.raises(BotError, match="has no line of the seed 'three'"):
        LanguageModel("my_bot", "three", {"ARENA_BOT_RECORDED": str(tmp_path / "recorded.jsonl")})


@pytest.mark.parametrize("line", ['{"seed":"\udcff"}', '{"seed":"one","x":' + "[" * 100_000, "{"], ids=["bytes", "nested", "cut"])
def test_a_file_that_is_not_a_recording_is_named(model: Model, tmp_path: Path, line: str) -> None:
    (tmp_path / "old.jsonl").write_text(line, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(BotError, match=r"old\.jsonl: is not a recording"):
        model(recorded=str(tmp_path / "old.jsonl"))


def test_a_long_reply_is_searched_for_a_move_in_its_end(model: Model) -> None:
    chosen = ask(model('{"move": "discard:Ks"}' + " x" * SEARCHED + RIGHT))
    assert chosen.move == LEGAL["knock:Ks"]
    assert "expected a JSON object" in ask(model('{"move": "knock:Ks"}' + " x" * SEARCHED, tries="1")).note


def test_the_words_of_many_decisions_leave_room_for_what_each_one_cost(model: Model) -> None:
    asked = model(json.dumps({"move": 1, "why": "because " * 30}))
    notes = [ask(asked).note for _ in range(100)]
    assert len(notes[0]) == 200
    assert sum(map(len, notes)) < 18_000
    assert all(map(read_cost, notes))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "ARENA_BOT_URL and ARENA_BOT_MODEL are not set"),
        ({"ARENA_BOT_URL": "ftp://x", "ARENA_BOT_MODEL": "m"}, "ARENA_BOT_URL: expected"),
        ({"ARENA_BOT_URL": "http://x:99999/v1"}, "ARENA_BOT_URL: expected"),
        ({"ARENA_BOT_URL": "http://[::1/v1"}, "ARENA_BOT_URL: expected"),
        ({"ARENA_BOT_URL": "http://x/ü"}, "ARENA_BOT_URL: expected"),
        ({"ARENA_BOT_KEY": f"{KEY}\n"}, "ARENA_BOT_KEY: expected"),
        ({"ARENA_BOT_TOKENS": "many"}, "ARENA_BOT_TOKENS: expected"),
        ({"ARENA_BOT_OPTIONS": "[]"}, "expected a JSON object"),
        ({"ARENA_BOT_OPTIONS": "{"}, "is not JSON"),
        ({"ARENA_BOT_OPTIONS": "[" * 100_000}, "is not JSON"),
        ({"ARENA_BOT_PATIENCE": "inf"}, "ARENA_BOT_PATIENCE: expected"),
    ],
)
def test_a_wrong_setting_is_one_line_that_does_not_show_it(given: dict[str, str], said: str) -> None:
    with pytest.raises(BotError) as raised:
        settings("my_bot", given)
    assert said in str(raised.value)
    assert KEY not in str(raised.value)


def test_a_setting_that_names_the_bot_is_for_it_alone() -> None:
    both = {"ARENA_BOT_URL": "http://a/v1", "ARENA_BOT_MODEL": "small", "ARENA_BOT_MODEL_my_bot": "large"}
    assert [settings(bot, both).model for bot in ("my_bot", "other")] == ["large", "small"]


def test_a_bot_without_a_sandbox_gets_the_variables_for_bots_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ARENA_BOT_KEY", "ARENA_TOKEN", "OTHER_KEY"):
        monkeypatch.setenv(name, KEY)
    launch = Launch(command=("x",), folder="/", environment=(("LANG", "C.UTF-8"),))
    given = dict(NoSandbox().wrap(launch).environment)
    assert given | {"PYTHONPATH": ""} == {"LANG": "C.UTF-8", "ARENA_BOT_KEY": KEY, "PYTHONPATH": ""}
