"""The rules of a game as text."""

from collections.abc import Iterator

from arena.gin.rules import Rules, upcard_limit
from arena.suggestions import capital


def rules_in_words(rules: Rules) -> str:
    """Return the rules in force that matter most for a player's decisions, a line for each subject."""
    return "\n".join(filter(None, _rule_lines(rules)))


def _rule_lines(rules: Rules) -> Iterator[str]:
    yield (
        "Gin rummy for two. A card is its rank, A23456789TJQK, and its suit, c d h s. Each player holds ten cards. A meld is three"
        " or four cards of one rank, or three or more in sequence in one suit; the ace is low. A card is in one meld only. Cards in"
        " no meld are deadwood: an ace is 1 point, J, Q and K are 10, others their number."
    )
    yield "In a turn you draw from the stock or take the top of the discard pile, and then throw a card."
    if rules.first_turn == "eleven":
        yield "The player who does not deal gets eleven cards and throws one first; no upcard is turned."
    yield "" if rules.return_taken else "A card taken from the discard pile may not be thrown in the same turn."
    yield _knocking(rules)
    yield _bonuses(rules)
    yield (
        "If the upcard that is turned at the deal is a spade, the points of the hand count twice."
        if rules.double == "spades"
        else ""
    )
    yield _stock_out(rules)
    yield _goal(rules)


def _knocking(rules: Rules) -> str:
    if rules.limits == (0,):
        return "You may not knock with deadwood: only gin ends a hand before the stock is out."
    return (
        f"Instead of throwing a card openly you may knock with it, if the other ten leave at most {_limit(rules)} of"
        " deadwood. The opponent then lays its melds and lays off on yours what fits. You score the difference of deadwood."
        f" If the opponent's is less{' or equal' if rules.tie == 'undercut' else ''}, it has undercut you: it scores the difference"
        f" and {rules.undercut_bonus} points more{_tie(rules)}."
    )


def _limit(rules: Rules) -> str:
    """Return the limit of a knock in words. Rule: R6.1, R6.7."""
    if len(rules.limits) == 1:
        return f"{rules.limits[0]} points"
    if rules.limits == tuple(sorted({upcard_limit(card, rules.ace) for card in range(13)})):
        ace = "an ace allows only gin" if rules.ace == "gin" else "an ace is 1"
        return f"as many points as the upcard that is turned at the deal is worth ({ace})"
    return f"{rules.limits[-1]} points, or fewer if the hand says so,"


def _tie(rules: Rules) -> str:
    if rules.tie == "nothing":
        return "; if both are equal, there are no points"
    return "" if rules.tie_bonus is None else f", or {rules.tie_bonus} if both are equal"


def _bonuses(rules: Rules) -> str:
    theirs = "the opponent's deadwood and "
    gin = f"No deadwood after the throw is gin: it scores {theirs if rules.gin_deadwood else ''}{rules.gin_bonus} points"
    gin += ", after lay-offs." if rules.layoff_on_gin else ", and nothing may be laid off on it."
    if not rules.plays_big_gin:
        return gin
    more = theirs if rules.big_gin_deadwood else ""
    return f"{gin} All eleven cards in melds are big gin: {more}{rules.big_gin_bonus} points, without a throw."


def _stock_out(rules: Rules) -> str:
    end = {
        "dead": "the hand is dead: no points",
        "showdown": "both lay their melds, and the lower deadwood scores the difference",
        "last_take": "the other player may take that card to knock with it at once; otherwise there are no points",
    }
    return f"When two cards are left in the stock after a throw, {end[rules.stock_out]}."


def _goal(rules: Rules) -> str:
    by_total = rules.game_winner == "total"
    match = f", and a match is the best of {rules.best_of} games" if rules.best_of > 1 else ""
    goal = f"The first to reach {rules.target} points ends the game{'' if by_total or rules.hollywood else ' and wins it'}{match}."
    last = "The higher total wins the game." if by_total and not rules.hollywood else ""
    return " ".join(filter(None, (goal, *_game_bonuses(rules), _shutout(rules), _hollywood(rules), last)))


def _game_bonuses(rules: Rules) -> Iterator[str]:
    """Rule: R9.3."""
    hands = f"{rules.hand_bonus} points for each hand won" if rules.hand_bonus else ""
    at_once = rules.hand_bonus_added == "at_once"
    game = f"{rules.game_bonus} points for reaching {rules.target} first" if rules.game_bonus else ""
    bonuses = " and ".join(filter(None, ("" if at_once else hands, game)))
    yield f"Then {bonuses} are added." if bonuses else ""
    yield f"{capital(hands)} are added at once." if hands and at_once else ""


def _shutout(rules: Rules) -> str:
    """Rule: R9.3."""
    if isinstance(rules.shutout, int):
        return f"That player gets {rules.shutout} points more if the other has won no hand." if rules.shutout else ""
    what = {
        "double": "The total of that player counts",
        "hands": "The hands of that player count",
        "bonus": "The bonus for the game counts",
    }
    return f"{what[rules.shutout]} twice if the other has won no hand." if rules.shutout in what else ""


def _hollywood(rules: Rules) -> str:
    """Rule: R9.6."""
    if not rules.hollywood:
        return ""
    wins = "the higher sum of their totals wins" if rules.game_winner == "total" else "who has ended more of them wins"
    return (
        "Three games are played at once: the first hand that a player wins counts in the first, the second in the first two, every"
        f" later one in all three, as far as they are not over. When all three are over, {wins}."
    )
