"""Whether one bot is stronger than another, and how they decide differently: duels, regression tests, differences."""
