"""Language models: the table that ranks them (``arena models``), and a seat for programs that speak MCP (``arena seat``)."""
