"""One fixture, played between two players by the rules."""
