"""The search in the manual."""

import re

import pytest

from arena.errors import InputError
from arena.runs import manual
from arena.runs.manual_search import LENGTH, Excerpt, plain, search

PAGE = (
    """# Title

Before any heading a [link to wolves](wolves.md) stands.

## Beasts of `prey`

"""
    + "word " * 100
    + """The **Wolf** hunts with a bear """
    + "word " * 100
    + """

```sh
# a comment

echo bear
```

| name | food |
| --- | --- |
| fox | hens |
"""
)


def excerpt(words: str) -> Excerpt | None:
    return next(iter(search(words, lambda _: PAGE).values()))


def test_an_excerpt_marks_every_word_and_is_cut_between_words() -> None:
    found = excerpt("WOLF bear")
    assert found
    assert found.heading == "Beasts of prey"
    assert [text for text, hit in found.parts if hit] == ["Wolf", "bear"]
    text = "".join(text for text, _ in found.parts)
    assert re.fullmatch(r"… word .*The Wolf hunts with a bear .* word …", text)
    assert len(text) <= LENGTH + len("…  …")


def test_an_excerpt_is_around_the_words_one_after_the_other_and_not_around_parts_of_longer_words() -> None:
    page = "# Title\n\nA hand of thousands, dead tired.\n\nIt is a dead hand."
    [found, *_] = search("dead hand", lambda _: page).values()
    assert found == Excerpt("", (("It is a ", False), ("dead", True), (" ", False), ("hand", True), (".", False)))
    [found, *_] = search("sand", lambda _: "# Title\n\nThousands.\n\nSand.").values()
    assert found == Excerpt("", (("Sand", True), (".", False)))


def test_pages_with_the_words_one_after_the_other_come_first() -> None:
    first, *_, last = manual.pages()
    texts = {first: "# Title\n\nA hand that is dead.", last: "# Title\n\n## Dead hands\n\nText."}
    assert list(search("dead hand", lambda name: texts.get(name, "# Title"))) == [last, first]


def test_marks_of_markdown_and_the_targets_of_links_are_left_out() -> None:
    found = excerpt("wolves")
    assert found == Excerpt("", (("Before any heading a link to ", False), ("wolves", True), (" stands.", False)))
    assert plain("| fox | hens |") == "fox · hens"
    assert plain("The `wolf\nhunts` well.\n```sh\necho fox\n```") == "The wolf hunts well. echo fox"


def test_a_comment_in_code_is_no_heading() -> None:
    found = excerpt("hens")
    assert found
    assert found.heading == "Beasts of prey"


def test_a_word_that_stands_in_a_name_or_the_target_of_a_link_alone_has_no_excerpt() -> None:
    assert excerpt("wolves.md") is None
    assert search("sandbox", lambda _: "# Nothing")["sandbox"] is None


def test_a_page_that_cannot_be_read_is_not_found_by_its_text() -> None:
    def read(name: str) -> str:
        raise InputError(name)

    assert search("wolf", read) == {}
    assert list(search("specs", read)) == ["specs"]


@pytest.mark.parametrize("words", ["landlock seccomp", "interval", "(", "±", "knock"])
def test_every_page_that_is_found_shows_a_place_with_a_word(words: str) -> None:
    for name, found in search(words).items():
        assert name in manual.pages()
        if found:
            assert any(hit for _, hit in found.parts), name
