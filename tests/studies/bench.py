"""``python tests/studies/bench.py [--train]``: what this machine does: the engine, a decision through a bot's process, a match.

Other programs disturb it; compare the ratios, which are of one run, rather than the times. ``--train``: ``arena.train``, compared
with the engine.

``python tests/studies/bench.py engine|kernel HANDS`` has the bot ``greedy`` play itself, in one process and without a referee. It
prints the hands, decisions and seconds as JSON; the kernel plays whole batches, so HANDS is rounded up.
"""

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import TypeVar

from msgspec import Struct
from msgspec.json import decode, encode
from msgspec.structs import asdict, replace

from arena import interpreter
from arena.confinement.profiles import Sandbox
from arena.gin.cards import NAMES, bits
from arena.gin.deal import Deal
from arena.gin.match import Hand, Scoreline
from arena.gin.melds import deadwood
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.gin.view import View
from arena.limits import FaultCosts, LineLimits, TimeLimits
from arena.players.base import ObservedPlayer, Reply
from arena.players.process import Allowance, BotProcess
from arena.players.process_player import ProcessPlayer
from arena.players.sandboxes import NoSandbox, StandardSandbox, StrictSandbox
from arena.players.traffic_log import TrafficLog
from arena.protocol import codec
from arena.protocol.codec import LINE_BYTES
from arena.protocol.messages import Hello, Limits
from arena.protocol.notation import answer, rules_message
from arena.protocol.schema import VERSION
from arena.records import Fixture
from arena.referee.job import Job, play, play_between
from arena.roster.finder import find
from arena.runs.installed import CORE
from arena.runs.judge import Rulesets, judge_case
from arena.runs.judge_cases import JudgeCase, read
from arena.sdk.loading import bot_class
from arena.sdk.selfplay import selfplay
from arena.text import json_text
from arena.tournament import core_use
from arena.tournament.local import Local
from arena.tournament.sparring import partner
from arena.train.hands import Hands

RULES = "tournament"  # of the hands that are judged
ROWS = 1024 if Hands.compiled else 16  # hands in a batch of the kernel
SECONDS = 1.0  # of processor time for each figure of the kernel


class Figure(Struct, frozen=True):
    """A measurement."""

    name: str
    value: float
    unit: str
    what: str  # was measured


def of_deadwood() -> Iterator[Figure]:
    """Yield the mean time to compute the deadwood of ten and of eleven random cards."""
    for count in (10, 11):
        card_sets = [bits(shuffle(f"bench {number}")[:count]) for number in range(5000)]
        seconds = _least_seconds(partial(_deadwoods, card_sets))
        yield Figure(f"deadwood_{count}", 1e6 * seconds / len(card_sets), "µs", f"deadwood of {count} cards")


def of_selfplay() -> Iterator[Figure]:
    """Yield the speed of greedy against itself, in another process, because the harness imports no bot."""
    command = interpreter.python(__file__, "engine", "2000")
    spent = decode(subprocess.run(command, capture_output=True, check=True).stdout, type=Spent)
    yield Figure("selfplay", spent.hands / spent.seconds, "hands/s", "greedy against itself in one process")


def of_judging() -> Iterator[Figure]:
    """Yield the speed of ``arena judge``, from the line of a hand to the line that answers it."""
    lines, rulesets = [_line(number) for number in range(200)], Rulesets()
    seconds = _least_seconds(
        lambda: [json_text(judge_case(case := read(line, JudgeCase), rulesets.of(case.rules))) for line in lines]
    )
    yield Figure("judging", len(lines) / seconds, "lines/s", "arena judge: whole hands, with notation and JSON")


def _deadwoods(card_sets: list[int]) -> list[int]:
    return list(map(deadwood, card_sets))


def _line(number: int) -> bytes:
    """Return a line for ``arena judge``: a hand that two audition partners play."""
    start = Deal(shuffle(f"bench {number}"), number & 1)
    hand = Hand.start(start, Rules())
    players = (partner(f"{number}/0"), partner(f"{number}/1"))
    actions = []
    while hand.result is None:
        action = players[hand.seat](see(hand, Scoreline()))
        actions.append({"seat": hand.seat, **asdict(answer(action))})
        hand = hand.play(action)
    deck = [NAMES[card] for card in start.deck]
    return encode({"id": number, "rules": RULES, "deck": deck, "dealer": start.dealer, "actions": actions})


def _least_seconds(work: Callable[[], object]) -> float:
    """Return the seconds of processor time of the fastest of five rounds."""
    spent = []
    for _ in range(5):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


class Spent(Struct, frozen=True):
    """Hands that were played in one process, and their cost."""

    hands: int
    decisions: int
    seconds: float  # of processor time


def print_spent(play: Callable[[int], int], hands: int) -> None:
    """Print the cost of a number of hands; ``play`` plays them and returns the number of decisions. First play some to warm up."""
    play(1 + hands // 20)
    start = time.process_time()
    decisions = play(hands)
    sys.stdout.buffer.write(encode(Spent(hands, decisions, time.process_time() - start)) + b"\n")


def play_engine(hands: int) -> int:
    """Play hands of greedy against itself in the engine, and return the number of decisions."""
    make = bot_class("arena_bots.greedy:Greedy")
    return selfplay((make("0"), make("1")), hands)


def of_training() -> Iterator[Figure]:
    """Yield the speeds of the engine, and of the kernel in whole hands and in single steps with masks and observations."""
    how = "compiled" if Hands.compiled else "interpreted"
    engine = next(of_selfplay())
    played = _hands_a_second()
    yield engine
    yield Figure("train_hands", played, "hands/s", f"greedy against itself in the {how} kernel")
    yield Figure("train_hands_to_engine", played / engine.value, "times", "the kernel to the engine, whole hands")
    yield Figure("train_steps", _steps_a_second(), "steps/s", f"mask, observation and step of a batch of {ROWS}")


def play_kernel(hands: int) -> int:
    """Play at least this number of hands of greedy against itself in whole batches; return the number of decisions."""
    batch, decisions = _batch(), 0
    for _ in range(-(-hands // ROWS)):
        batch.finish("greedy", "greedy")
        decisions += batch.decisions
    return decisions


def _hands_a_second() -> float:
    batch, played, start = _batch(), 0, time.process_time()
    while time.process_time() - start < SECONDS:
        batch.finish("greedy", "greedy")
        played += ROWS
    return played / (time.process_time() - start)


def _steps_a_second() -> float:
    """Return the steps a second, without the time of choosing the actions, which a learner does."""
    batch, spent, steps = _batch(), 0.0, 0
    while spent < SECONDS:
        actions = batch.choose("random")
        start = time.process_time()
        batch.look()
        batch.step(actions)
        spent += time.process_time() - start
        steps += ROWS
    return steps / spent


def _batch() -> Hands:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the figures name an interpreted kernel
        batch = Hands(ROWS)
    batch.reset(1)
    return batch


ECHO = "import os\nwhile line := os.read(0, 65536): os.write(1, line)"
JSON_ECHO = """
import json, sys, os
answers = json.loads(sys.argv[1])
for number, line in enumerate(sys.stdin.buffer):
    json.loads(line)
    os.write(1, json.dumps(answers[number % len(answers)]).encode() + b"\\n")
"""

ROUNDS = 3  # of each measurement that others may disturb
PAIR = 2  # workers
STARTS = 9  # of a bot, in each sandbox
DECISIONS = {
    "decision": "a decision through a bot's process",
    "pipe_echo": "a bare pipe echo of the same bytes",
    "json_echo": "a pipe echo that parses and writes the same JSON",
}
Question = TypeVar("Question")


def of_decisions() -> Iterator[Figure]:
    """Yield the time of a decision of a bot that hardly thinks, of a bare echo, and of one that parses and writes the same JSON."""
    spent: dict[str, list[float]] = {name: [] for name in DECISIONS}
    with one_core():
        for _ in range(ROUNDS):  # in turn, so that a disturbance slows all three
            times, replies = _decisions("random-legal", hands=40)
            spent["decision"] += times
            spent["pipe_echo"] += _pipe_echo(replies)
            spent["json_echo"] += _json_echo(replies)
    for name, what in DECISIONS.items():
        yield Figure(f"{name}_p50", 1e6 * median(spent[name]), "µs", f"{what}, median")
        yield Figure(f"{name}_p99", 1e6 * quantiles(spent[name], n=100)[-1], "µs", f"{what}, 99 of 100")
    ratio = median(spent["decision"]) / median(spent["json_echo"])
    yield Figure("decision_to_json_echo", ratio, "times", "decision to JSON echo, medians")


def of_matches() -> Iterator[Figure]:
    """Yield the time of a 250-point best-of-five match of greedy with itself, starts included, on one core, as a worker has."""
    times, decisions = [], 0
    # A command finds each bot once, not for each match.
    job = _job("greedy", Fixture("bench", ("greedy", "greedy"), "bench"), StandardSandbox())
    with one_core():
        for number in range(5):
            start = time.perf_counter()
            record = play(replace(job, fixture=Fixture(f"bench/{number}", ("greedy", "greedy"), f"bench/{number}")))
            times.append(time.perf_counter() - start)
            decisions += sum(usage.decisions for usage in record.usage)
    yield Figure("match", median(times), "s", f"a 250-point best-of-five match, starts included, {decisions // 5} decisions")


def of_starts() -> Iterator[Figure]:
    """Yield the times in which the command line and a bare interpreter start."""
    arena = median(_seconds(interpreter.arena("--help")) for _ in range(5))
    bare = median(_seconds(interpreter.python("-c", "pass")) for _ in range(5))
    yield Figure("help", arena, "s", "arena --help")
    yield Figure("help_to_python", arena / bare, "times", "arena --help to a bare interpreter")


def of_sandbox() -> Iterator[Figure]:
    """Yield the cost of the default sandbox: at the start of a bot, for each message, and in memory. Raises: SandboxError."""
    bare: Sandbox = NoSandbox()
    sandboxed: Sandbox = StrictSandbox() if sys.platform == "linux" else StandardSandbox()
    sandboxed.assurance()  # the proof is not a part of the cost of each start
    starts: dict[Sandbox, list[float]] = {bare: [], sandboxed: []}
    kilobytes: dict[Sandbox, list[float]] = {bare: [], sandboxed: []}
    unsealed: list[float] = []
    decisions: dict[Sandbox, list[float]] = {bare: [], sandboxed: []}
    with one_core():
        for _ in range(STARTS):
            for sandbox in (bare, sandboxed):
                seconds, resident = _start(sandbox)
                starts[sandbox].append(seconds)
                kilobytes[sandbox].append(resident)
            unsealed.append(_start(sandboxed, reads_while_playing=True)[0])
        for _ in range(ROUNDS):
            for sandbox in (bare, sandboxed):
                decisions[sandbox] += _decisions("random-legal", 40, sandbox)[0]
    yield Figure("start_bare", 1e3 * median(starts[bare]), "ms", "start of an SDK bot to its first reply, without a sandbox")
    yield Figure("start_sandboxed", 1e3 * median(starts[sandboxed]), "ms", "the same in the sandbox")
    yield Figure("start_unsealed", 1e3 * median(unsealed), "ms", "the same of a bot that reads while it plays, and is not sealed")
    start, message = (median(seconds[sandboxed]) / median(seconds[bare]) for seconds in (starts, decisions))
    memory = median(kilobytes[sandboxed]) - median(kilobytes[bare])
    yield Figure("start_sandboxed_to_bare", start, "times", "start in the sandbox to start without")
    yield Figure("message_sandboxed_to_bare", message, "times", "decision in the sandbox to without")
    yield Figure("sandbox_memory", memory / 1024, "MB", "memory that the sandbox costs a bot")


def of_workers() -> Iterator[Figure]:
    """Yield the speed of two workers to one, with a quick bot and one that thinks for milliseconds; nothing on one core."""
    if len(core_use.cores()) < PAIR:
        return
    for name, bot, hands, fixtures in (("cheap", "greedy", 8, 16), ("slow", "reader", 1, 16)):
        work = partial(play, _job(bot, Fixture("bench", (bot, bot), "bench", hands), StandardSandbox()))
        times = [(_measure_workers(work, 1, fixtures), _measure_workers(work, PAIR, fixtures)) for _ in range(ROUNDS)]
        alone, together = (min(seconds) for seconds in zip(*times, strict=True))
        yield Figure(f"two_workers_{name}", alone / together, "times", f"two workers to one, a {name} bot")


MEASURES: tuple[Callable[[], Iterator[Figure]], ...] = (
    of_deadwood,
    of_selfplay,
    of_judging,
    of_decisions,
    of_sandbox,
    of_matches,
    of_workers,
    of_starts,
)
TRAINING = (of_training,)  # of ``--train``


class _Timed(ObservedPlayer):
    """A player whose answers are timed, in seconds from view to action, and kept."""

    def __init__(self, player: ProcessPlayer) -> None:
        super().__init__(player)
        self.spent: list[float] = []
        self.replies: list[Reply] = []

    def ask(self, view: View) -> Reply:
        start = time.perf_counter()
        reply = self._player.ask(view)
        self.spent.append(time.perf_counter() - start)
        self.replies.append(reply)
        return reply


def _decisions(bot: str, hands: int, sandbox: Sandbox | None = None) -> tuple[list[float], list[Reply]]:
    job = _job(bot, Fixture("bench", (bot, bot), "bench", hands), sandbox or StandardSandbox())
    players = (_Timed(job.player(0)), _Timed(job.player(1)))
    play_between(players, job.fixture, job.rules, job.faults, job.seed)
    return players[0].spent + players[1].spent, players[0].replies + players[1].replies


def _start(sandbox: Sandbox, *, reads_while_playing: bool = False) -> tuple[float, float]:
    """Return the seconds from the start of a bot until it is ready and sealed, and the kilobytes of memory that it then has."""
    limits = Limits(turn_cpu=1, match_cpu=1, line_bytes=LINE_BYTES)
    hello = Hello(VERSION, rules_message(Rules()), limits, seed="bench")
    launch = sandbox.wrap(replace(find("random-legal").launch, reads_while_playing=reads_while_playing))
    start = time.perf_counter()
    process = BotProcess(launch, LINE_BYTES, TrafficLog())
    try:
        process.send(codec.encode(hello))
        process.wait_ready()
        process.receive(Allowance(cpu=10, stall=10, wall=60))
        process.seal()
        seconds = time.perf_counter() - start
        return seconds, _kilobytes(process.pid)
    finally:
        process.close()


def _kilobytes(pid: int) -> float:
    """Return a process's proportional share of memory (PSS) in kilobytes; NaN where the system does not report it."""
    rollup = Path(f"/proc/{pid}/smaps_rollup")
    shares = dict(line.split()[:2] for line in rollup.read_text().splitlines()[1:]) if rollup.exists() else {}
    return float(shares.get("Pss:", "nan"))


def _pipe_echo(replies: list[Reply]) -> list[float]:
    return _echo(interpreter.python("-c", ECHO), [reply.question for reply in replies], lambda line: line, lambda line: line)


def _json_echo(replies: list[Reply]) -> list[float]:
    answers = json.dumps([json.loads(reply.answer) for reply in replies])
    questions = [json.loads(reply.question) for reply in replies]
    return _echo(interpreter.python("-c", JSON_ECHO, answers), questions, lambda it: json.dumps(it).encode() + b"\n", json.loads)


def _job(bot: str, fixture: Fixture, sandbox: Sandbox) -> Job:
    launch = find(bot).launch
    return Job(
        fixture=fixture,
        launches=(launch, launch),
        rules=Rules(),
        sandbox=sandbox,
        time=TimeLimits(),
        lines=LineLimits(),
        faults=FaultCosts(),
        seed="bench",
    )


def _measure_workers(work: Callable[[], object], workers: int, times: int) -> float:
    """Return the seconds in which ``workers`` do the same work ``times`` times, after one warm-up for each worker."""
    with Local().open(workers, lambda: None) as pool:
        wait([pool.submit(work) for _ in range(workers)])
        start = time.perf_counter()
        for done in [pool.submit(work) for _ in range(times)]:
            done.result()
        return time.perf_counter() - start


def _echo(
    command: tuple[str, ...], questions: list[Question], write: Callable[[Question], bytes], read: Callable[[bytes], object]
) -> list[float]:
    """Return the seconds of each round trip through a child process.

    The child's standard error is dropped: when the benchmark is stopped, its pipe breaks while it writes.
    """
    spent = []
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, bufsize=0) as child:
        assert child.stdin
        assert child.stdout
        to, back = child.stdin.fileno(), child.stdout.fileno()
        for question in questions:
            start = time.perf_counter()
            os.write(to, write(question))
            read(os.read(back, 65536))
            spent.append(time.perf_counter() - start)
        child.stdin.close()
    return spent


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process, and those it starts, on one core, where the platform can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _seconds(command: tuple[str, ...]) -> float:
    start = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - start


def lines(measures: Iterable[Callable[[], Iterator[Figure]]]) -> Iterator[str]:
    """Yield the core in use, and each figure as it is measured."""
    yield f"core: {CORE}"
    for figure in (figure for measure in measures for figure in measure()):
        rounded = float(f"{figure.value:.3g}")
        value = f"{rounded:.3g}" if rounded < 1000 else f"{rounded:,.0f}"  # never as 1e+03
        yield f"{value:>10} {figure.unit:12} {figure.what}"


def main(*arguments: str) -> None:
    """Print the figures, or what one program spends."""
    match arguments:
        case ("engine" | "kernel" as program, hands):
            play_hands, batch_size = {"engine": (play_engine, 1), "kernel": (play_kernel, ROWS)}[program]
            print_spent(play_hands, -(-int(hands) // batch_size) * batch_size)
        case _:
            for line in lines(TRAINING if "--train" in arguments else MEASURES):
                sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
