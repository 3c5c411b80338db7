"""Numbers from records; pure, and numpy is imported only here."""
