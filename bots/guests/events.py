"""Reconstruct the events of a hand from complete turns, for players that expect a stream of events."""

from typing import Literal

from msgspec import Struct

from arena.sdk import Action, Card, Discard, Draw, Knock, Take, View, each

Who = Literal[0, 1]
Me: Who = 0
Them: Who = 1


class Event(Struct, frozen=True):
    """One thing that a player did."""

    who: Who
    what: Literal["pass", "take", "draw", "throw"]
    card: Card | None = None  # None: only that player knows it


class HandEvents:
    """The events of one hand. Call ``see`` with every turn of the hand and ``did`` with every answer."""

    def __init__(self) -> None:
        self.seen: list[Event] = []
        self.dealt: int = 0  # my first ten cards
        self.upcard: Card | None = None  # the first
        self._at: tuple[int, int] | None = None
        self._took = self._threw = 0  # by the opponent, up to the last turn seen

    def see(self, view: View) -> None:
        """Add the opponent's actions since my last answer; a new hand starts with no events."""
        if self._at != (view.game, view.hand):
            self._begin(view)
        took, threw = view.took[1] & ~self._took, view.threw[1] & ~self._threw
        self._took, self._threw = view.took[1], view.threw[1]
        if threw:
            self._opponent(took, next(each(threw)))
        elif view.phase in ("upcard", "first_draw") and view.dealer is (view.phase == "upcard"):
            self.seen.append(Event(Them, "pass"))
        if view.drawn is not None and self.seen and self.seen[-1] == Event(Me, "draw"):
            self.seen[-1] = Event(Me, "draw", view.drawn)

    def did(self, view: View, action: Action) -> None:
        """Add my own answer."""
        match action:
            case Take():
                self.seen.append(Event(Me, "take", view.upcard))
            case Draw():
                self.seen.append(Event(Me, "draw"))
            case Discard(card) | Knock(card):
                self.seen.append(Event(Me, "throw", card))
            case _:
                self.seen.append(Event(Me, "pass"))

    def are_all(self, view: View) -> bool:
        """Tell whether these events are all of the hand. A player that was started in the middle of it has missed some."""
        pile, took, threw = [self.upcard], [0, 0], [0, 0]
        for event in self.seen:
            if event.what == "throw" and event.card is not None:
                pile.append(event.card)
                threw[event.who] |= 1 << event.card
            elif event.what == "take" and event.card is not None:
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

    def _opponent(self, took: int, threw: Card) -> None:
        card = next(each(took), None)
        self.seen.append(Event(Them, "draw") if card is None else Event(Them, "take", card))
        self.seen.append(Event(Them, "throw", threw))
