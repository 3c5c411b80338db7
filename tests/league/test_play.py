"""Leagues on disk: submitted to, played, killed and continued, in this process and without a sandbox."""

import re
import shlex
import shutil
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from msgspec.json import decode
from msgspec.msgpack import decode as decode_msgpack
from msgspec.msgpack import encode as encode_msgpack
from msgspec.structs import replace
from support.bots.inline import install_files
from support.commands.runs import stored
from support.leagues.admitting import admitting
from support.records.forging import forge, remove_witness
from support.records.verifying import first_difference, runner
from support.sizes import mostly_nightly

from arena.errors import InputError, RosterError, StoreError
from arena.league import leagues, membership, pair_cache, show
from arena.league.exported import export
from arena.league.leagues import LiveLeague, new
from arena.league.membership import EndedSeason
from arena.league.observing import LeagueObserver
from arena.league.on_request import challenge
from arena.league.pair_cache import CachedResults
from arena.league.play import PlayedLeague, StopRule, play_rounds
from arena.league.rules.challenges import Challenges
from arena.league.rules.events import AnyEvent, RoundOpened
from arena.league.rules.league_table import TableRow
from arena.league.rules.rounds import Calendar
from arena.league.submit import SubmissionOutcome, submit_bot
from arena.moments import moment, now
from arena.plugins.manager import installed_kinds
from arena.records import Fault, MatchRecord
from arena.reports.report import Report
from arena.results.hands import WITHHELD, ExportedMatch, hands, lines
from arena.results.publish import publish
from arena.runs.logs import log_nowhere
from arena.runs.stored_kinds import stored_run
from arena.stats.standings import Standing
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web.watched_run import WatchedRun

SPEC = """
title: Friday
rules: {target: 10, best_of: 1}
sandbox: none
audition: {hands: 8}
pairing: {newcomer: 3}
likeness: null
"""
BOT = """
from arena.sdk import Bot

class Mine(Bot):
    '''{0}'''
"""
BROKEN = """
from arena.sdk import Bot

class Mine(Bot):
    def discard(self, view):
        raise ValueError("no idea")
"""
# passes its audition, in which every hand is the first of a game
LATE = """
from arena.sdk import Bot

class Mine(Bot):
    def draw(self, view):
        if view.hand:
            raise ValueError("late")
        return super().draw(view)
"""


def write_bot(folder: Path, name: str, text: str = BOT) -> str:
    path = folder / f"{name}.py"
    path.write_text(text.replace("{0}", name))
    return str(path)


def enter(league: Path, name: str, author: str = "ann", text: str = BOT) -> SubmissionOutcome:
    """Submit a bot whose file lies beside the league; one that only names itself joins without an audition."""
    log_nowhere()
    with admitting() if text == BOT else nullcontext():
        return submit_bot(league, write_bot(league.parent, name, text), author, name.partition("-")[0], lambda _: None)


def play(
    league: Path,
    observer: LeagueObserver | None = None,
    matches: int | None = None,
    rounds: int | None = None,
    *,
    sure: bool = False,
) -> PlayedLeague:
    return play_rounds(league, runner(), StopRule(matches=matches, rounds=rounds, sure=sure), observer or LeagueObserver(), None)


def shown_since(league: Path) -> tuple[str, ...]:
    """Return what has changed since yesterday."""
    return show.league_report(league, None, moment("1d", now())).changes


def events(league: Path) -> tuple[AnyEvent, ...]:
    with leagues.open_league(league) as opened:
        return leagues.history(opened.folder, opened.store).events


def rounds(league: Path) -> list[tuple[tuple[str, str], ...]]:
    return [event.pairings for event in events(league) if isinstance(event, RoundOpened)]


def states(league: Path) -> dict[str, str]:
    with leagues.open_league(league) as opened:
        return {version.id: version.state for version in leagues.field(opened.store).versions}


def league_of(folder: Path, names: list[str], spec: str) -> Path:
    """Return a league in a folder, with a bot of each name."""
    (folder / "league.yaml").write_text(spec)
    league = folder / "league"
    new(league, folder / "league.yaml")
    for name in names:
        assert enter(league, name, author=f"{name}s").joined
    return league


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play bots that are as BOT in this process: what is tested is the league. All others are processes."""
    install_files(monkeypatch, BOT.partition("{0}")[0])


@pytest.fixture(scope="module")
def entered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a league of three bots in which nothing was played."""
    return league_of(tmp_path_factory.mktemp("leagues"), ["a", "b", "c"], SPEC)


@pytest.fixture
def league(entered: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(entered, tmp_path / "league"))


def test_a_league_is_played_round_by_round_and_verifies(league: Path) -> None:
    result = play(league, matches=8)
    assert (result.matches, result.rounds) == (8, 2)
    assert rounds(league) == [(("a@1", "b@1"), ("a@1", "c@1"), ("b@1", "c@1")), (("a@1", "b@1"),)]
    assert first_difference(league) == ""


def test_a_folder_that_holds_something_is_no_place_for_a_league(league: Path, tmp_path: Path) -> None:
    (tmp_path / "spec.yml").write_text(SPEC)
    for folder, message in ((league, "holds a run already"), (tmp_path, "holds no run, but other files")):
        with pytest.raises(StoreError, match=message):
            new(folder, tmp_path / "spec.yml")


@pytest.mark.process
def test_a_newer_version_takes_the_place_of_the_one_before_it_and_both_keep_their_results(league: Path) -> None:
    play(league, matches=6)
    outcome = enter(league, "a-better", author="as")
    assert (outcome.version and outcome.version.id, outcome.replaced) == ("a@2", "a@1")
    play(league, matches=6)
    assert states(league) == {"a@1": "retired", "b@1": "active", "c@1": "active", "a@2": "active"}
    rows = show.league_report(league, None, moment("1d", now())).now.rows
    assert {row.id: row.matches > 0 for row in rows} == dict.fromkeys(states(league), True)
    assert first_difference(league) == ""


@pytest.mark.process
def test_an_older_version_may_be_reinstated_beside_the_newer(league: Path) -> None:
    enter(league, "a-better", author="as")
    membership.reinstate(league, "a@1")
    play(league, matches=2)
    assert {"a@1", "a@2"} <= {one for both in rounds(league)[0] for one in both}


@pytest.mark.process
def test_the_same_bot_twice_is_said_to_be_the_same(league: Path) -> None:
    again = enter(league, "a", author="as")
    assert (again.version and again.version.id, again.joined) == ("a@1", False)
    with pytest.raises(InputError, match=r"'zoe' of zoe is the same bot as a@1 of as, which is active"):
        submit_bot(league, str(league.parent / "a.py"), "zoe", "zoe", lambda _: None)
    assert list(states(league)) == ["a@1", "b@1", "c@1"]


@pytest.mark.process
def test_a_bot_that_fails_its_audition_is_refused_with_its_own_line_and_the_turn(league: Path) -> None:
    outcome = enter(league, "broken", text=BROKEN)
    assert outcome.version is None
    assert "no idea" in outcome.reason.detail
    assert outcome.reason.public == ""
    assert "broken@1" not in states(league)
    assert "no idea" in "\n".join(show.bot_lines(show.bot_report(league, "broken")))
    assert sorted(path.name for path in (league / "bots").iterdir()) == sorted(digests(league))


def digests(league: Path) -> list[str]:
    with leagues.open_league(league) as opened:
        return [version.digest for version in leagues.field(opened.store).versions]


@pytest.mark.process
def test_a_bot_is_copied_whole_so_that_the_original_may_go(league: Path, tmp_path: Path) -> None:
    package = tmp_path / "mine"
    (package / "inner").mkdir(parents=True)
    for path in (package / "__init__.py", package / "inner" / "__init__.py"):
        path.write_text("")
    (package / "inner" / "part.py").write_text("WORD = 'x'\n")
    (package / "bot.py").write_text("from inner.part import WORD\n" + BOT.replace("{0}", "mine"))
    assert submit_bot(league, f"{package / 'bot.py'}:Mine", "dan", "dan", lambda _: None).joined
    shutil.rmtree(package)
    play(league, matches=8)
    met = [record for fixture, record in stored(league).items() if "dan@1" in fixture]
    assert met
    assert not any(record.faults for record in met)


@pytest.mark.process
def test_a_folder_with_a_manifest_and_an_installed_bot_can_be_submitted(league: Path, tmp_path: Path) -> None:
    folder = tmp_path / "counter"
    shutil.copytree(Path(__file__).parents[2] / "bots" / "awk_counter", folder)
    assert submit_bot(league, str(folder), "dan", None, lambda _: None).joined
    assert submit_bot(league, "greedy", "eve", None, lambda _: None).joined
    assert set(states(league)) >= {"awk-counter@1", "greedy@1"}


def change(copy: Path) -> None:
    copy.chmod(0o644)
    copy.write_text(copy.read_text() + "\n")


@pytest.mark.process
@pytest.mark.parametrize(("spoil", "reason"), [(change, "changed since a@1 was submitted"), (Path.unlink, "no file 'bot.py'")])
def test_a_bot_whose_copy_is_missing_or_was_changed_is_suspended_and_the_others_play(
    league: Path, spoil: Callable[[Path], object], reason: str
) -> None:
    spoil(league / "bots" / digests(league)[0] / "bot.py")
    play(league, matches=2)
    assert states(league) == {"a@1": "suspended", "b@1": "active", "c@1": "active"}
    assert any("a@1 was suspended" in line and reason in line for line in shown_since(league))
    assert rounds(league)[0] == (("b@1", "c@1"),)
    assert first_difference(league) == ""


@pytest.mark.process
def test_a_bot_whose_copy_is_restored_while_the_league_is_played_plays_again_once_reinstated(league: Path) -> None:
    copy = league / "bots" / digests(league)[0] / "bot.py"
    kept = copy.rename(league / "kept.py")

    class Restoring(LeagueObserver):
        def round(self, opened: RoundOpened, left: int) -> None:
            if kept.exists():
                kept.rename(copy)
                membership.reinstate(league, "a")

    play(league, Restoring(), rounds=2)
    assert states(league)["a@1"] == "active"
    assert any("a@1" in both for both in rounds(league)[1])


@pytest.mark.process
def test_a_bot_whose_copy_vanishes_while_a_round_is_open_loses_its_matches_there(league: Path) -> None:
    play(league, matches=1)
    for name in digests(league)[:2]:
        shutil.rmtree(league / "bots" / name)
    play(league, matches=len(rounds(league)[0]) * 2 - 1)
    assert play(league).alone
    assert sum(len(record.faults) > 0 for record in stored(league).values()) >= 4
    assert states(league) == {"a@1": "suspended", "b@1": "suspended", "c@1": "active"}
    assert first_difference(league) == ""


@pytest.mark.process
def test_a_challenge_of_a_bot_that_was_retired_is_played_and_waits_once_its_copy_is_lost(league: Path) -> None:
    play(league, rounds=1)
    first, second = sorted(states(league))[:2]
    for _ in range(2):
        challenge(league, first, second)
    membership.retire(league, first, "gave up")
    play(league, rounds=2)
    [taken] = {name.rpartition("/")[0] for name in stored(league) if "/q" in name}
    with leagues.open_league(league) as opened:
        digest = leagues.field(opened.store).version(first).digest
    shutil.rmtree(league / "bots" / digest)
    play(league, rounds=8)
    assert states(league)[first] == "withdrawn"
    assert {name.rpartition("/")[0] for name in stored(league) if "/q" in name} == {taken}
    assert len(Challenges(events(league)).waiting) == 1
    assert first_difference(league) == ""


def test_a_league_of_which_no_copy_is_left_says_so(league: Path) -> None:
    shutil.rmtree(league / "bots")
    (league / "bots").mkdir()
    with pytest.raises(StoreError, match=r"no bot can be played; no file 'bot.py'"):
        play(league, matches=2)


@pytest.mark.parametrize(
    ("name", "author", "message"),
    [
        ("b", "zoe", "the name 'b' is that of a bot of bs; expected another"),
        ("a b", "zoe", "the bot is called 'a b'; expected at most 50 letters"),
        ("z@1", "zoe", "the bot is called 'z@1'; expected at most 50 letters"),
        ("zoe", "a b", "the author is called 'a b'; expected at most 50 letters"),
    ],
)
def test_names_are_checked_before_the_audition(league: Path, name: str, author: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        submit_bot(league, write_bot(league.parent, "zoe"), author, name, lambda _: None)


@pytest.mark.process
def test_an_author_may_have_only_so_many_active_bots_as_the_spec_says(league: Path) -> None:
    for name in ("x", "y", "z"):
        enter(league, name, author="xs")
    with pytest.raises(InputError, match=r"xs has 3 active bots, x@1, y@1, z@1; expected less than 3: retire one first"):
        enter(league, "w", author="xs")
    assert enter(league, "z-better", author="xs").joined, "a new version takes a place that is counted already"
    membership.retire(league, "y", "")
    assert enter(league, "w", author="xs").joined


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found no class that inherits from Bot"),
        ("class A(B): pass\nclass C(D): pass", "found A, C"),
        ("(", "not valid Python"),
    ],
)
def test_a_file_without_one_class_is_refused_before_it_is_copied(league: Path, text: str, message: str) -> None:
    with pytest.raises(RosterError, match=message):
        submit_bot(league, write_bot(league.parent, "odd", text), None, None, lambda _: None)


@pytest.mark.process
def test_a_retired_bot_plays_no_more_and_says_why(league: Path) -> None:
    play(league, matches=6)
    membership.retire(league, "c", "too slow")
    play(league, matches=4)
    assert rounds(league)[1:] == [(("a@1", "b@1"),)] * 2
    assert "retired since" in "\n".join(show.bot_lines(show.bot_report(league, "c")))
    with pytest.raises(InputError, match=r"c@1 is retired since .*; expected active or suspended to be retired"):
        membership.retire(league, "c", "")
    with pytest.raises(InputError, match=r"is active since .*; expected suspended or retired or withdrawn to be reinstated"):
        membership.reinstate(league, "a")
    with pytest.raises(InputError, match="no bot 'nobody' in this league; expected one of a, b, c"):
        membership.retire(league, "nobody", "")


@pytest.mark.process
def test_a_bot_with_too_many_faults_is_suspended_with_the_turn_and_its_author_may_submit_again(tmp_path: Path) -> None:
    league = league_of(tmp_path, ["a", "b"], SPEC.replace("target: 10", "target: 60"))
    assert enter(league, "late", author="zoe", text=LATE).joined
    play(league, matches=20)
    assert states(league)["late@1"] == "suspended"
    text = "\n".join(show.bot_lines(show.bot_report(league, "late")))
    assert re.search(r"suspended since .*: at fault in \d+ of \d+ matches; crash: ", text)
    assert 'the question: {"type":"turn"' in text
    assert not any("late@1" in both for both in rounds(league)[-1])
    assert enter(league, "late-better", author="zoe").joined
    assert (states(league)["late@1"], states(league)["late@2"]) == ("suspended", "active")
    assert first_difference(league) == ""
    change_event(league, "suspended", '"public":"at fault', '"public":"never at fault')
    assert re.fullmatch(r"event 'suspended' of late@1 at \S+ is missing, but follows from .*", first_difference(league))


def change_event(league: Path, tag: str, old: str, new: str) -> None:
    """Change a text in all events of a kind, and make the chain anew as if they had been stored, and seen, so."""
    remove_witness(league)
    before, after, like = ("'" + text.replace("'", "''") + "'" for text in (old, new, f'%"{tag}"%'))
    forge(league, f"UPDATE event SET content = replace(content, {before}, {after}) WHERE content LIKE {like}")  # noqa: S608


def test_fewer_than_two_bots_play_nothing(league: Path) -> None:
    for name in ("a", "b"):
        membership.retire(league, name, "")
    result = play(league)
    assert (result.matches, result.alone) == (0, True)
    assert rounds(league) == []


@pytest.mark.process
def test_a_submission_while_the_league_is_played_joins_the_next_round(league: Path) -> None:
    class Submitting(LeagueObserver):
        def record(self, record: MatchRecord) -> None:
            if record.fixture.id == "r1/a@1:b@1/0/0":
                assert enter(league, "d", author="ds").joined
                membership.retire(league, "c", "")

    play(league, Submitting(), matches=10)
    first, second, *_ = rounds(league)
    assert first == (("a@1", "b@1"), ("a@1", "c@1"), ("b@1", "c@1"))
    assert second == (("a@1", "b@1"), ("a@1", "d@1"), ("b@1", "d@1"))
    assert first_difference(league) == ""


def test_the_aim_is_known_after_enough_matches(league: Path) -> None:
    result = play(league, sure=True, matches=4)
    assert result.certainty
    assert (result.certainty.comparisons, result.certainty.sure) == (3, False)


@pytest.mark.process
def test_a_season_ends_after_its_rounds_and_the_next_begins(tmp_path: Path) -> None:
    league = league_of(tmp_path, ["a", "b"], SPEC + "season: {rounds: 2}\n")
    play(league, matches=10)
    calendar = leagues_calendar(league)
    assert (len(calendar.closed), calendar.seasons) == (5, 3)
    assert len({closed.seed for closed in calendar.closed}) == 5
    assert first_difference(league) == ""


@pytest.mark.process
def test_a_report_has_the_order_of_the_table_and_a_list_of_runs_names_the_command_for_its_pages(
    league: Path,
) -> None:
    play(league, matches=6)
    order = [row.id for row in show.league_report(league, None, moment("1d", now())).now.rows]
    assert [row.entrant for row in reported(league)] == order
    watched = WatchedRun(Folder(league), installed_kinds())
    watched.poll()
    assert watched.snapshot.state == "elsewhere"
    assert watched.snapshot.problem == f"it has pages of its own: arena serve {shlex.quote(league.name)}"


def reported(league: Path) -> list[Standing]:
    """Return the rows of the report that is written to a league's folder."""
    folder = Folder(league)
    with Store(folder.database) as store:
        publish(folder, store, stored_run(folder, store, installed_kinds()))
    return decode((league / "results.json").read_bytes(), type=Report).standings


@pytest.mark.process
def test_of_more_versions_than_a_report_shows_it_shows_those_that_play(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(league, matches=6)
    membership.retire(league, "c", "")
    monkeypatch.setattr("arena.league.stored.MOST_SHOWN", 2)
    assert {row.entrant: row.counts.matches_won + row.counts.matches_lost for row in reported(league)} == {"a@1": 2, "b@1": 2}
    assert first_difference(league) == ""


@pytest.mark.process
def test_a_season_is_closed_between_two_rounds_or_with_the_round_that_is_open(league: Path) -> None:
    play(league, matches=1)
    assert membership.end_season(league, "holidays") == EndedSeason(1, 1)
    with pytest.raises(InputError, match=r"season 1 already ends with the open round"):
        membership.end_season(league)
    assert play(league, rounds=1).rounds == 1
    with pytest.raises(InputError, match=r"no season is open"):
        membership.end_season(league)
    play(league, rounds=1)
    assert membership.end_season(league) == EndedSeason(2, None)
    expected = ["season 1 was ended: holidays", "season 1 closed", "season 2 opened, of at most 1,000 rounds", "season 2 was ended"]
    assert [line for line in shown_since(league) if line.startswith("season ")][1:] == [*expected, "season 2 closed"]
    assert first_difference(league) == ""


@pytest.mark.process
def test_a_number_of_rounds_ends_between_two_rounds_also_if_one_was_open(league: Path) -> None:
    play(league, matches=1)
    for rounds, closed in ((1, 1), (2, 3)):
        assert play(league, rounds=rounds).rounds == rounds
        calendar = leagues_calendar(league)
        assert (calendar.current, len(calendar.closed)) == (None, closed)


def leagues_calendar(league: Path) -> Calendar:
    with leagues.open_league(league) as opened:
        return leagues.history(opened.folder, opened.store).calendar()


@pytest.mark.process
def test_bots_that_answer_alike_are_marked_and_a_version_is_compared_with_the_one_before_it(
    tmp_path: Path,
) -> None:
    league = league_of(tmp_path, ["a", "b"], SPEC.replace("likeness: null", "aim: order"))
    play(league, matches=2)
    notes = show.league_report(league, None, moment("1d", now())).now.notes
    assert re.fullmatch(r"2 bots decide like `Bot` of the SDK in at least (\d+) of \1 positions: a@1, b@1", notes[-1])
    enter(league, "b-2", "bs")
    play(league, matches=2)
    lines = "\n".join(show.bot_lines(show.bot_report(league, "b")))
    assert re.search(r"b@2 .*, [+-]\d+\.\d\d ± \d+\.\d\d over b@1; active", lines)
    assert re.search(r"b@2 plays like `Bot` of the SDK: the same answer in (\d+) of \1 positions", lines)
    assert first_difference(league) == ""


@pytest.mark.process
def test_a_round_whose_pairings_do_not_follow_from_what_was_before_is_found(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(league, matches=6)
    monkeypatch.setattr("arena.league.play.decide_pairings", lambda *_: (("a@1", "c@1"),))
    play(league, matches=2)
    assert re.fullmatch(r"round 2: \w@1 against \w@1 .*follows? from the events and results before it", first_difference(league))


@pytest.mark.process
def test_results_that_are_kept_are_those_of_the_records(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.league.leagues.REWRITE_AFTER", 5)
    play(league, matches=7)
    first = show.league_report(league, None, moment("1d", now())).now
    assert (league / "results.cache").is_file()
    assert show.league_report(league, None, moment("1d", now())).now == first
    play(league, matches=4)
    with_cache = show.league_report(league, None, moment("1d", now())).now
    assert first_difference(league) == ""
    (league / "results.cache").unlink()
    assert show.league_report(league, None, moment("1d", now())).now == with_cache


@pytest.mark.process
def test_kept_results_that_were_changed_are_found_and_those_of_another_league_do_not_count(
    league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.league.leagues.REWRITE_AFTER", 1)
    play(league, matches=6)
    truth = show.league_report(league, None, moment("1d", now())).now
    file = league / "results.cache"
    changed = decode_msgpack(file.read_bytes(), type=CachedResults)
    file.write_bytes(encode_msgpack(replace(changed, pairs=changed.pairs[1:])))
    assert first_difference(league) == "results.cache: does not follow from the first 6 records; remove it, and it is made anew"
    for content in (encode_msgpack(replace(changed, link="0" * 64)), b"no msgpack", b""):
        file.write_bytes(content)
        assert show.league_report(league, None, moment("1d", now())).now == truth


def test_a_cache_with_a_number_of_records_that_no_database_has_does_not_count(league: Path) -> None:
    (league / "results.cache").write_bytes(encode_msgpack(CachedResults(records=2**64 - 1, link="0" * 64)))
    with Store(league / "arena.sqlite") as store:
        assert pair_cache.read_results_cache(Folder(league), store) == CachedResults()


@pytest.mark.process
def test_who_follows_a_league_reads_what_who_plays_it_knows(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(league, matches=3)
    (league / "results.cache").unlink(missing_ok=True)
    folder = Folder(league)
    with Store(folder.database) as store:
        seen: list[str] = []
        followed = LiveLeague(store, added=lambda record: seen.append(record.fixture.id))
        before = len(followed.events)
        play(league, matches=6)
        with monkeypatch.context() as late:  # a record may be read before the event of its round
            late.setattr(store, "events", lambda **_: iter(()))
            followed.catch_up()
        assert len(followed.events) == before
        followed.catch_up()
        monkeypatch.setattr("arena.league.leagues.REWRITE_AFTER", 1)
        LiveLeague(store, folder)
        assert (league / "results.cache").is_file()
        kept = LiveLeague(store, folder)

        assert len(seen) == len(set(seen)) == store.count() == 9
        assert followed.history() == kept.history()
        assert followed.remaining() == kept.remaining()


@pytest.mark.process
def test_a_cache_that_ends_within_the_open_round_counts_no_result_twice(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(league, matches=2)
    folder = Folder(league)
    with Store(folder.database) as store, monkeypatch.context() as at_once:
        at_once.setattr("arena.league.leagues.REWRITE_AFTER", 1)
        LiveLeague(store, folder)
    play(league, matches=2)
    with Store(folder.database) as store:
        assert 0 < pair_cache.read_results_cache(folder, store).records < store.count()
        resumed, read_anew = LiveLeague(store, folder), LiveLeague(store)
        assert resumed.calendar.current
        assert resumed.history() == read_anew.history()
        assert resumed.remaining() == read_anew.remaining()


def test_a_season_whose_secret_is_lost_is_not_played(league: Path) -> None:
    (league / "season-1.secret").write_text("0" * 64)
    with pytest.raises(StoreError, match=r"season-1.secret: missing or changed"):
        play(league, matches=2)


def test_no_secret_of_an_open_season_is_in_the_database(league: Path) -> None:
    play(league, matches=7)
    secret = (league / "season-1.secret").read_text().strip()
    assert secret not in (league / "arena.sqlite").read_bytes().decode("latin-1")
    assert (league / "season-1.secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.process
def test_a_table_of_an_earlier_moment_is_as_it_was_then(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter(f"2027-01-01T{minute // 60:02}:{minute % 60:02}:00Z" for minute in range(24 * 60))
    monkeypatch.setattr("arena.league.play.now", lambda: next(moments))
    play(league, matches=6)
    then = show.league_report(league, "2027-01-01T23:00:00Z", "2026-01-01")
    play(league, matches=6)
    again = show.league_report(league, max(event.at for event in events(league)[:-6]), "2026-01-01")
    assert again.now == then.now
    later = show.league_report(league, "2027-01-02T00:00:00Z", "2026-01-01")
    assert [len(one.calendar.closed) for one in (again, later)] == [1, 4]


# --- killed


class KilledError(BaseException):
    """Stands for SIGKILL."""


def kill_at(point: int, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Raise KilledError at a point: before or after something is stored; return what counts the points."""
    count = 0

    def check() -> None:
        nonlocal count
        count += 1
        if count == point:
            raise KilledError

    for name in ("add", "add_event"):
        original = getattr(Store, name)

        def stored(store: Store, *values: object, original: Callable[..., None] = original) -> None:
            check()
            original(store, *values)
            check()

        monkeypatch.setattr(Store, name, stored)
    return lambda: count


def continued(league: Path, point: int) -> int:
    """Play 5 rounds, killed at a point, and return how many points there were."""
    with pytest.MonkeyPatch.context() as patch:
        points = kill_at(point, patch)
        with suppress(KilledError):
            play(league, matches=14)
        reached = points()
    if left := 14 - len(stored(league)):
        play(league, matches=left)
    return reached


def one_end(league: Path, whole: Path) -> None:
    assert rounds(league)[: len(rounds(whole))] == rounds(whole)
    assert {name: record for name, record in stored(league).items() if name in stored(whole)} == stored(whole)
    assert first_difference(league) == ""


@pytest.mark.process
@pytest.mark.parametrize("point", mostly_nightly([1, 2, 4, 9, 14, 15, 16, 17, 22], 2, 9, 16))
def test_a_league_killed_at_a_point_has_the_records_of_one_that_was_not(entered: Path, tmp_path: Path, point: int) -> None:
    whole, killed = (Path(shutil.copytree(entered, tmp_path / name)) for name in ("whole", "killed"))
    play(whole, matches=14)
    continued(killed, point)
    one_end(killed, whole)


@pytest.mark.slow
@pytest.mark.nightly  # other points than those of the test above
@pytest.mark.timeout(600)
def test_a_league_killed_anywhere_has_the_records_of_one_that_was_not(entered: Path, tmp_path: Path) -> None:
    whole = Path(shutil.copytree(entered, tmp_path / "whole"))
    play(whole, matches=14)
    points = continued(Path(shutil.copytree(entered, tmp_path / "count")), 10_000)
    for point in range(1, points + 1):
        killed = Path(shutil.copytree(entered, tmp_path / f"killed-{point}"))
        continued(killed, point)
        one_end(killed, whole)


# --- exported

EXPORTED = {"arena.sqlite", "index.html", "league.yaml", "people.json", "table.json", "witness.json"}


@pytest.mark.process
def test_an_export_has_the_table_and_the_records_of_closed_rounds_and_no_secret(league: Path, tmp_path: Path) -> None:
    play(league, matches=7)
    out = tmp_path / "public"
    for _ in range(2):  # over an earlier copy, too
        export(league, out, now(), moment("1d", now()))
    assert {path.name for path in out.iterdir()} == EXPORTED
    assert len(stored(out)) == 6
    assert first_difference(out) == ""
    assert [row["name"] for row in decode((out / "table.json").read_bytes())] == [
        row.name for row in table_of_closed_rounds(league)
    ]
    assert "a@1" in (out / "index.html").read_text()


@pytest.mark.process
def test_the_hands_of_an_open_round_are_not_exported_even_where_the_secret_is(league: Path) -> None:
    play(league, matches=7)
    folder = Folder(league)
    with Store(folder.database) as store:
        known = stored_run(folder, store, installed_kinds())
        shown = {hand.fixture for hand in hands(store, known)}
        withheld = {record.fixture.id for record in store.records()} - shown
        assert len(shown) == 6
        assert len(withheld) == 1
        with pytest.raises(StoreError, match="its hands are shown when its round is closed"):
            list(hands(store, known, fixture=withheld.pop()))


@pytest.mark.process
def test_of_a_fault_in_a_league_only_its_kind_is_exported(league: Path) -> None:
    enter(league, "late", author="lates", text=LATE)
    faults: list[Fault] = []
    while not faults:  # a match that ends with its first hand has none
        play(league, rounds=1)
        with Store((folder := Folder(league)).database) as store:
            every = lines(store, stored_run(folder, store, installed_kinds()))
            faults = [fault for line in every if isinstance(line, ExportedMatch) for fault in line.faults]
    assert {(fault.detail, fault.turn, fault.answer, fault.stderr) for fault in faults} == {(WITHHELD, "", "", "")}


def table_of_closed_rounds(league: Path) -> tuple[TableRow, ...]:
    return show.league_report(league, now(), moment("1d", now())).now.rows


def test_an_export_overwrites_nothing_else(league: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(StoreError, match="expected a new or empty folder, or an earlier copy"):
        export(league, tmp_path, now(), now())
    (tmp_path / "public" / "bots").mkdir(parents=True)
    (tmp_path / "public" / "bots" / "mine.py").write_text("")
    with pytest.raises(StoreError, match="holds 'bots'; expected a new or empty folder"):
        export(league, tmp_path / "public", now(), now())


def test_an_export_is_not_hindered_by_what_arena_leaves_beside_a_database(league: Path, tmp_path: Path) -> None:
    out = tmp_path / "public"
    export(league, out, now(), now())
    for name in ("arena.sqlite-wal", "arena.sqlite-shm", "results.cache", ".arena.sqlite.new", ".arena.sqlite.new-journal"):
        (out / name).write_bytes(b"")
    export(league, out, now(), now())
    assert {path.name for path in out.iterdir()} == EXPORTED
    show.league_report(out, None, now())  # reading it leaves nothing
    assert {path.name for path in out.iterdir()} == EXPORTED


@pytest.mark.process
def test_an_export_shows_one_moment_although_bots_join_while_a_round_is_open(league: Path, tmp_path: Path) -> None:
    play(league, matches=7)
    enter(league, "d", author="ds")
    report = export(league, tmp_path / "public", now(), moment("1d", now()))
    table = [row["name"] for row in decode((tmp_path / "public" / "table.json").read_bytes())]
    assert sorted(table) == ["a", "b", "c"] == sorted(version.partition("@")[0] for version in states(tmp_path / "public"))
    assert report.calendar.current is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1d", "2026-01-30T10:00:00Z"),
        ("90m", "2026-01-31T08:30:00Z"),
        ("2026-01-01", "2026-01-01T00:00:00Z"),
        ("2026-01-01T12:00:00+02:00", "2026-01-01T10:00:00Z"),
    ],
)
def test_a_moment_is_a_date_or_a_duration_ago(text: str, expected: str) -> None:
    assert moment(text, "2026-01-31T10:00:00Z") == expected


@pytest.mark.parametrize("text", ["", "yesterday", "0d", "5", "99999999d"])
def test_anything_else_is_no_moment(text: str) -> None:
    with pytest.raises(InputError, match="expected a duration as 12h or 1d, or a date"):
        moment(text, "2026-01-31T10:00:00Z")


def test_kept_results_with_several_single_legs_are_compared_in_any_order(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(league, matches=3)
    folder = Folder(league)
    monkeypatch.setattr("arena.league.leagues.REWRITE_AFTER", 1)
    with Store(folder.database) as store:
        LiveLeague(store, folder)
        seats = [seat for seat, _ in pair_cache.read_results_cache(folder, store).waiting]
        assert len(seats) > len(set(seats)), "two legs of one seat"
        assert list(pair_cache.cache_differences(folder, store)) == []
