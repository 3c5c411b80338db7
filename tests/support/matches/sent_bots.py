"""Bots sent to the cache of a worker, as a director does."""

from arena.extras.cluster.bot_cache import BotCache
from arena.extras.cluster.files import library_pieces, local_launch, pieces, shipment_of
from arena.roster.entrant import Launch


def sent(launch: Launch, cache: BotCache) -> Launch:
    """Send a bot as a director does, and return its launch on the worker."""
    one = shipment_of(launch)
    if cache.lacks(one.digest):
        cache.write("draft", pieces(launch, one))
        cache.complete("draft", one.digest)
    return local_launch(launch, one, cache.folder)


def equip(launch: Launch, cache: BotCache) -> Launch:
    """Send a bot and its libraries, and return its launch on the worker."""
    for one in shipment_of(launch).environments:
        if cache.lacks(one.digest):
            cache.write("libraries", library_pieces(one))
            cache.complete("libraries", one.digest)
    return sent(launch, cache)
