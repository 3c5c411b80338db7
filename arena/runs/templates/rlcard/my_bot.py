"""my-bot: plays as an agent of RLCard, by the adapter in rlcard_agents.py."""

from typing import Any

from .rlcard_agents import GinRummyNoviceRuleAgent, RlcardBot


class MyBot(RlcardBot):
    """As written, RLCard's novice."""

    def make(self) -> Any:  # noqa: ANN401 - RLCard has no types
        """Return any object with the method ``eval_step``, once for a process; random numbers are seeded before each call.

        It gets ``state["obs"]`` (5 x 52) and ``state["legal_actions"]``, and returns one of these and a value that is ignored.
        """
        return GinRummyNoviceRuleAgent()
