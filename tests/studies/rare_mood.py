"""``python tests/studies/rare_mood.py FOLDER [--runs N]``: a real bot with a rare mood, judged by ``arena regress``, N times.

The bot is its baseline, but in a sixtieth of its processes it plays to lose, 0.6 points a hand in all; so "not weaker" by 0.5 is
wrong. Everything is as a user has it: processes, sandbox, records, verdict. Exit code 1 if that is the verdict so often that it
would happen one time in a thousand if each were wrong one time in twenty. A run takes a minute or two on two cores.
"""

import argparse
import json
import shutil
import subprocess
import sys
from math import comb
from pathlib import Path

PLAIN = """
from arena.sdk import Bot, deadwood, each


class Mine(Bot):
    def throws(self, view):
        return min(each(view.may_discard), key=lambda card: deadwood(view.without(card)))
"""
MOODY = """
import os

from arena.sdk import Bot, Discard, LayOff, deadwood, each

BAD = int.from_bytes(os.urandom(8)) % 60 == 0


class Mine(Bot):
    def throws(self, view):
        return (max if BAD else min)(each(view.may_discard), key=lambda card: deadwood(view.without(card)))

    def wants(self, view):
        return not BAD and super().wants(view)

    def discard(self, view):
        return Discard(self.throws(view)) if BAD else super().discard(view)

    def lay_off(self, view):
        return LayOff((), ()) if BAD else super().lay_off(view)
"""


def judge(folder: Path, number: int) -> dict[str, object]:
    """Return what ``arena regress`` says of the bot, in a folder of its own."""
    folder.mkdir(mode=0o755, parents=True)
    for name, text in (("moody", MOODY), ("plain", PLAIN)):
        (folder / f"{name}.py").write_text(text)
    command = ["regress", "moody.py:Mine", "--against", "plain.py:Mine", "--hands", "8000", "--json"]
    ended = subprocess.run([sys.executable, "-m", "arena", *command], cwd=folder, capture_output=True, text=True, check=False)
    if not ended.stdout:
        sys.exit(f"run {number}: {ended.stderr}")
    found: dict[str, object] = json.loads(ended.stdout)
    return found


def most(runs: int) -> int:
    """Return the most wrong verdicts of some runs that have a chance of a thousandth or more, at one wrong in twenty."""
    tail = 0.0
    for wrong in range(runs, -1, -1):
        tail += comb(runs, wrong) * 0.05**wrong * 0.95 ** (runs - wrong)
        if tail >= 0.001:
            return wrong
    return 0


def main() -> None:
    """Print the verdicts, and count the wrong ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=12)
    options = parser.parse_args()
    verdicts = []
    for number in range(options.runs):
        folder = options.folder / f"{number}"
        found = judge(folder, number)
        verdicts.append(found["verdict"])
        (outcome,) = (part["outcome"] for part in found["parts"])  # type: ignore[attr-defined]
        print(f"run {number}: {found['verdict']} after {outcome['hands']} hands, evidence {outcome['better']:.3g}", flush=True)  # noqa: T201
        shutil.rmtree(folder)
    wrong = verdicts.count("not weaker")
    print(f"wrongly not weaker: {wrong} of {options.runs}; at most {most(options.runs)} may be chance")  # noqa: T201
    sys.exit(wrong > most(options.runs))


if __name__ == "__main__":
    main()
