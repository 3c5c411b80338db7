"""The ids of fixtures in words."""

import re

FIXTURE = re.compile(r"(?:r(?P<round>\d+)/)?(?P<bots>[^/]+)/(?P<pair>\d+)/(?P<leg>[01])")  # its id, as in a round robin or a league


def fixture_words(name: str) -> str:
    """Return the id of a fixture in words, counted from 1: ``round 3, pair 1, leg 2``; an id of another form as it is."""
    found = FIXTURE.fullmatch(name)
    if found is None:
        return name
    in_round = f"round {int(found['round']):,}, " if found["round"] else ""
    return f"{in_round}pair {int(found['pair']) + 1:,}, leg {int(found['leg']) + 1}"


def meeting_words(name: str) -> str:
    """Return the id of a fixture in words, with its bots: ``ann – ben, round 3, pair 1, leg 2``; an id of another form as it is."""
    found = FIXTURE.fullmatch(name)
    return f"{found['bots'].replace(':', ' – ')}, {fixture_words(name)}" if found else name
