"""``python -m rogues.play SUBJECT NAME SCENE``: makes one attack and prints ``succeeded`` or ``stopped: REASON``."""

import importlib
import os
import sys

from msgspec.json import decode
from rogues.rogue import ROGUES, Scene


def main(subject: str, name: str, scene: Scene) -> None:
    """Make an attack and print its result."""
    importlib.import_module(subject)
    try:
        line = "succeeded" if ROGUES[name].attack(scene) else "stopped: it failed"
    except Exception as error:  # noqa: BLE001 - any error means that the attack failed
        line = f"stopped: {type(error).__name__}: {error}"
    os.write(1, f"{line}\n".encode())
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], decode(sys.argv[3], type=Scene))
