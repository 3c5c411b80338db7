"""Links between pages of the manual: of arena to plugins' and back, and those that lead nowhere."""

from pathlib import Path

import pytest
from support.repository.pages import ROOT

from arena.cli import built_pages
from arena.errors import PluginError
from arena.runs import manual
from arena.runs.manual_links import broken_links, with_links
from arena.testing import check_page
from arena.web import manual_pages

CUP = """# The cup

Its [spec](arena:specs), [every command](arena:commands#every-command), [the rest](more.md#the-end), [its code](cup.py),
[the end](#at-the-end), [a site](https://example.org/x), [nothing](arena:nothing),
[`a` letter](mailto:a@example.org), `[code](arena:no)`.

```text
[not a link](arena:nowhere)
```

## At the end
"""


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the page ``cup`` of a plugin, which has the page ``more`` too."""
    for name, text in {"cup.md": CUP, "more.md": "# More\n\n## The end\n", "cup.py": ""}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    places = {**manual.pages(), **{name: str(tmp_path / f"{name}.md") for name in ("cup", "more")}}
    monkeypatch.setattr(manual, "pages", lambda: places)
    return tmp_path / "cup.md"


def linked(name: str, text: str) -> str:
    return with_links(name, text, lambda words, page, heading: f"{words}={page}#{heading}")


@pytest.mark.usefixtures("cup")
def test_a_page_of_a_plugin_links_to_those_of_arena_by_name_and_to_its_own_by_path() -> None:
    shown = linked("cup", CUP)
    for found in ("spec=specs#,", "every command=commands#every-command,", "the rest=more#the-end,", "the end=cup#at-the-end,"):
        assert found in shown
    assert "its code," in shown
    assert "[a site](https://example.org/x), nothing,\n[`a` letter](mailto:a@example.org), `[code](arena:no)`." in shown
    assert "[not a link](arena:nowhere)" in shown


@pytest.mark.usefixtures("cup")
def test_a_link_of_a_plugins_page_leads_to_the_page_in_a_browser() -> None:
    shown = manual_pages.html("cup", CUP)
    assert ('href="/specs"' in shown, 'href="/commands#every-command"' in shown, 'href="/more#the-end"' in shown) == (True,) * 3


def test_a_page_of_arena_links_to_one_of_a_plugin_by_path_or_name(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "[clusters](arena/extras/cluster/CLUSTER.md#x) and [more](arena:cluster)"
    assert linked("readme", text) == "clusters=cluster#x and more=cluster#"

    def broken() -> dict[str, str]:
        raise PluginError("it cannot be loaded")

    monkeypatch.setattr(manual, "pages", broken)
    assert linked("readme", f"{text}, [rules](arena/gin/README.md)") == "clusters and more, rules=rules#"


def test_links_that_lead_somewhere_are_not_reported(cup: Path) -> None:
    cup.write_text(CUP.replace(", [nothing](arena:nothing)", ""), encoding="utf-8")
    check_page(cup)


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("arena:spec", "no page 'spec'; did you mean 'specs'? arena docs lists them"),
        ("arena:specs#nowhere", "no heading 'nowhere'; expected the words of a heading, as the-cost-of-a-fault"),
        ("#at-the-and", "no heading 'at-the-and'; did you mean 'at-the-end'? expected the words of a heading"),
        ("more.md#end", "no heading 'end'; "),
        ("../docs/specs.md", "no such file; to a page of arena: arena:NAME, by its name in arena docs"),
    ],
)
def test_a_link_that_leads_nowhere_is_one_line_with_its_place(cup: Path, link: str, problem: str) -> None:
    cup.write_text(CUP.replace("arena:nothing", link), encoding="utf-8")
    (line,) = broken_links(cup, built_pages.markdown)
    assert line.startswith(f"cup.md, line 4: {link}: {problem}")
    with pytest.raises(AssertionError, match="line 4"):
        check_page(cup)


def test_no_link_of_an_extras_page_is_broken() -> None:
    for name, place in manual.pages().items():
        if name not in manual.PAGES:
            check_page(ROOT / place)
