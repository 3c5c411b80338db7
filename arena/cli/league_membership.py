"""``arena league retire``, ``suspend``, ``reinstate`` and ``withdraw``: who plays on in a league."""

from arena.cli.league_options import Dir, Name, Reason
from arena.cli.option_groups import AsJson
from arena.cli.terminal import print_result
from arena.league import membership
from arena.league.rules.field import Version


def retire(league: Dir, bot: Name, *, reason: Reason = "", json: AsJson = False) -> None:
    """Have a bot play no more from the next round on. Its results stay in the table.

    Example: arena league retire friday ann-bot
    """
    _print_version(membership.retire(league, bot, reason), "is retired", json=json)


def suspend(league: Dir, bot: Name, *, reason: Reason, json: AsJson = False) -> None:
    """Have a bot play no more from the next round on, against its author's will.

    Example: arena league suspend friday ann-bot --reason "a copy of ben-bot"
    """
    _print_version(membership.suspend(league, bot, reason), "is suspended", json=json)


def reinstate(league: Dir, bot: Name, *, reason: Reason = "", json: AsJson = False) -> None:
    """Have a retired, suspended or withdrawn bot play again, from the next round or the season for which it was accepted.

    Example: arena league reinstate friday ann-bot@2
    """
    version = membership.reinstate(league, bot, reason)
    begins = "season" if version.state == "waiting" else "round"
    _print_version(version, f"plays again from the next {begins} on", json=json)


def withdraw(league: Dir, bot: Name, *, reason: Reason = "", json: AsJson = False) -> None:
    """Have a bot play no more because its copy, libraries or state are lost for good. Its results stay.

    Example: arena league withdraw friday ann-bot --reason "lost with a disk"

    `arena verify` names what is lost; a backup restores it. The matches of a withdrawn bot are not replayed. A bot whose copy
    was found or submitted again can be reinstated, and then begins without what it had learned.
    """
    _print_version(membership.withdraw(league, bot, reason), "is withdrawn", json=json)


def _print_version(version: Version, state: str, *, json: bool) -> None:
    print_result("league-version", version, [f"{version.id} {state}"], json=json)
