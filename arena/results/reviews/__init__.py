"""Reviews of runs: which hands, by which habits of the players, on all workers, and what was reviewed before."""
