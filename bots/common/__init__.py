"""What several bots share."""
