"""``python export.py FILE`` writes my_bot.npz from a policy that was trained with stable-baselines3 or torch; it needs torch.

FILE: what ``model.save`` of stable-baselines3 wrote, or ``torch.save(network.state_dict(), FILE)``. The network is linear layers
with an activation between: of PPO, A2C and MaskablePPO the actor, of DQN the network of values, else all layers in their order.
"""

import argparse
import pickle
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from my_bot import WEIGHTS
from numpy.typing import NDArray

OBSERVATION, ACTIONS = 520, 108  # 10 x 52, and the length of the mask
ACTOR, VALUES = ("mlp_extractor.policy_net.", "action_net."), ("q_net.q_net.",)  # stable-baselines3's names of layers

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]


def chosen(names: list[str]) -> tuple[str, ...]:
    """Return how the names of the policy's layers begin; of a network of torch's anyhow."""
    for begins in (ACTOR, VALUES):
        if any(name.startswith(begins[-1]) for name in names):
            return begins
    return ("",)


def layers(state: Mapping[str, Any]) -> list[Layer]:
    """Return the weights and biases of a policy in a state dict. Raises: SystemExit, for a network in other shapes."""
    begins = chosen(list(state))
    found: list[Layer] = []
    for name, value in state.items():
        kind = name.rpartition(".")[2]
        if not name.startswith(begins) or kind == "bias":
            continue
        if kind != "weight" or value.ndim != 2:
            raise SystemExit(f"found {name!r}; expected linear layers alone: write another network in MyBot.policy yourself")
        bias = state.get(name.removesuffix("weight") + "bias", np.zeros(len(value)))
        found.append((np.asarray(value, np.float32), np.asarray(bias, np.float32)))
    inputs, outputs = [weight.shape[1] for weight, _ in found], [len(weight) for weight, _ in found]
    if not found or inputs != [OBSERVATION, *outputs[:-1]] or outputs[-1] != ACTIONS:
        sizes = ", ".join(f"{one} to {other}" for one, other in zip(inputs, outputs, strict=True)) or "none"
        raise SystemExit(f"found layers from {sizes}; expected from {OBSERVATION} (10 x 52) to {ACTIONS}, as in training")
    return found


def read(path: Path) -> Mapping[str, Any]:
    """Return the state dict in a file. Raises: SystemExit."""
    try:
        import torch  # noqa: PLC0415 - the one part that may be missing
    except ImportError:
        raise SystemExit("torch is not installed: pip install torch, or run this where the policy was trained") from None
    try:
        content = path.read_bytes()
        with zipfile.ZipFile(BytesIO(content)) as archive:
            if "policy.pth" in archive.namelist():  # of stable-baselines3
                content = archive.read("policy.pth")
        state = torch.load(BytesIO(content), map_location="cpu", weights_only=True)  # runs no code of the file
    except OSError as error:
        raise SystemExit(f"{path}: cannot be read: {error.strerror}") from None
    except (zipfile.BadZipFile, pickle.UnpicklingError):
        state = None
    if not isinstance(state, Mapping):
        raise SystemExit(f"{path}: found no state dict; expected what model.save or torch.save(network.state_dict(), FILE) writes")
    return state


def main() -> None:
    """Export, and say what was written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--activation", choices=["tanh", "relu"], help="by default tanh for an actor, else relu")
    options = parser.parse_args()
    state = read(options.file)
    activation = options.activation or ("tanh" if chosen(list(state)) == ACTOR else "relu")
    found = layers(state)
    arrays = {f"weight_{n}": weight for n, (weight, _) in enumerate(found)}
    arrays |= {f"bias_{n}": bias for n, (_, bias) in enumerate(found)}
    np.savez_compressed(WEIGHTS, activation=activation, **arrays)
    sizes = " > ".join(map(str, (OBSERVATION, *(len(weight) for weight, _ in found))))
    print(f"wrote {WEIGHTS.name}: {sizes}, {activation}")


if __name__ == "__main__":
    main()
