"""Whether two entrants are the same program, so that neither can be the stronger one."""

from arena.roster.entrant import Entrant, Launch


def same_program(one: Entrant, other: Entrant) -> bool:
    """Return whether two entrants have the same files, by their digests, and are started alike, wherever they stand.

    A program that is installed under two names, or two classes of one file, are different programs.
    """
    return one.digest == other.digest and _started(one.launch) == _started(other.launch)


def _started(launch: Launch) -> tuple[object, ...]:
    """Return all that starts a bot, with paths relative to its folder."""
    command = tuple(word.replace(f"{launch.folder}/", "", 1) for word in launch.command)
    return command, launch.environment, launch.reads, launch.threads, launch.scratch_mb
