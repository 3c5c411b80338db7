"""Players of OpenSpiel (Lanctot et al., 2019): any ``pyspiel.Bot`` that plays its ``gin_rummy``, and its SimpleGinRummyBot.

Such a bot expects a state of OpenSpiel's game, so the adapter builds one that is consistent with the view: it replays every event
of the hand, with the unseen cards at random places.

Differences in the rules: OpenSpiel allows discarding the card just taken; here that is forbidden (R4.3), and the discard that
leaves least deadwood replaces it. OpenSpiel lays melds and lay-offs card by card; here the referee lays them at their best. It
has no big gin; the adapter declares it whenever possible. When a ruleset leads to an event that OpenSpiel's game does not have, the
SDK plays the rest of the hand.
"""

from contextlib import suppress
from functools import cache

import pyspiel

from arena.gin.cards import DECK, bits
from arena.sdk import Action, Bot, Card, Discard, Draw, Knock, Pass, Take, View, each, least_left

from .events import ME, Event, HandEvents

TAKE, DRAW, PASS, KNOCK = 52, 53, 54, 55  # OpenSpiel's numbers of actions; those of cards are below 52
MOST_LIMIT = 10  # of a knock in OpenSpiel
ASKED = ("upcard", "draw", "discard")


class ImpossibleEventError(Exception):
    """An event that OpenSpiel's game does not have."""


class OpenSpielBot(Bot):
    """Plays as the bot that ``make`` returns."""

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self._events = HandEvents()

    def make(self, game: "pyspiel.Game", player: int) -> "pyspiel.Bot":
        """Return a new bot, once for each decision; ``player`` is 0 for the non-dealer."""
        raise NotImplementedError

    def answer(self, view: View) -> Action:
        """Return the bot's action, or the SDK's where OpenSpiel has no such decision."""
        self._events.see(view)
        action = super().answer(view)
        if view.phase in ASKED and "big_gin" not in view.may:
            with suppress(ImpossibleEventError):
                action = self._bots_action(view)
        self._events.did(view, action)
        return action

    def _bots_action(self, view: View) -> Action:
        """Return the bot's action. Raises: ImpossibleEventError, if OpenSpiel's game could not have come to this turn."""
        player = 1 if view.dealer else 0
        game = _game(min(view.knock_limit, MOST_LIMIT), view.rules.gin_bonus, view.rules.undercut_bonus)
        state = self._state(game, view, player)
        if state.current_player() != player:
            raise ImpossibleEventError
        bot = self.make(game, player)
        chosen = bot.step(state)
        if chosen != KNOCK or "knock" not in view.may:
            return _action(chosen, view, Discard)
        state.apply_action(KNOCK)
        return _action(bot.step(state), view, Knock)

    def _state(self, game: "pyspiel.Game", view: View, player: int) -> "pyspiel.State":
        """Return a state of OpenSpiel's game after all events seen."""
        events = self._events.seen
        theirs, hidden = self._their_cards(view)
        hands = [list(each(self._events.dealt)), theirs]
        state = game.new_initial_state()
        if self._events.upcard is None or view.rules.first_turn == "eleven":  # no upcard is turned
            raise ImpossibleEventError
        for card in (*hands[player], *hands[1 - player], self._events.upcard):
            state.apply_action(number(card))
        for event in _with_passes(events, view):
            _apply(state, event, hidden)
        return state

    def _their_cards(self, view: View) -> tuple[list[Card], list[Card]]:
        """Return ten cards that the opponent may have been dealt, and the cards it may have drawn since, in order.

        It was dealt or drew each card that it discarded without taking it: the first ten count as dealt, the others as drawn first.
        """
        threw = [event.card for event in self._events.seen if event.who != ME and event.kind == "throw"]
        own = [card for card in dict.fromkeys(threw) if card is not None and not self._was_open(card)]
        unseen = list(each(DECK & ~view.cards & ~bits(view.pile) & ~view.took[1] & ~view.threw[1] & ~view.threw[0]))
        self.random.shuffle(unseen)
        cards = own + unseen
        return cards[:10], cards[10:]

    def _was_open(self, card: Card) -> bool:
        """Tell whether a card was seen before the opponent first discarded it."""
        for event in self._events.seen:
            if event.card == card:
                return event.kind == "take" or event.who == ME
        return card == self._events.upcard


class Simple(OpenSpielBot):
    """OpenSpiel's SimpleGinRummyBot: takes what it can meld, discards its highest card outside melds, knocks as soon as it may."""

    def make(self, game: "pyspiel.Game", player: int) -> "pyspiel.Bot":
        """Return the simple bot."""
        return pyspiel.make_simple_gin_rummy_bot(game.get_parameters(), player)


class Uniform(OpenSpielBot):
    """OpenSpiel's uniform random bot: any legal action."""

    def make(self, game: "pyspiel.Game", player: int) -> "pyspiel.Bot":
        """Return the random bot."""
        return pyspiel.make_uniform_random_bot(player, self.random.randrange(1 << 30))


@cache
def _game(knock_limit: int, gin_bonus: int, undercut_bonus: int) -> "pyspiel.Game":
    """Return OpenSpiel's game with those options of the rules that it has."""
    numbers = {"knock_card": knock_limit, "gin_bonus": gin_bonus, "undercut_bonus": undercut_bonus}
    return pyspiel.load_game("gin_rummy", numbers)


def number(card: Card) -> int:
    """Return OpenSpiel's number of a card, whose suits are in the order spades, clubs, diamonds, hearts."""
    return (card + 13) % 52


def card_of(chosen: int) -> Card:
    """Return the card with a number of OpenSpiel."""
    return (chosen - 13) % 52


def _action(chosen: int, view: View, with_card: type[Discard] | type[Knock]) -> Action:
    if chosen == TAKE:
        return Take()
    if chosen in (DRAW, PASS):
        return Pass() if view.phase == "upcard" else Draw()
    card = card_of(chosen)
    if chosen >= PASS:  # a knock that the rules in force forbid
        return Discard(least_left(view))
    return with_card(card if view.may_discard >> card & 1 else least_left(view))


def _with_passes(events: list[Event], view: View) -> list[Event]:
    """Return the events; under a ruleset without a pass sequence, after the two passes that OpenSpiel's game requires."""
    begins_with_draw = events[0].kind == "draw" if events else False
    return [Event(ME, "pass"), Event(ME, "pass"), *events] if begins_with_draw and view.rules.first_turn == "draw" else events


def _apply(state: "pyspiel.State", event: Event, hidden: list[Card]) -> None:
    action = {"pass": PASS, "take": TAKE, "draw": DRAW}.get(event.kind)
    if action is None:
        assert event.card is not None
        action = number(event.card)
    if state.is_chance_node() or action not in state.legal_actions():
        raise ImpossibleEventError
    state.apply_action(action)
    if event.kind == "draw":
        card = event.card if event.who == ME else hidden.pop(0)
        assert card is not None
        state.apply_action(number(card))
