"""The seeds of a season's rounds: all are committed to when the season opens, and each is revealed when its round is over.

The seeds form a hash chain. The season's secret is the seed of its last possible round, and the seed of each round is the
SHA-256 of the seed of the next. The SHA-256 of the first round's seed is the season's commitment. A revealed seed is therefore
checked by hashing it: the result is the seed of the round before. It says nothing about the seeds of later rounds, because a
hash cannot be reversed. Source: Lamport (1981), Password authentication with insecure communication.

The secret is in a file of the league's folder. No event or record has it, except the event that closes the last possible round.
"""

from arena.tournament.seeds import commitment


def seed(secret: str, rounds: int, number: int) -> str:
    """Return the seed of a round; ``number`` is from 1 to ``rounds``, the most that the season can have; 0: the commitment."""
    found = secret
    for _ in range(rounds - number):
        found = commitment(found)
    return found


def commit(secret: str, rounds: int) -> str:
    """Return the commitment to all seeds of a season."""
    return seed(secret, rounds, 0)
