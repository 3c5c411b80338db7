"""What the signatures of answers are of.

Each is also of all answers before it, by their digest, and of the game: the commitment to the seed of its deals, its name, its
length and its bots. So an answer fits one place of one game, and a server cannot make a game of parts of two. Pure.
"""

from collections.abc import Sequence
from hashlib import sha256

GAME, ANSWER = "arena-game-1", "arena-answer-2"  # first lines


def line_digest(line: bytes) -> str:
    """Return the SHA-256 of a line without its newline."""
    return sha256(line.rstrip(b"\n")).hexdigest()


def opening_digest(commitment: str, game: str, hands: int | None, seats: Sequence[str]) -> str:
    """Return the digest before the first answer of a game; ``commitment`` is that to the seed of its deals."""
    return sha256("\n".join((GAME, commitment, game, str(hands), *seats)).encode()).hexdigest()


def signed_text(before: str, question: str, answer: str) -> bytes:
    """Return the bytes that are signed: ``before`` is a digest of the answers before, ``question`` the SHA-256 of its line."""
    return f"{ANSWER}\n{before}\n{question}\n{answer}".encode()


def digest_after(before: str, question: str, answer: str) -> str:
    """Return the digest of all answers of a seat up to this one."""
    return sha256(signed_text(before, question, answer)).hexdigest()
