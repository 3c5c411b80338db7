"""Reconstructs the events of a hand from views, for players that expect a stream of events."""

from typing import Literal

from msgspec import Struct

from arena.sdk import Action, Card, Discard, Draw, Knock, Take, View, each

Who = Literal[0, 1]
ME: Who = 0
THEM: Who = 1


class Event(Struct, frozen=True):
    """An action of a player."""

    who: Who
    kind: Literal["pass", "take", "draw", "throw"]
    card: Card | None = None  # None: only that player knows it


class HandEvents:
    """The events of one hand. Call ``see`` with every view of the hand, and ``did`` with every own answer."""

    def __init__(self) -> None:
        self.seen: list[Event] = []
        self.dealt: int = 0  # my first ten cards
        self.upcard: Card | None = None  # the first one of the hand
        self._at: tuple[int, int] | None = None
        self._took = self._threw = 0  # the opponent's cards in the last view

    def see(self, view: View) -> None:
        """Add the opponent's actions since my last answer; a new hand starts with no events.

        A card that the opponent takes or throws a second time is not noticed; then ``is_complete`` is False.
        """
        if self._at != (view.game, view.hand):
            self._begin(view)
        took, threw = view.took[1] & ~self._took, view.threw[1] & ~self._threw
        self._took, self._threw = view.took[1], view.threw[1]
        if threw:
            self._add_turn(took, next(each(threw)))
        elif view.phase in ("upcard", "first_draw") and view.dealer is (view.phase == "upcard"):
            self.seen.append(Event(THEM, "pass"))
        if view.drawn is not None and self.seen and self.seen[-1] == Event(ME, "draw"):
            self.seen[-1] = Event(ME, "draw", view.drawn)

    def did(self, view: View, action: Action) -> None:
        """Add my own answer."""
        match action:
            case Take():
                self.seen.append(Event(ME, "take", view.upcard))
            case Draw():
                self.seen.append(Event(ME, "draw"))
            case Discard(card) | Knock(card):
                self.seen.append(Event(ME, "throw", card))
            case _:
                self.seen.append(Event(ME, "pass"))

    def is_complete(self, view: View) -> bool:
        """Tell whether no event of the hand is missing, as after a start in the middle of it."""
        pile, took, threw = [self.upcard], [0, 0], [0, 0]
        for event in self.seen:
            if event.kind == "throw" and event.card is not None:
                pile.append(event.card)
                threw[event.who] |= 1 << event.card
            elif event.kind == "take" and event.card is not None:
                if not pile or event.card != pile.pop():
                    return False
                took[event.who] |= 1 << event.card
        return (tuple(pile), tuple(took), tuple(threw)) == (view.pile, view.took, view.threw)

    def _begin(self, view: View) -> None:
        self.seen = []
        self._at = view.game, view.hand
        self._took = self._threw = 0
        self.dealt = view.cards
        # By my first turn the only card that the opponent can have taken is the first upcard.
        taken = next(each(view.took[1]), None)
        self.upcard = taken if taken is not None else view.pile[0] if view.pile else view.drawn

    def _add_turn(self, took: int, threw: Card) -> None:
        card = next(each(took), None)
        self.seen.append(Event(THEM, "draw") if card is None else Event(THEM, "take", card))
        self.seen.append(Event(THEM, "throw", threw))
