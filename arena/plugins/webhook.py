"""Posts what happens in a league to an address, as JSON. Off, unless ``ARENA_WEBHOOK`` in the environment holds the address.

A message has ``kind`` ("season over", "new leader" or "bot suspended"), ``league`` and the keys of its kind. With
``ARENA_WEBHOOK_SECRET`` the header ``X-Arena-Signature`` has the HMAC-SHA256 of the body under that secret, so that the receiver
can check the sender. If a post fails, or its answer is an error or a redirection, that is logged, and play continues.
"""

import hmac
import logging
import os
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.request import Request

from msgspec import Struct, json

from arena.bounded_http import HttpClient, NoResponseError
from arena.errors import PluginError
from arena.league.rules.events import SeasonClosed, Suspended
from arena.plugins.consent import WEBHOOK
from arena.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from arena.league.rules.events import AnyEvent
    from arena.league.rules.league_table import LeagueTable

log = logging.getLogger(__name__)

SECRET = "ARENA_WEBHOOK_SECRET"  # noqa: S105 - the name of the variable
SECONDS = 5.0  # for a post and its answer
MOST = 1 << 16  # bytes of the head of an answer; its body is not read


class WebhookMessage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of a post; keys with their defaults are left out."""

    kind: str
    league: str
    at: str = ""
    season: int = 0
    round: int = 0
    bot: str = ""
    before: str = ""  # the leader before
    reason: str = ""


class Webhook:
    """The plugin that posts."""

    def __init__(self, address: str, secret: str) -> None:
        """Raise PluginError for an address that does not begin with http:// or https://."""
        if not address.startswith(("http://", "https://")):
            raise PluginError(f"{WEBHOOK}: found {address!r}; expected an address that begins with http:// or https://")
        self._address = address
        self._secret = secret.encode()
        self._client = HttpClient()

    @hookimpl
    def arena_event(self, league: str, event: "AnyEvent") -> None:
        """Post the end of a season, or the suspension of a bot without the message of its error."""
        match event:
            case SeasonClosed():
                self._post(WebhookMessage(kind="season over", league=league, at=event.at, season=event.season))
            case Suspended():
                reason = event.reason.public
                self._post(WebhookMessage(kind="bot suspended", league=league, at=event.at, bot=event.version, reason=reason))

    @hookimpl
    def arena_round(self, league: str, number: int, before: "LeagueTable", after: "LeagueTable") -> None:
        """Post a new leader."""
        leader, previous = (after.ranking or [""])[0], (before.ranking or [""])[0]
        if leader and leader != previous:
            self._post(WebhookMessage(kind="new leader", league=league, round=number, bot=leader, before=previous))

    def _post(self, message: WebhookMessage) -> None:
        body = json.encode(message)
        headers = {"Content-Type": "application/json"}
        if self._secret:
            headers["X-Arena-Signature"] = hmac.new(self._secret, body, sha256).hexdigest()
        try:
            with self._client.open(Request(self._address, body, headers), seconds=SECONDS, most=MOST) as answer:  # noqa: S310 - checked to be HTTP
                answer.check_success()
        except (NoResponseError, ValueError) as error:
            log.warning("webhook: %s was not received: %s", message.kind, error)


def from_environment() -> Webhook | None:
    """Return the plugin as the environment configures it; None: it is off. Raises: PluginError."""
    address = os.environ.get(WEBHOOK)
    return Webhook(address, os.environ.get(SECRET, "")) if address else None
