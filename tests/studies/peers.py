"""``python tests/studies/peers.py [PICTURE.svg]``: the same work by arena and by others, in one run on one core.

``pip install chess open_spiel rlcard setuptools`` installs the others; ``peers_java.py`` says how to bring the Java framework. Each
is a program of its own, so that none shares a process or an import with another, and what disturbs one disturbs all.

Hands: a player that keeps the least deadwood and knocks as soon as it may plays itself in one process: arena's ``greedy``, by the
engine and by the kernel of ``arena.train``, OpenSpiel's simple bot, RLCard's novice, the simple player of the EAAI challenge's
framework in Java. Their rules differ a little (see bots/guests), hence the moves a hand.

Questions: a program asks a process for a move that takes no thought. arena asks a bot in the standard sandbox and decodes the
answer; python-chess asks an engine; two echoes are what pipes and JSON cost alone.
"""

import platform
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

from bench import Spent, of_decisions, one_core
from msgspec import Struct
from msgspec.json import decode

from arena import distribution, interpreter
from arena.runs.installed import CORE
from arena.text import quote

ROUNDS = 3


class Peer(Struct, frozen=True):
    """A program that does the work."""

    label: str
    program: str  # a file beside this one, and what it is called with
    distribution: str  # empty: it is not of Python
    count: int  # of hands or moves, for about a second


class Row(Struct, frozen=True):
    """One program's part of a comparison."""

    label: str
    value: float
    unit: str
    ratio: float  # how many times as fast as this program arena is; below 1, as slow
    detail: str = ""


class Benchmark(Struct, frozen=True):
    """The same work by several programs."""

    title: str
    rows: tuple[Row, ...]  # arena's first, whose ratio is 1
    missing: tuple[str, ...]  # a line for each peer that did not take part


ARENA = Peer("arena", "bench.py engine", distribution.NAME, 2000)
KERNEL = Peer("arena.train", "bench.py kernel", distribution.NAME, 100_000)
HANDS = (
    KERNEL,
    Peer("OpenSpiel", "peers_openspiel.py", "open_spiel", 400),
    Peer("RLCard", "peers_rlcard.py", "rlcard", 60),
    Peer("EAAI framework in Java", "peers_java.py", "", 5000),
)
CHESS = (Peer("python-chess", "peers_chess.py", "chess", 2000),)


class PeerError(Exception):
    """A peer that cannot take part; its text is one line."""


def of_hands() -> Benchmark:
    """Compare the hands a second of a greedy player against itself, in processor time."""
    here, missing = _able(HANDS)
    with one_core():
        rounds = [{peer: decode(_output(peer, peer.count), type=Spent) for peer in (ARENA, *here)} for _ in range(ROUNDS)]
    speeds = {peer: median(spent[peer].hands / spent[peer].seconds for spent in rounds) for peer in (ARENA, *here)}
    rows = [
        Row(_named(peer), speed, "hands/s", speeds[ARENA] / speed, f"{_moves_a_hand(rounds[0][peer]):.0f} moves a hand")
        for peer, speed in speeds.items()
    ]
    return Benchmark("A greedy player against itself in one process: more is better", tuple(rows), missing)


def of_questions() -> Benchmark:
    """Compare the time from a question to a process to its answer, which takes no thought, in medians."""
    here, missing = _able(CHESS)
    figures = {figure.name: figure.value for figure in of_decisions()}
    with one_core():
        chess = {_named(peer): 1e6 * median(decode(_output(peer, peer.count), type=list[float])) for peer in here}
    own = figures["decision_p50"]
    spent = {_named(ARENA): own} | chess | {"JSON echo": figures["json_echo_p50"], "raw pipe": figures["pipe_echo_p50"]}
    rows = [Row(label, value, "µs", value / own) for label, value in spent.items()]
    return Benchmark("A question to a process, answered without thought: less is better", tuple(rows), missing)


BENCHMARKS: tuple[Callable[[], Benchmark], ...] = (of_hands, of_questions)


def _able(peers: tuple[Peer, ...]) -> tuple[list[Peer], tuple[str, ...]]:
    """Return the peers that can take part, and a line for each that cannot."""
    able, missing = [], []
    for peer in peers:
        try:
            _try(peer)
            able.append(peer)
        except PeerError as error:
            missing.append(f"{peer.label}: {error}")
    return able, tuple(missing)


def _try(peer: Peer) -> None:
    """Raise PeerError if a peer is not installed or fails at once."""
    try:
        _named(peer)
    except PackageNotFoundError:
        raise PeerError(f"{peer.distribution} is not installed") from None
    _output(peer, 1)


def _named(peer: Peer) -> str:
    return f"{peer.label} {version(peer.distribution)}" if peer.distribution else peer.label


def _moves_a_hand(spent: Spent) -> float:
    return spent.decisions / spent.hands


def _output(peer: Peer, count: int) -> bytes:
    """Return the last line that a peer's program prints. Raises: PeerError."""
    file, *arguments = peer.program.split()
    program = interpreter.python(str(Path(__file__).with_name(file)), *arguments, str(count))
    done = subprocess.run(program, capture_output=True, check=False)
    *_, last = (b"no output", *(done.stderr if done.returncode else done.stdout).splitlines())
    if done.returncode:
        raise PeerError(f"cannot be run: {quote(last)}")
    return last


def _line(row: Row) -> str:
    return f"{row.value:>10,.0f} {row.unit:8} {row.label:24} {'; '.join(filter(None, (_times(row.ratio), row.detail)))}"


def _times(ratio: float) -> str:
    if ratio == 1:
        return ""
    return f"arena is {ratio:.3g} times as fast" if ratio > 1 else f"{1 / ratio:.3g} times as fast as arena"


def main(picture: str = "") -> None:
    """Print the comparisons, and draw them."""
    from peers_plot import svg  # noqa: PLC0415 - it imports the values of this module

    heading = f"{time.strftime('%Y-%m-%d', time.gmtime())}, core: {CORE}, Python {platform.python_version()}"
    comparisons = tuple(compare() for compare in BENCHMARKS)
    if picture:
        Path(picture).write_text(svg(comparisons, heading), encoding="utf-8")
    sys.stdout.write(f"{heading}\n")
    for one in comparisons:
        sys.stdout.write("\n".join(["", one.title, "", *map(_line, one.rows), *one.missing, ""]))


if __name__ == "__main__":
    main(*sys.argv[1:])
