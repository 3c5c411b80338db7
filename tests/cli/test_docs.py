"""``arena docs``: every page is there, its links lead somewhere, and helps and messages name only pages that are."""

import ast
import re
from io import StringIO
from pathlib import Path
from urllib.parse import unquote

import pytest
from rich.console import Console
from support.commands.calls import arena
from support.commands.every_command import registered
from support.repository.pages import ROOT
from support.servers.asgi import HOST, ask
from typer.testing import CliRunner

from arena.cli import app, built_pages
from arena.cli.terminal_page import Page
from arena.errors import InputError
from arena.plugins import door
from arena.runs import manual
from arena.runs.manual_links import with_links
from arena.web import manual_pages as web

UNLISTED = ("arena/reports/page/vendor/", "arena/runs/templates/")  # notes for who changes arena, and files to be copied
SOURCES = [path for path in (ROOT / "arena").rglob("*.py") if "studies" not in path.parts]


def test_every_page_that_is_installed_is_in_the_list() -> None:
    there = {str(path.relative_to(ROOT)) for folder in ("arena", "bots") for path in (ROOT / folder).rglob("*.md")}
    inside = {path for path in manual.pages().values() if path.startswith(("arena/", "bots/"))}
    assert {path for path in there if not path.startswith(UNLISTED)} == inside


def test_without_a_page_all_are_listed_with_their_titles() -> None:
    shown = arena("docs").stdout.splitlines()
    assert [line.split()[0] for line in shown] == [*manual.pages()]
    assert "specs         Specs" in shown


@pytest.mark.parametrize("name", ["specs", "tournaments/README.md"])
def test_a_page_is_printed_as_it_is_where_nobody_sees_it(name: str) -> None:
    assert arena("docs", name).stdout == (ROOT / "tournaments" / "README.md").read_text(encoding="utf-8")


def test_a_page_that_is_none_is_one_line_with_the_nearest() -> None:
    done = arena("docs", "protocl")
    assert (done.returncode, done.stderr) == (2, "arena: no page 'protocl'; did you mean 'protocol'? arena docs lists them\n")


def test_without_the_package_of_the_bots_no_file_of_the_current_folder_is_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "README.md").write_text("# Another")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("arena.distribution.folders", lambda _: ())
    with pytest.raises(InputError, match="arena_bots is missing"):
        manual.markdown("bots")


def test_links_become_the_command_that_shows_their_page() -> None:
    shown = with_links("sdk", manual.markdown("sdk"), lambda text, page, _: f"{text} ({page})")
    assert "](../" not in shown
    assert "(protocol)" in shown


def html(name: str) -> str:
    return web.html(name, built_pages.markdown(name))


@pytest.mark.process
@pytest.mark.parametrize("name", manual.pages())
def test_every_link_of_a_page_in_a_browser_leads_to_a_page_and_a_heading_of_it(name: str) -> None:
    content = html(name)
    links = [link for link in re.findall(r'href="([^"]*)"', content) if not link.startswith(("https://", "http://"))]
    for link in links:
        page, _, anchor = link.removeprefix("/").partition("#")
        assert page in manual.pages()
        assert not anchor or f'id="{anchor}"' in html(page), link
    assert "<img" not in content


def test_the_list_in_a_browser_has_groups_and_a_sentence_for_each_page() -> None:
    assert [name for names in manual.groups().values() for name in names] == [*manual.pages()]
    assert [name for name in manual.pages() if not re.fullmatch(r"[A-Z`].*[.?]", manual.first_sentence(name))] == []
    shown = ask(web.app([HOST]), "GET", "/").text
    assert [f'href="/{name}"' in shown for name in manual.pages()] == [True] * len(manual.pages())
    assert all(f">{group}</h2>" in shown for group in manual.groups())


def test_a_search_in_a_browser_leaves_the_pages_that_have_all_the_words() -> None:
    app = web.app([HOST])
    shown = ask(app, "GET", "/?find=Landlock+seccomp").text
    assert ('href="/sandbox"' in shown, 'href="/awk-counter"' in shown, "Landlock seccomp" in shown) == (True, False, True)
    assert "0 pages" in ask(app, "GET", "/?find=zzzz").text
    assert "<mark>" not in ask(app, "GET", "/").text


@pytest.mark.process
@pytest.mark.parametrize("words", ["Landlock", "knock", "interval"])
def test_what_is_found_is_marked_and_its_heading_leads_to_the_place(words: str) -> None:
    shown = ask(web.app([HOST]), "GET", f"/?find={words}").text
    assert f"<mark>{words.lower()}" in shown.lower()
    for page, anchor in re.findall(r'<a href="/([\w-]+)#([^"]+)">', shown):
        assert f'id="{unquote(anchor)}"' in html(page)


def test_the_pages_are_served_to_this_machine_alone() -> None:
    app = web.app([HOST])
    assert ask(app, "GET", "/").status == ask(app, "GET", "/specs").status == ask(app, "GET", "/static/style.css").status == 200
    assert ask(app, "GET", "/nothing").status == 404
    assert ask(app, "GET", "/specs", host="evil.example").status == 421


def test_the_version_is_one_line() -> None:
    assert re.fullmatch(r"ginrummy-arena \S+, core (python|compiled), Python \S+\n", arena("--version").stdout)


@pytest.mark.parametrize("name", ["", *registered()])
def test_a_help_names_no_file_that_only_a_clone_has(name: str) -> None:
    shown = CliRunner().invoke(app.build(), [*name.split(), "-h"]).stdout
    assert re.findall(r"\S+\.md\b|tournaments/\S*", shown) == []


def literals(path: Path) -> list[str]:
    """Return the texts of a module that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    docstrings = {id(node.body[0].value) for node in documented if node.body and isinstance(node.body[0], ast.Expr)}
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
    return [node.value for node in texts if isinstance(node.value, str)]


@pytest.mark.process
def test_messages_name_pages_by_the_command_that_shows_them() -> None:
    sources = [path for path in SOURCES if path.name not in {"manual.py", "manual_links.py", "plugin.py"}]
    named = {path: text for path in sources for text in literals(path) if re.search(r"[A-Z]{3}\.md\b", text)}
    assert named == {}
    every = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "arena").rglob("*") if path.suffix in (".py", ".yaml"))
    pages = set(re.findall(r"arena docs ([a-z][\w-]*)", every))
    assert len(pages) > 3
    assert pages <= {*manual.pages(), *door.pages(door.load()), "lists", "my-part"}  # the last is of a template


def test_a_terminal_shows_code_in_whole_lines_and_all_of_a_table() -> None:
    console = Console(width=30, file=(shown := StringIO()), color_system=None)
    code, word = "parameters:  # by default all that the bot declares", "Path(__file__).with_name(cup.md)"
    console.print(Page(f"```yaml\n{code}\n```\n\n| a |\n| --- |\n| `{word}` |\n"), crop=False)
    assert code in map(str.rstrip, shown.getvalue().splitlines())
    assert word in "".join(shown.getvalue().split())
