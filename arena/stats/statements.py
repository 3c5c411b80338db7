"""Every sentence of a report, page or help that states a probability or an interval, what is computed, and what shows its truth.

All code takes such sentences from here, so README.md of this package has a table of all of them, which a test compares with this
module (``tests/stats/test_statements.py``). The command prints how often the sentence holds, in simulations or on recorded hands.
"""

from msgspec import Struct


class Statement(Struct, frozen=True):
    """A sentence or a part of one; ``str()`` is its text, a call fills the fields in braces."""

    text: str
    computed: str
    command: str  # below tests/; of a study its arguments too

    def __call__(self, **fields: object) -> str:
        """Return the text with its fields filled."""
        return self.text.format(**fields)

    def __str__(self) -> str:
        """Return the text."""
        return self.text


# Of comparisons.

BOUNDS = Statement(
    "at least {low} with {above} and at most {high} with {below}, whenever you look",
    "the means that the bettors of the verdict exclude, each side at the level of its verdict; the largest wealth so far counts",
    "studies/verdict_study.py moods honest",
)
PAIRS_CHOSEN = Statement(
    "with the 95 % interval of a number of pairs that was chosen beforehand",
    "normal, or Chernoff's where few pairs differ; from the five results of pairs of matches or games",
    "stats/test_pentanomial.py",
)
LOSES = Statement(
    "{bot} can lose at least {points} points a hand (95 %)",
    "the lower bound of a verdict, after a number of hands that is chosen beforehand",
    "studies/hand_intervals.py exploit",
)

# Of hands between two bots.

MATCH = Statement(
    "95 % interval {low} to {high}",
    "Student's interval of the mean of pairs of legs of at most two deals, each leg in a new process; the number of hands is fixed",
    "studies/hand_intervals.py match",
)
MOODS = Statement(
    "{blocks} fresh blocks: a mood in fewer than {share} of them cannot be excluded",
    "the rule of three: with 95 % fewer than 3 / n of all blocks have what n blocks did not show",
    "studies/verdict_study.py moods",
)
PLACED = Statement(
    "the mean of {pairs} of legs against opponents of about its strength, with its 95 % interval",
    "Student's interval of pairs of legs of ten deals; the anchors' ratings count as exact",
    "studies/hand_intervals.py placement",
)
MODEL_POINTS = Statement(
    "Points are less the luck of the draws, ± 95 % interval; models whose intervals overlap are not separated.",
    "Student's interval of pairs of legs",
    "studies/hand_intervals.py match",
)

# Of who is the strongest.

STRONGEST = Statement(
    "the strongest by {rating} is {bots} (95 %, whenever you look)",
    "evidence of the differences of successive ratings (`strongest.py`); in a league, of direct meetings, as `--until-sure`",
    "studies/ranks.py settled",
)
LEADER = Statement(
    "a chance of {chance} that {bot} is the strongest by {rating}",
    "from the least over all divisions of the field, each with the least spread that results allow, to that of the errors alone",
    "studies/ranks.py chances",
)
MORE_LIKELY = Statement(
    "by {rating} {strongest} is more likely the strongest, with a chance of {chance}; {leader} has {own}",
    "the same",
    "studies/ranks.py chances",
)

# Of reviews.

ERROR_RATE = Statement(
    "Error rate: ± two standard errors.",
    "the scatter of hands, which count as independent",
    "studies/reviews.py",
)
