"""``python tests/studies/peers_chess.py MOVES``: python-chess asks an engine for moves by UCI, through two pipes.

The engine is a process in Python that answers at once, so what is measured is the protocol and its client. Prints the seconds of
each move as JSON.
"""

import sys
import time

import chess
import chess.engine
from msgspec.json import encode

from arena import interpreter

ENGINE = """
import sys
replies = {"uci": "uciok", "isready": "readyok", "go": "bestmove e2e4"}
for line in sys.stdin:
    word = line.split()[0]
    if word == "quit": break
    if word in replies: print(replies[word], flush=True)
"""


def ask(moves: int) -> list[float]:
    """Return the seconds from each question to its move."""
    spent, board, limit = [], chess.Board(), chess.engine.Limit(nodes=1)
    with chess.engine.SimpleEngine.popen_uci([*interpreter.python("-c", ENGINE)]) as engine:
        for _ in range(moves):
            start = time.perf_counter()
            engine.play(board, limit)
            spent.append(time.perf_counter() - start)
    return spent


if __name__ == "__main__":
    sys.stdout.buffer.write(encode(ask(int(sys.argv[1]))) + b"\n")
