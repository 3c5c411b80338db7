"""A seat as a server of the Model Context Protocol, on standard input and output. Source: modelcontextprotocol.io."""

import logging

from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent
from pydantic import StrictFloat, StrictInt, StrictStr

from arena.distribution import version
from arena.errors import InputError
from arena.extras.models.seat import TextSeat

INSTRUCTIONS = (
    "A seat at a table of gin rummy. `rules` says by what rules, `look` what has happened and which moves you have, and `act` makes"
    " a move. Play until the match is over, for more points than your opponent. All cards that you do not see are hidden."
)


def serve(seat: TextSeat) -> None:
    """Serve a seat until the other side closes the connection."""
    logging.getLogger("mcp").setLevel(logging.WARNING)  # the run of a match sets the level of all loggers
    server: MCPServer[None] = MCPServer("arena", version=version(), instructions=INSTRUCTIONS, log_level="WARNING")

    def rules() -> str:
        """Return the rules of this match."""
        return seat.rules_text()

    def look() -> str:
        """Return the events since the last look, your view of the hand, and your moves with their numbers; wait for your turn."""
        return seat.look()

    def act(move: StrictInt | StrictFloat | StrictStr, why: str | None = None) -> CallToolResult:
        """Make a move, by its number or its name; return the events until your next turn. `why`: one sentence for the replay.

        A move that is not possible is an error, and changes nothing.
        """
        try:
            text, is_error = seat.act(str(move), why or ""), False
        except InputError as error:
            text, is_error = str(error), True
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)

    for tool in (rules, look, act):
        server.add_tool(tool, structured_output=False)
    server.run("stdio")
