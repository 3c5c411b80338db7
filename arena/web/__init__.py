"""Web servers on loopback: the live pages of ``arena serve``, and the table of ``arena play --web``."""
