"""The bots that come with arena, one in each file."""
