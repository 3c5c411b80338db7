"""``python tests/studies/living.py FOLDER [--bots N] [--authors N] [--versions N] [--days N] [--rounds N] [--kills N]``: a league.

A league of many bots lives for some days: their authors submit versions, and its director is killed at random moments and started
again. Everything is that of ``arena league`` but the bots' play and their auditions, which would take days on one machine: the
strength of a version follows from its name, and a match is a number of hands whose points are drawn around the difference of two
strengths. Printed at the end are how right the table is, when each submission was rated, how the database grew, and the memory and
the time of the commands.
"""

import argparse
import random
import resource
import subprocess
import time
from hashlib import sha256
from pathlib import Path
from statistics import NormalDist

from arena import interpreter
from arena.gin.match import FinishedGame
from arena.gin.score import Ending
from arena.league import leagues, show
from arena.league.intake.copies import copy_in, store_copy
from arena.league.leagues import new
from arena.league.observing import LeagueObserver
from arena.league.play import StopRule, play_rounds
from arena.league.rules.events import Activated, Auditioned, Retired, RoundClosed, RoundOpened, Submitted, encode
from arena.league.rules.history import History
from arena.league.rules.rounds import calendar
from arena.league.rules.table_making import make_table
from arena.moments import moment, now
from arena.plugins import manager
from arena.records import HandRecord, MatchRecord
from arena.referee.job import Job
from arena.roster.entrant import Entered
from arena.runs.runner import Runner

SPREAD = 2.5  # points a hand, of the first versions
STEP = 1.0  # points a hand, of the change from one version to the next
HAND = 25.0  # points, of a hand
HANDS = 20  # in a match
SPEC = """
title: A league that lives
sandbox: none
limits: {per_author: 250}
likeness: null
"""
BOT = "from arena.sdk import Bot\n\n\nclass Mine(Bot):\n    '''%s'''\n"


def strength(version: str) -> float:
    """Return the strength of a version in points a hand, which follows from its name."""
    name, _, number = version.partition("@")
    return SPREAD * _normal(name) + sum(STEP * _normal(f"{name}@{later}") for later in range(2, int(number) + 1))


def _normal(text: str) -> float:
    return NormalDist().inv_cdf((int.from_bytes(sha256(text.encode()).digest()[:6], "big") + 0.5) / 2**48)


def stand_in(job: Job) -> MatchRecord:
    """Return a match as two bots of these strengths might have played it; nothing of it can be judged."""
    chance, seats = random.Random(f"{job.seed}/{job.fixture.id}"), job.fixture.seats
    lead = strength(seats[0]) - strength(seats[1])
    hands = tuple(_hand(number, round(chance.gauss(lead, HAND))) for number in range(HANDS))
    totals = [sum(hand.points for hand in hands if hand.winner == seat) for seat in (0, 1)]
    winner = 0 if totals[0] >= totals[1] else 1
    return MatchRecord(fixture=job.fixture, winner=winner, hands=hands, games=(FinishedGame(winner, (totals[0], totals[1])),))


def _hand(number: int, net: int) -> HandRecord:
    winner = 0 if net > 0 else 1
    return HandRecord(
        game=0,
        hand=number,
        dealer=number % 2,
        actions="pass pass stock Kd stock 9c stock Jh knock Qs",
        ending=Ending.KNOCK if net else Ending.DEAD,
        winner=winner if net else None,
        points=abs(net),
        deadwood=(10, 20),
    )


def submit(path: Path, name: str, number: int, author: str) -> None:
    """Have a version join as `arena league submit` does, without an audition."""
    file = path / f"{name}.py"
    file.write_text(BOT % f"{name}@{number}")
    with (
        leagues.open_league(path, write=True) as league,
        copy_in(str(file), league.bots, league.spec.submissions, league.spec.sandbox) as taken,
    ):
        store_copy(taken, taken.files, league.bots)
        version, before = f"{name}@{number}", f"{name}@{number - 1}"
        event = Submitted(at=now(), version=version, author=author, digest=taken.files, entry=taken.entry)
        with league.store.deciding():
            league.store.add_event(encode(event), Entered(version, str(number), str(file), taken.files))
            leagues.add(league.store, Auditioned(at=now(), version=version, passed=True))
            if number > 1:
                leagues.add(league.store, Retired(at=now(), version=before, reason=f"replaced by {version}"))
            leagues.add(league.store, Activated(at=now(), version=version))
    file.unlink()


def play(path: Path, rounds: int) -> None:
    """Play until a number of rounds is closed; this process may be killed."""
    runner = Runner(manager.load(entry_points=False), "serial", 1, work=stand_in)
    with leagues.open_league(path) as league:
        closed = len(calendar(leagues.events_of(league.store)).closed)
    play_rounds(path, runner, StopRule(rounds=max(rounds - closed, 0)), LeagueObserver(), None)


class Life:
    """A league, its days, and what was measured of its director."""

    def __init__(self, path: Path, options: argparse.Namespace) -> None:
        self.path = path
        self.options = options
        self.chance = random.Random(1)
        self.kills = 0
        self.memory = 0  # KiB, the most of any director

    def live(self) -> None:
        """Live all days."""
        for day in range(self.options.days):
            for bot in range(self.options.bots):
                for number in range(1, self.options.versions + 1):
                    if self._day(bot, number) == day:
                        submit(self.path, f"bot{bot:03}", number, f"author-{bot % self.options.authors}")
            self._play((day + 1) * self.options.rounds)
            print(self._line(day), flush=True)  # noqa: T201

    def _day(self, bot: int, number: int) -> int:
        """Return the day on which a version is submitted: all first versions within the first part of the days, and so on."""
        part = self.options.days // self.options.versions
        return int((number - 1) * part + bot % max(part, 1))

    def _play(self, rounds: int) -> None:
        """Play up to a number of rounds, with some kills."""
        command = interpreter.python("-m", "studies.living", str(self.path), "--play", str(rounds))
        for attempt in range(self.options.kills + 1):
            director = subprocess.Popen(command)
            if attempt < self.options.kills:
                deadline = time.monotonic() + self.chance.uniform(1, self.options.patience)
                while director.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.05)
                if director.returncode is None:
                    director.kill()
                    self.kills += 1
            director.wait()
            self.memory = max(self.memory, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)

    def _line(self, day: int) -> str:
        with leagues.open_league(self.path) as league:
            matches = league.store.count()
        size = (self.path / "arena.sqlite").stat().st_size
        return (
            f"day {day + 1}: {matches} matches, {size / 2**20:.0f} MiB, director {self.memory / 1024:.0f} MiB, {self.kills} kills"
        )


def findings(path: Path) -> list[str]:
    """Return what the league shows, against what is true."""
    start = time.perf_counter()
    report = show.league_report(path, None, moment("1d", now()))
    seconds = time.perf_counter() - start
    with leagues.open_league(path) as league:
        history = leagues.history(league.folder, league.store)
        rated = make_table(history, league.spec.rating_terms)
    rows = [row for row in rated.rows if row.rating is not None]
    active = [row for row in rows if row.state == "active"]
    mean = sum(strength(row.id) for row in rows) / len(rows)
    covered = sum((row.low or 0.0) <= strength(row.id) - mean <= (row.high or 0.0) for row in rows)
    truth = [strength(row.id) for row in active]
    pairs = [(one, other) for place, one in enumerate(truth) for other in truth[place + 1 :]]
    tau = sum((one > other) - (one < other) for one, other in pairs) / len(pairs)
    best = sorted(truth, reverse=True)
    return [
        f"{len(rows)} versions rated, {len(active)} active; {report.extent}",
        f"Kendall's tau of the active bots: {tau:.3f}; the first of the table is number {best.index(truth[0]) + 1} by strength",
        f"95 % intervals that hold the true strength: {covered / len(rows):.1%}",
        *_first_rounds(history),
        f"the table takes {seconds:.2f} s",
    ]


def _first_rounds(history: History) -> list[str]:
    """Return in which round each version was rated, and after how many pairings."""
    opened, waits, fewest = 0, [], 1 << 30
    joined: dict[str, int] = {}
    for event in history.events:
        if isinstance(event, Activated):
            joined[event.version] = opened
        elif isinstance(event, RoundOpened):
            opened = event.round
            for version in [name for name in joined if any(name in both for both in event.pairings)]:
                waits.append(opened - joined.pop(version))
                fewest = min(fewest, sum(version in both for both in event.pairings))
    closed = sum(isinstance(event, RoundClosed) for event in history.events)
    latest = f"at the latest in the round number {max(waits)} after it"
    return [f"{len(waits)} submissions were rated {latest}, by {fewest} pairings or more in their first; {closed} rounds"]


def main() -> None:
    """Live, or play as the director of a league."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for name, value in {"bots": 200, "authors": 5, "versions": 3, "days": 10, "rounds": 25, "kills": 2, "patience": 20}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--play", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        play(options.folder, options.play)
        return
    spec = options.folder.with_suffix(".yaml")
    spec.write_text(SPEC)
    new(options.folder, spec)
    Life(options.folder, options).live()
    print("\n".join(findings(options.folder)))  # noqa: T201


if __name__ == "__main__":
    main()
