from arena import plot as plot
from arena.api import ArenaError as ArenaError
from arena.api import Comparison as Comparison
from arena.api import League as League
from arena.api import Run as Run
from arena.api import bots as bots
from arena.api import diff as diff
from arena.api import duel as duel
from arena.api import load as load
from arena.api import play as play
from arena.api import regress as regress

__all__ = ["ArenaError", "Comparison", "League", "Run", "bots", "diff", "duel", "load", "play", "plot", "regress"]
