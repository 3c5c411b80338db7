"""A ruleset with other defaults. In a spec: ``rules: my-part``."""

from arena.gin.rules import Games, Rules, Target
from arena.plugins.hookspecs import hookimpl


class MyPart(Rules, frozen=True, kw_only=True, tag="my-part"):
    """One game to 50 points."""

    target: Target = 50  # with its type, or a spec could not change it
    best_of: Games = 1


@hookimpl
def arena_rulesets() -> list[type[Rules]]:
    """Return the ruleset."""
    return [MyPart]
