"""The protocol between referee and bot: one JSON object per line."""
