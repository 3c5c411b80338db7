"""``arena cite``: a result, and what it takes to check it."""

from arena.cli.lines import print_json
from arena.cli.options import RunDir
from arena.results.cited import citation_of


def cite(run_dir: RunDir) -> None:
    """Print the result of a run as one small JSON document: the verdict, the bots by digest, the rules, the seed and the link.

    Example: arena cite results/quickstart-2026-01-31 > result.json

    `arena verify result.json` finds the run and checks it against this document, and with --replay has the bots play every match
    again. The link covers every record, so a run in which anything else happened has another one.
    """
    print_json("citation", citation_of(run_dir))
