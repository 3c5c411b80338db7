"""Two scripted models against greedy: a careful one, and one that takes the first move. The table of arena/extras/models/MODELS.md.

``PYTHONPATH=tests python tests/studies/scripted_models.py FOLDER``, where FOLDER does not exist.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from support.commands.calls import command
from support.servers.chat_endpoint import Conversation, Scripted, chat_endpoint

HANDS = 100


def careful(conversation: Conversation) -> Scripted:
    """Knock if that is possible, never take, and throw what leaves least deadwood."""
    moves = re.findall(r"^\d+\. (\S+): .*?(\d*)(?: points of deadwood)?$", conversation[1]["content"], re.MULTILINE)
    best = min(moves, key=lambda move: (not move[0].startswith("knock"), move[0] == "take", int(move[1] or 0)))
    return Scripted(text=f'{{"move": "{best[0]}", "why": "it leaves least deadwood"}}')


def first(_: Conversation) -> Scripted:
    """Name the first move."""
    return Scripted(text='{"move": 1, "why": "it is the first"}')


def main(folder: Path) -> None:
    """Play, review and rank."""
    folder.mkdir()
    spec = folder / "bot" / "models.yaml"
    arena("bots", "new", "my-bot", "--lang", "llm", "--folder", folder / "bot")
    spec.write_text(spec.read_text(encoding="utf-8").replace("hands: 40", f"hands: {HANDS}"), encoding="utf-8")
    for script in (careful, first):
        with chat_endpoint(script) as endpoint:
            given = {"URL": endpoint.url, "MODEL": script.__name__, "PRICE_IN": "0.15", "PRICE_OUT": "0.6"}
            os.environ.update({f"ARENA_BOT_{name}": text for name, text in given.items()})
            arena("run", spec, "--results", folder / script.__name__, "--quiet", "--seed", f"scripted models, {HANDS} hands")
        arena("review", folder / script.__name__, "--bot", "my-bot", "--quiet")
    arena("models", folder / "careful", folder / "first")


def arena(*words: object) -> None:
    """Run a command."""
    subprocess.run(command(*words), check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
