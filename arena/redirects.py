"""Redirections of HTTP, which no client of arena follows: a request carries a token, a key or a message for one address alone."""

from typing import Any
from urllib.request import HTTPRedirectHandler


class NoRedirects(HTTPRedirectHandler):
    """A handler for ``build_opener``: a redirection is an error."""

    def redirect_request(self, *_: Any) -> None:  # noqa: ANN401 - every redirection is refused
        """Return None, so that the opener raises HTTPError."""
