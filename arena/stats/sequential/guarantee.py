"""What a verdict promises, in the one sentence that every page and help text uses."""

GUARANTEE = (
    "A verdict is wrong at most one time in twenty, for every bot and whenever you stop, about the mean of hands held to ±60"
    " points, if decks are independent and secret, blocks of deals share nothing, and conditions do not change."
)
DETERMINISTIC = (  # added where deals are skipped
    "Assumed as well: both bots are deterministic, that is, an answer depends on nothing but the turns of the hand so far."
)
