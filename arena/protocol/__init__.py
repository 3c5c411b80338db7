"""The conversation between referee and bot: one JSON object a line."""
