"""``python tests/studies/peers_rlcard.py HANDS``: RLCard's novice against itself, in RLCard's environment."""

import subprocess
import sys
from unittest.mock import patch

from bench import print_spent

with patch.object(subprocess, "check_output", return_value=b""):  # it runs pip to look for torch
    import rlcard
    from rlcard.models.gin_rummy_rule_models import GinRummyNoviceRuleAgent


def play(hands: int) -> int:
    """Play hands and return their decisions."""
    environment = rlcard.make("gin-rummy", config={"seed": 1})
    environment.set_agents([GinRummyNoviceRuleAgent(), GinRummyNoviceRuleAgent()])
    played = (environment.run(is_training=False)[0] for _ in range(hands))
    return sum(len(steps) // 2 for trajectories in played for steps in trajectories)  # states and actions by turns


if __name__ == "__main__":
    print_spent(play, int(sys.argv[1]))
