"""A language model as a bot's player: scripted, with wrong, slow, illegal and broken replies."""

import json
from collections.abc import Callable, Iterator
from email.message import Message as Headers
from pathlib import Path

import pytest
from support.hostile.server import answering, dripping
from support.servers.chat_endpoint import ChatEndpoint, Scripted, chat_endpoint, choice, error, in_order

from arena.players.sandboxes import NoSandbox
from arena.roster.entrant import Launch
from arena.sdk.endpoint import settings
from arena.sdk.endpoint_errors import refused
from arena.sdk.llm import LanguageModel, ModelChoice
from arena.sdk.mistakes import BotError
from arena.sdk.model_notes import read_cost
from arena.sdk.named_moves import moves
from arena.sdk.positions import position
from arena.sdk.rule_words import rules_in_words
from arena.sdk.view_words import view_in_words

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
        RIGHT + '; see {"note": 1}',
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
        (Scripted(body=b"", status=401), "HTTP 401 Unauthorized; see ARENA_BOT_KEY"),
        (SLOW[0], "HTTP 503 Service Unavailable; no move within 0.1 s"),
        (Scripted(body=b"", status=302, header=("Location", "http://127.0.0.1:9/")), "HTTP 302 Found; see ARENA_BOT_URL"),
        (error(400, "no such option"), "HTTP 400 Bad Request: no such option; see ARENA_BOT_OPTIONS"),
        (error(401, f"the key {KEY} is wrong"), "the key … is wrong"),
        (Scripted(body=b"<h1>Bad\ngateway</h1>", status=403), "HTTP 403 Forbidden: Bad gateway"),
        (Scripted(body=b'{"detail": [{"loc": ["model"]}]}', status=422), '[{"loc": ["model"]}]'),
        (Scripted(body=b'{"error": "model not found"}'), "error: model not found"),
        (choice({"content": None, "refusal": "I may not play"}), "the model refused: I may not play"),
        (choice({"content": None, "tool_calls": [{"id": "1"}]}), "the model called a tool"),
        (choice({"content": " "}), "the reply is empty"),
        (choice({"content": RIGHT}, "content_filter"), "the endpoint has filtered the reply"),
        (choice({"content": None}, "length"), "the reply was cut at its output limit"),
        (Scripted(text="<think>" + RIGHT, finish="length"), "the reply was cut at its output limit"),
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


@pytest.mark.parametrize(
    "reply",
    [
        Scripted(text="hm"),
        Scripted(text=RIGHT[:20], finish="length"),
        choice({"content": None}),
        choice({"content": None, "refusal": "no"}),
        choice({"content": []}),
        choice({}),
        Scripted(body=b'{"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}'),
        Scripted(body=b'{"choices": null, "usage": {"input_tokens": 100, "output_tokens": 10}}'),
        Scripted(body=b'{"error": {"message": "x", "code": 502}, "usage": {"prompt_tokens": 100, "completion_tokens": 10}}'),
        Scripted(body=b'{"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 110}}'),
    ],
)
def test_the_tokens_of_a_reply_that_cannot_be_used_are_counted(model: Model, endpoint: ChatEndpoint, reply: Scripted) -> None:
    noted = read_cost(ask(model(reply, tokens="220")).note)
    assert noted
    assert (noted.cost.asked, noted.cost.said, len(endpoint.asked)) == (200, 20, 2)
    assert noted.text.endswith("the budget of 220 tokens is used up")


def test_a_content_in_parts_is_read(model: Model) -> None:
    parts = [{"type": "thinking", "thinking": "pass?"}, {"type": "text", "text": RIGHT[:9]}, {"type": "text", "text": RIGHT[9:]}]
    assert ask(model(choice({"content": parts}))).move == LEGAL["knock:Ks"]


def test_a_reply_that_was_cut_is_asked_again_with_the_reason(model: Model, endpoint: ChatEndpoint) -> None:
    assert ask(model(Scripted(text=f"Perhaps {RIGHT}", finish="length"), RIGHT)).move == LEGAL["knock:Ks"]
    assert "was cut at its output limit" in endpoint.asked[1]["messages"][-1]["content"]


@pytest.mark.parametrize("key", ["1", "m", "move", "Ks"])
def test_a_short_key_is_not_cut_out_of_replies(model: Model, key: str) -> None:
    assert ask(model(key=key)).move == LEGAL["knock:Ks"]


def test_a_key_in_a_reply_is_parsed_and_shown_nowhere(model: Model, endpoint: ChatEndpoint, tmp_path: Path) -> None:
    quoting = json.dumps({"move": "knock:Ks", "why": f"as {KEY} says, and X-{KEY}"})
    headers = json.dumps({"X-Team": f"X-{KEY}", "X-Title": "gin rummy"})
    recorded = model(f"what? {KEY}", quoting, headers=headers, seed="one")
    choice = ask(recorded)
    assert choice.move == LEGAL["knock:Ks"]
    assert choice.note.endswith("; as … says, and …")
    assert endpoint.asked[1]["messages"][-2]["content"] == "what? …"
    assert KEY not in (tmp_path / "recorded.jsonl").read_text(encoding="utf-8")
    assert ask(model(recorded=str(tmp_path / "recorded.jsonl"))) == choice


def test_further_headers_are_sent_and_take_the_place_of_the_usual_ones(model: Model, endpoint: ChatEndpoint) -> None:
    ask(model(headers='{"X-Team": "blue", "authorization": "Basic abc"}'))
    (headers,) = endpoint.headers
    assert (headers["x-team"], headers["authorization"], headers["user-agent"]) == ("blue", "Basic abc", "arena")


def test_a_base_may_have_a_query_or_be_the_address_of_the_questions_itself(model: Model, endpoint: ChatEndpoint) -> None:
    for base in (f"{endpoint.url}/?api-version=1", f"{endpoint.url}/chat/completions"):
        ask(model(url=base))
    assert endpoint.paths == ["/v1/chat/completions?api-version=1", "/v1/chat/completions"]


class Clock:
    """A clock that sleeping moves on at once; it stands in for the module ``time`` of the endpoint."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr("arena.sdk.endpoint.time", found)
    return found


DATE = "Wed, 21 Oct 2015 07:28:07 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "4"}, 4.0),
        ({"Retry-After": "0.25"}, 0.25),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": DATE, "Date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 7.0),
        ({"Retry-After": "Wednesday, 21-Oct-15 07:28:07 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 7.0),
        *(({"Retry-After": wrong}, None) for wrong in ("soon", "-1", "0", "nan", "1e9", DATE, "9" * 400, "")),
        ({}, None),
    ],
)
def test_the_time_to_wait_is_read_in_seconds_or_as_a_date(headers: dict[str, str], seconds: float | None) -> None:
    message = Headers()
    for name, text in headers.items():
        message[name] = text
    attempt = refused(429, "Too Many Requests", message, b"")
    assert (attempt.is_busy, attempt.wait) == (True, seconds)


def test_a_busy_endpoint_is_asked_again_when_it_says_and_that_is_no_try(model: Model, endpoint: ChatEndpoint, clock: Clock) -> None:
    busy = [error(429, "slow down", ("Retry-After", "4"))] * 5
    choice = ask(model(*busy, RIGHT, tries="1"))
    assert (choice.move, clock.slept, len(endpoint.asked)) == (LEGAL["knock:Ks"], [4.0] * 5, 6)
    assert read_cost(choice.note)


def test_a_busy_endpoint_that_names_no_time_is_asked_less_and_less_often(model: Model, clock: Clock) -> None:
    choice = ask(model(Scripted(body=b"", status=503), patience="200", seed="a"))
    longest = [1.0, 2.0, 4.0, 8.0, 16.0, *[20.0] * 20]
    assert all(most / 2 <= wait <= most for wait, most in zip(clock.slept, longest, strict=False))
    assert 160 < sum(clock.slept) < 200
    assert choice.final.endswith("HTTP 503 Service Unavailable; no move within 200 s")
    waits = list(clock.slept)
    for seed, same in (("a", True), ("b", False)):
        clock.slept.clear()
        ask(model(Scripted(body=b"", status=503), patience="200", seed=seed))
        assert (clock.slept == waits) is same


def test_an_endpoint_is_not_waited_for_beyond_the_patience(model: Model, endpoint: ChatEndpoint, clock: Clock) -> None:
    choice = ask(model(error(429, "come back tomorrow", ("Retry-After", "86400"))))
    assert (choice.move, clock.slept, len(endpoint.asked)) == (None, [], 1)
    assert "come back tomorrow; it asks to wait 86400 s; no move within 60 s" in choice.final


def test_a_host_that_was_never_reached_is_given_up_soon_and_another_one_within_the_patience(
    model: Model, endpoint: ChatEndpoint, clock: Clock
) -> None:
    choice = ask(model(url="http://127.0.0.1:9/v1"))
    assert sum(clock.slept) < 5
    assert "no reply: Connection refused; no move within 5 s" in choice.final
    clock.slept.clear()
    reached = model()
    ask(reached)
    endpoint.hangs_up = True
    assert "no move within 60 s" in ask(reached).final
    assert sum(clock.slept) > 30


@pytest.mark.parametrize(
    ("reply", "is_final"),
    [
        *((error(status, "x"), True) for status in (400, 401, 402, 403, 404, 405, 413, 422)),
        (error(429, "You exceeded your quota", code="insufficient_quota"), True),
        (error(400, "filtered", code="content_filter"), False),
        (Scripted(body=b'{"error": {"message": "no credit", "code": 402}}'), True),
        (Scripted(body=b'{"error": {"message": "odd"}}'), False),
        (Scripted(text="hm"), False),
        (choice({"content": None}), False),
    ],
)
def test_an_error_that_every_question_would_meet_is_final_and_asked_once(
    model: Model, endpoint: ChatEndpoint, reply: Scripted, *, is_final: bool
) -> None:
    choice = ask(model(reply))
    assert choice.move is None
    assert (choice.final.startswith("gpt-x: "), len(endpoint.asked)) == (is_final, 1 if is_final else 3)


@pytest.mark.process
def test_a_fallback_is_known_by_its_note_also_when_there_is_no_room_for_words(model: Model) -> None:
    asked = model("x" * 100, tries="1")
    notes = [read_cost(ask(asked).note) for _ in range(150)]
    assert all(noted and noted.is_fallback for noted in notes)


def test_a_replay_of_a_resumed_match_has_the_replies_of_its_last_start(model: Model, tmp_path: Path) -> None:
    ask(model("what?", Scripted(body=b"", status=401)))
    after = ask(model())
    again = LanguageModel("my_bot", "one", {"ARENA_BOT_RECORDED": str(tmp_path / "recorded.jsonl")})
    assert ask(again) == after


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


def test_a_long_reply_is_searched_for_all_its_answers(model: Model) -> None:
    chosen = ask(model("so " * 200_000 + RIGHT))
    assert chosen.move == LEGAL["knock:Ks"]
    assert "found several answers" in ask(model('{"move": "3c"}' + " x" * 200_000 + RIGHT, tries="1")).note


@pytest.mark.process
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
        ({"ARENA_BOT_URL": f"http://me:{KEY}@x/v1"}, "ARENA_BOT_URL: expected an address as https://host/v1, without user and"),
        ({"ARENA_BOT_HEADERS": "{"}, "ARENA_BOT_HEADERS: is not JSON"),
        ({"ARENA_BOT_HEADERS": "[]"}, "ARENA_BOT_HEADERS: expected a JSON object"),
        ({"ARENA_BOT_HEADERS": '{"X": 1}'}, "ARENA_BOT_HEADERS: expected names of headers"),
        ({"ARENA_BOT_HEADERS": f'{{"X: y": "{KEY}"}}'}, "ARENA_BOT_HEADERS: expected names of headers"),
        ({"ARENA_BOT_HEADERS": f'{{"X": "{KEY}\\r\\nY: z"}}'}, "ARENA_BOT_HEADERS: expected names of headers"),
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
