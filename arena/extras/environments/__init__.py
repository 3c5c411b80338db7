"""Hands of ``arena.train`` as environments of Gymnasium and PettingZoo."""
