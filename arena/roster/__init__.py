"""Who may play: bots are found and described here, and none is imported."""
