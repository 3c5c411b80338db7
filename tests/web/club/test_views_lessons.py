"""What an author's page says of a bot: its audition, the cards at which it failed, the next thing to try, and a bot that waits."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from msgspec import json
from msgspec.structs import replace
from support.leagues.events import joined, moment, refused
from support.leagues.sites import BOT, ORIGIN, ClubSite, club, form_key, league

from arena.gin.deal import Deals
from arena.gin.match import Batch, Hand
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.league.rules.events import Activated
from arena.league.rules.field import VersionState, fold
from arena.protocol.notation import turn
from arena.stats.pairs import Pair
from arena.tournament.audition import Finding
from arena.web.club import views
from arena.web.club.advice import audition_advice, bot_advice, turn_cards
from arena.web.club.views import OpponentTotal

if TYPE_CHECKING:
    from arena.web.club.watch import LeagueSnapshot

COSTLY = [OpponentTotal(opponent="ben@1", won=0, drawn=0, lost=2, points=-50, hands=9)]
FAILS = BOT.replace(b"    pass", b"    def discard(self, view):\n        return 7")


def test_the_cards_of_a_turn_are_drawn_and_what_cannot_be_read_is_not() -> None:
    batch = Batch(Rules(), Deals("1", "1"), 1)
    message = json.encode(turn(see(Hand.start(batch.deal(), batch.rules), batch.standing))).decode()
    assert "pile " in turn_cards(message, Rules())
    assert (turn_cards("{}", Rules()), turn_cards("", Rules())) == ("", "")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("suspended", "its page has its last faults"),
        ("waiting", "it plays from the next season on"),
        ("retired", "reinstate it"),
        ("active", "look at its hands against ben@1"),
    ],
)
def test_the_next_thing_follows_from_the_state_of_a_bot(state: VersionState, words: str) -> None:
    version = replace(fold(joined("ann")).active[0], state=state)
    assert words in bot_advice(version, (), COSTLY)


def test_a_later_refusal_is_the_next_thing_and_advice_is_what_to_try() -> None:
    field = fold([*joined("ann"), *refused("ann", 2, 9)])
    assert "a later version was refused" in bot_advice(field.active[0], field.refusals, COSTLY)
    assert "wait for more matches" in bot_advice(field.active[0], (), ())
    assert audition_advice(Finding(step="hands", passed=False, summary="crash", advice=("try this",))) == "try this"
    assert "answer the turn at which it failed" in audition_advice(Finding(step="hands", passed=False, summary="crash", turn="{}"))


@pytest.mark.process
def test_an_author_sees_steps_cards_and_the_next_thing_and_retires_a_bot_that_waits(tmp_path: Path) -> None:
    waiting = Activated(at=moment(0), version="ann-bot@1", waits=True)
    path = league(tmp_path, *joined("ann-bot")[:2], waiting)
    with club(path) as made:
        site = ClubSite(made)
        site.upload(site.ann, body=FAILS)
        site.upload(site.ann, body=BOT + b"# second\n")
        for _ in range(5):  # a machine that is too busy leaves an audition for later
            site.test_all()
            page = site.get("/me/uploads/000001", site.ann).text
            if "verdict" in page:
                break
        assert ("<h3>The cards</h3>" in page, "<h2>Next</h2>" in page) == (True, True)
        made.context.watch.renew()
        signed = site.sign_in(site.ann)
        mine = site.get("/me", cookie=signed.cookie)
        assert "Retire ann-bot@1" in mine.text
        assert "Audition of " in mine.text
        body = f"form_key={form_key(mine)}&version=ann-bot@1".encode()
        assert site.send("/me/retire", body, origin=ORIGIN, cookie=signed.cookie).status == 303
        assert "ann-bot@1 is retired" in site.get("/me", cookie=signed.cookie).text


def test_the_points_a_hand_of_two_versions_have_an_interval_from_seven_pairs_on(monkeypatch: pytest.MonkeyPatch) -> None:
    names = partial(Pair, entrant="a@1", opponent="b@1", deals="1", batch=False, legs=2, hands=4)
    pair = partial(names, matches=(1, 1), games=(3, 3), capped_points=0)
    met = [pair(points=(8 * (number % 2), 0)) for number in range(8)]  # 0 and 2 points a hand in turn
    for pairs, half in (([], None), (met[:2], None), (met, pytest.approx(2.365 / 7**0.5, rel=0.01))):
        monkeypatch.setattr(views, "pairs_between", lambda *_, found=pairs: found)
        assert views.half_between(cast("LeagueSnapshot", None), "a@1", "b@1") == half
