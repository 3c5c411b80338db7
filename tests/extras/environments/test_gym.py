"""Gymnasium's own checks, registration, modes and wrappers, on one hand and on many."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector
from numpy.typing import NDArray

from arena.extras.environments import pictures
from arena.extras.environments.gym import ID, ILLEGAL, GinRummyEnv, VectorHands
from arena.gin.actions import IllegalActionError
from arena.gin.score import Ending
from arena.train import native

Array = NDArray[Any]
SAME, NEXT, DISABLED = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED


def legal(info: dict[str, Any]) -> Array:
    """Return the last legal action of each row; for a hand that is over, any."""
    return np.asarray(native.ACTIONS - 1 - info["action_mask"][:, ::-1].argmax(axis=1))


@pytest.mark.parametrize("mode", [None, *pictures.MODES])
def test_gymnasiums_own_check_passes_without_a_warning(mode: str | None) -> None:
    check_env(gymnasium.make(ID, render_mode=mode).unwrapped)


def test_an_environment_is_made_by_its_name_with_opponent_and_rules_by_theirs() -> None:
    env = gymnasium.make(f"arena.extras.environments.gym:{ID}", opponent="cautious", rules="boxes", learner=1)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        observed, points, over, cut, info = env.step(int(legal({"action_mask": info["action_mask"][None]})[0]))
        assert env.observation_space.contains(observed)
        assert not cut
    assert list(Ending)[info["ending"]] in set(Ending)
    assert isinstance(points, float)
    assert not info["action_mask"].any()
    env.unwrapped.reset(seed=1)


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
def test_many_are_made_by_the_same_name(mode: str) -> None:
    env = gymnasium.make_vec(ID, 3, vectorization_mode=mode, rules="standard")
    observed, info = env.reset(seed=1)
    assert env.observation_space.contains(observed)
    assert info["action_mask"].shape == (3, native.ACTIONS)


@pytest.mark.process
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_workers_of_gymnasium_play_as_one_process_does() -> None:
    env, other = (gymnasium.make_vec(ID, 2, vectorization_mode=mode) for mode in ("async", "sync"))
    (seen, info), (same, _) = env.reset(seed=4), other.reset(seed=4)
    ended = 0
    for _ in range(30):
        assert np.array_equal(seen, same)
        actions = legal(info)
        seen, _, over, _, info = env.step(actions)
        same = other.step(actions)[0]
        ended += int(over.sum())
    env.close()
    assert ended


def beside(mode: AutoresetMode) -> tuple[VectorHands, Any, dict[str, Any]]:
    """Return our vector of three hands, Gymnasium's of three environments with the same hands, and the information about them."""
    ours, theirs = VectorHands(3, autoreset_mode=mode), SyncVectorEnv([GinRummyEnv] * 3, autoreset_mode=mode)
    theirs.reset()
    _, info = ours.reset(seed=7)
    for row, env in enumerate(theirs.envs):
        env.unwrapped._row.hands.put([0], ours.hands.states[[row]])  # type: ignore[attr-defined]  # noqa: SLF001
        env.unwrapped._row.hands.look()  # type: ignore[attr-defined]  # noqa: SLF001
    return ours, theirs, info


def same_steps(one: Any, other: Any) -> bool:
    """Tell whether two steps agree; the first may have information about more rows than Gymnasium gives."""
    mine, theirs = one[-1], other[-1]
    known = [name for name in theirs if not name.startswith("_")]
    assert all(np.array_equal(mine[name][theirs[f"_{name}"]], theirs[name][theirs[f"_{name}"]]) for name in known)
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(one[:-1], other[:-1], strict=True))


def test_without_autoreset_or_with_it_in_the_next_step_the_rows_are_those_of_gymnasiums_own_vector() -> None:
    chance = np.random.default_rng(1)
    for mode in (NEXT, DISABLED):
        ours, theirs, info = beside(mode)
        endings: set[int] = set()
        for _ in range(150):
            actions = np.where(chance.random(3) < 0.03, native.BIG_GIN, legal(info))
            mine, their = ours.step(actions), theirs.step(actions)
            assert same_steps(mine, their)
            info, over = mine[-1], mine[2]
            endings |= set(info["ending"][over].tolist()) if over.any() else set()
            if mode is DISABLED and over.any():
                mine, their = ours.reset(options={"reset_mask": over}), theirs.reset(options={"reset_mask": over})  # type: ignore[assignment]
                assert same_steps(mine, their)
                info = mine[-1]
        assert {-1, list(Ending).index(Ending.GIN)} <= endings


def test_a_partial_reset_deals_only_those_rows_and_with_a_seed_the_hands_of_a_whole_reset() -> None:
    for mode in (SAME, NEXT, DISABLED):
        env = VectorHands(3, opponent="random", autoreset_mode=mode)
        whole, _ = env.reset(seed=5)
        before, _ = env.reset(seed=1)
        after, info = env.reset(options={"reset_mask": np.array([True, False, False])})
        assert [np.array_equal(before[row], after[row]) for row in range(3)] == [False, True, True]
        assert info["action_mask"].any(axis=1).all()
        seeded, _ = env.reset(seed=5, options={"reset_mask": np.array([False, True, True])})
        assert [np.array_equal(whole[row], seeded[row]) for row in range(3)] == [False, True, True]
        assert np.array_equal(seeded[0], after[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mask": 1}, "options: mask; expected reset_mask alone"),
        ({"reset_mask": [1, 0]}, "reset_mask: int64, shape (2,); expected 2 truth values, at least one of them True"),
        ({"reset_mask": [True]}, "reset_mask: bool, shape (1,); expected 2 truth values, at least one of them True"),
        ({"reset_mask": [False, False]}, "reset_mask: bool, shape (2,); expected 2 truth values, at least one of them True"),
    ],
)
def test_a_wrong_option_of_a_reset_is_one_line_and_resets_nothing(options: Any, message: str) -> None:
    env = VectorHands(2)
    before = env.hands.states.copy()
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        env.reset(options=options)
    assert (env.hands.states == before).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: VectorHands(2, autoreset_mode="now"),
            "autoreset_mode: 'now'; expected NEXT_STEP, SAME_STEP, DISABLED",
        ),
        (lambda: VectorHands(2, render_mode="svg"), "render_mode: 'svg'; expected None, human, ansi, rgb_array"),
        (lambda: VectorHands(2, opponent=None), "opponent: None; expected the name of a player, or a function"),  # type: ignore[arg-type]
        (lambda: VectorHands(2, illegal_reward="all"), "illegal_reward: 'all'; expected points, or None"),  # type: ignore[arg-type]
        (lambda: GinRummyEnv(illegal_reward=float("nan")), "illegal_reward: nan; expected points, or None"),
        (lambda: GinRummyEnv().reset(options={"reset_mask": [True]}), "options: reset_mask; expected none"),
        (lambda: GinRummyEnv().step(108), "actions: row 0: 108; expected 0 to 107"),
    ],
)
def test_a_wrong_argument_of_an_environment_is_one_line(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make()


def test_a_step_after_the_end_is_refused_where_no_step_deals() -> None:
    env = GinRummyEnv(illegal_reward=-1)
    env.reset(seed=1)
    _, points, over, _, info = env.step(native.BIG_GIN)
    assert (points, over, info["ending"]) == (-1, True, -1)
    with pytest.raises(ValueError, match=r"^row 0: the hand is over; expected a reset of the row before this step$"):
        env.step(native.PASS)


@pytest.mark.parametrize("mode", ["SAME_STEP", "NextStep", DISABLED])
def test_an_illegal_action_costs_what_a_fault_costs_or_raises_where_that_is_asked_for(mode: Any) -> None:
    env, strict = VectorHands(2, autoreset_mode=mode), VectorHands(2, illegal_reward=None, autoreset_mode=mode)
    observed, info = env.reset(seed=1)
    strict.reset(seed=1)
    actions = [int(legal(info)[0]), native.BIG_GIN]
    after, points, over, _, info = env.step(actions)
    assert points.tolist() == [0, ILLEGAL]
    assert over.tolist() == [False, True]
    last = info["final_obs"][1] if env.mode is SAME else after[1]
    assert np.array_equal(last, observed[1])
    assert (info["final_info"] if env.mode is SAME else info)["ending"].tolist() == [0, -1]
    with pytest.raises(IllegalActionError, match="row 1, action 107"):
        strict.step(actions)


# not for SAME_STEP
OF_OBSERVATIONS: tuple[Any, ...] = (vector.FlattenObservation, partial(vector.DtypeObservation, dtype=np.float32))
OF_OTHERS: tuple[Any, ...] = (
    vector.RecordEpisodeStatistics,
    partial(vector.TransformReward, func=lambda points: points / 50),
    partial(vector.ClipReward, min_reward=-1, max_reward=1),
    vector.DictInfoToList,
)


@pytest.mark.parametrize(("mode", "several"), [(SAME, OF_OTHERS), (NEXT, OF_OBSERVATIONS + OF_OTHERS)])
def test_the_vector_wrappers_of_gymnasium_accept_it(mode: AutoresetMode, several: tuple[Any, ...]) -> None:
    env: Any = VectorHands(3, autoreset_mode=mode, render_mode="rgb_array")
    for wrap in several:
        env = wrap(env)
    observed, info = env.reset(seed=1)
    ended = 0
    while ended < 3:
        actions = legal({"action_mask": np.array([one["action_mask"] for one in info])})
        observed, points, over, _, info = env.step(actions)
        ended += int(over.sum())
        assert env.observation_space.contains(observed)
        assert (np.abs(points) <= 1).all()
    assert any("episode" in one for one in info)
    assert env.render()[2].shape == (96, 208, 3)


def test_normalized_observations_need_the_next_step_to_deal() -> None:
    assert vector.NormalizeObservation(VectorHands(2, autoreset_mode=NEXT)).reset(seed=1)[0].shape == (2, 10, 52)
    with pytest.raises(ValueError, match="NEXT_STEP"):
        vector.NormalizeObservation(VectorHands(2, autoreset_mode=DISABLED))


def test_the_wrappers_of_gymnasium_accept_a_single_hand() -> None:
    env: Any = gymnasium.make(ID, render_mode="rgb_array", max_episode_steps=200)
    for wrap in (
        wrappers.RecordEpisodeStatistics,
        wrappers.Autoreset,
        wrappers.RenderCollection,
        wrappers.FlattenObservation,
        partial(wrappers.FrameStackObservation, stack_size=2),
        partial(wrappers.TransformReward, func=lambda points: float(points) / 50),
        partial(wrappers.DtypeObservation, dtype=np.float32),
        wrappers.TimeAwareObservation,
    ):
        env = wrap(env)
    _, info = env.reset(seed=1)
    overs = 0
    while overs < 2:
        _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]) if info["action_mask"].any() else 0)
        overs += int(over)
    assert len(env.render()) > 2


def test_text_and_picture_show_what_the_seat_sees_and_both_hands_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    env = GinRummyEnv(render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert text.splitlines()[0].startswith("seat 0  ")
    assert "deadwood" not in text.splitlines()[1]
    over = False
    while not over:
        *_, over, _, _ = env.step(int(np.flatnonzero(env.action_masks())[-1]))
    assert "deadwood" in env.render().splitlines()[1]
    shown = GinRummyEnv(render_mode="human")
    shown.reset(seed=1)
    assert capsys.readouterr().out == text + "\n\n"
    assert shown.render() is None


def test_a_picture_has_a_color_for_each_place_of_a_card() -> None:
    env = VectorHands(2, render_mode="rgb_array")
    env.reset(seed=3)
    for picture, state in zip(env.render() or (), env.hands.states, strict=True):
        cells = picture[8 :: pictures.CELL[0], 8 :: pictures.CELL[1]].reshape(52, 3)
        own = (cells == pictures.COLORS[pictures.OWN]).all(axis=1)
        assert sum(1 << card for card in np.flatnonzero(own).tolist()) == state["held"][0]
        assert (cells == pictures.COLORS[pictures.UPCARD]).all(axis=1).sum() == 1
