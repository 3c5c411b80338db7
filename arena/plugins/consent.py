"""Decides which installed plugins are loaded.

A plugin runs in the harness with the user's rights; a bot runs in a sandbox. Both are installed by the same command, and installing
a bot is not consent to run its author's code in the harness. So the plugins of a distribution with bots are not loaded, nor those
of anything that it requires, unless the environment variable ARENA_PLUGINS names them. All other plugins are loaded, because
there is no other reason to install them.

An environment variable and not a key of the spec decides, because plugins also add commands, and a spec may be untrusted.
"""

import os
import re

from arena import distribution
from arena.errors import PluginError
from arena.roster import distributions, needed_packages
from arena.roster.distributions import EntryPoint, normalize

GROUP = "arena"  # of entry points
VARIABLE = "ARENA_PLUGINS"  # names of distributions, separated by commas
WEBHOOK = "ARENA_WEBHOOK"  # an address: whether arena's own webhook is on
# ``NAME VERSION`` as ``loaded_distributions`` writes it. A stored run may have been made by anybody, and no other text of it may
# enter a command that arena proposes.
DISTRIBUTION = re.compile(r"[A-Za-z0-9]([\w.-]*[A-Za-z0-9])? [A-Za-z0-9][\w.+-]*", re.ASCII)


def allowed_plugins() -> list[EntryPoint]:
    """Return the plugins that may be loaded. Raises: PluginError, if ARENA_PLUGINS names one that is not installed."""
    points = _points()
    denied = _denied_distributions(points)
    return [point for point in points if normalize(point.owner) not in denied]


def loaded_distributions() -> str:
    """Return the distributions whose plugins are loaded, as ``one 1.0, other 2.1``. Raises: PluginError, as ``allowed_plugins``."""
    return ", ".join(sorted({f"{point.owner} {point.version}" for point in allowed_plugins()}))


def missing(before: str) -> str:
    """Return advice on the distributions that were loaded ``before`` and are not now, as the end of an error message; empty: none.

    Raises: PluginError, as ``allowed_plugins``.
    """
    now = loaded_distributions().split(", ") if before else []
    gone = [one for one in before.split(", ") if one not in now and DISTRIBUTION.fullmatch(one)]
    if not gone:
        return ""
    pinned = " ".join("==".join(one.split(" ", 1)) for one in gone)
    return f"; this was played with {', '.join(gone)}, which is not loaded; if you trust it: pip install {pinned}"


def refused_plugins() -> tuple[str, ...]:
    """Return the sorted names of the distributions whose plugins are not loaded. Raises: PluginError, as ``allowed_plugins``."""
    points = _points()
    denied = _denied_distributions(points)
    return tuple(sorted({point.owner for point in points if normalize(point.owner) in denied}))


def refused_lines() -> list[str]:
    """Return a line for each distribution whose plugins are not loaded. Raises: PluginError, as ``allowed_plugins``."""
    return [f"plugin of {name}: not loaded; {VARIABLE}={name} loads it, if you trust it" for name in refused_plugins()]


def _points() -> list[EntryPoint]:
    """Return the installed plugins but arena's own. Raises: PluginError, if ARENA_PLUGINS names one that is not installed."""
    points = [point for point in distributions.points(GROUP) if normalize(point.owner) != distribution.NAME]
    owners = {normalize(point.owner) for point in points}
    for name in sorted(_allowed_names() - owners):
        installed = f"installed: {', '.join(sorted(owners))}" if owners else "none is installed"
        raise PluginError(f"{VARIABLE}: found {name!r}; expected distributions with plugins; {installed}")
    return points


def _denied_distributions(points: list[EntryPoint]) -> set[str]:
    """Return the distributions with bots, and those that they require, except those of ARENA_PLUGINS."""
    if not points:  # then no search is needed
        return set()
    return needed_packages.with_bots(except_for=distribution.NAME) - _allowed_names()


def hint() -> str:
    """Return advice on loading the refused plugins, as the end of an error message; empty: none is refused. Raises: PluginError."""
    names = refused_plugins()
    if not names:
        return ""
    setting = ",".join((*sorted(_allowed_names()), *names))
    return f"; plugins not loaded: {', '.join(names)}; {VARIABLE}={setting} loads them, if you trust them"


def _allowed_names() -> set[str]:
    return {normalize(name.strip()) for name in os.environ.get(VARIABLE, "").split(",") if name.strip()}
