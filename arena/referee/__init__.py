"""Plays a fixture between two players, enforces the rules, and checks records afterwards."""
