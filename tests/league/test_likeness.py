"""Bots that decide alike, beyond the templates that a league has handed out."""

from leagues import joined
from msgspec.structs import replace

from arena.gin.rules import Rules
from arena.league.rules.events import Answered, AnyEvent, TemplateAnswered
from arena.league.rules.field import fold
from arena.league.rules.likeness import (
    FAULT,
    LEAST,
    AnswerTable,
    LikeGroup,
    Likeness,
    LikenessRule,
    answer_tables,
    compare,
    groups,
    nearest,
)
from arena.league.suspects import SHOWN, positions, suspected_copies

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


def test_look_alikes_are_one_group_and_those_like_the_template_another() -> None:
    assert [str(one) for one in found_groups(SAME)] == [
        "2 bots decide like the template starter.py (t1@1, t2@1)",
        "ann@1, bob@1 and eve@1 decide alike: the closest two in 20 of 20 positions beyond the templates",
    ]


def test_without_templates_every_position_counts_and_two_are_named_as_a_pair() -> None:
    assert [str(one) for one in found_groups()] == [
        "t2@1 plays like t1@1: the same answer in 100 of 100 positions",
        "ann@1, bob@1 and eve@1 decide alike: the closest two in 100 of 100 positions",
    ]


def test_what_a_template_explains_is_no_evidence() -> None:
    known = events(SAME)
    assert {name: (like.one, like.same, like.asked) for name, like in nearest(fold(known).active, known).items()} == {
        "t1@1": ("ann@1", 0, 20),
        "t2@1": ("ann@1", 0, 20),
        "ann@1": ("bob@1", 20, 20),
        "bob@1": ("ann@1", 20, 20),
        "eve@1": ("ann@1", 20, 20),
        "cat@1": ("t1@1", 0, 20),
        "dan@1": ("ann@1", 0, 20),
    }
    assert found_groups(OWN)[0].versions == ("ann@1", "bob@1", "eve@1")
    assert found_groups(OWN)[0].template == "starter.py"
    assert str(replace(found_groups(OWN)[0], versions=("ann@1",))) == "1 bot decides like the template starter.py (ann@1)"


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
    assert [str(one) for one in groups(field, events, LikenessRule(share=1))] == [str(compare(ann, ben, events))]


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
    assert len(found.versions) == 300


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
    def shown(digest: str) -> tuple[int, int]:
        known = [replace(event, positions=digest) if isinstance(event, Answered) else event for event in events()]
        active, authors = fold(known).active, dict.fromkeys((f"{name}@1" for name in CLASS), "ann")
        found = suspected_copies(found_groups()[1], answer_tables(active, known), authors, Rules())
        return found.telling, len(found.positions)

    assert shown(positions(Rules()).digest) == (100, SHOWN)
    assert shown("0" * 64) == (100, 0)
