"""Scholar: learned values."""

import json
from collections.abc import Sequence
from operator import mul
from pathlib import Path

from arena.gin.cards import DECK, VALUES
from arena.sdk import Action, BigGin, Bot, Card, Cards, Discard, Draw, Knock, Pass, Take, View, deadwood, each
from arena.sdk.odds import completes, danger, futures, turn, after_throw

Layer = tuple[tuple[tuple[float, ...], ...], tuple[float, ...], tuple[float, ...], float]

class Net:
    def __init__(self, w) -> None:
        self.rows = [tuple(r) for r in w["rows"]]
        self.bias = w["bias"]
        self.out = w["out"]
        self.last = w["last"]

    def __call__(self, x) -> float:
        total = self.last
        for row, bias, out in zip(self.rows, self.bias, self.out):
            s = bias + sum(map(mul, row, x))
            if s > 0:
                total += out * s
        return total


def prospects(view: View, held: Cards, thrown: Card | None) -> list[float]:
    f = futures(held, view.unseen)
    n = len(f)
    now = deadwood(held)
    joins = completes(held)
    live = joins & view.unseen
    t = turn(view)
    theirs = view.opponent_holds
    return [
        now / 20,
        sum(f) / n / 20,
        sum(f[:7]) / 7 / 20,
        f.count(0) / 5,
        sum(1 for x in f if x <= 10) / n,
        sum(1 for x in f if x < now) / 10,
        live.bit_count() / 10,
        f[0] / 20,
        (joins_inside(held)).bit_count() / 10,
        danger(view, thrown) if thrown is not None else 0.0,
        VALUES[thrown] / 10 if thrown is not None else 0.0,
        t / 10,
        view.stock / 31,
        view.took[1].bit_count() / 3,
        theirs.bit_count() / 3,
        view.took[0].bit_count() / 3,
        1.0 if view.phase == "upcard" else 0.0,
        1.0 if now == 0 else 0.0,
    ]

def joins_inside(held):
    out = 0
    for c in each(held):
        if completes(held ^ 1 << c) >> c & 1:
            out |= 1 << c
    return out

def knock_prospects(view: View, left: int, rest: Cards) -> list[float]:
    return [
        left / 10,
        turn(view) / 10,
        view.stock / 31,
        view.took[1].bit_count() / 3,
        view.opponent_holds.bit_count() / 3,
        (completes(joins_inside(rest)) & view.unseen).bit_count() / 10,
        1.0 if left == 0 else 0.0,
        sum(VALUES[c] for c in each(view.unseen)) / view.unseen.bit_count() / 10,
    ]

class Scholar(Bot):
    weights = None
    MARGIN = 0.0
    KMARGIN = 0.0

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        w = self.weights or json.loads(Path(__file__).with_name("scholar.json").read_text())
        self.after, self.before, self.knocked = Net(w["after"]), Net(w["before"]), Net(w["knock"])

    def upcard(self, view: View) -> Action:
        return Take() if self.takes(view) else Pass()

    def draw(self, view: View) -> Action:
        return Take() if self.takes(view) else Draw()

    def takes(self, view: View) -> bool:
        if not completes(view.cards) >> view.upcard & 1:
            return False
        up = 1 << view.upcard
        best = max(v for c, v in self.valued(view, view.cards | up, view.cards))
        return best > self.before(prospects(view, view.cards, None)) + self.MARGIN

    def valued(self, view, held, may):
        left = {c: deadwood(held ^ 1 << c) for c in each(may)}
        least = min(left.values())
        return [(c, self.after(prospects(view, held ^ 1 << c, c))) for c in left if left[c] <= least + 10]

    def discard(self, view: View) -> Action:
        if "big_gin" in view.may:
            return BigGin()
        if "knock" in view.may:
            left = {c: deadwood(view.without(c)) for c in each(view.may_discard)}
            card = min(left, key=lambda c: (left[c], -c))
            if left[card] == 0:
                return Knock(card)
        vs = self.valued(view, view.cards, view.may_discard)
        best, v = max(vs, key=lambda cv: cv[1])
        if "knock" in view.may and self.knocked(knock_prospects(view, left[card], view.without(card))) > v + self.KMARGIN:
            return Knock(card)
        return Discard(best)
