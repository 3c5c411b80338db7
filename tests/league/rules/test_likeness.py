"""Bots that decide alike, beyond the templates that a league has handed out."""

from msgspec.structs import replace
from support.leagues.events import joined
from support.leagues.position_sets import few_positions

from arena.gin.rules import Rules
from arena.league.rules.events import Answered, AnyEvent, TemplateAnswered
from arena.league.rules.field import fold
from arena.league.rules.likeness import (
    FAULT,
    LEAST,
    MOST_PAIRS,
    AnswerTable,
    LikeGroup,
    Likeness,
    LikenessRule,
    answer_tables,
    compare,
    groups,
    is_suspicious,
    nearest,
)
from arena.league.rules.likeness import OWN as OWN_TEMPLATE
from arena.league.suspects import SHOWN, SuspectedCopies, position_words, suspected_copies

SAME, OWN = "a" * 100, "a" * 80 + "b" * 20
CLASS = {"t1": SAME, "t2": SAME, "ann": OWN, "bob": OWN, "eve": OWN, "cat": "a" * 80 + "c" * 20, "dan": "a" * 95 + "d" * 5}


def events(template: str = "") -> list[AnyEvent]:
    known = {"at": "2026-01-01T00:00:00Z", "positions": "0" * 64}
    found: list[AnyEvent] = []
    if template:
        found.append(TemplateAnswered(template="starter.py", digest="1" * 64, answers=" ".join(template), **known))
    for name, answers in CLASS.items():
        found += [*joined(name, author=name), Answered(version=f"{name}@1", answers=" ".join(answers), **known)]
    return found


def found_groups(template: str = "") -> list[LikeGroup]:
    known = events(template)
    return groups(fold(known).active, known, LikenessRule())


def pairs(agreement: str) -> str:
    """Return the words for the pairs of ann, bob and eve."""
    return ", ".join(f"{one}@1 and {other}@1 in {agreement}" for one, other in (("ann", "bob"), ("ann", "eve"), ("bob", "eve")))


def test_look_alikes_are_one_group_and_those_like_the_template_another() -> None:
    assert [str(one) for one in found_groups(SAME)] == [
        "2 bots decide like the template starter.py in at least 100 of 100 positions: t1@1, t2@1",
        f"ann@1, bob@1 and eve@1 decide alike: {pairs('20 of 20 positions beyond the templates')}",
    ]


def test_without_templates_every_position_counts_and_two_are_named_as_a_pair() -> None:
    assert [str(one) for one in found_groups()] == [
        "t1@1 and t2@1 decide alike in 100 of 100 positions",
        f"ann@1, bob@1 and eve@1 decide alike: {pairs('100 of 100 positions')}",
    ]


def test_what_a_template_explains_is_no_evidence() -> None:
    known = events(SAME)
    (answers,) = answer_tables(fold(known).active, known)
    places = {one.name: at for at, one in enumerate(answers.versions)}
    same, asked = answers.counts(places["ann"])
    assert {name: (int(same[at]), int(asked[at])) for name, at in places.items()} == {
        "t1": (0, 20),
        "t2": (0, 20),
        "ann": (20, 0),  # itself
        "bob": (20, 20),
        "eve": (20, 20),
        "cat": (0, 20),
        "dan": (0, 20),
    }
    assert found_groups(OWN)[0].versions == ("ann@1", "bob@1", "eve@1")
    assert found_groups(OWN)[0].template == "starter.py"
    one = replace(found_groups(OWN)[0], versions=("ann@1",))
    assert str(one) == "1 bot decides like the template starter.py in at least 100 of 100 positions: ann@1"


def test_the_nearest_bot_is_that_with_the_most_equal_answers_also_of_templates() -> None:
    known = events(SAME)
    found = {name: (like.one, like.same, like.asked) for name, like in nearest(fold(known).active, known).items()}
    assert (found["t1@1"], found["ann@1"], found["dan@1"]) == (("t2@1", 100, 100), ("bob@1", 100, 100), ("t1@1", 95, 100))


TAKE, THROW, KNOCK = 40, 40, 40  # positions of each kind
STARTS = {  # answers of arena's own templates: in taking, throwing and knocking
    "arena: one": "take " * TAKE + "2c " * THROW + "knock:2c " * KNOCK,
    "arena: two": "draw " * TAKE + "3c " * THROW + "2c " * KNOCK,
    "arena: three": "draw " * TAKE + "4c " * THROW + "3c " * KNOCK,
}


def like_starts(**texts: str) -> list[AnyEvent]:
    """Return the events of bots with these answers, where arena's own templates were asked."""
    known = {"at": "2026-01-01T00:00:00Z", "positions": "0" * 64}
    templates = [TemplateAnswered(template=name, digest="1" * 64, answers=text, **known) for name, text in STARTS.items()]
    bots = [event for name in texts for event in joined(name, author=name)]
    return [*bots, *templates, *(Answered(version=f"{name}@1", answers=text, **known) for name, text in texts.items())]


def lines(known: list[AnyEvent]) -> list[str]:
    return [str(one) for one in groups(fold(known).active, known, LikenessRule())]


def test_several_bots_like_one_that_comes_with_arena_are_named_with_it_and_one_alone_is_not() -> None:
    one = STARTS["arena: one"]
    assert lines(like_starts(ann=one, bob=one)) == ["2 bots decide like one in at least 120 of 120 positions: ann@1, bob@1"]
    assert lines(like_starts(ann=one, bob="pass " * TAKE + "5c " * (THROW + KNOCK))) == []


def test_bots_that_are_put_together_from_known_parts_are_no_copies() -> None:
    mixed = "take " * TAKE + "3c " * THROW + "3c " * KNOCK  # takes as one, throws as two, knocks as three
    assert lines(like_starts(ann=mixed, bob=mixed)) == []
    own = "take " * TAKE + "3c " * THROW + "9c " * KNOCK
    assert lines(like_starts(ann=own, bob=own)) == ["ann@1 and bob@1 decide alike in 40 of 40 positions beyond the templates"]
    assert lines(like_starts(ann=own, bob=own.replace("9c ", "8c ", 3))) == []


def test_of_arenas_own_templates_only_the_nearest_explain_an_answer() -> None:
    rare = "take " * TAKE + "2c " * (THROW - 20) + "4c " * 20 + "knock:2c " * KNOCK  # throws half as one, half as three
    assert lines(like_starts(ann=rare, bob=rare)) == ["ann@1 and bob@1 decide alike in 20 of 20 positions beyond the templates"]


def test_templates_need_not_be_asked_unless_two_bots_of_others_answer_alike() -> None:
    known = events()
    assert is_suspicious(fold(known).active, known, LikenessRule())
    apart = [one for one in known if not isinstance(one, Answered) or one.version in ("ann@1", "cat@1", "t1@1")]
    assert not is_suspicious(fold(apart).active, apart, LikenessRule())
    with_templates = events(SAME)
    assert is_suspicious(fold(with_templates).active, with_templates, LikenessRule()), "as without templates"


def test_bots_that_were_asked_where_no_template_was_are_not_compared_beyond_templates() -> None:
    template, *known = events(SAME)
    assert isinstance(template, TemplateAnswered)
    elsewhere = [replace(template, positions="1" * 64), *known]  # another set, of another version of arena
    assert list(map(str, groups(fold(known).active, elsewhere, LikenessRule()))) == list(map(str, found_groups()))


def test_positions_in_which_a_bot_committed_a_fault_do_not_count() -> None:
    same, known = f"{'a ' * LEAST}{'b ' * 9}", {"at": "2026-01-01T00:00:00Z", "positions": "0" * 64}
    texts = {"ann": f"{same}{FAULT} a {FAULT}", "ben": f"{same}{FAULT} {FAULT} a", "cat": f"{FAULT} " * 10 + "b " * LEAST + "c c"}
    bots = [*joined("ann"), *joined("ben", author="ben"), *joined("cat", author="cat")]
    events = [*bots, *(Answered(version=f"{name}@1", answers=text, **known) for name, text in texts.items())]
    ann, ben, cat = field = fold(bots).active
    assert nearest(field, events)["ben@1"] == compare(ann, ben, events) == Likeness("ann@1", "ben@1", LEAST + 9, LEAST + 9)
    assert nearest(field, events)["cat@1"] == compare(ann, cat, events) == Likeness("ann@1", "cat@1", 9, LEAST)
    assert compare(ann, cat, [*events, replace(events[-1], answers=texts["cat"].replace("b", FAULT, 1))]) is None, "too few"
    assert compare(ann, cat, [*events, replace(events[-1], positions="1" * 64)]) is compare(ann, cat, events[:-1]) is None
    by_template = AnswerTable(field, {f"{name}@1": text for name, text in texts.items()}, {"starter.py": texts["ben"]})
    assert by_template.nearest_template(0) == Likeness("starter.py", "ann@1", LEAST + 9, LEAST + 9)
    assert by_template.nearest_template(2) == Likeness("starter.py", "cat@1", 9, LEAST)
    assert by_template.telling_positions(("ann@1", "ben@1")) == []
    (group,) = groups(field, events, LikenessRule(share=1))
    assert group.closest == (compare(ann, ben, events),)


def test_bots_that_are_alike_through_others_are_one_group_in_any_order_and_none_of_another() -> None:
    steps = {"b": 0, "d": 1, "c": 2, "a": 3}  # from each to the next, three of ten answers change
    texts = {name: "y " * 3 * step * 10 + "x " * (100 - 30 * step) for name, step in steps.items()} | {
        "e": "z " * 100,
        "f": "z " * 100,
    }
    bots = [event for name in "abcdef" for event in joined(name, author=name)]
    known = {"at": "2026-01-01T00:00:00Z", "positions": "0" * 64}
    events = [*bots, *(Answered(version=f"{name}@1", answers=text, **known) for name, text in texts.items())]
    found = groups(fold(bots).active, events, LikenessRule(share=0.7))
    assert [one.versions for one in found] == [("a@1", "b@1", "c@1", "d@1"), ("e@1", "f@1")]


def test_hundreds_of_copies_are_one_group() -> None:
    field = fold([event for number in range(300) for event in joined(f"b{number}", author=f"b{number}")]).active
    answered = [
        Answered(at="2026-01-01T00:00:00Z", version=one.id, positions="0" * 64, answers=" ".join("a" * LEAST)) for one in field
    ]
    (found,) = groups(field, answered, LikenessRule())
    assert (len(found.versions), found.pairs, len(found.closest)) == (300, 300 * 299 // 2, MOST_PAIRS)
    assert str(found).endswith(f"positions, and {300 * 299 // 2 - 3} more pairs")


def test_where_most_others_decide_otherwise_is_known_the_most_agreed_first() -> None:
    known = events()
    field = {version.name: version for version in fold(known).active}
    (answers,) = answer_tables([field[name] for name in ("dan", "ann", "bob", "cat")], known)
    found = answers.disagreements()
    assert [(one.place, one.own, one.theirs, one.agree, one.asked) for one in found][:2] == [
        (80, "a", "b", 2, 3),
        (81, "a", "b", 2, 3),
    ]
    assert len(found) == 20


def test_where_a_bot_or_all_others_committed_a_fault_nobody_decides_otherwise() -> None:
    field = fold([*joined("ann"), *joined("bob", author="bob")]).versions
    found = AnswerTable(field, {"ann@1": f"a a {FAULT}", "bob@1": f"b {FAULT} b"}, {}).disagreements()
    assert [(one.place, one.own, one.theirs, one.agree, one.asked) for one in found] == [(0, "a", "b", 1, 1)]


def test_where_as_many_others_decide_alike_as_otherwise_nothing_is_shown() -> None:
    field = fold([event for name in ("ann", "bob", "cat") for event in joined(name, author=name)]).versions
    assert AnswerTable(field, {"ann@1": "a", "bob@1": "b", "cat@1": "a"}, {}).disagreements() == []


def test_the_positions_that_show_it_are_those_in_which_fewest_others_decide_so() -> None:
    known = events("a" * 90 + "b" * 5 + "a" * 5)
    (answers,) = answer_tables(fold(known).active, known)
    telling = answers.telling_positions(("ann@1", "bob@1", "eve@1"))
    assert [one.place for one in telling] == [*range(80, 90), *range(95, 100)]
    assert (telling[0].answer, telling[0].templates, telling[0].others, telling[0].asked) == ("b", (("starter.py", "a"),), 0, 4)


def test_positions_are_shown_only_of_the_set_in_which_the_bots_were_asked() -> None:
    made = few_positions()

    def shown(digest: str) -> tuple[int, int]:
        known = [replace(event, positions=digest) if isinstance(event, Answered) else event for event in events()]
        active, authors = fold(known).active, dict.fromkeys((f"{name}@1" for name in CLASS), "ann")
        found = suspected_copies(found_groups()[1], answer_tables(active, known), authors, Rules(), made)
        return found.telling, len(found.positions)

    assert shown(made.digest) == (100, SHOWN)
    assert shown("0" * 64) == (100, 0)


def test_the_positions_are_shown_in_which_two_agree_and_those_in_which_they_differ() -> None:
    made = few_positions()
    texts = {"ann": "a" * 99 + "b", "bob": "a" * 100}

    def shown(template: str) -> SuspectedCopies:
        known = {"at": "2026-01-01T00:00:00Z", "positions": made.digest}
        given: list[AnyEvent] = [event for name in texts for event in joined(name, author=name)]
        given += [Answered(version=f"{name}@1", answers=" ".join(text), **known) for name, text in texts.items()]
        if template:
            given.append(TemplateAnswered(template=template, digest="1" * 64, answers=" ".join(texts["bob"]), **known))
        active = fold(given).active
        (group,) = groups(active, given, LikenessRule())
        return suspected_copies(group, answer_tables(active, given), dict.fromkeys(group.versions, "ann"), Rules(), made)

    for template, pair in (("", ("ann@1", "bob@1")), (f"{OWN_TEMPLATE}one", ("one", "ann@1"))):
        found = shown(template)
        (difference,) = found.differences
        assert (found.telling, len(found.positions), found.pair) == (99, SHOWN, pair)
        assert (difference.answers, difference.view) == (
            ("a", "b") if template else ("b", "a"),
            position_words(99, Rules(), made),
        )
