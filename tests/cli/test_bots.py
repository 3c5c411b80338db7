"""``arena bots list``, as a user calls it."""

import pytest
from support.commands.calls import arena, document


@pytest.mark.process
def test_every_installed_bot_is_listed_with_what_it_is() -> None:
    rows = {row["name"]: row for row in document("bots", "list", "--json")["bots"]}
    assert rows["greedy"]["source"] == "ginrummy-arena arena_bots.greedy:Greedy"
    assert len(rows["greedy"]["digest"]) == 64


@pytest.mark.process
def test_a_bot_that_cannot_be_entered_here_does_not_hide_the_others() -> None:
    listed = arena("bots", "list", PATH="/nowhere")  # where there is no node
    assert listed.returncode == 0
    message = {line.split()[0]: line for line in listed.stdout.splitlines()}
    assert "command 'node' not found in the bot's folder or on PATH" in message["node-counter"]
    assert "arena_bots.greedy:Greedy" in message["greedy"]
