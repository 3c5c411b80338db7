"""``python tests/studies/presets.py PAIRS FOLDER [RULESET...]``: leagues of house bots, judged by ``arena verify`` and the kernel.

For each ruleset, by default those that other people play, five house bots play a round robin with PAIRS pairs of legs, stored as
``arena run`` stores it; as in ``many_matches.py`` they are functions in the workers. The record is verified, and the kernel of
``arena.train`` plays the actions of every hand again from its deck. A line of JSON has the findings about each ruleset.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct, json

from arena.gin.actions import LayOff, read_actions
from arena.gin.deal import Deal
from arena.gin.match import Hand
from arena.gin.rules import Rules
from arena.players.base import InlinePlayer
from arena.plugins import manager
from arena.records import HandRecord, MatchRecord, dealt_hands
from arena.referee import job
from arena.referee.job import Job
from arena.results.verify import Audit
from arena.runs.planning import from_file
from arena.runs.play import Observer, play_run
from arena.runs.runner import Runner
from arena.runs.starts import RunStart
from arena.runs.stored_kinds import open_stored
from arena.store.folder import Folder
from arena.train.engine import hand_of, number_of
from arena.train.hands import Hands
from arena_bots.card_counter import CardCounter
from arena_bots.cautious import Cautious
from arena_bots.greedy import Greedy
from arena_bots.random_legal import RandomLegal
from arena_bots.two_way import TwoWay

PRESETS = ("oklahoma", "{name: oklahoma, double: spades, ace: one}", "hollywood", "straight")
BOTS = {"random-legal": RandomLegal, "cautious": Cautious, "greedy": Greedy, "card-counter": CardCounter, "two-way": TwoWay}
SPEC = """
title: A preset
bots: [{bots}]
rules: {rules}
format: {{pairs: {pairs}}}
sandbox: none
reports: [json]
"""


class Findings(Struct, frozen=True):
    """What became of the hands of a ruleset."""

    rules: str
    hands: int
    limits: dict[int, int]  # hands with each limit of a knock
    multiplied: int  # hands that counted more than once
    endings: dict[str, int]
    verify: str  # the first difference; empty: none
    kernel: tuple[str, ...]  # the hands whose result is another one in the kernel


def play_here(fixture: Job) -> MatchRecord:
    """Play a fixture in this process."""
    made = [BOTS[bot](job.bot_seed(fixture.seed, fixture.fixture.deals, seat)) for seat, bot in enumerate(fixture.fixture.seats)]
    return job.play(fixture, (InlinePlayer(made[0].answer), InlinePlayer(made[1].answer)))


def league(rules: str, pairs: int, folder: Path) -> None:
    """Play a round robin of the house bots in a new folder."""
    folder.mkdir(parents=True)
    spec = folder.with_suffix(".yaml")
    spec.write_text(SPEC.format(bots=", ".join(BOTS), rules=rules, pairs=pairs), encoding="utf-8")
    plugins = manager.load(entry_points=False)
    plan = from_file(spec, manager.kinds(plugins), f"the seed of {rules}")
    play_run(
        RunStart(plan=plan, folder=Folder(folder)), Runner(plugins, work=play_here), Observer(), lambda _: None, log_level=None
    )


def examine(rules: str, folder: Path) -> Findings:
    """Return what verification and the kernel find in a finished run."""
    audit = Audit(Folder(folder), Runner(manager.load(entry_points=False)))
    difference = audit.first_difference((), lambda _done, _total: None)
    options = audit.run.spec.rules
    hands = recorded_hands(folder)
    terms = [Hand.start(deal, options).terms for _, deal in hands]
    return Findings(
        rules=rules,
        hands=len(hands),
        limits=dict(sorted(Counter(one.knock_limit for one in terms).items())),
        multiplied=sum(one.multiplier > 1 for one in terms),
        endings=dict(Counter(hand.ending.value for hand, _ in hands)),
        verify=difference,
        kernel=tuple(kernel_differences(hands, options)),
    )


def recorded_hands(folder: Path) -> list[tuple[HandRecord, Deal]]:
    """Return the hands of a run with their deals."""
    with open_stored(Folder(folder)) as (store, run):
        rules = run.spec.rules
        return [one for record in store.records() for one in dealt_hands(record, rules, run.seed_of(record.fixture.id))]


def kernel_differences(hands: Sequence[tuple[HandRecord, Deal]], rules: Rules) -> Iterator[str]:
    """Play recorded hands again in the kernel, all at once, and yield those whose result is another one."""
    actions = [_numbers(hand) for hand, _ in hands]
    batch = Hands(len(hands), rules, autoreset=False)
    batch.reset(0)
    batch.deal([deal.deck for _, deal in hands], [deal.dealer for _, deal in hands])
    for turn in range(max(map(len, actions))):
        rows = [row for row, numbers in enumerate(actions) if turn < len(numbers)]
        batch.step(np.array([actions[row][turn] for row in rows]), np.array(rows))
    for (hand, _), state in zip(hands, batch.states, strict=True):
        if (found := hand_of(state, rules).result) != hand.result:
            yield f"{hand.game}.{hand.hand}: {found} instead of {hand.result}"


def _numbers(hand: HandRecord) -> list[int]:
    """Return the kernel's numbers of a hand's actions; the kernel lays off by itself."""
    return [number_of(action) for action in read_actions(hand.actions) if not isinstance(action, LayOff)]


def study(rules: str, pairs: int, folder: Path) -> Findings:
    """Play a league of a ruleset, and return what is found in it."""
    league(rules, pairs, folder)
    return examine(rules, folder)


if __name__ == "__main__":
    for number, ruleset in enumerate(sys.argv[3:] or PRESETS):
        found = study(ruleset, int(sys.argv[1]), Path(sys.argv[2]) / str(number))
        sys.stdout.write(f"{json.encode(found).decode()}\n")
        sys.stdout.flush()
