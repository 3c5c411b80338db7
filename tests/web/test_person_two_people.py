"""``arena play --web --two``: two people at one table, each by a link of their own."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import takewhile
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest
from msgspec.json import decode, encode
from starlette.routing import Route
from support.browser.driver import ABSENT, CHROMIUM, DRIVER, Browser, browsing
from support.browser.table_page import state_of
from support.commands.runs import stored
from support.hands.builders import FIRST, dealt, holding, played
from support.matches.in_process import job_of, match
from support.records.reviewed_hands import reviewed_hand
from support.servers import asgi
from support.servers.serving import ask, events, started

from arena.errors import InputError
from arena.gin.cards import names
from arena.gin.match import Hand
from arena.gin.rules import Rules
from arena.gin.seeing import disclose, see, watch
from arena.human.matches import MatchRequest, match_plan
from arena.players.base import PlayerFaultError
from arena.sdk.named_moves import moves
from arena.store.folder import Folder
from arena.web.person import SentMove, WebPlayer
from arena.web.table import TableServer
from arena.web.table_states import turn_shown, wait_shown

State = dict[str, Any]
DEAL = dealt("3c4c5c 7d7h7s 2h3h4d Ac", "2c2d2s 9h9c9s Jd Qs 5h 8h", "8d", "Kd")
THROW = holding("3c4c5c 7d7h7s JhQh 2s9d Kd", drawn="Kd")


def texts(several: list[State]) -> list[str]:
    return [state["text"] for state in several]


def plain_move(state: State) -> str:
    """Return a move that leads to a knock in the end: between people there is no hint."""
    legal, melded = state["moves"], {card for meld in state["melds"] for card in meld}
    usual = [*state["knocks"], *(name for name in ("big_gin", "lay_off", "draw", "pass") if name in legal)]
    thrown = (name for name in legal if len(name) == 2)
    return str(usual[0] if usual else max(thrown, key=lambda name: (name not in melded, "A23456789TJQK".index(name[0]))))


class Sitter:
    """A person who plays by a simple plan and reads every result; ``plan`` is what it does instead, or after a match."""

    def __init__(self, link: str, plan: list[str]) -> None:
        self._site, self._key = link.rstrip("/").rsplit("/", 1)
        self._plan = plan
        self._answered = 0  # the last state that was answered
        self.seen: list[State] = []

    def sit(self) -> list[State]:
        """Play until the table is closed, and return every state that was shown."""
        for line in events(self._site, f"/{self._key}/events"):
            state = decode(line)
            self.seen.append(state)
            if state["kind"] == "closed":
                break
            if state["state"] > self._answered and (move := self._move(state)):
                self._answered = state["state"]
                assert self.send(self._answered, move) == 204
        return self.seen

    def _move(self, state: State) -> str:
        planned = self._plan[0] if self._plan else ""
        if state["kind"] == "match_saved" or (state["kind"] == "turn" and planned == "leave"):
            return self._plan.pop(0) if self._plan else ""
        if state["kind"] == "turn":
            return plain_move(state)
        return "next" if state["kind"] == "hand_over" else ""

    def send(self, state: int, move: str) -> int:
        """Send a move as the page does, and return the status of the answer."""
        return ask(self._site, f"/{self._key}/act", "POST", body=encode(SentMove(state, move)), Origin=self._site).status


def of_first_hand(shown: list[State]) -> list[State]:
    first = takewhile(lambda state: state["kind"] != "match_saved", shown)
    return [
        state for state in first if state["kind"] in ("turn", "wait") and state.get("standing", "").startswith("Game 1, hand 1;")
    ]


@pytest.mark.process
def test_two_people_play_each_sees_its_own_cards_and_a_rematch_needs_both(tmp_path: Path) -> None:
    results = tmp_path / "match"
    people = ("--web", "--two", "--name", "ann", "--name", "ben")
    options = (*people, "--target", 1, "--best-of", 1, "--seed", "abc", "--results", results)
    with started("play", *options, message=r"ann plays at (\S+)") as (server, first), ThreadPoolExecutor(2) as threads:
        assert server.stderr
        second = server.stderr.readline().split()[3]
        sitters = (Sitter(first, ["play:ben", "done"]), Sitter(second, ["play:ann", "leave"]))
        mine, theirs = threads.map(Sitter.sit, sitters)
        assert server.wait(60) == 0
    last = of_first_hand(theirs)[-1]
    visible = {card for state in of_first_hand(mine) for card in (*state["cards"], *state["pile"], *state["known"])}
    assert {*last["cards"]} - visible
    assert {*last["cards"]} & visible <= {*of_first_hand(mine)[-1]["known"]}
    (record,) = stored(results).values()
    (again,) = stored(tmp_path / "match-2").values()
    assert record.fixture.seats == ("ann", "ben")
    assert record.faults == ()
    assert (again.winner, {fault.detail for fault in again.faults}) == (0, {"left the table"})
    assert "You left the match, and lost it." in texts(theirs)
    assert "You won the match, 1 game to 0." in texts(mine)


@pytest.fixture
def table() -> TableServer:
    return TableServer(("host", "guest"), 2, Rules())


def shown_by(person: WebPlayer, shown: list[State]) -> None:
    """Have a person show its states to a list alone."""
    person._show = shown.append  # noqa: SLF001 - in place of a browser


def test_who_does_not_act_first_sees_its_cards_from_the_start_of_the_hand(table: TableServer) -> None:
    _, guest = table.places
    shown: list[State] = []
    shown_by(guest.person, shown)
    guest.person.begin(1, None)
    hand = Hand.start(DEAL, Rules())
    guest.person.watch(watch(hand, FIRST))
    assert [len(state.get("cards", ())) for state in shown] == [0, 10]
    assert (shown[1]["kind"], shown[1]["text"], shown[1]["moves"]) == ("wait", "Waiting for host.", {})
    assert {*shown[1]["cards"]} == {*names(hand.cards[1])}
    assert shown[1]["log"] == ["Game 1, hand 1; you dealt; score 0 to 0 (first to 250), games 0 to 0."]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (Rules(), "Gin rummy by tournament rules: first to 250 points, the best of 5 games."),
        (Rules(target=1, best_of=1), "Gin rummy by tournament rules: first to 1 point."),
    ],
)
def test_the_guests_link_says_who_invites_to_what_and_leads_to_the_table(rules: Rules, words: str) -> None:
    table = TableServer(("host", "guest"), 2, rules)
    first, second = (asgi.ask(table.app([asgi.HOST]), "GET", f"/{place.key}/").text for place in table.places)
    assert "host invites you" not in first
    assert '<h1 class="result">host invites you to a match</h1>' in second
    assert words in second
    assert "You against host" in asgi.ask(table.app([asgi.HOST]), "GET", f"/{table.places[1].key}/table").text


def test_each_link_has_a_secret_of_its_own(table: TableServer) -> None:
    one, other = table.places
    assert one.key != other.key
    routes = [route for place in table.places for route in place.routes() if isinstance(route, Route)]
    assert {route.path.split("/")[1] for route in routes} == {one.key, other.key}


def test_who_is_away_is_named_until_the_link_is_opened_again(table: TableServer) -> None:
    host, guest = table.places
    shown: list[State] = []
    shown_by(host.person, shown)
    host.person.begin(0, None)
    for change in (1, -1, 1, 1, -1):
        guest.count_page(change)
    assert [state["notice"].partition(":")[0] for state in shown] == [
        "guest has not come yet",
        "",
        "guest has closed the page; the match waits until guest's link is opened again.",
        *[""] * 3,
    ]
    assert {state["state"] for state in shown} == {1}


def test_no_clock_runs_until_both_are_at_the_table() -> None:
    table = TableServer(("host", "guest"), 2, Rules())
    host, guest = table.places
    shown: list[State] = []
    shown_by(host.person, shown)
    host.count_page(1)
    host.person.begin(0, None)
    guest.count_page(1)
    guest.count_page(-1)
    found = [state["clock"] for state in shown]
    assert [one["acts"] for one in found] == [None, 1, 1, None, None]
    assert found[0]["spent"] == [0.0, 0.0]


def test_between_two_people_there_is_no_hint_and_no_review_before_the_end(table: TableServer, tmp_path: Path) -> None:
    host, _ = table.places
    shown: list[State] = []
    shown_by(host.person, shown)
    with ThreadPoolExecutor(1) as pool:
        reviews = table.begin(job_of(match().fixture), pool)
        host.person._asked = 1, see(THROW, FIRST)  # noqa: SLF001 - in place of a turn in another thread
        app = table.app([asgi.HOST])
        for path, status in (("hint/1", 404), ("hands", 403), ("replay", 403)):
            assert asgi.ask(app, "GET", f"/{host.key}/{path}").status == status
        host.person._replace(turn_shown(see(THROW, FIRST), None, {}, "guest"))
        assert "hint" not in shown[-1]
        end_a_hand(host.person)
        table._tell_review(reviews, 0, [reviewed_hand("x", "host")])  # noqa: SLF001 - in place of the pool
        assert all(not state.get("review") and not state["last_hand"] for state in shown)
        table.keep_reviews(Folder(tmp_path), "c" * 64)
        table._tell_review(reviews, 0, [reviewed_hand("x", "host")])  # noqa: SLF001 - likewise
        assert shown[-1]["review"]
        assert asgi.ask(app, "GET", f"/{host.key}/hands").status == 200


def test_who_leaves_while_the_other_thinks_has_lost_at_its_next_turn() -> None:
    person = WebPlayer("host", lambda _: None)
    person.receive(SentMove(0, "leave"))
    with pytest.raises(PlayerFaultError, match="left the table"):
        person.ask(see(THROW, FIRST))


def end_a_hand(person: WebPlayer) -> None:
    """Show a person the end of a hand."""
    person.rules = Rules()
    over = played("pass pass draw knock:Kd lay_off", DEAL)
    assert over.result
    person.hand_over(disclose(over, over.result, FIRST, (0, 0), 0))


def at_the_end_of_a_hand(shown: list[State]) -> WebPlayer:
    """Return a person who is shown the end of a hand."""
    person = WebPlayer("guest", shown.append)
    end_a_hand(person)
    return person


def test_the_end_of_a_hand_stays_until_it_is_read_and_then_the_opponent_is_waited_for() -> None:
    shown: list[State] = []
    person = at_the_end_of_a_hand(shown)
    person.receive(SentMove(7, "next"))
    assert [state["kind"] for state in shown] == ["hand_over"]
    person.receive(SentMove(1, "next"))
    person.receive(SentMove(1, "next"))
    assert [state["kind"] for state in shown] == ["hand_over", "wait"]
    person.match_over(won=True, games=(1, 0))
    assert shown[-1]["text"] == "You won the match, 1 game to 0."


def test_the_last_hand_is_shown_before_the_winner_of_the_match() -> None:
    shown: list[State] = []
    person = at_the_end_of_a_hand(shown)
    match = Thread(target=person.match_over, kwargs={"won": True, "games": (1, 0)}, daemon=True)
    match.start()
    while "match" not in person._after_result["text"]:  # noqa: SLF001 - the match is over
        sleep(0.001)
    before = [state["kind"] for state in shown]
    person.receive(SentMove(1, "next"))
    match.join()
    assert before == ["hand_over"]
    assert [state["kind"] for state in shown] == ["hand_over", "match_over"]


def test_the_next_hand_is_shown_only_when_the_end_of_the_last_one_was_read() -> None:
    shown: list[State] = []
    person = at_the_end_of_a_hand(shown)
    person.watch(watch(Hand.start(DEAL, Rules()), FIRST))
    assert [state["kind"] for state in shown] == ["hand_over"]
    person.receive(SentMove(1, "next"))
    assert [state["kind"] for state in shown] == ["hand_over", "wait"]
    assert len(shown[1]["cards"]) == 10


@pytest.mark.process
@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason=ABSENT)
def test_in_two_browsers_each_person_sees_its_own_cards_alone_from_the_start_of_every_hand(tmp_path: Path) -> None:
    with ExitStack() as stack:
        server, first = stack.enter_context(
            started("play", "--web", "--two", "--seed", "abc", "--results", tmp_path / "match", message=r"host plays at (\S+)")
        )
        assert server.stderr
        both = [stack.enter_context(browsing()) for _ in range(2)]
        for browser, link in zip(both, (first, server.stderr.readline().split()[3]), strict=True):
            browser.look(calm=True)
            browser.open(link)
            if browser is both[1]:
                browser.click("#join")
        for hand in ("Game 1, hand 1;", "Game 1, hand 2;"):
            own = [cards_of(browser, hand) for browser in both]
            assert [len(one) for one in own] == [10, 10]
            assert sorted(browser.text("#status").startswith("Waiting for ") for browser in both) == [False, True]
            for browser, other in zip(both, reversed(own), strict=True):
                assert not other & {
                    *browser.run("return [...document.querySelectorAll('[data-card]')].map((one) => one.dataset.card)")
                }
            play_hand(both)
        for browser in both:
            assert browser.complaints() == []
            browser.open("about:blank")


def cards_of(browser: Browser, hand: str) -> set[str]:
    """Return the cards of a person in a hand, once the page shows it."""
    browser.wait(lambda: browser.text("#score").startswith(hand))
    return {*browser.run("return [...document.querySelectorAll('#mine .card')].map((one) => one.dataset.card)")}


def act_plainly(browser: Browser, state: str) -> None:
    """Make the move of a state without a hint: knock, or draw and throw the highest card outside melds."""
    assert not browser.texts("#hint")
    if state.endswith("hand_over"):
        return browser.click("#next")
    buttons = [name for name in ("knock", "big_gin", "lay_off", "draw", "pass") if browser.texts(f"#{name}:enabled")]
    browser.click(f"#{buttons[0]}" if buttons else "#mine .loose .card:last-child")
    return None


def play_hand(both: list[Browser]) -> None:
    """Play a hand to its end, and have both people read how it ended."""
    answered = ["", ""]

    def asked() -> tuple[int, str] | None:
        states = [(at, state_of(browser)) for at, browser in enumerate(both) if not answered[at].endswith("hand_over")]
        new = (one for one in states if one[1].endswith(("turn", "hand_over")) and one[1] != answered[one[0]])
        return next(new, None)

    while not all(state.endswith("hand_over") for state in answered):
        at, state = both[0].wait(asked)
        act_plainly(both[at], state)
        answered[at] = state


def test_nobody_is_waited_for_who_leaves_at_the_moment_a_hand_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    person = WebPlayer("guest", lambda _: None)
    reading = person._has_read  # noqa: SLF001 - to stop the server at the end of the hand
    unread = reading.clear

    def stopped() -> None:
        person.receive(None)
        unread()

    monkeypatch.setattr(reading, "clear", stopped)
    end_a_hand(person)
    assert reading.is_set()


@pytest.mark.parametrize(("move", "cards", "top"), [("Kd", 10, "Kd"), ("knock:Kd", 10, None)])
def test_while_the_other_thinks_the_table_is_as_the_move_left_it(move: str, cards: int, top: str | None) -> None:
    view = see(holding("3c4c5c 7d7h7s JhQhKh Ac Kd", drawn="Kd"), FIRST)
    state = wait_shown(view, moves(view)[move], "guest")
    assert (state["text"], state["moves"], len(state["cards"])) == ("Waiting for guest.", {}, cards)
    assert (state["pile"][-1:] == ["Kd"]) == (top == "Kd")


@pytest.mark.parametrize(
    ("bot", "names", "wanted"),
    [
        (None, ("ann",), "--name: found ann; expected one for each of two people, and they differ"),
        (None, ("ann", "ann"), "--name: found ann and ann; expected one for each"),
        (None, ("ann", "b n"), "--name: found 'b n'; expected at most 50 letters"),
        ("greedy", ("ann", "ben"), "--name: found ann and ben; expected one, your own"),
    ],
)
def test_names_of_people_are_those_that_bots_may_have(bot: str | None, names: tuple[str, ...], wanted: str) -> None:
    with pytest.raises(InputError, match=re.escape(wanted)):
        match_plan(MatchRequest(bot=bot, names=names))


def test_a_person_who_is_called_as_the_bot_plays_a_bot_of_another_name() -> None:
    assert match_plan(MatchRequest(bot="greedy", names=("greedy",))).names == ("greedy", "greedy-too")
