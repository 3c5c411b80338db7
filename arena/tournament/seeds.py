"""The seed of a run, derived from the seed that the user typed.

Every deck and every bot's seed is a plain hash of the run seed (``arena.gin.deal``, ``arena.referee.job``). A bot sees cards and
its own seed, so it could try likely run seeds such as 1, 2, 3 until one gives what it sees, and then know all later decks. So the
typed seed is not used directly: the run seed is its scrypt hash (RFC 7914). One hash takes 64 MB and more than 0.1 s, once
for a run and once for each guess. That stops guessing during a match. It cannot stop a table of common seeds that was computed
beforehand, so a short seed still gets a warning.
"""

import re
import secrets
from functools import cache
from hashlib import scrypt, sha256

from arena.errors import InputError

SALT = b"arena-seed-1"
COST = 1 << 16  # n of scrypt; with r = 8 a hash takes 64 MB
BLOCK = 8  # r of scrypt
LONGEST_SEED = 200  # characters of a typed seed
SAFE_LENGTH = 16  # characters that cannot be guessed if they are random: 64 bits in hexadecimal

_RUN_SEED = re.compile(r"[0-9a-f]{64}\Z")


def random_seed() -> str:
    """Return a new run seed: 256 random bits, in hexadecimal."""
    return secrets.token_hex(32)


@cache
def run_seed(typed: str) -> str:
    """Return the run seed of a typed seed: its scrypt hash, in hexadecimal.

    A text of 64 hexadecimal digits in lower case is a run seed, as reports show it, and is returned unchanged.
    """
    if _RUN_SEED.match(typed):
        return typed
    memory = 128 * BLOCK * (COST + 2) + (1 << 20)  # the requirement as OpenSSL computes it, and 1 MB to spare
    return scrypt(typed.encode(), salt=SALT, n=COST, r=BLOCK, p=1, maxmem=memory, dklen=32).hex()


def commitment(seed: str) -> str:
    """Return the commitment to a seed, published before the first bot starts: it can be checked when the seed is known."""
    return sha256(seed.encode()).hexdigest()


def check_seed(typed: str) -> str:
    """Return a typed seed unchanged. Raises: InputError, if it is empty, too long or not UTF-8 text."""
    if not 1 <= len(typed) <= LONGEST_SEED:
        raise InputError(f"found a seed of {len(typed)} characters; expected 1 to {LONGEST_SEED}")
    try:
        typed.encode()
    except UnicodeEncodeError:
        raise InputError(f"found a seed that is not UTF-8, {typed!r}; expected text") from None
    return typed


def seed_warning(typed: str | None) -> str | None:
    """Return a warning for a typed seed short enough to be guessed; None for any other."""
    if typed is None or len(typed) >= SAFE_LENGTH:
        return None
    length = "1 character" if len(typed) == 1 else f"{len(typed)} characters"
    return (
        f"a seed of {length} can be guessed: a bot prepared for it could know every deck;"
        f" leave the seed out, or use {SAFE_LENGTH} random characters, as from `openssl rand -hex {SAFE_LENGTH // 2}`"
    )
