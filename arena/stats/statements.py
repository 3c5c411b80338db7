"""Every sentence of a report, page or help that states a probability or an interval: what is computed, and what shows its truth.

All code takes such sentences from here, and ``arena docs stats`` ends with a table of them. ``tests/stats/test_statements.py``
searches the strings of the code, its scripts and its templates for any other one. The command, below ``tests/``, shows in
simulations or on recorded hands how often the statement holds.
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
_ASSUMED = (
    "about the mean of hands held to {held}, if decks are independent and secret, blocks of deals share nothing, and conditions do"
    " not change."
)
VERDICT = Statement(
    f"A verdict is wrong at most one time in twenty, for every bot and whenever you stop, {_ASSUMED}",
    "evidence of 20: the wealth of bettors on blocks of deals has grown twentyfold",
    "studies/verdict_study.py moods honest",
)
RACE = Statement(
    f"The answer is wrong with a chance of at most {{chance}}, for all versions together and whenever you stop, {_ASSUMED}",
    "verdicts on every two versions, at levels that add up to the chance",
    "tournament/formats/test_race.py",
)
RACED = Statement(
    "wrong in at most {chance} of such races, however often you look",
    "verdicts on every two versions, at levels that add up to the chance of an error",
    "tournament/formats/test_race.py",
)
BOUNDS = Statement(
    "at least {low} with {above} and at most {high} with {below}, however often you look",
    "the means that the bettors of the verdict exclude, each side at the level of its verdict; the largest wealth so far counts",
    "studies/verdict_study.py moods honest",
)
DECIDED = Statement(
    "wrong in at most {chance} of such tests, however often you look",
    "as of a verdict; by 1 of the evidence needed, the chance of such evidence for what is not so",
    "studies/verdict_study.py moods honest",
)
LEADS = Statement(
    "Lead: points a hand on the deals of both; all bounds hold together with {level}, however often you look.",
    "as of a verdict, at the level of each test of the race",
    "studies/verdict_study.py moods honest",
)
DRAWN_BOUNDS = Statement(
    "The dot is the measured difference, the bar its bounds, each as sure as the verdict on its side, however often you look.",
    "as of a verdict",
    "studies/verdict_study.py moods honest",
)
IN_GAMES = Statement(
    "{games} of games and {matches} of matches",
    "hands as played, tilted to the difference and to each of its bounds, which are as sure as these",
    "stats/test_games.py",
)
PAIRS_CHOSEN = Statement(
    "with the 95 % interval of a number of pairs that was chosen beforehand",
    "normal, or Chernoff's where few pairs differ; from the five results of pairs of matches or games",
    "stats/test_pentanomial.py",
)
FEW_DIFFER = Statement(
    "fewer than {least} pairs differ from the most common result, or nearly all were won or lost: Chernoff's interval",
    "Chernoff's bound on the mean of scores from 0 to 1",
    "stats/test_pentanomial.py",
)
SUPERIORITY = Statement(
    "likelihood of superiority {share}",
    "normal, from the five results of pairs",
    "stats/test_pentanomial.py",
)
MOODS = Statement(
    "{blocks} fresh blocks: this test would miss a bot that plays differently in fewer than {share} of its blocks",
    "the rule of three: with 95 % fewer than 3 / n of all blocks have what n blocks did not show",
    "studies/verdict_study.py moods",
)
ALPHA = Statement(
    "The chance to call a bot better that is not.",
    "the level of the verdict, 1 / evidence",
    "studies/verdict_study.py moods honest",
)
BETA = Statement(
    "The chance to call a bot not as good that is.",
    "the level of the other verdict",
    "studies/verdict_study.py moods honest",
)
RACE_ALPHA = Statement(
    "The chance of a wrong answer, for all versions together.",
    "divided by twice the number of versions less one, for each test",
    "tournament/formats/test_race.py",
)
ACCEPTED = Statement(
    "The chance to accept {claim} wrongly.",
    "Wald's bounds of the likelihood ratio of the five results",
    "stats/test_pentanomial.py",
)
SEARCHED = Statement(
    "the tests of a search share the chances to be wrong",
    "test n of a bisection has the share 1 / n (n + 1)",
    "compare/test_regression.py",
)

# Of hands.
MATCH = Statement(
    "95 % interval {low} to {high}",
    "Student's interval of the mean of pairs of legs of at most two deals, each leg in a new process; the number of hands is fixed",
    "studies/hand_intervals.py match",
)
LOSES = Statement(
    "{bot} can lose at least {points} points a hand (95 %)",
    "the lower bound of a verdict, after a number of hands that is chosen beforehand",
    "studies/hand_intervals.py exploit",
)
PLACED = Statement(
    "the mean of {pairs} against bots of about its strength, with its 95 % interval",
    "Student's interval of pairs of legs of ten deals; the anchors' ratings count as exact",
    "studies/hand_intervals.py placement",
)
MODEL_POINTS = Statement(
    "Points are less the luck of the draws, ± 95 % interval; models whose intervals overlap are not separated.",
    "Student's interval of pairs of legs",
    "studies/hand_intervals.py match",
)
REMOTE = Statement(
    "Points a hand: against those that it met, the luck of the draws subtracted, with a 95 % interval.",
    "Student's interval of games",
    "studies/hand_intervals.py match",
)
PERSON = Statement(
    "The interval is that of the hands alone, with 95 %.",
    "Student's interval of games, each by the rating of its opponent, which counts as exact",
    "studies/hand_intervals.py match",
)
POINTS_A_HAND = Statement(
    "Points a hand are net, with a 95 % interval.",
    "Student's interval of matches",
    "studies/hand_intervals.py lines",
)
OF_TWO = Statement(
    "± is half of a 95 % interval, for these two alone.",
    "Student's interval of pairs of legs",
    "studies/hand_intervals.py differences",
)
POINTS_SO_FAR = Statement(
    "Net points a hand, with 95 % intervals, as more hands count.",
    "Student's interval of matches, each around the mean against its opponent; after each number of hands, not for all together",
    "studies/hand_intervals.py lines",
)
MATCHUPS = Statement(
    "▲︎ and ▼︎: more than chance, by a 95 % interval for this opponent alone.",
    "Student's interval of pairs of legs, with the scatter of all opponents' pairs",
    "studies/hand_intervals.py differences",
)
REQUESTS = Statement(
    "in {compared} of them challengers scored {difference} ± {half} points a hand {direction} than in drawn ones of the same bots",
    "95 %: Student's interval of pairs of legs, with the scatter of all bots' pairs",
    "studies/hand_intervals.py differences",
)
REQUESTS_CHANCE = Statement("{more} than chance explains", "whether that interval has 0", "studies/hand_intervals.py differences")
SECOND_LEGS = Statement(
    "A bot whose legs share nothing ever reaches an evidence of {evidence} with a chance of at most {chance}.",
    "the wealth of bettors on the sign of the gain in the leg played second",
    "studies/second_legs.py",
)
RESOLVES = Statement(
    "bots so far apart are in the right order 95 times in 100",
    "the variance of a difference by the schedule, with typical hands",
    "stats/test_resolution.py",
)

# Of ratings and who is the strongest.
RATING = Statement(
    "95 % interval",
    "of a rating: the wider of that by results alone and of the posterior that corrects for the luck of the best",
    "studies/elo.py formats",
)
BELOW = Statement(
    "below {end}",
    "the upper bound (97.5 %) of the rating of a bot that never won, by the likelihood of its results",
    "studies/elo.py perfect",
)
ABOVE = Statement("above {end}", "the same of a bot that never lost", "studies/elo.py perfect")
OVERLAP = Statement(
    "A bot whose bar reaches into the interval of the first may be as strong.",
    "overlap of two intervals of 95 %",
    "studies/elo.py formats",
)
PLACES = Statement(
    "ranks that it may deserve, with 95 %",
    "ranks in draws of the ratings, without 2.5 % at either end",
    "studies/ranks.py chances",
)
RANKS = Statement(
    "How likely each bot is to deserve each rank by {rating}, in per cent.",
    "ranks in draws of the ratings",
    "studies/ranks.py chances",
)
CHANCE = Statement(
    "chance to be the strongest by {rating}; a range, because how much the bots differ is not known.",
    "from the least over all divisions of the field, each with the least spread that results allow, to that of the errors alone",
    "studies/ranks.py chances",
)
RANGE = Statement("A chance is a range, because how much the bots differ is not known.", "the same", "studies/ranks.py chances")
LEADER = Statement("a chance of {chance} that {bot} is the strongest by {rating}", "the same", "studies/ranks.py chances")
EQUAL = Statement(
    "{chance} if all were equal", "one divided by the number of the bots that chances are of", "studies/ranks.py chances"
)
MORE_LIKELY = Statement(
    "by {rating} {strongest} is more likely the strongest, with a chance of {chance}; {leader} has {own}",
    "the same",
    "studies/ranks.py chances",
)
LIKELY = Statement("Likely", "the least chance of the leader to be the strongest is 60 % or more", "studies/ranks.py chances")
STRONGEST = Statement(
    "the strongest by {rating} is {bots} (95 %, however often you look)",
    "evidence of the differences of successive ratings (`strongest.py`); in a league, of direct meetings, as `--until-sure`",
    "studies/ranks.py settled",
)
SETTLED = Statement(
    "Settled",
    "one bot alone may be the strongest; of a comparison, race or tune: a verdict has been reached",
    "studies/ranks.py settled",
)
SURE = Statement(
    "Stop when the aim is known at the spec's level.",
    "verdicts on the direct meetings of two versions each, at levels that add up to that level",
    "studies/until_sure.py",
)
GAINED = Statement(
    "{gain} ± {half} over {before}",
    "95 %: the root of the sum of squares of both ratings' intervals, which is too wide, because versions share errors",
    "studies/intervals.py",
)
RESIDUAL = Statement(
    "it did better (+) or worse (-) than its rating by points says, in standard errors; beyond 3 is rare",
    "the residual of a pairing by the fit, divided by its standard error",
    "stats/test_fit.py",
)
FEW_OF = Statement(
    "few {what}: a reliable interval needs at least {least}",
    "the scatter has fewer than 20 degrees of freedom; until then that of any two bots counts, which is larger",
    "stats/test_estimates_points.py",
)
ALIKE = Statement(
    "all pairs ended alike: the interval allows for exceptions that were not seen",
    "the rule of three, as a variance",
    "stats/test_estimates_degenerate.py",
)

# Of reviews.
TWO_ERRORS = Statement(
    "± two standard errors",
    "the scatter of hands, or of a decision's rollouts, which count as independent",
    "studies/reviews.py",
)
MARKED = Statement(
    "inaccuracies, mistakes and blunders, which cost at least 2, 4 and 8 points beyond doubt",
    "the price less two standard errors",
    "studies/reviews.py",
)
