"""Signatures of answers, by Ed25519; the extra ``remote`` has the library."""

import base64
import os
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from arena import disk
from arena.errors import InputError
from arena.extras.remote.digests import signed_text
from arena.text import printable

LARGEST = 128  # bytes of a key's file, with blanks


def is_signed(key: str, before: str, question: str, answer: str, signature: str) -> bool:
    """Tell whether a signature is that of an answer; ``key`` is the public key in hexadecimal."""
    try:
        found = base64.urlsafe_b64decode(signature + "==")
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(found, signed_text(before, question, answer))
    except (ValueError, InvalidSignature):
        return False
    return True


class SigningKey:
    """The private key of an author, in a file of 64 hexadecimal digits that only its owner may read."""

    def __init__(self, path: Path) -> None:
        """Read the key, or make one and write it if the file is missing. Raises: InputError."""
        try:
            private = bytes.fromhex(disk.read(path, LARGEST).decode("ascii")) if path.exists() else b""
            self._key = Ed25519PrivateKey.from_private_bytes(private) if private else Ed25519PrivateKey.generate()
            if not private:
                with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                    file.write(self._key.private_bytes_raw().hex())
        except (OSError, ValueError) as error:
            raise InputError(f"{printable(str(path))}: {error}; expected 64 hexadecimal digits, or a new file") from None
        self.public = self._key.public_key().public_bytes_raw().hex()

    def sign(self, before: str, question: str, answer: str) -> str:
        """Return the signature of an answer, in base64url without padding."""
        return base64.urlsafe_b64encode(self._key.sign(signed_text(before, question, answer))).decode().rstrip("=")
