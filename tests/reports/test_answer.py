"""The answer of a report: who leads or won, how sure that is as evidence of strength, and what would make it surer."""

import pytest
from msgspec.structs import replace
from support.records.reported import report

from arena.reports.answer import DuelCommands, answer_of_standings
from arena.reports.answer_card import NOTHING_PLAYED, AnswerCard, Strip, axis
from arena.reports.answer_pictures import svg
from arena.reports.html_page import HtmlPage
from arena.reports.markdown import Markdown
from arena.reports.numbers import names, percent
from arena.reports.strip_lines import strip_lines
from arena.reports.text import ConsoleText
from arena.stats.estimate import Estimate
from arena.stats.format_details import Column, Details, Encounter, Encounters, PlaceTable, how_decided
from arena.stats.standings import Standing
from arena.stats.statements import SETTLED
from arena.stats.tally import Counts, Tally

MET = Counts(matches_won=6, matches_lost=4, pairs_won=3, pairs_lost=2, games_won=20, games_lost=15, points_for=600, hands=300)
ONE = "a chance of 77 % that ann is the strongest by Elo; the strongest by Elo is one of ann and bob (95 %, however often you look)"


def field(first: float, **out_after: float | None) -> list[Standing]:
    """Return a leader with its chance to be first, and the others, with the play after which they do not contend; None: now."""
    leader = Estimate(50.0, 10.0, 90.0, ranks=(first, 1 - first), contends=True)
    rest = [
        Standing(rank, name, MET, Estimate(0.0, -40.0, 40.0, contends=times is not None, out_after=times))
        for rank, (name, times) in enumerate(out_after.items(), 2)
    ]
    return [Standing(1, "ann", MET, leader), *rest]


COMMAND = "arena duel ann 'my bots/bob.py:Bob' --rules classic"


def found(rows: list[Standing], met: Counts = MET, decided: str = "", *, finished: bool = True) -> AnswerCard:
    everyone = [row.entrant for row in rows]
    tally = Tally({one: {two: met for two in everyone if two != one} for one in everyone})
    duels = DuelCommands({"ann": "ann", "bob": "my bots/bob.py:Bob"}, "classic")
    return answer_of_standings(rows, tally, "bradley-terry", Details(decided=decided), finished=finished, duels=duels)


def upset() -> list[Standing]:
    """Return a field whose first bot is not the one that is most likely the strongest."""
    rows = field(0.2, bob=2.0)
    rows[1] = Standing(2, "bob", MET, Estimate(80.0, 0.0, 160.0, ranks=(0.8, 0.2), contends=True))
    return rows


def test_a_leader_that_alone_may_be_the_strongest_is_settled_and_needs_no_more_play() -> None:
    answer = found(field(0.98, bob=None, cid=None), finished=False)
    assert answer.lines == [
        "ann leads: 6–4 in matches, +2.00 points a hand.",
        "Settled: the strongest by Elo is ann (95 %, however often you look).",
    ]


def test_a_league_has_no_rest_that_would_make_its_leader_surer() -> None:
    rows, tally = field(0.5, bob=2.0), Tally({"ann": {"bob": MET}, "bob": {"ann": MET}})
    answer = answer_of_standings(rows, tally, "bradley-terry", finished=False, is_league=True)
    assert answer.advice == "To be surer: more rounds of the league."


def test_nobody_leads_bots_that_it_has_not_met_even_by_others() -> None:
    rows = [replace(row, rank=1) for row in field(0.99, bob=1.1, cid=1.2, dan=1.3)]
    tally = Tally({"ann": {"bob": MET}, "bob": {"ann": MET}, "cid": {"dan": MET}, "dan": {"cid": MET}})
    level = answer_of_standings(rows, tally, "bradley-terry", finished=False)
    assert level.statements == [
        "Nobody leads yet.",
        "Nothing compares all bots: some bots have not met, not even by way of others.",
    ]
    ahead = field(0.99, bob=1.1, cid=1.2, dan=1.3)
    assert answer_of_standings(ahead, tally, "bradley-terry", finished=False).who == "Nobody leads yet"
    by_format = answer_of_standings(ahead, tally, "bradley-terry", Details(stage="season 1 of 2"), finished=False)
    assert (by_format.who, by_format.strips) == ("ann leads", ())


def test_a_large_chance_alone_settles_nothing() -> None:
    assert found(field(0.999, bob=1.1)).sure == "Likely"


def test_a_bot_that_has_not_been_rated_yet_may_be_the_strongest() -> None:
    rows = [*field(0.98, bob=None), Standing(3, "cid", MET)]
    assert found(rows, finished=False).why.endswith("; the strongest by Elo is one of ann and cid (95 %, however often you look)")


def test_what_is_settled_is_not_taken_back_when_another_bot_leads() -> None:
    rows = field(0.3, bob=None)
    rows[1] = replace(rows[1], rating=Estimate(80.0, 0.0, 160.0, ranks=(0.7, 0.3), contends=False))
    answer = found(rows, finished=False)
    assert (answer.who, answer.sure) == ("bob leads", "Weak as evidence of strength")
    assert answer.why == "the strongest by Elo is ann (95 %, however often you look)"


def test_those_that_may_be_the_strongest_are_named_with_the_pairs_and_the_duel_that_would_do() -> None:
    answer = found(field(0.77, bob=4.5, cid=None))
    surer = "about 18 more pairs between every two bots, or a duel of ann and bob"
    assert (answer.sure, answer.why, answer.surer, answer.command) == ("Likely", ONE, surer, COMMAND)
    assert answer.lines[-1] == f"To be surer: {surer}: {COMMAND}"


def test_of_many_that_may_be_the_strongest_the_number_is_named_and_of_all_nothing() -> None:
    five = dict.fromkeys(("bob", "cid", "dan", "eve"), 3.0)
    assert "the strongest by Elo is one of 5 bots (95 %," in found(field(0.4, **five, fay=None)).why
    assert found(field(0.4, **five)).why == "a chance of 40 % that ann is the strongest by Elo (50 % if all were equal)"


def test_where_results_decide_who_plays_only_the_chance_is_stated() -> None:
    rows = [replace(row, rating=replace(row.rating, contends=None)) for row in field(0.99, bob=None) if row.rating]
    answer = found(rows)
    assert (answer.sure, answer.why) == ("Likely", "a chance of 99 % that ann is the strongest by Elo")
    assert answer.surer == "a duel of ann and bob"


def test_a_bot_that_no_command_finds_by_its_name_is_in_no_command() -> None:
    answer = found(field(0.77, cid=4.5))
    assert (answer.surer, answer.command) == ("about 18 more pairs, or a duel of ann and cid", "")
    assert answer.lines[-1].endswith("ann and cid.")


def test_bots_that_are_nearly_equal_get_no_number_of_pairs() -> None:
    assert found(field(0.4, bob=90.0, cid=3.0)).surer == "a duel of ann and bob"


def test_of_a_run_that_is_not_finished_the_rest_comes_first() -> None:
    answer = found(field(0.77, bob=4.5), finished=False)
    assert (answer.surer, answer.command) == ("the rest of this run", "")


@pytest.mark.process
def test_where_nothing_would_make_it_surer_the_command_of_a_stopped_run_plays_on() -> None:
    settled = found(field(1.0, bob=None), finished=False)
    assert (settled.sure, settled.surer, settled.advice) == (str(SETTLED), "", "")
    assert replace(settled, command="arena run spec.yaml").advice == "To play on: arena run spec.yaml"
    page = HtmlPage().render(replace(report(), answer=replace(settled, command="arena run spec.yaml")))
    assert "To be surer" not in page
    assert "<strong>To play on:</strong>" in page


def test_what_was_added_to_a_run_stands_after_how_sure_it_is_everywhere() -> None:
    grown = "Added on 31 January 2026, after 24 matches: cid; earlier figures were without this"
    answer = replace(found(field(0.77, bob=4.5)), grown=grown)
    assert answer.statements[-1] == f"{grown}."
    shown = replace(report(), answer=answer)
    for text in (HtmlPage().render(shown), ConsoleText().render(shown), Markdown().render(shown), svg("T", answer)):
        assert "earlier figures were without this" in " ".join(text.split())


def test_a_format_in_which_not_all_meet_alike_is_not_advised_to_play_more_pairs() -> None:
    answer = found(field(0.77, bob=4.5), decided="the final against bob, 2–1 in matches")
    assert answer.surer == "a duel of ann and bob"


def test_between_two_bots_the_pairs_are_theirs() -> None:
    assert found(field(0.77, bob=4.5)).surer.startswith("about 18 more pairs, or ")


def test_what_separates_two_with_as_many_matches_is_said() -> None:
    rows = field(0.98, bob=None)
    assert found(rows).how == "6–4 in matches, +2.00 points a hand"
    rows[1] = Standing(2, "bob", replace(MET, games_won=19))
    assert found(rows).how == "6–4 in matches, +2.00 points a hand; ahead of bob by games"


def test_a_draw_that_puts_a_bot_first_is_no_tie_break() -> None:
    rows = field(0.77, bob=4.5)
    rows[0] = replace(rows[0], counts=replace(MET, matches_lost=3, matches_drawn=1))
    rows[1] = replace(rows[1], counts=replace(MET, pairs_won=2))
    assert found(rows).how == "6–1–3 in matches, +2.00 points a hand; bob 6–4"


def test_how_sure_it_is_follows_from_the_lower_end_of_the_chance() -> None:
    rows = field(0.7, bob=3.0)
    assert rows[0].rating
    assert found(rows).sure == "Likely"
    rows[0] = Standing(1, "ann", MET, replace(rows[0].rating, first=(0.3, 0.9)))
    answer = found(rows)
    assert (answer.sure, answer.chance) == ("Not settled", (0.3, 0.9))


def test_while_it_is_played_the_leader_is_who_is_most_likely_the_strongest_even_if_another_has_won_more() -> None:
    assert found(upset(), finished=False).who == "bob leads"


def test_at_the_end_the_first_has_won_and_a_stronger_bot_makes_that_weak_evidence() -> None:
    answer = found(upset(), decided="the final against bob, 2–1 in matches", finished=True)
    assert answer.lines == [
        "ann won: the final against bob, 2–1 in matches.",
        "Weak as evidence of strength: by Elo bob is more likely the strongest, with a chance of 80 %; ann has 20 %.",
        f"To be surer: a duel of ann and bob: {COMMAND}",
    ]
    assert [strip.name for strip in answer.strips] == ["ann", "bob"]


def test_the_bot_that_is_most_likely_the_strongest_is_among_the_six_that_are_drawn() -> None:
    rows = field(0.2, **dict.fromkeys(("bob", "cid", "dan", "eve", "fay", "gus"), 2.0))
    rows[6] = Standing(7, "gus", MET, Estimate(80.0, 0.0, 160.0, ranks=(0.8, 0.2), contends=True))
    answer = found(rows, finished=True)
    assert [strip.name for strip in answer.strips] == ["ann", "bob", "cid", "dan", "eve", "gus"]
    assert answer.unit == "Elo, mean 0, by rank; 6 of 7 bots"


def test_an_interval_without_an_end_has_no_dot_and_leaves_the_axis_which_it_does_not_stretch() -> None:
    ann = Standing(1, "ann", MET, Estimate(50.0, 10.0, float("inf")))
    bob, cid = Standing(2, "bob", MET, Estimate(0.0, -40.0, 40.0)), Standing(3, "cid", MET, Estimate(-9.0, float("-inf"), 900.0))
    nothing = Standing(4, "dan", MET, Estimate(0.0, float("-inf"), float("inf")))
    answer = found([ann, bob, cid, nothing, Standing(5, "eve", MET)])
    assert [(strip.text, strip.bound) for strip in answer.strips] == [
        ("above +10", "above"),
        ("+0 (-40 to +40)", ""),
        ("below +900", "below"),
    ]
    assert answer.unit == "Elo, mean 0; 3 of 5 bots"
    assert answer.axis
    assert (answer.axis.high < 50, answer.axis.ends(answer.strips[2]), answer.axis.left_by(answer.strips[2])) == (
        True,
        (0, 1),
        (True, True),
    )
    lines = strip_lines(answer)[1:4]
    assert ["\N{BLACK CIRCLE}" in line for line in lines] == [False, True, False]
    assert svg("A run", answer).count("<circle") == 1
    assert not found([ann, replace(cid, rank=2)]).strips, "without a dot nothing is drawn"


def test_single_hands_are_counted_in_hands() -> None:
    assert "about 1,100 more hands, or" in found(field(0.77, bob=4.5), Counts(pairs_won=1, hands=300)).surer


def test_equal_results_share_the_first_place() -> None:
    rows = [Standing(1, name, MET, Estimate(0.0, -1.0, 1.0, ranks=(0.5, 0.5))) for name in ("ann", "bob")]
    surer = f"To be surer: a duel of ann and bob: {COMMAND}"
    assert found(rows).lines == ["ann and bob share the first place.", "Not settled: their results are equal.", surer]


@pytest.mark.parametrize(
    ("won", "lost", "text"),
    [
        (Counts(matches_won=1, hands=4), Counts(matches_lost=1, hands=4), "ann won the only match"),
        (Counts(matches_drawn=1, hands=4), Counts(matches_drawn=1, hands=4), "The only match was drawn"),
    ],
)
def test_of_a_single_match_only_the_result_is_said(won: Counts, lost: Counts, text: str) -> None:
    rows = [Standing(1, "ann", won, Estimate(50.0, 10.0, 90.0, ranks=(0.7, 0.3))), Standing(2, "you", lost)]
    assert found(rows).lines == [f"{text}.", "Weak as evidence of strength: a single match does not tell who is stronger."]


def test_without_a_match_nothing_is_said_but_that() -> None:
    assert NOTHING_PLAYED.lines == ["Nothing has been played yet."]


def test_a_rating_without_chances_says_only_who_leads() -> None:
    answer = found([Standing(1, "ann", MET), Standing(2, "bob", MET)])
    assert answer.lines[1] == "Whether ann is the strongest is not known."
    assert (answer.sure, answer.strips) == ("", ())


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ({"score": ("3", "2.5"), "Buchholz": ("4", "6")}, "score 3, ahead of bob with 2.5"),
        ({"score": ("3", "3"), "Buchholz": ("6.5", "6")}, "score 3, as bob has; ahead by Buchholz, 6.5 to 6"),
    ],
)
def test_a_ranking_says_what_separates_its_first_two(cells: dict[str, tuple[str, str]], text: str) -> None:
    columns = [Column(name, {"ann": one, "bob": two}) for name, (one, two) in cells.items()]
    assert how_decided(PlaceTable(title="Swiss", places=[["ann"], ["bob"]], columns=columns)) == text
    assert how_decided(PlaceTable(title="Swiss", places=[["ann", "bob"]], columns=columns)) == ""


def test_a_ranking_names_all_who_have_the_score_of_the_first() -> None:
    columns = [
        Column("score", dict.fromkeys(("ann", "bob", "cid"), "3")),
        Column("points", {"ann": "+9", "bob": "+5", "cid": "+7"}),
    ]
    text = how_decided(PlaceTable(title="Swiss", places=[["ann"], ["bob"], ["cid"]], columns=columns))
    assert text == "score 3, as bob and cid have; ahead by the tie-breaks"
    for places in ([["ann"]], [["ann", "bob"], ["cid"]]):
        assert how_decided(PlaceTable(title="Swiss", places=places, columns=columns)) == ""
    shared = how_decided(PlaceTable(title="Swiss", places=[["ann"], ["bob", "cid"]], columns=columns))
    assert shared == text, "also where both share a place"


def test_an_axis_contains_all_strips_and_0_and_has_round_ticks() -> None:
    scale = axis([Strip("ann", 190.0, -64.0, 444.0, "")])
    assert scale.low < -64
    assert scale.high > 444
    assert scale.ticks == (0.0, 200.0, 400.0)
    assert scale.place(-1e9) == 0
    assert scale.place(1e9) == 1
    assert axis([Strip("ann", 0.0, 0.0, 0.0, "")]).ticks  # of no width


def test_an_interval_that_would_stretch_the_axis_leaves_it_with_an_arrow() -> None:
    strips = (
        Strip("ann", 0.0, -10.0, 10.0, "+0 ± 10"),
        Strip("ben", 5.0, -5.0, 15.0, "+5 ± 10"),
        Strip("cat", -5.0, -400.0, 9.0, "-5 (-400 to +9)"),
    )
    card = AnswerCard(finished=True, who="ann won", unit="Elo", strips=strips)
    scale = axis(strips)
    assert (scale.low > -60, [scale.left_by(one) for one in strips]) == (True, [(False, False), (False, False), (True, False)])
    assert [line.split(" ")[3][:1] for line in strip_lines(card)[1:4]][2] == "\N{LEFTWARDS ARROW}"
    assert (card.arrows, replace(card, strips=strips[:2]).arrows) == (True, False)
    assert svg("A run", card).count("l14 -10v20z") == 1


def test_an_axis_is_as_narrow_as_the_terminal() -> None:
    card = AnswerCard(finished=True, who="ann won", unit="Elo", strips=(Strip("ann", 2.0, 1.0, 3.0, "+2.00 ± 1.00"),))
    assert max(map(len, strip_lines(card, 40))) <= 40 < max(map(len, strip_lines(card)))
    wide = AnswerCard(finished=True, who="ann won", unit="Elo, mean 0", strips=(Strip("ann", 0.0, -955.0, 955.0, "+0 ± 955"),))
    assert max(map(len, strip_lines(wide, 40))) <= 40, "the last tick is near the end of the axis"


def test_strips_are_drawn_over_one_axis_with_a_line_at_0() -> None:
    strips = (Strip("ann", 2.0, 1.0, 3.0, "+2.00 ± 1.00"), Strip("robert", 0.0, -1.0, 1.0, "+0.00 ± 1.00"))
    drawn = strip_lines(AnswerCard(finished=True, who="ann won", unit="points a hand", strips=strips))
    assert drawn == [
        "  Points a hand",
        "  ann               │        ─────────●─────────    +2.00 ± 1.00",
        "  robert   ─────────●─────────                      +0.00 ± 1.00",
        "          -1        0       +1       +2       +3",
    ]


@pytest.mark.parametrize(
    ("chance", "text"), [(0.0, "less than 1 %"), (0.004, "less than 1 %"), (0.77, "77 %"), (0.999, "more than 99 %")]
)
def test_a_chance_is_never_shown_as_certain(chance: float, text: str) -> None:
    assert percent(chance) == text


def test_of_many_bots_only_the_number_is_shown() -> None:
    assert names("abcde") == "5 bots"
    assert names("abc") == "a, b and c"
    assert names("a") == "a"


def test_a_score_is_of_what_its_encounters_could_have_brought() -> None:
    met = Encounters("round 1", {"ann": Encounter("bob"), "bob": Encounter("ann")})
    bye = Encounters("round 2", {"ann": Encounter("")})
    scores = Column("score", {"ann": "1.5", "bob": "0.5"})
    table = PlaceTable(title="Swiss", places=[["ann"], ["bob"]], columns=[scores], encounters=[met, bye])
    assert how_decided(table) == "score 1.5 of 2, ahead of bob with 0.5"


def test_ratings_that_stand_by_rank_say_so_where_they_are_in_another_order() -> None:
    assert found(field(0.98, bob=None)).unit == "Elo, mean 0"
    assert found(upset()).unit == "Elo, mean 0, by rank"
    lower = [Standing(1, "ann", MET, Estimate(50.0, 10.0, 90.0, ranks=(0.3, 0.7))), *upset()[1:]]
    assert found([*lower, *field(0.1, cid=2.0)[1:]], finished=False).unit == "Elo, mean 0", (
        "while it is played they stand by chance"
    )


@pytest.mark.parametrize(
    ("second", "named"),
    [
        (replace(MET, matches_won=5, matches_lost=5), "; bob 5–5"),
        (replace(MET, matches_won=9, matches_lost=1), ""),  # of a format that ranks by something else
        (Counts(), ""),
        (replace(MET, matches_won=0, matches_lost=0, points_for=450), "; bob +1.50"),
        (replace(MET, matches_won=0, matches_lost=0, points_for=900), ""),
    ],
)
def test_the_second_is_named_where_it_has_won_less(second: Counts, named: str) -> None:
    first, bob = field(0.98, bob=None)
    batches = not second.matches_won and second.hands
    first = replace(first, counts=replace(MET, matches_won=0, matches_lost=0)) if batches else first
    answer = found([first, replace(bob, counts=second)])
    assert answer.how.endswith(named or ("those it met" if batches else "points a hand"))


@pytest.mark.parametrize(("low", "words"), [(0.2, "a chance of 20 % to 70 %"), (0.19, "little is known; a chance of 19 % to 70 %")])
def test_a_range_of_more_than_half_tells_little(low: float, words: str) -> None:
    rows = field(0.5, bob=2.0)
    assert rows[0].rating
    wide = replace(rows[0].rating, first=(low, 0.7))
    assert found([replace(rows[0], rating=wide), *rows[1:]]).why.startswith(words)
