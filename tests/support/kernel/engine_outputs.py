"""``python engine_outputs.py FILE...``: what the installed engine gives for many cards, hands and lines, as hashes in JSON.

Files hold cases for ``arena judge``, a line each. Two builds of the engine that print the same gave the same results. The program
uses nothing of the repository, so that it can be run by any interpreter that has arena.
"""

import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from random import Random

from msgspec.json import decode, encode

import arena_bots
from arena.gin import actions, cards, melds, seeing, shuffling
from arena.gin.actions import Action, BigGin, Discard, Draw, IllegalActionError, Knock, LayOff, Pass, Take
from arena.gin.deal import Deal
from arena.gin.match import Hand, Scoreline
from arena.gin.rules import Rules
from arena.runs import installed as installation
from arena.runs.judge import Rulesets, judge_case
from arena.runs.judge_cases import JudgeCase, read
from arena.sdk.loading import bot_class
from arena.text import json_text

RULESETS = ("boxes", "classic", "fiftieth-card", "points-list", "standard", "summary", "tournament", "under-ten")
BOTS = ("cautious:Cautious", "challenger:Challenger", "greedy:Greedy", "random_legal:RandomLegal", "scholar:Scholar")
START = Scoreline()


def of_cards() -> Iterator[object]:
    """Yield what the functions of cards and melds give for random cards."""
    random = Random("cards")
    for number in range(20_000):
        held = cards.bits(random.sample(range(52), number % 12))
        yield melds.deadwood(held), melds.completes(held), melds.points(held), melds.is_set(held), melds.is_run(held)
        yield cards.text(held), list(cards.each(held)), cards.parse(cards.text(held)), melds.melds_in(held)
        yield melds.best_throws(held, held)
    for number in range(600):
        deck = shuffling.shuffle(f"arrangements {number}")
        mine, theirs = cards.bits(deck[:10]), cards.bits(deck[10:21])
        laid = melds.arrange(mine)
        yield laid, melds.openings(laid), melds.defend(theirs, laid), melds.lay_off(laid, theirs)


def of_decks() -> Iterator[object]:
    """Yield decks."""
    return (shuffling.shuffle(f"deck {number}") for number in range(2000))


def of_hands() -> Iterator[object]:
    """Yield every view, action and result of hands of the bots under each ruleset, and the errors of actions that are illegal."""
    rulesets = Rulesets()
    for name in RULESETS:
        for number, pair in enumerate(permutations(BOTS, 2)):
            yield from _hand(rulesets.of(name), number, pair)


def _hand(rules: Rules, number: int, pair: tuple[str, str]) -> Iterator[object]:
    random = Random(f"illegal {number}")
    bots = [bot_class(f"{arena_bots.__name__}.{path}")(f"{rules.name} {number}") for path in pair]
    hand = Hand.start(Deal(shuffling.shuffle(f"{rules.name} {number}"), number & 1), rules)
    while hand.result is None:
        view = seeing.see(hand, START)
        yield repr(view), str(_refused(hand, _any_action(random)))
        action = bots[hand.seat].answer(view)
        yield actions.word(action)
        hand = hand.play(action)
    yield repr(hand), [repr(seeing.disclose(hand, hand.result, START, (0, 0), seat)) for seat in (0, 1)]


def _any_action(random: Random) -> Action:
    card, several = random.randrange(52), tuple(cards.bits(random.sample(range(52), 3)) for _ in range(random.randrange(3)))
    makers: list[Callable[[], Action]] = [
        Pass,
        Take,
        Draw,
        lambda: Discard(card),
        lambda: Knock(card),
        lambda: Knock(card, several),
        lambda: BigGin(several),
        lambda: LayOff(several, ((card, 0),)),
    ]
    return random.choice(makers)()


def _refused(hand: Hand, action: Action) -> IllegalActionError | None:
    try:
        hand.play(action)
    except IllegalActionError as error:
        return error
    return None


def of_lines(paths: list[Path]) -> Iterator[object]:
    """Yield the answer to each case of the files, and to the same line with one of its words changed."""
    rulesets, random = Rulesets(), Random("lines")
    for line in (line for path in paths for line in path.read_bytes().splitlines()):
        case = encode(decode(line)["case"])
        yield _answer(case, rulesets)
        words = case.split(b'"')
        words[random.randrange(len(words))] = words[random.randrange(len(words))]
        yield _answer(b'"'.join(words), rulesets)


def _answer(line: bytes, rulesets: Rulesets) -> str:
    try:
        return json_text(judge_case(case := read(line, JudgeCase), rulesets.of(case.rules)))
    except ValueError as error:
        return f"error: {error}"


def _hashed(outputs: Iterator[object]) -> str:
    digest = sha256()
    for one in outputs:
        digest.update(repr(one).encode())
    return digest.hexdigest()


if __name__ == "__main__":
    outputs = {
        "cards": _hashed(of_cards()),
        "decks": _hashed(of_decks()),
        "hands": _hashed(of_hands()),
        "lines": _hashed(of_lines([Path(name) for name in sys.argv[1:]])),
    }
    modules = {name: module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] in ("arena", "arena_bots")}
    sys.stdout.write(json_text({"core": installation.CORE, "outputs": outputs, "modules": modules}) + "\n")
