"""Rules, views and legal moves in plain words, for a bot that asks a language model or a person."""

from arena.sdk.named_moves import Move, moves, named, numbered
from arena.sdk.rule_words import rules_in_words
from arena.sdk.view_words import view_in_words

__all__ = ["Move", "moves", "named", "numbered", "rules_in_words", "view_in_words"]
