"""``arena play --web``: a match is played to its end by clicks, following every hint; and states of the page, one by one."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from support.browser.driver import Browser
from support.browser.table_page import at_turn, open_table, say, turn
from support.commands.calls import arena
from support.commands.runs import stored
from support.hands.builders import FIRST, dealt, holding, played
from support.servers.serving import ask, started

from arena.gin.cards import names
from arena.gin.facts import GameScore
from arena.gin.match import Hand
from arena.gin.rules import Rules
from arena.gin.rulesets import Hollywood, Oklahoma, Straight
from arena.gin.seeing import disclose, see
from arena.human.advice import Hint, RankedMove
from arena.review.summary import DecisionPrice, Place, ReviewedHand
from arena.sdk.named_moves import moves
from arena.web.person import Clock, SentMove, WebPlayer
from arena.web.table_states import hand_over_shown, hint_shown, turn_shown, wait_shown


def play(browser: Browser, state: str = "") -> str:
    """Play a match to the state in which it is saved."""
    while not (state := turn(browser, state)).endswith("match_saved"):
        pass
    return state


@pytest.mark.process
def test_a_match_can_be_played_to_its_end_by_clicks_seen_again_and_repeated(browser: Browser, tmp_path: Path) -> None:
    results, again = tmp_path / "match", tmp_path / "match-2"
    browser.look(calm=True)
    options = ("--target", 10, "--best-of", 1, "--seed", "abc")
    with started("play", "greedy", "--web", *options, "--results", results) as (_, at):
        browser.open(at)
        state = play(browser)
        assert "the match" in browser.text("#status")
        replay = browser.run("return document.querySelector('#replay').href")
        browser.open(replay)
        assert browser.text("h1:not(#report *)") == "Match: you:greedy/0"
        browser.open(at)
        browser.click("#rematch")
        browser.wait(lambda: browser.run("return document.body.dataset.state || ''") not in ("", state) and browser.texts("#mine"))
        browser.open("about:blank")
    (record,) = stored(results).values()
    assert record.fixture.seats == ("you", "greedy")
    assert record.faults == ()
    assert arena("verify", results).stdout.endswith(f"\n{len(record.hands)} hands, 0 differences\n")
    assert (results / "report.html").is_file()
    assert stored(again) == {}  # it was stopped


@pytest.mark.parametrize(("move", "chosen"), [("play:cautious", "cautious"), ("done", None), ("leave", None)])
def test_after_a_match_the_same_another_or_no_bot_is_played(move: str, chosen: str | None) -> None:
    shown: list[dict[str, Any]] = []
    person = WebPlayer("greedy", shown.append)
    person.match_over(won=True, games=(1, 0))
    person.offer("folder", "report", ["greedy", "cautious"])
    person.receive(SentMove(2, "play:nobody"))
    person.receive(SentMove(2, move))
    assert person.choose_opponent(["greedy", "cautious"]) == chosen
    assert [state["kind"] for state in shown] == ["match_over", "match_saved"]


def test_a_server_that_stops_asks_nobody_for_another_match() -> None:
    person = WebPlayer("greedy", lambda _: None)
    person.receive(None)
    assert person.choose(see(THROW, FIRST)) is None
    assert person.choose_opponent(["greedy"]) is None


DEAL = dealt("3c4c5c 7d7h7s JhQhKh Ac", "6c8c9d Qc 2d4d9s Ts5h3h", "Kd", "2s8d")
DOUBLED, HOLLYWOOD = Oklahoma(double="spades"), Hollywood()
THROW = holding("3c4c5c 7d7h7s JhQh 2s9d Kd", drawn="Kd")
PLACES = "return [...document.querySelectorAll('#mine .card')].map((one) => Math.round(one.getBoundingClientRect().top))"
RANKS = (
    "return Object.fromEntries([...document.querySelectorAll('[data-rank]')].map((one) => [one.dataset.card, one.dataset.rank]))"
)
MINE = "#mine .card"


def cards(browser: Browser) -> list[str]:
    found: list[str] = browser.run("return [...document.querySelectorAll('#mine .card')].map((one) => one.dataset.card)")
    return found


@pytest.mark.process
def test_only_a_throw_that_breaks_a_meld_is_asked_about(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, THROW)
    browser.click(f"{MINE}[data-card='4c']")
    assert browser.text("#advice").startswith("This breaks a meld: throw 4♣: ")
    browser.click("#keep")
    browser.click(f"{MINE}[data-card='4c']")
    browser.click("#sure")
    assert browser.run("return sent") == ["4c"]
    at_turn(browser, tmp_path, THROW)
    browser.click(f"{MINE}[data-card='Kd']")
    assert browser.run("return sent") == ["Kd"]


SETTINGS = """
document.querySelector("#confirm").click();
const speed = document.querySelector("#speed");
speed.value = "off";
speed.dispatchEvent(new Event("change"));
"""


@pytest.mark.process
def test_settings_are_kept_and_with_one_of_them_every_throw_needs_a_second_tap(browser: Browser, tmp_path: Path) -> None:
    browser.look(calm=True)
    state = at_turn(browser, tmp_path, THROW)
    browser.run(SETTINGS)
    browser.press("s")
    browser.open(browser.driver.current_url + "#kept")
    say(browser, state)
    values = browser.run("return [...document.querySelectorAll('.more :is(select, input)')].map((one) => one.checked ?? one.value)")
    assert values == ["suit", "off", True, False]
    browser.click(f"{MINE}[data-card='Kd']")
    assert browser.text("#advice") == "Throw K♦: 31 points of deadwood. Tap it again."
    tops = browser.run("return [...document.querySelectorAll('#mine .card')].map((one) => one.getBoundingClientRect().top)")
    assert cards(browser)[tops.index(min(tops))] == "Kd"  # it is lifted
    browser.click(f"{MINE}[data-card='Qh']")
    assert browser.run("return sent") == []
    browser.click(f"{MINE}[data-card='Qh']")
    assert browser.run("return sent") == ["Qh"]


@pytest.mark.process
def test_the_opponents_turn_is_seen_step_by_step_and_may_be_cut_short(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, THROW)
    browser.run("window.setTimeout = (act) => { window.later = act; return 1; }")
    seen = "return [document.querySelector('#status').textContent.trim(), document.querySelectorAll('#opponent .card').length]"
    before = see(played("pass pass draw", DEAL), FIRST)
    say(browser, {"state": 2, "opponent": "greedy", "log": [], **wait_shown(before, moves(before)["2s"], "greedy")})
    assert browser.run(seen) == ["Waiting for greedy.", 10]
    view = see(played("pass pass draw 2s take 9d", DEAL), FIRST)
    state = {"state": 3, "opponent": "greedy", "log": [], **turn_shown(view, before, moves(view), "greedy")}
    say(browser, state)
    assert browser.run(seen) == ["Waiting for greedy.", 10]
    browser.run("later()")
    assert browser.run(seen) == ["greedy took 2♠ from the pile.", 11]
    assert browser.texts("#opponent .known")
    browser.press("t")  # the discard is not seen yet: the step ends, nothing is taken
    assert browser.run(seen)[0].startswith("greedy took 2♠ from the pile and threw 9♦.")
    assert browser.run("return sent") == []
    say(browser, {**state, "state": 4})
    browser.click("#stock .card")  # in the middle of a step
    assert browser.run("return sent") == ["draw"]


@pytest.mark.process
def test_who_wants_less_motion_sees_the_opponents_turn_at_once(browser: Browser, tmp_path: Path) -> None:
    browser.look(calm=True)
    at_turn(browser, tmp_path, THROW)
    view = see(played("pass pass draw 2s take 9d", DEAL), FIRST)
    say(browser, {"state": 2, "opponent": "greedy", "log": [], **turn_shown(view, None, moves(view), "greedy")})
    assert "and threw 9♦. " in browser.run("return document.querySelector('#status').textContent")


@pytest.mark.process
def test_a_sound_is_made_only_where_it_is_switched_on(browser: Browser, tmp_path: Path) -> None:
    state = at_turn(browser, tmp_path, THROW)
    browser.run(
        "window.tones = 0; const make = AudioContext.prototype.createOscillator;"
        "AudioContext.prototype.createOscillator = function () { tones++; return make.call(this); }"
    )
    say(browser, {**state, "state": 2})
    assert browser.run("return tones") == 0
    browser.run("document.querySelector('#more').open = true")
    browser.click("#sound")
    say(browser, {**state, "state": 3})
    assert browser.run("return tones") == 2


@pytest.mark.process
def test_cards_are_sorted_by_key_and_by_drag(browser: Browser, tmp_path: Path) -> None:
    browser.look(calm=True)  # a card that glides would be elsewhere when it is held
    at_turn(browser, tmp_path, THROW)
    by_meld = cards(browser)
    assert by_meld[:6] == ["3c", "4c", "5c", "7d", "7h", "7s"]
    browser.press("s")
    assert cards(browser) == ["3c", "4c", "5c", "7d", "9d", "Kd", "7h", "Jh", "Qh", "2s", "7s"]
    browser.run(
        "document.querySelector(\"#mine [data-card='3c']\").dispatchEvent("
        "new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true, bubbles: true }))"
    )
    assert cards(browser)[:3] == ["4c", "3c", "5c"]
    last = browser.find(f"{MINE}[data-card='7s']")
    ActionChains(browser.driver).click_and_hold(last).move_to_element_with_offset(
        browser.find(f"{MINE}[data-card='4c']"), -15, 0
    ).release().perform()
    assert cards(browser)[:3] == ["7s", "4c", "3c"]
    assert browser.run("return sent") == []
    browser.press("s")
    assert cards(browser) == by_meld


@pytest.mark.process
def test_a_drag_sorts_this_hand_alone(browser: Browser, tmp_path: Path) -> None:
    state = at_turn(browser, tmp_path, THROW)
    by_meld = cards(browser)
    browser.run(
        "document.querySelector(\"#mine [data-card='3c']\").dispatchEvent("
        "new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true, bubbles: true }))"
    )
    assert cards(browser) != by_meld
    say(browser, {**state, "state": state["state"] + 1, "kind": "match_over"})
    say(browser, {**state, "state": state["state"] + 2})
    assert cards(browser) == by_meld


@pytest.mark.process
def test_a_move_that_no_server_receives_is_said_and_can_be_made_again(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, THROW)
    browser.complaints()
    browser.run("window.fetch = async () => { throw new TypeError('Failed to fetch'); }")
    browser.click(f"{MINE}[data-card='Kd']")
    browser.wait(lambda: browser.text("#connection").startswith("× lost at "))
    browser.wait(lambda: browser.find(f"{MINE}[data-card='Kd']").is_enabled())
    assert browser.complaints() == []


CONNECTION = """
const [age, state] = arguments;
window.began ??= Date.now();
Date.now = () => began + 1000 * age;
source.readyState = state;
source.onerror();
return [...document.querySelectorAll('#connection > *')].map((one) => one.textContent);
"""


@pytest.mark.process
def test_the_connection_has_a_sign_and_a_word_and_only_another_word_is_announced(browser: Browser, tmp_path: Path) -> None:
    open_table(browser, tmp_path)
    browser.press("s")  # a key that needs a hand, before there is one
    assert browser.texts("#connection > *") == ["○ connecting", "Connection: connecting"]
    browser.run("source.onopen()")
    open_, reconnecting, refused = 1, 0, 2
    assert browser.run(CONNECTION, 4, open_) == ["● live", "Connection: live"]
    assert browser.run(CONNECTION, 12, open_) == ["◐ 12 s old, trying again", "Connection: trying again"]
    assert browser.run(CONNECTION, 13, reconnecting) == ["◐ 13 s old, trying again", "Connection: trying again"]
    shown, said = browser.run(CONNECTION, 40, reconnecting)
    assert re.match(r"× lost at \d\d:\d\d:\d\d; this page shows that moment\. If arena was stopped, ", shown)
    assert said == f"Connection: {shown.removeprefix('× ')}"
    browser.run("source.onopen()")
    assert browser.run(CONNECTION, 41, open_) == ["● live", "Connection: live"]
    assert browser.run(CONNECTION, 42, refused)[0].startswith("× lost at ")


LAST = {
    "title": "Review of hand 0.2",
    "text": "You played <b>well</b>.",
    "worst_decision": "Your dearest decision: throw 7♥.",
    "place": "0.2/11",
}
MATCH = {
    "title": "Review of the match",
    "text": "In 2 hands you lost.",
    "worst_decision": "Nothing was dear.",
    "place": "",
}
ENABLED = "return [...document.querySelectorAll('#felt button:enabled, #actions button:enabled')].map((one) => one.outerHTML)"
HANDS = [{"hand": hand, "result": "-9", "luck": "+1.0", "play": "-2.5", "rest": "-7.5"} for hand in ("0.1", "0.2")]


def show(browser: Browser, kind: str, last: dict[str, str], match: dict[str, str], last_hand: str = "0.3") -> None:
    """Send a state that differs in its review alone."""
    review = {"last": last, "match": match, "hands": HANDS, "note": "What luck is."}
    state = {"state": 1, "kind": kind, "last_hand": last_hand, "review": review}
    browser.run("source.onmessage({ data: JSON.stringify(arguments[0]) })", state)


@pytest.mark.process
def test_the_review_of_a_hand_is_shown_when_it_comes_and_links_to_the_dearest_decision(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, THROW)
    assert not browser.find("#review").is_displayed()
    browser.press("h")
    show(browser, "turn", LAST, MATCH)
    assert browser.texts("#review h2") == ["Review of hand 0.2"]
    assert browser.texts("#review p") == ["You played <b>well</b>.", "Your dearest decision: throw 7♥. Show it"]
    assert str(browser.run("return document.querySelector('#review a').href")).endswith("replay#0.2/11")
    assert browser.texts("#review .suit") == ["7♥"]
    assert browser.run("return document.querySelectorAll('#mine .hinted').length") == 1  # the turn was not drawn anew


@pytest.mark.process
def test_after_a_match_its_review_has_a_row_for_each_hand_with_a_link_to_its_replay(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, THROW)
    show(browser, "match_saved", LAST, MATCH)
    assert browser.texts("#review h2") == ["Review of the match"]
    assert browser.texts("#review p") == ["Game 1, hand 4 is being reviewed; then the match is.", "What luck is."]
    assert browser.texts("#review tbody tr:last-child > *") == ["game 1, hand 3", "-9", "+1.0", "-2.5", "-7.5"]
    assert browser.run("return [...document.querySelectorAll('#review a')].map((one) => one.hash)") == ["#0.1/0", "#0.2/0"]
    show(browser, "match_saved", LAST, MATCH, "0.2")
    assert browser.texts("#review p") == ["In 2 hands you lost.", "Nothing was dear.", "What luck is."]
    show(browser, "hand_over", LAST, MATCH)
    assert browser.texts("#review > *") == ["Review of game 1, hand 4", "It is being reviewed …"]


def test_the_table_shows_what_is_special_about_a_hand() -> None:
    oklahoma = played("pass pass draw", dealt("3c4c5c 7d7h7s JhQhKh Ac", "6c8c9d Qc 2d4d9s Ts5h3h", "Ks", "2s8d"), DOUBLED)
    view = see(oklahoma, replace(FIRST, columns=(GameScore((3, 40)), GameScore(), GameScore())))
    shown = turn_shown(view, None, moves(view), "greedy")
    assert shown["standing"].endswith(
        "; three games at once: 3–40, 0–0, 0–0; a knock may leave at most 10 points and the points count twice"
    )
    assert shown["knock_rule"] == "with deadwood 10 or less"
    straight = see(played("pass pass draw", DEAL, Straight()), FIRST)
    assert turn_shown(straight, None, moves(straight), "greedy")["knock_rule"] == "with gin only"


@pytest.mark.rule("R3.5")
def test_a_table_without_an_upcard_is_shown() -> None:
    view = see(Hand.start(DEAL, Rules(first_turn="eleven")), FIRST)
    shown = turn_shown(view, None, moves(view), "greedy")
    assert (shown["pile"], shown["stock"], shown["hidden"], shown["throws"]) == ([], 31, 10, True)
    assert set(shown["moves"]) == {*names(view.cards), "knock:Ac", "knock:Kd"}


@pytest.mark.rule("R9.6")
def test_the_end_of_a_hand_has_the_scores_of_three_games_at_once() -> None:
    over = played("pass pass draw knock:2s lay_off", DEAL, HOLLYWOOD)
    before = replace(FIRST, columns=(GameScore((3, 40), (1, 1)), GameScore(), GameScore()))
    assert over.result
    shown = hand_over_shown(disclose(over, over.result, before, (0, 0), 0), "greedy", HOLLYWOOD)
    assert shown["standing"].endswith("; three games at once: 62–40, 59–0, 0–0")


def test_a_review_is_sent_beside_what_is_shown_and_until_the_next_match() -> None:
    shown: list[dict[str, Any]] = []
    person = WebPlayer("greedy", shown.append)
    person.match_over(won=True, games=(1, 0))
    decision = DecisionPrice(3, "Kd", "2c", 4.5, 0.5, {"discard": 4.5}, {"discard": 4.5}, 0.0)
    person.show_review([ReviewedHand(place=Place("x", 0, 2), bot="you", seat=0, points=-9, luck=1.0, decisions=(decision,))])
    assert shown[1] == {**shown[0], "review": shown[1]["review"]}
    assert shown[1]["review"].last.worst_decision.endswith("throw K♦; better: throw 2♣, by 4.5 ± 1.0 points, a mistake.")
    person.offer("folder", "report", ["greedy"])
    assert shown[2]["review"] == shown[1]["review"]
    person.meet("greedy")
    person.match_over(won=True, games=(1, 0))
    assert shown[3]["review"] is None


@pytest.mark.process
def test_a_hint_marks_its_card_and_says_why(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, THROW)
    browser.press("h")
    assert browser.run("return document.querySelector('#mine .hinted').dataset.card") in browser.run(
        "return Object.keys({ Kd: 1, Qh: 1, Jh: 1 })"
    )
    assert "no throw leaves less" in browser.text("#advice")


@pytest.mark.process
@pytest.mark.parametrize("width", [390, 1200])
def test_a_hint_of_the_reviewer_ranks_moves_in_a_panel_and_on_their_cards(browser: Browser, tmp_path: Path, width: int) -> None:
    browser.look(width=width)
    ranked = [
        RankedMove(moves(see(THROW, FIRST))[name], *loss)
        for name, loss in (("Kd", (0.0, 0.0)), ("2s", (1.25, 0.3)), ("9d", (8.3, 1.0)))
    ]
    at_turn(browser, tmp_path, THROW, hint=hint_shown(Hint(ranked[0].move, "31 points are left", tuple(ranked))))
    places = browser.run(PLACES)
    browser.press("h")
    assert "31 points are left" in browser.text("#advice")
    assert browser.texts("#advice .loss") == [
        "best",
        "−1.3\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.6 a hand",
        "−8.3\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}2.0 a hand",
    ]
    assert browser.run(RANKS) == {"Kd": "1", "2s": "2", "9d": "3"}
    if width == 390:
        assert browser.run(PLACES) == places  # the panel is in the place of the piles


@pytest.mark.process
def test_melds_stay_bracketed_when_a_card_is_moved_which_can_be_undone(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, THROW)
    by_meld = cards(browser)
    assert browser.texts("#undo") == []
    moved = by_meld[-1]
    browser.run(
        f"document.querySelector(\"#mine [data-card='{moved}']\").dispatchEvent("
        "new KeyboardEvent('keydown', { key: 'ArrowLeft', shiftKey: true, bubbles: true }))"
    )
    assert cards(browser) != by_meld
    assert len(browser.texts("#mine .meld")) == 2
    browser.press("u")
    assert (cards(browser), browser.texts("#undo")) == (by_meld, [])


@pytest.mark.process
def test_a_knock_is_offered_in_words_with_its_deadwood(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, holding("3c4c5c 7d7h7s JhQhKh Ac 9d", drawn="9d"))
    assert browser.text("#knock") == "Knock with 1, throwing 9♦"
    browser.press("k")
    assert browser.run("return sent") == ["knock:9d"]


@pytest.mark.process
def test_lay_offs_are_shown_where_they_fit(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, played("pass pass draw knock:2s", DEAL))
    fits = browser.run(
        "return [...document.querySelectorAll('#opponent .meld')].map((one) => [...one.children].map((card) => card.dataset.card))"
    )
    assert ["3c", "4c", "5c", "6c"] in fits
    assert "6c" not in cards(browser)
    assert "6♣ on 3♣ 4♣ 5♣: it carries the run on" in browser.texts("#mine li")


@pytest.mark.process
def test_the_end_of_a_hand_has_both_hands_their_melds_lay_offs_and_deadwood_as_a_sum(browser: Browser, tmp_path: Path) -> None:
    over = played("pass pass draw knock:2s lay_off", DEAL)
    assert over.result
    outcome = disclose(over, over.result, FIRST, (0, 0), 0)
    at_turn(browser, tmp_path, THROW)
    say(browser, {"state": 2, "opponent": "greedy", "log": [], **hand_over_shown(outcome, "greedy", Rules())})
    assert browser.texts("#felt .counted") == ["deadwood 2 + 3 + 4 + 5 + 8 + 9 + 9 + 10 + 10 = 60", "deadwood 1"]
    assert browser.run("return [...document.querySelectorAll('#mine .laid-off')].map((one) => one.dataset.card)") == ["6c"]
    assert browser.run("return [...document.querySelectorAll('#opponent .ghost')].map((one) => one.dataset.card)") == ["6c"]
    assert [len(browser.texts(f"#{side} .card")) for side in ("opponent", "mine")] == [10, 11]
    assert browser.texts(".sum .term") == ["60 greedy's deadwood", "− 1 your deadwood", "= 59 points for you"]


SIZES = "return [...document.querySelectorAll('#mine .card')].map((one) => one.getBoundingClientRect().width)"


@pytest.mark.process
@pytest.mark.parametrize(("width", "least"), [(390, 45), (800, 45), (1400, 70)])
def test_cards_are_large_and_fit_at_every_width(browser: Browser, tmp_path: Path, width: int, least: int) -> None:
    browser.look(width=width)
    at_turn(browser, tmp_path, THROW)
    for kind in ("", "s", "s"):
        if kind:
            browser.press(kind)
        boxes = browser.run(SIZES)
        assert min(boxes) >= least
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


NEEDED = "#opponent .seat, #opponent .card, #stock .card, #pile > .card, #mine .seat, #mine .card, #actions button"
UNDER_A_FINGER = """
const uncovered = (one) => {
  const { left, top, height } = one.getBoundingClientRect();
  return document.elementFromPoint(left + 43, top + height / 2)?.closest(".card") === one;
};
return [...document.querySelectorAll("#mine .card")].filter(uncovered).length;
"""


@pytest.mark.process
@pytest.mark.parametrize("cards", ["3c4c5c 7d7h7s JhQh 2s9d Kd", "3c4c5c6c7c 8d8h8s Jh2s Kd", "2c3c5h 7d8s9h JhQc As Td Kd"])
def test_on_a_phone_a_turn_fits_one_screen_and_each_card_has_44_pixels(browser: Browser, tmp_path: Path, cards: str) -> None:
    browser.look(width=390, height=844, calm=True)
    at_turn(browser, tmp_path, holding(cards, drawn="Kd"))
    for _ in ("melds", "suit"):
        ends = browser.run(f"return [...document.querySelectorAll('{NEEDED}')].map((one) => one.getBoundingClientRect().bottom)")
        hand = browser.run("return document.querySelector('#mine').getBoundingClientRect().bottom")
        actions = browser.run("return document.querySelector('#actions').getBoundingClientRect().top")
        assert max(ends) <= 844
        assert hand <= actions
        assert browser.run(UNDER_A_FINGER) == 11
        browser.press("s")


@pytest.mark.process
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1024, 768)])
def test_a_lay_off_fits_one_screen(browser: Browser, tmp_path: Path, width: int, height: int) -> None:
    browser.look(width=width, height=height, calm=True)
    at_turn(browser, tmp_path, played("pass pass draw knock:2s", DEAL))
    assert browser.run("return document.documentElement.scrollHeight") <= height


@pytest.mark.process
def test_the_clock_of_who_is_to_act_runs_on(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, THROW, clock={"spent": [64.0, 3.0], "acts": 0, "since": time.time() - 10})
    assert browser.text("#mine .clock") in ("1:14", "1:15", "1:16")
    assert browser.text("#opponent .clock") == "0:03"


@pytest.mark.process
def test_the_clock_of_a_page_that_lost_its_server_stands_still(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, THROW, clock={"spent": [64.0, 3.0], "acts": 0, "since": time.time() - 10})
    shown = browser.text("#mine .clock")
    browser.run("const now = Date.now(); Date.now = () => now + 60000; source.readyState = 0")
    assert browser.wait(lambda: "lost" in browser.text("#connection"))
    assert browser.text("#mine .clock") == shown


@pytest.mark.process
def test_after_a_move_that_was_not_sent_only_what_is_legal_can_be_pressed(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, THROW)
    before = browser.run(ENABLED)
    browser.run("window.fetch = () => Promise.reject(new TypeError('there is no server'))")
    browser.click("#mine [data-card=Kd]")
    browser.wait(lambda: "lost" in browser.text("#connection"))
    assert browser.run(ENABLED) == before
    assert browser.run("return document.querySelector('#knock')?.disabled ?? true")


def test_the_time_of_a_turn_is_of_who_is_to_act_and_between_hands_of_nobody() -> None:
    times = iter([100.0, 101.0, 104.0, 106.0, 200.0])
    clock = Clock(lambda: next(times))
    shown = [clock.show(kind) for kind in ("turn", "wait", "hand_over", "turn")]
    assert [(one["spent"], one["acts"]) for one in shown] == [([0.0, 0.0], 0), ([3.0, 0.0], 1), ([3.0, 2.0], None), ([3.0, 2.0], 0)]


@pytest.mark.process
@pytest.mark.parametrize("calm", [False, True])
def test_a_throw_is_seen_to_move_unless_less_motion_is_asked_for(browser: Browser, tmp_path: Path, calm: bool) -> None:  # noqa: FBT001 - a table's row
    browser.look(calm=calm)
    at_turn(browser, tmp_path, THROW)
    view = see(THROW, FIRST)
    thrown = {"state": 2, "opponent": "greedy", "log": [], **wait_shown(view, moves(view)["Kd"], "greedy")}
    moved = browser.run(
        "source.onmessage({ data: JSON.stringify(arguments[0]) });"
        " return document.querySelector('#pile [data-card=Kd]').getAnimations().length",
        to_builtins(thrown),
    )
    assert (moved == 0) is calm
    assert browser.text("#status") == "Waiting for greedy."
    assert browser.run("return document.querySelectorAll('#felt button:not([aria-disabled]), #hint').length") == 0


@pytest.mark.process
def test_the_log_and_the_words_have_red_suits(browser: Browser, tmp_path: Path) -> None:
    at_turn(browser, tmp_path, THROW)
    assert browser.texts("#log .suit") == ["7♥"]
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, ".key-of-cards li")) == 5


@pytest.mark.process
def test_requests_without_the_key_are_refused(tmp_path: Path) -> None:
    with started("play", "greedy", "--web", "--results", tmp_path / "match") as (_, address):
        site, key = address.rsplit("/", 2)[0], address.rsplit("/", 2)[1]
        assert ask(site, "/").status == 404
        assert ask(site, f"/{key[:-1]}x/").status == 404
        unknown = ask(site, "/", Accept="text/html").text
        assert "Open the link that <code>arena play</code> has printed" in unknown
        assert 'href="/"' not in unknown
        assert key not in unknown
        move = b'{"state":1,"move":"leave"}'
        assert ask(site, f"/{key}/act", "POST", body=move).status == 403  # no origin
        assert ask(site, f"/{key}/act", "POST", body=move, Origin="http://evil.example").status == 403
        assert ask(site, f"/{key}/act", "POST", body=b"x" * 2000, Origin=site).status == 413
        assert ask(site, f"/{key}/act", "POST", body=b"[]", Origin=site).status == 400
        assert ask(site, f"/{key}/act", "POST", body=b'{"state":1,"move":"\xff"}', Origin=site).status == 400
        assert ask(site, f"/{key}/act", "POST", body=move, Origin=site).status == 204
