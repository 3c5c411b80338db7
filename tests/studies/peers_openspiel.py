"""``python tests/studies/peers_openspiel.py HANDS``: OpenSpiel's simple bot against itself, in its own C++ loop."""

import sys

import pyspiel
from bench import print_spent

DEALT = 21  # moves of chance before the first decision


def play(hands: int) -> int:
    """Play hands and return their moves: the players' decisions, and the cards drawn, which are moves of chance."""
    game = pyspiel.load_game("gin_rummy")
    bots = [pyspiel.make_simple_gin_rummy_bot(game.get_parameters(), seat) for seat in (0, 1)]
    moves = 0
    for number in range(hands):
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, number)
        moves += state.move_number() - DEALT
    return moves


if __name__ == "__main__":
    print_spent(play, int(sys.argv[1]))
