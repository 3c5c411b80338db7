"""What a plugin can add, and how plugins are found."""
