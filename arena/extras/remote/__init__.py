"""Bots that play from elsewhere: pairing, clocks, sessions, records, the server's end of a seat and the author's."""
