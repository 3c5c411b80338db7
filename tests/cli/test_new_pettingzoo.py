"""``arena bots new --lang pettingzoo``: a policy that was trained elsewhere, exported and entered."""

import subprocess
import sys
import zipfile
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from support.commands.calls import arena

from arena.train import Hands, planes

STUB = """
import numpy

def load(file, **_):
    return dict(numpy.load(file))
"""
Layers = list[tuple[NDArray[np.float32], NDArray[np.float32]]]
Arrays = dict[str, NDArray[np.float32]]
ASK = """
import numpy
from sly_fox import SlyFox

seen, bot = numpy.load("seen.npz"), SlyFox()
print(*(bot.policy(one, mask) for one, mask in zip(seen["observations"], seen["masks"], strict=True)))
"""


@pytest.fixture
def fox(tmp_path: Path) -> Path:
    """Write a bot, and return its folder."""
    ended = arena("bots", "new", "sly-fox", "--lang", "pettingzoo", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    return tmp_path / "sly-fox"


def network(*sizes: int) -> Layers:
    """Return random weights and biases."""
    chance = np.random.default_rng(1)
    return [
        (chance.normal(size=(to, of)).astype(np.float32), chance.normal(size=to).astype(np.float32)) for of, to in pairwise(sizes)
    ]


def of_stable_baselines(actor: Layers) -> Arrays:
    """Return the state dict of an actor and a critic, as MaskablePPO has it, in its order."""
    names = [*(f"mlp_extractor.policy_net.{2 * place}" for place in range(len(actor) - 1)), "action_net"]
    state = Arrays()
    for name, (weight, bias) in zip(names, actor, strict=True):
        state |= {f"{name}.weight": weight, f"{name}.bias": bias}
    critic = {"mlp_extractor.value_net.0.weight": np.ones((64, 520), np.float32), "value_net.weight": np.ones((1, 64), np.float32)}
    return critic | state


def save(folder: Path, state: Arrays) -> None:
    """Save a state dict as stable-baselines3 does, for a stub of torch."""
    (folder / "torch.py").write_text(STUB, encoding="utf-8")
    content = BytesIO()
    np.savez(content, **state)  # type: ignore[arg-type] # of numpy's stub
    with zipfile.ZipFile(folder / "policy.zip", "w") as archive:
        archive.writestr("policy.pth", content.getvalue())


def export(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "export.py", *arguments], cwd=folder, capture_output=True, text=True, check=False)


def turns() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the observations and masks of some random turns, as the environments give them."""
    hands = Hands(8)
    hands.reset(seed=1)
    seen = []
    for _ in range(12):
        bits, mask = hands.look()
        seen.append((planes(bits), mask.copy()))
        hands.step(hands.choose("random"))
    return np.concatenate([one for one, _ in seen]), np.concatenate([mask for _, mask in seen])


def choices(folder: Path, observations: NDArray[np.uint8], masks: NDArray[np.uint8]) -> list[int]:
    """Return what the bot in a folder chooses."""
    np.savez(folder / "seen.npz", observations=observations, masks=masks)
    ended = subprocess.run([sys.executable, "-c", ASK], cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return list(map(int, ended.stdout.split()))


@pytest.mark.process
def test_the_policy_as_written_passes_its_audition(fox: Path) -> None:
    ended = arena("bots", "check", "sly_fox.py", "--hands", "8", folder=fox)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.process
def test_an_exported_policy_of_stable_baselines_chooses_as_its_network_and_passes_its_audition(fox: Path) -> None:
    (first, second), (last, bias) = network(520, 16, 108)
    save(fox, of_stable_baselines([(first, second), (last, bias)]))
    ended = export(fox, "policy.zip")
    assert (ended.stdout, ended.stderr) == ("wrote sly_fox.npz: 520 > 16 > 108, tanh\n", "")
    observations, masks = turns()
    hidden = np.tanh(observations.reshape(-1, 520) @ first.T + second)
    expected = np.where(masks == 1, hidden @ last.T + bias, -np.inf).argmax(axis=1)
    assert choices(fox, observations, masks) == expected.tolist()
    assert len(set(expected.tolist())) > 10
    checked = arena("bots", "check", "sly_fox.py", "--hands", "8", folder=fox)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.process
@pytest.mark.parametrize(
    ("state", "message"),
    [
        (of_stable_baselines(network(260, 16, 110)), "found layers from 260 to 16, 16 to 110; expected from 520 (10 x 52) to 108"),
        ({"0.weight": np.zeros((8, 10, 3, 3), np.float32)}, "found '0.weight'; expected linear layers alone"),
        ({}, "found layers from none; expected from 520"),
    ],
    ids=["other shapes", "a convolution", "nothing"],
)
def test_a_network_in_other_shapes_is_refused_in_one_line(fox: Path, state: Arrays, message: str) -> None:
    save(fox, state)
    before = (fox / "sly_fox.npz").read_bytes()
    ended = export(fox, "policy.zip")
    assert ended.returncode == 1
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert (fox / "sly_fox.npz").read_bytes() == before


@pytest.mark.process
def test_a_missing_torch_is_named_with_what_to_install(fox: Path) -> None:
    (fox / "torch.py").write_text("raise ImportError", encoding="utf-8")
    ended = export(fox, "policy.zip")
    assert (ended.returncode, ended.stderr) == (
        1,
        "torch is not installed: pip install torch, or run this where the policy was trained\n",
    )


@pytest.mark.process
def test_an_exported_network_of_torch_chooses_as_it_does(fox: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed here")
    torch.manual_seed(1)
    made = torch.nn.Sequential(torch.nn.Linear(520, 16), torch.nn.ReLU(), torch.nn.Linear(16, 108))
    torch.save(made.state_dict(), fox / "network.pt")
    ended = export(fox, "network.pt")
    assert ended.stdout == "wrote sly_fox.npz: 520 > 16 > 108, relu\n"
    observations, masks = turns()
    with torch.no_grad():
        values = made(torch.from_numpy(observations.reshape(-1, 520)).float()).numpy()
    assert choices(fox, observations, masks) == np.where(masks == 1, values, -np.inf).argmax(axis=1).tolist()
