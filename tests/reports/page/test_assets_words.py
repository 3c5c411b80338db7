"""Text of a page: it is escaped, and no line breaks within a name."""

from markupsafe import Markup

from arena.reports.page.assets import verbatim, whole_words


def test_a_word_with_a_hyphen_stays_whole_and_is_escaped_once() -> None:
    assert whole_words("gin-hunter & co won +1") == Markup('<span class="word">gin-hunter</span> &amp; co won +1')
    assert whole_words("<b-c>") == Markup('<span class="word">&lt;b-c&gt;</span>')
    assert whole_words(verbatim("arena run --'a'")) == Markup('arena run <span class="word">--&#39;a&#39;</span>')
    assert whole_words("a - b") == "a - b"
