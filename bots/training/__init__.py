"""Training of Scholar's networks, and measurement of strength; bots do not import it."""
