"""Rulesets of strangers: a package from the page plays, is reviewed and verified, and trains; a broken one is one line."""

import json
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
from msgspec import convert
from support.commands.calls import arena
from support.hands.builders import dealt, played
from support.kernel.games import PLAYERS, Players, differences
from support.repository.distributions import install
from support.repository.pages import blocks
from support.sizes import mostly_nightly

from arena.errors import PluginError
from arena.gin.cards import VALUES
from arena.gin.deal import Deals
from arena.gin.facts import HandFacts
from arena.gin.match import Match
from arena.gin.rules import HandTerms, Rules, possible_facts
from arena.gin.rulesets import RULESETS, Standard
from arena.gin.score import Ending, HandResult
from arena.plugins import door, manager
from arena.plugins.hookspecs import hookimpl
from arena.runs import named_parts

EXAMPLES = {block.file: block.text for block in blocks("python") if block.page == "arena/plugins/README.md" if block.file}
PACKAGE = {name: EXAMPLES[name] for name in ("spades.py", "rewards.py")}
POINTS = "[arena]\nspades = spades\nrewards = rewards\n"


def ruleset(file: str) -> type[Rules]:
    """Return the ruleset of an example."""
    module = ModuleType(file.removesuffix(".py"))
    exec(compile(PACKAGE[file], file, "exec"), vars(module))  # noqa: S102 - an example of arena's own page
    (found,) = module.arena_rulesets()
    kind: type[Rules] = found
    return kind


SPADES, REWARDS = ruleset("spades.py"), ruleset("rewards.py")


def test_oklahoma_with_spades_doubled_takes_less_than_sixty_lines() -> None:
    assert len(PACKAGE["spades.py"].splitlines()) < 60


def test_it_is_the_oklahoma_of_arena_with_its_own_option() -> None:
    for facts in possible_facts(SPADES()):
        assert facts.upcard is not None
        value = VALUES[facts.upcard]
        assert SPADES().terms(facts) == HandTerms(value if value > 1 else 0, 2 if facts.upcard >= 39 else 1)
    assert SPADES().most_multiplier == 2
    assert SPADES(spade=5).most_multiplier == 5  # type: ignore[call-arg]


def test_a_knock_is_rewarded_a_game_has_ten_hands_and_most_of_them_are_worth_fifty() -> None:
    deal = dealt("3c4c5c 7d7h7s 2h3h 4d Ac", "2c2d2s 9h9c9s Jd Qs 5h 8h", "8d", "Kd Kh")
    assert played("pass pass draw knock:Kd lay_off", deal, Rules()).result == HandResult(Ending.KNOCK, 0, 23, (10, 33))
    assert played("pass pass draw knock:Kd lay_off", deal, REWARDS()).result == HandResult(Ending.KNOCK, 0, 38, (10, 33))
    match = Match.start(REWARDS(), Deals("rewards", "a"))
    for number in range(10):
        assert not match.over
        match = match.add(HandResult(Ending.KNOCK, int(number < 3), 100 if number < 3 else 20, (0, 0)))
    assert (match.winner, match.games[0].totals) == (1, (7 * 20 + 50, 300))


@pytest.mark.process
def test_a_package_plays_is_verified_and_reviewed_and_its_rulesets_are_those_of_bots_in_processes(tmp_path: Path) -> None:
    install(tmp_path, "okla", PACKAGE, POINTS)

    def run(*words: str) -> str:
        ended = arena(*words, folder=tmp_path, PYTHONPATH=str(tmp_path))
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    for folder, rules in (("of-spades", "{name: spades, spade: 3}"), ("of-rewards", "rewards")):
        spec = f"title: Theirs\nbots: [greedy, cautious]\nrules: {rules}\nformat: {{pairs: 1}}\nreports: [json]\nsandbox: none\n"
        (tmp_path / "league.yaml").write_text(spec, encoding="utf-8")
        run("run", "league.yaml", "--results", folder)
        assert "played again, action for action" in run("verify", folder, "--replay", "--sandbox", "none")
        assert "error rate" in run("review", folder, "--bot", "greedy", "--hands", "2")
        shown = json.loads((tmp_path / folder / "results.json").read_text(encoding="utf-8"))["rules"]
        assert shown["name"] == folder.removeprefix("of-")
    assert "+" in run("match", "greedy", "cautious", "--rules", "spades", "--hands", "8", "--sandbox", "none")


@pytest.mark.parametrize("rules", [SPADES(), REWARDS()], ids=lambda rules: rules.name)
@pytest.mark.parametrize("players", mostly_nightly(PLAYERS, *PLAYERS[::2]), ids=lambda players: players.name)
def test_it_trains_hands_that_the_engine_plays_alike(rules: Rules, players: Players) -> None:
    assert differences(rules, players, 20, seed=5)["decisions"] >= 20


# --- rulesets that are refused, or that return what they may not


class Former(Rules, frozen=True, kw_only=True, tag="former"):
    """Overrides what arena once asked."""

    def may_knock_with(self, deadwood: int) -> bool:
        return deadwood <= 5


class Private(Rules, frozen=True, kw_only=True, tag="private"):
    """Overrides what belongs to arena."""

    def _shutout(self, of_hands: int, total: int) -> int:
        return of_hands + total


class Named(Rules, frozen=True, kw_only=True, tag="named"):
    """Overrides a property."""

    @property
    def limits(self) -> tuple[int, ...]:
        return (3,)


class Heir(Former, frozen=True, kw_only=True, tag="heir"):
    """Inherits such a function."""


class Helped(Rules, frozen=True, kw_only=True, tag="helped"):
    """Has a function of its own beside those that it may override."""

    def terms(self, facts: HandFacts) -> HandTerms:
        return HandTerms(self.by(facts.upcard or 0))

    def by(self, upcard: int) -> int:
        return upcard % 13


class Mixed:
    """Has a property of arena's name."""

    limits = (3,)


class Mixing(Mixed, Rules, frozen=True, kw_only=True, tag="mixing"):
    """Overrides it by a class beside ``Rules``."""


def with_ruleset(kind: type[Rules]) -> door.PluginManager:
    """Return a manager with a plugin that adds one ruleset."""

    class Plugin:
        @hookimpl
        def arena_rulesets(self) -> list[type[Rules]]:
            return [kind]

    plugins = manager.load(entry_points=False)
    plugins.register(Plugin(), "'theirs'")
    return plugins


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (Former, "may_knock_with, which arena does not ask"),
        (Heir, "may_knock_with, which arena does not ask"),
        (Private, "_shutout, which is arena's own"),
        (Named, "limits, which is arena's own"),
        (Mixing, "limits, which is arena's own"),
    ],
)
def test_a_ruleset_that_overrides_what_it_may_not_is_refused_where_it_is_chosen(kind: type[Rules], found: str) -> None:
    plugins, name = with_ruleset(kind), manager.name_of(kind)
    rulesets = manager.by_name(manager.kinds(plugins).rules)
    assert convert({"name": "standard"}, rulesets["standard"]) == Standard()
    with pytest.raises(PluginError) as raised:
        convert({"name": name}, rulesets[name])
    where = f"plugin 'theirs': hook arena_rulesets, part {name!r}"
    assert str(raised.value) == f"{where}: found {found}; expected an override of terms, score, ended_by or totals"
    assert manager.refused(plugins) == [str(raised.value)]


def test_a_bot_is_checked_under_every_ruleset_that_was_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, names in ((Former, set()), (Helped, {"helped"})):
        monkeypatch.setattr(named_parts, "installed_kinds", partial(manager.kinds, with_ruleset(kind)))
        assert {rules.name for rules in named_parts.audition("greedy", 1, "none").rules} == {one().name for one in RULESETS} | names


@pytest.mark.parametrize("kind", [SPADES, REWARDS, Helped], ids=lambda kind: kind.__name__)
def test_a_ruleset_may_have_functions_of_its_own(kind: type[Rules]) -> None:
    assert manager.refused(with_ruleset(kind)) == []


BROKEN = """
from arena.gin.rules import Rules
from arena.plugins.hookspecs import hookimpl

class Broken(Rules, frozen=True, kw_only=True, tag="broken"):
    def {function}:
        return {value}

@hookimpl
def arena_rulesets():
    return [Broken]
"""


@pytest.mark.parametrize(
    ("function", "value", "problem"),
    [
        ("terms(self, facts)", "'no'", "terms: found 'no'; expected HandTerms"),
        pytest.param(
            "score(self, show)",
            "self.nothing",
            "score: AttributeError: 'Broken' object has no attribute 'nothing' (line 7 of ",
            marks=pytest.mark.process,
        ),
        pytest.param(
            "totals(self, game, ended_by)", "None", "totals: found None; expected tuple[int, int]", marks=pytest.mark.process
        ),
        pytest.param(
            "totals(self, game, ended_by)",
            "(-1, 1)",
            "ruleset 'broken': totals() returned (-1, 1); expected whole numbers from 0 on",
            marks=pytest.mark.process,
        ),
    ],
)
def test_a_wrong_value_ends_a_run_with_one_line(function: str, value: str, problem: str, tmp_path: Path) -> None:
    install(tmp_path, "broken", {"broken.py": BROKEN.format(function=function, value=value)}, "[arena]\nbroken = broken\n")
    spec = (
        "title: Broken\nbots: [greedy, cautious]\nrules: {name: broken, target: 1, best_of: 1}\nformat: {pairs: 1}\nsandbox: none\n"
    )
    (tmp_path / "league.yaml").write_text(spec, encoding="utf-8")
    ended = arena("run", "league.yaml", "--results", "run", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert ended.returncode == 2
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("arena: ")
    assert problem in last
    assert "Traceback" not in ended.stderr
