"""Arena's own commands. A module is imported when its command is called (:mod:`arena.cli.app`)."""

from typing import Final

from arena.plugins.command import Command

UNTIL_STOPPED: Final = "until it is stopped"

# In the order of the help. How long each takes is said for quick bots, as arena's own; ``arena plan`` measures it for a spec.
COMMANDS: Final = {
    "init": Command("arena.cli.new:init", "Write a first league and a first bot.", "Play"),
    "run": Command(
        "arena.cli.run:run",
        "Play a tournament, or resume one, and show its report.",
        "Play",
        plays=True,
        takes="as long as its matches: the quickstart 20 s, a league of ten bots minutes to hours; `arena plan` says",
    ),
    "plan": Command(
        "arena.cli.run:plan",
        "Show what a spec will play, how long it takes and what it can resolve.",
        "Play",
        plays=True,
        takes="`--seconds`, and a second for each bot",
    ),
    "match": Command(
        "arena.cli.compare:match",
        "Play single hands between two bots, and show points a hand.",
        "Play",
        plays=True,
        takes="200 hands: seconds; 10,000: a minute",
    ),
    "play": Command(
        "arena.cli.play:play",
        "Play against a bot, in the terminal or in a browser.",
        "Play",
        plays=True,
        takes="as long as you play",
    ),
    "duel": Command(
        "arena.cli.compare:duel",
        "Play two bots until it is known which is stronger.",
        "Compare",
        plays=True,
        takes="until it is decided: a minute for bots far apart, an hour for close ones; at most `--hands`",
    ),
    "regress": Command(
        "arena.cli.changes:regress", "Test whether a bot has become weaker.", "Compare", plays=True, takes="as a duel"
    ),
    "race": Command(
        "arena.cli.compare:race",
        "Find the best of several versions of a bot.",
        "Compare",
        plays=True,
        takes="minutes, up to `--hands`",
    ),
    "diff": Command(
        "arena.cli.changes:diff", "Show the decisions that a change of a bot changed.", "Compare", plays=True, takes="seconds"
    ),
    "strength": Command("arena.cli.tools:strength", "Sequential tests and ratings from counts alone.", "Compare"),
    "report": Command(
        "arena.cli.results:report",
        "Show the report of a run, and write its files again.",
        "Understand",
        takes="a second; a minute for 100,000 matches",
    ),
    "replay": Command("arena.cli.results:replay", "Show the matches, hands and turns of a run.", "Understand"),
    "review": Command(
        "arena.cli.results:review", "Show where bots lose their points.", "Understand", takes="ten hands a second on each core"
    ),
    "debug": Command(
        "arena.cli.bots:debug", "Show a hand as a bot sees it, turn by turn.", "Understand", plays=True, takes="seconds"
    ),
    "verify": Command(
        "arena.cli.results:verify",
        "Judge every hand of a run again, and name what differs.",
        "Understand",
        takes="thousands of hands a second; with --replay as long as the run",
    ),
    "cite": Command(
        "arena.cli.results:cite", "Show a result with all that is needed to check it, as one small document.", "Results as data"
    ),
    "export": Command(
        "arena.cli.results:export",
        "Write every hand of a run as JSON lines, CSV or Parquet.",
        "Results as data",
        takes="thousands of hands a second",
    ),
    "league": Command("arena.cli.league:app", "Play a league that bots join, improve in and leave.", "Leagues and pages"),
    "serve": Command(
        "arena.cli.serve:serve", "Show runs in a browser, while they are played.", "Leagues and pages", takes=UNTIL_STOPPED
    ),
    "bots": Command("arena.cli.bots:bots", "List bots, check one, write one.", "Bots and plugins"),
    "plugins": Command("arena.cli.new:plugins", "List the parts that plugins add, write a plugin.", "Bots and plugins"),
    "docs": Command("arena.cli.docs:docs", "Show a page of the manual.", "Tools"),
    "doctor": Command("arena.cli.doctor:doctor", "Prove which sandboxes this machine supports.", "Tools", takes="ten seconds"),
    "judge": Command(
        "arena.cli.tools:judge",
        "Judge hands from JSON lines by the referee's engine.",
        "Tools",
        takes="thousands of hands a second",
    ),
    "melds": Command("arena.cli.tools:melds", "Show the melds of cards that leave least deadwood.", "Tools"),
    "schema": Command("arena.cli.docs:schema", "Show the JSON Schema of what commands print with --json.", "Tools"),
}

# Of commands with subcommands, by both words.
PLAYING_INSIDE: Final = frozenset(
    {
        "bots check",
        "league backup",
        "league challenge",
        "league debug",
        "league diff",
        "league cup",
        "league new",
        "league practice",
        "league reinstate",
        "league run",
        "league submit",
    }
)
TAKES_INSIDE: Final = {
    "league submit": "ten seconds: the bot plays 200 hands",
    "league backup": "seconds",
    "league run": "as long as its rounds, or `--for`",
    "league diff": "seconds",
    "league debug": "seconds",
    "league cup": "as long as its matches",
    "league practice": "as long as its matches",
    "bots check": "ten seconds: the bot plays 200 hands several times",
}
