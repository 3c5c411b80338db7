"""Pages of which a part is built when they are shown: the commands from their help, and the statements from their module."""

from support.commands.calls import arena
from support.commands.every_command import leaves

from arena.cli import built_pages
from arena.cli.commands import TAKES_INSIDE
from arena.runs import manual


def test_the_page_of_the_commands_has_each_with_its_options_and_its_example() -> None:
    shown = arena("docs", "commands").stdout
    assert shown.startswith(manual.markdown("commands"))
    for name, command in leaves().items():
        called = built_pages.usage(name, command)
        assert shown.count(f"\n| `{called}` |") == shown.count(f"\n### `{called}`\n") == 1, name
        section = shown.partition(f"\n### `{called}`\n")[2].partition("\n### ")[0]
        assert "Example: `arena " in section, name
        assert [one for param in command.params for one in param.opts if one.startswith("--") and one not in section] == [], name


def test_other_pages_are_shown_as_they_are_written() -> None:
    assert all(built_pages.markdown(name) == manual.markdown(name) for name in manual.pages() if name not in built_pages.BUILT)


def test_a_time_is_given_for_commands_that_exist_alone() -> None:
    assert set(TAKES_INSIDE) <= set(leaves())
