"""A seat as a server of the Model Context Protocol, on standard input and output. Source: modelcontextprotocol.io."""

from mcp.server import MCPServer

from arena.distribution import version
from arena.human.seat import TextSeat

INSTRUCTIONS = (
    "A seat at a table of gin rummy. `rules` says by what rules, `look` what has happened and which moves you have, and `act` makes"
    " a move. Play until the match is over, for more points than your opponent. All cards that you do not see are hidden."
)


def serve(seat: TextSeat) -> None:
    """Serve a seat until the other side closes the connection."""
    server: MCPServer[None] = MCPServer("arena", version=version(), instructions=INSTRUCTIONS, log_level="WARNING")

    def rules() -> str:
        """Return the rules of this match."""
        return seat.rules_text()

    def look() -> str:
        """Return the events since the last look, your view of the hand, and your moves with their numbers; wait for your turn."""
        return seat.look()

    def act(move: int | str, why: str = "") -> str:
        """Make a move, by its number or its name; return the events until your next turn. `why`: one sentence for the replay."""
        return seat.act(str(move), why)

    for tool in (rules, look, act):
        server.add_tool(tool, structured_output=False)
    server.run("stdio")
