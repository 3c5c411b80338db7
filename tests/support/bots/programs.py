"""Tiny bots in plain Python, for what a bot may do wrong."""

import sys

from arena.players.process import Allowance
from arena.roster.entrant import Launch

SOON = Allowance(cpu=0.3, stall=0.3, wall=30.0)
TOLERANT = Allowance(cpu=5.0, stall=10.0, wall=60.0)

IMPORTS = "import json, os, signal, sys, time\n"
READY = '{"type":"ready","protocol":1}'
GREETS = f"{IMPORTS}sys.stdin.readline(); print('{READY}', flush=True)\n"
AT_ITS_TURN = f"{GREETS}while '\"turn\"' not in sys.stdin.readline(): pass\n"

# Enough of a bot to play any hand: it draws and throws the first card it may throw.
PLAYS = f"""{GREETS}
def answer(turn):
    may = turn['may']
    kind = next(kind for kind in ('pass', 'draw', 'discard', 'lay_off', 'knock') if kind in may)
    return {{'kind': kind, 'card': turn['may_discard'][0]}} if kind in ('discard', 'knock') else {{'kind': kind}}
for line in sys.stdin:
    turn = json.loads(line)
    if turn['type'] == 'turn':
        before(turn)
        print(json.dumps(answer(turn), separators=(',', ':')), flush=True)
"""


def program(code: str, *, mark: str = "") -> Launch:
    """Return the launch of a plain Python program; ``mark`` stands in its environment, and in that of all it starts."""
    return Launch(command=(sys.executable, "-I", "-S", "-c", code), folder="/", environment=(("MARK", mark),) if mark else ())


def playing(before: str = "", *, mark: str = "") -> Launch:
    """Return a bot that plays, and does ``before`` with each turn that it is asked: a statement or two."""
    body = "\n    ".join(["def before(turn):", *(before or "pass").splitlines()])
    return program(f"{IMPORTS}{body}\n{PLAYS}", mark=mark)
